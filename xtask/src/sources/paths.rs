//! Paths that the code of a module names.

use std::collections::BTreeSet;

use super::Module;

/// The paths inside the crate that the code of a module names.
pub fn paths(module: &[String], code: &str) -> Vec<Module> {
    let tokens = tokens(code);
    let declared: BTreeSet<&str> = tokens
        .windows(3)
        .filter(|tokens| tokens[0] == "mod" && tokens[2] == ";")
        .map(|tokens| tokens[1])
        .collect();
    let mut found = Vec::new();
    let mut inline = Vec::new();
    let mut depth = 0;
    for (at, &token) in tokens.iter().enumerate() {
        match token {
            "{" => {
                // What `super` means depends on the modules that are written inside this one.
                if at >= 2 && tokens[at - 2] == "mod" {
                    inline.push((tokens[at - 1], depth));
                }
                depth += 1;
            }
            "}" => {
                depth -= 1;
                inline.pop_if(|(_, opened)| *opened == depth);
            }
            _ => {}
        }
        let is_start = at == 0 || tokens[at - 1] != "::";
        let is_path = tokens.get(at + 1) == Some(&"::");
        let is_ours = ["crate", "self", "super"].contains(&token) || declared.contains(token);
        if is_start && is_path && is_ours {
            let inline = inline.iter().map(|(name, _)| (*name).to_owned());
            let here: Module = module.iter().cloned().chain(inline).collect();
            tree(&tokens[at..], here, &mut found);
        }
    }
    found
}

/// The identifiers, `::` and single signs of code.
fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            _ if is_word(first) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            ':' if rest.starts_with("::") => 2,
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

/// Collects the paths of a tree such as `super::{a::B, c}`, which begins at `from`; returns how many tokens it has.
fn tree(tokens: &[&str], from: Module, found: &mut Vec<Module>) -> usize {
    let mut path = from;
    let mut at = 0;
    loop {
        match tokens.get(at).copied() {
            Some("{") => {
                at += 1;
                while !matches!(tokens.get(at).copied(), Some("}") | None) {
                    at += match tokens[at] {
                        "," => 1,
                        _ => tree(&tokens[at..], path.clone(), found),
                    };
                }
                return at + 1;
            }
            Some("crate") => path.clear(),
            Some("super") => {
                path.pop();
            }
            Some("self" | "*") | None => {}
            Some(name) => path.push(name.to_owned()),
        }
        at += 1;
        if tokens.get(at) != Some(&"::") {
            found.push(path);
            // What is imported may be given another name.
            return match tokens.get(at) {
                Some(&"as") => at + 2,
                _ => at,
            };
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_the_root() {
        let module = ["tap".to_owned(), "edits".to_owned()];
        let code = "use super::{probes::Probe, self as taps}; mod one; fn a() { one::b(); std::c(); crate::d::E }";
        let found: Vec<String> = paths(&module, code)
            .iter()
            .map(|path| path.join("::"))
            .collect();
        assert_eq!(
            found,
            ["tap::probes::Probe", "tap", "tap::edits::one::b", "d::E"]
        );
    }
}
