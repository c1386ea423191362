//! From the bytes of all source files to typed documents and every diagnostic about them; pure, no file is touched.

use crate::config::{
    PolicyDocument, ProviderPermissions, SessionRule, parse_agent, parse_front_matter, parse_mcp,
    parse_policy, parse_session, parse_tiers_file,
};
use crate::diagnostic::{Code, Diagnostic, has_errors, quote};
use crate::front_matter;
use crate::manifest::{self, Manifest, parse_manifest};
use crate::source::{SourceDocument, SourceSet};
use crate::source_map::{FileId, Location, Role, SourceMap};
use permc_grammar::error::SyntaxError;
use permc_grammar::jsonc::{self, Value};
use permc_grammar::limits::Limits;
use permc_grammar::span::{Span, Spanned};
use std::collections::{HashMap, HashSet};

/// Everything that was read from the sources.
#[derive(Clone, Debug, Default)]
pub struct Parsed {
    /// The texts.
    pub sources: SourceMap,
    /// The documents, in the order of the sources.
    pub documents: Vec<ParsedDocument>,
    /// All findings about all files.
    pub diagnostics: Vec<Diagnostic>,
    /// A directory could not be listed: which documents are missing is not known, so that nothing can be compiled.
    pub incomplete: bool,
}

/// One source file as a document.
#[derive(Clone, Debug)]
pub struct ParsedDocument {
    /// The file.
    pub file: FileId,
    /// What the file is for.
    pub role: Role,
    /// Whether the file has any error; the body then holds what was valid.
    pub broken: bool,
    /// The content.
    pub body: Body,
}

/// What a document holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A policy of any scope.
    Policy(PolicyDocument),
    /// The names of the MCP servers, in order.
    Mcp(Vec<Spanned<String>>),
    /// The rules that were approved in a session.
    Session(Vec<SessionRule>),
    /// Tiers.
    Tiers(ProviderPermissions),
}

impl Body {
    /// An empty body of the kind that a role has.
    fn empty(role: &Role) -> Self {
        match role {
            Role::Mcp => Self::Mcp(Vec::new()),
            Role::Session => Self::Session(Vec::new()),
            Role::Tiers => Self::Tiers(ProviderPermissions::default()),
            _ => Self::Policy(PolicyDocument::default()),
        }
    }
}

/// Reads all documents and reports all errors of all of them in one run.
///
/// # Complexity
///
/// O(total size of the sources).
///
/// # Example
///
/// ```
/// use permc::parse::parse_sources;
/// use permc::source::{SourceDocument, SourceSet};
/// use permc::source_map::Role;
/// use permc_grammar::limits::Limits;
///
/// let document = SourceDocument::new(Role::Global, "policy.jsonc", r#"{ "permission": { "*": "ask" } }"#);
/// let parsed = parse_sources(&SourceSet::from(vec![document]), &Limits::default());
/// assert!(parsed.diagnostics.is_empty());
/// ```
#[must_use]
pub fn parse_sources(set: &SourceSet, limits: &Limits) -> Parsed {
    let mut parsed = Parsed {
        incomplete: !set.problems.is_empty(),
        ..Parsed::default()
    };
    for problem in &set.problems {
        let message = format!("{}: {}", problem.display, problem.message);
        let help = "check the path and its permissions, or leave the option away";
        parsed
            .diagnostics
            .push(Diagnostic::new(Code::UNREADABLE_FILE, message).help(help));
    }
    for source in &set.documents {
        let (document, found) = parse_one(&mut parsed.sources, source, limits);
        parsed.documents.push(document);
        parsed.diagnostics.extend(found);
    }
    report_agent_twice(&mut parsed);
    parsed
}

