// CORE-007: an implementation whose future stays on its thread
use std::rc::Rc;

use ruststream_core::ConnectedBroker;

struct Depot;

impl ConnectedBroker for Depot {
    type Error = std::io::Error;
    type Closed = ();

    async fn shutdown(self) -> Result<(), Self::Error> {
        let here = Rc::new(());
        std::future::ready(()).await;
        drop(here);
        Ok(())
    }
}

fn main() {}
