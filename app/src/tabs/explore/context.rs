//! The shared state of the heads tab: the head and the selected cell, or several heads and rows. Rows, columns and cells
//! are those of the map as it is shown (`display`); the view, the decoding steps and the edits count tokens.

mod display;
mod given;
mod several;

use std::{ops::Range, sync::Arc};

use attention_figures::heatmap::Scale;
use attention_trace::{
    Array, AttentionKind, Display, LeftOut, Quantity, ShownAxes, Stack, Token, Trace,
};
use leptos::{ev::MouseEvent, prelude::*};

pub use self::given::Given;
use self::{
    display::{Thumbnails, shown_cell},
    given::given,
    several::Drag,
};
use attention_core::{
    engine::{Live, Part},
    selection::{Choice, HeadChoice, HeadMap, mean},
    state::{Cell, ViewState, WeightPlace},
    steps::Steps,
    widgets::pointer_in,
};

/// The rows and the columns of the map that are in sight.
pub type Sight = (Range<usize>, Range<usize>);

/// The head and the selected cell: those under the pointer, or else the locked ones.
#[derive(Clone, Copy)]
pub struct HeadsContext {
    live: Live,
    state: ViewState,
    steps: Steps,
    chosen: Memo<Vec<HeadChoice>>,
    hovered_head: RwSignal<Option<HeadChoice>>,
    heads: Memo<Vec<HeadChoice>>,
    kind: Memo<Option<AttentionKind>>,
    step_row: Memo<Option<usize>>,
    locked_cell: Memo<Option<Cell>>,
    hovered_cell: RwSignal<Option<Cell>>,
    rows: Memo<Vec<usize>>,
    /// The row at which the choice of several began.
    anchor: StoredValue<Option<usize>>,
    /// The rows over which a pointer is dragged.
    drag: StoredValue<Drag>,
    /// True if a plain click adds to the choice.
    adds: RwSignal<bool>,
    normalised: Memo<bool>,
    display: Memo<Display>,
    /// The axes of the heads that are drawn large, and of the locked ones.
    axes: Memo<Option<Arc<ShownAxes>>>,
    chosen_axes: Memo<Option<Arc<ShownAxes>>>,
    /// The map as it was computed, and as it is shown.
    computed: Memo<Option<Part>>,
    matrix: Memo<Option<Part>>,
    left_out: Memo<Option<LeftOut>>,
    thumbnails: Thumbnails,
    given: Memo<Given>,
    /// The part of the map that the heatmap has in sight, while there is one.
    sight: StoredValue<Option<Signal<Sight>>>,
}

