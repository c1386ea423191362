//! The repository keeps its own rules (ARCHITECTURE.md lists them as invariants).

use std::fs;
use std::path::{Path, PathBuf};

use permc_tests::data::{root, say, tests_folder};

/// All tracked-looking files below a folder: no build output, no hidden folders but `.ci`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if name != "target" && (!name.starts_with('.') || name == ".ci") {
                all.extend(files(&path));
            }
        } else {
            all.push(path);
        }
    }
    all.sort();
    all
}

fn rust_files(folder: &str) -> Vec<(String, String)> {
    files(&root().join(folder))
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            let name = path
                .strip_prefix(root())
                .unwrap()
                .to_str()
                .unwrap()
                .to_owned();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect()
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The words of a text, so that `allow` is not found in `allowed`.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_alphanumeric() && character != '_')
}

#[test]
fn recorded_data_equals_its_source_where_that_exists() {
    let shared = root().join("../shared");
    if !shared.is_dir() {
        say("tidy: the shared folder is not here, the copies were not compared");
        return;
    }
    let mut n_files = 0;
    for folder in ["conformance", "cases"] {
        let original = files(&shared.join(folder));
        let copies = files(&tests_folder().join("data").join(folder));
        assert_eq!(
            original.len(),
            copies.len(),
            "{folder}: a file is missing or too many"
        );
        for (original, copy) in original.iter().zip(&copies) {
            assert_eq!(original.file_name(), copy.file_name());
            let same = fs::read(original).unwrap() == fs::read(copy).unwrap();
            assert!(
                same,
                "{} differs from its source: copy it again",
                copy.display()
            );
            n_files += 1;
        }
    }
    assert!(n_files >= 10, "the folders hold the recorded files");
}

#[test]
fn the_runtime_depends_on_nothing_and_no_crate_has_unsafe_code() {
    let manifest = read("runtime/Cargo.toml");
    let dependencies = manifest
        .split("[dependencies]")
        .nth(1)
        .unwrap()
        .split("\n[")
        .next()
        .unwrap();
    let named: Vec<&str> = dependencies
        .lines()
        .filter(|line| !line.trim().is_empty() && !line.starts_with('#'))
        .collect();
    assert!(named.is_empty(), "{named:?}");
    for package in ["grammar", "runtime", "compiler", "tests", "benches"] {
        let manifest = read(&format!("{package}/Cargo.toml"));
        let lints = manifest.split("[lints").nth(1).unwrap_or_default();
        let forbidden =
            lints.contains("workspace = true") || lints.contains("unsafe_code = \"forbid\"");
        assert!(forbidden, "{package} takes the workspace lints");
    }
    assert!(read("Cargo.toml").contains("unsafe_code = \"forbid\""));
    assert!(read("runtime/src/lib.rs").contains("cfg_attr(not(feature = \"std\"), no_std)"));
}

#[test]
fn dependencies_point_one_way() {
    for (package, allowed) in [
        ("grammar", [].as_slice()),
        ("runtime", &[]),
        ("gates", &["permc-grammar", "permc-runtime"]),
        (
            "compiler",
            &["permc-gates", "permc-grammar", "permc-runtime"],
        ),
    ] {
        let manifest = read(&format!("{package}/Cargo.toml"));
        let dependencies = manifest
            .split("[dependencies]")
            .nth(1)
            .unwrap()
            .split("\n[")
            .next()
            .unwrap();
        for line in dependencies
            .lines()
            .filter(|line| line.starts_with("permc"))
        {
            let name = line.split(['.', ' ', '=']).next().unwrap();
            assert!(
                allowed.contains(&name),
                "{package} must not depend on {name}"
            );
        }
    }
}

#[test]
fn the_grammar_holds_no_policy_word() {
    for (name, text) in rust_files("grammar/src") {
        for word in words(&text) {
            let policy_word =
                ["deny", "surface", "ask", "agent", "tier", "permission"].contains(&word);
            assert!(!policy_word, "{name} says `{word}`");
        }
    }
}

#[test]
fn only_the_command_line_and_the_reader_touch_files() {
    let touches = |text: &str| {
        ["std::fs", "std::env", "File::open"]
            .iter()
            .any(|used| text.contains(used))
    };
    for (name, text) in rust_files("compiler/src")
        .into_iter()
        .chain(rust_files("grammar/src"))
    {
        let may = name.starts_with("compiler/src/cli")
            || ["compiler/src/source.rs", "compiler/src/main.rs"].contains(&name.as_str());
        assert!(
            may || !touches(&text),
            "{name} touches the file system or the environment"
        );
    }
    for (name, text) in rust_files("runtime/src") {
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("///"));
        let touches = lines.into_iter().any(|line| line.contains("std::fs::"));
        assert!(name == "runtime/src/policy.rs" || !touches, "{name}");
    }
}

#[test]
fn files_are_small_rooms() {
    for folder in [
        "grammar", "runtime", "gates", "compiler", "tests", "benches",
    ] {
        for (name, text) in rust_files(folder) {
            let n_lines = text.lines().count();
            assert!(n_lines <= 700, "{name} has {n_lines} lines");
            assert!(
                text.starts_with("//!") || text.starts_with("#!"),
                "{name} does not say its purpose"
            );
            assert!(!text.contains("\t"), "{name} has a tab");
            for forbidden in ["#[ignore", "should_panic", "todo!(", "unimplemented!("] {
                let found = text.contains(forbidden) && !name.ends_with("tidy.rs");
                assert!(!found, "{name} has {forbidden}");
            }
        }
    }
}

#[test]
fn nothing_names_the_machine_it_was_written_on() {
    let forbidden = [
        concat!("/wo", "rk/"),
        concat!("/ro", "ot/"),
        concat!("/tm", "p/permc"),
    ];
    for path in files(root()) {
        let recorded = path.starts_with(tests_folder().join("data"));
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        for name in forbidden {
            assert!(
                recorded || !text.contains(name),
                "{} names {name}",
                path.display()
            );
        }
    }
}

#[test]
fn the_architecture_page_names_every_room() {
    let page = read("ARCHITECTURE.md");
    for package in ["grammar", "runtime", "gates", "compiler"] {
        for entry in fs::read_dir(root().join(package).join("src")).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            if !["lib", "main"].contains(&stem) {
                let named = page.contains(&format!("`{stem}`"))
                    || page.contains(&format!("`{stem}.rs`"))
                    || page.contains(&format!("`{stem}/`"));
                assert!(named, "ARCHITECTURE.md does not name {package}/src/{stem}");
            }
        }
    }
}

#[test]
fn the_pipeline_runs_what_the_readme_promises() {
    let readme = read("README.md");
    let pipeline = read(".ci/run");
    let mut blocks = readme
        .split("```sh\n")
        .skip(1)
        .map(|rest| rest.split("\n```").next().unwrap());
    for what in ["builds and runs the main job", "passes the tests"] {
        let command = blocks
            .next()
            .unwrap_or_else(|| panic!("the README has no command that {what}"));
        assert_eq!(command.lines().count(), 1, "one command: {command}");
        assert!(
            pipeline.contains(command),
            ".ci/run does not run: {command}"
        );
    }
    let steps: Vec<&str> = pipeline
        .lines()
        .filter(|line| line.contains("cargo "))
        .collect();
    for (step, start) in steps.iter().zip([
        "cargo fmt --check",
        "cargo clippy --workspace --all-targets -- -D warnings",
        "cargo doc",
    ]) {
        assert!(step.contains(start), "{step} is not {start}");
    }
}
