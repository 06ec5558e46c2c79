//! An edit in the visitor's list, with its switch and its name, and its spelling in the address.

use std::fmt;

use super::{EditKind, GivenEdit};

/// The longest name, in characters.
const LONGEST_NAME: usize = 40;
/// The word for an edit that is switched off in an address.
const OFF: &str = "off";

/// An edit in the visitor's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedEdit {
    /// The edit that is given.
    pub edit: GivenEdit,
    /// True if the edit takes effect.
    pub is_on: bool,
    /// The visitor's name for it; empty if it has none.
    pub name: String,
}

impl From<GivenEdit> for ListedEdit {
    fn from(edit: GivenEdit) -> Self {
        ListedEdit {
            edit,
            is_on: true,
            name: String::new(),
        }
    }
}

/// Spells the edit as in an address that counts from 0; then `off` if it is switched off, and last `_` with its name.
impl fmt::Display for ListedEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.edit)?;
        if !self.is_on {
            write!(f, ".{OFF}")?;
        }
        match self.name.is_empty() {
            true => Ok(()),
            false => write!(f, ".{}", spelled(&self.name)),
        }
    }
}

impl ListedEdit {
    /// The inverse of [`Display`](fmt::Display) for edits of a kind; `None` if the text spells none.
    pub(in crate::state) fn parse(kind: &EditKind, text: &str) -> Option<Self> {
        if !kind.is_switched {
            return (kind.read)(text).map(ListedEdit::from);
        }
        let named = text.rsplit_once('.');
        let named = named.and_then(|(text, name)| Some((text, read(name)?)));
        let (text, name) = named.unwrap_or((text, String::new()));
        let switched = text.strip_suffix(OFF);
        let switched = switched.and_then(|text| text.strip_suffix('.'));
        Some(ListedEdit {
            edit: (kind.read)(switched.unwrap_or(text))?,
            is_on: switched.is_none(),
            name,
        })
    }
}

/// Spells a name with letters, digits and `_` alone, after a `_`, so that it equals no word of an address.
fn spelled(name: &str) -> String {
    let byte = |byte: u8| match byte.is_ascii_alphanumeric() {
        true => char::from(byte).to_string(),
        false => format!("_{byte:02x}"),
    };
    let bytes = name.bytes().map(byte);
    std::iter::once("_".to_owned()).chain(bytes).collect()
}

/// The inverse of [`spelled`]; `None` if the text is not such a name.
fn read(spelled: &str) -> Option<String> {
    let Some(mut rest) = spelled.strip_prefix('_') else {
        return spelled.is_empty().then(String::new);
    };
    let mut bytes = vec![];
    while let Some(first) = rest.chars().next() {
        let (byte, length) = match first {
            '_' => (u8::from_str_radix(rest.get(1..3)?, 16).ok()?, 3),
            letter if letter.is_ascii_alphanumeric() => (letter as u8, 1),
            _ => return None,
        };
        bytes.push(byte);
        rest = &rest[length..];
    }
    Some(short(&String::from_utf8(bytes).ok()?))
}

/// Returns the beginning of a name, trimmed.
pub(super) fn short(name: &str) -> String {
    let beginning: String = name.trim().chars().take(LONGEST_NAME).collect();
    beginning.trim_end().to_owned()
}
