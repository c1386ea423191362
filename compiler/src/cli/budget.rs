//! Budgets and the size limit as options: their names, defaults and units, and what is said where a value is wrong.

use std::fmt::Write as _;
use std::path::Path;

use clap::Args;
use permc_runtime::Policy;

use crate::compile::{Compilation, Output};
use crate::diagnostic::{Code, Diagnostic, quote};
use crate::options::Budget;
use crate::suggest::suggest;

use super::failure::Failure;
use super::text::{counted, grouped, shown_path, ticked};

/// One budget as the command line knows it.
struct Named {
    name: &'static str,
    unit: &'static str,
    field: fn(&mut Budget) -> &mut usize,
    beyond: &'static str,
}

/// The budget that bounds searches, which tools also make over an artifact.
const SEARCH_NODES: &str = "search-nodes";

const BUDGETS: [Named; 8] = [
    Named {
        name: "merged-states",
        unit: "states",
        field: |budget| &mut budget.merged_states,
        beyond: "a surface's rules are split by shape over several tables",
    },
    Named {
        name: "joint-bytes",
        unit: "bytes",
        field: |budget| &mut budget.joint_bytes,
        beyond: "prefixes and infixes get a table each, and a lookup walks both",
    },
    Named {
        name: "group-states",
        unit: "states",
        field: |budget| &mut budget.group_states,
        beyond: "a table finds a literal of these rules, and their patterns are looked at one by one",
    },
    Named {
        name: "steps",
        unit: "steps of building one table beyond 64 a position of its patterns",
        field: |budget| &mut budget.steps,
        beyond: "as beyond the states of that table",
    },
    Named {
        name: "exact-rules",
        unit: "exact patterns of a class with several tables",
        field: |budget| &mut budget.exact_rules,
        beyond: "these patterns are found by hash, in a table of their own",
    },
    Named {
        name: "shared-rules",
        unit: "rules of the base view times agents",
        field: |budget| &mut budget.shared_rules,
        beyond: "agents take the tables of the base view, and one more each for rules of their own",
    },
    Named {
        name: "surface-states",
        unit: "states",
        field: |budget| &mut budget.surface_states,
        beyond: "surfaces without a name of their own ask a table for each wildcard surface that matches",
    },
    Named {
        name: SEARCH_NODES,
        unit: "nodes",
        field: |budget| &mut budget.search_nodes,
        beyond: "a search is undecided: the tool counts as exposed, the rule as one that may win",
    },
];

/// How large tables and the artifact may grow.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Budgets")]
pub(crate) struct BudgetArgs {
    /// A budget of the tables; may be repeated.
    #[arg(long = "budget", value_name = "NAME=VALUE", long_help = long_help())]
    budgets: Vec<String>,
    /// Refuse to compile to more than this many bytes; without it the format's own limit of 4 GiB a section holds.
    #[arg(long, value_name = "BYTES")]
    max_artifact: Option<String>,
}

/// The limits that a command was given.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Bounds {
    pub(crate) budget: Budget,
    pub(crate) max_artifact: Option<usize>,
}

impl BudgetArgs {
    /// Reads the options.
    pub(crate) fn bounds(&self) -> Result<Bounds, Failure> {
        let mut bounds = Bounds::default();
        let mut seen: Vec<&str> = Vec::new();
        for given in &self.budgets {
            let (named, value) = read(given)?;
            if seen.contains(&named.name) {
                return Err(
                    Failure::usage(format!("the budget `{}` is given twice", named.name))
                        .help("leave one of them out"),
                );
            }
            seen.push(named.name);
            *(named.field)(&mut bounds.budget) = value;
        }
        if let Some(text) = &self.max_artifact {
            bounds.max_artifact = Some(number(text).map_err(|why| {
                Failure::usage(format!(
                    "the value {} of `--max-artifact` is {why}",
                    ticked(text)
                ))
                .help("for example `--max-artifact 16777216`, which is 16 MiB")
            })?);
        }
        Ok(bounds)
    }

