//! Paths: their aliases, whether they are inside, globs (page 2.3).

mod glob;

use std::borrow::Cow;

use permc_runtime::{fold_char, trim};

pub(crate) use self::glob::{Piece, expand_glob, glob_overlaps, glob_places};
use crate::files::Files;
use crate::text::absolute;

/// Paths that are never outside the working directory.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// What paths are resolved against.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    /// The working directory, absolute.
    pub(crate) cwd: &'a str,
    pub(crate) home: Option<&'a str>,
    pub(crate) files: &'a dyn Files,
    /// Case and backslashes do not count.
    pub(crate) fold: bool,
    /// Paths may be spelled as Windows does: drive letters, backslashes.
    pub(crate) windows: bool,
}

/// The names under which one path is looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Aliases {
    pub(crate) absolute: String,
    relative: Option<String>,
    literal: String,
    /// With links resolved, where that differs; two where `..` behind a link leaves the order open.
    canonical: Vec<String>,
}

impl Aliases {
    /// The aliases in the order of the page, each once.
    pub(crate) fn values(&self) -> Vec<&str> {
        let mut values = vec![self.absolute.as_str()];
        let rest = self
            .relative
            .iter()
            .chain([&self.literal])
            .chain(&self.canonical);
        for value in rest {
            if !values.contains(&value.as_str()) {
                values.push(value);
            }
        }
        values
    }
}

/// The aliases of a tool's path; `None` for a blank one.
pub(crate) fn aliases(text: &str, place: &Place<'_>) -> Option<Aliases> {
    aliases_at(text, place.cwd, place)
}

/// The same, resolved against a directory that a `cd` moved to.
pub(crate) fn aliases_at(text: &str, base: &str, place: &Place<'_>) -> Option<Aliases> {
    let literal = cleaned(text);
    if literal.is_empty() {
        return None;
    }
    let literal = expanded(&literal, place);
    let spelled: Cow<'_, str> = if place.windows {
        Cow::Owned(from_windows(&literal))
    } else {
        Cow::Borrowed(&literal)
    };
    let clean = absolute(&spelled, base, place.home);
    let relative = inside(&clean, place).map(str::to_owned);
    let canonical = canonical(&spelled, &clean, base, place);
    Some(Aliases {
        absolute: clean,
        relative,
        literal: literal.into_owned(),
        canonical,
    })
}

/// The part below the working directory; `None` outside it and for the directory itself.
fn inside<'p>(path: &'p str, place: &Place<'_>) -> Option<&'p str> {
    let cwd = place.cwd.strip_suffix('/').unwrap_or(place.cwd);
    let rest = strip_prefix(path, cwd, place.fold)?;
    rest.strip_prefix('/').filter(|rest| !rest.is_empty())
}

fn strip_prefix<'p>(path: &'p str, prefix: &str, fold: bool) -> Option<&'p str> {
    if !fold {
        return path.strip_prefix(prefix);
    }
    let mut rest = path.chars();
    for wanted in prefix.chars() {
        if fold_char(rest.next()?) != fold_char(wanted) {
            return None;
        }
    }
    Some(rest.as_str())
}

/// Blanks, one quote at each end and one `@` in front removed.
fn cleaned(text: &str) -> Cow<'_, str> {
    let text = trim(text);
    let is_quote = |character: char| matches!(character, '"' | '\'' | '`');
    let text = text.strip_prefix(is_quote).unwrap_or(text);
    let text = text.strip_suffix(is_quote).unwrap_or(text);
    let text = text.strip_prefix('@').unwrap_or(text);
    match file_url(text) {
        Some(path) => Cow::Owned(path),
        None => Cow::Borrowed(text),
    }
}

/// The path of a `file:` URL; the host is dropped.
fn file_url(text: &str) -> Option<String> {
    let scheme = text
        .get(..5)
        .filter(|scheme| scheme.eq_ignore_ascii_case("file:"))?;
    let rest = text.get(scheme.len()..)?;
    let path = match rest.strip_prefix("//") {
        Some(after) => {
            let slash = after.find('/').unwrap_or(after.len());
            after.get(slash..)?
        }
        None => rest,
    };
    let path = path.split(['?', '#']).next().unwrap_or(path);
    let decoded = decoded(path).unwrap_or_else(|| path.to_owned());
    (!decoded.is_empty()).then_some(decoded)
}

