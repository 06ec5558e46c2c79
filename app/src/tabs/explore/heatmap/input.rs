//! Pointers, the wheel and keys on the map: they read its cells, and move the visible part of a large map.

use leptos::{
    ev::{KeyboardEvent, MouseEvent, PointerEvent, WheelEvent},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::window::{MapWindow, Shown};
use crate::tabs::explore::{
    context::HeadsContext,
    map::{camera::Camera, gesture::Gesture},
};
use attention_core::{
    edits::{EditControl, FORBID_KEY, PIN_KEY},
    state::{Cell, WeightPlace},
    widgets::{Pick, pointer_in},
};
use attention_protocol::OrLogged;

/// The exponent of the zoom factor per pixel of the wheel.
const WHEEL_ZOOM: f64 = 0.002;
/// The height of a line for a wheel that counts lines, in CSS pixels.
const LINE: f64 = 16.0;

/// The state of gestures on the map.
#[derive(Clone, Copy)]
pub struct MapInput {
    context: HeadsContext,
    edits: EditControl,
    window: MapWindow,
    gesture: StoredValue<Gesture>,
    /// The position of the map during a gesture, between cells: its unit is a cell.
    camera: StoredValue<Option<Camera>>,
    /// The wheel's movement since the last whole cell, in pixels right and down.
    wheeled: StoredValue<(f64, f64)>,
}

impl MapInput {
    /// Creates the state without any gesture.
    pub fn new(context: HeadsContext, window: MapWindow) -> Self {
        MapInput {
            context,
            edits: EditControl::expect(),
            window,
            gesture: StoredValue::new(Gesture::default()),
            camera: StoredValue::new(None),
            wheeled: StoredValue::new((0.0, 0.0)),
        }
    }

    /// Handles a pointer that goes down.
    pub fn press(self, event: &PointerEvent) {
        let Some([x, y, ..]) = pointer_in(event) else {
            return;
        };
        self.gesture
            .update_value(|gesture| gesture.press(event.pointer_id(), x, y));
        let Shown { sight, is_part, .. } = self.window.shown_untracked();
        if is_part {
            let scale = sight.cell as f64;
            self.camera.set_value(Some(Camera {
                scale,
                x: -scale * sight.columns.start as f64,
                y: -scale * sight.rows.start as f64,
            }));
            // Where the browser refuses, a drag ends at the field's edge.
            let field = event.current_target();
            if let Some(Ok(field)) = field.map(JsCast::dyn_into::<Element>) {
                field
                    .set_pointer_capture(event.pointer_id())
                    .or_logged("capturing the pointer");
            }
        }
    }

    /// Handles a pointer that moves: it drags the map if it is down, or else reads a cell.
    pub fn point(self, event: &PointerEvent) {
        let Some([x, y, ..]) = pointer_in(event) else {
            return;
        };
        if let Some(camera) = self.camera.get_value() {
            let id = event.pointer_id();
            let moved = self
                .gesture
                .try_update_value(|gesture| gesture.drag(id, x, y, camera));
            if let Some(Some(moved)) = moved {
                self.context.hover_cell(None);
                self.camera.set_value(Some(moved));
                let scale = moved.scale;
                self.window.go_to(-moved.y / scale, -moved.x / scale, scale);
            }
            if self.gesture.with_value(Gesture::is_drag) {
                return;
            }
        }
        self.context.hover_cell(self.cell_under(event));
    }

    /// Handles a pointer that goes up or away.
    pub fn release(self, event: &PointerEvent) {
        self.gesture
            .update_value(|gesture| gesture.release(event.pointer_id()));
        if !self.gesture.with_value(Gesture::is_pressed) {
            self.camera.set_value(None);
        }
    }

    /// Handles a click, which locks a cell, or adds its row to the choice; a finger clicks without hovering first.
    pub fn click(self, event: &MouseEvent) {
        let is_drag =
            self.window.shown_untracked().is_part && self.gesture.with_value(Gesture::is_drag);
        if let Some(cell) = self.cell_under(event)
            && !is_drag
        {
            self.window.stay();
            let pick = self.context.pick(Pick::of(event));
            self.context.click_cell(cell, pick);
        }
    }

    /// Handles the wheel, which moves the map, and with Ctrl zooms it; at the map's end it scrolls the page.
    pub fn wheel(self, event: &WheelEvent) {
        if !self.window.shown_untracked().is_part {
            return;
        }
        let unit = match event.delta_mode() {
            WheelEvent::DOM_DELTA_PIXEL => 1.0,
            _ => LINE,
        };
        let (right, down) = (unit * event.delta_x(), unit * event.delta_y());
        if event.ctrl_key() || event.meta_key() {
            let about = pointer_in(event).map_or((0.0, 0.0), |[x, y, ..]| (x, y));
            self.window.zoom((-down * WHEEL_ZOOM).exp(), about);
            event.prevent_default();
            return;
        }
        let (right, down) = match event.shift_key() {
            true => (right + down, 0.0),
            false => (right, down),
        };
        if self.roll(right, down) {
            event.prevent_default();
            // Another cell lies under the pointer, which has not moved.
            self.context.hover_cell(self.cell_under(event));
        }
    }

    /// Moves by pixels of the wheel. Returns true if the map has moved, or is between two cells.
    fn roll(self, right: f64, down: f64) -> bool {
        let cell = self.window.shown_untracked().cell;
        let (before_right, before_down) = self.wheeled.get_value();
        let (right, down) = (before_right + right, before_down + down);
        let (columns, rows) = ((right / cell).trunc(), (down / cell).trunc());
        self.wheeled
            .set_value((right - columns * cell, down - rows * cell));
        let is_short = columns == 0.0 && rows == 0.0;
        is_short || self.window.pan(rows as isize, columns as isize)
    }

    /// Handles a key: keys move the cell, choose several rows, move the visible part, zoom, and change the cell's
    /// weight.
    pub fn key(self, event: &KeyboardEvent) {
        if event.ctrl_key() || event.alt_key() || event.meta_key() {
            self.undo_key(event);
            return;
        }
        let is_part = self.window.shown_untracked().is_part;
        match event.key().as_str() {
            "ArrowUp" => self.step(event, -1, 0),
            "ArrowDown" => self.step(event, 1, 0),
            "ArrowLeft" => self.step(event, 0, -1),
            "ArrowRight" => self.step(event, 0, 1),
            "PageUp" if is_part => self.window.page(-1, 0),
            "PageDown" if is_part => self.window.page(1, 0),
            "+" | "=" if is_part => self.window.zoom_step(true),
            "-" if is_part => self.window.zoom_step(false),
            "Escape" => self.context.release_cell(),
            key if key.eq_ignore_ascii_case(PIN_KEY) && self.edit(EditControl::pin) => {}
            key if key.eq_ignore_ascii_case(FORBID_KEY) && self.edit(EditControl::forbid) => {}
            "Delete" | "Backspace" if self.edit(EditControl::release) => {}
            _ => return,
        }
        event.prevent_default();
    }

    /// Changes the locked cell's weight; returns false if no cell is locked, so that the page handles the key.
    fn edit(self, change: fn(EditControl, WeightPlace)) -> bool {
        let place = untrack(|| self.context.weight_place());
        if let Some(place) = place {
            change(self.edits, place);
        }
        place.is_some()
    }

    /// Handles Ctrl+Z, which undoes a change, and Ctrl+Shift+Z, which redoes it.
    fn undo_key(self, event: &KeyboardEvent) {
        if event.alt_key() || !event.key().eq_ignore_ascii_case("z") {
            return;
        }
        match event.shift_key() {
            true => self.edits.redo(),
            false => self.edits.undo(),
        }
        event.prevent_default();
    }

    /// Moves the cell; with Shift adds or removes a row, or moves the visible part to the side.
    fn step(self, event: &KeyboardEvent, rows: isize, columns: isize) {
        match event.shift_key() {
            true if rows != 0 => self.extend(rows),
            true => {
                self.window.pan(rows, columns);
            }
            false => {
                self.window.stay();
                self.context.move_cell(rows, columns);
            }
        }
    }

    /// Adds or removes a row, and follows the choice beyond the visible part.
    fn extend(self, by: isize) {
        self.window.stay();
        self.context.extend_rows(by);
        let rows = untrack(|| self.context.rows());
        let end = if by < 0 { rows.first() } else { rows.last() };
        let sight = self.window.shown_untracked().sight.rows;
        if end.is_some_and(|end| !sight.contains(end)) {
            self.window.pan(by, 0);
        }
    }

    fn cell_under(self, event: &MouseEvent) -> Option<Cell> {
        let [x, y, width, height] = pointer_in(event)?;
        self.window.cell_at(x / width, y / height)
    }
}
