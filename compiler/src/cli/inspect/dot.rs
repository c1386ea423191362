//! `--dot`: the tables of one surface as a graph in Graphviz's language.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt::Write as _;

use permc_runtime::{AutomatonView, ClassView, Contents, RowView, RuleView, StateView};

use super::super::text::{counted, grouped, place, shown, ticked};
use super::layout::{Asked, Reader};

/// Patterns of one list that a node spells out.
const MOST_LOOKED_AT: usize = 6;

/// Ranges of bytes that one edge spells out.
const MOST_RANGES: usize = 16;

/// Bytes of a run that a node spells out.
const MOST_OF_RUN: usize = 80;

/// What a graph is about.
pub(super) struct Graph<'a> {
    pub(super) contents: Contents<'a>,
    pub(super) class: ClassView<'a>,
    pub(super) surface: &'a str,
    pub(super) agent: Option<&'a str>,
    /// Nodes after which drawing stops.
    pub(super) limit: usize,
}

/// What was drawn.
pub(super) struct Drawn {
    pub(super) text: String,
    /// States of all tables that were left out because of the limit; 0 where everything is there.
    pub(super) n_left_out: usize,
}

impl<'a> Graph<'a> {
    /// Draws the tables that answer for the surface, in the order in which they are asked.
    pub(super) fn draw(&self, reader: &mut Reader<'a>) -> Drawn {
        let rules = reader.rules_of(&self.class);
        let mut text = String::from("digraph permc {\n");
        let view = self.agent.map_or_else(
            || "the base view".to_owned(),
            |agent| format!("the agent {}", ticked(agent)),
        );
        let title = format!(
            "surface {} for {view}\nA dashed edge stands for all other bytes. A dotted edge: all other bytes go where \
             they go from its end.\nWhere no edge leads on, no rule can win any more. A double circle: the walk \
             is over.",
            ticked(self.surface)
        );
        let _ = writeln!(
            text,
            "  graph [rankdir=LR, labelloc=t, label={}];",
            quoted(&title)
        );
        text.push_str("  node [shape=box, style=rounded, fontname=monospace];\n");
        text.push_str("  edge [fontname=monospace];\n");
        let mut left = self.limit;
        let mut n_left_out = 0_usize;
        let asked = reader.asked(&self.class);
        let is_asked = |asked: &&Asked<'_>| {
            let guard = asked.group.guard;
            guard.is_none_or(|guard| permc_runtime::name_matches(guard, self.surface, false))
        };
        for (number, asked) in asked.iter().filter(is_asked).enumerate() {
            let Some(automaton) = self.contents.automaton(asked.group.table) else {
                continue;
            };
            let mut cluster = Cluster {
                number,
                automaton: &automaton,
                contents: &self.contents,
                rules: &rules,
                nodes: Vec::new(),
                ids: HashMap::new(),
                text: String::new(),
            };
            let n_waiting = cluster.find(left);
            left = left.saturating_sub(cluster.nodes.len());
            cluster.draw(asked);
            if n_waiting > 0 {
                let drawn = cluster.nodes.iter().map(Node::n_states).sum();
                let [dense, delta, _, inside] = automaton.n_rows();
                let n_states = dense.saturating_add(delta).saturating_add(inside);
                n_left_out = n_left_out.saturating_add(n_states.saturating_sub(drawn).max(1));
                cluster.note(&format!(
                    "{} of {} states are drawn, those nearest to the start; --dot-limit draws more",
                    grouped(drawn),
                    grouped(n_states)
                ));
            }
            text.push_str(&cluster.text);
            text.push_str("  }\n");
        }
        text.push_str("}\n");
        Drawn { text, n_left_out }
    }
}

/// One table's part of the graph.
struct Cluster<'g, 'a> {
    number: usize,
    automaton: &'g AutomatonView<'a>,
    contents: &'g Contents<'a>,
    rules: &'g [RuleView<'a>],
    nodes: Vec<Node>,
    ids: HashMap<StateView, usize>,
    text: String,
}