/// Percent escapes decoded; `None` where that gives no text.
fn decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digits = rest.clone();
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        match (digit(digits.next()), digit(digits.next())) {
            (Some(high), Some(low)) => {
                bytes.push(u8::try_from(high.checked_mul(16)?.checked_add(low)?).ok()?);
                rest = digits;
            }
            _ => bytes.push(byte),
        }
    }
    String::from_utf8(bytes).ok()
}

/// A leading home put in.
fn expanded<'t>(text: &'t str, place: &Place<'_>) -> Cow<'t, str> {
    let home = place.home.and_then(|home| {
        let rest = permc_runtime::home_suffix(text)?;
        Some(format!("{}{rest}", home.strip_suffix('/').unwrap_or(home)))
    });
    match home {
        Some(expanded) => Cow::Owned(expanded),
        None => Cow::Borrowed(text),
    }
}

/// `C:\x` and `\\server\share` with slashes, the drive as a first component.
fn from_windows(path: &str) -> String {
    let slashed = path.replace('\\', "/");
    let mut characters = slashed.chars();
    let has_drive = characters
        .next()
        .is_some_and(|drive| drive.is_ascii_alphabetic())
        && characters.next() == Some(':');
    if has_drive {
        format!("/{slashed}")
    } else {
        slashed
    }
}

/// The path with links resolved, as far as it exists, where that differs from the clean one.
fn canonical(spelled: &str, clean: &str, base: &str, place: &Place<'_>) -> Vec<String> {
    if !place.files.is_real() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut add = |path: Option<String>| {
        if let Some(path) = path.filter(|path| path != clean && !found.contains(path)) {
            found.push(path);
        }
    };
    add(resolved(clean, place.files));
    // `link/../x` is beside what the link points to, not beside the link.
    if spelled.split('/').any(|part| part == "..") {
        let whole = if spelled.starts_with('/') {
            spelled.to_owned()
        } else {
            format!("{base}/{spelled}")
        };
        add(walked(&whole, place.files));
    }
    found
}

/// The deepest ancestor that exists, resolved, and the rest as it is.
fn resolved(path: &str, files: &dyn Files) -> Option<String> {
    if let Some(real) = files.real_path(path) {
        return Some(real);
    }
    let mut head = path;
    loop {
        let (parent, _) = head.rsplit_once('/')?;
        head = parent;
        let exists = if head.is_empty() { "/" } else { head };
        if let Some(real) = files.real_path(exists) {
            let rest = path.get(head.len()..)?;
            return Some(format!("{}{rest}", real.strip_suffix('/').unwrap_or(&real)));
        }
        if head.is_empty() {
            return None;
        }
    }
}

/// The path part by part, each `..` taken where the links before it lead.
fn walked(path: &str, files: &dyn Files) -> Option<String> {
    let mut at = String::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                let length = at.rfind('/').unwrap_or(0);
                at.truncate(length);
            }
            part => {
                at.push('/');
                at.push_str(part);
                if let Some(real) = files.real_path(&at) {
                    at = real;
                }
            }
        }
    }
    if at.is_empty() {
        at.push('/');
    }
    Some(at)
}

/// Whether a path is outside the working directory, links resolved on both sides.
pub(crate) fn is_outside(aliases: &Aliases, place: &Place<'_>) -> bool {
    let is_device = |path: &str| DEVICES.contains(&path);
    if is_device(&aliases.absolute) {
        return false;
    }
    let cwd = place.cwd.strip_suffix('/').unwrap_or(place.cwd);
    let real_cwd = place.files.real_path(place.cwd);
    let real_cwd = real_cwd.as_deref().unwrap_or(cwd);
    let is_in = |path: &str, directory: &str| {
        let directory = directory.strip_suffix('/').unwrap_or(directory);
        strip_prefix(path, directory, place.fold)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if aliases.canonical.is_empty() {
        return !is_in(&aliases.absolute, cwd) && !is_in(&aliases.absolute, real_cwd);
    }
    let mut canonical = aliases.canonical.iter();
    canonical.any(|path| !is_device(path) && !is_in(path, real_cwd))
}

#[cfg(test)]
mod tests;