impl HeadsContext {
    /// Makes the context and provides it to the components below.
    pub fn provide() -> Self {
        let (live, state, steps) = (Live::expect(), ViewState::expect(), Steps::expect());
        let choice = Choice::of_page();
        let chosen = Memo::new(move |_| {
            let trace = live.trace();
            trace.map_or_else(Vec::new, |trace| choice.read().heads(&trace.meta))
        });
        let chosen_kind = Memo::new(move |_| Some(chosen.read().first()?.attention.kind));
        let display = state.select(|view| view.display);
        let axes_of = move |kind: Memo<Option<AttentionKind>>| {
            Memo::new(move |_| {
                let (trace, kind) = (live.trace()?, kind.get()?);
                Some(Arc::new(ShownAxes::of(display.get(), &trace.meta, kind)))
            })
        };
        let chosen_axes = axes_of(chosen_kind);
        let locked_cell = Memo::new(move |_| {
            let trace = live.trace()?;
            let (queries, keys) = trace.meta.axes(chosen_kind.get()?);
            let cell = choice.read().cell(queries.len(), keys.len())?;
            shown_cell(chosen_axes.read().as_ref()?, cell)
        });
        let hovered_head = RwSignal::new(None);
        let heads = Memo::new(move |_| match hovered_head.get() {
            Some(head) => vec![head],
            None => chosen.get(),
        });
        // Apart from the heads, since every head of a kind has the same axes.
        let kind = Memo::new(move |_| Some(heads.read().first()?.attention.kind));
        let axes = axes_of(kind);
        let rows = Memo::new(move |_| {
            let (trace, kind) = (live.trace(), kind.get());
            let rows = match trace.zip(kind) {
                Some((trace, kind)) if chosen_kind.get() == Some(kind) => {
                    choice.read().rows(trace.meta.axes(kind).0.len())
                }
                _ => Vec::new(),
            };
            let axes = axes.read();
            let place = |row| axes.as_ref()?.queries.place_of(row);
            let mut rows: Vec<usize> = rows.into_iter().filter_map(place).collect();
            rows.dedup();
            rows
        });
        let step_row = Memo::new(move |_| {
            let row = steps.with_step(|step| step.row)?;
            let is_decoded = kind.get()?.stack() == Stack::Decoder;
            axes.read()
                .as_ref()?
                .queries
                .place_of(row)
                .filter(|_| is_decoded)
        });
        let maps = live.parts(move || {
            let heads = heads.read();
            let maps = heads.iter().map(|head| head.excerpt(Quantity::Pattern));
            maps.collect()
        });
        let computed = Memo::new(move |_| mean_map(maps.get()?));
        let matrix = Memo::new(move |_| {
            let (computed, axes) = (computed.get()?, axes.get()?);
            match display.get().is_plain() {
                true => Some(computed),
                false => display::shown_map(&axes, &computed),
            }
        });
        let left_out = Memo::new(move |_| axes.get()?.left_out(computed.get()?.0.data.as_slice()));
        let context = HeadsContext {
            live,
            state,
            steps,
            chosen,
            hovered_head,
            heads,
            kind,
            step_row,
            locked_cell,
            hovered_cell: RwSignal::new(None),
            rows,
            anchor: StoredValue::new(None),
            drag: StoredValue::new(Drag::default()),
            adds: RwSignal::new(false),
            normalised: state.select(|view| view.normalised),
            display,
            axes,
            chosen_axes,
            computed,
            matrix,
            left_out,
            thumbnails: Thumbnails::new(live, display),
            given: given(live, heads, axes),
            sight: StoredValue::new(None),
        };
        provide_context(context);
        context
    }

    /// Returns the context provided by the heads tab.
    ///
    /// # Panics
    /// If called outside the heads tab.
    pub fn expect() -> Self {
        expect_context()
    }

    /// True if the tokens are patches of a picture.
    pub fn is_of_picture(self) -> bool {
        let trace = self.trace();
        trace.is_some_and(|trace| trace.meta.pieces.picture.is_some())
    }

    /// Returns the trace on screen.
    pub fn trace(self) -> Option<Arc<Trace>> {
        self.live.trace()
    }

    /// Returns the locked head, the first of several.
    pub fn chosen(self) -> Option<HeadChoice> {
        self.chosen.read().first().copied()
    }

    /// Returns the heads that are drawn large, as the mean of their maps.
    pub fn heads(self) -> Vec<HeadChoice> {
        self.heads.get()
    }

    /// Returns the kind of attention of the head that is drawn large.
    pub fn kind(self) -> Option<AttentionKind> {
        self.kind.get()
    }

    /// Previews a head, or ends the preview.
    pub fn hover_head(self, head: Option<HeadChoice>) {
        self.hovered_head.set(head);
    }

    /// Locks a single head.
    pub fn lock_head(self, choice: HeadChoice) {
        self.lock_heads(&[choice]);
    }

    /// Returns the cell whose value is displayed.
    pub fn cell(self) -> Option<Cell> {
        self.hovered_cell.get().or_else(|| self.locked_cell.get())
    }

    pub fn locked_cell(self) -> Option<Cell> {
        self.locked_cell.get()
    }

