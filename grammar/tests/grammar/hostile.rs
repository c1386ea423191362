//! Hostile documents: cut, garbled, huge and deep ones are refused, quickly and in one piece.

use std::time::{Duration, Instant};

use permc_grammar::error::SyntaxError;
use permc_grammar::jsonc::parse;
use permc_grammar::limits::Limits;

use crate::refusals::refuse;

#[test]
fn messages_stay_on_one_line_whatever_the_text_holds() {
    for text in [
        "[1 \"a\u{202e}b\"]".to_owned(),
        format!("{{{}: 1}}", "k".repeat(100_000)),
        "{\u{1b}[31m".to_owned(),
        "[\u{85}]".to_owned(),
    ] {
        let error = refuse(&text);
        let all = error.message() + &error.help().unwrap_or_default();
        assert!(all.len() < 300, "{all}");
        assert!(
            !all.contains(|c: char| c.is_control() || c == '\u{202e}'),
            "{all:?}"
        );
        assert_eq!(error.to_string(), error.message());
    }
}

#[test]
fn a_document_cut_anywhere_is_refused_or_whole() {
    let text = concat!(
        "\u{feff}// first\r\n{ \"a\\u00e9\\ud83d\\ude00\": [1, -2.5e+3, true, null,],\n",
        " /* \u{e9} \"x\" */ \"b\": { \"c\": \"\\\"\u{1f600}\", }, \"d\": false,}\n// last"
    );
    let whole = text.find("\n// last").unwrap();
    let cuts = (0..=text.len()).filter_map(|end| Some((end, text.get(..end)?)));
    for (end, cut) in cuts {
        match parse(cut, &Limits::default()) {
            Ok(_) => assert!(end >= whole, "accepted at {end}"),
            Err(error) => {
                let span = error.span();
                assert!(cut.get(span.start..span.end).is_some(), "{end}: {span:?}");
                let related = error.related().map_or(span, |(span, _)| span);
                assert!(
                    cut.get(related.start..related.end).is_some(),
                    "{end}: {related:?}"
                );
                // `/` alone is all that can follow the whole document and break it.
                assert!(
                    end < whole || cut.ends_with('/'),
                    "refused at {end}: {error}"
                );
            }
        }
    }
}

#[test]
fn any_byte_replaced_or_removed_never_panics() {
    let text = "{ \"a\\n\": [1, {}], /* c */ \"b\": \"\\u0041\" } // d\n";
    for at in 0..text.len() {
        let (before, after) = (text.get(..at).unwrap(), text.get(at + 1..).unwrap());
        for middle in [
            "", "\"", "\\", "/", "*", "[", "}", ",", "'", "\n", "\u{e9}", "\0",
        ] {
            let mutated = format!("{before}{middle}{after}");
            if let Err(error) = parse(&mutated, &Limits::default()) {
                let span = error.span();
                assert!(mutated.get(span.start..span.end).is_some(), "{mutated:?}");
            }
        }
    }
}

fn refuse_quickly(text: &str) -> SyntaxError {
    let start = Instant::now();
    let error = refuse(text);
    assert!(
        start.elapsed() < Duration::from_secs(2),
        "{:?}",
        start.elapsed()
    );
    error
}

#[test]
fn seventeen_mebibytes() {
    let error = refuse_quickly(&" ".repeat(17 << 20));
    assert!(error.is_too_large());
    assert_eq!(
        error.message(),
        "the document has 17825792 bytes, more than the limit of 16777216"
    );
}

#[test]
fn a_hundred_thousand_brackets() {
    for unit in ["[", "{\"a\":", "[{\"a\":", "{"] {
        let error = refuse_quickly(&unit.repeat(100_000));
        assert!(error.is_too_deep(), "{unit}");
        assert!(error.message().contains("128"));
    }
    let closing = refuse_quickly(&"]".repeat(100_000));
    assert_eq!(closing.message(), "expected a value, found \"]\"");
}

#[test]
fn wrong_documents_are_refused_in_linear_time() {
    for text in [
        format!("[{}", "1,".repeat(50_000)),
        format!("[{}", "/* c */".repeat(20_000)),
        "/* ".repeat(50_000),
        format!("[1 {} 2]", "// c\n".repeat(20_000)),
        format!("{}{}x", "[".repeat(128), "/**/".repeat(5_000)),
        format!("[\"{}", "\\u0041".repeat(20_000)),
        "\"".repeat(100_001),
    ] {
        refuse_quickly(&text);
    }
}

#[test]
fn a_thread_with_little_stack_gets_an_error_and_no_crash() {
    for kibibytes in [16, 96, 200] {
        let work = || {
            let text = "{\"a\":[".repeat(64) + &"]}".repeat(64);
            parse(&text, &Limits::default()).err()
        };
        let thread = std::thread::Builder::new().stack_size(kibibytes << 10);
        let error = thread.spawn(work).unwrap().join().unwrap();
        assert!(
            error.is_none_or(|error| error.is_too_deep()),
            "{kibibytes} KiB"
        );
    }
}
