//! The command `ruststream`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ruststream_cli::tool::main()
}
