//! Small questions about texts that several rooms ask.

/// What follows the last `/`; the text itself where there is none.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path made absolute and clean without looking at any file: `.`, `..` and `//` resolved, a leading home put in.
pub(crate) fn absolute(path: &str, base: &str, home: Option<&str>) -> String {
    let expanded = home.and_then(|home| {
        let rest = permc_runtime::home_suffix(path)?;
        Some(format!("{}{rest}", home.strip_suffix('/').unwrap_or(home)))
    });
    let path = expanded.as_deref().unwrap_or(path);
    let mut clean = String::with_capacity(base.len().saturating_add(path.len()).saturating_add(1));
    if !path.starts_with('/') {
        walk(base, &mut clean);
    }
    walk(path, &mut clean);
    if clean.is_empty() {
        clean.push('/');
    }
    clean
}

/// Goes from a clean absolute path on, part by part.
fn walk(path: &str, clean: &mut String) {
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => clean.truncate(clean.rfind('/').unwrap_or(0)),
            other => {
                clean.push('/');
                clean.push_str(other);
            }
        }
    }
}
