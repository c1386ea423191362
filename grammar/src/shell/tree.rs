//! The tree of a shell text: what [`super::parse`] gives.
//!
//! Spans are byte offsets into the text that was parsed, or, below an [`Inner`] with a text of its own, into that text.

use crate::span::Span;

/// A whole shell text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// Its commands, in source order. What stood before and after a mistake is here too.
    pub list: List,
    /// What was not understood, in source order. A text is understood exactly when this is empty.
    pub faults: Vec<Fault>,
    /// Set where the text was longer, more numerous or more deeply nested than the limits: the tree then lacks parts.
    pub oversized: bool,
}

/// A part of a text that was not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The part: from where it went wrong to where reading went on.
    pub span: Span,
    /// What a person would say about it, such as "a quote that nothing closes".
    pub message: &'static str,
}

/// Pipelines one after another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// The pipelines, in source order.
    pub pipelines: Vec<Pipeline>,
}

/// Commands that are connected by pipes; mostly a single one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// From `!`, `time` or the first command up to the end of the last command.
    pub span: Span,
    /// Whether `!` stands in front (an even number of them still counts).
    pub negated: bool,
    /// Span of `time`, with its options `-p` and `--`, where it stands in front.
    pub time: Option<Span>,
    /// The commands.
    pub commands: Vec<Command>,
    /// What ends the pipeline.
    pub end: Terminator,
}

/// What follows a pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Terminator {
    /// The end of the list.
    #[default]
    None,
    /// `;` or a newline (or `;;` and the like at the end of a `case` arm).
    Sequence,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `&`
    Background,
}

/// One command of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// From its first to its last word or redirection.
    pub span: Span,
    /// What it is.
    pub kind: CommandKind,
    /// Redirections, in source order, wherever they stand.
    pub redirects: Vec<Redirect>,
}

/// The kinds of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// Assignments and words; either may be missing, and both are where only redirections stand.
    Simple(Simple),
    /// `{ ...; }`
    Group(List),
    /// `( ... )`
    Subshell(List),
    /// `if`: each condition with its body, then the body of `else`.
    If {
        /// Conditions and bodies of `if` and each `elif`.
        branches: Vec<(List, List)>,
        /// The body of `else`.
        otherwise: Option<List>,
    },
    /// `while` and `until`.
    While {
        /// The condition.
        condition: List,
        /// The body.
        body: List,
    },
    /// `for NAME in WORDS` and `select NAME in WORDS`.
    For {
        /// The variable.
        name: String,
        /// The words; `None` where there is no `in`: the positional parameters.
        words: Option<Vec<Word>>,
        /// The body.
        body: List,
        /// Whether it is `select`.
        is_select: bool,
    },
    /// `for (( ... ))`
    ArithmeticFor {
        /// The text between the parentheses as one word (one part for each expansion, text between).
        header: Word,
        /// The body.
        body: List,
    },
    /// `case WORD in ... esac`
    Case {
        /// The word.
        subject: Word,
        /// The arms.
        arms: Vec<CaseArm>,
    },
    /// `(( ... ))`: the text between the parentheses.
    Arithmetic(Word),
    /// `[[ ... ]]`: its words in source order, operators and parentheses among them.
    Test(Vec<Word>),
    /// `NAME() COMMAND` and `function NAME COMMAND`.
    Function {
        /// The name.
        name: String,
        /// The body.
        body: Box<Command>,
    },
    /// `coproc [NAME] COMMAND`
    Coprocess(Box<Command>),
}

/// One arm of a `case`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaseArm {
    /// The patterns.
    pub patterns: Vec<Word>,
    /// The commands.
    pub body: List,
}

/// Assignments and words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    /// `NAME=value` in front of the first word.
    pub assignments: Vec<Assignment>,
    /// Command word and arguments. An argument `NAME=(...)` of `declare`, `export`, `local`, `readonly`, `typeset` is a word
    /// whose last part is [`Part::Array`].
    pub words: Vec<Word>,
}

