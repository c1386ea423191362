//! One decision about a whole tool call: all gates first, then the strictest (page 2.6).

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use permc_runtime::{
    Action, BindError, Bound, Context, Layer, MatchContext, Origin, Policy, RuleRef, RuleView,
    Session, Source, pattern_matches, trim,
};

use crate::bash::Shell;
use crate::call::{self, Arguments, Kind};
use crate::decision::{Decision, Gate, Resolution, UnitAnswer};
use crate::files::Files;
use crate::mcp;
use crate::paths::{Looked, Paths};
use crate::shell::{self, Analysis, Setting};
use crate::suggest;
use crate::tier;

/// A tool call.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// The tool's name; blanks around it do not count.
    pub tool: &'a str,
    /// Its arguments.
    pub input: &'a dyn Arguments,
    /// The working directory, absolute.
    pub cwd: &'a str,
    /// The model that calls, as the session knows it, never out of the call itself; without it that of the context.
    pub model: Option<&'a str>,
}

impl std::fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Call")
            .field("tool", &self.tool)
            .field("cwd", &self.cwd)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

/// A policy that answers for whole tool calls.
///
/// # Example
///
/// ```no_run
/// use permc_gates::{Call, Gates, NoFiles};
/// use permc_runtime::{Context, Policy, Session};
///
/// let policy = Policy::open("policy.permc")?;
/// let gates = Gates::new(&policy, Context { home: Some("/home/dev"), ..Context::default() })?;
/// let input = [("command", "git status && rm -rf build")];
/// let call = Call { tool: "bash", input: &input.as_slice(), cwd: "/srv/app", model: None };
/// let session = Session::default();
/// let decision = gates.decide(&call, &session, &NoFiles);
/// println!("{}", decision.state.as_str());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Gates<'p> {
    bound: Bound<'p>,
    shell_rules: Vec<Known<'p>>,
    /// The shell rules whose patterns speak of operators, by rank.
    whole_rules: Vec<usize>,
    path_rules: Vec<Known<'p>>,
    /// The directories `D` of the denies `D/*` of surface `path`.
    denied_directories: Vec<Cow<'p, str>>,
    infrastructure: Vec<&'p str>,
    servers: Vec<&'p str>,
    no_session: Session,
    has_short_way: bool,
    reads_windows_paths: bool,
}

impl<'p> Gates<'p> {
    /// Binds a policy.
    ///
    /// # Errors
    ///
    /// As [`Policy::bind`]: the policy has patterns under the home directory and the context has none.
    ///
    /// # Complexity
    ///
    /// O(rules of the surfaces `bash` and `path`).
    pub fn new<D: AsRef<[u8]>>(
        policy: &'p Policy<D>,
        context: Context<'_>,
    ) -> Result<Self, BindError> {
        let bound = policy.bind(context)?;
        let known = |surface| {
            let rules = bound.rules(surface).into_iter();
            rules
                .map(|rule| Known {
                    pattern: with_home(rule.pattern, bound.home()),
                    rule,
                })
                .collect::<Vec<_>>()
        };
        let shell_rules = known("bash");
        let whole_rules = shell_rules.iter().enumerate();
        let whole_rules = whole_rules.filter(|(_, known)| speaks_of_operators(known.rule.pattern));
        let path_rules = known("path");
        let denies = path_rules
            .iter()
            .filter(|known| known.rule.action == Action::Deny);
        let denied_directories = denies.filter_map(|known| match &known.pattern {
            Cow::Borrowed(pattern) => pattern.strip_suffix("/*").map(Cow::Borrowed),
            Cow::Owned(pattern) => Some(Cow::Owned(pattern.strip_suffix("/*")?.to_owned())),
        });
        Ok(Self {
            denied_directories: denied_directories.collect(),
            whole_rules: whole_rules.map(|(rank, _)| rank).collect(),
            shell_rules,
            path_rules,
            infrastructure: bound.infrastructure_paths().collect(),
            servers: bound.servers().collect(),
            no_session: Session::default(),
            has_short_way: true,
            reads_windows_paths: false,
            bound,
        })
    }

