//! Whether two patterns have a value in common.

use super::program::{Op, Program};

/// Whether some value matches both programs; home patterns are compared with home patterns only.
///
/// # Complexity
///
/// O(positions x positions).
pub(crate) fn overlap(left: &Program, right: &Program) -> bool {
    if left.home != right.home {
        return false;
    }
    variants(left).any(|left| variants(right).any(|right| meets(left, right)))
}

/// The positions with and without the tail that may be absent.
fn variants(program: &Program) -> impl Iterator<Item = &[Op]> {
    let short = program
        .optional_tail
        .then(|| program.ops.get(..program.ops.len().saturating_sub(2)))
        .flatten();
    [Some(program.ops.as_slice()), short].into_iter().flatten()
}

/// Walks the grid of position pairs row by row; `?` is compared byte for byte through its lead and tail.
fn meets(left: &[Op], right: &[Op]) -> bool {
    let width = right.len().saturating_add(1);
    let mut stack = vec![(0_usize, 0_usize)];
    let mut seen = vec![false; left.len().saturating_add(1).saturating_mul(width)];
    while let Some((i, j)) = stack.pop() {
        match seen.get_mut(i.saturating_mul(width).saturating_add(j)) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        let (next_i, next_j) = (i.saturating_add(1), j.saturating_add(1));
        match (left.get(i), right.get(j)) {
            (None, None) => return true,
            (Some(Op::Star | Op::Tail), _) => {
                stack.push((next_i, j));
                if let Some(byte) = right.get(j) {
                    let fits = left.get(i) == Some(&Op::Star) || is_continuation(*byte);
                    if fits {
                        stack.push((i, next_j));
                    }
                }
                if matches!(right.get(j), Some(Op::Star | Op::Tail)) {
                    stack.push((i, next_j));
                }
            }
            (_, Some(Op::Star | Op::Tail)) => {
                stack.push((i, next_j));
                if let Some(byte) = left.get(i) {
                    let fits = right.get(j) == Some(&Op::Star) || is_continuation(*byte);
                    if fits {
                        stack.push((next_i, j));
                    }
                }
            }
            (Some(Op::Lead), Some(Op::Lead)) => stack.push((next_i, next_j)),
            (Some(Op::Lead), Some(Op::Byte(byte))) | (Some(Op::Byte(byte)), Some(Op::Lead)) => {
                if !(0x80..=0xBF).contains(byte) {
                    stack.push((next_i, next_j));
                }
            }
            (Some(Op::Byte(a)), Some(Op::Byte(b))) => {
                if a == b {
                    stack.push((next_i, next_j));
                }
            }
            (None, _) | (_, None) => {}
        }
    }
    false
}

fn is_continuation(op: Op) -> bool {
    matches!(op, Op::Byte(0x80..=0xBF) | Op::Tail)
}

#[cfg(test)]
mod tests {
    use permc_grammar::pattern::HomeMode;

    use super::*;

    #[test]
    fn patterns_meet_where_a_value_matches_both() {
        let program = |text| Program::parse(text, HomeMode::Expand, false).unwrap();
        for (left, right, expected) in [
            ("git *", "git push*", true),
            ("git *", "npm *", false),
            ("*.env", "src/*", true),
            ("a?c", "a*", true),
            ("a?c", "ac", false),
            ("?", "é", true),
            ("??", "é", false),
            ("git *", "git", true),
            ("git *", "gitx", false),
            ("*a", "*b", false),
            ("~/x", "~/*", true),
            ("~/x", "/home/x", false),
        ] {
            assert_eq!(
                overlap(&program(left), &program(right)),
                expected,
                "{left} {right}"
            );
            assert_eq!(
                overlap(&program(right), &program(left)),
                expected,
                "{right} {left}"
            );
        }
    }
}
