//! Diagnostics for people: source lines with the span underlined. The only file that knows the rendering library.
//!
//! Whatever a policy file holds, nothing raw from it reaches the terminal and nothing unbounded is printed: long lines are
//! cut around the span, and a span over several lines is shown by its first.

use super::quote::visible;
use super::{Diagnostic, Label, Severity};
use crate::source_map::{SourceFile, SourceMap};
use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};

/// Whether to style the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// With terminal styles.
    Always,
    /// Plain text.
    Never,
}

/// The diagnostics as text, each followed by a blank line.
///
/// # Complexity
///
/// O(diagnostics × lines shown): a label costs at most a few hundred characters, however long its line is.
#[must_use]
pub fn render_human(diagnostics: &[Diagnostic], sources: &SourceMap, color: Color) -> String {
    let renderer = match color {
        Color::Always => Renderer::styled(),
        Color::Never => Renderer::plain(),
    };
    let mut text = String::new();
    for diagnostic in diagnostics {
        let views = views(diagnostic, sources);
        let mut rendered = renderer.render(&[group(diagnostic, &views)]);
        // In a line that was cut the library counts columns from the cut.
        for (counted, real) in views.iter().filter_map(View::correction) {
            rendered = rendered.replacen(&counted, &real, 1);
        }
        text.push_str(&rendered);
        text.push_str("\n\n");
    }
    text
}

/// Lines between two labels up to which one snippet shows both.
const SAME_SNIPPET: u32 = 100;
/// Characters of a line that are shown.
const WIDTH: usize = 160;
/// Characters of a cut line that are shown before the span.
const BEFORE: usize = 50;

fn group(diagnostic: &Diagnostic, views: &[View<'_>]) -> Group<'static> {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Hint => Level::INFO.with_name("hint"),
    };
    let title = level
        .primary_title(visible(&diagnostic.message, true))
        .id(diagnostic.code.as_str());
    let mut group = Group::with_title(title);
    for view in views {
        group = match view.snippet() {
            Some(snippet) => group.element(snippet),
            None => group.element(Origin::path(view.path())),
        };
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(visible(note, true)));
    }
    for help in &diagnostic.helps {
        group = group.element(Level::HELP.message(visible(help, true)));
    }
    group
}

/// A mark under one line.
struct Mark {
    line: u32,
    column: u32,
    /// Byte offsets in the line.
    start: usize,
    end: usize,
    primary: bool,
    text: String,
}

/// A run of lines of one file with the marks in it.
struct View<'a> {
    file: &'a SourceFile,
    marks: Vec<Mark>,
}

fn views<'a>(diagnostic: &Diagnostic, sources: &'a SourceMap) -> Vec<View<'a>> {
    let labels = diagnostic.primary.iter().map(|label| (label, true));
    let others = diagnostic.secondary.iter().map(|label| (label, false));
    let mut views: Vec<View<'a>> = Vec::new();
    for (label, primary) in labels.chain(others) {
        let Some(file) = sources.file(label.location.file) else {
            continue;
        };
        let mark = mark(file, label, primary);
        let near = views.iter_mut().find(|view| {
            std::ptr::eq(view.file, file)
                && view
                    .marks
                    .iter()
                    .all(|other| other.line.abs_diff(mark.line) <= SAME_SNIPPET)
        });
        match near {
            Some(view) => view.marks.push(mark),
            None => views.push(View {
                file,
                marks: vec![mark],
            }),
        }
    }
    views
}

/// The label's place in its first line.
fn mark(file: &SourceFile, label: &Label, primary: bool) -> Mark {
    let start = label.location.span.start.min(file.text.len());
    let at = file.line_column(start);
    let line = file.line(at.line).unwrap_or_default();
    let skipped = usize::try_from(at.column).map_or(0, |column| column.saturating_sub(1));
    let in_line = line
        .char_indices()
        .nth(skipped)
        .map_or(line.len(), |(offset, _)| offset);
    let length = label.location.span.end.saturating_sub(start);
    Mark {
        line: at.line,
        column: at.column,
        start: in_line,
        end: in_line.saturating_add(length).min(line.len()),
        primary,
        text: visible(&label.text, false),
    }
}