    /// The same gates without the short way that everyday commands take: its twin, for tests and measurements. The
    /// answers are the same.
    ///
    /// # Example
    ///
    /// ```no_run
    /// use permc_gates::Gates;
    /// use permc_runtime::{Context, Policy};
    ///
    /// let policy = Policy::open("policy.permc")?;
    /// let gates = Gates::new(&policy, Context { home: Some("/home/dev"), ..Context::default() })?;
    /// let twin = gates.clone().without_short_way();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn without_short_way(mut self) -> Self {
        self.has_short_way = false;
        self
    }

    /// The same gates for a machine whose paths have drives and backslashes: `C:\\x` is absolute, `a\\b` has two parts.
    ///
    /// Rules are matched as the policy says: it must fold paths (`--fold-paths`) for `\\` and `/` to be one.
    ///
    /// # Example
    ///
    /// ```no_run
    /// use permc_gates::Gates;
    /// use permc_runtime::{Context, Policy};
    ///
    /// let policy = Policy::open("policy.permc")?;
    /// let gates = Gates::new(&policy, Context::default())?.with_windows_paths(cfg!(windows));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_windows_paths(mut self, reads_windows_paths: bool) -> Self {
        self.reads_windows_paths = reads_windows_paths;
        // The short way knows one separator.
        if reads_windows_paths {
            self.has_short_way = false;
        }
        self
    }

    pub(crate) const fn reads_windows_paths(&self) -> bool {
        self.reads_windows_paths
    }

    /// The bound policy, for single checks.
    #[must_use]
    pub const fn bound(&self) -> &Bound<'p> {
        &self.bound
    }

    pub(crate) fn shell_rules(&self) -> &[Known<'p>] {
        &self.shell_rules
    }

    /// The shell rules whose patterns speak of operators, the highest first.
    pub(crate) fn whole_rules(&self) -> impl Iterator<Item = &RuleView<'p>> {
        let ranks = self.whole_rules.iter().rev();
        ranks.filter_map(|rank| Some(&self.shell_rules.get(*rank)?.rule))
    }

    pub(crate) fn path_rules(&self) -> &[Known<'p>] {
        &self.path_rules
    }

    /// Whether one of these paths is a directory of which a rule of surface `path` denies all that is in it.
    pub(crate) fn denies_directory(&self, values: &[&str], fold: bool) -> bool {
        let context = MatchContext {
            home: self.bound.home(),
            fold,
        };
        self.denied_directories.iter().any(|directory| {
            let is_literal = !fold && !directory.contains(['*', '?']);
            values.iter().any(|value| {
                if is_literal {
                    value == directory
                } else {
                    pattern_matches(directory, value, context)
                }
            })
        })
    }

    pub(crate) const fn no_session(&self) -> &Session {
        &self.no_session
    }

    /// Decides a whole call. Never panics: a fault inside is a deny with [`Resolution::GateError`].
    ///
    /// # Complexity
    ///
    /// Linear in the call's text for each unit, path word and rule that speaks of operators.
    #[must_use]
    pub fn decide<'a>(
        &'a self,
        call: &Call<'_>,
        session: &'a Session,
        files: &dyn Files,
    ) -> Decision<'a> {
        let decide = || self.computed(call, session, files);
        catch_unwind(AssertUnwindSafe(decide)).unwrap_or_else(|_| failed())
    }

    fn computed<'a>(
        &'a self,
        call: &Call<'_>,
        session: &'a Session,
        files: &dyn Files,
    ) -> Decision<'a> {
        let tool = trim(call.tool);
        let mut found = Found {
            home: self.bound.home(),
            gates: Vec::new(),
            units: Vec::new(),
            suggestions: Vec::new(),
            looked: Looked::default(),
        };
        let paths = Paths::new(self, call.cwd, files, session);
        let kind = call::kind_of(tool, &self.bound);
        match kind {
            Kind::Shell => self.shell_call(tool, call, session, &paths, &mut found),
            kind => self.other_call(kind, tool, call, session, &paths, &mut found),
        }
        if let Some(model) = call.model.or(self.bound.model())
            && self.bound.has_tiers()
        {
            let asked = tier::asked(kind == Kind::Shell, tool, call.cwd, &found.looked);
            found.gates.extend(self.tier(model, call.cwd, &asked));
        }
        found.decision()
    }

    /// The command of a shell call, with the directory in which it starts; `None` where there is none.
    pub(crate) fn command<'c>(&self, tool: &str, call: &Call<'c>) -> Option<Command<'c>> {
        let (command_key, directory_key) = self.bound.shell_tool(tool).unwrap_or(("command", None));
        let directory = directory_key
            .and_then(|key| call.input.string(&[key]))
            .map(trim)
            .filter(|directory| !directory.is_empty());
        let text = call.input.string(&[command_key])?;
        Some(Command { text, directory })
    }

    /// The directory in which a command starts.
    fn start(&self, command: &Command<'_>, call: &Call<'_>) -> String {
        command.directory.map_or_else(
            || call.cwd.to_owned(),
            |directory| crate::text::absolute(directory, call.cwd, self.bound.home()),
        )
    }

    /// Takes a command apart.
    pub(crate) fn analysis(&self, command: &Command<'_>, call: &Call<'_>) -> Analysis {
        let start = self.start(command, call);
        let setting = Setting {
            directory: &start,
            cwd: call.cwd,
            home: self.bound.home(),
            wants_texts: !self.whole_rules.is_empty(),
            has_short_way: self.has_short_way,
        };
        shell::analyze(command.text, &setting)
    }

    fn shell_call<'a>(
        &'a self,
        tool: &str,
        call: &Call<'_>,
        session: &'a Session,
        paths: &Paths<'a, '_>,
        found: &mut Found<'a>,
    ) {
        let Some(command) = self.command(tool, call) else {
            // Nothing to read: ask, whatever the rules say about an empty command.
            let checked = self.bound.check("bash", &[""], session);
            let mut gate = Gate::of("bash", &checked, String::new());
            if gate.state == Action::Allow {
                gate = gate.under(shell::Floor::Unparseable);
            }
            found.gates.push(gate);
            paths.look_at_directories(&Analysis::default(), call.cwd, &mut found.looked);
            return;
        };
        if self.has_short_way && command.directory.is_none() {
            let mut looked = Looked::default();
            if let Some(shell) = self.quick(command.text, session, paths, &mut looked) {
                paths.look_at_directories(&Analysis::default(), call.cwd, &mut looked);
                found.take_shell(shell, looked);
                return;
            }
        }
        let analysis = self.analysis(&command, call);
        let mut looked = Looked::default();
        if let Some(directory) = command.directory {
            paths.look_at_argument(directory, &mut looked);
        }
        for word in &analysis.paths {
            paths.look_at(word, &mut looked);
        }
        let start = self.start(&command, call);
        for directory in [call.cwd, &start] {
            paths.look_at_directories(&analysis, directory, &mut looked);
        }
        let shell = self.shell(command.text, &analysis, session);
        found.take_shell(shell, looked);
    }

    /// A path that is shown in a tool's argument; that of a reader may lie in the host's own directories.
    pub(crate) fn look_at_shown<'a>(
        &'a self,
        tool: &str,
        path: &str,
        paths: &Paths<'a, '_>,
        looked: &mut Looked<'a>,
    ) {
        let is_reader = matches!(tool, "read" | "find" | "grep" | "ls");
        let is_infrastructure = is_reader && paths.is_infrastructure(path, &self.infrastructure);
        paths.look_at_tool_path(path, is_infrastructure, looked);
    }

    fn other_call<'a>(
        &'a self,
        kind: Kind,
        tool: &str,
        call: &Call<'_>,
        session: &'a Session,
        paths: &Paths<'a, '_>,
        found: &mut Found<'a>,
    ) {
        let shown: Vec<&str> = call::path_arguments(kind, call.input).collect();
        let mut looked = Looked::default();
        for path in &shown {
            self.look_at_shown(tool, path, paths, &mut looked);
        }
        for extra in call::extra_paths(kind, call.input) {
            paths.look_for_denies(&extra, &mut looked);
        }
        for pattern in call::search_patterns(call.input) {
            paths.look_at_search(pattern, &mut looked);
        }
        found.take_paths(&looked);
        let mut own = match kind {
            Kind::Path => {
                // Of several the strictest, the first on ties.
                let gates = shown
                    .iter()
                    .map(|path| paths.own_surface(tool, &paths.values(path), (*path).to_owned()));
                gates
                    .reduce(|strictest, gate| {
                        if gate.state > strictest.state {
                            gate
                        } else {
                            strictest
                        }
                    })
                    .unwrap_or_else(|| paths.own_surface(tool, &[], "*".to_owned()))
            }
            _ => {
                let input = Flat(call.input);
                let query = self.bound.normalize(tool, &input);
                let values: Vec<&str> = query.values.iter().map(AsRef::as_ref).collect();
                let checked = self.bound.check(query.surface, &values, session);
                let value = checked.value.and_then(|index| values.get(index));
                let value = value.copied().unwrap_or("*").to_owned();
                Gate::of(query.surface, &checked, value)
            }
        };
        if kind == Kind::Mcp {
            own = self.stricter_target(own, call.input, session);
        }
        if let Some((server, name)) = mcp::host_native(tool, &self.servers) {
            let input = [("server", server.as_str()), ("tool", name.as_str())];
            let targets = permc_runtime::mcp_targets(&input.as_slice(), &self.servers);
            let values: Vec<&str> = targets.iter().map(String::as_str).collect();
            let checked = self.bound.check("mcp", &values, session);
            let value = checked
                .value
                .and_then(|index| values.get(index))
                .copied()
                .unwrap_or("mcp");
            let base = Gate::of("mcp", &checked, value.to_owned());
            let gate = self.stricter_target(base, &input.as_slice(), session);
            if gate.layer != Layer::Default && gate.state > own.state {
                found.suggest(&own);
                found.gates.push(own);
                own = gate;
            }
        }
        found.suggest(&own);
        found.gates.push(own);
        found.looked = looked;
    }

    /// Each candidate of an MCP call also alone: a specific ask or deny joins.
    fn stricter_target<'a>(
        &'a self,
        base: Gate<'a>,
        input: &dyn Arguments,
        session: &'a Session,
    ) -> Gate<'a> {
        let flat = Flat(input);
        let mut targets = permc_runtime::mcp_targets(&flat, &self.servers);
        targets.extend(mcp::extra_targets(input, &self.servers));
        let mut strictest = base;
        for target in targets {
            let checked = self.bound.check("mcp", &[&target], session);
            let gate = Gate::of("mcp", &checked, target.clone());
            if gate.state > strictest.state && gate.is_specific() {
                strictest = gate;
            }
        }
        strictest
    }

    /// A gate in which a rule of the policy decides that was found without a check.
    pub(crate) fn gate_of_rule<'a>(&'a self, rule: &RuleView<'p>, value: String) -> Gate<'a> {
        let reference = rule.file.map(|file| RuleRef {
            id: rule.id,
            file,
            line: rule.line,
            column: rule.column,
        });
        let is_forgiven = rule.action == Action::Ask && self.bound.is_yolo();
        Gate {
            gate: Cow::Borrowed("bash"),
            state: if is_forgiven {
                Action::Allow
            } else {
                rule.action
            },
            matched_pattern: Some(rule.pattern),
            value,
            source: Source::Bash,
            origin: if is_forgiven {
                Origin::Yolo
            } else {
                rule.origin
            },
            layer: rule.layer,
            reason: rule.reason,
            rule: reference,
            floor: None,
            surrounding: None,
            is_fault: false,
        }
    }
}

