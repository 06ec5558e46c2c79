//! Subresource Integrity: the page names the digests of its scripts and style sheets, and a browser takes no others.

/// What a browser checks as it loads it, as the page writes it.
const CHECKED: [&str; 3] = [
    r#"<script type="module" src=""#,
    r#"<link rel="modulepreload" href=""#,
    r#"<link rel="stylesheet" href=""#,
];

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The page with the digest of each such file whose SHA-256, in hexadecimal, is known by its address.
pub fn with_digests<'a>(page: &str, digest: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut result = String::with_capacity(page.len());
    let mut rest = page;
    while let Some((start, length)) = next(rest) {
        let (before, after) = rest.split_at(start + length);
        let address = after.split('"').next().unwrap_or_default();
        result.push_str(before);
        result.push_str(address);
        result.push('"');
        if let Some(digest) = digest(address) {
            result.push_str(&format!(r#" integrity="{}""#, spelled(digest)));
        }
        rest = after.get(address.len() + 1..).unwrap_or_default();
    }
    result + rest
}

/// Where the next such file begins to be named, and how long that beginning is.
fn next(page: &str) -> Option<(usize, usize)> {
    let found = CHECKED
        .iter()
        .filter_map(|tag| Some((page.find(tag)?, tag.len())));
    found.min()
}

/// A SHA-256 in hexadecimal as pages write it, in base 64.
pub fn spelled(hexadecimal: &str) -> String {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).unwrap_or_default();
    let digits: Vec<u32> = hexadecimal.as_bytes().iter().map(digit).collect();
    // Three digits of base 16 are two of base 64.
    let mut result = String::from("sha256-");
    for three in digits.chunks(3) {
        let at = |place: usize| three.get(place).copied().unwrap_or_default();
        let number = at(0) << 8 | at(1) << 4 | at(2);
        let letters = [number >> 6, number & 63];
        let letters = letters.iter().take(if three.len() == 1 { 1 } else { 2 });
        result.extend(letters.map(|&letter| char::from(ALPHABET[letter as usize])));
    }
    while !(result.len() - "sha256-".len()).is_multiple_of(4) {
        result.push('=');
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of nothing, as every implementation of Subresource Integrity spells it.
    const OF_NOTHING: (&str, &str) = (
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
    );

    #[test]
    fn a_digest_is_spelled_in_base_64() {
        assert_eq!(spelled(OF_NOTHING.0), OF_NOTHING.1);
    }

    #[test]
    fn scripts_and_style_sheets_get_their_digests_and_nothing_else_does() {
        let page = r#"<link rel="icon" href="a.svg" /><link rel="stylesheet" href="a.css" /><script type="module" src="a.js"></script><script type="module" src="b.js"></script>"#;
        let digest = |address: &str| (address != "b.js").then_some(OF_NOTHING.0);
        let digested = with_digests(page, digest);
        let integrity = format!(r#" integrity="{}""#, OF_NOTHING.1);
        let expected = page
            .replace(r#""a.css""#, &format!(r#""a.css"{integrity}"#))
            .replace(r#""a.js""#, &format!(r#""a.js"{integrity}"#));
        assert_eq!(digested, expected);
    }

    #[test]
    fn the_page_itself_is_written_as_it_is_looked_for() {
        let page = include_str!("../../../index.html");
        for tag in CHECKED {
            assert!(page.contains(tag), "{tag}");
        }
    }
}
