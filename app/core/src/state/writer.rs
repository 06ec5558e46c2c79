//! A fragment being written.

use form_urlencoded::Serializer;

use super::{
    counting::{Counted, FROM_ONE, MARK},
    reader::LAST,
    values::AddressValue,
};

/// A fragment being written; values at their default are left out.
pub struct Writer {
    entries: Serializer<'static, String>,
    /// True if any entry counts.
    counts: bool,
    /// True if values at their default are written too.
    keeps_defaults: bool,
    /// The names of entries that are not written.
    left_out: Vec<&'static str>,
}

impl Writer {
    /// Creates a writer of an empty fragment.
    pub(crate) fn new() -> Self {
        Writer {
            entries: Serializer::new(String::new()),
            counts: false,
            keeps_defaults: false,
            left_out: Vec::new(),
        }
    }

    /// Creates a writer that also writes values at their default.
    pub(super) fn complete() -> Self {
        Writer {
            keeps_defaults: true,
            ..Writer::new()
        }
    }

    /// Creates a writer that leaves out some entries.
    pub(super) fn without(left_out: Vec<&'static str>) -> Self {
        Writer {
            left_out,
            ..Writer::new()
        }
    }

    /// Returns the fragment, with the mark if it counts from 1.
    pub(crate) fn finish(mut self) -> String {
        let entries = self.entries.finish();
        match self.counts {
            true => format!("{MARK}={FROM_ONE}&{entries}"),
            false => entries,
        }
    }

    /// Writes a text, unless it is the default.
    pub fn text(&mut self, name: &str, value: &str, standard: &str) {
        if value != standard || self.keeps_defaults {
            self.append(name, value);
        }
    }

    /// Writes an optional text; an empty one is written.
    pub fn optional_text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.append(name, value);
        }
    }

    pub(super) fn append(&mut self, name: &str, value: &str) {
        if self.left_out.contains(&name) {
            return;
        }
        match Counted::of(name) {
            Some(counted) => {
                self.counts = true;
                self.entries.append_pair(name, &counted.one_based(value));
            }
            None => {
                self.entries.append_pair(name, value);
            }
        }
    }

    /// Writes a choice among few values.
    pub fn choice<T: AddressValue>(&mut self, name: &str, value: T, standard: T) {
        self.text(name, value.address_value(), standard.address_value());
    }

    /// Writes a number, or any other type by `Display`.
    pub fn number<T: ToString>(&mut self, name: &str, value: T, standard: T) {
        self.text(name, &value.to_string(), &standard.to_string());
    }

    /// Writes an index; `usize::MAX` stands for the last item.
    pub fn index(&mut self, name: &str, value: usize, standard: usize) {
        match value {
            usize::MAX => self.append(name, LAST),
            value => self.number(name, value, standard),
        }
    }

    /// Writes values separated by dots.
    pub fn list<T: ToString>(&mut self, name: &str, values: &[T]) {
        let values: Vec<_> = values.iter().map(ToString::to_string).collect();
        self.text(name, &values.join("."), "");
    }
}