    /// Refuses limits about a policy that is compiled already; a search over it still has one.
    pub(crate) fn for_artifact(
        &self,
        path: &Path,
        cwd: &Path,
        searches: bool,
    ) -> Result<(), Failure> {
        let is_of_search = |given: &String| {
            searches
                && given
                    .split_once('=')
                    .is_some_and(|(name, _)| name.trim() == SEARCH_NODES)
        };
        let flag = if self.max_artifact.is_some() {
            "--max-artifact"
        } else if self.budgets.iter().any(|given| !is_of_search(given)) {
            "--budget"
        } else {
            return Ok(());
        };
        Err(Failure::usage(format!(
            "{}: this is compiled already, so that `{flag}` changes nothing",
            shown_path(path, cwd)
        ))
        .help("give it to `permc compile`, or name the manifest instead of the artifact"))
    }
}

fn read(given: &str) -> Result<(&'static Named, usize), Failure> {
    let Some((name, value)) = given.split_once('=') else {
        return Err(
            Failure::usage(format!("the budget {} has no value", ticked(given)))
                .help(format!("write `NAME=VALUE`; {}", all_names())),
        );
    };
    let name = name.trim();
    let Some(named) = BUDGETS.iter().find(|named| named.name == name) else {
        let names = BUDGETS.each_ref().map(|named| named.name);
        let help = match suggest(name, &names) {
            Some(near) => format!("did you mean `{near}`? {}", all_names()),
            None => all_names(),
        };
        return Err(Failure::usage(format!("unknown budget {}", ticked(name))).help(help));
    };
    let value = number(value).map_err(|why| {
        Failure::usage(format!(
            "the value {} of the budget `{name}` is {why}",
            ticked(value)
        ))
        .help(format!(
            "the default is `{name}={}`, in {}",
            default_of(named),
            named.unit
        ))
    })?;
    Ok((named, value))
}

/// A whole number; as large on every machine, so that the same options give the same bytes.
fn number(text: &str) -> Result<usize, &'static str> {
    const WRONG: &str = "not a whole number from 0 to 4294967295";
    let digits: String = text.trim().chars().filter(|c| *c != '_').collect();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(WRONG);
    }
    let value: u32 = digits.parse().map_err(|_| WRONG)?;
    usize::try_from(value).map_err(|_| WRONG)
}

fn default_of(named: &Named) -> usize {
    *(named.field)(&mut Budget::default())
}

fn all_names() -> String {
    let names = BUDGETS.each_ref().map(|named| format!("`{}`", named.name));
    format!("the budgets are {}", names.join(", "))
}

/// The help of `--budget`, from the same list that it is read by.
fn long_help() -> String {
    let mut text = "A budget of the tables; may be repeated. Every policy compiles under any budget: what passes one \
                    takes another layout, which is slower to ask. Budgets, defaults, and what holds beyond:\n"
        .to_owned();
    for named in &BUDGETS {
        let _ = write!(
            text,
            "\n- {}={}: {}; beyond, {}",
            named.name,
            default_of(named),
            named.unit,
            named.beyond
        );
    }
    text
}

/// Every budget with its value, in the order of the list.
pub(crate) fn values(budget: &Budget) -> Vec<(&'static str, usize)> {
    let mut budget = *budget;
    BUDGETS
        .iter()
        .map(|named| (named.name, *(named.field)(&mut budget)))
        .collect()
}

impl Bounds {
    /// Takes the output away where it passes the size limit, and says what makes it large.
    pub(crate) fn hold(&self, mut compilation: Compilation) -> Compilation {
        let Some(max) = self.max_artifact else {
            return compilation;
        };
        if let Some(output) = compilation
            .output
            .take_if(|output| output.bytes.len() > max)
        {
            compilation.diagnostics.push(too_large(&output, max));
        }
        compilation
    }
}

