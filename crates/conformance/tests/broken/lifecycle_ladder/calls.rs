//! Connecting, subscribing and publishing.

use std::sync::{Arc, OnceLock};

use tokio::sync::{mpsc, oneshot};

use super::super::support::*;
use super::{Publishing, Wrong, climbing, left_to_the_caller, run};

struct Connect(Wrong);

impl Twist for Connect {
    fn connect<'a>(
        &'a self,
        world: &'a Arc<World>,
        side: Side,
    ) -> Task<'a, Result<Link, ToyError>> {
        let link = Link::connect(world, side);
        if climbing(&link) {
            self.0.answer()
        } else {
            now(Ok(link))
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_connect_that_fails() {
    let told = ["it failed with: the toy refuses: everything"];
    rejected(
        run(Connect(Wrong::Fails)),
        "lifecycle: ladder, connect: ",
        &told,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_connect_that_hangs() {
    let told = ["no answer within 10s"];
    rejected(
        run(Connect(Wrong::Hangs)),
        "lifecycle: ladder, connect: ",
        &told,
    )
    .await;
}

struct Subscribing(Wrong);

impl Twist for Subscribing {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        if climbing(link) {
            self.0.answer()
        } else {
            Honest.subscribe(link, slot)
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscribe_that_fails() {
    let told = ["it failed with: the toy refuses: everything"];
    rejected(
        run(Subscribing(Wrong::Fails)),
        "lifecycle: ladder, subscribe: ",
        &told,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_subscribe_that_hangs() {
    let told = ["no answer within 2s on a runtime of the caller's own"];
    rejected(
        run(Subscribing(Wrong::Hangs)),
        "lifecycle: ladder, subscribe: ",
        &told,
    )
    .await;
}

struct FedByTheCaller;

impl Twist for FedByTheCaller {
    fn subscribe<'a>(
        &'a self,
        link: &'a Link,
        slot: &'a dyn Slotted,
    ) -> Task<'a, Result<Reader, ToyError>> {
        Box::pin(async move {
            let mut reader = Honest.subscribe(link, slot).await?;
            if !climbing(link) {
                return Ok(reader);
            }
            let fed = Queue::new(link.world(), slot.name(), None);
            let queue = Arc::clone(&fed);
            tokio::spawn(async move {
                while let Some(delivery) = reader.next().await {
                    queue.push(delivery.consume());
                }
            });
            Ok(Reader {
                link: link.clone(),
                queue: fed,
            })
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_fed_by_a_task_of_the_callers_runtime() {
    let told = ["nothing came within 2s"];
    rejected(
        run(FedByTheCaller),
        "lifecycle: ladder, first publish: ",
        &told,
    )
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_publish_that_fails() {
    let twist = Publishing(|_, _| Wrong::Fails.answer());
    let told = ["it failed with: the toy refuses: everything"];
    rejected(run(twist), "lifecycle: ladder, first publish: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_publish_that_hangs() {
    let twist = Publishing(|_, _| Wrong::Hangs.answer());
    let told = ["no answer within 2s on a runtime of the caller's own"];
    rejected(run(twist), "lifecycle: ladder, first publish: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_publish_that_alters() {
    let twist = Publishing(|sender, letter| {
        let payload = b"altered".to_vec();
        now(sender.publish(Letter { payload, ..letter }))
    });
    let told = ["\"altered\" came where \"first\" was due"];
    rejected(run(twist), "lifecycle: ladder, first publish: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_publish_left_to_the_callers_runtime() {
    let twist = Publishing(|sender, letter| {
        let link = sender.link.clone();
        left_to_the_caller(move || drop(link.publish(letter)));
        now(Ok(()))
    });
    let told = ["nothing came within 2s"];
    rejected(run(twist), "lifecycle: ladder, first publish: ", &told).await;
}

// CONF-05
#[tokio::test(start_paused = true)]
async fn a_publish_that_panics() {
    let twist = Publishing(|_, _| panic!("the toy is torn"));
    let told = ["it panicked: the toy is torn"];
    rejected(run(twist), "lifecycle: ladder, first publish: ", &told).await;
}

// CONF-05: the broker's own runtime runs while a caller's does.
#[tokio::test(start_paused = true)]
async fn a_publish_that_a_task_of_the_brokers_runtime_answers_passes() {
    let twist = Publishing(|sender, letter| {
        let (link, runtime) = (sender.link.clone(), sender.link.runtime().clone());
        let publishing = runtime.spawn(async move { link.publish(letter) });
        Box::pin(async { publishing.await.unwrap_or(Err(ToyError::Closed)) })
    });
    run(twist).await;
}

/// The connection of its publishers, attached by a task of the first caller's runtime.
#[derive(Default)]
struct AttachesLazily {
    lane: OnceLock<mpsc::UnboundedSender<(Letter, oneshot::Sender<()>)>>,
    silent: bool,
}

impl Twist for AttachesLazily {
    fn publish<'a>(&'a self, sender: &'a Sender, letter: Letter) -> Done<'a> {
        if !climbing(&sender.link) || sender.link.is_closed() {
            return Honest.publish(sender, letter);
        }
        let lane = self.lane.get_or_init(|| {
            let (lane, mut letters) = mpsc::unbounded_channel::<(Letter, oneshot::Sender<()>)>();
            let link = sender.link.clone();
            tokio::spawn(async move {
                while let Some((letter, done)) = letters.recv().await {
                    drop(link.publish(letter));
                    let _ = done.send(());
                }
            });
            lane
        });
        Box::pin(async move {
            let (done, sent) = oneshot::channel();
            let attached = lane.send((letter, done)).is_ok() && sent.await.is_ok();
            if attached || self.silent {
                Ok(())
            } else {
                Err(ToyError::Closed)
            }
        })
    }
}

#[tokio::test(start_paused = true)]
async fn a_connection_attached_on_the_first_callers_runtime_with_errors() {
    let told = ["it failed with: the toy's connection is closed"];
    let suite = run(AttachesLazily::default());
    rejected(suite, "lifecycle: ladder, second publish: ", &told).await;
}

#[tokio::test(start_paused = true)]
async fn a_connection_attached_on_the_first_callers_runtime_silently() {
    let twist = AttachesLazily {
        silent: true,
        ..AttachesLazily::default()
    };
    let told = ["nothing came within 2s"];
    rejected(run(twist), "lifecycle: ladder, second publish: ", &told).await;
}
