//! `permc-bench-report`: the last measurements as one table, each beside its bar.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "printing is what it is for"
)]

use std::process::{Command, ExitCode};

use permc_benches::folders;
use permc_benches::report::{Artifact, Measured, compile_and_weigh, peak_kib, render, rows};

/// The argument with which the report starts itself, so that a fresh process's memory is what is measured.
const WEIGH: &str = "--weigh";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        [] => report(),
        [WEIGH, what] => Ok(weigh(*what == "large")),
        _ => Err("it takes no arguments".to_owned()),
    };
    match result {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(message) => {
            eprintln!("permc-bench-report: {message}");
            ExitCode::FAILURE
        }
    }
}

fn report() -> Result<String, String> {
    let measured = Measured {
        criterion: folders::criterion(),
        node: folders::node_result(),
        size: folders::target().join("size"),
        large: weighed("large")?,
        example: weighed("example")?,
    };
    let rows = rows(&measured).map_err(|error| error.to_string())?;
    Ok(render(&rows).trim_end().to_owned())
}

/// Length of the artifact and peak memory, as the child prints them.
fn weigh(large: bool) -> String {
    let bytes = compile_and_weigh(large);
    let peak = peak_kib().map_or_else(|| "n/a".to_owned(), |peak| peak.to_string());
    format!("{bytes} {peak}")
}

fn weighed(what: &str) -> Result<Artifact, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program)
        .args([WEIGH, what])
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut words = text.split_whitespace();
    let bytes = words
        .next()
        .and_then(|bytes| bytes.parse().ok())
        .ok_or_else(|| format!("compiling {what} failed: {}", output.status))?;
    let peak = words.next().and_then(|kib| kib.parse::<f64>().ok());
    Ok(Artifact {
        bytes,
        peak: peak.map(|kib| kib * 1024.0),
    })
}
