//! Publish layers that get in the way.

use std::error::Error;

use ruststream::Publisher;
use ruststream::runtime::{Outgoing, PublishLayer, PublishNext, PublishPipeline};

/// Refuses what goes to this destination.
#[derive(Debug, Clone)]
pub struct Refuse(pub &'static str);

impl PublishLayer for Refuse {
    async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        next: PublishNext<'a, N, P>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        if out.name() == self.0 {
            return Err(format!("no way to {} for {}", self.0, out.payload().len()).into());
        }
        next.run(out).await
    }
}

/// Sends everything here.
#[derive(Debug, Clone)]
pub struct Rename(pub &'static str);

impl PublishLayer for Rename {
    async fn on_publish<'a, N: PublishPipeline, P: Publisher>(
        &'a self,
        out: &'a mut Outgoing<'a>,
        next: PublishNext<'a, N, P>,
    ) -> Result<(), Box<dyn Error + Send + Sync>> {
        out.set_name(self.0);
        next.run(out).await
    }
}
