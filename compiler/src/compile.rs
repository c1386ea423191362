//! The whole line: sources to documents to one ordered list a view to tables to bytes.

use std::collections::HashSet;

use permc_runtime::Policy;

use crate::cold::Cold;
use crate::diagnostic::{Code, Diagnostic, Severity, has_errors, quote};
use crate::encode::{TooLarge, digest_of, encode};
use crate::lower::lower;
use crate::options::Options;
use crate::parse::{Body, Parsed, ParsedDocument, parse_sources};
use crate::resolve::resolve;
use crate::rule::ResolvedPolicy;
use crate::source::SourceSet;
use crate::source_map::{Location, Role, SourceMap};
use crate::suggest::suggest;
use crate::tiers::{self, LoweredTiers};
use crate::warnings;

/// What a compilation gives: always its findings, and an artifact where nothing stops it.
#[derive(Debug)]
pub struct Compilation {
    /// The source texts that the findings point into.
    pub sources: SourceMap,
    /// All findings about all files.
    pub diagnostics: Vec<Diagnostic>,
    /// The result; `None` where a finding is an error.
    pub output: Option<Output>,
}

/// A compiled policy.
#[derive(Debug)]
pub struct Output {
    /// The policy in its intermediate form.
    pub policy: ResolvedPolicy,
    /// The artifact's bytes.
    pub bytes: Vec<u8>,
    /// The policy digest.
    pub digest: [u8; 32],
    /// States of all automata.
    pub n_states: usize,
}

/// Compiles a policy.
///
/// The same sources and options give the same bytes, whatever the order of the documents. All errors of all files are
/// reported in one run; one is enough for there to be no output, except that with [`Options::fail_closed`] a broken project,
/// agent or project-agent document clamps every allow of the views that it affects to ask.
///
/// # Complexity
///
/// Near-linear in the total length of the patterns, within [`Options::budget`].
///
/// # Example
///
/// ```
/// use permc::source::{SourceDocument, SourceSet};
/// use permc::source_map::Role;
/// use permc::{Options, compile};
/// use permc_runtime::{Action, Context, Policy, Session};
///
/// let text = r#"{ "permission": { "*": "ask", "bash": { "git *": "allow", "git push*": "deny" } } }"#;
/// let sources = SourceSet::from(vec![SourceDocument::new(Role::Global, "policy.jsonc", text)]);
/// let output = compile(&sources, &Options::default()).output.ok_or("does not compile")?;
///
/// let policy = Policy::from_bytes(output.bytes)?;
/// let bound = policy.bind(Context::default())?;
/// let session = Session::default();
/// assert_eq!(bound.check("bash", &["git status"], &session).state, Action::Allow);
/// assert_eq!(bound.check("bash", &["git push --force"], &session).state, Action::Deny);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn compile(sources: &SourceSet, options: &Options) -> Compilation {
    let (set, mut diagnostics) = trusted(sources, options);
    let mut parsed = parse_sources(&set, &options.limits);
    diagnostics.append(&mut parsed.diagnostics);
    if options.fail_closed {
        diagnostics = fail_closed(&parsed, diagnostics);
    }
    diagnostics.extend(tiers_twice(&parsed));
    diagnostics.extend(project_tiers(&parsed));
    diagnostics.extend(warnings::integer_keys(&parsed));
    let (policy, found) = resolve(&parsed, options);
    diagnostics.extend(found);
    diagnostics.extend(warnings::session_overrides(&policy));
    let (lowered_tiers, found) = tiers::lower(&policy.tiers, options.fold_paths, &options.budget);
    diagnostics.extend(found);
    let mut output = None;
    if !has_errors(&diagnostics) {
        match build(
            policy,
            lowered_tiers,
            &parsed.sources,
            options,
            &diagnostics,
        ) {
            Ok(built) => output = Some(built),
            Err(found) => diagnostics.push(*found),
        }
    }
    Compilation {
        sources: parsed.sources,
        diagnostics,
        output,
    }
}

fn build(
    policy: ResolvedPolicy,
    tiers: LoweredTiers,
    sources: &SourceMap,
    options: &Options,
    diagnostics: &[Diagnostic],
) -> Result<Output, Box<Diagnostic>> {
    let too_large = |message: String| {
        Box::new(
            Diagnostic::new(Code::TABLE_TOO_LARGE, message)
                .help("split the policy, or drop rules that can never win"),
        )
    };
    let lowered = lower(&policy, &options.budget);
    let cold = Cold::new(&policy, sources, options, diagnostics);
    let bytes = encode(&policy, lowered, &tiers, &cold, sources).map_err(|TooLarge(section)| {
        too_large(format!(
            "section `{section}` of the artifact would pass 4 GiB"
        ))
    })?;
    // What is handed out has passed the loader: the encoder cannot ship what the runtime refuses.
    let n_states = match Policy::from_bytes(bytes.as_slice()) {
        Ok(loaded) => loaded.contents().map_or(0, |contents| {
            contents.tables().map(|table| table.n_states).sum()
        }),
        Err(error) => {
            let message = format!("the artifact would not load: {error}");
            return Err(too_large(message));
        }
    };
    Ok(Output {
        policy,
        digest: digest_of(&bytes).unwrap_or_default(),
        bytes,
        n_states,
    })
}

