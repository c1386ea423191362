//! Normal forms: other spellings of what a unit runs, for specific asks and denies only (page 2b, b.4).

use super::field::Field;
use super::state::State;
use super::walk::Walker;
use super::words::names;
use crate::programs;
use crate::text::{absolute, base_name};

impl Walker<'_> {
    /// The spellings of one reading of a command.
    pub(super) fn forms(&mut self, unit: usize, fields: &[Field], state: &State) {
        let words = names(fields);
        let texts: Vec<String> = fields.iter().map(|field| self.expanded(field)).collect();
        let Some((head, rest)) = texts.split_first() else {
            return;
        };
        let heads = self.spellings(head, state);
        let kept = programs::without_globals(&words);
        for head in &heads {
            self.form(unit, joined(head, rest.iter()));
            if fields.iter().any(|field| field.has_tilde) {
                let typed = fields.iter().skip(1).map(|field| &field.text);
                self.form(unit, joined(head, typed));
            }
            for indices in &kept {
                let rest = indices.iter().skip(1).filter_map(|index| texts.get(*index));
                self.form(unit, joined(head, rest));
            }
        }
        if let Some(script) = programs::script_operand(&words)
            && let Some(path) = texts.get(script)
        {
            let arguments = texts.get(script.saturating_add(1)..).unwrap_or_default();
            for spelling in self.spellings(path, state) {
                // The script as if it were called itself, and as the shell's operand.
                self.form(unit, joined(&spelling, arguments.iter()));
                let options = texts.get(1..script).unwrap_or_default();
                let operands = options
                    .iter()
                    .chain(std::iter::once(&spelling))
                    .chain(arguments);
                self.form(unit, joined(base_name(head), operands));
            }
            if !path.contains('/') {
                self.form(unit, joined(&format!("./{path}"), arguments.iter()));
            }
        }
    }

    /// A field's text with a leading `~` expanded.
    fn expanded(&self, field: &Field) -> String {
        if field.has_tilde
            && let Some(home) = self.setting.home
            && let Some(rest) = field.text.strip_prefix('~')
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return format!("{}{rest}", home.strip_suffix('/').unwrap_or(home));
        }
        field.text.clone()
    }

    /// A command word as it stands, by its base name, and by its path.
    fn spellings(&self, word: &str, state: &State) -> Vec<String> {
        let mut spellings = vec![word.to_owned()];
        if !word.contains('/') {
            return spellings;
        }
        let mut add = |spelling: String| {
            if !spelling.is_empty() && !spellings.contains(&spelling) {
                spellings.push(spelling);
            }
        };
        add(base_name(word).to_owned());
        for base in &state.bases {
            let path = absolute(word, base, self.setting.home);
            let inside = path
                .strip_prefix(self.setting.cwd)
                .and_then(|rest| rest.strip_prefix('/'));
            if let Some(relative) = inside {
                add(relative.to_owned());
                add(format!("./{relative}"));
            }
            add(path);
        }
        spellings
    }
}

fn joined<'a>(head: &str, rest: impl Iterator<Item = &'a String>) -> String {
    let mut text = head.to_owned();
    for word in rest {
        text.push(' ');
        text.push_str(word);
    }
    text
}
