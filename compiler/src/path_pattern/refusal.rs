//! Why a text is no pattern of a tier, in words.

use crate::diagnostic::{Code, Diagnostic, quote};

use super::PathPatternError;

/// The finding about a pattern that is none, without its place.
pub(crate) fn refusal(pattern: &str, error: &PathPatternError) -> Diagnostic {
    match error {
        PathPatternError::Parent => Diagnostic::new(
            Code::PARENT_COMPONENT,
            format!("the tier pattern {} holds a `..` component", quote(pattern)),
        )
        .help("write the directory itself, absolute or starting with `~/`"),
        PathPatternError::TooMany => Diagnostic::new(
            Code::TIER_TOO_COMPLEX,
            format!("the tier pattern {} is too large: {error}", quote(pattern)),
        )
        .help("write several rows, or a wider pattern such as `dir/**`"),
        PathPatternError::Syntax(syntax) => {
            let found = Diagnostic::new(
                Code::BAD_GLOB,
                format!("the tier pattern {} is no glob: {error}", quote(pattern)),
            );
            match syntax.help() {
                Some(help) => found.help(help),
                None => found,
            }
        }
    }
}
