//! A service on NATS.

mod orders;
mod routes;

use std::env;

use ruststream_nats::prelude::*;

#[ruststream::app]
fn app() -> impl App {
    let server = env::var("NATS_URL").unwrap_or_else(|_| "nats://localhost:4222".to_owned());
    RustStream::new(AppInfo::new("{{project-name}}", env!("CARGO_PKG_VERSION"))).with_broker(
        NatsBroker::new(server),
        |b| {
            b.include_router(routes::orders());
        },
    )
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use ruststream::testing::TestApp;

    use super::*;
    use crate::orders::{Confirmation, Order};

    #[tokio::test]
    async fn an_order_is_confirmed() -> Result<(), Box<dyn Error>> {
        let service = TestApp::start(app()).await?;
        let broker = service.broker::<NatsBroker>();

        let order = Order { id: 7, quantity: 2 };
        broker.message(&order).publish().await?;

        broker
            .published::<Confirmation>("orders.confirmed")
            .assert_called_once()
            .with(&Confirmation {
                order: 7,
                parcels: 1,
            });
        broker
            .subscriber("orders")
            .with(&order)
            .settled(HandlerOutcome::ack());
        service.shutdown().await?;
        Ok(())
    }
}
