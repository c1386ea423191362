//! The gates `path` and `external_directory`, and path aliases on a tool's own surface (pages 2.3 to 2.6, 2b.5).

use permc_runtime::{Action, Decision as Answer, Layer, RuleView, Session, is_path_surface, trim};

use crate::bash::is_specific;
use crate::decide::Gates;
use crate::decision::Gate;
use crate::files::Files;
use crate::overlap::covers;
use crate::path::{self, Aliases, Piece, Place};
use crate::shell::{Analysis, PathKind, PathWord};
use crate::suggest;

/// What the path gates say about a call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Looked<'a> {
    /// The strictest answer of surface `path`, where it has one.
    pub(crate) path: Option<Gate<'a>>,
    /// The strictest answer of surface `external_directory`.
    pub(crate) external: Option<Gate<'a>>,
    pub(crate) suggestions: Vec<(String, String)>,
    /// What the call touches, for the model's tier; nothing where the policy has none.
    pub(crate) resources: Vec<Resource>,
}

/// Something that a call touches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    /// The absolute path.
    pub(crate) path: String,
    pub(crate) access: Access,
}

/// How it is touched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// By the tool itself, or read by a command.
    Read,
    /// Written by a redirection.
    Write,
    /// A command runs there.
    Execute,
    /// Perhaps read: a bare word, which counts where a row speaks of it in particular.
    Bare,
}

/// Asks the policy about paths.
pub(crate) struct Paths<'a, 'c> {
    gates: &'a Gates<'a>,
    place: Place<'c>,
    session: &'a Session,
}

/// How a word's place is touched.
const fn access_of(kind: PathKind, is_write: bool) -> Access {
    match kind {
        PathKind::Candidate if is_write => Access::Write,
        PathKind::Candidate => Access::Read,
        PathKind::Bare | PathKind::Part => Access::Bare,
    }
}

/// Most hits of a glob that are asked one by one.
const MOST_HITS: usize = 1_000;

impl<'a, 'c> Paths<'a, 'c> {
    pub(crate) fn new(
        gates: &'a Gates<'a>,
        cwd: &'c str,
        files: &'c dyn Files,
        session: &'a Session,
    ) -> Self
    where
        'a: 'c,
    {
        let place = Place {
            cwd,
            home: gates.bound().home(),
            files,
            fold: gates.bound().is_folding(),
            windows: gates.reads_windows_paths(),
        };
        Self {
            gates,
            place,
            session,
        }
    }

    /// The aliases of a tool's path.
    pub(crate) fn values(&self, text: &str) -> Vec<String> {
        let aliases = path::aliases(text, &self.place);
        let values = aliases.iter().flat_map(Aliases::values);
        values.map(str::to_owned).collect()
    }

    /// The aliases of a word that is resolved against another directory.
    pub(crate) fn values_at(&self, text: &str, base: &str) -> Vec<String> {
        let aliases = path::aliases_at(text, base, &self.place);
        let values = aliases.iter().flat_map(Aliases::values);
        values.map(str::to_owned).collect()
    }