/// Reads a manifest on its own; the result is `None` where the text could not be read as a tree at all.
#[must_use]
pub fn parse_manifest_source(
    display: &str,
    content: &Result<Vec<u8>, String>,
    limits: &Limits,
) -> (SourceMap, Option<Manifest>, Vec<Diagnostic>) {
    let mut sources = SourceMap::default();
    let source = SourceDocument {
        role: Role::Manifest,
        name: manifest::FILE_NAME.to_owned(),
        display: display.to_owned(),
        content: content.clone(),
    };
    let (file, text) = add_text(&mut sources, &source, limits);
    match text.and_then(|text| tree(file, &text, limits)) {
        Ok(tree) => {
            let (manifest, found) = parse_manifest(file, &tree);
            (sources, Some(manifest), found)
        }
        Err(found) => (sources, None, vec![*found]),
    }
}

fn parse_one(
    sources: &mut SourceMap,
    source: &SourceDocument,
    limits: &Limits,
) -> (ParsedDocument, Vec<Diagnostic>) {
    let role = source.role.clone();
    let (file, text) = add_text(sources, source, limits);
    let is_markdown = has_extension(&source.name, "md");
    let body = text.and_then(|text| match &role {
        Role::Agent(_) | Role::ProjectAgent(_) if is_markdown => {
            markdown(file, &text, &role, limits)
        }
        _ => tree(file, &text, limits).map(|tree| body(file, &tree, &role)),
    });
    let (body, mut found) = match body {
        Ok((body, found)) => (body, found),
        Err(found) => (Body::empty(&role), vec![*found]),
    };
    if let Role::Agent(name) | Role::ProjectAgent(name) = &role
        && name.trim().is_empty()
    {
        let message = format!("the agent file {} has a blank name", quote(&source.name));
        found.push(
            Diagnostic::new(Code::BLANK_AGENT_NAME, message)
                .at(start_of(file), "")
                .help("rename the file: its name without the extension is the agent's name"),
        );
    }
    let document = ParsedDocument {
        file,
        role,
        broken: has_errors(&found),
        body,
    };
    (document, found)
}

/// Whether a file's name has this extension, upper and lower case being the same.
pub(crate) fn has_extension(name: &str, extension: &str) -> bool {
    name.rsplit_once('.')
        .is_some_and(|(_, found)| found.eq_ignore_ascii_case(extension))
}

fn body(file: FileId, tree: &Value, role: &Role) -> (Body, Vec<Diagnostic>) {
    match role {
        Role::Mcp => {
            let (names, found) = parse_mcp(file, tree);
            (Body::Mcp(names), found)
        }
        Role::Session => {
            let (rules, found) = parse_session(file, tree);
            (Body::Session(rules), found)
        }
        Role::Tiers => {
            let (tiers, found) = parse_tiers_file(file, tree);
            (Body::Tiers(tiers), found)
        }
        Role::Agent(_) | Role::ProjectAgent(_) => {
            let (document, found) = parse_agent(file, tree, role);
            (Body::Policy(document), found)
        }
        Role::Global | Role::Project | Role::Manifest => {
            let (document, found) = parse_policy(file, tree, role);
            (Body::Policy(document), found)
        }
    }
}

type Read<T> = Result<T, Box<Diagnostic>>;

fn markdown(
    file: FileId,
    text: &str,
    role: &Role,
    limits: &Limits,
) -> Read<(Body, Vec<Diagnostic>)> {
    let tree = front_matter::extract(text, limits).map_err(|error| {
        let at = Location {
            file,
            span: error.span,
        };
        Box::new(
            Diagnostic::new(error.code, error.message)
                .at(at, "")
                .help(error.help),
        )
    })?;
    let (document, found) = tree
        .map(|tree| parse_front_matter(file, &tree, role))
        .unwrap_or_default();
    Ok((Body::Policy(document), found))
}

fn tree(file: FileId, text: &str, limits: &Limits) -> Read<Value> {
    jsonc::parse(text, limits)
        .map(|document| document.root)
        .map_err(|error| Box::new(syntax(file, &error)))
}

