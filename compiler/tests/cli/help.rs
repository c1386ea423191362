//! Help texts, which every command has, and mistakes in the arguments.

use super::support::Folder;
use permc::cli::{Environment, ExitStatus, Io, run};

const COMMANDS: [&str; 10] = [
    "init",
    "compile",
    "check",
    "query",
    "explain",
    "list",
    "inspect",
    "explain-code",
    "completions",
    "man",
];

#[test]
fn every_command_has_help_with_an_example() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("../snapshots");
    let _in_folder = settings.bind_to_scope();
    let folder = Folder::new();
    let main = folder.run(&["--help"]);
    assert_eq!((main.status, main.err.as_str()), (ExitStatus::Success, ""));
    insta::assert_snapshot!("help", main.out);
    for command in COMMANDS {
        assert!(
            main.out.contains(&format!("\n  {command} ")),
            "{command} is listed"
        );
        let ran = folder.run(&[command, "--help"]);
        assert_eq!((ran.status, ran.err.as_str()), (ExitStatus::Success, ""));
        assert!(
            ran.out.contains(&format!("  permc {command}")),
            "an example:\n{}",
            ran.out
        );
        insta::assert_snapshot!(format!("help-{command}"), ran.out);
    }
}

#[test]
fn wrong_arguments_are_usage_errors() {
    let folder = Folder::compiled();
    for args in [
        ["frobnicate"].as_slice(),
        &[],
        &["check", "--nope"],
        &["check", "--format", "xml"],
        &["inspect"],
        &["completions", "sh"],
        &["compile", "--check", "--depfile", "d"],
        &["check", "--manifest", "permc.jsonc", "--pi"],
        &["query", "--yolo", "--no-yolo", "bash"],
        &["query", "--exit-code", "--stdin"],
        &["check", "-q", "-v"],
    ] {
        folder.run(args).refused(ExitStatus::Usage, &["--help"]);
    }
    folder
        .run(&["query"])
        .refused(ExitStatus::Usage, &["a surface is missing"]);
    let two = ["query", "policy.permc", "bash", "--stdin"];
    folder
        .run(&two)
        .refused(ExitStatus::Usage, &["the only argument is the policy"]);
    let twice = [
        "query",
        "policy.permc",
        "--policy",
        "policy.permc",
        "--stdin",
    ];
    folder
        .run(&twice)
        .refused(ExitStatus::Usage, &["given twice"]);
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::compiled();
    let bad = std::ffi::OsStr::from_bytes(b"git \xff").to_owned();
    for args in [
        vec!["query".into(), "bash".into(), bad.clone()],
        vec!["query".into(), bad.clone()],
        vec!["explain".into(), "bash".into(), bad.clone()],
    ] {
        let ran = folder.run_in(&folder.path, args.into_iter(), b"");
        ran.refused(ExitStatus::Usage, &["is not UTF-8"]);
    }
    let agent = vec!["query".into(), "--agent".into(), bad, "bash".into()];
    folder
        .run_in(&folder.path, agent.into_iter(), b"")
        .refused(ExitStatus::Usage, &["UTF-8"]);
}

#[test]
fn version_completions_and_man_page() {
    let folder = Folder::new();
    assert_eq!(
        folder.run(&["--version"]).out,
        format!("permc {}\n", env!("CARGO_PKG_VERSION"))
    );
    for (shell, part) in [
        ("bash", "_permc()"),
        ("zsh", "#compdef permc"),
        ("fish", "complete -c permc"),
    ] {
        let ran = folder.run(&["completions", shell]);
        assert_eq!(ran.status, ExitStatus::Success);
        assert!(
            ran.out.contains(part) && ran.out.contains("explain-code"),
            "{shell}"
        );
    }
    let page = folder.run(&["man"]);
    assert!(
        page.out.contains(".TH permc 1") && page.out.contains("permc\\-query(1)"),
        "{}",
        page.out
    );
    assert!(
        folder
            .run(&["man", "query"])
            .out
            .contains(".TH permc-query 1")
    );
    folder
        .run(&["man", "nope"])
        .refused(ExitStatus::Usage, &["there is no command `nope`"]);
}

#[test]
fn the_long_text_of_a_code() {
    let folder = Folder::new();
    let ran = folder.run(&["explain-code", "pc0102"]);
    assert_eq!(ran.status, ExitStatus::Success);
    assert!(
        ran.out.starts_with("PC0102 duplicate-key (error): "),
        "{}",
        ran.out
    );
    let json = folder
        .run(&["explain-code", "duplicate-key", "--format", "json"])
        .json();
    assert_eq!(
        (&json["schema"], &json["code"]),
        (&"permc/explain-code/1".into(), &"PC0102".into())
    );
    folder.run(&["explain-code", "duplicate-kye"]).refused(
        ExitStatus::Usage,
        &[
            "there is no diagnostic `duplicate-kye`",
            "did you mean `duplicate-key`?",
        ],
    );
    folder
        .run(&["explain-code", "zzz"])
        .refused(ExitStatus::Usage, &["a code looks like `PC0101`"]);
}

#[test]
fn colors_only_where_somebody_looks() {
    let folder = Folder::compiled();
    let colored = |args: &[&str], is_terminal: bool, no_color: bool| {
        let (mut input, mut out, mut err) = (std::io::empty(), Vec::new(), Vec::new());
        let mut io = Io {
            stdin: &mut input,
            stdout: &mut out,
            stderr: &mut err,
            stdout_is_terminal: is_terminal,
            stderr_is_terminal: is_terminal,
            width: Some(100),
            cwd: folder.path.clone(),
            environment: Environment {
                home: Some("/h".into()),
                no_color,
                ..Environment::default()
            },
        };
        run(
            std::iter::once("permc")
                .chain(args.iter().copied())
                .map(Into::into),
            &mut io,
        );
        out.contains(&0x1b) || err.contains(&0x1b)
    };
    for args in [
        ["query", "bash"].as_slice(),
        &["inspect", "nope"],
        &["check", "--global", "nope"],
    ] {
        assert!(colored(args, true, false), "{args:?} on a terminal");
        assert!(!colored(args, false, false), "{args:?} in a pipe");
        assert!(!colored(args, true, true), "{args:?} with NO_COLOR");
        let always: Vec<&str> = args.iter().copied().chain(["--color", "always"]).collect();
        assert!(colored(&always, false, true), "{args:?} always");
        let never: Vec<&str> = args.iter().copied().chain(["--color", "never"]).collect();
        assert!(!colored(&never, true, false), "{args:?} never");
    }
}
