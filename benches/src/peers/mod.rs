//! Other ways to answer "which pattern matched last", each checked against permc before it is measured.

#[cfg(feature = "peers")]
mod cedar;
mod globs;
mod regexes;
mod walk;

#[cfg(feature = "peers")]
pub use cedar::Cedar;
pub use globs::Globs;
pub use regexes::{LARGE_CACHE, Regexes};
pub use walk::Walk;

use crate::corpus::Corpus;

/// Fails unless a peer names the same winning pattern as permc for every value of the corpus.
///
/// # Panics
///
/// Where an answer differs: times of different answers say nothing about each other.
pub fn assert_same(corpus: &Corpus, peer: &str, mut winner: impl FnMut(&str) -> Option<usize>) {
    for (value, expected) in corpus.values.iter().zip(corpus.winners()) {
        let found = winner(value);
        let pattern = |number: Option<usize>| corpus.patterns.get(number?);
        assert_eq!(
            found,
            expected,
            "{peer} and permc differ on {value:?}: {:?} and {:?}",
            pattern(found),
            pattern(expected)
        );
    }
}

/// A pattern without its optional final space and star, if it has them (page 1.2).
fn without_tail(pattern: &str) -> Option<&str> {
    pattern.strip_suffix(" *")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::KINDS;

    #[test]
    fn all_peers_answer_as_permc_does() {
        let drawn = KINDS.map(|(_, kind)| Corpus::drawn(kind, 100));
        for corpus in drawn.into_iter().chain([Corpus::real()]) {
            let regexes = Regexes::new(&corpus, LARGE_CACHE);
            assert_same(&corpus, "regexes", |value| regexes.winner(value));
            let mut globs = Globs::new(&corpus);
            assert_same(&corpus, "globs", |value| globs.winner(value));
        }
    }

    #[test]
    fn only_a_final_star_after_a_space_is_optional() {
        assert_eq!(without_tail("git *"), Some("git"));
        assert_eq!(without_tail("a * *"), Some("a *"));
        assert_eq!(without_tail("git*"), None);
        assert_eq!(without_tail("git * b"), None);
    }

    #[test]
    fn a_peer_that_differs_is_caught() {
        let corpus = Corpus::drawn(KINDS[0].1, 10);
        let caught = std::panic::catch_unwind(|| assert_same(&corpus, "nobody", |_| None));
        caught.expect_err("a wrong answer must not pass");
    }
}
