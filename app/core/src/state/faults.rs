//! Parts of an address that the page cannot follow.

use super::sentences::Excess;

/// An entry of an address that the page cannot follow; the entry is ignored, and the rest is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressFault {
    /// The entry's name, as spelled in the address.
    pub name: String,
    /// Its value, or the faulty part of a list, as spelled in the address.
    pub value: String,
    pub kind: FaultKind,
}

/// The reason why an entry is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The name is unknown, or the address has it twice.
    UnknownName,
    /// The entry has a value that does not exist.
    UnknownValue,
    /// The index is beyond the last, which is shown instead.
    BeyondLast {
        /// The last index, in the address's numbering.
        last: usize,
        /// The first index in the same numbering: 0 or 1.
        first: usize,
    },
    /// The model or the text on screen lacks the named part.
    Lacking,
    /// The text is not read; the value is its beginning.
    TooMuch(Excess),
    /// The whole address is longer than any that this page makes; the name is its beginning.
    TooLong {
        /// The length of the address in bytes.
        bytes: usize,
    },
}

impl AddressFault {
    /// The number of characters quoted of a name or a value.
    pub(super) const QUOTED: usize = 60;

    /// Returns the entry as spelled in the address, or its beginning if it is long.
    pub fn quoted(&self) -> String {
        match self.value.is_empty() {
            true => beginning(&self.name),
            false => format!("{}={}", beginning(&self.name), beginning(&self.value)),
        }
    }
}

/// Puts a text on one line, and cuts it if it is long.
fn beginning(text: &str) -> String {
    let printable = |c: char| if c.is_control() { '\u{fffd}' } else { c };
    let mut beginning: String = text
        .chars()
        .take(AddressFault::QUOTED)
        .map(printable)
        .collect();
    if text.chars().nth(AddressFault::QUOTED).is_some() {
        beginning.push('…');
    }
    beginning
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quoted(name: &str, value: &str) -> String {
        let fault = AddressFault {
            name: name.to_owned(),
            value: value.to_owned(),
            kind: FaultKind::UnknownValue,
        };
        fault.quoted()
    }

    #[test]
    fn an_entry_is_quoted_on_one_line_and_cut() {
        assert_eq!(quoted("model", "gpt2"), "model=gpt2");
        assert_eq!(quoted("foo", ""), "foo");
        assert_eq!(quoted("tab", "a\nb\u{1b}"), "tab=a\u{fffd}b\u{fffd}");
        let long = quoted("model", &"x".repeat(100));
        assert_eq!(
            long.chars().count(),
            "model=".len() + AddressFault::QUOTED + 1
        );
        assert!(long.ends_with('…'));
    }
}
