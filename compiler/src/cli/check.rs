//! `permc check`: all diagnostics, no artifact.

use clap::Args;

use crate::diagnostic::{Severity, render_json};

use super::ExitStatus;
use super::console::Console;
use super::failure::{Failure, Findings};
use super::inputs::InputArgs;
use super::text::counted;

/// Report everything that is wrong with a policy, without writing anything.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  permc check\n  permc check --global policy.jsonc --agents agents --format json"
)]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    inputs: InputArgs,
}

pub(crate) fn run(args: &CheckArgs, console: &mut Console<'_, '_>) -> Result<ExitStatus, Failure> {
    let compiled = args
        .inputs
        .plan(console)
        .and_then(|plan| plan.compile(console));
    let findings = match compiled {
        Ok(compilation) => Findings {
            sources: compilation.sources,
            diagnostics: compilation.diagnostics,
        },
        Err(Failure::Findings(findings)) => *findings,
        Err(failure) => return Err(failure),
    };
    if console.is_json() {
        console.json(&render_json(&findings.diagnostics, &findings.sources))?;
        return Ok(findings.status());
    }
    console.diagnostics(&findings);
    let count = |severity| {
        let found = findings
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == severity);
        found.count()
    };
    console.talk(&format!(
        "checked {}: {}, {}",
        counted(findings.sources.iter().count(), "file"),
        counted(count(Severity::Error), "error"),
        counted(count(Severity::Warning), "warning")
    ));
    Ok(findings.status())
}
