//! Tables that were made to do harm, in narrow and in wide cells: a typed error, and the nearest table that loads.

use permc::Options;
use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc_runtime::format::{NONE, ROW_DELTA, ROW_DENSE, ROW_PATH, TABLE_NARROW, section};
use permc_runtime::{Context, Policy, Session};
use permc_tests::engine::compiled;
use permc_tests::forge::{Artifact, Row, Table, field};

use crate::hostile::{CLAIMS, artifact, layout, load, loads, refused, widened};

/// The artifact with one of its tables changed, in narrow and in wide cells: `check` is given both.
fn with_table(
    pick: impl Fn(&Table) -> bool,
    change: impl Fn(&mut Table),
    check: impl Fn(&Artifact),
) {
    for wide in [false, true] {
        let mut artifact = artifact();
        let mut tables = artifact.tables();
        let at = tables.iter().position(&pick).unwrap();
        if wide {
            tables[at] = widened(&tables[at]);
        }
        change(&mut tables[at]);
        artifact.set_tables(&tables);
        check(&artifact);
    }
}

/// Refused with this change of the table that has rows of every kind, lists and a home start.
fn table_refused(change: impl Fn(&mut Table), what: &str) {
    with_table(has_all, change, |artifact| {
        refused(artifact, "tables", what)
    });
}

fn table_loads(change: impl Fn(&mut Table)) {
    with_table(has_all, change, loads);
}

fn has_all(table: &Table) -> bool {
    let rows = table.rows();
    let has = |kind| {
        rows.iter()
            .any(|row| row.kind == kind && !row.targets.is_empty())
    };
    has(ROW_DELTA)
        && has(ROW_PATH)
        && table.has_home()
        && table.lists.iter().any(|list| list[2] != 0)
}

#[test]
fn counts_of_tables_are_held_to_their_length() {
    for field in [field::HEADS, field::LISTS, field::ENTRIES, field::CELLS] {
        for claim in CLAIMS {
            table_refused(|table| table.counts[field] = claim, "");
        }
        table_refused(|table| table.counts[field] += 1, "");
        table_refused(|table| table.counts[field] -= 1, "");
    }
    for claim in CLAIMS.into_iter().chain([0, 1]) {
        table_refused(|table| table.counts[field::CLASSES] = claim, "");
    }
    // A class that no byte has is a column more in each dense row.
    table_refused(|table| table.counts[field::CLASSES] += 1, "");
    table_refused(
        |table| table.classes[7] = u8::try_from(table.counts[field::CLASSES]).unwrap(),
        "byte class lies outside",
    );
    table_loads(|table| table.classes[7] = u8::try_from(table.counts[field::CLASSES] - 1).unwrap());
    table_refused(
        |table| table.padding.extend([0; 4]),
        "contradict its length",
    );
    table_refused(|table| table.padding.truncate(4), "contradict its length");
    table_refused(
        |table| *table.padding.last_mut().unwrap() = 1,
        "contradict its length",
    );
    table_loads(Table::settle);
}

#[test]
fn transitions_go_to_rows() {
    const WHAT: &str = "transition is out of range or its attention bit is wrong";
    for kind in [ROW_DENSE, ROW_DELTA, ROW_PATH] {
        let to = |place: fn(&Table) -> usize| {
            move |table: &mut Table| {
                let target = table.row_of(kind).targets.start;
                table.cells[target] = u32::try_from(place(table)).unwrap();
            }
        };
        // The middle of a dense row, of a path, of a delta row, the padding, past the end, as far as a cell can say.
        table_refused(to(|table| table.row_of(ROW_DENSE).at + 1), WHAT);
        table_refused(to(|table| table.row_of(ROW_PATH).end - 1), WHAT);
        table_refused(to(|table| table.row_of(ROW_DELTA).at + 1), WHAT);
        table_refused(to(|table| table.cells.len()), WHAT);
        table_refused(to(|table| table.cells.len() + 3), WHAT);
        table_refused(to(|_| (1 << 15) - 1), WHAT);
        table_refused(
            |table| {
                let target = table.row_of(kind).targets.start;
                table.cells[target] |= table.attention() - 1;
            },
            WHAT,
        );
        // The bit that asks for a look, wrong either way.
        table_refused(
            |table| {
                let target = table.row_of(kind).targets.start;
                table.cells[target] ^= table.attention();
            },
            WHAT,
        );
        // The nearest transition that may be: what another row of the kind has.
        table_loads(|table| {
            let row = table.row_of(kind);
            table.cells[row.targets.start] = table.cells[table.row_of(ROW_DENSE).targets.end - 1];
        });
    }
}

