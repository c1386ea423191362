//! Artifacts that were made to do harm, each behind a right checksum: a typed error that names the section. Beside each
//! stands the nearest artifact that loads.

use permc::source::{SourceDocument, SourceSet};
use permc::source_map::Role;
use permc_runtime::format::{
    NONE, ROW_DELTA, ROW_DENSE, ROW_PATH, TABLE_NARROW, TABLE_WIDE, VERSION, section, surface_hash,
};
use permc_runtime::{Context, Policy, Session};
use permc_tests::engine::compiled;
use permc_tests::forge::{Artifact, Count, Entry, Table, field};
use permc_tests::layouts::{Layout, layouts, wide_layouts};

pub(crate) fn layout(name: &str) -> Layout {
    let mut all = [layouts(), wide_layouts()].concat().into_iter();
    all.find(|layout| layout.name == name).unwrap()
}

/// Rows of every kind, lists with links, home, agents, surfaces with an automaton.
pub(crate) fn artifact() -> Artifact {
    let global = r#"{ "permission": {
        "*": "ask",
        "bash": { "git commit *": "allow", "git push*": "deny", "rm -rf *": "deny", "xab*q": "allow", "~/x*": "deny",
            "*ab*c*d": "deny", "*b*z*": "allow", "*.env": "deny", "*.pem": "deny", "npm run *": "allow" },
        "web_*": "allow", "*_search": "deny"
    } }"#;
    let agent = r#"{ "permission": { "bash": { "git *": "deny" } } }"#;
    let mut documents = vec![SourceDocument::new(Role::Global, "policy.jsonc", global)];
    for name in ["a", "b", "c"] {
        documents.push(SourceDocument::new(
            Role::Agent(name.into()),
            format!("{name}.jsonc"),
            agent,
        ));
    }
    let output = compiled(&SourceSet::from(documents), &layout("joint").options(false));
    let mut artifact = Artifact::read(&output.bytes);
    let mut tables = artifact.tables();
    let with_paths = tables
        .iter_mut()
        .find(|table| !table.lists.is_empty() && table.has_home());
    with_exceptions(with_paths.unwrap());
    artifact.set_tables(&tables);
    artifact
}

/// Adds a delta row that nothing leads to; small tables have none of their own with an exception.
fn with_exceptions(table: &mut Table) {
    let dense = table.row_of(ROW_DENSE);
    let first = table.header_cell(&dense, ROW_DELTA, 2);
    let targets = table.cells[dense.targets.clone()].to_vec();
    table.cells.push(first);
    if table.kind == TABLE_NARROW {
        table.cells.push(dense.head);
    }
    // The exceptions lead where the reference's row leads as well: classes 0 and 1 in one cell.
    let exceptions = [
        u32::try_from(dense.at).unwrap(),
        1 << 8,
        targets[0],
        targets[1],
    ];
    table.cells.extend(exceptions);
    table.settle();
}

