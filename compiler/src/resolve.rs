//! Scopes merged, layers composed: from documents to one ordered list a view (pages 1.4 and 1.5).

use std::collections::{BTreeSet, HashMap};

use permc_runtime::{Action, Layer, Origin};

use crate::config::{self, PolicyDocument, ProviderPermissions, SurfaceValue};
use crate::diagnostic::{Code, Diagnostic};
use crate::options::Options;
use crate::parse::{Body, Parsed, ParsedDocument};
use crate::rule::{
    Delegation, ResolvedPolicy, Rule, ShellTool, Tier, TierRow, Tiers, View, Writing, Written,
};
use crate::source_map::{FileId, Location, Role};

/// The MCP targets that an allow about MCP brings with it, below the configuration.
const BASELINE: [&str; 5] = [
    "mcp_status",
    "mcp_list",
    "mcp_search",
    "mcp_describe",
    "mcp_connect",
];

/// Merges the documents of all scopes. Broken documents take no part; what they clamp is up to `options`.
///
/// # Complexity
///
/// O(agents x rules).
pub(crate) fn resolve(parsed: &Parsed, options: &Options) -> (ResolvedPolicy, Vec<Diagnostic>) {
    let mut diagnostics = Vec::new();
    let global = policy_document(parsed, |role| *role == Role::Global);
    let project = policy_document(parsed, |role| *role == Role::Project);
    let mut base = Merge::default();
    if let Some((file, document)) = global {
        base.apply(file, document, Origin::Global, None);
    }
    if let Some((file, document)) = project {
        base.apply(file, document, Origin::Project, None);
    }
    let session = session_rules(parsed);
    let project_broken = is_broken(parsed, |role| *role == Role::Project);
    let mut composer = Composer {
        rules: Vec::new(),
        ids: HashMap::new(),
        session: &session,
    };
    let mut views = vec![composer.view(None, &base, project_broken)];
    for agent in agents(parsed) {
        let mut merge = base.clone();
        let scopes = [
            (Role::Agent(agent.to_owned()), Origin::Agent),
            (Role::ProjectAgent(agent.to_owned()), Origin::ProjectAgent),
        ];
        let mut broken = project_broken;
        for (role, origin) in scopes {
            broken |= is_broken(parsed, |known| *known == role);
            if let Some((file, document)) = policy_document(parsed, |known| *known == role) {
                merge.apply(file, document, origin, Some(agent));
            }
        }
        views.push(composer.view(Some(agent), &merge, broken));
    }
    let shell_tools = shell_tools([global, project], &mut diagnostics);
    let documents = [global, project].into_iter().flatten();
    let infrastructure_paths = documents
        .flat_map(|(_, document)| &document.infrastructure_paths)
        .map(|path| path.value.clone())
        .collect();
    let global_document = global.map(|(_, document)| document);
    let project_document = project.map(|(_, document)| document);
    let yolo = |document: Option<&PolicyDocument>| {
        document
            .and_then(|document| document.yolo_mode.as_ref())
            .map(|yolo| yolo.value)
    };
    let policy = ResolvedPolicy {
        rules: composer.rules,
        views,
        servers: servers(parsed),
        shell_tools,
        infrastructure_paths,
        authorizer_chain: global_document
            .and_then(|document| document.authorizer_chain.as_ref())
            .map(|chain| chain.iter().map(|name| name.value.clone()).collect())
            .unwrap_or_default(),
        // A broken project document may have held exclusions: without it no link may allow.
        delegation: delegation(global_document, project_document).filter(|_| !project_broken),
        // A project can only take yolo mode away.
        yolo: yolo(global_document).unwrap_or(false) && yolo(project_document).unwrap_or(true),
        tiers: tiers(parsed, global_document, project),
        fold_paths: options.fold_paths,
    };
    (policy, diagnostics)
}

fn policy_document(
    parsed: &Parsed,
    has_role: impl Fn(&Role) -> bool,
) -> Option<(FileId, &PolicyDocument)> {
    parsed
        .documents
        .iter()
        .filter(|document| !document.broken && has_role(&document.role))
        .find_map(|document| match &document.body {
            Body::Policy(policy) => Some((document.file, policy)),
            _ => None,
        })
}

fn is_broken(parsed: &Parsed, has_role: impl Fn(&Role) -> bool) -> bool {
    parsed
        .documents
        .iter()
        .any(|document| document.broken && has_role(&document.role))
}

