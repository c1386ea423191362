//! `permc decide`: a whole tool call, or a stream of them as JSON lines.

pub(crate) mod answer;
pub(crate) mod request;

use std::path::PathBuf;

use clap::Args;
use permc_gates::{Call, Files, Gates, NoFiles, RealFiles};
use permc_runtime::{Action, Context, Policy, Session};

use super::ExitStatus;
use super::budget::BudgetArgs;
use super::console::Console;
use super::contexts::Contexts;
use super::failure::Failure;
use super::lines::{BadLine, Lines, line_text, write_bad};
use super::policy::{ContextArgs, bind_words, resolve, unknown_directory};
use super::query::write_answer;
use super::text::hex;

use self::request::{Input, Request, parse};

/// The longest call that is read without `--stdin`.
const LONGEST: usize = 16 * 1024 * 1024;

/// Decide a whole tool call: commands taken apart, paths and tools looked at.
#[derive(Debug, Args)]
#[command(
    override_usage = "permc decide [OPTIONS] [POLICY] < CALL.json\n       permc decide [OPTIONS] [POLICY] --stdin < CALLS.jsonl",
    after_help = "Examples:\n  echo '{\"tool\": \"bash\", \"input\": {\"command\": \"git status && rm -rf build\"}}' | permc decide\n  permc decide policy.permc --stdin --pure < calls.jsonl\n\nA call: {\"tool\", \"input\", \"cwd\"?, \"agent\"?, \"model\"?, \"session\"?, \"yolo\"?, \"home\"?}."
)]
pub(crate) struct DecideArgs {
    /// An artifact, a manifest, or a directory that holds one; without it `permc.jsonc` is looked for upwards.
    #[arg(value_name = "POLICY")]
    policy: Option<PathBuf>,
    /// The same, as an option.
    #[arg(long = "policy", value_name = "POLICY", conflicts_with = "policy")]
    named: Option<PathBuf>,
    #[command(flatten)]
    context: ContextArgs,
    /// Look at no file: links and globs are judged by their text alone.
    #[arg(long)]
    pure: bool,
    /// End with 10 for ask and 11 for deny.
    #[arg(long, conflicts_with = "stdin")]
    exit_code: bool,
    /// Read one JSON object a line and answer with one a line.
    #[arg(long)]
    stdin: bool,
    #[command(flatten)]
    budget: BudgetArgs,
}

pub(crate) fn run(args: &DecideArgs, console: &mut Console<'_, '_>) -> Result<ExitStatus, Failure> {
    let session = args.context.session_rules(console)?;
    let path = args.policy.as_deref().or(args.named.as_deref());
    let policy = resolve(path, &args.budget, false, console)?.load(console.cwd())?;
    let home = console.environment().home.clone();
    let cwd = args.context.directory(console)?;
    let mut judge = Judge::new(
        &policy,
        args.context.context(home.as_deref(), cwd.as_deref()),
        session.into_iter().collect(),
        args.pure,
    )?;
    if args.stdin {
        return stream(&mut judge, console);
    }
    let text = whole_input(console)?;
    let request = line_text(&text)
        .and_then(parse)
        .map_err(|bad| bad_call(&bad))?;
    let mut out = Vec::new();
    let is_json = console.is_json();
    let mut state = Action::Deny;
    let mut text = String::new();
    judge
        .answer(&request, |decision, digest| {
            state = decision.state;
            if is_json {
                write_answer(&mut out, &answer::to_json(decision, digest));
            } else {
                text = answer::to_text(decision, &console.action(decision.state));
            }
        })
        .map_err(|bad| bad_call(&bad))?;
    if is_json {
        console.out(out)?;
    } else {
        console.out(text)?;
    }
    Ok(match state {
        Action::Ask if args.exit_code => ExitStatus::Ask,
        Action::Deny if args.exit_code => ExitStatus::Deny,
        _ => ExitStatus::Success,
    })
}

fn stream(judge: &mut Judge<'_>, console: &mut Console<'_, '_>) -> Result<ExitStatus, Failure> {
    let is_json = console.is_json_stream();
    let mut lines = Lines::new();
    let (mut out, mut all_good) = (Vec::new(), true);
    while let Some(line) = lines.next(console)? {
        out.clear();
        let request = line.and_then(line_text).and_then(parse);
        let result = request.and_then(|request| {
            judge.answer(&request, |decision, digest| {
                if is_json {
                    write_answer(&mut out, &answer::to_json(decision, digest));
                } else {
                    out.extend(answer::to_line(decision).into_bytes());
                }
            })
        });
        if let Err(bad) = result {
            all_good = false;
            out.clear();
            write_bad(&bad, is_json, &mut out);
        }
        console.out(&out)?;
    }
    Ok(if all_good {
        ExitStatus::Success
    } else {
        ExitStatus::Findings
    })
}