    /// The working directory of the call.
    pub(crate) const fn cwd(&self) -> &'c str {
        self.place.cwd
    }

    pub(crate) fn is_infrastructure(&self, text: &str, patterns: &[&str]) -> bool {
        let aliases = path::aliases(text, &self.place);
        aliases
            .is_some_and(|aliases| crate::call::is_infrastructure(&aliases, patterns, &self.place))
    }

    /// The gate of a tool's own surface.
    pub(crate) fn own_surface(&self, tool: &str, values: &[String], value: String) -> Gate<'a> {
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        self.check(tool, &values, &value)
    }

    /// The path of a tool call: both gates.
    pub(crate) fn look_at_tool_path(
        &self,
        text: &str,
        is_infrastructure: bool,
        looked: &mut Looked<'a>,
    ) {
        let Some(aliases) = path::aliases(text, &self.place) else {
            return;
        };
        self.path_gate(&aliases.values(), trim(text), PathKind::Candidate, looked);
        if path::is_outside(&aliases, &self.place) {
            let gate = self.check("external_directory", &aliases.values(), trim(text));
            let is_denied = gate.state == Action::Deny && gate.is_specific();
            if !is_infrastructure || is_denied {
                self.take_external(gate, &aliases.absolute, looked);
            }
        }
        self.touch(aliases.places(), Access::Read, looked);
    }

    /// Notes what is touched, for the model's tier. The devices that page 2.3 never counts as outside are none of its
    /// concern: `2>/dev/null` writes nothing.
    fn touch<'t>(
        &self,
        places: impl Iterator<Item = &'t str>,
        access: Access,
        looked: &mut Looked<'a>,
    ) {
        if !self.gates.bound().has_tiers() {
            return;
        }
        for path in places.filter(|path| !path::is_device(path)) {
            let resource = Resource {
                path: path.to_owned(),
                access,
            };
            if !looked.resources.contains(&resource) {
                looked.resources.push(resource);
            }
        }
    }

    /// Notes something whose place only run time knows: it is judged as if it were in no folder that a row names.
    fn touch_unplaced(&self, text: &str, access: Access, looked: &mut Looked<'a>) {
        let path = format!("/{text}");
        self.touch(std::iter::once(path.as_str()), access, looked);
    }

    /// The directories in which a command runs.
    pub(crate) fn look_at_directories(
        &self,
        analysis: &Analysis,
        start: &str,
        looked: &mut Looked<'a>,
    ) {
        if !self.gates.bound().has_tiers() {
            return;
        }
        let directories =
            std::iter::once(start).chain(analysis.directories.iter().map(String::as_str));
        for directory in directories {
            if let Some(aliases) = path::aliases(directory, &self.place) {
                self.touch(aliases.places(), Access::Execute, looked);
            }
        }
        if analysis.runs_anywhere {
            self.touch_unplaced("\u{FFFD}", Access::Execute, looked);
        }
    }

    /// A path that is an argument of a shell tool: its working directory.
    pub(crate) fn look_at_argument(&self, text: &str, looked: &mut Looked<'a>) {
        self.look_at_tool_path(text, false, looked);
    }

    /// A text that counts only where a rule of surface `path` denies.
    pub(crate) fn look_for_denies(&self, text: &str, looked: &mut Looked<'a>) {
        if let Some(aliases) = path::aliases(text, &self.place) {
            self.path_gate(&aliases.values(), trim(text), PathKind::Part, looked);
        }
    }

    /// A word of a command.
    pub(crate) fn look_at(&self, word: &PathWord, looked: &mut Looked<'a>) {
        if word.is_unknown_place {
            let value = word.text.as_str();
            if word.kind == PathKind::Candidate {
                let gate = self.check("external_directory", &[value], value);
                self.take_external(gate, value, looked);
            }
            self.path_gate(&[value], value, word.kind, looked);
            self.touch_unplaced(value, access_of(word.kind, word.is_write), looked);
            return;
        }
        if word.wilds.iter().any(|(_, _, kind)| *kind > 0) {
            self.look_at_glob(word, looked);
        }
        if word.is_base_open || word.bases.is_empty() {
            self.look_at_unplaced(word, looked);
        }
        for base in word.bases.iter() {
            let Some(aliases) = path::aliases_at(&word.text, base, &self.place) else {
                continue;
            };
            self.look_at_aliases(&aliases, word, looked);
        }
    }

    /// An operand of letters, digits, `-`, `_`, `.` and `/` that may be a path.
    pub(crate) fn look_at_operand(&self, text: &str, looked: &mut Looked<'a>) {
        let is_bare = !text.contains('/') && !text.starts_with('.');
        if is_bare && !self.place.files.is_real() {
            // A name in the working directory has two aliases, and nothing more is asked about it.
            let absolute = crate::text::absolute(text, self.place.cwd, None);
            self.path_gate(&[&absolute, text], text, PathKind::Bare, looked);
            self.touch(std::iter::once(absolute.as_str()), Access::Bare, looked);
            return;
        }
        let kind = if is_bare || text == "." {
            PathKind::Bare
        } else {
            PathKind::Candidate
        };
        if let Some(aliases) = path::aliases(text, &self.place) {
            self.look_at_place(&aliases, (text, kind, false), looked);
        }
    }

    fn look_at_aliases(&self, aliases: &Aliases, word: &PathWord, looked: &mut Looked<'a>) {
        self.look_at_place(aliases, (&word.text, word.kind, word.is_write), looked);
    }

    /// A word's text, why it is looked at and whether it is written to, at one place.
    fn look_at_place(
        &self,
        aliases: &Aliases,
        (text, kind, is_write): (&str, PathKind, bool),
        looked: &mut Looked<'a>,
    ) {
        let values = aliases.values();
        self.path_gate(&values, text, kind, looked);
        if kind == PathKind::Candidate && path::is_outside(aliases, &self.place) {
            let gate = self.check("external_directory", &values, text);
            self.take_external(gate, &aliases.absolute, looked);
        }
        self.touch(aliases.places(), access_of(kind, is_write), looked);
    }

    /// A word whose base only run time knows: absolute ones as ever, `..` is outside, of the others only the text counts.
    fn look_at_unplaced(&self, word: &PathWord, looked: &mut Looked<'a>) {
        let text = word.text.as_str();
        if text.starts_with('/') || text.starts_with('~') || text.starts_with("file:") {
            if let Some(aliases) = path::aliases(text, &self.place) {
                self.look_at_aliases(&aliases, word, looked);
            }
            return;
        }
        self.path_gate(&[text], text, word.kind, looked);
        self.touch_unplaced(text, access_of(word.kind, word.is_write), looked);
        if word.kind == PathKind::Candidate && text.split('/').any(|part| part == "..") {
            let gate = self.check("external_directory", &[text], text);
            self.take_external(gate, text, looked);
        }
    }

    /// A glob: what it hits where files can be looked at, else whatever a deny could share with it asks.
    fn look_at_glob(&self, word: &PathWord, looked: &mut Looked<'a>) {
        let pieces = pieces(word);
        if self.place.files.is_real() && !word.bases.is_empty() && !word.is_base_open {
            let mut all = Vec::new();
            let mut is_whole = true;
            for base in word.bases.iter() {
                match path::expand_glob(&pieces, base, &self.place) {
                    Some(hits) => all.extend(hits),
                    None => is_whole = false,
                }
            }
            for hit in all.iter().take(MOST_HITS) {
                if let Some(aliases) = path::aliases(hit, &self.place) {
                    self.look_at_aliases(&aliases, word, looked);
                }
            }
            if is_whole && all.len() <= MOST_HITS {
                return;
            }
        }
        self.look_at_overlaps(word, &pieces, looked);
    }

    /// A glob of a search tool, which counts at any depth: whatever a deny could share with it asks.
    pub(crate) fn look_at_search(&self, text: &str, looked: &mut Looked<'a>) {
        let word = PathWord::of_glob(text, self.place.cwd);
        if !word.wilds.is_empty() {
            self.look_at_overlaps(&word, &pieces(&word), looked);
        }
    }

    fn look_at_overlaps(&self, word: &PathWord, pieces: &[Piece<'_>], looked: &mut Looked<'a>) {
        let is_everyday = is_everyday_glob(word);
        for spelling in self.spellings(pieces, word) {
            let as_pattern = pattern_of(&spelling);
            let rules = self.gates.path_rules();
            let overlapped = rules.iter().enumerate().find(|(rank, known)| {
                let rule = &known.rule;
                let is_candidate = rule.action == Action::Deny
                    && rule.pattern != "*"
                    && (!is_everyday || rule.pattern.contains('/'));
                if !is_candidate {
                    return false;
                }
                let later = rules.get(rank.saturating_add(1)..).unwrap_or_default();
                path::glob_overlaps(&spelling, &known.pattern, self.place.fold)
                    && !later.iter().any(|later| {
                        later.rule.action != Action::Deny && covers(&later.pattern, &as_pattern)
                    })
            });
            if let Some((_, known)) = overlapped
                && !self.is_granted("path", &word.text)
            {
                let gate = self.asking(&known.rule, &word.text);
                self.take_path(gate, &word.text, looked);
                return;
            }
        }
    }

    /// The glob as it stands, absolute, and relative to the working directory.
    fn spellings<'w>(&self, pieces: &[Piece<'w>], word: &'w PathWord) -> Vec<Vec<Piece<'w>>> {
        let mut spellings = vec![pieces.to_vec()];
        for (prefix, rest) in path::glob_places(pieces, &word.bases, &self.place) {
            let mut whole = vec![Piece::Owned(prefix)];
            whole.extend(rest);
            spellings.push(whole);
        }
        spellings
    }

    fn is_granted(&self, surface: &str, text: &str) -> bool {
        self.session.rules().any(|(of, pattern)| {
            permc_runtime::name_matches(of, surface, false) && self.gates.matches(pattern, text)
        })
    }

    fn asking(&self, rule: &RuleView<'a>, text: &str) -> Gate<'a> {
        let mut gate = self.gates.gate_of_rule(rule, text.to_owned());
        gate.gate = std::borrow::Cow::Borrowed("path");
        gate.state = Action::Ask;
        gate.source = permc_runtime::Source::Special;
        gate
    }

    /// The gate `path`: no effect where it allows or where only the default matched.
    fn path_gate(&self, values: &[&str], text: &str, kind: PathKind, looked: &mut Looked<'a>) {
        let answer = self.answer("path", values);
        let counts = answer.state != Action::Allow
            && match kind {
                PathKind::Candidate => answer.layer != Layer::Default,
                PathKind::Bare => is_specific(&answer),
                PathKind::Part => is_specific(&answer) && answer.state == Action::Deny,
            };
        if counts {
            let gate = Gate::of("path", &answer, text.to_owned());
            self.take_path(gate, values.first().copied().unwrap_or(text), looked);
        }
    }

    fn take_path(&self, gate: Gate<'a>, value: &str, looked: &mut Looked<'a>) {
        suggest_for("path", &gate, (value, self.place.home), looked);
        if looked
            .path
            .as_ref()
            .is_none_or(|known| gate.state > known.state)
        {
            looked.path = Some(gate);
        }
    }

    fn take_external(&self, gate: Gate<'a>, value: &str, looked: &mut Looked<'a>) {
        let named = (value, self.place.home);
        suggest_for("external_directory", &gate, named, looked);
        if looked
            .external
            .as_ref()
            .is_none_or(|known| gate.state > known.state)
        {
            looked.external = Some(gate);
        }
    }

    /// The gate of a surface for a path's aliases.
    fn check(&self, surface: &str, values: &[&str], text: &str) -> Gate<'a> {
        Gate::of(surface, &self.answer(surface, values), text.to_owned())
    }

    /// One check. A spelling that turns back, `a/../b`, may be what a rule stops, never what a rule allows: `a/*` does
    /// not mean `a/../../etc`.
    fn answer(&self, surface: &str, values: &[&str]) -> Answer<'a> {
        let answer = self.answer_all(surface, values);
        if !values.iter().any(|value| value.contains("..")) {
            return answer;
        }
        let straight: Vec<&str> = values
            .iter()
            .copied()
            .filter(|value| !path::turns_back(value, self.place.fold))
            .collect();
        if straight.is_empty() || straight.len() == values.len() {
            return answer;
        }
        let narrow = self.answer_all(surface, &straight);
        if narrow.state > answer.state {
            narrow
        } else {
            answer
        }
    }

    /// All values; a deny `D/*` also covers `D` itself, unless a later rule allows `D`.
    fn answer_all(&self, surface: &str, values: &[&str]) -> Answer<'a> {
        let bound = self.gates.bound();
        let answer = bound.check(surface, values, self.session);
        if answer.state == Action::Deny
            || answer.layer == Layer::Session
            || values.is_empty()
            || !is_path_surface(surface)
            || (surface == "path" && !self.gates.denies_directory(values, self.place.fold))
        {
            return answer;
        }
        let below: Vec<String> = values
            .iter()
            .filter(|value| !value.ends_with('/'))
            .map(|value| format!("{value}/"))
            .collect();
        let mut both = values.to_vec();
        both.extend(below.iter().map(String::as_str));
        let wider = bound.check(surface, &both, self.session);
        let covers_directory = wider.state == Action::Deny
            && wider
                .matched_pattern()
                .is_some_and(|pattern| pattern != "*" && pattern.ends_with("/*"));
        if covers_directory { wider } else { answer }
    }
}