/// The same tables with wide cells.
pub(crate) fn widened(table: &Table) -> Table {
    let rows = table.rows();
    let mut wide = Table {
        kind: TABLE_WIDE,
        cells: Vec::new(),
        ..table.clone()
    };
    // Rows by their old place: headers shrink, bytes of classes and runs take fewer cells.
    let mut places = std::collections::BTreeMap::new();
    let mut at = 0;
    for row in &rows {
        places.insert(row.at, at);
        at += 1 + match row.kind {
            ROW_DENSE => row.targets.len(),
            ROW_DELTA => 1 + row.count.div_ceil(4) + row.count,
            _ => 2 + row.count.div_ceil(4),
        };
    }
    let place = |cell: u32| u32::try_from(places[&usize::try_from(cell).unwrap()]).unwrap();
    let target = |cell: u32| place(cell & !table.attention()) | ((cell & table.attention()) << 16);
    for row in &rows {
        wide.cells.push(wide.header_cell(row, row.kind, row.count));
        wide.cells
            .extend(row.reference.map(|cell| place(table.cells[cell])));
        let bytes = |cells: &[u32]| -> Vec<u32> {
            let bytes: Vec<u8> = cells
                .iter()
                .flat_map(|cell| [cell.to_le_bytes()[0], cell.to_le_bytes()[1]])
                .collect();
            let words = bytes[..row.count].chunks(4);
            words
                .map(|word| {
                    word.iter()
                        .rev()
                        .fold(0, |word, byte| (word << 8) | u32::from(*byte))
                })
                .collect()
        };
        let targets = table.cells[row.targets.clone()]
            .iter()
            .map(|cell| target(*cell));
        if row.kind == ROW_DELTA {
            wide.cells.extend(bytes(
                &table.cells[row.reference.unwrap() + 1..row.targets.start],
            ));
            wide.cells.extend(targets);
        } else {
            wide.cells.extend(targets);
            if row.kind == ROW_PATH {
                wide.cells
                    .extend(bytes(&table.cells[row.targets.end..row.end]));
            }
        }
    }
    for start in [field::START, field::HOME_START] {
        if wide.counts[start] != NONE {
            wide.counts[start] = place(table.counts[start]);
        }
    }
    let dense = rows.iter().filter(|row| row.kind == ROW_DENSE);
    wide.counts[field::DENSE_END] = dense
        .map(|row| 1 + row.targets.len())
        .sum::<usize>()
        .try_into()
        .unwrap();
    wide.settle();
    wide
}

/// Loads, or says which section is wrong and how.
pub(crate) fn load(artifact: &Artifact) -> Result<(), (Option<&'static str>, String)> {
    match Policy::from_bytes(artifact.write()) {
        Ok(_) => Ok(()),
        Err(error) => {
            assert!(error.is_corrupt() || error.is_version_mismatch(), "{error}");
            Err((error.section_name(), error.to_string()))
        }
    }
}

#[track_caller]
pub(crate) fn refused(artifact: &Artifact, section: impl Into<Option<&'static str>>, what: &str) {
    let Err((found, message)) = load(artifact) else {
        panic!("an artifact loads of which {what:?} is expected");
    };
    assert_eq!(found, section.into(), "{message}");
    assert!(message.contains(what), "{what:?} is not in {message:?}");
}

#[track_caller]
pub(crate) fn loads(artifact: &Artifact) {
    assert_eq!(load(artifact), Ok(()));
}

/// Numbers near which arithmetic on 32 bits turns over.
pub(crate) const CLAIMS: [u32; 7] = [
    u32::MAX,
    u32::MAX - 1,
    u32::MAX - 7,
    1 << 31,
    1 << 30,
    u32::MAX / 3 + 1,
    u32::MAX / 4 + 1,
];

/// The same for 64 bits.
const LONG_CLAIMS: [u64; 7] = [
    u64::MAX,
    u64::MAX - 1,
    u64::MAX - 7,
    1 << 63,
    1 << 32,
    (1 << 32) - 1,
    u64::MAX / 2,
];

#[test]
fn what_was_taken_apart_is_put_together_again() {
    let artifact = artifact();
    let mut again = artifact.clone();
    again.set_tables(&artifact.tables());
    assert_eq!(again, artifact);
    loads(&artifact);
    let mut tables = artifact.tables();
    for table in &mut tables {
        *table = widened(table);
    }
    again.set_tables(&tables);
    loads(&again);
    // A table means the same in cells of another width.
    let session = Session::default();
    let context = Context {
        home: Some("/h"),
        ..Context::default()
    };
    let [narrow, wide] =
        [artifact, again].map(|artifact| Policy::from_bytes(artifact.write()).unwrap());
    assert!(
        narrow
            .contents()
            .unwrap()
            .tables()
            .all(|table| table.cell_width == 2)
    );
    assert!(
        wide.contents()
            .unwrap()
            .tables()
            .all(|table| table.cell_width == 4)
    );
    for value in [
        "git commit x",
        "git pushy",
        "xabcdq",
        "b z",
        "x.env",
        "/h/xx",
        "npm run",
        "npm ru",
        "abcd",
    ] {
        let [narrow, wide] = [&narrow, &wide].map(|policy| {
            let bound = policy.bind(context).unwrap();
            let decision = bound.check("bash", &[value], &session);
            (
                decision.fault,
                decision.matched_pattern().map(str::to_owned),
            )
        });
        assert_eq!(narrow, wide, "{value}");
        assert!(!narrow.0);
    }
}