/// A state, or a run of bytes as one node.
struct Node {
    state: StateView,
    /// The bytes of a run.
    run: Vec<u8>,
    edges: Edges,
}

impl Node {
    fn n_states(&self) -> usize {
        self.run.len().max(1)
    }
}

/// Where a node leads.
#[derive(Default)]
struct Edges {
    /// The target of the whole run.
    behind: Option<StateView>,
    /// Bytes by target.
    own: BTreeMap<StateView, BTreeSet<u8>>,
    /// Where all other bytes go.
    rest: Option<StateView>,
    /// The state from which all other bytes go as they go from here.
    same_as: Option<StateView>,
}

impl Edges {
    fn targets(&self) -> impl Iterator<Item = StateView> {
        let own = self.own.keys().copied();
        let others = [self.behind, self.rest, self.same_as];
        own.chain(others.into_iter().flatten())
    }
}

impl<'a> Cluster<'_, 'a> {
    /// Finds up to `most` nodes, breadth first; how many are known but left out.
    fn find(&mut self, most: usize) -> usize {
        let mut queue = VecDeque::from([self.automaton.start()]);
        queue.extend(self.automaton.home_start());
        let mut known: BTreeSet<StateView> = queue.iter().copied().collect();
        while let Some(state) = queue.pop_front() {
            if self.nodes.len() >= most {
                return queue.len().saturating_add(1);
            }
            let node = self.node(state);
            for target in node.edges.targets() {
                if known.insert(target) {
                    queue.push_back(target);
                }
            }
            self.ids.insert(state, self.nodes.len());
            self.nodes.push(node);
        }
        0
    }

    fn node(&self, state: StateView) -> Node {
        let mut node = Node {
            state,
            run: Vec::new(),
            edges: Edges::default(),
        };
        if self.is_over(state) {
            return node;
        }
        if let RowView::Path(length) = self.automaton.row(state)
            && let Some((run, behind)) = self.run(state, length)
        {
            node.run = run;
            node.edges = self.edges(state, node.run.first().copied());
            self.restart(&mut node);
            node.edges.behind = self.leads_on(behind).then_some(behind);
        } else {
            node.edges = self.edges(state, None);
        }
        node
    }

    /// Adds where the first byte of a run leads from inside the run.
    fn restart(&self, node: &mut Node) {
        let mut inside = node.state;
        for byte in &node.run {
            if Some(byte) != node.run.first() {
                break;
            }
            inside = self.automaton.next(inside, *byte);
        }
        if let Some(first) = node.run.first()
            && self.automaton.row(inside) == RowView::Inside
        {
            let target = self.automaton.next(inside, *first);
            let as_from = |state| self.automaton.next(state, *first);
            let shown = node.edges.same_as.map(as_from).or(node.edges.rest);
            if shown != Some(target) && (shown.is_some() || self.leads_on(target)) {
                node.edges.own.entry(target).or_default().insert(*first);
            }
        }
    }

    /// The bytes of a run and what is behind it; a run of one byte is drawn like any other state.
    fn run(&self, state: StateView, length: usize) -> Option<(Vec<u8>, StateView)> {
        let mut run = Vec::with_capacity(length);
        let mut at = state;
        while run.len().saturating_add(1) < length {
            let byte = (0..=u8::MAX).find(|byte| {
                self.automaton.row(self.automaton.next(at, *byte)) == RowView::Inside
            })?;
            run.push(byte);
            at = self.automaton.next(at, byte);
        }
        if run.is_empty() {
            return None;
        }
        // The last byte is the one on which the place inside differs from where the run starts.
        let first = run.first().copied();
        let differs = |byte: &u8| {
            let from_start = self.automaton.next(state, *byte);
            let here = self.automaton.next(at, *byte);
            here != from_start && Some(*byte) != first
        };
        let last = (0..=u8::MAX).find(differs).or(first)?;
        run.push(last);
        Some((run, self.automaton.next(at, last)))
    }

    /// The edges of one state, in the form that needs the fewest.
    fn edges(&self, state: StateView, without: Option<u8>) -> Edges {
        let bytes = || (0..=u8::MAX).filter(|byte| Some(*byte) != without);
        let mut counts: BTreeMap<StateView, usize> = BTreeMap::new();
        for byte in bytes() {
            let count = counts.entry(self.automaton.next(state, byte)).or_default();
            *count = count.saturating_add(1);
        }
        let Some((mode, n_mode)) = counts.into_iter().max_by_key(|(_, count)| *count) else {
            return Edges::default();
        };
        let mut plain = Edges {
            rest: (n_mode >= 128 && self.leads_on(mode)).then_some(mode),
            ..Edges::default()
        };
        for byte in bytes() {
            let target = self.automaton.next(state, byte);
            // Beside an edge for the rest, a byte that leads nowhere cannot be left out.
            if plain.rest != Some(target) && (plain.rest.is_some() || self.leads_on(target)) {
                plain.own.entry(target).or_default().insert(byte);
            }
        }
        let mut delta = Edges {
            same_as: Some(mode),
            ..Edges::default()
        };
        for byte in bytes() {
            let target = self.automaton.next(state, byte);
            if target == self.automaton.next(mode, byte) {
                continue;
            }
            delta.own.entry(target).or_default().insert(byte);
        }
        if mode != state && self.leads_on(mode) && delta.own.len() < plain.own.len() {
            delta
        } else {
            plain
        }
    }

    /// Whether a walk ends on entering the state.
    fn is_over(&self, state: StateView) -> bool {
        self.automaton.cap(state) == Some(0)
    }

    /// Whether a walk into the state still finds something.
    fn leads_on(&self, state: StateView) -> bool {
        !self.is_over(state)
            || self.automaton.pass(state) != 0
            || self.automaton.list(state).is_some()
    }

    fn draw(&mut self, asked: &Asked<'a>) {
        let mut title = format!("table {}: {}", asked.group.table, asked.words);
        if asked.group.is_session {
            title.push_str("\nrules of the session layer");
        }
        if let Some(guard) = asked.group.guard {
            let _ = write!(
                title,
                "\nasked because the surface matches {}",
                ticked(guard)
            );
        }
        let _ = writeln!(
            self.text,
            "  subgraph {} {{",
            quoted(&format!("cluster_{}", self.number))
        );
        let _ = writeln!(self.text, "    label={};", quoted(&title));
        let nodes = std::mem::take(&mut self.nodes);
        for (id, node) in nodes.iter().enumerate() {
            let shape = if self.is_over(node.state) {
                ", peripheries=2"
            } else {
                ""
            };
            let label = quoted(&self.label(id, node));
            let id = self.id(id);
            let _ = writeln!(self.text, "    {id} [label={label}{shape}];");
        }
        for (id, node) in nodes.iter().enumerate() {
            let from = self.id(id);
            let edges = &node.edges;
            if let Some(target) = edges.behind {
                self.edge(&from, target, "whole run", "");
            }
            for (target, bytes) in &edges.own {
                self.edge(&from, *target, &ranges(bytes), "");
            }
            if let Some(target) = edges.rest {
                self.edge(&from, target, "else", ", style=dashed, color=gray40");
            }
            if let Some(target) = edges.same_as {
                self.edge(
                    &from,
                    target,
                    "else as from",
                    ", style=dotted, color=gray40",
                );
            }
        }
        self.nodes = nodes;
    }

    fn edge(&mut self, from: &str, target: StateView, label: &str, style: &str) {
        // What the limit leaves out has no node.
        let Some(target) = self.ids.get(&target).map(|id| self.id(*id)) else {
            return;
        };
        let label = quoted(label);
        let _ = writeln!(self.text, "    {from} -> {target} [label={label}{style}];");
    }

    fn note(&mut self, text: &str) {
        let id = quoted(&format!("t{}note", self.number));
        let _ = writeln!(self.text, "    {id} [label={}, shape=note];", quoted(text));
    }

    fn id(&self, node: usize) -> String {
        quoted(&format!("t{}s{node}", self.number))
    }

    fn label(&self, id: usize, node: &Node) -> String {
        let state = node.state;
        let mut lines = vec![id.to_string()];
        if state == self.automaton.start() {
            lines.push("start".to_owned());
        }
        if Some(state) == self.automaton.home_start() {
            lines.push("start behind the home directory".to_owned());
        }
        if !node.run.is_empty() {
            let run: String = node
                .run
                .iter()
                .take(MOST_OF_RUN)
                .map(|byte| letter(*byte))
                .collect();
            let more = node.run.len().saturating_sub(MOST_OF_RUN);
            let more = if more > 0 {
                format!(" and {}", counted(more, "more byte"))
            } else {
                String::new()
            };
            lines.push(format!("run \"{run}\"{more}"));
        }
        for (what, best) in [
            ("pass", self.automaton.pass(state)),
            ("end", self.automaton.end(state)),
        ] {
            if let Some(rank) = best.checked_sub(1) {
                lines.push(format!("{what} {}", self.rule(rank)));
            }
        }
        match self.automaton.cap(state) {
            Some(cap) if cap > 0 => lines.push(format!("cap rank {}", cap.saturating_sub(1))),
            _ => {}
        }
        if let Some(list) = self.automaton.list(state) {
            let mut patterns: Vec<_> = self.contents.looked_at(self.automaton, list).collect();
            let more = patterns.len().saturating_sub(MOST_LOOKED_AT);
            patterns.truncate(MOST_LOOKED_AT);
            for (rank, _) in patterns {
                lines.push(format!("look at {}", self.rule(rank)));
            }
            if more > 0 {
                lines.push(format!("look at {more} more"));
            }
        }
        lines.join("\n")
    }

    fn rule(&self, rank: u32) -> String {
        let rule = usize::try_from(rank)
            .ok()
            .and_then(|rank| self.rules.get(rank));
        let Some(rule) = rule else {
            return format!("rank {rank}");
        };
        let at = rule.file.map_or_else(
            || rule.origin.as_str().to_owned(),
            |file| place(file, rule.line, rule.column),
        );
        let mut pattern = shown(rule.pattern);
        if let Some((cut, _)) = pattern.char_indices().nth(60) {
            pattern.truncate(cut);
            pattern.push('…');
        }
        format!("`{pattern}` {} {at} (rank {rank})", rule.action.as_str())
    }
}

