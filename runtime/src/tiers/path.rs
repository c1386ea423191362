//! A resource as an absolute path without `.`, `..` and doubled separators, mostly without copying.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec;

use crate::fold::fold_char;

/// Bytes of a resource up to which it is put in order without allocation, and a separator in front.
const SHORT: usize = 1_025;

/// What relative paths are below.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places {
    /// Clean; nothing for the root.
    home: Option<String>,
    pub(crate) cwd: Option<String>,
    pub(crate) fold: bool,
}

/// A clean absolute path in two pieces: each is nothing, or `/` and names. Both together are nothing for the root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Path<'a> {
    pub(crate) base: &'a str,
    pub(crate) rest: &'a str,
}

impl Places {
    /// What is not absolute counts as unknown.
    pub(crate) fn new(home: Option<&str>, cwd: Option<&str>, fold: bool) -> Self {
        let none = Self {
            fold,
            ..Self::default()
        };
        let clean = |path: &str| {
            let is_absolute = is_absolute(path, fold);
            is_absolute
                .then(|| none.path(path, |path| path.base.to_owned() + path.rest))
                .flatten()
        };
        Self {
            home: home.and_then(clean),
            cwd: cwd.and_then(clean),
            fold,
        }
    }

    pub(crate) const fn has_home(&self) -> bool {
        self.home.is_some()
    }

    /// The same with another working directory.
    pub(crate) fn at(&self, cwd: &str) -> Self {
        Self {
            home: self.home.clone(),
            ..Self::new(None, Some(cwd), self.fold)
        }
    }

    /// Hands over the absolute path of a resource; `None` where it is relative to what is not known.
    ///
    /// # Complexity
    ///
    /// O(resource).
    pub(crate) fn path<T>(&self, resource: &str, read: impl FnOnce(Path<'_>) -> T) -> Option<T> {
        let (base, rest) = self.based(resource)?;
        if base.is_empty() && is_clean(rest, self.fold) {
            return Some(read(Path { base, rest }));
        }
        let needed = rest.len().checked_add(1)?;
        if needed <= SHORT {
            let mut buffer = [0; SHORT];
            ordered(base, rest, self.fold, &mut buffer, read)
        } else {
            let mut buffer = vec![0; needed];
            ordered(base, rest, self.fold, &mut buffer, read)
        }
    }

    /// The clean directory that a resource is relative to, and the resource without what stands for it.
    fn based<'a>(&'a self, resource: &'a str) -> Option<(&'a str, &'a str)> {
        if is_absolute(resource, self.fold) {
            return Some(("", resource));
        }
        if let Some(home) = &self.home {
            for spelling in ["~", "$HOME", "${HOME}"] {
                if let Some(rest) = resource.strip_prefix(spelling)
                    && (rest.is_empty()
                        || rest.starts_with(|letter| is_separator(letter, self.fold)))
                {
                    return Some((home, rest));
                }
            }
        }
        Some((self.cwd.as_deref()?, resource))
    }

    pub(crate) fn below_home<'a>(&self, path: &Path<'a>) -> Option<Path<'a>> {
        below(path, self.home.as_deref()?, self.fold)
    }

    pub(crate) fn below_cwd<'a>(&self, path: &Path<'a>) -> Option<Path<'a>> {
        below(path, self.cwd.as_deref()?, self.fold)
    }
}

fn is_separator(letter: char, fold: bool) -> bool {
    letter == '/' || (fold && letter == '\\')
}

/// Whether a path starts at the root; where paths fold, also at a drive.
fn is_absolute(path: &str, fold: bool) -> bool {
    let mut letters = path.chars();
    let first = letters.next();
    if first.is_some_and(|first| is_separator(first, fold)) {
        return true;
    }
    fold && first.is_some_and(|drive| drive.is_ascii_alphabetic())
        && letters.next() == Some(':')
        && letters
            .next()
            .is_none_or(|letter| is_separator(letter, fold))
}

/// Whether each separator is followed by a name that is a name.
fn is_clean(path: &str, fold: bool) -> bool {
    if fold && path.contains('\\') {
        return false;
    }
    let Some(names) = path.strip_prefix('/') else {
        return path.is_empty();
    };
    names
        .split('/')
        .all(|name| !matches!(name, "" | "." | ".."))
}

