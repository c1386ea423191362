//! The types of plain scalars: the core schema of YAML 1.2 (chapter 10.3).

use permc_grammar::jsonc::ValueKind;

/// The value of a plain scalar.
pub(super) fn plain(text: &str) -> ValueKind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ValueKind::Null,
        "true" | "True" | "TRUE" => ValueKind::Bool(true),
        "false" | "False" | "FALSE" => ValueKind::Bool(false),
        _ if is_number(text) => ValueKind::Number(text.to_owned()),
        _ => ValueKind::String(text.to_owned()),
    }
}

fn is_number(text: &str) -> bool {
    if let Some(digits) = text.strip_prefix("0o") {
        return !digits.is_empty() && digits.chars().all(|c| c.is_digit(8));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    matches!(unsigned, ".inf" | ".Inf" | ".INF")
        || matches!(text, ".nan" | ".NaN" | ".NAN")
        || is_decimal(unsigned)
}

/// `12`, `1.5`, `.5`, `1.` with an optional exponent.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = text
        .split_once(['e', 'E'])
        .map_or((text, None), |(mantissa, exponent)| {
            (mantissa, Some(exponent))
        });
    let digits = |part: &str| part.chars().all(|c| c.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent = exponent.is_none_or(|exponent| {
        let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        !exponent.is_empty() && digits(exponent)
    });
    exponent && !(whole.is_empty() && fraction.is_empty()) && digits(whole) && digits(fraction)
}

#[cfg(test)]
mod tests {
    use super::plain;
    use permc_grammar::jsonc::ValueKind;

    #[test]
    fn the_core_schema() {
        for text in ["", "~", "null", "NULL"] {
            assert_eq!(plain(text), ValueKind::Null, "{text}");
        }
        assert_eq!(plain("True"), ValueKind::Bool(true));
        assert_eq!(plain("false"), ValueKind::Bool(false));
        for text in [
            "0", "-12", "+3", "0o17", "0xFf", "1.5", ".5", "1.", "1e3", "-1.5E-3", ".inf", "-.INF",
            ".nan",
        ] {
            assert_eq!(plain(text), ValueKind::Number(text.into()), "{text}");
        }
        for text in [
            "ask", "yes", "no", "on", "tRUE", "0o8", "0x", "1e", ".", "-", "1.2.3", "+.nan", "e3",
            "~/x", "--1",
        ] {
            assert_eq!(plain(text), ValueKind::String(text.into()), "{text}");
        }
    }
}