/// Bytes as ranges, readable.
fn ranges(bytes: &BTreeSet<u8>) -> String {
    let mut ranges: Vec<(u8, u8)> = Vec::new();
    for byte in bytes {
        match ranges.last_mut() {
            Some((_, last)) if last.checked_add(1) == Some(*byte) => *last = *byte,
            _ => ranges.push((*byte, *byte)),
        }
    }
    let words = ranges.iter().take(MOST_RANGES).map(|(first, last)| {
        let (first_letter, last_letter) = (spelled(*first), spelled(*last));
        match last.saturating_sub(*first) {
            0 => first_letter,
            1 => format!("{first_letter} {last_letter}"),
            _ => format!("{first_letter}-{last_letter}"),
        }
    });
    let mut text = words.collect::<Vec<_>>().join(" ");
    if ranges.len() > MOST_RANGES {
        let _ = write!(text, " ... ({})", counted(bytes.len(), "byte"));
    }
    text
}

/// A byte that stands between others.
fn spelled(byte: u8) -> String {
    match byte {
        b' ' | b'-' | b'\'' => format!("'{}'", char::from(byte)),
        _ => letter(byte),
    }
}

fn letter(byte: u8) -> String {
    match byte {
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b' '..=b'~' => char::from(byte).to_string(),
        _ => format!("\\x{byte:02x}"),
    }
}