    /// Returns the place of the locked cell's weight, if a single head is chosen, the cell is a weight of the model, and
    /// the query sees the key.
    pub fn weight_place(self) -> Option<WeightPlace> {
        let cell = self.locked_cell.get()?;
        let Cell { query, key } = self.weight_of(cell)?;
        let &[head] = self.chosen.read().as_slice() else {
            return None;
        };
        let is_hidden = head.attention.kind == AttentionKind::DecoderSelf && key > query;
        let query = Some(query);
        (!is_hidden).then_some(WeightPlace { head, query, key })
    }

    /// Returns the selected row of the locked head, and its column: the locked cell's, or else the row of the decoding
    /// step. A preview of another head does not change them.
    pub fn locked_place(self) -> Option<(usize, Option<usize>)> {
        if let Some(cell) = self.locked_cell.get() {
            return Some((cell.query, Some(cell.key)));
        }
        let is_decoded = self.chosen()?.attention.kind.stack() == Stack::Decoder;
        let row = self.steps.with_step(|step| step.row)?;
        let row = self.chosen_axes.read().as_ref()?.queries.place_of(row)?;
        is_decoded.then_some((row, None))
    }

    /// Returns true if the selected cell is the locked one.
    pub fn is_locked(self) -> bool {
        let locked = self.locked_cell.get();
        locked.is_some() && self.cell() == locked
    }

    /// Displays a cell's value, or hides it.
    pub fn hover_cell(self, cell: Option<Cell>) {
        if self.hovered_cell.get_untracked() != cell {
            self.hovered_cell.set(cell);
        }
    }

    /// Locks a cell, or unlocks it if it is locked already.
    pub fn toggle_cell(self, cell: Cell) {
        let held = self.locked_cell.get_untracked() == Some(cell);
        match held {
            true => self.state.set_cell(None),
            false => self.lock_cell(cell),
        }
    }

    /// Locks a cell; the decoding step follows it.
    pub fn lock_cell(self, cell: Cell) {
        self.hovered_cell.set(None);
        let tokens = untrack(|| self.tokens_of(cell));
        if tokens.is_some() {
            self.state.set_cell(tokens);
        }
    }

    /// Returns the cell of the map under a pointer, in an element filled by the map.
    pub fn cell_under(self, event: &MouseEvent) -> Option<Cell> {
        let [x, y, width, height] = pointer_in(event)?;
        untrack(|| self.with_map(|map| map.cell_at(x / width, y / height))).flatten()
    }

    /// Returns the cell of a query and the key that it attends to most.
    pub fn strongest_of(self, query: usize) -> Option<Cell> {
        self.with_map(|map| {
            let (key, _) = *map.strongest(&[query], 1).first()?;
            Some(Cell { query, key })
        })?
    }

    /// Locks the cell at an offset of rows and columns from the selected one.
    pub fn move_cell(self, rows: isize, columns: isize) {
        let from = untrack(|| self.cell());
        let moved = untrack(|| self.with_map(|map| map.moved(from, rows, columns)));
        if let Some(cell) = moved.flatten() {
            self.lock_cell(cell);
        }
    }

    /// Locks the query at an offset from the selected one, at its strongest key.
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

    /// Unlocks the locked cell.
    pub fn release_cell(self) {
        self.hovered_cell.set(None);
        self.state.set_cell(None);
    }

    /// Returns the selected query; if there is none, the first of several, that of the decoding step, the class token of a
    /// picture, or the middle one of a text that is not decoded.
    pub fn query(self) -> usize {
        self.query_of(self.cell())
    }

    fn query_of(self, cell: Option<Cell>) -> usize {
        let count = self.with_axes(|queries, _| queries.len()).unwrap_or(0);
        let query = match cell {
            Some(cell) => cell.query,
            None => {
                let first = self.rows.read().first().copied();
                let usual = match self.is_of_picture() {
                    true => 0,
                    false => count / 2,
                };
                first.or_else(|| self.step_row()).unwrap_or(usual)
            }
        };
        query.min(count.saturating_sub(1))
    }

