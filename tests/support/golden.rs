//! The golden artifacts under `tests/golden/v1`: sources, the artifacts that were made of them, questions and answers.

use std::fs;
use std::path::PathBuf;

use permc::Output;
use permc::source::{Inputs, SourceSet, read};
use permc_runtime::{Context, Policy, Session};
use serde_json::{Map, Value};

use crate::data::tests_folder;
use crate::engine::{Answer, ask_artifact, ask_reference, compiled, reference_tool_permission};
use crate::layouts::{layouts, rare_layouts};

/// What writes the artifacts again.
pub const COMMAND: &str = "cargo run -p permc-tests --example regenerate_golden";

/// One golden artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Golden {
    /// The folder of its sources and questions.
    pub sources: &'static str,
    /// The layout that it was compiled with, which is its name too.
    pub layout: &'static str,
    /// Whether path surfaces fold.
    pub fold: bool,
}

/// All golden artifacts.
pub const GOLDEN: [Golden; 8] = [
    Golden::new("shapes", "whole", false),
    Golden::new("shapes", "joint", false),
    Golden::new("shapes", "parts", false),
    Golden::new("shapes", "looked at", false),
    Golden::new("team", "whole", true),
    Golden::new("team", "guarded", true),
    Golden::new("team", "guarded parts", true),
    Golden::new("team", "shared joint", true),
];

impl Golden {
    const fn new(sources: &'static str, layout: &'static str, fold: bool) -> Self {
        Self {
            sources,
            layout,
            fold,
        }
    }

    /// The artifact's file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        let name = self.layout.replace(' ', "-");
        folder(self.sources).join(name).with_extension("permc")
    }

    /// Compiles the sources as the artifact was compiled.
    #[must_use]
    pub fn compile(&self) -> Output {
        let mut layouts = layouts().into_iter().chain(rare_layouts());
        let layout = layouts.find(|layout| layout.name == self.layout).unwrap();
        compiled(&sources(self.sources), &layout.options(self.fold))
    }
}

fn folder(sources: &str) -> PathBuf {
    tests_folder().join("golden/v1").join(sources)
}

fn sources(name: &str) -> SourceSet {
    let folder = folder(name);
    let path = |name: &str| Some(folder.join(name)).filter(|path| path.exists());
    let inputs = Inputs {
        global: path("policy.jsonc"),
        project: path("project.jsonc"),
        agents: path("agents"),
        project_agents: path("project-agents"),
        mcp: path("mcp.json"),
        session: path("session.json"),
        ..Inputs::default()
    };
    read(&inputs, &folder, &permc::Options::default().limits)
}

/// The questions about some sources, a JSON object each.
#[must_use]
pub fn questions(sources: &str) -> Vec<Value> {
    let path = folder(sources).join("questions.jsonl");
    let text =
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}")))
        .collect()
}

/// One question as both engines take it.
struct Question<'q> {
    context: Context<'q>,
    session: Session,
    surface: &'q str,
    /// The values; `None` asks for the permission of a tool.
    values: Option<Vec<&'q str>>,
}

impl<'q> Question<'q> {
    fn read(question: &'q Value) -> Self {
        let session = question["session"].as_array().into_iter().flatten();
        let values = question["values"].as_array();
        Self {
            context: Context {
                home: question["home"].as_str().or(Some("/home/dev")),
                agent: question["agent"].as_str(),
                yolo: question["yolo"].as_bool(),
                ..Context::default()
            },
            session: session
                .map(|rule| (rule[0].as_str().unwrap(), rule[1].as_str().unwrap()))
                .collect(),
            surface: question["surface"].as_str().unwrap(),
            values: values.map(|values| {
                let values = values.iter();
                values.map(|value| value.as_str().unwrap()).collect()
            }),
        }
    }
}

/// What an artifact answers to a question, in the form of the recorded answers.
#[must_use]
pub fn answer_of_artifact(policy: &Policy, question: &Value) -> Value {
    let question = Question::read(question);
    let bound = policy.bind(question.context).unwrap();
    match &question.values {
        None => bound.tool_permission(question.surface).as_str().into(),
        Some(values) => shown(&ask_artifact(
            &bound,
            &question.session,
            question.surface,
            values,
        )),
    }
}

/// What the reference answers.
#[must_use]
pub fn answer_of_reference(output: &Output, question: &Value) -> Value {
    let Question {
        context,
        session,
        surface,
        values,
    } = Question::read(question);
    match &values {
        None => reference_tool_permission(&output.policy, context, surface)
            .as_str()
            .into(),
        Some(values) => shown(&ask_reference(
            &output.policy,
            context,
            &session,
            surface,
            values,
        )),
    }
}

fn shown(answer: &Answer) -> Value {
    let mut shown = Map::new();
    shown.insert("state".into(), answer.state.into());
    shown.insert("pattern".into(), answer.matched_pattern.clone().into());
    shown.insert("source".into(), answer.source.into());
    shown.insert("origin".into(), answer.origin.into());
    shown.insert("value".into(), answer.value.into());
    if let Some(reason) = &answer.reason {
        shown.insert("reason".into(), reason.as_str().into());
    }
    Value::Object(shown)
}

/// The first section in which two artifacts differ; `header` where it is none of them, `None` for equal bytes.
#[must_use]
pub fn first_difference(golden: &[u8], now: &[u8]) -> Option<&'static str> {
    if golden == now {
        return None;
    }
    let of = |bytes: &[u8]| {
        let policy = Policy::from_bytes(bytes.to_vec()).ok()?;
        let sections = policy.contents().ok()?.sections();
        let cut = sections.into_iter().map(|(_, name, offset, length)| {
            let start = usize::try_from(offset).unwrap();
            (
                name,
                bytes[start..start + usize::try_from(length).unwrap()].to_vec(),
            )
        });
        Some(cut.collect::<Vec<_>>())
    };
    let (Some(golden), Some(now)) = (of(golden), of(now)) else {
        return Some("header");
    };
    let mut pairs = golden.into_iter().zip(now);
    let differing = pairs.find(|(golden, now)| golden != now);
    Some(differing.map_or("header", |((name, _), _)| name))
}

/// Writes all artifacts, and the answers of the reference where a question has none; says what changed.
///
/// An answer that is recorded stays: an artifact may be written in another way, but it may not answer in another way.
#[must_use]
pub fn regenerate() -> Vec<String> {
    let mut changed = Vec::new();
    for golden in GOLDEN {
        let output = golden.compile();
        let path = golden.path();
        let before = fs::read(&path).unwrap_or_default();
        if let Some(section) = first_difference(&before, &output.bytes) {
            fs::write(&path, &output.bytes).unwrap();
            changed.push(format!("{}: from section {section} on", path.display()));
        }
        let mut lines = String::new();
        let mut n_new = 0;
        for mut question in questions(golden.sources) {
            if question.get("expect").is_none() {
                let answer = answer_of_reference(&output, &question);
                question["expect"] = answer;
                n_new += 1;
            }
            lines.push_str(&format!("{question}\n"));
        }
        if n_new > 0 {
            let path = folder(golden.sources).join("questions.jsonl");
            fs::write(&path, lines).unwrap();
            changed.push(format!("{}: {n_new} answers", path.display()));
        }
    }
    changed
}
