//! The `permc` command; everything that it does is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    permc::cli::run_process().into()
}