fn suggest_for(
    surface: &str,
    gate: &Gate<'_>,
    (value, home): (&str, Option<&str>),
    looked: &mut Looked<'_>,
) {
    if gate.state != Action::Ask {
        return;
    }
    if let Some((_, pattern)) = suggest::for_gate(surface, value, home) {
        let suggestion = (surface.to_owned(), pattern);
        if !looked.suggestions.contains(&suggestion) {
            looked.suggestions.push(suggestion);
        }
    }
}

/// The pieces of a glob word.
fn pieces(word: &PathWord) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut at = 0;
    for (start, end, kind) in &word.wilds {
        let before = word.text.get(at..*start).unwrap_or_default();
        if !before.is_empty() {
            pieces.push(Piece::Literal(before));
        }
        pieces.push(match kind {
            1 => Piece::Star,
            2 => Piece::Question,
            3 => Piece::Class(word.text.get(*start..*end).unwrap_or_default()),
            _ => Piece::Any,
        });
        at = *end;
    }
    let rest = word.text.get(at..).unwrap_or_default();
    if !rest.is_empty() {
        pieces.push(Piece::Literal(rest));
    }
    pieces
}

/// The glob as a permission pattern that covers all of it.
fn pattern_of(pieces: &[Piece<'_>]) -> String {
    let mut pattern = String::new();
    for piece in pieces {
        match piece {
            Piece::Literal(text) => pattern.push_str(text),
            Piece::Owned(text) => pattern.push_str(text),
            Piece::Question | Piece::Class(_) => pattern.push('?'),
            Piece::Star | Piece::Any => pattern.push('*'),
        }
    }
    pattern
}

/// Whether every component with a wild part is `*`, `**` or `*.ext`: those count only against denies with a `/`.
fn is_everyday_glob(word: &PathWord) -> bool {
    let mut start = 0_usize;
    for component in word.text.split('/') {
        let end = start.saturating_add(component.len());
        let is_wild = word
            .wilds
            .iter()
            .any(|(at, _, kind)| *kind > 0 && (start..end).contains(at));
        let is_everyday = match component.strip_prefix('*') {
            Some("" | "*") => true,
            Some(rest) => rest.strip_prefix('.').is_some_and(|extension| {
                !extension.is_empty() && extension.chars().all(char::is_alphanumeric)
            }),
            None => false,
        };
        if is_wild && !is_everyday {
            return false;
        }
        start = end.saturating_add(1);
    }
    true
}
