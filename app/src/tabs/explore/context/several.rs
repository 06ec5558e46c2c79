//! Several heads or several rows chosen at once, and their changes by clicks.

use leptos::{ev::PointerEvent, prelude::*};

use super::HeadsContext;
use attention_core::{
    selection::{HeadChoice, rows_between, rows_extended, with_head, with_row},
    state::{Cell, HeadPlace},
    widgets::Pick,
};

/// A drag of the pointer from one query's token to another.
#[derive(Clone, Copy, Default)]
pub(super) struct Drag {
    from: Option<usize>,
    to: Option<usize>,
}

impl HeadsContext {
    /// Returns the locked heads.
    pub fn chosen_heads(self) -> Vec<HeadChoice> {
        self.chosen.get()
    }

    /// Returns true if a head is among the locked ones.
    pub fn is_chosen(self, head: HeadChoice) -> bool {
        self.chosen.read().contains(&head)
    }

    /// Returns a head, with those that are locked together with it.
    pub fn with_its_choice(self, head: HeadChoice) -> Vec<HeadChoice> {
        let chosen = self.chosen.get_untracked();
        match chosen.contains(&head) {
            true => chosen,
            false => vec![head],
        }
    }

    /// Returns true if plain clicks add to the choice.
    pub fn adds(self) -> bool {
        self.adds.get()
    }

    /// Makes plain clicks add to the choice, or choose a single item.
    pub fn set_adds(self, adds: bool) {
        self.adds.set(adds);
    }

    /// Returns the meaning of a click, given that plain clicks may add to the choice.
    pub fn pick(self, pick: Pick) -> Pick {
        match pick {
            Pick::Alone if self.adds.get_untracked() => Pick::Also,
            pick => pick,
        }
    }

    /// Locks heads of one kind together.
    pub fn lock_heads(self, heads: &[HeadChoice]) {
        self.hovered_head.set(None);
        let Some(first) = heads.first() else { return };
        let kind = first.attention.kind;
        let before = self.chosen.with_untracked(|chosen| chosen.first().copied());
        if before.map(|before| before.attention.kind) != Some(kind) {
            self.state.set_kind(kind);
        }
        let places: Vec<_> = heads
            .iter()
            .map(|head| HeadPlace {
                layer: head.attention.layer,
                head: head.head,
            })
            .collect();
        self.state.set_heads(&places);
    }

    /// Adds a head to the locked ones, or removes it; a head of another kind is locked alone.
    pub fn toggle_head(self, head: HeadChoice) {
        let heads = self.chosen.with_untracked(|chosen| with_head(chosen, head));
        self.lock_heads(&heads);
    }

    /// Unlocks all heads but the first.
    pub fn lock_one_head(self) {
        if let Some(first) = untrack(|| self.chosen()) {
            self.lock_head(first);
        }
    }

    /// Returns the rows that are read together; none if a single row is read.
    pub fn rows(self) -> Vec<usize> {
        self.rows.get()
    }

    /// Returns true if several rows are read together.
    pub fn has_rows(self) -> bool {
        !self.rows.read().is_empty()
    }

    /// Returns true if a row is read together with others.
    pub fn has_row(self, row: usize) -> bool {
        self.rows.read().contains(&row)
    }

    /// Returns the queries whose attention is described: that of the cell under the pointer, unless it is one of
    /// several chosen rows; or else those rows, or the selected one.
    pub fn queries(self) -> Vec<usize> {
        let rows = self.rows.get();
        let hovered = self.hovered_cell.get();
        let is_other = hovered.is_some_and(|cell| !rows.contains(&cell.query));
        match rows.is_empty() || is_other {
            true => vec![self.query()],
            false => rows,
        }
    }

    /// Handles a click on a cell: locks it, or adds its row to those that are read together.
    pub fn click_cell(self, cell: Cell, pick: Pick) {
        match pick {
            Pick::Alone => self.toggle_cell(cell),
            Pick::Also => self.toggle_row(cell.query),
            Pick::UpTo => self.read_up_to(cell.query),
        }
    }

