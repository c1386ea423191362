//! Paths: their aliases, whether they are inside, globs (page 2.3).

mod glob;

use std::borrow::Cow;

use permc_runtime::{fold_char, trim};

pub(crate) use self::glob::{Piece, expand_glob, glob_overlaps, glob_places};
use crate::files::Files;
use crate::text::absolute;

/// Paths that are never outside the working directory.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr"];

/// Bytes beyond which no system takes a path.
pub(crate) const LONGEST: usize = 4_096;

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
    /// With links resolved; more than one where it is open which of two readings holds.
    lands: Vec<String>,
}

impl Aliases {
    /// Where the path leads: absolute and clean, with and without links resolved.
    pub(crate) fn places(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&self.absolute)
            .chain(&self.lands)
            .map(String::as_str)
    }

    /// The aliases in the order of the page, each once.
    pub(crate) fn values(&self) -> Vec<&str> {
        let mut values = vec![self.absolute.as_str()];
        let rest = self
            .relative
            .iter()
            .chain([&self.literal])
            .chain(&self.lands);
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
    if trim(&literal).is_empty() {
        return None;
    }
    if place.home.is_none() && permc_runtime::home_suffix(&literal).is_some() {
        // Nobody knows where that is; it is surely not below the working directory.
        let literal = literal.into_owned();
        return Some(Aliases {
            absolute: literal.clone(),
            relative: None,
            literal,
            lands: Vec::new(),
        });
    }
    let literal = expanded(&literal, place);
    let spelled = slashed(&literal, place);
    let base = slashed(base, place);
    let clean = absolute(&spelled, &base, None);
    let relative = inside(&clean, place).map(str::to_owned);
    let mut lands = lands(&spelled, &clean, &base, place);
    if place.fold && !place.windows && literal.contains('\\') {
        // Where `\` is a letter like any other, the name may be another file's.
        let typed = absolute(&literal, &base, None);
        for path in self::lands(&literal, &typed, &base, place) {
            if !lands.contains(&path) {
                lands.push(path);
            }
        }
    }
    Some(Aliases {
        absolute: clean,
        relative,
        literal: literal.into_owned(),
        lands,
    })
}

/// Whether a `..` follows a name: `a/../b`, but not `../b`.
pub(crate) fn turns_back(path: &str, fold: bool) -> bool {
    let mut has_name = false;
    path.split(|character| character == '/' || (fold && character == '\\'))
        .any(|part| match part {
            ".." => has_name,
            "" | "." => false,
            _ => {
                has_name = true;
                false
            }
        })
}

/// The part below the working directory; `None` outside it and for the directory itself.
fn inside<'p>(path: &'p str, place: &Place<'_>) -> Option<&'p str> {
    let cwd = slashed(place.cwd, place);
    let cwd = cwd.strip_suffix('/').unwrap_or(&cwd);
    let rest = strip_prefix(path, cwd, place.fold)?;
    rest.strip_prefix('/').filter(|rest| !rest.is_empty())
}

/// What follows a prefix.
pub(crate) fn strip_prefix<'p>(path: &'p str, prefix: &str, fold: bool) -> Option<&'p str> {
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
pub(crate) fn cleaned(text: &str) -> Cow<'_, str> {
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

/// The path with slashes between its components, for whatever `\` means here.
fn slashed<'t>(path: &'t str, place: &Place<'_>) -> Cow<'t, str> {
    if place.windows {
        Cow::Owned(from_windows(path))
    } else if place.fold && path.contains('\\') {
        Cow::Owned(path.replace('\\', "/"))
    } else {
        Cow::Borrowed(path)
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

/// The path with links resolved, as far as it exists; nothing where that cannot be told.
fn lands(spelled: &str, clean: &str, base: &str, place: &Place<'_>) -> Vec<String> {
    if !place.files.is_real() {
        return Vec::new();
    }
    let mut found: Vec<String> = resolved(clean, place.files).into_iter().collect();
    // `link/../x` is beside what the link points to for the system, beside the link for a tool that cleans up first.
    if spelled.split('/').any(|part| part == "..") {
        let whole = if spelled.starts_with('/') {
            spelled.to_owned()
        } else {
            format!("{base}/{spelled}")
        };
        found.extend(walked(&whole, place.files).filter(|path| !found.contains(path)));
    }
    found
}

/// The deepest ancestor that exists, resolved, and the rest as it is.
fn resolved(path: &str, files: &dyn Files) -> Option<String> {
    let mut head = path;
    loop {
        let exists = if head.is_empty() { "/" } else { head };
        // What is longer than any system takes does not exist, and is not asked for.
        if head.len() <= LONGEST
            && let Some(real) = files.real_path(exists)
        {
            let rest = path.get(head.len()..)?;
            if rest.is_empty() {
                return Some(real);
            }
            return Some(format!("{}{rest}", real.strip_suffix('/').unwrap_or(&real)));
        }
        head = head.rsplit_once('/')?.0;
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
                if at.len() <= LONGEST
                    && let Some(real) = files.real_path(&at)
                {
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

/// Whether a path is a device that is never outside.
pub(crate) fn is_device(path: &str) -> bool {
    DEVICES.contains(&path)
}

/// Whether a path is outside the working directory, links resolved on both sides.
pub(crate) fn is_outside(aliases: &Aliases, place: &Place<'_>) -> bool {
    // Two ways to resolve `..` may end at a device and elsewhere; then only the places themselves count.
    if is_device(&aliases.absolute) && aliases.lands.len() < 2 {
        return false;
    }
    let cwd = slashed(place.cwd, place);
    let cwd = cwd.strip_suffix('/').unwrap_or(&cwd);
    let real_cwd = place.files.real_path(place.cwd);
    let real_cwd = real_cwd.as_deref().unwrap_or(cwd);
    let is_in = |path: &str, directory: &str| {
        let directory = directory.strip_suffix('/').unwrap_or(directory);
        strip_prefix(path, directory, place.fold)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    if aliases.lands.is_empty() {
        return !is_in(&aliases.absolute, cwd) && !is_in(&aliases.absolute, real_cwd);
    }
    let mut lands = aliases.lands.iter();
    lands.any(|path| !is_device(path) && !is_in(path, real_cwd))
}

#[cfg(test)]
mod tests;
