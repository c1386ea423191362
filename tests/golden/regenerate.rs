//! Writes the golden artifacts again; see `v1/README.md` for when that is right.

use permc_tests::data::say;
use permc_tests::golden::regenerate;

fn main() {
    let changed = regenerate();
    for line in &changed {
        say(line);
    }
    say(&format!("{} files changed", changed.len()));
}
