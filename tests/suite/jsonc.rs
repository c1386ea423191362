//! Our JSONC reader against another one, on drawn documents with comments and trailing commas.

use jsonc_parser::{ParseOptions, parse_to_serde_value, parse_to_value};
use permc_grammar::jsonc::{Value, ValueKind, parse};
use permc_grammar::limits::Limits;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Every leniency of the other reader off, but for what a policy document may use.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// Our tree as the other reader's value; numbers by their text.
fn plain(value: &Value) -> serde_json::Value {
    match &value.kind {
        ValueKind::Null => serde_json::Value::Null,
        ValueKind::Bool(value) => (*value).into(),
        ValueKind::Number(text) => serde_json::from_str(text).unwrap(),
        ValueKind::String(text) => text.clone().into(),
        ValueKind::Array(items) => items.iter().map(plain).collect(),
        ValueKind::Object(members) => members
            .iter()
            .map(|member| (member.key.value.clone(), plain(&member.value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

fn blank() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(String::new()),
        2 => Just(" ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => Just("/* a \" { */".to_owned()),
        1 => Just("// b ] \n".to_owned()),
    ]
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        (-1000_i32..1000).prop_map(|number| number.to_string()),
        Just("-0.5e3".to_owned()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        Just(r#""\u00e9\ud83d\ude42\n\/ // no comment""#.to_owned()),
    ]
}

fn document() -> impl Strategy<Value = String> {
    let leaf =
        (blank(), scalar(), blank()).prop_map(|(before, value, after)| before + &value + &after);
    leaf.prop_recursive(5, 40, 5, |inner| {
        let key = ("[a-z*~ é]{0,6}", blank(), blank())
            .prop_map(|(key, before, after)| format!("{before}\"{key}\"{after}"));
        prop_oneof![
            (prop::collection::vec(inner.clone(), 0..5), any::<bool>()).prop_map(
                |(items, trailing)| {
                    let comma = if trailing && !items.is_empty() {
                        ","
                    } else {
                        ""
                    };
                    format!("[{}{comma}]", items.join(","))
                }
            ),
            (prop::collection::btree_map(key, inner, 0..5), any::<bool>()).prop_map(
                |(members, trailing)| {
                    let comma = if trailing && !members.is_empty() {
                        ","
                    } else {
                        ""
                    };
                    let members: Vec<String> = members
                        .into_iter()
                        .map(|(key, value)| format!("{key}:{value}"))
                        .collect();
                    format!("{{{}{comma}}}", members.join(","))
                }
            ),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, rng_seed: RngSeed::Fixed(20_261_201), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_readers_see_the_same_tree(text in document()) {
        let ours = parse(&text, &Limits::default());
        let theirs: Result<serde_json::Value, _> = parse_to_serde_value(&text, &options());
        prop_assert_eq!(plain(&ours.unwrap().root), theirs.unwrap(), "{}", text);
    }

    /// Whatever we accept, the other reader accepts; a stray change never makes ours the more lenient one.
    #[test]
    fn a_changed_document_is_never_read_more_leniently(text in document(), at in any::<prop::sample::Index>(), put in "[\\[\\]{}\",:/*a0 ]?") {
        let mut boundaries: Vec<usize> = text.char_indices().map(|(index, _)| index).collect();
        boundaries.push(text.len());
        let at = boundaries[at.index(boundaries.len())];
        let (before, after) = text.split_at(at);
        let changed = format!("{before}{put}{}", after.chars().skip(1).collect::<String>());
        if let Ok(ours) = parse(&changed, &Limits::default()) {
            // Without conversion to floats: a number that none can hold is still a number.
            let theirs = parse_to_value(&changed, &options());
            prop_assert!(theirs.is_ok(), "{changed}: {ours:?}");
        }
    }
}
