use std::time::Duration;

use ruststream_core::OutgoingMessage;
use ruststream_core::testing::{TestableBroker, expect_published};
use tokio::time::Instant;

use crate::support::ConnectedDepot;

const SECOND: Duration = Duration::from_secs(1);

// TEST-68
#[tokio::test(start_paused = true)]
async fn it_returns_as_soon_as_the_messages_are_there() {
    let broker = ConnectedDepot::default();
    broker.inject(OutgoingMessage::new("a", b"1"));
    let start = Instant::now();

    let (published, ()) = tokio::join!(expect_published(&broker, "a", 2, SECOND), async {
        tokio::time::sleep(SECOND / 2).await;
        broker.inject(OutgoingMessage::new("a", b"2"));
    });
    assert_eq!(published.len(), 2);
    assert!(start.elapsed() < SECOND * 3 / 4);
}

// TEST-68
#[tokio::test(start_paused = true)]
async fn it_returns_what_it_saw_when_the_time_is_over() {
    let broker = ConnectedDepot::default();
    broker.inject(OutgoingMessage::new("a", b"1"));
    let start = Instant::now();
    assert_eq!(expect_published(&broker, "a", 2, SECOND).await.len(), 1);
    assert_eq!(start.elapsed(), SECOND);
}