impl View<'_> {
    fn path(&self) -> String {
        visible(&self.file.display, false)
    }

    /// The place as the library counts it in a cut line, and as it is.
    fn correction(&self) -> Option<(String, String)> {
        let lowest = self.marks.iter().map(|mark| mark.line).min()?;
        let mark = self
            .marks
            .iter()
            .find(|mark| mark.primary)
            .or_else(|| self.marks.iter().find(|mark| mark.line == lowest))?;
        let line = self.file.line(mark.line).unwrap_or_default();
        let window = Window::around(line, mark.start);
        if window.start == 0 {
            return None;
        }
        let before = line.get(window.start..mark.start).unwrap_or_default();
        let counted = before.chars().count() + CUT.chars().count() + 1;
        let place = format!("{}:{}", self.path(), mark.line);
        Some((
            format!("{place}:{counted}"),
            format!("{place}:{}", mark.column),
        ))
    }

    /// The lines with their marks; `None` where the file has no text to point at.
    fn snippet(&self) -> Option<Snippet<'static, Annotation<'static>>> {
        if self.file.text.is_empty() {
            return None;
        }
        let first = self.marks.iter().map(|mark| mark.line).min()?;
        let last = self.marks.iter().map(|mark| mark.line).max()?;
        let mut source = String::new();
        let mut annotations = Vec::new();
        for number in first..=last {
            let line = self.file.line(number).unwrap_or_default();
            let marks: Vec<&Mark> = self
                .marks
                .iter()
                .filter(|mark| mark.line == number)
                .collect();
            let window = Window::around(line, marks.first().map_or(0, |mark| mark.start));
            let base = source.len();
            source.push_str(&window.text(line));
            let shown = source.len().saturating_sub(base);
            for mark in marks {
                let start = window.offset(line, mark.start).min(shown);
                let end = window.offset(line, mark.end).min(shown).max(start);
                let kind = if mark.primary {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                let annotation = kind.span(base + start..base + end);
                annotations.push(if mark.text.is_empty() {
                    annotation
                } else {
                    annotation.label(mark.text.clone())
                });
            }
            source.push('\n');
        }
        let first = usize::try_from(first).unwrap_or(usize::MAX);
        Some(
            Snippet::source(source)
                .path(self.path())
                .line_start(first)
                .annotations(annotations),
        )
    }
}

/// The part of a line that is shown, as byte offsets.
struct Window {
    start: usize,
    end: usize,
}

impl Window {
    fn around(line: &str, at: usize) -> Self {
        let rest = line.get(at..).unwrap_or_default();
        let back = |count: usize| {
            line.get(..at)
                .and_then(|head| head.char_indices().rev().take(count).last())
                .map_or(at, |(offset, _)| offset)
        };
        let forward = |count: usize| {
            rest.char_indices()
                .nth(count)
                .map_or(line.len(), |(offset, _)| at.saturating_add(offset))
        };
        let short = back(WIDTH) == 0 && forward(WIDTH) == line.len();
        if short {
            return Self {
                start: 0,
                end: line.len(),
            };
        }
        Self {
            start: back(BEFORE),
            end: forward(WIDTH - BEFORE),
        }
    }

    fn text(&self, line: &str) -> String {
        let shown = visible(line.get(self.start..self.end).unwrap_or_default(), false);
        let tail = if self.end < line.len() { CUT } else { "" };
        format!("{}{shown}{tail}", self.head())
    }

    fn head(&self) -> &'static str {
        if self.start > 0 { CUT } else { "" }
    }

    /// Where a byte of the line stands in [`Window::text`].
    fn offset(&self, line: &str, at: usize) -> usize {
        let at = at.clamp(self.start, self.end);
        let before = visible(line.get(self.start..at).unwrap_or_default(), false);
        self.head().len() + before.len()
    }
}

const CUT: &str = "…";

#[cfg(test)]
mod tests {
    use super::{Color, render_human};
    use crate::diagnostic::{Code, Diagnostic};
    use crate::source_map::{FileId, Location, Role, SourceMap};
    use permc_grammar::span::Span;