#[test]
fn attention_follows_the_head() {
    const WHAT: &str = "attention bit is wrong";
    let plain = |table: &Table| {
        let is_plain = |head: &[u32; 4]| head[0] == 0 && head[3] == 0 && head[2] != 0;
        table.heads.iter().position(is_plain).unwrap()
    };
    for (column, value) in [(0, 1), (3, 1), (2, 0)] {
        table_refused(
            |table| {
                let head = plain(table);
                table.heads[head][column] = value;
            },
            WHAT,
        );
    }
    // The end needs no look before the value is over.
    table_loads(|table| {
        let head = plain(table);
        table.heads[head][1] = table.bound;
    });
}

#[test]
fn rows_refer_to_dense_rows() {
    const WHAT: &str = "refers to something that is no dense row";
    for kind in [ROW_DELTA, ROW_PATH] {
        let refer = |place: fn(&Table) -> usize| {
            move |table: &mut Table| {
                let reference = table.row_of(kind).reference.unwrap();
                table.cells[reference] = u32::try_from(place(table)).unwrap();
            }
        };
        table_refused(refer(|table| table.row_of(ROW_DELTA).at), WHAT);
        table_refused(refer(|table| table.row_of(ROW_PATH).at), WHAT);
        table_refused(refer(|table| table.row_of(ROW_DENSE).at + 1), WHAT);
        table_refused(refer(|table| table.cells.len()), WHAT);
        table_refused(refer(|_| 0xFFFF), WHAT);
        table_loads(refer(|table| {
            table
                .rows()
                .iter()
                .rfind(|row| row.kind == ROW_DENSE)
                .unwrap()
                .at
        }));
    }
}

#[test]
fn counts_of_rows_are_held_to_the_table() {
    let recount = |kind: u32, as_kind: u32, n: usize| {
        move |table: &mut Table| {
            let row = table.row_of(kind);
            table.cells[row.at] = table.header_cell(&row, as_kind, n);
        }
    };
    table_refused(recount(ROW_PATH, ROW_PATH, 0), "unknown kind");
    table_refused(recount(ROW_DENSE, ROW_DENSE, 1), "unknown kind");
    table_refused(recount(ROW_DENSE, 3, 0), "unknown kind");
    for kind in [ROW_PATH, ROW_DELTA] {
        // As many as a header can say, in the last row: it leaves the table.
        table_refused(
            move |table| {
                let row = table
                    .rows()
                    .into_iter()
                    .rfind(|row| row.kind == kind)
                    .unwrap();
                let most = if table.kind == TABLE_NARROW {
                    (1 << 14) - 1
                } else {
                    255
                };
                table.cells[row.at] = table.header_cell(&row, kind, most);
            },
            "",
        );
    }
    // A delta row without exceptions is its reference's row.
    let no_exception = |table: &mut Table| {
        let at = table.cells.len();
        let row = table.row_of(ROW_DELTA);
        let mut cells = table.cells[row.at..=row.reference.unwrap()].to_vec();
        cells[0] = table.header_cell(&row, ROW_DELTA, 0);
        table.cells.extend(cells);
        table.settle();
        at
    };
    table_loads(move |table| {
        no_exception(table);
    });
    table_refused(
        move |table| {
            let at = no_exception(table);
            table.cells[at] = table.header_cell(&table.row_of(ROW_DELTA), ROW_DELTA, 1);
        },
        "a row of a table is cut",
    );
    table_refused(
        |table| {
            table.cells.pop();
            table.settle();
        },
        "",
    );
}

#[test]
fn starts_are_rows() {
    for start in [field::START, field::HOME_START] {
        for claim in [1, (1 << 15) - 1, 1 << 15, u32::MAX - 1, 1 << 31] {
            table_refused(
                move |table| table.counts[start] = claim,
                "start state is out of range",
            );
        }
        table_refused(
            move |table| table.counts[start] = table.counts[field::CELLS],
            "start state is out of range",
        );
        table_loads(move |table| {
            table.counts[start] = u32::try_from(table.row_of(ROW_PATH).at).unwrap()
        });
    }
    table_refused(
        |table| table.counts[field::START] = NONE,
        "start state is out of range",
    );
    table_loads(|table| table.counts[field::HOME_START] = NONE);
}

#[test]
fn dense_rows_end_where_it_is_said() {
    const WHAT: &str = "dense rows and others are mixed";
    table_refused(|table| table.counts[field::DENSE_END] = 0, WHAT);
    table_refused(
        |table| table.counts[field::DENSE_END] = table.row_of(ROW_DENSE).end.try_into().unwrap(),
        WHAT,
    );
    table_refused(|table| table.counts[field::DENSE_END] += 1, WHAT);
    for claim in CLAIMS {
        table_refused(move |table| table.counts[field::DENSE_END] = claim, WHAT);
    }
    table_loads(|_| ());
}

