//! Why a service didn't start, or ended.

use tokio::task::JoinError;

/// Why a service failed to start, to run, or to stop.
///
/// The boxed errors are those of the broker or the hook and can be downcast to their own types.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum RustStreamError {
    /// A broker could not be connected.
    #[error("broker connect failed: {0}")]
    Connect(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The state producer or an `after_startup` hook failed.
    #[error("startup hook failed: {0}")]
    Startup(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A registration could not be brought to life on its connected broker.
    #[error("subscription failed: {0}")]
    Subscribe(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A broker could not be shut down in an orderly way.
    #[error("broker shutdown failed: {0}")]
    Shutdown(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// A dispatch task ended by a panic outside the isolation of bodies.
    #[error("dispatch task failed: {0}")]
    Join(#[source] JoinError),
    /// A dispatch failure tore the service down; the text is `<subscription>: <reason>`.
    #[error("dispatch failed: {0}")]
    Dispatch(String),
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;
    use std::io;

    use super::*;

    fn refused() -> Box<dyn std::error::Error + Send + Sync> {
        Box::new(io::Error::new(io::ErrorKind::ConnectionRefused, "refused"))
    }

    // RUN-002
    #[tokio::test]
    async fn every_variant_says_what_failed() {
        let told = [
            (
                RustStreamError::Connect(refused()),
                "broker connect failed: refused",
            ),
            (
                RustStreamError::Startup(refused()),
                "startup hook failed: refused",
            ),
            (
                RustStreamError::Subscribe(refused()),
                "subscription failed: refused",
            ),
            (
                RustStreamError::Shutdown(refused()),
                "broker shutdown failed: refused",
            ),
            (
                RustStreamError::Dispatch("parcels: why".into()),
                "dispatch failed: parcels: why",
            ),
        ];
        for (error, text) in told {
            assert_eq!(error.to_string(), text);
        }

        let task = tokio::spawn(std::future::pending::<()>());
        task.abort();
        let join = RustStreamError::Join(task.await.unwrap_err());
        assert!(join.to_string().starts_with("dispatch task failed: "));
        assert!(join.source().unwrap().is::<JoinError>());
    }

    // RUN-002
    #[test]
    fn the_broker_error_is_reachable_by_downcast() {
        let error = RustStreamError::Connect(refused());

        let source = error.source().unwrap().downcast_ref::<io::Error>().unwrap();
        assert_eq!(source.kind(), io::ErrorKind::ConnectionRefused);
        let RustStreamError::Connect(boxed) = error else {
            unreachable!()
        };
        assert!(boxed.downcast::<io::Error>().is_ok());
        assert!(RustStreamError::Dispatch(String::new()).source().is_none());
    }

    // RUN-002
    #[test]
    fn the_error_crosses_threads() {
        fn holds<T: std::error::Error + Send + Sync + 'static>() {}
        holds::<RustStreamError>();
    }
}