/// The known agents in order; a broken document still makes its agent known.
fn agents(parsed: &Parsed) -> BTreeSet<&str> {
    parsed
        .documents
        .iter()
        .filter_map(|document| match &document.role {
            Role::Agent(name) | Role::ProjectAgent(name) => Some(name.as_str()),
            _ => None,
        })
        .collect()
}

fn servers(parsed: &Parsed) -> Vec<String> {
    parsed
        .documents
        .iter()
        .filter_map(|document| match &document.body {
            Body::Mcp(servers) => Some(servers),
            _ => None,
        })
        .flatten()
        .map(|server| server.value.clone())
        .collect()
}

/// The compiled-in session rules; a rule that is stated again moves to the top.
fn session_rules(parsed: &Parsed) -> Vec<Rule> {
    let mut rules: Vec<Rule> = Vec::new();
    let documents = parsed.documents.iter();
    let lists = documents.filter_map(|ParsedDocument { file, body, .. }| match body {
        Body::Session(list) => Some((*file, list)),
        _ => None,
    });
    for (file, list) in lists {
        for (surface, pattern) in list {
            rules.retain(|rule| (&rule.surface, &rule.pattern) != (&surface.value, &pattern.value));
            let location = Location {
                file,
                span: pattern.span,
            };
            rules.push(Rule {
                surface: surface.value.clone(),
                pattern: pattern.value.clone(),
                action: Action::Allow,
                reason: None,
                layer: Layer::Session,
                origin: Origin::Session,
                agent: None,
                location: Some(location),
                history: vec![Writing {
                    origin: Origin::Session,
                    agent: None,
                    action: Action::Allow,
                    how: Written::New,
                    location,
                }],
            });
        }
    }
    rules
}

/// A surface and pattern while scopes are merged.
#[derive(Clone)]
struct Slot {
    pattern: String,
    action: Action,
    reason: Option<String>,
    origin: Origin,
    agent: Option<String>,
    location: Location,
    history: Vec<Writing>,
}

#[derive(Clone)]
struct Entry {
    surface: String,
    /// Whether the surface holds an action string, short for `{"*": action}`.
    shorthand: bool,
    slots: Vec<Slot>,
    /// Slot of each pattern.
    index: HashMap<String, usize>,
}

/// The `permission` of the scopes so far.
#[derive(Clone, Default)]
struct Merge {
    entries: Vec<Entry>,
    index: HashMap<String, usize>,
}

impl Merge {
    fn apply(
        &mut self,
        file: FileId,
        document: &PolicyDocument,
        origin: Origin,
        agent: Option<&str>,
    ) {
        let slot = |pattern: &str, action, reason: Option<&String>, span| Slot {
            pattern: pattern.to_owned(),
            action,
            reason: reason.cloned(),
            origin,
            agent: agent.map(str::to_owned),
            location: Location { file, span },
            history: Vec::new(),
        };
        for entry in &document.permission {
            let surface = &entry.surface;
            match &entry.value {
                SurfaceValue::Action(action) => {
                    self.replace(
                        &surface.value,
                        true,
                        vec![slot("*", action.value, None, surface.span)],
                    );
                }
                SurfaceValue::Map(patterns) => {
                    let slots: Vec<Slot> = patterns
                        .iter()
                        .map(|entry| {
                            let reason = entry.reason.as_ref().map(|reason| &reason.value);
                            slot(
                                &entry.pattern.value,
                                entry.action.value,
                                reason,
                                entry.pattern.span,
                            )
                        })
                        .collect();
                    match self.entry(&surface.value).filter(|entry| !entry.shorthand) {
                        Some(entry) => slots.into_iter().for_each(|slot| entry.restate(slot)),
                        None => self.replace(&surface.value, false, slots),
                    }
                }
            }
        }
    }

    fn entry(&mut self, surface: &str) -> Option<&mut Entry> {
        let at = *self.index.get(surface)?;
        self.entries.get_mut(at)
    }

    /// Puts a whole entry in place of what stood at the surface; the surface keeps its first position.
    fn replace(&mut self, surface: &str, shorthand: bool, slots: Vec<Slot>) {
        let mut entry = Entry {
            surface: surface.to_owned(),
            shorthand,
            slots: Vec::new(),
            index: HashMap::new(),
        };
        let old = self
            .entry(surface)
            .map(|old| std::mem::replace(old, entry.clone()));
        for mut slot in slots {
            // What explains the new slot is what stood at its pattern, or else what stood at the whole surface.
            let replaced = old
                .as_ref()
                .and_then(|old| old.slot(&slot.pattern).or(old.slots.first()));
            slot.record(replaced, Written::Replaced);
            entry.push(slot);
        }
        match self.entry(surface) {
            Some(place) => *place = entry,
            None => {
                self.index.insert(surface.to_owned(), self.entries.len());
                self.entries.push(entry);
            }
        }
    }
}