    fn map(text: &str) -> (SourceMap, FileId) {
        let mut sources = SourceMap::default();
        let file = sources.add(
            Role::Global,
            "a.jsonc".into(),
            "conf/a.jsonc".into(),
            text.into(),
        );
        (sources, file)
    }

    fn at(file: FileId, start: usize, end: usize) -> Location {
        Location {
            file,
            span: Span::new(start, end),
        }
    }

    #[test]
    fn title_place_labels_notes_and_helps() {
        let (mut sources, file) = map("{\n  \"read\": \"allow\",\n  \"read\": \"deny\"\n}\n");
        let other = sources.add(
            Role::Project,
            "b.jsonc".into(),
            "b.jsonc".into(),
            "{ }".into(),
        );
        let found = Diagnostic::new(Code::DUPLICATE_KEY, "`read` stands twice")
            .at(at(file, 23, 29), "second")
            .related(at(file, 4, 10), "first declared here")
            .related(at(other, 0, 1), "other file")
            .note("a cause")
            .help("a fix");
        let text = render_human(&[found], &sources, Color::Never);
        for part in [
            "error[PC0102]: `read` stands twice",
            "conf/a.jsonc:3:3",
            "b.jsonc:1:1",
            "^^^^^^ second",
            "------ first declared here",
            "- other file",
            "note: a cause",
            "help: a fix",
        ] {
            assert!(text.contains(part), "{part:?} is not in\n{text}");
        }
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn without_a_place_and_without_a_text() {
        let (sources, file) = map("");
        let nowhere = Diagnostic::new(Code::TABLE_TOO_LARGE, "too many");
        let unread = Diagnostic::new(Code::UNREADABLE_FILE, "no").at(at(file, 0, 0), "");
        let text = render_human(&[nowhere, unread], &sources, Color::Never);
        assert!(text.contains("error[PC0603]: too many"), "{text}");
        assert!(text.contains("--> conf/a.jsonc\n"), "{text}");
    }

    #[test]
    fn long_lines_are_cut_around_the_span() {
        let line = format!("{}NEEDLE{}", "a".repeat(500_000), "b".repeat(500_000));
        let (sources, file) = map(&line);
        let found = Diagnostic::new(Code::SYNTAX, "m").at(at(file, 500_000, 500_006), "here");
        let text = render_human(&[found], &sources, Color::Never);
        assert!(text.len() < 2_000, "{}", text.len());
        assert!(
            text.contains("aNEEDLEb") && text.contains("^^^^^^ here"),
            "{text}"
        );
        assert!(text.contains("a.jsonc:1:500001"), "{text}");
    }

    #[test]
    fn nothing_raw_reaches_the_terminal() {
        let (sources, file) = map("\u{1b}[31m\"\u{9b}x\u{202e}\": 1\r\n");
        let found = Diagnostic::new(Code::SYNTAX, "m \u{1b}]0;t\u{7}")
            .at(at(file, 5, 12), "l\u{1b}")
            .note("\u{1b}")
            .help("\u{9b}");
        let text = render_human(&[found], &sources, Color::Never);
        assert!(
            text.chars().all(|c| c == '\n' || !c.is_control()),
            "{text:?}"
        );
        assert!(!text.contains('\u{202e}'));
    }

    #[test]
    fn odd_spans_do_not_panic() {
        let (sources, file) = map("ä\tö\n\nlast");
        for start in 0..14 {
            for end in 0..20 {
                for color in [Color::Never, Color::Always] {
                    let found = Diagnostic::new(Code::SYNTAX, "m")
                        .at(at(file, start, end), "x")
                        .related(at(file, end, start), "y");
                    assert!(render_human(&[found], &sources, color).contains("PC0005"));
                }
            }
        }
        let missing = Diagnostic::new(Code::SYNTAX, "m").at(at(FileId(9), 0, 1), "x");
        assert!(render_human(&[missing], &sources, Color::Never).contains("error[PC0005]: m"));
    }
}
