//! Settings that only the reference's runtime reads: validated, so that a typing error shows, and then left out.

use super::fields::{Report, article, boolean, object};
use crate::diagnostic::Code;
use permc_grammar::jsonc::{Member, Value, ValueKind};

/// The runtime-only keys and the type of each.
pub(super) const RUNTIME_ONLY: [(&str, Setting); 11] = [
    ("debugLog", Setting::Switch),
    ("permissionReviewLog", Setting::Switch),
    ("doublePressToConfirm", Setting::Switch),
    ("toolInputPreviewMaxLength", Setting::Count),
    ("toolTextSummaryMaxLength", Setting::Count),
    ("forwardingTimeoutMs", Setting::Count),
    ("permissionDialogKeys", Setting::Keys),
    ("promptNotifications", Setting::Switch),
    ("promptMaxRows", Setting::Count),
    ("promptFieldMaxWidth", Setting::Count),
    ("reviewLogFieldMaxWidth", Setting::Count),
];

/// The type of a runtime-only setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Setting {
    /// true or false.
    Switch,
    /// A non-negative integer.
    Count,
    /// An object of key bindings.
    Keys,
}

/// The type of a runtime-only key, if it is one.
pub(super) fn setting(key: &str) -> Option<Setting> {
    RUNTIME_ONLY
        .iter()
        .find(|(name, _)| *name == key)
        .map(|(_, setting)| *setting)
}

/// Checks the value of a runtime-only key.
pub(super) fn check(report: &mut Report, member: &Member, setting: Setting) {
    let what = format!("`{}`", member.key.value);
    match setting {
        Setting::Switch => {
            boolean(report, &member.value, &what);
        }
        Setting::Keys => {
            object(report, &member.value, &what, "write an object of keys");
        }
        Setting::Count => count(report, &member.value, &what),
    }
}

fn count(report: &mut Report, value: &Value, what: &str) {
    let found = match &value.kind {
        ValueKind::Number(number) if is_count(number) => return,
        ValueKind::Number(number) => format!("`{}`", number.chars().take(30).collect::<String>()),
        kind => article(kind.type_name()),
    };
    report.add(
        Code::NOT_A_COUNT,
        value.span,
        "not a count",
        format!("{what} has to be a non-negative integer, not {found}"),
        "write a whole number that is zero or more",
    );
}

/// Whether a JSON number is a non-negative integer, however it is written.
fn is_count(number: &str) -> bool {
    number
        .parse::<f64>()
        .is_ok_and(|number| number.is_finite() && number >= 0.0 && number.fract() == 0.0)
}

#[cfg(test)]
mod tests {
    use super::is_count;

    #[test]
    fn counts() {
        for number in ["0", "200", "1e3", "2.0"] {
            assert!(is_count(number), "{number}");
        }
        for number in ["-1", "0.5", "1e-3", "1e999"] {
            assert!(!is_count(number), "{number}");
        }
    }
}
