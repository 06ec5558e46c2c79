//! Addresses of files that lie beside the page.

/// The length in bytes of the longest address of a file.
const LONGEST_ADDRESS: usize = 260;

/// Returns the address of a file beside the page, or in a folder there; `None` for any other address.
pub fn beside(text: &str) -> Option<String> {
    let is_name = |name: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        !name.is_empty() && !name.starts_with('.') && name.bytes().all(allowed)
    };
    let is_beside = text.len() <= LONGEST_ADDRESS && text.split('/').all(is_name);
    is_beside.then(|| text.to_owned())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The syntax of such an address, or nothing, for generated views.
    pub const BESIDE: &str = "([a-z0-9_-]{1,8}/){0,2}[a-z0-9_-]{1,8}\\.json|";

    #[test]
    fn only_a_file_beside_the_page_has_an_address() {
        for right in ["roles.json", "corpora/roles-2.json"] {
            assert_eq!(beside(right).as_deref(), Some(right));
        }
        for wrong in [
            "",
            "/roles.json",
            "//example.org/roles.json",
            "https://example.org/roles.json",
            "../roles.json",
            "a/./b",
            "a//b",
            "roles.json?x",
        ] {
            assert_eq!(beside(wrong), None, "{wrong}");
        }
    }
}
