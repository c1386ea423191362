//! What a shell knows while it runs a text: variables, working directory, functions, files that it wrote.

use std::collections::BTreeMap;
use std::rc::Rc;

use permc_grammar::shell::Command;

/// Most alternatives that are kept of one value.
const MOST_VALUES: usize = 16;
/// Most directories that the working directory may be.
const MOST_BASES: usize = 8;

/// A variable: what it may hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variable {
    /// Each alternative as its elements; one for a scalar.
    pub(crate) values: Vec<Vec<String>>,
    /// Whether it may also hold something that only run time knows.
    pub(crate) is_open: bool,
}

impl Variable {
    /// A variable that holds one text.
    pub(crate) fn known(text: impl Into<String>) -> Self {
        Self {
            values: vec![vec![text.into()]],
            is_open: false,
        }
    }

    /// A variable of which nothing is known.
    pub(crate) fn unknown() -> Self {
        Self {
            values: Vec::new(),
            is_open: true,
        }
    }

    fn merge(&mut self, other: &Self) {
        for value in &other.values {
            if !self.values.contains(value) {
                if self.values.len() < MOST_VALUES {
                    self.values.push(value.clone());
                } else {
                    self.is_open = true;
                }
            }
        }
        self.is_open |= other.is_open;
    }
}

/// A function's body with the text that its spans refer to.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) command: Command,
    pub(crate) source: Rc<str>,
    /// Which text that is.
    pub(crate) source_id: usize,
}

/// A file that an earlier command of the same text wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    /// Its absolute path.
    pub(crate) path: String,
    /// What was written, where that is literal.
    pub(crate) text: Option<String>,
}

/// The state of one shell.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    variables: BTreeMap<String, Variable>,
    /// The directories that the working directory may be, absolute.
    pub(crate) bases: Vec<String>,
    /// Whether it may also be one that only run time knows.
    pub(crate) is_base_open: bool,
    pub(crate) functions: BTreeMap<String, Vec<Rc<Body>>>,
    pub(crate) written: Vec<Written>,
    /// An assignment that changes what later commands run.
    pub(crate) overridden: Option<String>,
    /// Whether a literal `$(` or backtick was put into a variable.
    pub(crate) is_tainted: bool,
    /// Whether a variable was declared an integer, so that assigning to it evaluates.
    pub(crate) has_integer: bool,
}

impl State {
    /// A shell that starts in a directory.
    pub(crate) fn new(directory: &str, home: Option<&str>) -> Self {
        let mut state = Self {
            bases: vec![directory.to_owned()],
            ..Self::default()
        };
        if let Some(home) = home {
            state.assign("HOME", Variable::known(home));
        }
        state
    }

    /// The variable of a name.
    pub(crate) fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.get(name)
    }

    /// Sets a variable.
    pub(crate) fn assign(&mut self, name: &str, value: Variable) {
        self.variables.insert(name.to_owned(), value);
    }

    /// Removes a variable.
    pub(crate) fn forget(&mut self, name: &str) {
        self.variables.remove(name);
    }

    /// Moves to a directory.
    pub(crate) fn enter(&mut self, bases: Vec<String>) {
        self.bases = bases;
        self.is_base_open = false;
    }

    /// Moves to a directory that only run time knows.
    pub(crate) fn enter_unknown(&mut self) {
        self.bases.clear();
        self.is_base_open = true;
    }

    /// Defines a function; an earlier body of the name still counts where a branch may have kept it.
    pub(crate) fn define(&mut self, name: &str, body: Rc<Body>) {
        let bodies = self.functions.entry(name.to_owned()).or_default();
        bodies.retain(|known| known.command != body.command);
        bodies.push(body);
        if bodies.len() > 4 {
            bodies.remove(0);
        }
    }

    /// Adds what another run of the same shell may have left: both are possible from here on.
    pub(crate) fn merge(&mut self, other: &Self) {
        for (name, variable) in &other.variables {
            match self.variables.get_mut(name) {
                Some(known) => known.merge(variable),
                None => {
                    self.variables.insert(name.clone(), variable.clone());
                }
            }
        }
        for base in &other.bases {
            if !self.bases.contains(base) {
                if self.bases.len() < MOST_BASES {
                    self.bases.push(base.clone());
                } else {
                    self.is_base_open = true;
                }
            }
        }
        self.is_base_open |= other.is_base_open;
        for (name, bodies) in &other.functions {
            for body in bodies {
                let known = self.functions.entry(name.clone()).or_default();
                if !known.iter().any(|known| Rc::ptr_eq(known, body)) && known.len() < 4 {
                    known.push(Rc::clone(body));
                }
            }
        }
        for written in &other.written {
            if !self.written.contains(written) {
                self.written.push(written.clone());
            }
        }
        if self.overridden.is_none() {
            self.overridden.clone_from(&other.overridden);
        }
        self.is_tainted |= other.is_tainted;
        self.has_integer |= other.has_integer;
    }

    /// Whether two states differ in what a second run of a loop's body would see.
    pub(crate) fn differs(&self, other: &Self) -> bool {
        self.variables != other.variables
            || self.bases != other.bases
            || self.is_base_open != other.is_base_open
            || self.written != other.written
    }
}