/// Where all rows are dense, the dense ones have to end where the table does: a walk takes what stands before for a
/// row, and a transition that asks for a look is known as a number behind it.
#[test]
fn dense_rows_end_inside_the_table() {
    let document = r#"{ "permission": { "*": "ask", "bash": { "a*": "allow" } } }"#;
    let sources = SourceSet::from(vec![SourceDocument::new(
        Role::Global,
        "policy.jsonc",
        document,
    )]);
    let right = Artifact::read(&compiled(&sources, &Options::default()).bytes);
    let tables = right.tables();
    let policy = Policy::from_bytes(right.write()).unwrap();
    let class = policy.contents().unwrap().class(0, "bash").unwrap();
    let at = usize::try_from(class.tables().next().unwrap()).unwrap();
    // Two states, the second one behind any `a`; a row is a header of two cells, and two transitions.
    let look = 1 << 15;
    let mut table = Table {
        kind: TABLE_NARROW,
        bound: 2,
        counts: [2, 8, 8, 2, 0, 0, 0, NONE],
        classes: vec![0; 256],
        heads: vec![[1, 0, 2, 0], [2, 0, 0, 0]],
        lists: Vec::new(),
        entries: Vec::new(),
        cells: vec![0, 0, look, 4 | look, 0, 1, 4 | look, 4 | look],
        padding: Vec::new(),
    };
    table.classes[usize::from(b'a')] = 1;
    table.settle();
    let tables = {
        let mut tables = tables;
        tables[at] = table;
        tables
    };
    let mut wrong = Vec::new();
    for wide in [false, true] {
        for claim in CLAIMS.into_iter().map(Some).chain([None]) {
            let mut tables = tables.clone();
            if wide {
                tables[at] = widened(&tables[at]);
            }
            if let Some(claim) = claim {
                tables[at].counts[field::DENSE_END] = claim;
            }
            let mut artifact = right.clone();
            artifact.set_tables(&tables);
            let loaded = Policy::from_bytes(artifact.write());
            let faults = loaded.as_ref().ok().map(|policy| {
                let bound = policy.bind(Context::default()).unwrap();
                bound.check("bash", &["ab"], &Session::default()).fault
            });
            let expected = if claim.is_none() { Some(false) } else { None };
            if faults != expected {
                wrong.push(format!(
                    "wide {wide}, dense rows up to {claim:x?}: loads, a check faults: {faults:?}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The top bit of a cell asks for a look, so a table may have no more cells than the other bits can number.
#[test]
fn narrow_cells_number_all_rows() {
    let with_cells = |n_cells: usize| {
        let mut artifact = artifact();
        let mut tables = artifact.tables();
        let table = tables.iter_mut().find(|table| has_all(table)).unwrap();
        // Rows that nothing leads to, at the end: delta rows without exceptions, of three cells each.
        let row = table.row_of(ROW_DELTA);
        let mut cells = table.cells[row.at..=row.reference.unwrap()].to_vec();
        cells[0] = table.header_cell(&row, ROW_DELTA, 0);
        while table.cells.len() + cells.len() <= n_cells {
            table.cells.extend(&cells);
        }
        table.settle();
        artifact.set_tables(&tables);
        artifact
    };
    loads(&with_cells(1 << 15));
    let more = with_cells((1 << 15) + 6);
    assert!(
        load(&more).is_err(),
        "a narrow table of more than 32768 cells loads"
    );
    refused(&more, "tables", "");
}

#[test]
fn heads_are_in_range() {
    const WHAT: &str = "a head is out of range";
    for claim in CLAIMS {
        for column in 0..4 {
            table_refused(move |table| table.heads[0][column] = claim, WHAT);
        }
    }
    table_refused(|table| table.heads[0][1] = table.bound + 1, WHAT);
    table_refused(
        |table| table.heads[0][3] = table.counts[field::LISTS] + 1,
        WHAT,
    );
    table_loads(|table| table.heads[0][1] = table.bound);
    // A row whose head is not there.
    table_refused(
        |table| {
            let row = table.row_of(ROW_PATH);
            let head = table.counts[field::HEADS];
            if table.kind == TABLE_NARROW {
                table.cells[row.at + 1] = head;
            } else {
                table.cells[row.at] = table.header_cell(
                    &Row {
                        head,
                        ..row.clone()
                    },
                    row.kind,
                    row.count,
                );
            }
        },
        WHAT,
    );
    // One rank more than the class has rules.
    let mut artifact = artifact();
    let mut tables = artifact.tables();
    for table in &mut tables {
        table.bound += 100;
    }
    artifact.set_tables(&tables);
    refused(&artifact, "classes", "a rank is out of range");
}

#[test]
fn lists_link_back_only() {
    const LATER: &str = "a list links to a later one";
    for at in [0, 1, 2] {
        // To itself, to the next, to the last, far away.
        table_refused(
            move |table| table.lists[at][2] = u32::try_from(at).unwrap() + 1,
            LATER,
        );
        table_refused(
            move |table| table.lists[at][2] = u32::try_from(at).unwrap() + 2,
            LATER,
        );
        table_refused(
            move |table| table.lists[at][2] = table.counts[field::LISTS],
            LATER,
        );
        for claim in CLAIMS {
            table_refused(move |table| table.lists[at][2] = claim, LATER);
        }
        table_loads(move |table| table.lists[at][2] = u32::try_from(at).unwrap());
    }
    const RANGE: &str = "a list is out of range";
    for claim in CLAIMS {
        table_refused(move |table| table.lists[0][0] = claim, RANGE);
        table_refused(move |table| table.lists[0][1] = claim, RANGE);
    }
    // Lists that share entries, leave some out, or stand in another order.
    table_refused(|table| table.lists[1][0] -= 1, RANGE);
    table_refused(
        |table| table.lists.last_mut().unwrap()[1] -= 1,
        "entries belong to no list",
    );
    table_refused(|table| table.lists.swap(0, 1), "a list");
}

#[test]
fn entries_descend_and_name_patterns() {
    const ORDER: &str = "the ranks of a list do not descend";
    table_refused(|table| table.entries[0][0] = table.bound, ORDER);
    table_refused(|table| table.entries[0][0] = u32::MAX, ORDER);
    let joined = |table: &mut Table| {
        // The last two lists in one; the other one is empty.
        let last = table.lists.len() - 1;
        let n_entries = table.lists[last][1];
        table.lists[last - 1][1] += n_entries;
        table.lists[last][0] += n_entries;
        table.lists[last][1] = 0;
        let start = usize::try_from(table.lists[last - 1][0]).unwrap();
        table.entries[start..].sort_by_key(|entry| std::cmp::Reverse(entry[0]));
        start
    };
    table_loads(move |table| {
        joined(table);
    });
    table_refused(
        move |table| {
            let start = joined(table);
            table.entries[start..].reverse();
        },
        ORDER,
    );
    table_refused(
        move |table| {
            let start = joined(table);
            table.entries[start + 1][0] = table.entries[start][0];
        },
        ORDER,
    );
    for claim in CLAIMS {
        table_refused(
            move |table| table.entries[0][1] = claim,
            "a pattern is out of range",
        );
    }
    let n_strings = artifact().words(section::STRINGS)[0];
    table_refused(
        move |table| table.entries[0][1] = n_strings,
        "a pattern is out of range",
    );
    table_loads(move |table| table.entries[0][1] = n_strings - 1);
}

#[test]
fn small_artifacts_of_other_layouts_survive_any_word() {
    // Every word of every table, set to what is most likely to be believed: an error, or an artifact that answers.
    let document =
        r#"{ "permission": { "*": "ask", "bash": { "ab*q": "allow", "*b*c*d": "deny" } } }"#;
    for name in ["joint", "looked at", "parts"] {
        let sources = SourceSet::from(vec![SourceDocument::new(
            Role::Global,
            "policy.jsonc",
            document,
        )]);
        let options = Options {
            budget: layout(name).budget,
            ..Options::default()
        };
        let right = Artifact::read(&compiled(&sources, &options).bytes);
        let n_bytes = right.clone().section(section::TABLES).len();
        let session = Session::default();
        for at in (0..n_bytes - 4).step_by(4) {
            for value in [0, 1, 2, 3, 0xFFFF, 1 << 15, (1 << 15) | 1, u32::MAX] {
                let mut artifact = right.clone();
                artifact.section(section::TABLES)[at..at + 4]
                    .copy_from_slice(&u32::to_le_bytes(value));
                let Ok(policy) = Policy::from_bytes(artifact.write()) else {
                    continue;
                };
                let bound = policy.bind(Context::default()).unwrap();
                for value in ["abq", "b c d", "", "aab", "xbcd\n", "\u{E9}b"] {
                    let _ = bound.check("bash", &[value], &session);
                }
            }
        }
    }
}