impl Entry {
    fn slot(&self, pattern: &str) -> Option<&Slot> {
        self.slots.get(*self.index.get(pattern)?)
    }

    fn push(&mut self, slot: Slot) {
        self.index.insert(slot.pattern.clone(), self.slots.len());
        self.slots.push(slot);
    }

    /// A pattern that is stated again keeps its position; a new one is appended.
    fn restate(&mut self, mut slot: Slot) {
        let known = self.index.get(&slot.pattern).copied();
        match known.and_then(|at| self.slots.get_mut(at)) {
            Some(known) => {
                slot.record(Some(known), Written::Restated);
                *known = slot;
            }
            None => {
                slot.record(None, Written::New);
                self.push(slot);
            }
        }
    }
}

impl Slot {
    fn record(&mut self, before: Option<&Slot>, how: Written) {
        let mut history = before
            .map(|before| before.history.clone())
            .unwrap_or_default();
        history.push(Writing {
            origin: self.origin,
            agent: self.agent.clone(),
            action: self.action,
            how: if history.is_empty() {
                Written::New
            } else {
                how
            },
            location: self.location,
        });
        self.history = history;
    }
}

/// Collects the composed lists; equal rules of several views are stored once.
struct Composer<'s> {
    rules: Vec<Rule>,
    ids: HashMap<Rule, u32>,
    session: &'s [Rule],
}

impl Composer<'_> {
    fn view(&mut self, agent: Option<&str>, merge: &Merge, clamped: bool) -> View {
        let mut config = Vec::new();
        let mut default = builtin("*", "*", Action::Ask, Layer::Default, Origin::Builtin);
        for entry in &merge.entries {
            for slot in &entry.slots {
                let layer = if entry.surface == "*" {
                    Layer::Default
                } else {
                    Layer::Config
                };
                let rule = Rule {
                    surface: entry.surface.clone(),
                    pattern: slot.pattern.clone(),
                    action: slot.action,
                    reason: slot.reason.clone(),
                    layer,
                    origin: slot.origin,
                    agent: slot.agent.clone(),
                    location: Some(slot.location),
                    history: slot.history.clone(),
                };
                match layer {
                    Layer::Default => default = rule,
                    _ => config.push(rule),
                }
            }
        }
        let mcp_allowed = config
            .iter()
            .any(|rule| rule.surface == "mcp" && rule.action == Action::Allow);
        let baseline = BASELINE.into_iter().filter(|_| mcp_allowed).map(|target| {
            builtin(
                "mcp",
                target,
                Action::Allow,
                Layer::Baseline,
                Origin::Baseline,
            )
        });
        let composed = std::iter::once(default)
            .chain(baseline)
            .chain(config)
            .chain(self.session.iter().cloned());
        let rules = composed
            .map(|mut rule| {
                if clamped && rule.action == Action::Allow {
                    rule.action = Action::Ask;
                }
                self.intern(rule)
            })
            .collect();
        View {
            agent: agent.map(str::to_owned),
            rules,
            clamped,
        }
    }

    fn intern(&mut self, rule: Rule) -> u32 {
        if let Some(id) = self.ids.get(&rule) {
            return *id;
        }
        let id = u32::try_from(self.rules.len()).unwrap_or(u32::MAX);
        self.rules.push(rule.clone());
        self.ids.insert(rule, id);
        id
    }
}

fn builtin(surface: &str, pattern: &str, action: Action, layer: Layer, origin: Origin) -> Rule {
    Rule {
        surface: surface.to_owned(),
        pattern: pattern.to_owned(),
        action,
        reason: None,
        layer,
        origin,
        agent: None,
        location: None,
        history: Vec::new(),
    }
}

