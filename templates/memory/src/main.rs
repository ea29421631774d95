//! A service on the in-process broker.

mod orders;
mod routes;

use ruststream::memory::prelude::*;

use crate::orders::Order;

#[ruststream::app]
fn app() -> impl App {
    RustStream::new(AppInfo::new("{{project-name}}", env!("CARGO_PKG_VERSION"))).with_broker(
        MemoryBroker::new(),
        |b| {
            b.include_router(routes::orders());
            // Nobody else can reach an in-process broker, so the service places an order itself.
            b.after_startup(Publish, async |publisher| {
                let order = Order { id: 1, quantity: 3 };
                publisher.message(&order).publish().await
            });
        },
    )
}

#[cfg(test)]
mod tests {
    use std::error::Error;

    use ruststream::testing::TestApp;

    use super::*;
    use crate::orders::Confirmation;

    #[tokio::test]
    async fn an_order_is_confirmed() -> Result<(), Box<dyn Error>> {
        let service = TestApp::start(app()).await?;
        let broker = service.broker::<MemoryBroker>();

        let order = Order { id: 7, quantity: 2 };
        broker.message(&order).publish().await?;

        let confirmed: Vec<Confirmation> = broker.published("orders.confirmed").decoded();
        assert!(confirmed.contains(&Confirmation {
            order: 7,
            parcels: 1
        }));
        broker
            .subscriber("orders")
            .with(&order)
            .settled(HandlerOutcome::ack());
        service.shutdown().await?;
        Ok(())
    }
}
