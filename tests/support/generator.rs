//! Policies of any size: the generator that the benchmark notes describe, step for step the same draws.

use serde_json::{Map, Value, json};

const TOOLS: [&str; 30] = [
    "git",
    "npm",
    "cargo",
    "docker",
    "kubectl",
    "aws",
    "gcloud",
    "terraform",
    "make",
    "python",
    "node",
    "yarn",
    "pnpm",
    "go",
    "rustc",
    "psql",
    "redis-cli",
    "curl",
    "wget",
    "ssh",
    "scp",
    "rsync",
    "find",
    "grep",
    "sed",
    "awk",
    "jq",
    "helm",
    "az",
    "gh",
];

const VERBS: [&str; 30] = [
    "status", "commit", "push", "pull", "install", "run", "build", "test", "apply", "plan",
    "delete", "get", "describe", "logs", "exec", "cp", "mv", "rm", "ls", "config", "init", "clean",
    "fetch", "merge", "rebase", "tag", "stash", "show", "diff", "add",
];

/// What the drawn patterns look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `git push --add7 *`
    Prefix,
    /// `git push7`
    Exact,
    /// `*.push7`
    Suffix,
    /// `*/push7/*`
    Infix,
    /// `git push7 * --add`
    Mid,
    /// `*push7*add*`
    Two,
    /// 60 % prefix, 10 % exact, mid, suffix, 5 % infix, two.
    Mixed,
}

/// A drawn rule set on the surface `bash`.
#[derive(Clone, Debug)]
pub struct Generator {
    state: u64,
    rules: Vec<(String, &'static str)>,
}

impl Generator {
    /// Draws `n_rules` rules, the first of them `"*": "ask"`.
    #[must_use]
    pub fn new(kind: Kind, n_rules: usize, seed: u64) -> Self {
        let state = seed
            .wrapping_mul(0x9E37_79B9_7F4A_7C15)
            .wrapping_add(88_172_645_463_325_252);
        let mut generator = Self {
            state,
            rules: vec![("*".to_owned(), "ask")],
        };
        let mut known = std::collections::HashMap::new();
        known.insert("*".to_owned(), 0);
        while generator.rules.len() < n_rules {
            let action = ["allow", "ask", "deny"][generator.below(3)];
            let pattern = generator.pattern(kind);
            match known.get(&pattern) {
                Some(at) => generator.rules[*at].1 = action,
                None => {
                    known.insert(pattern.clone(), generator.rules.len());
                    generator.rules.push((pattern, action));
                }
            }
        }
        generator
    }

    /// The policy document.
    #[must_use]
    pub fn document(&self) -> String {
        let rules: Map<String, Value> = self
            .rules
            .iter()
            .map(|(pattern, action)| (pattern.clone(), (*action).into()))
            .collect();
        json!({ "permission": { "*": "ask", "bash": rules } }).to_string()
    }

    /// Patterns and actions, in rule order.
    #[must_use]
    pub fn rules(&self) -> &[(String, &'static str)] {
        &self.rules
    }

    /// Draws values: 80 % rules with their stars filled, 20 % other commands.
    pub fn queries(&mut self, n_queries: usize) -> Vec<String> {
        (0..n_queries)
            .map(|_| {
                let pattern = if self.below(10) < 8 {
                    let at = self.below(self.rules.len());
                    self.rules[at].0.clone()
                } else {
                    self.pattern(Kind::Prefix)
                };
                let mut value = String::new();
                for character in pattern.chars() {
                    if character == '*' {
                        value.push_str(["x", "foo/bar baz", "--verbose -n 12", ""][self.below(4)]);
                    } else {
                        value.push(character);
                    }
                }
                value
            })
            .collect()
    }

    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        let limit = u64::try_from(limit).unwrap_or(u64::MAX);
        usize::try_from(self.state % limit).unwrap_or(0)
    }

    fn pattern(&mut self, kind: Kind) -> String {
        let tool = TOOLS[self.below(30)];
        let verb = VERBS[self.below(30)];
        let flag = VERBS[self.below(30)];
        let number = self.below(1_000);
        let kind = match kind {
            Kind::Mixed => match self.below(20) {
                0..12 => Kind::Prefix,
                12..14 => Kind::Exact,
                14..16 => Kind::Mid,
                16..18 => Kind::Suffix,
                18 => Kind::Infix,
                _ => Kind::Two,
            },
            other => other,
        };
        match kind {
            Kind::Prefix | Kind::Mixed => format!("{tool} {verb} --{flag}{number} *"),
            Kind::Exact => format!("{tool} {verb}{number}"),
            Kind::Suffix => format!("*.{verb}{number}"),
            Kind::Infix => format!("*/{verb}{number}/*"),
            Kind::Mid => format!("{tool} {verb}{number} * --{flag}"),
            Kind::Two => format!("*{verb}{number}*{flag}*"),
        }
    }
}
