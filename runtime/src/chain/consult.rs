//! One link, asked without letting it stop the chain: panics are caught, a deadline is kept (page 4.2).

use std::any::Any;
use std::borrow::ToOwned as _;
use std::format;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::string::String;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Instant;
use std::vec::Vec;

use crate::chain::registry::SharedLink;
use crate::chain::{
    AuthorizerLog, Details, Field, LinkError, LinkLog, PermissionQuery, QueryAnswer, ReviewSink,
    Verdict,
};
use crate::decision::Action;

/// What a link is asked with.
pub(crate) struct Setting<'a> {
    pub(crate) details: &'a Arc<Details>,
    pub(crate) query: &'a dyn PermissionQuery,
    pub(crate) sink: &'a dyn ReviewSink,
}

/// Asks a link. Without a deadline on this thread; with one on a thread of its own, whose late words nobody hears.
pub(crate) fn consult(
    name: &str,
    link: &SharedLink,
    setting: &Setting<'_>,
    deadline: Option<Instant>,
) -> Result<Verdict, LinkError> {
    match deadline {
        None => {
            let log = LinkLog::new(setting.sink, setting.details, name);
            caught(|| link.authorize(setting.details, setting.query, &log))
        }
        Some(deadline) => until(name, link, setting, deadline),
    }
}

/// Runs something that may panic; the panic's words become the error's.
pub(crate) fn caught<T>(run: impl FnOnce() -> Result<T, LinkError>) -> Result<T, LinkError> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

fn panicked(panic: &(dyn Any + Send)) -> LinkError {
    let words = panic.downcast_ref::<&str>().copied();
    let words = words.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    LinkError::new(words.map_or_else(
        || "panicked".to_owned(),
        |words| format!("panicked: {words}"),
    ))
}

/// A field's value that lives on its own.
enum OwnedField {
    Null,
    Flag(bool),
    Number(u64),
    Text(String),
    Texts(Vec<String>),
}

impl From<Field<'_>> for OwnedField {
    fn from(field: Field<'_>) -> Self {
        match field {
            Field::Null => Self::Null,
            Field::Flag(flag) => Self::Flag(flag),
            Field::Number(number) => Self::Number(number),
            Field::Text(text) => Self::Text(text.to_owned()),
            Field::Texts(texts) => {
                Self::Texts(texts.iter().map(|text| (*text).to_owned()).collect())
            }
        }
    }
}

/// What a link on its own thread asks of the thread that drives the chain.
enum Message {
    Check {
        surface: String,
        value: Option<String>,
        agent: Option<String>,
        reply: Sender<QueryAnswer>,
    },
    Tool {
        tool: String,
        agent: Option<String>,
        reply: Sender<Action>,
    },
    Log {
        event: String,
        fields: Vec<(String, OwnedField)>,
        is_debug: bool,
    },
    Done(Result<Verdict, LinkError>),
}

/// The link's side.
struct Distant {
    driver: Sender<Message>,
}

impl PermissionQuery for Distant {
    fn check_permission(
        &self,
        surface: &str,
        value: Option<&str>,
        agent: Option<&str>,
    ) -> QueryAnswer {
        let (reply, answer) = channel();
        let message = Message::Check {
            surface: surface.to_owned(),
            value: value.map(str::to_owned),
            agent: agent.map(str::to_owned),
            reply,
        };
        // Once the deadline has passed nobody answers.
        let _ = self.driver.send(message);
        answer.recv().unwrap_or(QueryAnswer::denied())
    }

    fn tool_permission(&self, tool: &str, agent: Option<&str>) -> Action {
        let (reply, answer) = channel();
        let message = Message::Tool {
            tool: tool.to_owned(),
            agent: agent.map(str::to_owned),
            reply,
        };
        let _ = self.driver.send(message);
        answer.recv().unwrap_or(Action::Deny)
    }
}

impl Distant {
    fn log(&self, event: &str, fields: &[(&str, Field<'_>)], is_debug: bool) {
        let owned = |(name, field): &(&str, Field<'_>)| ((*name).to_owned(), (*field).into());
        let _ = self.driver.send(Message::Log {
            event: event.to_owned(),
            fields: fields.iter().map(owned).collect(),
            is_debug,
        });
    }
}

impl AuthorizerLog for Distant {
    fn review(&self, event: &str, fields: &[(&str, Field<'_>)]) {
        self.log(event, fields, false);
    }

    fn debug(&self, event: &str, fields: &[(&str, Field<'_>)]) {
        self.log(event, fields, true);
    }
}

fn until(
    name: &str,
    link: &SharedLink,
    setting: &Setting<'_>,
    deadline: Instant,
) -> Result<Verdict, LinkError> {
    let (driver, messages) = channel();
    let distant = Distant { driver };
    let (link, details) = (Arc::clone(link), Arc::clone(setting.details));
    let run = move || {
        let answer = caught(|| link.authorize(&details, &distant, &distant));
        let _ = distant.driver.send(Message::Done(answer));
    };
    thread::Builder::new()
        .name(format!("permc link {name}"))
        .spawn(run)
        .map_err(|error| LinkError::new(format!("no thread for it: {error}")))?;
    // What the link asks may panic as well; on its own thread as on this one that is the link's failure.
    caught(|| attend(name, &messages, setting, deadline))
}

/// Answers what the link asks until it has ruled or its time is up.
fn attend(
    name: &str,
    messages: &Receiver<Message>,
    setting: &Setting<'_>,
    deadline: Instant,
) -> Result<Verdict, LinkError> {
    let log = LinkLog::new(setting.sink, setting.details, name);
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let message = match messages.recv_timeout(left) {
            // What arrives at the very end still came too late.
            Ok(_) | Err(RecvTimeoutError::Timeout) if left.is_zero() => return Err(timed_out()),
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => return Err(timed_out()),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(LinkError::new("ended without a word"));
            }
        };
        match message {
            Message::Done(answer) => return answer,
            Message::Check {
                surface,
                value,
                agent,
                reply,
            } => {
                let query = setting.query;
                let answer = query.check_permission(&surface, value.as_deref(), agent.as_deref());
                let _ = reply.send(answer);
            }
            Message::Tool { tool, agent, reply } => {
                let _ = reply.send(setting.query.tool_permission(&tool, agent.as_deref()));
            }
            Message::Log {
                event,
                fields,
                is_debug,
            } => lent(&fields, |fields| match is_debug {
                false => log.review(&event, fields),
                true => log.debug(&event, fields),
            }),
        }
    }
}

/// The error of a link whose time is up.
pub(crate) fn timed_out() -> LinkError {
    LinkError::new("passed its deadline")
}

/// Fields as the log takes them.
fn lent(fields: &[(String, OwnedField)], take: impl FnOnce(&[(&str, Field<'_>)])) {
    let lists: Vec<Vec<&str>> = fields
        .iter()
        .map(|(_, field)| match field {
            OwnedField::Texts(texts) => texts.iter().map(String::as_str).collect(),
            _ => Vec::new(),
        })
        .collect();
    let borrowed: Vec<(&str, Field<'_>)> = fields
        .iter()
        .zip(&lists)
        .map(|((name, field), list)| {
            let field = match field {
                OwnedField::Null => Field::Null,
                OwnedField::Flag(flag) => Field::Flag(*flag),
                OwnedField::Number(number) => Field::Number(*number),
                OwnedField::Text(text) => Field::Text(text),
                OwnedField::Texts(_) => Field::Texts(list),
            };
            (name.as_str(), field)
        })
        .collect();
    take(&borrowed);
}
