//! One line of `query --stdin`: strict JSON, every field known, of its exact type and given once.

use std::borrow::Cow;
use std::fmt;

use super::super::lines::{BadLine, bad_json, line_text};
use permc_runtime::ToolInput;
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A line.
#[derive(Debug)]
pub(super) struct Request<'l> {
    pub(super) agent: Option<Cow<'l, str>>,
    pub(super) session: Option<Vec<(Cow<'l, str>, Cow<'l, str>)>>,
    pub(super) yolo: Option<bool>,
    pub(super) home: Option<Cow<'l, str>>,
    pub(super) cwd: Option<Cow<'l, str>>,
    pub(super) ask: Ask<'l>,
}

/// What a line asks.
#[derive(Debug)]
pub(super) enum Ask<'l> {
    Check {
        surface: Cow<'l, str>,
        values: Vec<Cow<'l, str>>,
    },
    Tool {
        tool: Cow<'l, str>,
        input: Input<'l>,
    },
    Permission(Cow<'l, str>),
    Exposed(Cow<'l, str>),
    Targets(Input<'l>),
    Tier {
        model: Cow<'l, str>,
        action: Cow<'l, str>,
        resource: Cow<'l, str>,
    },
}

/// Reads a line without its end.
pub(super) fn parse(line: &[u8]) -> Result<Request<'_>, BadLine> {
    let text = line_text(line)?;
    let fields: Fields<'_> = serde_json::from_str(text).map_err(|error| bad_json(text, &error))?;
    fields.request()
}

#[derive(Default)]
struct Fields<'l> {
    agent: Option<Cow<'l, str>>,
    session: Option<Vec<(Cow<'l, str>, Cow<'l, str>)>>,
    yolo: Option<bool>,
    home: Option<Cow<'l, str>>,
    cwd: Option<Cow<'l, str>>,
    surface: Option<Cow<'l, str>>,
    values: Option<Vec<Cow<'l, str>>>,
    tool: Option<Cow<'l, str>>,
    input: Option<Input<'l>>,
    tool_permission: Option<Cow<'l, str>>,
    tool_exposed: Option<Cow<'l, str>>,
    mcp_targets: Option<Input<'l>>,
    model: Option<Cow<'l, str>>,
    action: Option<Cow<'l, str>>,
    resource: Option<Cow<'l, str>>,
}

const FORMS: &str = "`surface` and `values`, `tool` and `input`, `toolPermission`, `toolExposed`, `mcpTargets`, or `model`, \
                     `action` and `resource`";

impl<'l> Fields<'l> {
    fn request(self) -> Result<Request<'l>, BadLine> {
        let forms = [
            ("surface", self.surface.is_some() || self.values.is_some()),
            ("tool", self.tool.is_some() || self.input.is_some()),
            ("toolPermission", self.tool_permission.is_some()),
            ("toolExposed", self.tool_exposed.is_some()),
            ("mcpTargets", self.mcp_targets.is_some()),
            (
                "model",
                self.model.is_some() || self.action.is_some() || self.resource.is_some(),
            ),
        ];
        let mut asked = forms.iter().filter(|(_, is_there)| *is_there);
        let Some((form, _)) = asked.next() else {
            return Err(BadLine::new(format!("the line asks nothing; give {FORMS}")));
        };
        if let Some((second, _)) = asked.next() {
            return Err(BadLine::new(format!(
                "the line asks two things, `{form}` and `{second}`"
            )));
        }
        let ask = match *form {
            "surface" => Ask::Check {
                surface: wanted(self.surface, "surface")?,
                values: wanted(self.values, "values")?,
            },
            "tool" => Ask::Tool {
                tool: wanted(self.tool, "tool")?,
                input: wanted(self.input, "input")?,
            },
            "toolPermission" => Ask::Permission(wanted(self.tool_permission, "toolPermission")?),
            "toolExposed" => Ask::Exposed(wanted(self.tool_exposed, "toolExposed")?),
            "mcpTargets" => Ask::Targets(wanted(self.mcp_targets, "mcpTargets")?),
            _ => Ask::Tier {
                model: wanted(self.model, "model")?,
                action: wanted(self.action, "action")?,
                resource: wanted(self.resource, "resource")?,
            },
        };
        let is_absolute = |cwd: &str| cwd.starts_with('/') || (cfg!(windows) && cwd.contains(':'));
        if self.cwd.as_deref().is_some_and(|cwd| !is_absolute(cwd)) {
            return Err(BadLine::new("the field `cwd` must be an absolute path"));
        }
        let (agent, session, yolo, home) = (self.agent, self.session, self.yolo, self.home);
        Ok(Request {
            agent,
            session,
            yolo,
            home,
            cwd: self.cwd,
            ask,
        })
    }
}

fn wanted<T>(field: Option<T>, name: &str) -> Result<T, BadLine> {
    field.ok_or_else(|| BadLine::new(format!("the field `{name}` is missing")))
}