/// The documents in a fixed order, without those of a project that is not trusted.
fn trusted(sources: &SourceSet, options: &Options) -> (SourceSet, Vec<Diagnostic>) {
    let mut set = sources.clone();
    set.documents
        .sort_by(|left, right| (&left.role, &left.name).cmp(&(&right.role, &right.name)));
    let mut diagnostics = Vec::new();
    if options.untrusted_project {
        let is_project = |role: &Role| matches!(role, Role::Project | Role::ProjectAgent(_));
        let left_out: Vec<&str> = set
            .documents
            .iter()
            .filter(|document| is_project(&document.role))
            .map(|document| document.display.as_str())
            .collect();
        if !left_out.is_empty() {
            let names = left_out.join("`, `");
            diagnostics.push(
                Diagnostic::new(
                    Code::UNTRUSTED_PROJECT,
                    format!("the project is not trusted: `{names}` left out"),
                )
                .help("compile without `--untrusted-project` once you trust the project"),
            );
        }
        set.documents.retain(|document| !is_project(&document.role));
    }
    (set, diagnostics)
}

/// Turns the errors of documents that may be missing into warnings, and says what they clamp.
fn fail_closed(parsed: &Parsed, diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut result = diagnostics;
    for document in parsed.documents.iter().filter(|document| document.broken) {
        let affected = match &document.role {
            Role::Project => "every agent".to_owned(),
            Role::Agent(name) | Role::ProjectAgent(name) => format!("the agent `{name}`"),
            _ => continue,
        };
        for diagnostic in &mut result {
            let here = diagnostic
                .primary
                .as_ref()
                .is_some_and(|label| label.location.file == document.file);
            if here && diagnostic.severity == Severity::Error {
                diagnostic.severity = Severity::Warning;
            }
        }
        let location = Location {
            file: document.file,
            span: permc_grammar::span::Span::new(0, 0),
        };
        result.push(
            Diagnostic::new(
                Code::FAIL_CLOSED_CLAMP,
                format!("the document is broken: every allow of {affected} is an ask, and yolo mode is off there"),
            )
            .at(location, "")
            .help("repair the document and compile again"),
        );
    }
    result
}

/// Tiers in two places are an error.
fn tiers_twice(parsed: &Parsed) -> Vec<Diagnostic> {
    let mut places = parsed.documents.iter().filter_map(|document| {
        let has_tiers = match &document.body {
            Body::Tiers(_) => true,
            Body::Policy(policy) => document.role == Role::Global && policy.tiers.is_some(),
            _ => false,
        };
        let location = Location {
            file: document.file,
            span: permc_grammar::span::Span::new(0, 0),
        };
        has_tiers.then_some(location)
    });
    match (places.next(), places.next()) {
        (Some(first), Some(second)) => vec![
            Diagnostic::new(
                Code::TIERS_TWICE,
                "trust tiers are given by the global document and by a file of their own",
            )
            .at(second, "these tiers")
            .related(first, "and these")
            .help("keep one of the two"),
        ],
        _ => Vec::new(),
    }
}

/// A project may tighten the operator's tiers, not define new ones.
fn project_tiers(parsed: &Parsed) -> Vec<Diagnostic> {
    let tiers = |document: &ParsedDocument| match &document.body {
        Body::Tiers(tiers) => tiers.tiers.clone(),
        Body::Policy(policy) => policy
            .tiers
            .clone()
            .map_or_else(Vec::new, |tiers| tiers.tiers),
        _ => Vec::new(),
    };
    let of = |wanted: fn(&Role) -> bool| {
        parsed
            .documents
            .iter()
            .filter(move |document| wanted(&document.role))
    };
    let known: HashSet<String> = of(|role| matches!(role, Role::Global | Role::Tiers))
        .flat_map(tiers)
        .map(|tier| tier.id.value)
        .collect();
    let mut names: Vec<&str> = known.iter().map(String::as_str).collect();
    names.sort_unstable();
    let mut diagnostics = Vec::new();
    for document in of(|role| *role == Role::Project) {
        for tier in tiers(document) {
            if known.contains(&tier.id.value) {
                continue;
            }
            let location = Location {
                file: document.file,
                span: tier.id.span,
            };
            let message = format!("the project defines a new tier, {}", quote(&tier.id.value));
            let diagnostic = Diagnostic::new(Code::PROJECT_NEW_TIER, message)
                .at(location, "no tier of the operator has this id");
            diagnostics.push(match suggest(&tier.id.value, &names) {
                Some(near) => diagnostic.help(format!("did you mean {}?", quote(near))),
                None => {
                    diagnostic.help("a project can only give more rows for the operator's tiers")
                }
            });
        }
    }
    diagnostics
}
