//! What the parts of the heads tab share: the head and the selected cell.

use std::sync::Arc;

use attention_figures::heatmap::Scale;
use attention_trace::{AttentionKind, Quantity, Stack, Token, Trace};
use leptos::prelude::*;

use crate::{
    engine::{Live, Part},
    selection::{HeadChoice, HeadMap, Selection},
    state::{Cell, ViewState},
    steps::Steps,
};

/// The head and the selected cell: what is under the pointer, else what is locked.
#[derive(Clone, Copy)]
pub struct HeadsContext {
    live: Live,
    state: ViewState,
    steps: Steps,
    chosen: Memo<Option<HeadChoice>>,
    hovered_head: RwSignal<Option<HeadChoice>>,
    head: Memo<Option<HeadChoice>>,
    kind: Memo<Option<AttentionKind>>,
    step_row: Memo<Option<usize>>,
    locked_cell: Memo<Option<Cell>>,
    hovered_cell: RwSignal<Option<Cell>>,
    normalised: Memo<bool>,
    matrix: Memo<Option<Part>>,
}

impl HeadsContext {
    /// Makes the context and provides it to the components below.
    pub fn provide() -> Self {
        let (live, state, steps) = (Live::expect(), ViewState::expect(), Steps::expect());
        let selection = Selection::of_page();
        let chosen = Memo::new(move |_| Some(selection.get().head(&live.trace()?.meta)));
        let locked_cell = Memo::new(move |_| {
            let trace = live.trace()?;
            let (queries, keys) = trace.meta.axes(chosen.get()?.attention.kind);
            selection.get().cell(queries.len(), keys.len())
        });
        let hovered_head = RwSignal::new(None);
        let head = Memo::new(move |_| hovered_head.get().or_else(|| chosen.get()));
        // Apart from the head, since every head of a kind has the same axes.
        let kind = Memo::new(move |_| Some(head.get()?.attention.kind));
        let step_row = Memo::new(move |_| {
            let row = steps.with_step(|step| step.row)?;
            (kind.get()?.stack() == Stack::Decoder).then_some(row)
        });
        let matrix = live.part(move || Some(head.get()?.excerpt(Quantity::Pattern)));
        let context = HeadsContext {
            live,
            state,
            steps,
            chosen,
            hovered_head,
            head,
            kind,
            step_row,
            locked_cell,
            hovered_cell: RwSignal::new(None),
            normalised: state.select(|view| view.normalised),
            matrix,
        };
        provide_context(context);
        context.follow_steps();
        context
    }

    /// A step that is gone to lets go of a cell in another row: the row of the step is what the visitor looks at.
    fn follow_steps(self) {
        let row = Memo::new(move |_| self.steps.with_step(|step| step.row));
        // An effect because the view is told, which is what the rows follow in turn.
        Effect::new(move |before: Option<Option<usize>>| {
            let row = row.get();
            let is_moved = before.is_some_and(|before| before.is_some() && before != row);
            let cell = self.locked_cell.get_untracked();
            if is_moved && self.reads_target() && cell.is_some_and(|cell| Some(cell.query) != row) {
                self.release_cell();
            }
            row
        });
    }

    /// The context that the heads tab provided.
    ///
    /// # Panics
    /// Outside the heads tab.
    pub fn expect() -> Self {
        expect_context()
    }

    /// The trace on screen.
    pub fn trace(self) -> Option<Arc<Trace>> {
        self.live.trace()
    }

    /// The locked head.
    pub fn chosen(self) -> Option<HeadChoice> {
        self.chosen.get()
    }

    /// The head that is drawn large.
    pub fn head(self) -> Option<HeadChoice> {
        self.head.get()
    }

    /// The kind of attention of the head that is drawn large.
    pub fn kind(self) -> Option<AttentionKind> {
        self.kind.get()
    }

    /// Whether the head's queries are what the model writes, so that each belongs to a decoding step.
    fn reads_target(self) -> bool {
        self.kind.get_untracked().map(AttentionKind::stack) == Some(Stack::Decoder)
    }

    /// Previews a head, or ends the preview.
    pub fn hover_head(self, head: Option<HeadChoice>) {
        self.hovered_head.set(head);
    }

    /// Locks a head.
    pub fn lock_head(self, choice: HeadChoice) {
        self.hovered_head.set(None);
        let kind = choice.attention.kind;
        if self
            .chosen
            .get_untracked()
            .map(|chosen| chosen.attention.kind)
            != Some(kind)
        {
            self.state.set_kind(kind);
        }
        self.state.set_head(choice.attention.layer, choice.head);
    }

    /// The cell whose value is shown.
    pub fn cell(self) -> Option<Cell> {
        self.hovered_cell.get().or_else(|| self.locked_cell.get())
    }

    /// Whether the selected cell is the locked one.
    pub fn is_locked(self) -> bool {
        let locked = self.locked_cell.get();
        locked.is_some() && self.cell() == locked
    }