/// Global entries first; a project may add tools, never change one.
fn shell_tools(
    documents: [Option<(FileId, &PolicyDocument)>; 2],
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<ShellTool> {
    let mut tools: Vec<(ShellTool, Location)> = Vec::new();
    for (file, document) in documents.into_iter().flatten() {
        for entry in &document.shell_tools {
            let tool = ShellTool {
                tool: entry.tool.value.clone(),
                command_argument: entry.command_argument.value.clone(),
                workdir_argument: entry
                    .workdir_argument
                    .as_ref()
                    .map(|argument| argument.value.clone()),
            };
            let location = Location {
                file,
                span: entry.tool.span,
            };
            match tools.iter().find(|(known, _)| known.tool == tool.tool) {
                None => tools.push((tool, location)),
                Some((known, _)) if *known == tool => {}
                Some((_, first)) => diagnostics.push(
                    Diagnostic::new(
                        Code::SHELL_TOOL_CHANGED,
                        format!(
                            "the project changes the shell tool `{}` of the global document",
                            tool.tool
                        ),
                    )
                    .at(location, "a project may add shell tools, not change one")
                    .related(*first, "the global document says this")
                    .help("leave the entry out of the project's document, or repeat it unchanged"),
                ),
            }
        }
    }
    tools.into_iter().map(|(tool, _)| tool).collect()
}

fn delegation(
    global: Option<&PolicyDocument>,
    project: Option<&PolicyDocument>,
) -> Option<Delegation> {
    let texts = |list: &[permc_grammar::span::Spanned<String>]| -> Vec<String> {
        list.iter().map(|text| text.value.clone()).collect()
    };
    let own = global.and_then(|document| document.delegation.as_ref())?;
    let mut delegation = Delegation {
        allowed_surfaces: texts(&own.allowed_surfaces),
        excluded_surfaces: texts(&own.excluded_surfaces),
        secret_patterns: texts(&own.secret_patterns),
    };
    let more = project.and_then(|document| document.delegation.as_ref());
    for surface in more
        .map(|more| texts(&more.excluded_surfaces))
        .unwrap_or_default()
    {
        if !delegation.excluded_surfaces.contains(&surface) {
            delegation.excluded_surfaces.push(surface);
        }
    }
    Some(delegation)
}

/// The operator's tiers, of the global document or of a file of their own, with the project's rows beside theirs.
fn tiers(
    parsed: &Parsed,
    global: Option<&PolicyDocument>,
    project: Option<(FileId, &PolicyDocument)>,
) -> Tiers {
    let own_file = parsed
        .documents
        .iter()
        .find_map(|document| match &document.body {
            Body::Tiers(tiers) => Some((document.file, tiers)),
            _ => None,
        });
    let in_global = || {
        let file = parsed
            .documents
            .iter()
            .find(|document| document.role == Role::Global)?
            .file;
        Some((file, global?.tiers.as_ref()?))
    };
    let Some((file, operator)) = own_file.or_else(in_global) else {
        return Tiers::default();
    };
    let project: Option<(FileId, &ProviderPermissions)> =
        project.and_then(|(file, document)| Some((file, document.tiers.as_ref()?)));
    let index: HashMap<&str, usize> = (0..)
        .zip(&operator.tiers)
        .map(|(index, tier)| (tier.id.value.as_str(), index))
        .collect();
    let index = |id: &str| index.get(id).copied();
    let mut tiers: Vec<Tier> = operator
        .tiers
        .iter()
        .map(|tier| Tier {
            id: tier.id.value.clone(),
            label: tier.label.as_ref().map(|label| label.value.clone()),
            operator: tier_rows(file, tier),
            project: Vec::new(),
        })
        .collect();
    if let Some((file, project)) = project {
        for more in &project.tiers {
            if let Some(tier) = index(&more.id.value).and_then(|at| tiers.get_mut(at)) {
                tier.project = tier_rows(file, more);
            }
        }
    }
    let mut assignments: Vec<(String, Option<usize>)> = operator
        .assignments
        .iter()
        .map(|(model, tier)| (model.value.clone(), index(&tier.value)))
        .collect();
    assignments.sort_unstable();
    Tiers {
        default: operator
            .default_tier
            .as_ref()
            .and_then(|tier| index(&tier.value)),
        tiers,
        assignments,
    }
}

fn tier_rows(file: FileId, tier: &config::Tier) -> Vec<TierRow> {
    let row = |row: &config::TierRow| TierRow {
        pattern: row.pattern.value.clone(),
        effects: row
            .effects
            .iter()
            .map(|(group, effect)| (*group, effect.value))
            .collect(),
        location: Location {
            file,
            span: row.pattern.span,
        },
    };
    tier.rows.iter().map(row).collect()
}
