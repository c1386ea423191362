//! Which options of a program take a value, and whether that is text or a path (page 2b, b.5).

use std::sync::LazyLock;

use super::options::Grammar;
use super::{ByProgram, by_program};

/// The options of a program that take a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Values {
    /// Programs, or `program subcommand`, with a `|` between them.
    names: &'static str,
    /// Letters whose value is text.
    pub(super) text: &'static str,
    /// Letters whose value is looked at.
    other: &'static str,
    /// Letters whose value is glued or absent, and text.
    pub(super) glued: &'static str,
    /// Long names whose value is text.
    pub(super) text_long: &'static str,
    /// Long names whose value is looked at.
    other_long: &'static str,
    /// Long names whose value is text and always behind `=`.
    pub(super) glued_long: &'static str,
}

const fn row(
    names: &'static str,
    text: &'static str,
    text_long: &'static str,
    other: &'static str,
    other_long: &'static str,
) -> Values {
    Values {
        names,
        text,
        other,
        glued: "",
        text_long,
        other_long,
        glued_long: "",
    }
}

impl Values {
    const fn glued(self, glued: &'static str, glued_long: &'static str) -> Self {
        Self {
            glued,
            glued_long,
            ..self
        }
    }

    /// How the program's options are read. A list of both kinds of letters is what `short` of a grammar wants.
    pub(super) fn read<'w>(&self, words: &[&'w str], from: usize) -> Vec<super::options::Item<'w>> {
        super::options::read_kinds(
            words,
            from,
            &[
                &Grammar::open(self.text, self.glued, self.text_long),
                &Grammar {
                    long_flags: self.glued_long,
                    ..Grammar::open(self.other, "", self.other_long)
                },
            ],
        )
    }
}