    /// Shows a cell's value, or ends that.
    pub fn hover_cell(self, cell: Option<Cell>) {
        if self.hovered_cell.get_untracked() != cell {
            self.hovered_cell.set(cell);
        }
    }

    /// Locks a cell; lets go of it when it is locked already.
    pub fn toggle_cell(self, cell: Cell) {
        let held = self.locked_cell.get_untracked() == Some(cell);
        match held {
            true => self.state.set_cell(None),
            false => self.lock_cell(cell),
        }
    }

    /// Locks a cell, and goes to the decoding step that its query belongs to.
    pub fn lock_cell(self, cell: Cell) {
        self.hovered_cell.set(None);
        self.state.set_cell(Some(cell));
        let step = untrack(|| {
            self.steps.with_decoding(|decoding| {
                decoding
                    .steps
                    .iter()
                    .position(|step| step.row == cell.query)
            })
        });
        if let Some(Some(step)) = step
            && self.reads_target()
        {
            self.steps.player().go_to(step);
        }
    }

    /// The cell of a query and the key that it attends to most.
    pub fn strongest_of(self, query: usize) -> Option<Cell> {
        self.with_map(|map| {
            let (key, _) = *map.strongest(query, 1).first()?;
            Some(Cell { query, key })
        })?
    }

    /// Locks the cell that many rows and columns from the selected one.
    pub fn move_cell(self, rows: isize, columns: isize) {
        let from = untrack(|| self.cell());
        let moved = untrack(|| self.with_map(|map| map.moved(from, rows, columns)));
        if let Some(cell) = moved.flatten() {
            self.lock_cell(cell);
        }
    }

    /// Locks the query that many positions from the selected one, at its strongest key.
    pub fn move_query(self, by: isize) {
        let query = untrack(|| self.query()).saturating_add_signed(by);
        let moved = untrack(|| {
            let count = self.with_axes(|queries, _| queries.len())?;
            self.strongest_of(query.min(count.saturating_sub(1)))
        });
        if let Some(cell) = moved {
            self.lock_cell(cell);
        }
    }

    /// Lets go of the locked cell.
    pub fn release_cell(self) {
        self.hovered_cell.set(None);
        self.state.set_cell(None);
    }

    /// The selected query; where none is, that of the decoding step, or the middle one of what is not decoded.
    pub fn query(self) -> usize {
        let count = self.with_axes(|queries, _| queries.len()).unwrap_or(0);
        let query = match self.cell() {
            Some(cell) => cell.query,
            None => self.step_row().unwrap_or(count / 2),
        };
        query.min(count.saturating_sub(1))
    }

    /// The row of the decoding step, where the head's queries are decoded.
    pub fn step_row(self) -> Option<usize> {
        self.step_row.get()
    }

    /// The token that is written after reading the target up to a row.
    pub fn written_after(self, row: usize) -> Option<Token> {
        let trace = self.trace()?;
        if let Some(next) = trace.meta.target.get(row + 1) {
            return Some(next.clone());
        }
        let steps = &trace.decoding.as_ref()?.steps;
        let step = steps.iter().find(|step| step.row == row)?;
        Some(step.chosen.token.clone())
    }

    /// Reads the map of the selected head; `None` where the trace lacks it, and until it is loaded.
    pub fn with_map<T>(self, read: impl FnOnce(HeadMap<'_>) -> T) -> Option<T> {
        let trace = self.trace()?;
        let matrix = self.matrix.get()?;
        let map = HeadMap::of(&trace.meta, self.head()?.attention.kind, &matrix.0)?;
        Some(read(map))
    }

    /// Reads the tokens on the axes of the selected map: its queries and its keys.
    pub fn with_axes<T>(self, read: impl FnOnce(&[Token], &[Token]) -> T) -> Option<T> {
        let trace = self.trace()?;
        let (queries, keys) = trace.meta.axes(self.kind.get()?);
        Some(read(queries, keys))
    }

    /// Reads what there is to see of the selected head: its map, or a thumbnail until that is
    /// here; rows, columns and values.
    pub fn with_picture<T>(self, read: impl FnOnce(usize, usize, &[f32]) -> T) -> Option<T> {
        let (trace, head) = (self.trace()?, self.head()?);
        if let Some(matrix) = self.matrix.get() {
            let map = HeadMap::of(&trace.meta, head.attention.kind, &matrix.0)?;
            return Some(read(map.queries.len(), map.keys.len(), map.weights));
        }
        let (rows, columns, values) = head.thumbnail(&trace)?;
        Some(read(rows, columns, values))
    }

    /// The colour scale the visitor chose.
    pub fn scale(self) -> Scale {
        if self.normalised.get() {
            Scale::PerMap
        } else {
            Scale::Absolute
        }
    }
}
