//! The service of `tests/service`, in process.

#[path = "../service/mod.rs"]
mod bodies;

use ruststream_nats::NatsBroker;

use self::bodies::Mode;

macro_rules! in_process {
    ($($name:ident)+) => {$(
        #[tokio::test(start_paused = true)]
        async fn $name() {
            let broker = NatsBroker::new("nats://nobody:4222");
            bodies::$name(broker, Mode::InProcess).await;
        }
    )+};
}

bodies::service_tests!(in_process);