/// The command of a shell call.
pub(crate) struct Command<'c> {
    pub(crate) text: &'c str,
    /// The directory that an argument names.
    pub(crate) directory: Option<&'c str>,
}

/// A rule that can win, with the home that its pattern means put in.
#[derive(Clone, Debug)]
pub(crate) struct Known<'p> {
    pub(crate) rule: RuleView<'p>,
    pub(crate) pattern: Cow<'p, str>,
}

/// A pattern with the home that it means put in.
fn with_home<'p>(pattern: &'p str, home: Option<&str>) -> Cow<'p, str> {
    match (permc_runtime::home_suffix(pattern), home) {
        (Some(rest), Some(home)) => Cow::Owned(format!("{home}{rest}")),
        _ => Cow::Borrowed(pattern),
    }
}

/// Whether a pattern is about more than one command (page 2b, b.4 item 7).
pub(crate) fn speaks_of_operators(pattern: &str) -> bool {
    pattern.contains(['|', '&', ';', '<', '>', '(', '\n'])
}

/// The gates that a call met.
struct Found<'a> {
    home: Option<&'a str>,
    gates: Vec<Gate<'a>>,
    units: Vec<UnitAnswer<'a>>,
    suggestions: Vec<(String, String)>,
    looked: Looked<'a>,
}

