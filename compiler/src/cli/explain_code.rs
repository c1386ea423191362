//! `permc explain-code`: the long text of a diagnostic.

use clap::Args;
use serde_json::json;

use crate::diagnostic::{CODES, Code, quote};
use crate::suggest::suggest;

use super::ExitStatus;
use super::console::Console;
use super::failure::Failure;

/// Print what a diagnostic means and how to get rid of it.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  permc explain-code PC0101")]
pub(crate) struct ExplainCodeArgs {
    /// The code or name, such as `PC0101` or `unknown-key`.
    #[arg(value_name = "CODE")]
    code: String,
}

pub(crate) fn run(
    args: &ExplainCodeArgs,
    console: &mut Console<'_, '_>,
) -> Result<ExitStatus, Failure> {
    let Some(info) = Code::from_name(args.code.trim()).and_then(Code::info) else {
        let known: Vec<&str> = CODES
            .iter()
            .flat_map(|info| [info.code.as_str(), info.name])
            .collect();
        let help = match suggest(&args.code, &known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => {
                "a code looks like `PC0101`; it stands in brackets at the start of a diagnostic"
                    .to_owned()
            }
        };
        return Err(
            Failure::usage(format!("there is no diagnostic {}", quote(&args.code))).help(help),
        );
    };
    if console.is_json() {
        console.json(&json!({
            "schema": "permc/explain-code/1",
            "code": info.code.as_str(),
            "name": info.name,
            "severity": info.severity.as_str(),
            "title": info.title,
            "text": info.long,
        }))?;
    } else {
        let title = format!(
            "{} {} ({}): {}",
            info.code,
            info.name,
            info.severity.as_str(),
            info.title
        );
        let title = console.strong(&title);
        console.out(format!("{title}\n\n{}", info.long))?;
    }
    Ok(ExitStatus::Success)
}