/// Writes the names of `rest` from the last one on, so that each `..` is known before what it takes away.
fn ordered<T>(
    base: &str,
    rest: &str,
    fold: bool,
    buffer: &mut [u8],
    read: impl FnOnce(Path<'_>) -> T,
) -> Option<T> {
    let mut base = base;
    let mut start = buffer.len();
    let mut n_parents = 0_usize;
    for name in rest.rsplit(|letter| is_separator(letter, fold)) {
        match name {
            "" | "." => {}
            ".." => n_parents = n_parents.saturating_add(1),
            _ if n_parents > 0 => n_parents = n_parents.saturating_sub(1),
            _ => {
                let first = start.checked_sub(name.len())?;
                buffer
                    .get_mut(first..start)?
                    .copy_from_slice(name.as_bytes());
                start = first.checked_sub(1)?;
                *buffer.get_mut(start)? = b'/';
            }
        }
    }
    while n_parents > 0 && !base.is_empty() {
        base = base.rsplit_once('/').map_or("", |(parent, _)| parent);
        n_parents = n_parents.saturating_sub(1);
    }
    let rest = core::str::from_utf8(buffer.get(start..)?).ok()?;
    Some(read(Path { base, rest }))
}

/// What of a path is below a clean directory; nothing of it for the directory itself.
fn below<'a>(path: &Path<'a>, directory: &str, fold: bool) -> Option<Path<'a>> {
    let mut left = *path;
    if fold {
        for expected in directory.chars() {
            let mut letters = left.base.chars();
            let found = letters.next();
            left.base = letters.as_str();
            let found = found.or_else(|| {
                let mut letters = left.rest.chars();
                let found = letters.next();
                left.rest = letters.as_str();
                found
            })?;
            if fold_char(found) != fold_char(expected) {
                return None;
            }
        }
    } else if let Some(base) = left.base.strip_prefix(directory) {
        left.base = base;
    } else {
        left.rest = left.rest.strip_prefix(directory.strip_prefix(left.base)?)?;
        left.base = "";
    }
    let first = left.base.chars().chain(left.rest.chars()).next();
    matches!(first, None | Some('/')).then_some(left)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(home: &str, cwd: &str, fold: bool) -> Places {
        Places::new(Some(home), Some(cwd), fold)
    }

    fn whole(places: &Places, resource: &str) -> Option<String> {
        places.path(resource, |path| path.base.to_owned() + path.rest)
    }

    #[test]
    fn resources_become_absolute_and_clean() {
        let places = places("/home/dev/", "/srv/app/", false);
        let long = "x/".repeat(800);
        for (resource, expected) in [
            ("", "/srv/app"),
            (".", "/srv/app"),
            ("/", ""),
            ("//", ""),
            ("/a/b", "/a/b"),
            ("/a//b/./c/", "/a/b/c"),
            ("/a/../../b", "/b"),
            ("src/../secrets/k", "/srv/app/secrets/k"),
            ("../x", "/srv/x"),
            ("../../../../x", "/x"),
            ("a/../../b/..", "/srv"),
            ("~", "/home/dev"),
            ("~/x/../y", "/home/dev/y"),
            ("~/../eve", "/home/eve"),
            ("$HOME/x", "/home/dev/x"),
            ("${HOME}", "/home/dev"),
            ("~eve/x", "/srv/app/~eve/x"),
            ("...", "/srv/app/..."),
            ("..a/é", "/srv/app/..a/é"),
            (r"a\b", r"/srv/app/a\b"),
            ("a\nb", "/srv/app/a\nb"),
        ] {
            assert_eq!(
                whole(&places, resource).as_deref(),
                Some(expected),
                "{resource:?}"
            );
        }
        assert_eq!(
            whole(&places, &long).unwrap().len(),
            "/srv/app".len() + long.len()
        );
        let longest = format!("/{}", "x".repeat(5_000));
        assert_eq!(whole(&places, &longest), Some(longest));
    }

    #[test]
    fn what_is_relative_to_the_unknown_is_unknown() {
        let nowhere = Places::new(None, Some("relative"), false);
        assert_eq!(whole(&nowhere, "a"), None);
        assert_eq!(whole(&nowhere, ""), None);
        assert_eq!(whole(&nowhere, "/a").as_deref(), Some("/a"));
        let homeless = Places::new(None, Some("/w"), false);
        assert_eq!(whole(&homeless, "~/a").as_deref(), Some("/w/~/a"));
    }

    #[test]
    fn folding_knows_drives_and_backslashes() {
        let places = places(r"C:\Users\Dev", r"D:\Work", true);
        for (resource, expected) in [
            (r"a\..\B", "/D:/Work/B"),
            (r"\x\y", "/x/y"),
            (r"E:\x", "/E:/x"),
            ("E:", "/E:"),
            ("E:x", "/D:/Work/E:x"),
            (r"~\x", "/C:/Users/Dev/x"),
        ] {
            assert_eq!(
                whole(&places, resource).as_deref(),
                Some(expected),
                "{resource:?}"
            );
        }
        let below = |resource: &str| {
            let below = |path: Path<'_>| {
                let below = places.below_home(&path)?;
                Some(below.base.to_owned() + below.rest)
            };
            places.path(resource, below).flatten()
        };
        assert_eq!(below(r"c:\USERS\dev\X").as_deref(), Some("/X"));
        assert_eq!(below(r"c:\users\devil"), None);
    }

    #[test]
    fn a_path_is_below_whole_names_only() {
        let places = places("/home/dev", "/home/dev/app", false);
        let below = |resource: &str| {
            let below = |path: Path<'_>| {
                let text = |path: Path<'_>| path.base.to_owned() + path.rest;
                (
                    places.below_home(&path).map(text),
                    places.below_cwd(&path).map(text),
                )
            };
            places.path(resource, below).unwrap()
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(below("/home/dev"), (some(""), None));
        assert_eq!(below("/home/development"), (None, None));
        assert_eq!(below("x"), (some("/app/x"), some("/x")));
        assert_eq!(below("~/app/x"), (some("/app/x"), some("/x")));
        assert_eq!(below("../application"), (some("/application"), None));
        assert_eq!(below("/home/dev/app"), (some("/app"), some("")));
        let root = Places::new(Some("/"), Some("/"), false);
        assert_eq!(
            root.path("x", |path| root.below_cwd(&path).is_some()),
            Some(true)
        );
        assert_eq!(
            root.path("/x", |path| root.below_home(&path).is_some()),
            Some(true)
        );
    }
}