/// Programs whose options are known. A value of an option that is not listed is an operand, and is looked at.
static TABLE: [Values; 41] = [
    row(
        "git log|git show|git shortlog|git rev-list|git diff|git whatchanged|git reflog",
        "SGnl",
        "grep author committer since until after before date max-count skip diff-filter",
        "OL",
        "output",
    )
    .glued(
        "UMBCX",
        "format pretty stat color word-diff word-diff-regex diff-algorithm decorate abbrev unified",
    ),
    row(
        "git grep",
        "emABC",
        "max-count after-context before-context context max-depth threads",
        "f",
        "",
    )
    .glued("O", "color open-files-in-pager"),
    row(
        "git commit",
        "mcC",
        "message author date trailer fixup squash cleanup reuse-message reedit-message",
        "Ft",
        "file template pathspec-from-file",
    )
    .glued("uS", "untracked-files gpg-sign"),
    row(
        "git tag",
        "mu",
        "message format sort local-user points-at cleanup trailer",
        "F",
        "file",
    )
    .glued("n", ""),
    row(
        "git merge",
        "msX",
        "message strategy strategy-option cleanup",
        "F",
        "file",
    )
    .glued("S", "log gpg-sign"),
    row("git stash", "m", "message", "", "pathspec-from-file"),
    row(
        "git notes",
        "mcC",
        "message reuse-message reedit-message ref separator",
        "F",
        "file",
    ),
    row(
        "git revert|git cherry-pick",
        "mX",
        "mainline strategy strategy-option cleanup",
        "",
        "",
    )
    .glued("S", "gpg-sign"),
    row(
        "git branch",
        "u",
        "format sort points-at set-upstream-to",
        "",
        "",
    ),
    row(
        "git for-each-ref|git ls-remote|git ls-tree|git ls-files",
        "",
        "format sort",
        "ox",
        "exclude exclude-from",
    ),
    row(
        "git checkout|git switch|git restore",
        "bBcCs",
        "conflict source orphan",
        "",
        "pathspec-from-file",
    ),
    row(
        "git am|git rebase",
        "sX",
        "onto strategy strategy-option",
        "x",
        "exec",
    ),
    row(
        "gh",
        "tbmnqSlHBR",
        "title body message notes jq template search label header base head repo subject raw-field",
        "fF",
        "body-file field input",
    ),
    row(
        "grep|egrep|fgrep|zgrep|zegrep|zfgrep|bzgrep|xzgrep",
        "emABCDd",
        "regexp max-count after-context before-context context binary-files devices directories \
         include exclude \
         exclude-dir label",
        "f",
        "file exclude-from",
    )
    .glued("", "color colour group-separator"),
    row(
        "rg",
        "eABCEMTdgjmrt",
        "regexp after-context before-context context encoding max-columns type type-not \
         max-depth maxdepth glob iglob \
         threads max-count replace sort sortr color \
         colors type-add type-clear context-separator \
         field-context-separator \
         field-match-separator path-separator dfa-size-limit regex-size-limit max-filesize \
         engine hyperlink-format",
        "f",
        "file ignore-file pre-glob pre",
    ),
    row("sed|gsed", "el", "expression line-length", "f", "file").glued("i", "in-place"),
    row(
        "awk|gawk|nawk|mawk",
        "Fe",
        "field-separator source",
        "fvEil",
        "file assign exec include load",
    ),
    row(
        "cut",
        "dfcb",
        "delimiter fields characters bytes output-delimiter",
        "",
        "",
    ),
    row(
        "sort",
        "tkS",
        "field-separator key buffer-size parallel batch-size sort",
        "oT",
        "output temporary-directory files0-from random-source compress-program",
    ),
    row("paste", "d", "delimiters", "", ""),
    row(
        "column",
        "scoNORHTWE",
        "separator output-separator table-columns",
        "",
        "",
    ),
    row("join", "toejav12", "", "", ""),
    row("uniq", "fsw", "skip-fields skip-chars check-chars", "", ""),
    row("head", "nc", "lines bytes", "", ""),
    row(
        "tail",
        "ncs",
        "lines bytes sleep-interval pid max-unchanged-stats",
        "",
        "",
    ),
    row(
        "split",
        "abClnt",
        "bytes lines number suffix-length",
        "",
        "filter additional-suffix",
    ),
    row("nl|fold|fmt|pr|expand|unexpand", "w", "width", "", ""),
    row("tr|sd|jq|yq", "", "", "", ""),
    row(
        "curl",
        "AXuUmeCrPQtyYz",
        "user-agent request user proxy-user max-time referer connect-timeout retry retry-delay \
         retry-max-time range \
         limit-rate max-redirs resolve connect-to oauth2-bearer form-string ciphers interface speed-limit speed-time",
        "bcDdEFhHKoTwx",
        "cookie cookie-jar dump-header data data-ascii data-raw data-binary data-urlencode json \
         url-query cert form \
         header write-out config output output-dir upload-file proxy cacert capath key netrc-file url variable",
    ),
    row(
        "wget",
        "tTwQU",
        "tries timeout wait user-agent user password header limit-rate level",
        "OPoaieDAReBXIl",
        "output-document directory-prefix output-file append-output input-file post-file body-file load-cookies",
    ),
    row(
        "tar|gtar|bsdtar",
        "bHKLNV",
        "transform xform strip-components format label blocking-factor record-size owner group mode mtime",
        "CfgITXF",
        "file directory files-from exclude-from exclude use-compress-program to-command checkpoint-action",
    ),
    row("date", "d", "date", "rf", "reference file").glued("I", "iso-8601 rfc-3339"),
    row(
        "cargo",
        "FpjZ",
        "features package bin test example bench message-format color jobs profile target",
        "C",
        "manifest-path target-dir config",
    ),
    row(
        "xargs",
        "InPLdEsJRS",
        "max-args max-procs max-chars delimiter process-slot-var",
        "a",
        "arg-file",
    )
    .glued("ile", "replace max-lines eof"),
    row(
        "kubectl|oc",
        "olcn",
        "output selector container namespace context cluster user field-selector",
        "fk",
        "filename kustomize kubeconfig",
    ),
    row(
        "docker ps|docker images|docker inspect|docker network|docker volume",
        "",
        "format filter",
        "f",
        "",
    ),
    row(
        "docker build|docker buildx|docker image|podman build|nerdctl build",
        "t",
        "tag build-arg label platform target network progress",
        "fo",
        "file iidfile secret ssh output cache-from cache-to build-context",
    ),
    row(
        "rsync",
        "",
        "exclude include filter chmod chown info bwlimit",
        "eBTfM",
        "rsh rsync-path files-from exclude-from include-from temp-dir",
    ),
    row("ssh", "pbcDLRWmOQBw", "", "iFoEIJlSe", ""),
    row("ls|ll", "w", "width", "I", "ignore")
        .glued("", "color format time sort time-style indicator-style hide"),
    row(
        "diff",
        "UCWL",
        "unified context width label",
        "xX",
        "exclude exclude-from",
    )
    .glued("", "color"),
];