#[test]
fn the_header_is_held_to_the_file() {
    let right = artifact();
    let length = right.write().len();
    for stated in LONG_CLAIMS
        .into_iter()
        .chain([0, 63, length as u64 - 1, length as u64 + 1])
    {
        refused(
            &Artifact {
                stated: Some(stated),
                ..right.clone()
            },
            None,
            "bytes long but says",
        );
    }
    loads(&Artifact {
        stated: Some(length as u64),
        ..right.clone()
    });
    for n_sections in [0, 8, 10, u32::MAX, 1 << 31] {
        refused(
            &Artifact {
                counts: [n_sections, 0],
                ..right.clone()
            },
            None,
            "section count",
        );
    }
    refused(
        &Artifact {
            counts: [8, 1],
            ..right.clone()
        },
        None,
        "reserved word",
    );
    for version in [0, VERSION + 1, u32::MAX] {
        refused(
            &Artifact {
                versions: [version, 0],
                ..right.clone()
            },
            None,
            "format version",
        );
    }
    refused(
        &Artifact {
            versions: [VERSION, 1 << 31],
            ..right
        },
        None,
        "features",
    );
}

#[test]
fn the_section_table_is_held_to_the_file() {
    let right = artifact();
    let entries = right.entries();
    let with = |change: &dyn Fn(&mut [Entry])| {
        let mut entries = entries.clone();
        change(&mut entries);
        Artifact {
            entries: Some(entries),
            ..right.clone()
        }
    };
    loads(&with(&|_| ()));
    let names: Vec<&str> = section::ALL.into_iter().map(section::name).collect();
    for (at, name) in names.iter().enumerate() {
        for claim in LONG_CLAIMS {
            let offset = with(&|entries| entries[at].offset = claim);
            refused(&offset, *name, "");
            let length = with(&|entries| entries[at].length = claim);
            refused(&length, *name, "outside the file");
            // Offset and length that come round to a place inside the file.
            refused(
                &with(&|entries| {
                    (entries[at].offset, entries[at].length) = (claim, claim.wrapping_neg())
                }),
                *name,
                "",
            );
        }
        refused(
            &with(&|entries| entries[at].zero = 1),
            *name,
            "section table must have it",
        );
        refused(
            &with(&|entries| entries[at].id = 99),
            *name,
            "section table must have it",
        );
    }
    for at in 1..names.len() {
        refused(
            &with(&|entries| entries[at].offset -= 8),
            names[at],
            "overlaps its neighbor or leaves a gap",
        );
        refused(
            &with(&|entries| entries[at].offset += 8),
            names[at],
            "overlaps its neighbor or leaves a gap",
        );
        refused(
            &with(&|entries| entries[at] = entries[at - 1]),
            names[at],
            "section table must have it",
        );
        refused(
            &with(&|entries| entries[at - 1].length += 8),
            names[at],
            "overlaps its neighbor or leaves a gap",
        );
        // Out of order: the first of the two is not the one that must stand there.
        refused(
            &with(&|entries| entries.swap(at - 1, at)),
            names[at - 1],
            "section table must have it",
        );
    }
    let mut last = right.clone();
    let cold = last.section(section::COLD);
    cold.push(0);
    loads(&last);
    last.entries = Some(entries.clone());
    refused(&last, None, "bytes follow the last section");
    // Gaps are zero, where there are any.
    let mut gap = right;
    while gap.section(section::STRINGS).len().is_multiple_of(8) {
        let strings = gap.section(section::STRINGS);
        strings.push(b'x');
    }
    assert!(
        entries.iter().any(|entry| !entry.length.is_multiple_of(8)),
        "there is a gap"
    );
    refused(
        &Artifact {
            gap: 1,
            ..artifact()
        },
        "rules",
        "gap before it is not zero",
    );
}

