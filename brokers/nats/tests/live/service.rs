//! The service of `tests/service`, against servers.

#[path = "../service/mod.rs"]
mod bodies;

use ruststream_nats::NatsBroker;

use self::bodies::Mode;
use crate::support::{on_every_server, stream};

macro_rules! live {
    ($($name:ident)+) => {$(
        #[tokio::test]
        async fn $name() {
            on_every_server(async |server| {
                stream(&server, "LEDGER", &["ledger.>"]).await;
                stream(&server, "BOOKED", &["booked.>"]).await;
                bodies::$name(NatsBroker::new(server.url()), Mode::Live).await;
            })
            .await;
        }
    )+};
}

bodies::service_tests!(live);