/// The rows by program, each with its subcommand, or without one.
static ROWS: LazyLock<ByProgram<(&'static str, &'static Values)>> = LazyLock::new(|| {
    by_program(TABLE.iter().flat_map(|values| {
        values.names.split('|').map(move |name| {
            let (program, subcommand) = name.split_once(' ').unwrap_or((name, ""));
            (program, (subcommand, values))
        })
    }))
});

/// The row of a program, or of its subcommand.
pub(super) fn values_of(program: &str, subcommand: &str) -> Option<&'static Values> {
    let rows = ROWS.get(program)?;
    let found = rows
        .iter()
        .find(|(name, _)| name.is_empty() || *name == subcommand);
    found.map(|(_, values)| *values)
}

/// Data of curl: letters and long names whose value may name a file.
pub(super) const CURL_DATA: (&str, &str) = (
    "dHw",
    "data data-ascii data-binary data-urlencode json url-query header write-out data-raw",
);

/// Whether the value of such an option of curl names a file.
pub(super) fn curl_reads(name: &str, value: &str) -> bool {
    match name {
        "data-raw" => false,
        // `name@file`, and `name=content`.
        "data-urlencode" | "url-query" => value
            .find(['@', '='])
            .is_some_and(|at| value.get(at..).is_some_and(|rest| rest.starts_with('@'))),
        _ => value.starts_with('@'),
    }
}

/// Tests of find whose value is a pattern.
pub(super) const FIND_PATTERNS: &str =
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname";

/// Tests of find whose value is never a path.
pub(super) const FIND_TEXTS: &str = "-type -xtype -printf -regextype -perm -size -user -group \
    -uid -gid -mtime -mmin \
    -atime -amin -ctime -cmin -maxdepth -mindepth -links -inum -fstype -newermt";

/// Options of `docker run`, `create` and `exec`, and of `docker compose run`: letters and long names with a value.
pub(super) const CONTAINER: Grammar = Grammar {
    short: "eavwuplhmc",
    glued: "",
    flags: "ditTPqD",
    long: "env volume workdir user publish name network mount env-file label label-file \
           entrypoint hostname cpus memory \
           platform gpus restart add-host cap-add \
           cap-drop device dns dns-option dns-search ipc log-driver log-opt pid \
           \
           shm-size tmpfs ulimit security-opt cidfile pull stop-signal stop-timeout userns uts \
           cgroupns cgroup-parent \
           annotation attach blkio-weight cpu-count \
           cpu-percent cpu-period cpu-quota cpu-rt-period cpu-rt-runtime \
           \
           cpu-shares cpuset-cpus cpuset-mems detach-keys device-cgroup-rule device-read-bps \
           device-read-iops \
           device-write-bps device-write-iops domainname expose \
           group-add health-cmd health-interval health-retries \
           health-start-period health-timeout ip ip6 isolation kernel-memory link link-local-ip mac-address \
           memory-reservation memory-swap memory-swappiness network-alias oom-score-adj pids-limit runtime storage-opt \
           sysctl volume-driver volumes-from index secret pod arch os variant systemd tz umask env-from-file net",
    long_flags: "detach interactive tty rm init privileged read-only publish-all no-healthcheck \
                 disable-content-trust oom-kill-disable sig-proxy quiet no-tty no-TTY no-deps \
                 service-ports use-aliases \
                 build quiet-pull remove-orphans replace rmi use-api-socket help latest no-hosts",
    is_closed: true,
    stops: true,
};