/// `NAME=value`, `NAME+=value`, `NAME[subscript]=value` or `NAME=(...)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// From the name to the end of the value.
    pub span: Span,
    /// The variable.
    pub name: String,
    /// What stands between the brackets.
    pub subscript: Option<Word>,
    /// Whether it is `+=`.
    pub appends: bool,
    /// The value: a word, empty where nothing follows `=`; a single [`Part::Array`] for `(...)`.
    pub value: Word,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// From its file descriptor, or operator, to the end of its target. The body of a here-document is not in it.
    pub span: Span,
    /// The operator.
    pub operator: RedirectOperator,
    /// Digits or `{name}` in front.
    pub descriptor: Option<Span>,
    /// The word behind it; for a here-document the delimiter.
    pub target: Word,
    /// The body, for `<<` and `<<-`.
    pub here_document: Option<HereDocument>,
}

/// The redirection operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RedirectOperator {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<<` and `<<-`
    HereDocument,
    /// `<<<`
    HereString,
}

/// The body of a here-document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HereDocument {
    /// From the first byte of the body to the last before the delimiter's line.
    pub span: Span,
    /// Whether a part of the delimiter is quoted: the body is then text.
    pub is_quoted: bool,
    /// The body as one word: a single [`Part::Text`] where it is quoted, text and expansions otherwise. Of `<<-` the tabs
    /// that begin its lines are gone from the text.
    pub body: Word,
}

/// A word: its parts stand side by side. A word without parts cannot be; `''` is one empty quoted text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Word {
    /// Where it stands.
    pub span: Span,
    /// Its parts.
    pub parts: Vec<Part>,
}

/// A part of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text, as the shell would read it: quotes and escapes removed, line continuations joined.
    Text {
        /// Where it stands, quotes included.
        span: Span,
        /// What it says.
        text: String,
        /// How it is quoted. Only [`Quoting::None`] can be a glob, a brace list, a tilde.
        quoting: Quoting,
    },
    /// `"..."` (and `$"..."`): the parts between the quotes; their texts have quoting [`Quoting::Double`].
    Quoted {
        /// Where it stands, quotes included.
        span: Span,
        /// What stands between the quotes; empty for `""`.
        parts: Vec<Part>,
    },
    /// `$NAME`, `${NAME...}`, `$1`, `$@` and their like.
    Parameter(Parameter),
    /// `$(...)`, backticks, `${ ...; }`, `${|...; }`.
    Command {
        /// Where it stands.
        span: Span,
        /// What runs.
        inner: Inner,
    },
    /// `<(...)` and `>(...)`.
    Process {
        /// Where it stands.
        span: Span,
        /// Whether it is `<(...)`.
        is_input: bool,
        /// What runs.
        inner: Inner,
    },
    /// `$((...))` and `$[...]`: what stands between.
    Arithmetic {
        /// Where it stands.
        span: Span,
        /// The expression: text and expansions.
        expression: Vec<Part>,
    },
    /// `(...)` of an array assignment.
    Array {
        /// Where it stands.
        span: Span,
        /// The elements; `[key]=value` is one word.
        elements: Vec<Word>,
    },
}

/// How a text is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quoting {
    /// Not at all.
    None,
    /// By a backslash: the part is that one character.
    Escaped,
    /// `'...'`
    Single,
    /// `$'...'`, its escapes decoded.
    Ansi,
    /// Inside `"..."` or an unquoted here-document.
    Double,
}

/// A parameter expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Where it stands, `$` included.
    pub span: Span,
    /// The name: letters, or a digit, or one of `@ * # ? - $ !`.
    pub name: String,
    /// What stands between `[` and `]`.
    pub subscript: Option<Vec<Part>>,
    /// `${#NAME}`
    pub is_length: bool,
    /// `${!NAME}`: the name is read from the variable (also `${!NAME@}`, `${!NAME[@]}`).
    pub is_indirect: bool,
    /// The operator and what follows it, if any.
    pub operation: Option<Operation>,
}

/// What a parameter expansion does with the value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// `:-`, `-`, `:=`, `=`, `:?`, `?`, `:+`, `+`, `#`, `##`, `%`, `%%`, `/`, `//`, `/#`, `/%`, `^`, `^^`, `,`, `,,`, `:` (substring), `@`.
    pub operator: &'static str,
    /// All that follows the operator: for defaults and alternatives the word; for `/` pattern, `/` and replacement as they stand;
    /// for `@` the letter.
    pub operand: Vec<Part>,
}

/// Commands inside a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inner {
    /// The text that the spans below refer to, where it is not a slice of the outer one: backticks, whose backslashes are
    /// read once before the commands are.
    pub text: Option<String>,
    /// The commands.
    pub list: List,
}
