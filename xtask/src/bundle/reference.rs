//! References from one served file to another: addresses in quotes.

/// True if a file of this name can refer to others.
pub fn may_refer(name: &str) -> bool {
    [".html", ".js", ".css", ".webmanifest"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// The names of the known files that `text`, the contents of `name`, refers to, each once.
pub fn found(name: &str, text: &str, is_known: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for (_, quoted) in quoted(text) {
        if let Some(address) = resolved(name, quoted)
            && is_known(&address)
            && !found.contains(&address)
        {
            found.push(address);
        }
    }
    found
}

/// `text` with the address that `path` knows in place of each reference.
pub fn replaced(name: &str, text: &str, path: impl Fn(&str) -> Option<String>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut copied = 0;
    for (start, quoted) in quoted(text) {
        if let Some(address) = resolved(name, quoted)
            && let Some(path) = path(&address)
        {
            // Only the file's own name changes, so that the way to it stays as it was written.
            let directory = quoted.rfind('/').map_or(0, |slash| slash + 1);
            let file = path.rfind('/').map_or(0, |slash| slash + 1);
            result.push_str(&text[copied..start + directory]);
            result.push_str(&path[file..]);
            copied = start + quoted.len();
        }
    }
    result.push_str(&text[copied..]);
    result
}

/// The texts between two quotes of the same kind, which may be addresses, and their places.
fn quoted(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_quote = |character: char| matches!(character, '"' | '\'' | '`');
    text.match_indices(is_quote).filter_map(|(start, quote)| {
        let inside = &text[start + quote.len()..];
        let end = inside.find(|character: char| {
            !(character.is_ascii_alphanumeric() || "-_./".contains(character))
        })?;
        let closed = end > 0 && inside[end..].starts_with(quote);
        closed.then(|| (start + quote.len(), &inside[..end]))
    })
}

/// The address from the page's directory that `reference` means in the file `name`; `None` if it
/// leaves that directory or is absolute.
fn resolved(name: &str, reference: &str) -> Option<String> {
    if reference.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = name.split('/').collect();
    parts.pop();
    for part in reference.split('/') {
        match part {
            "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_found_from_where_they_stand() {
        let text = r#"import x from "../page.js"; fetch('b/c.wasm'); say("page.js"); it's"#;
        let is_known = |address: &str| ["page.js", "js/b/c.wasm"].contains(&address);
        assert_eq!(
            found("js/boot.js", text, is_known),
            ["page.js", "js/b/c.wasm"]
        );
    }

    #[test]
    fn only_the_files_own_name_is_replaced() {
        let path = |address: &str| (address == "js/page.js").then(|| "js/page.0f.js".to_owned());
        let text = r#"import "./page.js"; import './page.jsx'; "page.js" + 'other.js'"#;
        assert_eq!(
            replaced("js/boot.js", text, path),
            r#"import "./page.0f.js"; import './page.jsx'; "page.0f.js" + 'other.js'"#
        );
    }

    #[test]
    fn addresses_outside_are_left_alone() {
        assert_eq!(resolved("boot.js", "../page.js"), None);
        assert_eq!(resolved("boot.js", "/page.js"), None);
        assert_eq!(resolved("a/b.js", "./../c/d.js"), Some("c/d.js".to_owned()));
    }
}
