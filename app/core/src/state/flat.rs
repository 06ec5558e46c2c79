//! Structs as entries of the address, by serde: each field is an entry under its name.
//!
//! A flag is `1` or `0`, and a list has dots between its values. An absent option has no entry. A field whose name
//! begins with [`NESTED`] is a struct whose fields are entries themselves.

mod read;
mod values;
mod with;
mod write;

use std::fmt;

use serde::{de, ser};

pub use self::{
    read::{parsed, read},
    values::values,
    with::{choice, negated, optional_text, or_last},
    write::write,
};

/// The beginning of the names of fields that are no entries but structs of entries.
const NESTED: char = '*';

/// The separator of the values of a list.
const BETWEEN: char = '.';

/// A value that no entry can spell, or an entry that spells no value. Faults name the entry, so nothing else is kept.
#[derive(Debug)]
struct Refused;

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a value of the entry")
    }
}

impl std::error::Error for Refused {}

impl ser::Error for Refused {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Refused
    }
}

impl de::Error for Refused {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Refused
    }
}

#[cfg(test)]
mod tests;
