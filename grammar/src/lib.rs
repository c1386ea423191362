//! Concrete syntaxes of permc, read into trees that know where every part stands.
//!
//! Four syntaxes live here: [`jsonc`], JSON with comments and trailing commas,
//! [`pattern`], the wildcard patterns, [`glob`], globs over paths, and [`shell`], commands as bash reads them. This crate gives text a shape and no
//! meaning: it knows nothing of what a key or a pattern stands for, and it does
//! no input or output. Every input gives a tree or a [`error::SyntaxError`] that
//! says where the text went wrong; none makes it panic, and [`limits`] bound the
//! size and the nesting before any recursion starts.
//!
//! # Example
//!
//! ```
//! use permc_grammar::jsonc::{self, ValueKind};
//! use permc_grammar::limits::Limits;
//! use permc_grammar::span::LineIndex;
//!
//! let text = "{\n  // why\n  \"key\": [1, 2,],\n}";
//! let document = jsonc::parse(text, &Limits::default())?;
//! let ValueKind::Object(members) = &document.root.kind else { return Ok(()) };
//! let [member] = members.as_slice() else { return Ok(()) };
//! assert_eq!(member.key.value, "key");
//!
//! let lines = LineIndex::new(text);
//! let place = lines.line_column(text, member.key.span.start);
//! assert_eq!((place.line, place.column), (3, 3));
//! # Ok::<(), permc_grammar::error::SyntaxError>(())
//! ```

pub mod error;
pub mod glob;
pub mod jsonc;
pub mod limits;
pub mod pattern;
mod rules;
pub mod shell;
pub mod span;
