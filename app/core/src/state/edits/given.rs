//! The properties that every kind of edit has.

use std::fmt;

use attention_trace::{Edit, ModelSpec, TraceMeta};

use super::{Ablation, GivenEdit, ReadText};
use crate::state::counting::Counted;

/// A kind of edit in the address and in the list: a row of the table.
#[derive(Debug)]
pub struct EditKind {
    /// The name of the entry in the address.
    pub entry: &'static str,
    /// The words of the entry's value that count from 1.
    pub(in crate::state) counted: Counted,
    /// The largest number of edits of this kind.
    pub most: usize,
    /// True if each edit has a name and can be switched off without leaving the list.
    pub is_switched: bool,
    /// Parses an edit as it is spelled in an address that counts from 0.
    pub(super) read: fn(&str) -> Option<GivenEdit>,
}

impl EditKind {
    /// Returns the separators between edits in the entry's value.
    pub(super) fn separators(&self) -> &'static [char] {
        match self.most {
            1 => &[],
            _ => &['-', ','],
        }
    }
}

impl PartialEq for EditKind {
    // Each has its own entry.
    fn eq(&self, other: &Self) -> bool {
        self.entry == other.entry
    }
}

/// The passes of a model that are edited.
#[derive(Clone, Copy, Debug)]
pub struct Passes<'a> {
    /// The model that makes the passes.
    pub spec: &'a ModelSpec,
    /// The input over whose unedited pass means are taken.
    pub read: &'a ReadText,
    /// The replacement for the output of heads that are off.
    pub by: Ablation,
}

/// An edit of any kind. [`Display`](fmt::Display) spells it as in an address that counts from 0.
pub trait Given: fmt::Display {
    /// True if a model has what the edit changes.
    fn is_in(&self, spec: &ModelSpec) -> bool;

    /// True if a result has everything that the edit names.
    fn is_there(&self, meta: &TraceMeta) -> bool {
        self.is_in(&meta.spec)
    }

    /// Returns a text that identifies the edited part of a model. An edit replaces those of its kind with the same part.
    fn part(&self) -> String {
        self.to_string()
    }

    /// Returns the edits of a model's passes.
    fn edits(&self, passes: Passes<'_>) -> Vec<Edit>;
}

impl GivenEdit {
    /// Returns the row of the edit's kind.
    pub fn kind(&self) -> &'static EditKind {
        self.parts().0
    }

    /// True if one of the edits replaces the other.
    pub fn replaces(&self, other: &Self) -> bool {
        self.kind() == other.kind() && self.part() == other.part()
    }
}

impl fmt::Display for GivenEdit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parts().1.fmt(f)
    }
}

impl Given for GivenEdit {
    fn is_in(&self, spec: &ModelSpec) -> bool {
        self.parts().1.is_in(spec)
    }

    fn is_there(&self, meta: &TraceMeta) -> bool {
        self.parts().1.is_there(meta)
    }

    fn part(&self) -> String {
        self.parts().1.part()
    }

    fn edits(&self, passes: Passes<'_>) -> Vec<Edit> {
        self.parts().1.edits(passes)
    }
}
