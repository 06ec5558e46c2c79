//! Parts of an address that the page cannot follow.

use super::sentences::Excess;

/// An entry of an address that the page cannot follow; what it says is left out, and the rest is followed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressFault {
    /// The entry's name, as the address has it.
    pub name: String,
    /// Its value, or the part of a list that is meant, as the address has it.
    pub value: String,
    /// Why it is not followed.
    pub kind: FaultKind,
}

/// Why an entry is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// No view has anything of that name, or the address names it twice.
    UnknownName,
    /// The entry has a value that does not exist.
    UnknownValue,
    /// It counts beyond the last, which is shown instead.
    BeyondLast {
        /// The last one, as the address counts.
        last: usize,
        /// The first one, likewise: 0 or 1.
        first: usize,
    },
    /// The model or the text on screen has nothing of the kind.
    Lacking,
    /// A text that is not read, by its beginning.
    TooMuch(Excess),
    /// The whole address, whose beginning this is, is longer than any that this page makes.
    TooLong {
        /// Its length in bytes.
        bytes: usize,
    },
}

impl AddressFault {
    /// Characters of a name or a value that are quoted.
    pub(super) const QUOTED: usize = 60;

    /// The entry as the address has it; its beginning where it is long.
    pub fn quoted(&self) -> String {
        match self.value.is_empty() {
            true => beginning(&self.name),
            false => format!("{}={}", beginning(&self.name), beginning(&self.value)),
        }
    }
}

/// A text on one line, cut where it is long.
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
