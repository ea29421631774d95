//! Which Tokio runtime a service runs on.

use std::io;
use std::num::NonZeroUsize;

use tokio::runtime::{Builder, Runtime};

/// The Tokio runtime that a service's entry point builds, with its I/O and time drivers on.
///
/// ```
/// use std::num::NonZeroUsize;
/// use ruststream_cli::AppRuntime;
///
/// let two = AppRuntime::MultiThreadWorkers(NonZeroUsize::new(2).unwrap());
/// assert_ne!(two, AppRuntime::default());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum AppRuntime {
    /// Several worker threads, as many as Tokio chooses: one for each core.
    #[default]
    MultiThread,
    /// Several worker threads, this many.
    MultiThreadWorkers(NonZeroUsize),
    /// The calling thread alone.
    CurrentThread,
}

impl AppRuntime {
    pub(crate) fn build(self) -> io::Result<Runtime> {
        let mut builder = match self {
            Self::MultiThread | Self::MultiThreadWorkers(_) => Builder::new_multi_thread(),
            Self::CurrentThread => Builder::new_current_thread(),
        };
        if let Self::MultiThreadWorkers(workers) = self {
            builder.worker_threads(workers.get());
        }
        builder.enable_all().build()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::runtime::RuntimeFlavor;

    use super::*;

    fn workers(count: usize) -> AppRuntime {
        AppRuntime::MultiThreadWorkers(NonZeroUsize::new(count).unwrap())
    }

    // CLI-05
    #[test]
    fn each_kind_builds_the_runtime_it_names() {
        let built = |kind: AppRuntime| {
            let runtime = kind.build().unwrap();
            let handle = runtime.handle();
            (handle.runtime_flavor(), handle.metrics().num_workers())
        };
        let default = Builder::new_multi_thread().build().unwrap();

        assert_eq!(
            built(AppRuntime::MultiThread),
            (
                RuntimeFlavor::MultiThread,
                default.handle().metrics().num_workers()
            )
        );
        assert_eq!(built(workers(3)), (RuntimeFlavor::MultiThread, 3));
        assert_eq!(
            built(AppRuntime::CurrentThread),
            (RuntimeFlavor::CurrentThread, 1)
        );
    }

    // CLI-05
    #[test]
    fn every_kind_has_the_time_driver() {
        for kind in [
            AppRuntime::MultiThread,
            workers(1),
            AppRuntime::CurrentThread,
        ] {
            let elapsed = kind.build().unwrap().block_on(async {
                tokio::time::timeout(Duration::ZERO, std::future::pending::<()>()).await
            });
            assert!(elapsed.is_err());
        }
    }

    // CLI-05
    #[test]
    fn many_threads_are_the_default() {
        assert_eq!(AppRuntime::default(), AppRuntime::MultiThread);
    }
}
