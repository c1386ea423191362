//! Source texts by number, so that everything after reading speaks of files without knowing paths.

use permc_grammar::span::{LineColumn, LineIndex, Span};

/// The number of one source file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// A place in a source file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The file.
    pub file: FileId,
    /// The bytes.
    pub span: Span,
}

/// What a source file is for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// The operator's own document, lowest scope.
    Global,
    /// The project's document.
    Project,
    /// An agent's document in the operator's directory; holds the agent's name.
    Agent(String),
    /// An agent's document in the project; holds the agent's name.
    ProjectAgent(String),
    /// The MCP server list.
    Mcp,
    /// Rules approved in a session.
    Session,
    /// Trust tiers in a file of their own.
    Tiers,
    /// The manifest that names the other files.
    Manifest,
}

impl Role {
    /// The scope's name as results and artifacts show it.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Project => "project",
            Self::Agent(_) => "agent",
            Self::ProjectAgent(_) => "project-agent",
            Self::Mcp => "mcp",
            Self::Session => "session",
            Self::Tiers => "tiers",
            Self::Manifest => "manifest",
        }
    }
}

/// One source text with its line table.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// What the file is for.
    pub role: Role,
    /// The name relative to the scope's root; the only name that an artifact stores.
    pub name: String,
    /// The name that people are shown, relative to the manifest or as typed.
    pub display: String,
    /// The text; with replacement characters where the file was not UTF-8, empty where it could not be read.
    pub text: String,
    lines: LineIndex,
}

/// All source texts of one compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a text and returns its number.
    pub fn add(&mut self, role: Role, name: String, display: String, text: String) -> FileId {
        let id = FileId(u32::try_from(self.files.len()).unwrap_or(u32::MAX));
        let lines = LineIndex::new(&text);
        self.files.push(SourceFile {
            role,
            name,
            display,
            text,
            lines,
        });
        id
    }

    /// The file with this number.
    #[must_use]
    pub fn file(&self, id: FileId) -> Option<&SourceFile> {
        self.files.get(usize::try_from(id.0).ok()?)
    }

    /// All files with their numbers, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (FileId, &SourceFile)> {
        (0..).map(FileId).zip(&self.files)
    }

    /// Line and column (from 1) of the first byte of a location.
    #[must_use]
    pub fn line_column(&self, location: Location) -> Option<LineColumn> {
        self.file(location.file)
            .map(|file| file.line_column(location.span.start))
    }
}

impl SourceFile {
    /// Line and column (from 1) of a byte offset.
    #[must_use]
    pub fn line_column(&self, offset: usize) -> LineColumn {
        self.lines.line_column(&self.text, offset)
    }

    /// The text of a line (from 1) without its end; `None` past the end of the file.
    #[must_use]
    pub fn line(&self, line: u32) -> Option<&str> {
        let span = self
            .lines
            .line_span(&self.text, usize::try_from(line).ok()?)?;
        self.text.get(span.start..span.end)
    }
}