#[test]
fn counts_are_held_to_their_sections() {
    for count in Count::ALL {
        for claim in CLAIMS {
            let mut artifact = artifact();
            count.claim(&mut artifact, claim);
            refused(&artifact, count.section_name(), "");
        }
    }
    for (id, words) in [
        (section::CLASSES, 3),
        (section::VIEWS, 3),
        (section::SURFACES, 2),
    ] {
        for word in 0..words {
            for off_by_one in [1_u32, u32::MAX] {
                let mut artifact = artifact();
                let mut all = artifact.words(id);
                all[word] = all[word].wrapping_add(off_by_one);
                artifact.set_words(id, &all);
                refused(&artifact, section::name(id), "counts contradict its length");
            }
        }
        let mut longer = artifact();
        longer.section(id).extend([0; 4]);
        refused(&longer, section::name(id), "counts contradict its length");
    }
}

#[test]
fn table_lines_are_held_to_the_section() {
    let right = artifact();
    let n_tables = right.tables().len();
    for table in 0..n_tables {
        for claim in CLAIMS {
            for column in [1, 2] {
                let mut artifact = right.clone();
                let at = 4 + table * 16 + column * 4;
                artifact.section(section::TABLES)[at..at + 4].copy_from_slice(&claim.to_le_bytes());
                refused(&artifact, "tables", "a table is out of range");
            }
        }
        let mut tables = right.tables();
        tables[table].kind = 3;
        let mut artifact = right.clone();
        // Written as wide cells, which `Table` does for every kind but one.
        artifact.set_tables(&tables);
        refused(&artifact, "tables", "unknown kind");
    }
}

/// Names and slots of the surface section.
fn surfaces(artifact: &Artifact) -> (Vec<u32>, Vec<u32>) {
    let words = artifact.words(section::SURFACES);
    let n_names = usize::try_from(words[0]).unwrap();
    (
        words[2..2 + n_names].to_vec(),
        words[2 + n_names..].to_vec(),
    )
}

fn with_surfaces(names: &[u32], slots: &[u32]) -> Artifact {
    let mut artifact = artifact();
    let counts = [names.len(), slots.len()].map(|count| u32::try_from(count).unwrap());
    artifact.set_words(section::SURFACES, &[&counts, names, slots].concat());
    artifact
}

#[test]
fn names_are_where_their_hash_says() {
    const PLACE: &str = "a name is not where its hash says";
    const NUMBER: &str = "not as many slots as names";
    let (names, slots) = surfaces(&artifact());
    loads(&with_surfaces(&names, &slots));
    let taken = slots.iter().position(|slot| *slot != 0).unwrap();
    let (mut full, mut twice, mut moved, mut gone, mut far) = (
        slots.clone(),
        slots.clone(),
        slots.clone(),
        slots.clone(),
        slots.clone(),
    );
    full.fill(1);
    refused(&with_surfaces(&names, &full), "surfaces", NUMBER);
    let other = slots.iter().rposition(|slot| *slot != 0).unwrap();
    twice[other] = twice[taken];
    refused(&with_surfaces(&names, &twice), "surfaces", PLACE);
    let free = (taken..slots.len())
        .find(|at| slots[*at] == 0 && slots.get(at + 1) == Some(&0))
        .unwrap()
        + 1;
    moved.swap(taken, free);
    refused(&with_surfaces(&names, &moved), "surfaces", PLACE);
    gone[taken] = 0;
    refused(&with_surfaces(&names, &gone), "surfaces", NUMBER);
    for claim in CLAIMS {
        far[taken] = claim;
        refused(
            &with_surfaces(&names, &far),
            "surfaces",
            "a slot is out of range",
        );
        let mut names = names.clone();
        names[0] = claim;
        refused(
            &with_surfaces(&names, &slots),
            "surfaces",
            "a name is out of range",
        );
    }
    let mut unordered = names.clone();
    unordered.swap(0, 1);
    refused(
        &with_surfaces(&unordered, &slots),
        "surfaces",
        "names are not in order",
    );
    unordered[0] = unordered[1];
    refused(
        &with_surfaces(&unordered, &slots),
        "surfaces",
        "names are not in order",
    );
    // A table of another size, with the names where they belong in that one, is as good.
    let text = artifact();
    let policy = Policy::from_bytes(text.write()).unwrap();
    let contents = policy.contents().unwrap();
    let mut wider = vec![0; slots.len() * 2];
    let n_slots = wider.len();
    for (number, name) in (1_u32..).zip(contents.surfaces()) {
        let home = usize::try_from(surface_hash(name.as_bytes())).unwrap();
        let place = (0..n_slots)
            .map(|step| (home + step) % n_slots)
            .find(|at| wider[*at] == 0)
            .unwrap();
        wider[place] = number;
    }
    loads(&with_surfaces(&names, &wider));
    let mut odd = wider.clone();
    odd.pop();
    refused(
        &with_surfaces(&names, &odd),
        "surfaces",
        "counts contradict its length",
    );
    refused(
        &with_surfaces(&names, &[]),
        "surfaces",
        "counts contradict its length",
    );
}