fn too_large(output: &Output, max: usize) -> Diagnostic {
    let message = format!(
        "the artifact has {}, more than the limit of {}",
        bytes(output.bytes.len()),
        grouped(max)
    );
    let mut found = Diagnostic::new(Code::TABLE_TOO_LARGE, message);
    let lengths = output.policy.rules.iter().map(|rule| rule.pattern.len());
    let total: usize = lengths.sum();
    let longest = output
        .policy
        .rules
        .iter()
        .max_by_key(|rule| rule.pattern.len());
    // One pattern that outweighs all others is the thing to look at; else the tables and sections are.
    if let Some(rule) = longest
        && rule.pattern.len().saturating_mul(2) > total
        && rule.pattern.len().saturating_mul(8) > max
        && let Some(location) = rule.location
    {
        found = found.at(location, "the longest pattern");
        found.notes.push(format!(
            "the pattern {} has {}, all patterns together have {}",
            quote(&rule.pattern),
            bytes(rule.pattern.len()),
            bytes(total)
        ));
        found
            .helps
            .push("use a wildcard for the part that varies".to_owned());
    }
    found.notes.extend(weights(output));
    found.helps.push(
        "drop rules that can never win (`permc list --unreachable` shows them), or raise `--max-artifact`".to_owned(),
    );
    found
}

/// What takes the room: the largest sections, and the surface with the largest tables.
fn weights(output: &Output) -> Option<String> {
    let policy = Policy::from_bytes(output.bytes.as_slice()).ok()?;
    let contents = policy.contents().ok()?;
    let mut sections: Vec<(u64, &str)> = contents
        .sections()
        .into_iter()
        .map(|(_, name, _, length)| (length, name))
        .collect();
    sections.sort_unstable_by(|left, right| right.cmp(left));
    let shown = sections.iter().take(3).map(|(length, name)| {
        let length = usize::try_from(*length).unwrap_or(usize::MAX);
        format!("`{name}` {}", grouped(length))
    });
    let sections = shown.collect::<Vec<_>>().join(", ");
    let sizes: Vec<usize> = contents.tables().map(|table| table.bytes).collect();
    let of_surface = |surface: &str| -> usize {
        let class = contents.class(0, surface);
        let tables = class.iter().flat_map(|class| class.tables());
        tables
            .filter_map(|table| sizes.get(usize::try_from(table).ok()?))
            .sum()
    };
    let largest = contents
        .surfaces()
        .map(|surface| (of_surface(surface), surface))
        .max_by_key(|(size, _)| *size);
    let tables = largest.map_or_else(String::new, |(size, surface)| {
        format!("; the tables of {} have {}", quote(surface), bytes(size))
    });
    Some(format!("the largest sections are {sections}{tables}"))
}

fn bytes(count: usize) -> String {
    match count {
        1 => counted(1, "byte"),
        _ => format!("{} bytes", grouped(count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn args(budgets: &[&str], max_artifact: Option<&str>) -> BudgetArgs {
        BudgetArgs {
            budgets: budgets.iter().map(|&given| given.to_owned()).collect(),
            max_artifact: max_artifact.map(str::to_owned),
        }
    }

    #[test]
    fn each_name_sets_its_field_and_no_other() {
        for (number, named) in (7..).zip(&BUDGETS) {
            let given = format!("{}={number}", named.name);
            let bounds = args(&[&given], None).bounds().unwrap();
            let mut expected = Budget::default();
            *(named.field)(&mut expected) = number;
            assert_eq!(bounds.budget, expected, "{given}");
            assert!(values(&bounds.budget).contains(&(named.name, number)));
        }
        assert_eq!(values(&Budget::default()).len(), BUDGETS.len());
    }

    #[test]
    fn numbers_may_be_grouped_and_are_the_same_on_every_machine() {
        for (text, expected) in [
            ("0", 0),
            ("2_048", 2_048),
            (" 7 ", 7),
            ("4294967295", 4_294_967_295),
        ] {
            assert_eq!(number(text), Ok(expected), "{text}");
        }
        for text in ["", "-1", "1k", "1.5", "4294967296", "_", "0x10", "+1"] {
            assert!(number(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_not_given_stays_as_it_is() {
        let bounds = args(&[], None).bounds().unwrap();
        assert_eq!(
            (bounds.budget, bounds.max_artifact),
            (Budget::default(), None)
        );
        let bounds = args(&[], Some("1_000")).bounds().unwrap();
        assert_eq!(bounds.max_artifact, Some(1_000));
    }
}
