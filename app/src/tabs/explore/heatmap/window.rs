//! The visible part of the chosen head's map, and its movements.

use std::ops::Range;

use attention_figures::map_window::{Aim, Room, Sight};
use leptos::prelude::*;

use crate::tabs::explore::context::HeadsContext;
use attention_core::{
    appearance::Appearance,
    state::{Cell, ViewState},
};

/// The factor of one zoom step.
const ZOOM_STEP: f64 = 1.4;
/// The width and the height of the strips beside a partly visible map, with the gap between them and the map.
const STRIPS: f64 = 30.0;
/// The room for cells on paper.
const PRINTED: (f64, f64) = (480.0, 620.0);

/// A row, and a column if one is selected.
type Place = (usize, Option<usize>);

/// The focus of the window, once there is a map: a place, if one is selected.
type Focus = Option<Option<Place>>;

/// The visible part of a map, with its sizes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    pub rows: usize,
    pub columns: usize,
    /// The visible rows and columns.
    pub sight: Sight,
    /// The side of a cell in CSS pixels.
    pub cell: f64,
    /// True if only a part of the map is visible.
    pub is_part: bool,
    /// True if cells can be made larger.
    pub can_grow: bool,
    /// True if cells can be made smaller.
    pub can_shrink: bool,
}

impl Shown {
    fn whole(room: Room) -> Self {
        Shown {
            rows: room.rows,
            columns: room.columns,
            sight: Sight {
                rows: 0..room.rows,
                columns: 0..room.columns,
                cell: room.whole_cell() as usize,
            },
            cell: room.whole_cell(),
            ..Shown::default()
        }
    }

    fn part(room: Room, sight: Sight) -> Self {
        let changes = |factor| room.zoomed(&sight, factor, (0.0, 0.0)).cell != sight.cell;
        Shown {
            rows: room.rows,
            columns: room.columns,
            cell: sight.cell as f64,
            is_part: true,
            can_grow: changes(ZOOM_STEP),
            can_shrink: changes(1.0 / ZOOM_STEP),
            sight,
        }
    }
}

/// The window on the map. The map of a short text is visible as a whole.
#[derive(Clone, Copy)]
pub struct MapWindow {
    state: ViewState,
    room: Memo<Room>,
    aim: Memo<Option<Aim>>,
    // One memo, since an effect that reads one that stays before one that changes misses the change.
    shown: Memo<Shown>,
}

impl MapWindow {
    /// Creates the window of the map in `size`, the room for its cells in CSS pixels.
    pub fn new(context: HeadsContext, size: ReadSignal<(f64, f64)>) -> Self {
        let state = ViewState::expect();
        let appearance = Appearance::expect();
        let room = Memo::new(move |_| match appearance.is_printing() {
            true => room(context, PRINTED),
            false => room(context, size.get()),
        });
        let aim = state.select(|view| view.window);
        let focus = Memo::new(move |_| focus(context));
        let shown = Memo::new(move |_| {
            let room = room.get();
            match (room.is_whole(), aim.get()) {
                (true, _) => Shown::whole(room),
                (false, Some(aim)) => Shown::part(room, room.sight(aim)),
                (false, None) => Shown::part(room, from_beginning(room, focus.get().flatten())),
            }
        });
        let window = MapWindow {
            state,
            room,
            aim,
            shown,
        };
        window.follow(focus);
        window
    }

    /// Returns the visible part.
    pub fn shown(self) -> Shown {
        self.shown.get()
    }

    /// Returns the visible part, without subscribing.
    pub fn shown_untracked(self) -> Shown {
        self.shown.get_untracked()
    }

    /// Returns true if only a part is visible.
    pub fn is_part(self) -> bool {
        self.shown.read().is_part
    }

    /// Returns the cell under a point, given as fractions of the field's width and height.
    pub fn cell_at(self, x: f64, y: f64) -> Option<Cell> {
        let (query, key) = self.shown.read_untracked().sight.cell_at(x, y)?;
        Some(Cell { query, key })
    }

    /// Keeps the window in place when the selected cell moves inside it.
    pub fn stay(self) {
        self.go(|_, sight| sight.aim());
    }

