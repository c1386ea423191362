//! Environment variables that change which program runs or what it loads (page 2b, b.3).

/// Names that always count.
const NAMES: [&str; 59] = [
    "PATH",
    "BASH_ENV",
    "ENV",
    "SHELLOPTS",
    "BASHOPTS",
    "PS4",
    "PROMPT_COMMAND",
    "CDPATH",
    "BASH_CMDS",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF",
    "GIT_SEQUENCE_EDITOR",
    "GIT_ASKPASS",
    "GIT_EXEC_PATH",
    "SSH_ASKPASS",
    "LESSOPEN",
    "LESSCLOSE",
    "MANPAGER",
    "RUSTC",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "MAKEFLAGS",
    "TAR_OPTIONS",
    "RIPGREP_CONFIG_PATH",
    "PERL5LIB",
    "PERL5OPT",
    "RUBYLIB",
    "RUBYOPT",
    "JAVA_TOOL_OPTIONS",
    "GIT_PROXY_COMMAND",
    "GIT_TEMPLATE_DIR",
    "MAKEFILES",
    "RSYNC_RSH",
    "PERL5DB",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "PYTHONHOME",
    "GCONV_PATH",
    "BASH_LOADABLES_PATH",
    "ZDOTDIR",
    "FPATH",
    "GIT_CONFIG",
    "NODE_PATH",
    "SVN_SSH",
    "CVS_RSH",
    "RSYNC_CONNECT_PROG",
    "SUDO_ASKPASS",
    "LUA_INIT",
    "NODE_REPL_EXTERNAL_MODULE",
    "BUN_OPTIONS",
    "ZIPOPT",
    "VIMINIT",
    "EXINIT",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
    "OPENSSL_CONF",
    "OPENSSL_ENGINES",
    "OPENSSL_MODULES",
];

/// Names of pagers and editors, whose well-known values do not count.
const SHOWING: [&str; 14] = [
    "PAGER",
    "GIT_PAGER",
    "EDITOR",
    "VISUAL",
    "GIT_EDITOR",
    "SYSTEMD_PAGER",
    "SYSTEMD_EDITOR",
    "GH_PAGER",
    "GH_EDITOR",
    "BAT_PAGER",
    "DELTA_PAGER",
    "PSQL_PAGER",
    "KUBE_EDITOR",
    "SUDO_EDITOR",
];

/// Programs that a pager or editor may be without a prompt.
const HARMLESS: [&str; 22] = [
    "",
    "/dev/null",
    "cat",
    "less",
    "more",
    "most",
    "true",
    "false",
    "vim",
    "vi",
    "nvim",
    "nano",
    "emacs",
    "code",
    "subl",
    ":",
    "delta",
    "bat",
    "head",
    "tail",
    "ed",
    "micro",
];

/// Options that a harmless pager or editor may have.
const HARMLESS_OPTIONS: [&str; 12] = [
    "-F", "-R", "-X", "-S", "-FRX", "-FX", "-RFX", "-n", "--wait", "-w", "-r", "--plain",
];

/// Whether a pager or editor is a well-known one with nothing but display options.
pub(super) fn is_harmless_program(value: &str) -> bool {
    let mut words = value.split(' ').filter(|word| !word.is_empty());
    let program = words.next().unwrap_or_default();
    HARMLESS.contains(&program) && words.all(|word| HARMLESS_OPTIONS.contains(&word))
}

/// Flags of `NODE_OPTIONS` that load nothing.
fn is_harmless_node_flag(flag: &str) -> bool {
    let name = flag.split('=').next().unwrap_or(flag).replace('_', "-");
    [
        "--max-old-space-size",
        "--max-semi-space-size",
        "--max-http-header-size",
        "--stack-size",
        "--no-warnings",
        "--no-deprecation",
        "--trace-warnings",
        "--trace-deprecation",
        "--throw-deprecation",
        "--disable-warning",
        "--unhandled-rejections",
        "--enable-source-maps",
        "--preserve-symlinks",
        "--openssl-legacy-provider",
        "--stack-trace-limit",
        "--pending-deprecation",
        "--trace-uncaught",
        "--experimental-vm-modules",
        "--no-experimental-fetch",
        "--dns-result-order",
    ]
    .contains(&name.as_str())
}