impl<'de> Deserialize<'de> for Fields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = Fields<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Fields::default();
        while let Some(Text(key)) = map.next_key()? {
            let map = &mut map;
            match key.as_ref() {
                "agent" => text(&mut fields.agent, &key, map)?,
                "session" => {
                    let Rules(rules) = once(&fields.session, &key, map)?;
                    fields.session = Some(rules);
                }
                "yolo" => {
                    let yolo: bool = once(&fields.yolo, &key, map)?;
                    fields.yolo = Some(yolo);
                }
                "home" => text(&mut fields.home, &key, map)?,
                "cwd" => text(&mut fields.cwd, &key, map)?,
                "surface" => text(&mut fields.surface, &key, map)?,
                "values" => {
                    let values: Vec<Text<'de>> = once(&fields.values, &key, map)?;
                    fields.values = Some(values.into_iter().map(|Text(value)| value).collect());
                }
                "tool" => text(&mut fields.tool, &key, map)?,
                "input" => {
                    let input = once(&fields.input, &key, map)?;
                    fields.input = Some(input);
                }
                "toolPermission" => text(&mut fields.tool_permission, &key, map)?,
                "toolExposed" => text(&mut fields.tool_exposed, &key, map)?,
                "mcpTargets" => {
                    let input = once(&fields.mcp_targets, &key, map)?;
                    fields.mcp_targets = Some(input);
                }
                "model" => text(&mut fields.model, &key, map)?,
                "action" => text(&mut fields.action, &key, map)?,
                "resource" => text(&mut fields.resource, &key, map)?,
                unknown => {
                    let name = crate::diagnostic::quote(unknown);
                    return Err(A::Error::custom(format!("unknown field {name}")));
                }
            }
        }
        Ok(fields)
    }
}

/// The value of a field that was not there yet.
fn once<'de, T, V: Deserialize<'de>, A: MapAccess<'de>>(
    known: &Option<T>,
    key: &str,
    map: &mut A,
) -> Result<V, A::Error> {
    if known.is_some() {
        return Err(A::Error::custom(format!("the field `{key}` stands twice")));
    }
    map.next_value()
}

fn text<'de, A: MapAccess<'de>>(
    field: &mut Option<Cow<'de, str>>,
    key: &str,
    map: &mut A,
) -> Result<(), A::Error> {
    let Text(text) = once(field, key, map)?;
    *field = Some(text);
    Ok(())
}

/// A string, borrowed from the line where it has no escapes.
struct Text<'l>(Cow<'l, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(TextVisitor)
    }
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }
}

/// Session rules: pairs of surface and pattern, neither empty, as in a session file.
struct Rules<'l>(Vec<(Cow<'l, str>, Cow<'l, str>)>);

impl<'de> Deserialize<'de> for Rules<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(RulesVisitor)
    }
}

struct RulesVisitor;

impl<'de> Visitor<'de> for RulesVisitor {
    type Value = Rules<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of pairs of surface and pattern")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut rules = Vec::new();
        while let Some(pair) = list.next_element::<Vec<Text<'de>>>()? {
            let pair: [Text<'de>; 2] = pair.try_into().map_err(|pair: Vec<_>| {
                A::Error::custom(format!(
                    "a session rule has two strings, not {}",
                    pair.len()
                ))
            })?;
            let [Text(surface), Text(pattern)] = pair;
            if surface.is_empty() || pattern.is_empty() {
                return Err(A::Error::custom(
                    "the surface or the pattern of a session rule is empty",
                ));
            }
            rules.push((surface, pattern));
        }
        Ok(Rules(rules))
    }
}

/// The arguments of a tool call: those that are strings; of the others it is only checked that no name stands twice.
#[derive(Debug, Default)]
pub(super) struct Input<'l>(Vec<(Cow<'l, str>, Cow<'l, str>)>);

impl ToolInput for Input<'_> {
    fn string(&self, key: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, value)| value.as_ref())
    }
}

impl<'de> Deserialize<'de> for Input<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(InputVisitor)
    }
}

struct InputVisitor;

impl<'de> Visitor<'de> for InputVisitor {
    type Value = Input<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let mut strings = Vec::new();
        members(map, |name, value| {
            if let Argument::Text(text) = value {
                strings.push((name.clone(), text));
            }
        })?;
        Ok(Input(strings))
    }
}

/// Any JSON value.
enum Argument<'l> {
    Text(Cow<'l, str>),
    Other,
}

impl<'de> Deserialize<'de> for Argument<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ArgumentVisitor)
    }
}

struct ArgumentVisitor;

impl<'de> Visitor<'de> for ArgumentVisitor {
    type Value = Argument<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Argument::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Argument::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Argument::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Argument::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Argument::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Argument::Other)
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Argument::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        while list.next_element::<Argument<'de>>()?.is_some() {}
        Ok(Argument::Other)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        members(map, |_, _| {})?;
        Ok(Argument::Other)
    }
}

/// Goes through an object whose names must differ.
fn members<'de, A: MapAccess<'de>>(
    mut map: A,
    mut each: impl FnMut(&Cow<'de, str>, Argument<'de>),
) -> Result<(), A::Error> {
    let mut names: std::collections::HashSet<Cow<'de, str>> = std::collections::HashSet::new();
    while let Some(Text(name)) = map.next_key()? {
        if names.contains(&name) {
            // The value is read so that the error stands behind the whole member.
            map.next_value::<IgnoredAny>()?;
            let name = crate::diagnostic::quote(&name);
            return Err(A::Error::custom(format!(
                "the argument {name} stands twice"
            )));
        }
        each(&name, map.next_value()?);
        names.insert(name);
    }
    Ok(())
}