    /// Moves by a number of rows and columns. Returns true if the window moved.
    pub fn pan(self, rows: isize, columns: isize) -> bool {
        self.go(|room, sight| room.panned(sight, rows, columns))
    }

    /// Moves by a number of windows.
    pub fn page(self, down: isize, right: isize) {
        self.go(|room, sight| {
            let step = |range: usize, by: isize| by * (range as isize - 1).max(1);
            room.panned(
                sight,
                step(sight.rows.len(), down),
                step(sight.columns.len(), right),
            )
        });
    }

    /// Centres the window at these shares of the map's rows and columns; `None` keeps a direction in place.
    pub fn centre(self, row: Option<f64>, column: Option<f64>) {
        self.go(|room, sight| {
            let first = |part: Option<f64>, count: usize, range: &Range<usize>| match part {
                Some(part) => part * count as f64 - range.len() as f64 / 2.0,
                None => range.start as f64,
            };
            room.aimed(
                first(row, room.rows, &sight.rows),
                first(column, room.columns, &sight.columns),
                sight.cell as f64,
            )
        });
    }

    /// Goes to the part that begins nearest to a row and a column, at a size of cells.
    pub fn go_to(self, row: f64, column: f64, cell: f64) {
        self.go(|room, _| room.aimed(row, column, cell));
    }

    /// Zooms about a point of the field in CSS pixels.
    pub fn zoom(self, factor: f64, about: (f64, f64)) {
        self.go(|room, sight| room.zoomed(sight, factor, about));
    }

    /// Zooms by one step in or out, about the middle.
    pub fn zoom_step(self, closer: bool) {
        let factor = if closer { ZOOM_STEP } else { 1.0 / ZOOM_STEP };
        self.go(|room, sight| {
            let middle = |count: usize| count as f64 * sight.cell as f64 / 2.0;
            let about = (middle(sight.columns.len()), middle(sight.rows.len()));
            room.zoomed(sight, factor, about)
        });
    }

    /// Goes to a part. Returns true if it differs from the present one.
    fn go(self, to: impl FnOnce(Room, &Sight) -> Aim) -> bool {
        let Shown { sight, is_part, .. } = self.shown.get_untracked();
        if !is_part {
            return false;
        }
        let aim = to(self.room.get_untracked(), &sight);
        if self.aim.get_untracked() != Some(aim) {
            self.state.set_window(aim);
        }
        aim != sight.aim()
    }

    /// Makes the window follow the selected cell, or the row of the decoding step, when it leaves the window. A
    /// position from an address is kept.
    fn follow(self, focus: Memo<Focus>) {
        // An effect because the view is told, which is what the window follows in turn.
        Effect::new(move |before: Option<Focus>| {
            let focus = focus.get();
            let before = before.flatten();
            if let (Some(before), Some(Some((row, column)))) = (before, focus)
                && before != Some((row, column))
                && self.aim.get_untracked().is_some()
            {
                self.go(|room, sight| room.holding(sight, Some(row), column));
            }
            focus
        });
    }
}

/// Returns the size of the map, and the room for its cells.
fn room(context: HeadsContext, (width, height): (f64, f64)) -> Room {
    let size = context.with_axes(|queries, keys| (queries.len(), keys.len()));
    let (rows, columns) = size.unwrap_or_default();
    let room = Room {
        rows,
        columns,
        // Measured in whole pixels, which may be one too many.
        width: width - 1.0,
        height: height - 1.0,
    };
    match room.is_whole() {
        true => room,
        false => Room {
            height: room.height - STRIPS,
            ..room
        },
    }
}

/// Returns the selected place of the locked head.
fn focus(context: HeadsContext) -> Focus {
    context.trace()?;
    Some(context.locked_place())
}

/// Returns the beginning of the map, or the nearest part that contains the selected place.
fn from_beginning(room: Room, selected: Option<Place>) -> Sight {
    let beginning = room.sight(room.beginning());
    match selected {
        Some((row, column)) => room.sight(room.holding(&beginning, Some(row), column)),
        None => beginning,
    }
}