/// Whether setting a variable changes what runs. `None`: the value is known at run time only.
pub(crate) fn overrides_environment(name: &str, value: Option<&str>) -> bool {
    if NAMES.contains(&name) {
        return !(name == "NODE_PATH" && value.is_some_and(paths_are_inside));
    }
    let prefixed = name.starts_with("LD_")
        || name.starts_with("DYLD_")
        || name.starts_with("GIT_CONFIG_")
        || name.starts_with("BASH_FUNC_")
        || name.starts_with("CARGO_ALIAS_")
        || name.starts_with("LUA_INIT_")
        || name.to_ascii_lowercase().starts_with("npm_config_")
        || (name.starts_with("RUSTC_") && name.ends_with("WRAPPER"))
        || (name.starts_with("CARGO_")
            && [
                "_RUNNER",
                "_LINKER",
                "RUSTC_WRAPPER",
                "_RUSTC",
                "RUSTC_WORKSPACE_WRAPPER",
            ]
            .iter()
            .any(|end| name.ends_with(end)));
    if prefixed {
        return true;
    }
    if SHOWING.contains(&name) {
        return !value.is_some_and(is_harmless_program);
    }
    match name {
        "NODE_OPTIONS" => !value.is_some_and(|value| {
            let mut flags = value.split_whitespace();
            flags.all(is_harmless_node_flag)
        }),
        // `less` runs `+!CMD` and `+|` at its start.
        "LESS" => value.is_none_or(|value| value.contains(['!', '|'])),
        "RUSTFLAGS" | "CARGO_ENCODED_RUSTFLAGS" => {
            value.is_some_and(|value| value.contains("linker"))
        }
        "GOFLAGS" => {
            value.is_some_and(|value| value.contains("exec=") || value.contains("vettool"))
        }
        "PYTHONPATH" | "PYTHONSTARTUP" => !value.is_some_and(paths_are_inside),
        _ => false,
    }
}

/// Whether every path of a list is relative and stays inside the project.
fn paths_are_inside(value: &str) -> bool {
    value
        .split(':')
        .all(|path| !path.starts_with(['/', '~', '$']) && !path.split('/').any(|part| part == ".."))
}

#[cfg(test)]
mod tests {
    use super::overrides_environment;

    #[test]
    fn what_overrides_and_the_everyday_settings_beside_it() {
        for (name, value) in [
            ("PATH", "/tmp/p:/bin"),
            ("LD_PRELOAD", "x.so"),
            ("DYLD_INSERT_LIBRARIES", "x"),
            ("BASH_ENV", "./x"),
            ("PS4", "$(rm x)"),
            ("GIT_SSH_COMMAND", "rm x"),
            ("GIT_CONFIG_COUNT", "1"),
            ("RUSTC_WRAPPER", "./x"),
            ("CARGO_BUILD_RUSTC_WRAPPER", "./x"),
            ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", "./x"),
            ("npm_config_script_shell", "./x"),
            ("NODE_OPTIONS", "--require ./x.js"),
            ("PYTHONPATH", "/tmp/x"),
            ("PYTHONPATH", "../x"),
            ("PAGER", "sh -c x"),
            ("GIT_EDITOR", "rm"),
            ("LESSOPEN", "|rm x"),
            ("MAKEFLAGS", "--eval=x"),
            ("CARGO_ALIAS_P", "publish"),
            ("LESS", "+!rm x"),
            ("BUN_OPTIONS", "--preload ./x"),
            ("KUBE_EDITOR", "sh -c x"),
        ] {
            assert!(overrides_environment(name, Some(value)), "{name}={value}");
            assert!(overrides_environment(name, None), "{name}=$x");
        }
        for (name, value) in [
            ("RUST_BACKTRACE", "1"),
            ("NODE_ENV", "test"),
            ("NODE_OPTIONS", "--max-old-space-size=8192"),
            ("NODE_OPTIONS", "--no-warnings --max_old_space_size=4096"),
            ("PYTHONPATH", "."),
            ("PYTHONPATH", "src:lib"),
            ("GIT_PAGER", "cat"),
            ("PAGER", "less -R"),
            ("GIT_EDITOR", "true"),
            ("EDITOR", "code --wait"),
            ("CARGO_TARGET_DIR", "/tmp/t"),
            ("RUSTFLAGS", "-D warnings"),
            ("LANG", "C"),
            ("IFS", ","),
            ("AWS_PROFILE", "dev"),
            ("LESS", "-FRX"),
            ("GH_PAGER", "cat"),
            ("RUSTFLAGS", "-C target-cpu=native"),
            ("GOFLAGS", "-mod=mod"),
            ("CC", "clang"),
        ] {
            assert!(!overrides_environment(name, Some(value)), "{name}={value}");
        }
        assert!(overrides_environment("RUSTFLAGS", Some("-C linker=./x")));
        assert!(overrides_environment("GOFLAGS", Some("-toolexec=./x")));
    }
}