#[test]
fn views_stand_in_order_and_name_classes() {
    let right = artifact();
    let words = right.words(section::VIEWS);
    let with = |change: &dyn Fn(&mut [u32])| {
        let mut words = words.clone();
        change(&mut words);
        let mut artifact = right.clone();
        artifact.set_words(section::VIEWS, &words);
        artifact
    };
    let view = |number: usize, column: usize| 3 + number * 5 + column;
    loads(&with(&|_| ()));
    const ORDER: &str = "the agents are not in order";
    refused(
        &with(&|words| words.swap(view(1, 0), view(2, 0))),
        "views",
        ORDER,
    );
    refused(
        &with(&|words| words[view(2, 0)] = words[view(1, 0)]),
        "views",
        ORDER,
    );
    refused(
        &with(&|words| words[view(0, 0)] = words[view(1, 0)]),
        "views",
        ORDER,
    );
    refused(&with(&|words| words[view(1, 0)] = 0), "views", ORDER);
    for claim in CLAIMS {
        refused(&with(&|words| words[view(3, 0)] = claim), "views", ORDER);
        refused(
            &with(&|words| words[view(1, 3)] = claim),
            "views",
            "a view is out of range",
        );
        refused(
            &with(&|words| words[view(1, 4)] = claim),
            "views",
            "a view is out of range",
        );
        refused(
            &with(&|words| *words.last_mut().unwrap() = claim),
            "views",
            "a class is out of range",
        );
        if claim != NONE {
            refused(
                &with(&|words| words[view(1, 2)] = claim),
                "views",
                "a table is out of range",
            );
        }
    }
    refused(
        &with(&|words| words[view(1, 4)] = 0),
        "views",
        "too few classes",
    );
    // Without an automaton over names one class is enough.
    loads(&with(&|words| {
        (words[view(1, 2)], words[view(1, 4)]) = (NONE, 1)
    }));
    refused(
        &with(&|words| (words[view(1, 2)], words[view(1, 4)]) = (NONE, 0)),
        "views",
        "too few classes",
    );
}

#[test]
fn classes_name_rules_tables_and_guards() {
    let right = artifact();
    let words = right.words(section::CLASSES);
    let n_classes = usize::try_from(words[0]).unwrap();
    let with = |change: &dyn Fn(&mut [u32])| {
        let mut words = words.clone();
        change(&mut words);
        let mut artifact = right.clone();
        artifact.set_words(section::CLASSES, &words);
        artifact
    };
    let group = 3 + n_classes * 5;
    loads(&with(&|_| ()));
    for claim in CLAIMS {
        for column in 0..4 {
            refused(
                &with(&|words| words[3 + column] = claim),
                "classes",
                "a class is out of range",
            );
        }
        refused(
            &with(&|words| words[group] = claim),
            "classes",
            "a table is out of range",
        );
        refused(
            &with(&|words| words[group + 1] = claim),
            "classes",
            "a surface pattern is out of range",
        );
        refused(
            &with(&|words| *words.last_mut().unwrap() = claim),
            "classes",
            "a rule is out of range",
        );
    }
    loads(&with(&|words| words[group + 1] = 1));
    // Fewer rules than the tables have ranks.
    refused(
        &with(&|words| words[4] -= 1),
        "classes",
        "a rank is out of range",
    );
}
