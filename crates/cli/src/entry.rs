//! The entry points: from the arguments to the exit code.

use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;
use std::time::Duration;

use ruststream_runtime::App;

use crate::command::Command;
use crate::help::Help;
use crate::line::in_one_line;
use crate::{AppRuntime, CliError};

/// What blocking work that outlives the service, such as a read of standard input, gets to end.
const LEFTOVERS: Duration = Duration::from_secs(5);

/// Does what the process arguments say with the service that `build` makes, on the default
/// runtime.
///
/// It's [`run_main_on`] with [`AppRuntime::default`].
#[must_use]
pub fn run_main<A, F>(build: F) -> ExitCode
where
    A: App,
    F: FnOnce() -> A,
{
    run_main_on(AppRuntime::default(), build)
}

/// Does what the process arguments say with the service that `build` makes.
///
/// The arguments are read first; a bad command never builds the service, and neither does `--help`.
/// `build` runs outside any Tokio runtime. The answer is 0, or 1 after one line on standard error that begins with
/// `ruststream: `.
///
/// A run ends with SIGINT or, on Unix, SIGTERM, or with a failure. Blocking work that the service
/// leaves behind gets five seconds more, so that it can't hold up the end of the process.
///
/// # Panics
///
/// With the panic of `build` itself, and where it's called inside a Tokio runtime.
///
/// ```no_run
/// use std::process::ExitCode;
/// use ruststream_cli::{AppRuntime, run_main_on};
/// use ruststream_runtime::{App, AppInfo, RustStream};
///
/// fn depot() -> impl App {
///     RustStream::new(AppInfo::new("depot", "1.0.0"))
/// }
///
/// fn main() -> ExitCode {
///     run_main_on(AppRuntime::CurrentThread, depot)
/// }
/// ```
#[must_use]
pub fn run_main_on<A, F>(runtime: AppRuntime, build: F) -> ExitCode
where
    A: App,
    F: FnOnce() -> A,
{
    exit_code(execute(env::args_os().skip(1), runtime, build))
}

fn execute<A, F>(
    args: impl IntoIterator<Item = OsString>,
    runtime: AppRuntime,
    build: F,
) -> Result<(), CliError>
where
    A: App,
    F: FnOnce() -> A,
{
    match Command::parse(args)? {
        Command::Run => {
            #[cfg(feature = "logging")]
            log();
            let app = build();
            let runtime = runtime.build().map_err(CliError::Runtime)?;
            let ended = runtime.block_on(app.run());
            runtime.shutdown_timeout(LEFTOVERS);
            Ok(ended?)
        }
        #[cfg(feature = "asyncapi")]
        Command::AsyncApiGen(document) => crate::document::write(&build(), &document),
        #[cfg(not(feature = "asyncapi"))]
        Command::AsyncApiGen(_) => Err(CliError::AsyncApiDisabled),
        Command::Help => {
            let help = Help::of(env::args_os().next());
            // Without standard output there is nobody to tell.
            let _ = write!(io::stdout(), "{help}");
            Ok(())
        }
    }
}

/// Installs the logger; a subscriber that the service's own `main` installed stays.
#[cfg(feature = "logging")]
fn log() {
    let _ = ruststream_telemetry::logging::init();
}

fn exit_code(ended: Result<(), CliError>) -> ExitCode {
    let Err(error) = ended else {
        return ExitCode::SUCCESS;
    };
    // Without standard error there is nobody to tell; the exit code still says it.
    let _ = writeln!(
        io::stderr(),
        "ruststream: {}",
        in_one_line(&error.to_string())
    );
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use ruststream_runtime::{AppInfo, RustStream, RustStreamError, Setup};
    use tokio::runtime::Handle;

    use super::*;

    type Service =
        RustStream<ruststream_runtime::Identity, (), ruststream_runtime::PublishIdentity, Setup>;

    fn depot() -> Service {
        RustStream::new(AppInfo::new("depot", "1.0.0"))
    }

    fn execute_line<A: App>(line: &str, build: impl FnOnce() -> A) -> Result<(), CliError> {
        let args = line.split_whitespace().map(OsString::from);
        execute(args, AppRuntime::CurrentThread, build)
    }

    // CLI-08, CLI-07
    #[test]
    fn a_bad_command_never_builds_the_service() {
        for (line, refused) in [
            ("serve", true),
            ("asyncapi", true),
            ("asyncapi gen --json", true),
            ("--help", false),
        ] {
            let built = Cell::new(false);
            let ended = execute_line(line, || {
                built.set(true);
                depot()
            });

            assert_eq!(ended.is_err(), refused, "{line}");
            assert!(!built.get(), "{line}");
        }
    }

    // CLI-08
    #[test]
    fn the_service_is_built_outside_a_runtime_and_run_inside_one() {
        let app = || {
            assert!(Handle::try_current().is_err());
            depot().on_startup(async |()| {
                assert!(Handle::try_current().is_ok());
                Err::<(), _>(io::Error::other("no ledger"))
            })
        };

        for line in ["", "run --rate 3"] {
            let ended = execute_line(line, app);

            assert!(matches!(
                ended,
                Err(CliError::Run(RustStreamError::Startup(_)))
            ));
        }
    }

    // CLI-11
    #[cfg(not(feature = "asyncapi"))]
    #[test]
    fn a_document_needs_the_feature() {
        let refused = execute_line("asyncapi gen --yaml", depot);

        assert!(matches!(refused, Err(CliError::AsyncApiDisabled)));
    }

    // CLI-08, CLI-10
    #[cfg(feature = "asyncapi")]
    #[test]
    fn a_document_is_made_outside_a_runtime_and_starts_nothing() {
        let directory = std::env::temp_dir().join(format!("depot-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let file = directory.join("spec.json");
        std::fs::write(&file, "an older and much longer document".repeat(100)).unwrap();
        let app = || {
            assert!(Handle::try_current().is_err());
            depot().on_startup(async |()| -> Result<(), io::Error> { unreachable!() })
        };

        execute_line(&format!("asyncapi gen -o {}", file.display()), app).unwrap();

        let text = std::fs::read_to_string(&file).unwrap();
        std::fs::remove_dir_all(&directory).unwrap();
        assert!(text.starts_with("{\n  \"asyncapi\": \"3.1.0\""), "{text}");
        assert!(text.ends_with('}'), "{text}");
    }

    // CLI-10, CLI-13
    #[cfg(feature = "asyncapi")]
    #[test]
    fn a_missing_directory_is_not_made() {
        let refused = execute_line("asyncapi gen -o no-such-place/spec.json", depot);

        let Err(CliError::WriteSpec { path, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(path, "no-such-place/spec.json");
        assert!(!std::path::Path::new("no-such-place").exists());
    }
}