    /// Handles a click on a query's token: locks its strongest cell, or adds its row to those that are read together.
    pub fn click_query(self, query: usize, pick: Pick) {
        match (pick, untrack(|| self.strongest_of(query))) {
            (Pick::Alone, Some(cell)) => self.lock_cell(cell),
            (Pick::Alone, None) => {}
            (Pick::Also, _) => self.toggle_row(query),
            (Pick::UpTo, _) => self.read_up_to(query),
        }
    }

    /// Handles a press on a query's token: the rows up to the pointer's place are read together. A finger scrolls
    /// instead.
    pub fn begin_drag(self, query: usize, event: &PointerEvent) {
        let is_drag = event.pointer_type() != "touch"
            && event.button() == 0
            && Pick::of(event) == Pick::Alone;
        self.drag.set_value(Drag {
            from: is_drag.then_some(query),
            to: None,
        });
    }

    /// Handles the pointer's arrival at a query's token. Returns true if it is dragged there.
    pub fn drag_to(self, query: usize, event: &PointerEvent) -> bool {
        let drag = self.drag.get_value();
        let is_pressed = event.buttons() & 1 == 1;
        let Some(from) = drag.from.filter(|_| is_pressed) else {
            return false;
        };
        if drag.to.is_none() && query == from {
            return false;
        }
        if drag.to != Some(query) {
            let to = Some(query);
            self.drag.set_value(Drag { to, ..drag });
            self.anchor.set_value(Some(from));
            self.read_together(rows_between(from, query));
        }
        true
    }

    /// Ends a press, and returns true if it was a drag.
    pub fn end_drag(self) -> bool {
        let drag = self.drag.get_value();
        self.drag.set_value(Drag::default());
        drag.to.is_some()
    }

    /// Adds or removes a row at the end opposite to the beginning of the choice.
    pub fn extend_rows(self, by: isize) {
        let count = untrack(|| self.with_axes(|queries, _| queries.len()));
        let rows = self.rows.get_untracked();
        let anchor = self.anchor_of(&rows);
        self.read_together(rows_extended(&rows, anchor, by, count.unwrap_or(0)));
    }

    /// Removes a row from those that are read together.
    pub fn take_out_row(self, row: usize) {
        self.read_together(with_row(&self.rows.get_untracked(), row));
    }

    /// Reads the selected row alone.
    pub fn read_one_row(self) {
        self.click_query(untrack(|| self.query()), Pick::Alone);
    }

    fn toggle_row(self, row: usize) {
        let rows = match self.rows.get_untracked() {
            rows if rows.is_empty() => vec![untrack(|| self.locked_query())],
            rows => rows,
        };
        self.anchor.set_value(Some(row));
        self.read_together(with_row(&rows, row));
    }

    fn read_up_to(self, row: usize) {
        let anchor = self.anchor_of(&self.rows.get_untracked());
        self.read_together(rows_between(anchor, row));
    }

    /// Returns the row at which a choice of several began, or begins now.
    fn anchor_of(self, rows: &[usize]) -> usize {
        let began = self.anchor.get_value().filter(|row| rows.contains(row));
        let anchor = began
            .or_else(|| rows.first().copied())
            .unwrap_or_else(|| untrack(|| self.locked_query()));
        self.anchor.set_value(Some(anchor));
        anchor
    }

    /// Returns the selected query, regardless of the pointer.
    fn locked_query(self) -> usize {
        self.query_of(self.locked_cell.get())
    }

    /// Reads rows together; a single row is selected, and an empty list has no effect.
    fn read_together(self, rows: Vec<usize>) {
        match rows.as_slice() {
            [] => {}
            &[row] => self.click_query(row, Pick::Alone),
            _ => {
                let tokens = untrack(|| self.tokens_of_rows(&rows));
                self.state.set_rows(tokens);
            }
        }
    }
}
