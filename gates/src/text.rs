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
    let whole = if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("{base}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            other => parts.push(other),
        }
    }
    let mut clean = String::with_capacity(whole.len());
    for part in &parts {
        clean.push('/');
        clean.push_str(part);
    }
    if clean.is_empty() {
        clean.push('/');
    }
    clean
}