/// A quoted string of the language: a backslash is one, a line feed starts a line.
fn quoted(text: &str) -> String {
    let mut result = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => result.push_str("\\\""),
            '\\' => result.push_str("\\\\"),
            '\n' => result.push_str("\\n"),
            _ => result.push(character),
        }
    }
    result.push('"');
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile::compile;
    use crate::options::{Budget, Options};
    use crate::source::{SourceDocument, SourceSet};
    use crate::source_map::Role;

    const POLICY: &str = r#"{ "permission": { "*": "ask", "bash": {
        "*": "ask", "git *": "allow", "git push*": "deny", "git pull": "allow", "*.env": "deny", "*secret*": "deny",
        "cargo * --force": "deny", "*a*b*": "deny", "??": "allow", "~/x*": "allow", "caf\u00e9 *": "deny"
    } } }"#;

    /// Where a byte leads from a node as the graph shows it; `None` where that is left out.
    fn shown_target(cluster: &Cluster<'_, '_>, edges: &Edges, byte: u8) -> Option<StateView> {
        let own = edges.own.iter().find(|(_, bytes)| bytes.contains(&byte));
        let as_from = |state| cluster.automaton.next(state, byte);
        own.map(|(target, _)| *target)
            .or(edges.rest)
            .or(edges.same_as.map(as_from))
    }

    /// Checks each byte of each node against the automaton.
    fn is_what_the_table_does(cluster: &Cluster<'_, '_>) {
        for node in &cluster.nodes {
            if cluster.is_over(node.state) {
                continue;
            }
            let mut state = node.state;
            for on in node.run.iter().map(Some).chain([None]) {
                if on.is_none() && !node.run.is_empty() {
                    let behind = cluster.leads_on(state).then_some(state);
                    assert_eq!(behind, node.edges.behind);
                    break;
                }
                for byte in (0..=u8::MAX).filter(|byte| Some(byte) != on) {
                    let real = cluster.automaton.next(state, byte);
                    match shown_target(cluster, &node.edges, byte) {
                        Some(shown) if cluster.leads_on(shown) => assert_eq!(shown, real),
                        _ => assert!(!cluster.leads_on(real), "{byte:02x}"),
                    }
                }
                if let Some(byte) = on {
                    state = cluster.automaton.next(state, *byte);
                }
            }
        }
    }

    #[test]
    fn a_graph_shows_what_the_tables_do() {
        let default = Budget::default();
        let split = Budget {
            merged_states: 1,
            ..default
        };
        let parts = Budget {
            joint_bytes: 1,
            ..split
        };
        let looked_at = Budget {
            group_states: 1,
            ..parts
        };
        for budget in [default, split, parts, looked_at] {
            let document = SourceDocument::new(Role::Global, "p.jsonc", POLICY);
            let options = Options {
                budget,
                ..Options::default()
            };
            let output = compile(&SourceSet::from(vec![document]), &options)
                .output
                .unwrap();
            let policy = permc_runtime::Policy::from_bytes(output.bytes).unwrap();
            let contents = policy.contents().unwrap();
            let class = contents.class(0, "bash").unwrap();
            let rules = Reader::new(contents, budget).rules_of(&class);
            let mut n_runs = 0;
            for table in class.tables() {
                let automaton = contents.automaton(table).unwrap();
                let mut cluster = Cluster {
                    number: 0,
                    automaton: &automaton,
                    contents: &contents,
                    rules: &rules,
                    nodes: Vec::new(),
                    ids: HashMap::new(),
                    text: String::new(),
                };
                assert_eq!(cluster.find(usize::MAX), 0);
                n_runs += cluster
                    .nodes
                    .iter()
                    .filter(|node| !node.run.is_empty())
                    .count();
                is_what_the_table_does(&cluster);
            }
            assert!(n_runs > 0);
        }
    }

    #[test]
    fn bytes_are_readable() {
        let of = |bytes: &[u8]| ranges(&bytes.iter().copied().collect());
        assert_eq!(of(b"abcd"), "a-d");
        assert_eq!(of(b"ab"), "a b");
        assert_eq!(of(b"x-'"), "''' '-' x");
        assert_eq!(of(b" \n\x00\xff"), "\\x00 \\n ' ' \\xff");
        let odd: Vec<u8> = (0..=254).step_by(2).collect();
        assert!(of(&odd).ends_with("... (128 bytes)"), "{}", of(&odd));
    }

    #[test]
    fn strings_are_quoted() {
        assert_eq!(quoted("a\"b\\x00\nc"), "\"a\\\"b\\\\x00\\nc\"");
    }
}
