//! Names that say what is in a file, so that its contents never change.

/// Hexadecimal digits of a name: 64 bits of the contents' SHA-256.
pub const DIGITS: usize = 16;

/// True if the file at `address` will never change.
pub fn is_fingerprinted(address: &str) -> bool {
    let name = address.rsplit('/').next().unwrap_or(address);
    name.split('.').any(|part| {
        part.len() == DIGITS
            && part
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lasting_names_are_told_from_others() {
        assert!(is_fingerprinted(
            "/models/a/model.0123456789abcdef.safetensors"
        ));
        assert!(is_fingerprinted("page.0123456789abcdef.js.br"));
        assert!(!is_fingerprinted("/0123456789abcdef/page.js"));
        assert!(!is_fingerprinted(
            "snippets/leptos-0123456789abcdef/inline0.js"
        ));
        assert!(!is_fingerprinted("index.html"));
    }
}