    /// Returns the row of the decoding step, if the head's queries are decoded.
    pub fn step_row(self) -> Option<usize> {
        self.step_row.get()
    }

    /// Returns the token, or where words are shown the word, that is written after reading the target up to a row.
    pub fn written_after(self, row: usize) -> Option<Token> {
        let (trace, axes) = (self.trace()?, self.axes.get()?);
        let next = axes.queries.run(row)?.end;
        if let Some(place) = axes.queries.place_of(next) {
            return axes.queries.tokens().get(place).cloned();
        }
        if let Some(next) = trace.meta.target.get(next) {
            return Some(next.clone());
        }
        let steps = &trace.decoding.as_ref()?.steps;
        let step = steps
            .iter()
            .find(|step| next.checked_sub(1) == Some(step.row))?;
        Some(step.chosen.token.clone())
    }

    /// Reads the map of the selected head, or the mean of several; `None` if the trace lacks it, and until it is
    /// loaded.
    pub fn with_map<T>(self, read: impl FnOnce(HeadMap<'_>) -> T) -> Option<T> {
        let (matrix, axes) = (self.matrix.get()?, self.axes.get()?);
        let axes = (axes.queries.tokens(), axes.keys.tokens());
        Some(read(HeadMap::of(axes, &matrix.0)?))
    }

    /// Reads the tokens on the axes of the selected map: its queries and its keys.
    pub fn with_axes<T>(self, read: impl FnOnce(&[Token], &[Token]) -> T) -> Option<T> {
        let axes = self.axes.get()?;
        Some(read(axes.queries.tokens(), axes.keys.tokens()))
    }

    /// Reads the picture of the selected head: its map, or a thumbnail until the map is loaded; rows, columns and
    /// values.
    pub fn with_picture<T>(self, read: impl FnOnce(usize, usize, &[f32]) -> T) -> Option<T> {
        if self.matrix.read().is_some() {
            return self.with_map(|map| read(map.queries.len(), map.keys.len(), map.weights));
        }
        let heads = self.heads.read();
        let thumbnail = |head: &HeadChoice| {
            self.with_thumbnails(head.attention, |rows, columns, maps| {
                Some((rows, columns, maps.matrix(head.head)?.to_vec()))
            })?
        };
        let thumbnails = heads.iter().map(thumbnail).collect::<Option<Vec<_>>>()?;
        let &(rows, columns, _) = thumbnails.first()?;
        let values: Vec<_> = thumbnails
            .iter()
            .map(|(_, _, values)| values.as_slice())
            .collect();
        Some(read(rows, columns, &mean(&values)))
    }

    /// Tells which part of the map the heatmap has in sight, as long as the component exists.
    pub fn follow_sight(self, sight: Signal<Sight>) {
        self.sight.set_value(Some(sight));
        on_cleanup(move || {
            // The whole context may be gone.
            self.sight.try_update_value(|kept| *kept = None);
        });
    }

    /// Returns the part of the map that the heatmap has in sight; `None` in other drawings, which show all of it.
    pub fn sight(self) -> Option<Sight> {
        self.sight.get_value().map(|sight| sight.get_untracked())
    }

    /// Returns the colour scale chosen by the visitor.
    pub fn scale(self) -> Scale {
        if self.normalised.get() {
            Scale::PerMap
        } else {
            Scale::Absolute
        }
    }
}

/// Returns the mean of the heads' maps; the map itself if there is only one. `None` if their shapes differ.
fn mean_map(maps: Vec<Part>) -> Option<Part> {
    if let [map] = maps.as_slice() {
        return Some(map.clone());
    }
    let shape = maps.first()?.0.shape.clone();
    if maps.iter().any(|map| map.0.shape != shape) {
        return None;
    }
    let values: Vec<&[f32]> = maps.iter().map(|map| map.0.data.as_slice()).collect();
    let data = mean(&values);
    Some(Part(Arc::new(Array { shape, data })))
}