/// A policy that answers for calls, each in its own context.
pub(super) struct Judge<'p> {
    policy: &'p Policy,
    defaults: Context<'p>,
    session: Session,
    cwd: &'p str,
    files: &'static dyn Files,
    digest: String,
    contexts: Contexts<Gates<'p>>,
}

/// One call in its context.
pub(super) struct Asked<'a> {
    pub(super) gates: &'a Gates<'a>,
    pub(super) context: Context<'a>,
    pub(super) call: &'a Call<'a>,
    pub(super) session: &'a Session,
    pub(super) files: &'a dyn Files,
    pub(super) digest: &'a str,
}

impl<'p> Judge<'p> {
    /// `is_pure`: no file is looked at.
    pub(super) fn new(
        policy: &'p Policy,
        defaults: Context<'p>,
        session: Session,
        is_pure: bool,
    ) -> Result<Self, Failure> {
        Ok(Self {
            policy,
            defaults,
            session,
            cwd: defaults.cwd.ok_or_else(unknown_directory)?,
            files: if is_pure { &NoFiles } else { &RealFiles },
            digest: hex(&policy.digest()),
            contexts: Contexts::new(),
        })
    }

    fn answer(
        &mut self,
        request: &Request,
        write: impl FnOnce(&permc_gates::Decision<'_>, &str),
    ) -> Result<(), BadLine> {
        self.with(request, |asked| {
            let decision = asked.gates.decide(asked.call, asked.session, asked.files);
            write(&decision, asked.digest);
        })
    }

    /// Hands a call and its context over.
    pub(super) fn with<T>(
        &mut self,
        request: &Request,
        read: impl FnOnce(&Asked<'_>) -> T,
    ) -> Result<T, BadLine> {
        let agent = request.agent.as_deref().or(self.defaults.agent);
        let home = request.home.as_deref().or(self.defaults.home);
        let yolo = request.yolo.or(self.defaults.yolo);
        let context = Context {
            home,
            cwd: Some(self.cwd),
            agent,
            model: self.defaults.model,
            yolo,
        };
        let bind = || {
            let gates = Gates::new(self.policy, context)?;
            Ok(gates.with_windows_paths(cfg!(windows)))
        };
        let found = self
            .contexts
            .get((agent, home, yolo), bind)
            .map_err(|error| BadLine::new(bind_words(error)))?;
        let Some(gates) = found else {
            return Err(BadLine::new("internal error: the context is lost"));
        };
        let own: Option<Session> = request.session.as_ref().map(|rules| {
            let rules = rules.iter();
            rules
                .map(|(surface, pattern)| (surface.as_str(), pattern.as_str()))
                .collect()
        });
        let call = Call {
            tool: &request.tool,
            input: &Input(&request.input),
            cwd: request.cwd.as_deref().unwrap_or(self.cwd),
            model: request.model.as_deref(),
        };
        Ok(read(&Asked {
            gates,
            context,
            call: &call,
            session: own.as_ref().unwrap_or(&self.session),
            files: self.files,
            digest: &self.digest,
        }))
    }
}

fn whole_input(console: &mut Console<'_, '_>) -> Result<Vec<u8>, Failure> {
    let (mut all, mut buffer) = (Vec::new(), vec![0; 64 * 1024]);
    loop {
        let count = console.read(&mut buffer)?.min(buffer.len());
        if count == 0 {
            return Ok(all);
        }
        all.extend_from_slice(buffer.get(..count).unwrap_or_default());
        if all.len() > LONGEST {
            return Err(Failure::usage("the call is longer than 16 MiB"));
        }
    }
}

fn bad_call(bad: &BadLine) -> Failure {
    let place = bad
        .column
        .map(|column| format!(" (column {column})"))
        .unwrap_or_default();
    Failure::usage(format!("standard input: {}{place}", bad.message)).help(
        "give one call, such as `{\"tool\": \"bash\", \"input\": {\"command\": \"git status\"}}`",
    )
}
