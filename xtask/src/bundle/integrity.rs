//! Subresource Integrity: the page names the digests of its scripts and style sheets, and a browser takes no others.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha256};

use crate::error::Error;

/// The tags, as the page writes them, whose files a browser checks as it loads them.
const CHECKED: [&str; 3] = [
    r#"<script type="module" src=""#,
    r#"<link rel="modulepreload" href=""#,
    r#"<link rel="stylesheet" href=""#,
];

/// The page with the digest of each such file, by its address.
///
/// # Errors
/// If the page names a file that has no digest.
pub fn with_digests<'a>(
    page: &str,
    digest: impl Fn(&str) -> Option<&'a str>,
) -> Result<String, Error> {
    let mut result = String::with_capacity(page.len());
    let mut rest = page;
    while let Some((start, length)) = next(rest) {
        let (before, after) = rest.split_at(start + length);
        let address = after.split('"').next().unwrap_or_default();
        let digest = digest(address).ok_or_else(|| Error::NoDigest {
            address: address.to_owned(),
        })?;
        result.push_str(&format!(r#"{before}{address}" integrity="{digest}""#));
        rest = after.get(address.len() + 1..).unwrap_or_default();
    }
    Ok(result + rest)
}

/// The place of the next such tag in the page, and its length up to the address.
fn next(page: &str) -> Option<(usize, usize)> {
    let found = CHECKED
        .iter()
        .filter_map(|tag| Some((page.find(tag)?, tag.len())));
    found.min()
}

/// The SHA-256 of a file as the attribute `integrity` has it.
pub fn digest(contents: &[u8]) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(contents)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of nothing, as every implementation of Subresource Integrity has it.
    const OF_NOTHING: &str = "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";

    #[test]
    fn a_digest_is_in_base_64() {
        assert_eq!(digest(b""), OF_NOTHING);
    }

    #[test]
    fn scripts_and_style_sheets_get_their_digests_and_nothing_else_does() -> Result<(), Error> {
        let page = r#"<link rel="icon" href="a.svg" /><link rel="stylesheet" href="a.css" /><script type="module" src="a.js"></script>"#;
        let digested = with_digests(page, |_| Some(OF_NOTHING))?;
        let integrity = format!(r#" integrity="{OF_NOTHING}""#);
        let expected = page
            .replace(r#""a.css""#, &format!(r#""a.css"{integrity}"#))
            .replace(r#""a.js""#, &format!(r#""a.js"{integrity}"#));
        assert_eq!(digested, expected);
        Ok(())
    }

    #[test]
    fn a_file_without_a_digest_is_an_error() {
        let page = r#"<script type="module" src="a.js"></script>"#;
        let outcome = with_digests(page, |_| None);
        assert!(
            matches!(&outcome, Err(Error::NoDigest { address }) if address == "a.js"),
            "{outcome:?}"
        );
    }

    #[test]
    fn every_script_and_style_sheet_of_the_page_is_checked() {
        let page = include_str!("../../../index.html");
        let loads = |tag: &&str| {
            let relations = [r#"rel="modulepreload""#, r#"rel="stylesheet""#];
            let is_link = || relations.iter().any(|relation| tag.contains(relation));
            match tag.split_whitespace().next() {
                Some("script") => tag.contains(" src="),
                Some("link") => is_link(),
                _ => false,
            }
        };
        let loaded = page.split('<').filter(loads).count();
        let checked: usize = CHECKED.iter().map(|tag| page.matches(tag).count()).sum();
        assert_eq!(checked, loaded);
        for tag in CHECKED {
            assert!(page.contains(tag), "{tag}");
        }
    }
}
