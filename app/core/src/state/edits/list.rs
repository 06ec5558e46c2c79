//! The list of edits.

use attention_trace::{Edit, ModelSpec};

use super::{
    Ablation, EditKind, Given, GivenEdit, GivenWeight, GivenWindow, KINDS, ListedEdit, Passes,
    ReadText, Reweighed, listed::short,
};
use crate::state::{head::HeadChoice, reader::Reader, writer::Writer};

/// The entry of the address for the replacement of the output of heads that are off.
const BY: &str = "off-by";

/// A list of edits, in the order of their kinds, heads that are off in the order of computation. None replaces another.
///
/// The visitor's list holds for any text and model; edits of parts that do not exist have no effect. The edits of a job
/// are [those that are on](Self::on).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EditList {
    listed: Vec<ListedEdit>,
    /// The replacement for the output of heads that are off.
    pub by: Ablation,
}

impl EditList {
    /// Creates a list that switches heads off with this replacement, and has no other edit.
    pub fn without(heads: impl IntoIterator<Item = HeadChoice>, by: Ablation) -> Self {
        EditList {
            by,
            ..EditList::from_iter(heads)
        }
        .canonical()
    }

    /// True if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.listed.is_empty()
    }

    /// Iterates over the list in order.
    pub fn iter(&self) -> impl Iterator<Item = &ListedEdit> {
        self.listed.iter()
    }

    /// Returns the listed edits of each kind that has any, in order.
    pub fn by_kind(&self) -> impl Iterator<Item = &[ListedEdit]> {
        self.listed
            .chunk_by(|one, other| one.edit.kind() == other.edit.kind())
    }

    /// Iterates over the edits that are on.
    pub fn given(&self) -> impl Iterator<Item = &GivenEdit> {
        let on = self.iter().filter(|listed| listed.is_on);
        on.map(|listed| &listed.edit)
    }

    /// Returns the edit that `edit` replaces.
    pub fn at(&self, edit: &GivenEdit) -> Option<&ListedEdit> {
        self.iter().find(|listed| listed.edit.replaces(edit))
    }

    /// True if the list has a place for an edit.
    pub fn has_room_for(&self, edit: &GivenEdit) -> bool {
        !self.is_full(edit.kind()) || self.at(edit).is_some()
    }

    /// Returns the heads that are off.
    pub fn heads_off(&self) -> Vec<HeadChoice> {
        let head = |edit: &GivenEdit| match edit {
            GivenEdit::Off(head) => Some(*head),
            _ => None,
        };
        self.given().filter_map(head).collect()
    }

    /// True if all of some heads are off; false for no heads.
    pub fn are_off(&self, heads: &[HeadChoice]) -> bool {
        let is_off = |head: &HeadChoice| self.at(&(*head).into()).is_some();
        !heads.is_empty() && heads.iter().all(is_off)
    }

    /// Returns the replacement of weights of whole heads.
    pub fn reweighed(&self) -> Option<Reweighed> {
        self.given().find_map(|edit| match edit {
            GivenEdit::Reweighed(reweighed) => Some(*reweighed),
            _ => None,
        })
    }

    /// Returns the window over the keys.
    pub fn window(&self) -> Option<GivenWindow> {
        self.given().find_map(|edit| match edit {
            GivenEdit::Window(window) => Some(*window),
            _ => None,
        })
    }

    /// Returns the weights that are on.
    pub fn weights(&self) -> Vec<GivenWeight> {
        let weight = |edit: &GivenEdit| match edit {
            GivenEdit::Weight(weight) => Some(*weight),
            _ => None,
        };
        self.given().filter_map(weight).collect()
    }

    /// Adds an edit, with the name of the edit that it replaces.
    pub fn give(&mut self, edit: impl Into<GivenEdit>) {
        let edit = edit.into();
        match self.find(&edit) {
            Some(listed) => {
                listed.edit = edit;
                listed.is_on = true;
            }
            None => self.add(edit.into()),
        }
    }

    /// Removes an edit, or the one that it would replace.
    pub fn remove(&mut self, edit: &GivenEdit) {
        self.listed.retain(|listed| !listed.edit.replaces(edit));
    }

    /// Switches an edit, or the one that it would replace, off or on again.
    pub fn switch(&mut self, edit: &GivenEdit) {
        if let Some(listed) = self.find(edit) {
            listed.is_on = !listed.is_on;
        }
    }

    /// Names an edit, or the one that it would replace.
    pub fn rename(&mut self, edit: &GivenEdit, name: &str) {
        if let Some(listed) = self.find(edit) {
            listed.name = short(name);
        }
    }

    /// Switches heads off, or on again where all of them are off.
    pub fn toggle_heads(&mut self, heads: &[HeadChoice]) {
        let were_off = self.are_off(heads);
        for &head in heads {
            match were_off {
                true => self.remove(&head.into()),
                false => self.give(head),
            }
        }
    }

    /// Switches all heads on.
    pub fn switch_heads_on(&mut self) {
        let is_off = |listed: &ListedEdit| matches!(listed.edit, GivenEdit::Off(_));
        self.listed.retain(|listed| !is_off(listed));
    }

    /// Replaces the weights of whole heads, or no more.
    pub fn reweigh(&mut self, reweighed: Option<Reweighed>) {
        match (reweighed, self.reweighed()) {
            (Some(reweighed), _) => self.give(reweighed),
            (None, Some(before)) => self.remove(&before.into()),
            (None, None) => {}
        }
    }

    /// Returns the edits that are on, without names. Equal edits are equal lists.
    pub fn on(&self) -> Self {
        EditList {
            by: self.by,
            ..self.given().cloned().collect()
        }
        .canonical()
    }

    /// Returns the same list with exactly these edits on.
    pub fn with_on(mut self, on: &EditList) -> Self {
        self.listed.retain_mut(|listed| {
            listed.is_on = false;
            listed.edit.kind().is_switched
        });
        on.given().for_each(|edit| self.give(edit.clone()));
        // Where nothing is off, what the visitor chose stays.
        if !on.heads_off().is_empty() {
            self.by = on.by;
        }
        self
    }

    /// Returns the edits that a model can make.
    pub fn fitting(&self, spec: &ModelSpec) -> Self {
        let listed = self.iter().filter(|listed| listed.edit.is_in(spec));
        EditList {
            listed: listed.cloned().collect(),
            by: self.by,
        }
        .canonical()
    }

    /// Returns the edits of the model's passes; means are taken over the unedited pass of `read`.
    pub fn edits(&self, spec: &ModelSpec, read: &ReadText) -> Vec<Edit> {
        let by = self.by;
        let passes = Passes { spec, read, by };
        self.given().flat_map(|edit| edit.edits(passes)).collect()
    }

    /// Resets the replacement for the output of heads that are off if none is.
    fn canonical(mut self) -> Self {
        if self.heads_off().is_empty() {
            self.by = Ablation::default();
        }
        self
    }

    fn is_full(&self, kind: &EditKind) -> bool {
        self.of(kind).count() >= kind.most
    }

    /// Iterates over the listed edits of a kind.
    fn of(&self, kind: &EditKind) -> impl Iterator<Item = &ListedEdit> {
        self.iter().filter(move |listed| listed.edit.kind() == kind)
    }

    fn find(&mut self, edit: &GivenEdit) -> Option<&mut ListedEdit> {
        let mut listed = self.listed.iter_mut();
        listed.find(|listed| listed.edit.replaces(edit))
    }

    /// Adds an edit that replaces none, if there is room for it.
    fn add(&mut self, listed: ListedEdit) {
        if !self.is_full(listed.edit.kind()) && self.at(&listed.edit).is_none() {
            let place = order(&listed);
            let before = |other: &ListedEdit| order(other) <= place;
            self.listed
                .insert(self.listed.partition_point(before), listed);
        }
    }

    /// Writes what differs from the default.
    pub(in crate::state) fn write(&self, fragment: &mut Writer) {
        let [off, others @ ..] = KINDS;
        self.write_kind(off, fragment);
        fragment.choice(BY, self.by, Ablation::default());
        others
            .iter()
            .for_each(|kind| self.write_kind(kind, fragment));
    }

    fn write_kind(&self, kind: &EditKind, fragment: &mut Writer) {
        let spelled: Vec<String> = self.of(kind).map(ToString::to_string).collect();
        match kind.most {
            1 => fragment.optional_text(kind.entry, spelled.first().map(String::as_str)),
            _ => fragment.text(kind.entry, &spelled.join("-"), ""),
        }
    }

    /// Reads a list written by [`write`](Self::write); edits that cannot be understood are left out.
    pub(in crate::state) fn read(reader: &Reader) -> Self {
        let mut list = EditList {
            by: reader.choice(BY).unwrap_or_default(),
            ..EditList::default()
        };
        for kind in KINDS {
            let mut listed = reader.edits(kind);
            listed.sort_by_key(order);
            // Comparing each with all others is slow in an address of many.
            listed.dedup_by(|next, first| next.edit == first.edit);
            listed.into_iter().for_each(|listed| list.add(listed));
        }
        list
    }
}

impl<T: Into<GivenEdit>> FromIterator<T> for EditList {
    fn from_iter<I: IntoIterator<Item = T>>(edits: I) -> Self {
        let mut list = EditList::default();
        edits.into_iter().for_each(|edit| list.give(edit));
        list
    }
}

impl Reader {
    /// Parses the edits of a kind. Each invalid one is refused separately.
    pub(in crate::state) fn edits(&self, kind: &EditKind) -> Vec<ListedEdit> {
        self.elements(kind.entry, kind.separators(), |text| {
            ListedEdit::parse(kind, text)
        })
    }
}

/// Returns the key that edits are sorted by: the kind, and the place of a head that is off.
fn order(listed: &ListedEdit) -> (Option<usize>, Option<(usize, usize, usize)>) {
    let kind = KINDS.iter().position(|kind| *kind == listed.edit.kind());
    let place = match &listed.edit {
        GivenEdit::Off(head) => Some(head.place()),
        _ => None,
    };
    (kind, place)
}

#[cfg(test)]
mod tests;