impl<'a> Found<'a> {
    fn take_paths(&mut self, looked: &Looked<'a>) {
        self.gates.extend(looked.path.clone());
        self.gates.extend(looked.external.clone());
        self.suggestions.extend(looked.suggestions.iter().cloned());
    }

    fn take_shell(&mut self, shell: Shell<'a>, looked: Looked<'a>) {
        self.take_paths(&looked);
        self.gates.push(shell.gate);
        self.units = shell.units;
        self.suggestions.extend(shell.suggestions);
        self.looked = looked;
    }

    fn suggest(&mut self, gate: &Gate<'a>) {
        if gate.state == Action::Ask
            && let Some(suggestion) = suggest::for_gate(&gate.gate, &gate.value, self.home)
        {
            self.suggestions.push(suggestion);
        }
    }

    fn decision(self) -> Decision<'a> {
        let state = self.gates.iter().map(|gate| gate.state).max();
        let resolution = if self.gates.iter().any(|gate| gate.is_fault) {
            Resolution::GateError
        } else {
            Resolution::Policy
        };
        let is_denied = state.is_none_or(|state| state == Action::Deny);
        Decision {
            // A call always has the gate of its own surface; without one nothing was decided.
            state: state.unwrap_or(Action::Deny),
            gates: self.gates,
            units: self.units,
            // Nobody is asked about a deny.
            suggestions: if is_denied {
                Vec::new()
            } else {
                self.suggestions
            },
            resolution,
        }
    }
}

/// The deny of a call that could not be decided.
fn failed<'a>() -> Decision<'a> {
    Decision {
        state: Action::Deny,
        gates: Vec::new(),
        units: Vec::new(),
        suggestions: Vec::new(),
        resolution: Resolution::GateError,
    }
}

/// Arguments as the runtime reads them: top level only.
struct Flat<'a>(&'a dyn Arguments);

impl permc_runtime::ToolInput for Flat<'_> {
    fn string(&self, key: &str) -> Option<&str> {
        self.0.string(&[key])
    }
}
