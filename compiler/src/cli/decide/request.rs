//! One tool call as JSON: every field known, of its exact type and given once.

use std::fmt;

use permc_gates::Arguments;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::super::lines::{BadLine, bad_json};

/// A call.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) tool: String,
    pub(crate) input: Value,
    pub(crate) cwd: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) model: Option<String>,
    pub(crate) session: Option<Vec<(String, String)>>,
    pub(crate) yolo: Option<bool>,
    pub(crate) home: Option<String>,
}

impl Request {
    /// A shell command and nothing else.
    pub(crate) fn of_command(command: &str) -> Self {
        Self {
            tool: "bash".to_owned(),
            input: serde_json::json!({ "command": command }),
            cwd: None,
            agent: None,
            model: None,
            session: None,
            yolo: None,
            home: None,
        }
    }
}

const KNOWN: [&str; 9] = [
    "tool", "input", "cwd", "agent", "model", "session", "yolo", "home", "links",
];

/// Reads one call.
pub(crate) fn parse(text: &str) -> Result<Request, BadLine> {
    let Strict(value) = serde_json::from_str(text).map_err(|error| bad_json(text, &error))?;
    let Value::Object(mut fields) = value else {
        return Err(BadLine::new("not a JSON object"));
    };
    if let Some(unknown) = fields.keys().find(|key| !KNOWN.contains(&key.as_str())) {
        let name = crate::diagnostic::quote(unknown);
        let near = crate::suggest::suggest(unknown, &KNOWN);
        let near = near.map(|near| format!("; did you mean `{near}`?"));
        return Err(BadLine::new(format!(
            "unknown field {name}{}",
            near.unwrap_or_default()
        )));
    }
    match fields.get("links").map(Value::as_str) {
        None | Some(Some("none")) => {}
        Some(Some("real")) => {
            return Err(BadLine::new(
                "`links` cannot be `real` yet: this version has no links; leave the field out",
            ));
        }
        Some(_) => return Err(BadLine::new("the field `links` must be `real` or `none`")),
    }
    let input = match fields.remove("input") {
        Some(Value::Object(input)) => Value::Object(input),
        Some(_) => return Err(BadLine::new("the field `input` must be an object")),
        None => return Err(BadLine::new("the field `input` is missing")),
    };
    let cwd = text_field(&mut fields, "cwd")?;
    if cwd.as_deref().is_some_and(|cwd| !cwd.starts_with('/')) {
        return Err(BadLine::new("the field `cwd` must be an absolute path"));
    }
    Ok(Request {
        tool: text_field(&mut fields, "tool")?
            .ok_or_else(|| BadLine::new("the field `tool` is missing"))?,
        input,
        cwd,
        agent: text_field(&mut fields, "agent")?,
        model: text_field(&mut fields, "model")?,
        session: session(fields.remove("session"))?,
        yolo: match fields.remove("yolo") {
            None => None,
            Some(Value::Bool(yolo)) => Some(yolo),
            Some(_) => return Err(BadLine::new("the field `yolo` must be true or false")),
        },
        home: text_field(&mut fields, "home")?,
    })
}

fn text_field(fields: &mut Map<String, Value>, name: &str) -> Result<Option<String>, BadLine> {
    match fields.remove(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(BadLine::new(format!("the field `{name}` must be a string"))),
    }
}

fn session(value: Option<Value>) -> Result<Option<Vec<(String, String)>>, BadLine> {
    let Some(value) = value else {
        return Ok(None);
    };
    let wrong =
        || BadLine::new("the field `session` must be a list of pairs of surface and pattern");
    let Value::Array(rules) = value else {
        return Err(wrong());
    };
    let mut session = Vec::with_capacity(rules.len());
    for rule in &rules {
        let Some([Value::String(surface), Value::String(pattern)]) =
            rule.as_array().map(Vec::as_slice)
        else {
            return Err(wrong());
        };
        if surface.is_empty() || pattern.is_empty() {
            return Err(BadLine::new(
                "the surface or the pattern of a session rule is empty",
            ));
        }
        session.push((surface.clone(), pattern.clone()));
    }
    Ok(Some(session))
}

/// The arguments of a call.
#[derive(Debug)]
pub(crate) struct Input<'a>(pub(crate) &'a Value);

impl Arguments for Input<'_> {
    fn string(&self, path: &[&str]) -> Option<&str> {
        let found = path.iter().try_fold(self.0, |value, key| value.get(*key));
        found?.as_str()
    }

    fn visit(&self, visitor: &mut dyn FnMut(&str, &str)) {
        // The parser bounds the nesting; an explicit stack needs none of the call's.
        let mut waiting = vec![("", self.0)];
        while let Some((key, value)) = waiting.pop() {
            match value {
                Value::String(text) => visitor(key, text),
                Value::Array(values) => {
                    waiting.extend(values.iter().rev().map(|value| (key, value)));
                }
                Value::Object(members) => {
                    waiting.extend(
                        members
                            .iter()
                            .rev()
                            .map(|(key, value)| (key.as_str(), value)),
                    );
                }
                _ => {}
            }
        }
    }

    fn list(&self, key: &str) -> Vec<&str> {
        match self.0.get(key) {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

/// Any JSON value in which no object names a member twice.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Strict;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_str<E>(self, text: &str) -> Result<Strict, E> {
        Ok(Strict(Value::String(text.to_owned())))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Strict, E> {
        Ok(Strict(Value::Bool(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Strict, E> {
        Ok(Strict(Value::Number(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Strict, E> {
        Ok(Strict(Value::Number(value.into())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Strict, E> {
        Ok(Strict(
            Number::from_f64(value).map_or(Value::Null, Value::Number),
        ))
    }

    fn visit_unit<E>(self) -> Result<Strict, E> {
        Ok(Strict(Value::Null))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Strict, A::Error> {
        let mut values = Vec::new();
        while let Some(Strict(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Strict(Value::Array(values)))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Strict, A::Error> {
        let mut members = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let Strict(value) = map.next_value()?;
            if members.contains_key(&name) {
                let name = crate::diagnostic::quote(&name);
                return Err(A::Error::custom(format!(
                    "{name} stands twice in one object"
                )));
            }
            members.insert(name, value);
        }
        Ok(Strict(Value::Object(members)))
    }
}