fn syntax(file: FileId, error: &SyntaxError) -> Diagnostic {
    let code = if error.is_too_large() {
        Code::FILE_TOO_LARGE
    } else if error.is_too_deep() {
        Code::NESTED_TOO_DEEP
    } else {
        Code::SYNTAX
    };
    let at = |span| Location { file, span };
    let mut found = Diagnostic::new(code, error.message()).at(at(error.span()), "");
    if let Some((span, text)) = error.related() {
        found = found.related(at(span), text);
    }
    match error.help() {
        Some(help) => found.help(help),
        None => found,
    }
}

fn start_of(file: FileId) -> Location {
    Location {
        file,
        span: Span::new(0, 0),
    }
}

/// Enters a file in the map and gives its text back, or says why it has none.
fn add_text(
    sources: &mut SourceMap,
    source: &SourceDocument,
    limits: &Limits,
) -> (FileId, Read<String>) {
    let mut add = |text: String| {
        let (name, display) = (source.name.clone(), source.display.clone());
        sources.add(source.role.clone(), name, display, text)
    };
    let bytes = match &source.content {
        Ok(bytes) => bytes,
        Err(message) => {
            let file = add(String::new());
            let found = Diagnostic::new(Code::UNREADABLE_FILE, message.clone())
                .at(start_of(file), "")
                .help("check the path and its permissions, or leave the file away");
            return (file, Err(Box::new(found)));
        }
    };
    if bytes.len() > limits.max_bytes {
        let file = add(String::new());
        let limit = limits.max_bytes;
        let found = Diagnostic::new(
            Code::FILE_TOO_LARGE,
            format!("the file is larger than the limit of {limit} bytes"),
        )
        .at(start_of(file), "")
        .help("split the rules over the scopes, or say the same with fewer, wider patterns");
        return (file, Err(Box::new(found)));
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => (add(text.to_owned()), Ok(text.to_owned())),
        Err(error) => {
            // Up to the first bad byte the offsets of this text are those of the file.
            let file = add(String::from_utf8_lossy(bytes).into_owned());
            let start = error.valid_up_to();
            let at = Location {
                file,
                span: Span::new(start, start.saturating_add('\u{fffd}'.len_utf8())),
            };
            let byte = bytes.get(start).copied().unwrap_or_default();
            let mut found = Diagnostic::new(
                Code::NOT_UTF8,
                format!("the file is not UTF-8: byte 0x{byte:02X} at offset {start}"),
            )
            .at(at, "not UTF-8 from here on")
            .help("save the file as UTF-8");
            if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
                found = found.note("it starts like a UTF-16 file");
            }
            (file, Err(Box::new(found)))
        }
    }
}

/// Two files of one scope for the same agent are an error on both.
fn report_agent_twice(parsed: &mut Parsed) {
    let mut files: HashMap<&Role, Vec<FileId>> = HashMap::new();
    for document in &parsed.documents {
        if let Role::Agent(_) | Role::ProjectAgent(_) = document.role {
            files.entry(&document.role).or_default().push(document.file);
        }
    }
    let mut found = Vec::new();
    let mut broken = HashSet::new();
    for document in &parsed.documents {
        let (Role::Agent(name) | Role::ProjectAgent(name)) = &document.role else {
            continue;
        };
        let other = files
            .get(&document.role)
            .and_then(|files| files.iter().find(|file| **file != document.file));
        let Some(other) = other else {
            continue;
        };
        let display = |file: FileId| {
            let file = parsed.sources.file(file);
            file.map_or_else(String::new, |file| quote(&file.display))
        };
        let message = format!(
            "the agent {} has a second file, {}",
            quote(name),
            display(*other)
        );
        found.push(
            Diagnostic::new(Code::AGENT_TWICE, message)
                .at(start_of(document.file), "")
                .related(start_of(*other), "the other file")
                .help("merge the two files into one"),
        );
        broken.insert(document.file);
    }
    for document in &mut parsed.documents {
        document.broken |= broken.contains(&document.file);
    }
    parsed.diagnostics.extend(found);
}
