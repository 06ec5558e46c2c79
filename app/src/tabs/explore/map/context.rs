//! The shared state of the map: the drawing, the camera, the animation of the sentence.

use std::time::Duration;

use attention_figures::model_map::{Rect, Room};
use attention_trace::{ModelSpec, Stack};

use attention_protocol::OrLogged;
use leptos::{html, leptos_dom::helpers::TimeoutHandle, prelude::*};

use super::{
    camera::{Camera, Frame, ZOOM_STEP},
    gesture::Gesture,
    play::Play,
    tokens::selected_row,
};
use crate::tabs::explore::context::HeadsContext;
use attention_core::{
    appearance::Appearance,
    edits::{SetScores, shows_set},
    engine::{Importance, Live, Probe},
    selection::{Drawing, HeadChoice},
    state::{Closeup, ViewState},
    steps::Steps,
    widgets::observed_size,
};

/// The side, in pixels, from which a head displays its cells' values.
const LEGIBLE: f64 = 200.0;
/// The least side of a head that can be hit, in pixels: by a mouse, and by a finger (WCAG 2.2, target size).
const LEAST_SIDE: f64 = 22.0;
const FINGER: f64 = 26.0;
/// The room for the frames of the outermost blocks, in pixels.
pub const FRAME: f64 = 3.0;
/// The share of the view that a head's block fills in a close-up.
const SURROUNDED: f64 = 0.6;
/// The time without movement after which a camera is at rest.
const REST: Duration = Duration::from_millis(120);
/// The width and the height of the view on paper, equal to those in the style sheet.
const PRINTED: (f64, f64) = (680.0, 620.0);

/// The map on screen.
#[derive(Clone, Copy)]
pub struct MapContext {
    /// The shared state of the heads tab.
    pub heads: HeadsContext,
    /// The steps of decoding.
    pub steps: Steps,
    pub spec: Memo<Option<ModelSpec>>,
    /// The drawing with the places of all blocks.
    pub drawing: Memo<Option<Drawing>>,
    /// The animation of the sentence through the model.
    pub play: Play,
    /// The heads that are switched off.
    pub off: Memo<Vec<HeadChoice>>,
    /// The importance of each head to the text, if requested.
    pub importance: Memo<Option<Importance>>,
    /// The selected token of the source.
    pub source_row: Memo<Option<usize>>,
    /// The selected token of the target.
    pub target_row: Memo<Option<usize>>,
    appearance: Appearance,
    /// The width and the height of the room around the view, and of the view, which is larger if the map scrolls.
    room: Memo<(f64, f64)>,
    view: Memo<(f64, f64)>,
    room_element: NodeRef<html::Div>,
    state: ViewState,
    closeup: Memo<Option<Closeup>>,
    /// The camera while it moves; it enters the view's state, on which the whole page depends, when it rests.
    moving: RwSignal<Option<Camera>>,
    rest: StoredValue<Option<TimeoutHandle>>,
    is_close: Memo<bool>,
    gesture: StoredValue<Gesture>,
}

impl MapContext {
    pub fn new(room_element: NodeRef<html::Div>, view: NodeRef<html::Div>) -> Self {
        let (heads, steps) = (HeadsContext::expect(), Steps::expect());
        let spec = Memo::new(move |_| Some(heads.trace()?.meta.spec.clone()));
        let state = ViewState::expect();
        let appearance = Appearance::expect();
        let (room, view) = (observed_size(room_element), observed_size(view));
        let on_paper = move |size: ReadSignal<(f64, f64)>| {
            Memo::new(move |_| match appearance.is_printing() {
                true => PRINTED,
                false => size.get(),
            })
        };
        let (room, view) = (on_paper(room), on_paper(view));
        let drawing = Memo::new(move |_| {
            let room = room_of(room.get(), appearance);
            Some(Drawing::fitted(spec.read().as_ref()?, room))
        });
        let closeup = state.select(|view| view.closeup);
        let moving = RwSignal::new(None);
        let context = MapContext {
            heads,
            steps,
            spec,
            drawing,
            play: Play::new(drawing, steps),
            off: state.select(|view| view.edits.heads_off()),
            importance: importance(state),
            source_row: selected_row(heads, steps, Stack::Encoder),
            target_row: selected_row(heads, steps, Stack::Decoder),
            appearance,
            room,
            view,
            room_element,
            state,
            closeup,
            moving,
            rest: StoredValue::new(None),
            is_close: Memo::new(move |_| moving.read().is_some() || closeup.read().is_some()),
            gesture: StoredValue::new(Gesture::default()),
        };
        on_cleanup(move || context.forget_rest());
        context
    }

    /// Returns the current camera: the whole map, unless the visitor has zoomed in; on paper always the whole.
    pub fn camera(self) -> Camera {
        let is_whole = self.appearance.is_printing();
        let moving = self.moving.get();
        let close = moving.or_else(|| self.close(self.closeup.get()?));
        close
            .filter(|_| !is_whole)
            .unwrap_or_else(|| self.frame_in(self.view.get()).whole())
    }

    /// Returns true while the camera moves.
    pub fn is_moving(self) -> bool {
        self.moving.read().is_some()
    }

    fn close(self, closeup: Closeup) -> Option<Camera> {
        let frame = self.frame();
        match closeup {
            Closeup::Head => Some(frame.close_beside_gutters(self.head(self.heads.chosen()?)?)),
            Closeup::Block => {
                let (spec, drawing) = (self.spec.read(), self.drawing.read());
                let attention = self.heads.chosen()?.attention;
                let block = drawing.as_ref()?.block(spec.as_ref()?, attention)?;
                Some(frame.around(block.rect, SURROUNDED))
            }
            Closeup::At { zoom, centre } => Some(frame.camera_at(zoom, centre)),
        }
    }

    /// Converts a point of the view to one of the room, in which the view may be scrolled.
    pub fn in_room(self, [x, y, ..]: [f64; 4]) -> (f64, f64) {
        let (left, top) = self.scrolled();
        (x - left, y - top)
    }

    /// Returns the scroll of the view in its room, in pixels.
    fn scrolled(self) -> (f64, f64) {
        let room = self.room_element.get_untracked();
        room.map_or((0.0, 0.0), |room| {
            (f64::from(room.scroll_left()), f64::from(room.scroll_top()))
        })
    }

    /// Returns the current camera relative to the room.
    fn camera_in_room(self) -> Camera {
        let (left, top) = self.scrolled();
        untrack(|| self.camera()).panned(-left, -top)
    }

    /// Returns true if the view is longer than its room, so that the wheel scrolls it.
    pub fn scrolls(self) -> bool {
        self.view.get_untracked().1 > self.room.get_untracked().1 + 1.0
    }

    /// Returns true if the visitor has zoomed in.
    pub fn is_close(self) -> bool {
        self.is_close.get()
    }

    /// Returns true if the visitor has zoomed in, without subscribing.
    pub fn is_close_untracked(self) -> bool {
        self.is_close.get_untracked()
    }

    /// Zooms by a factor about a point of the room, or about its middle.
    pub fn zoom(self, factor: f64, about: Option<(f64, f64)>) {
        let (width, height) = self.room.get_untracked();
        let about = about.unwrap_or((width / 2.0, height / 2.0));
        self.look(self.camera_in_room().zoomed(factor, about));
    }

    /// Zooms by one step in or out.
    pub fn zoom_step(self, closer: bool) {
        self.zoom(if closer { ZOOM_STEP } else { 1.0 / ZOOM_STEP }, None);
    }

    /// Moves the map by a number of pixels.
    pub fn pan(self, right: f64, down: f64) {
        self.look(self.camera_in_room().panned(right, down));
    }

    /// Shows the whole map.
    pub fn show_all(self) {
        self.come_to(None);
    }

    /// Zooms to a part of the map; back to the whole if it is close already.
    pub fn go_to(self, rect: Rect) {
        let frame = untrack(|| self.frame());
        self.go(frame.closeup(frame.close(rect)));
    }

    /// Zooms to the chosen head, with room beside it for the names of its rows and columns; back to the whole if it is
    /// close already.
    pub fn go_to_head(self) {
        self.go(Some(Closeup::Head));
    }

    fn go(self, closeup: Option<Closeup>) {
        if self.closeup.get_untracked() == closeup {
            return self.show_all();
        }
        self.come_to(closeup);
    }

    /// Returns the width and the height of the room, in pixels.
    pub fn room_size(self) -> (f64, f64) {
        self.room.get()
    }

    /// Returns the room at the left and at the upper edge of the view for names, in pixels.
    pub fn gutters(self) -> (f64, f64) {
        self.frame().gutters()
    }

    /// Returns the rectangle of a head.
    pub fn head(self, head: HeadChoice) -> Option<Rect> {
        let (spec, drawing) = (self.spec.read(), self.drawing.read());
        drawing.as_ref()?.head(spec.as_ref()?, head)
    }

    /// Returns true if a head is close enough to read its cells.
    pub fn is_legible(self, head: Rect) -> bool {
        self.is_close() && head.width * self.camera().scale >= LEGIBLE
    }

    /// Applies a change of the pointers to the camera.
    pub fn with_gesture(self, change: impl FnOnce(&mut Gesture, Camera) -> Option<Camera>) {
        let camera = self.camera_in_room();
        let moved = self
            .gesture
            .try_update_value(|gesture| change(gesture, camera))
            .flatten();
        if let Some(moved) = moved {
            self.look(moved);
        }
    }

    /// Returns true if the last press was a drag, so that it is not a click.
    pub fn dragged(self) -> bool {
        self.gesture.with_value(Gesture::is_drag)
    }

    /// Returns the frame of a close-up's camera, whose view is the room.
    fn frame(self) -> Frame {
        self.frame_in(self.room.get())
    }

    fn frame_in(self, view: (f64, f64)) -> Frame {
        let map = self.drawing.with(|drawing| {
            drawing.as_ref().map_or((1.0, 1.0), |drawing| {
                (drawing.map.width, drawing.map.height)
            })
        });
        Frame { map, view }
    }

    /// Moves the camera, which rests where it is if nothing moves it on.
    fn look(self, camera: Camera) {
        let frame = untrack(|| self.frame());
        if frame.closeup(camera).is_none() {
            return self.come_to(None);
        }
        self.forget_rest();
        self.moving.set(Some(frame.held(camera)));
        let rest = set_timeout_with_handle(move || self.come_to(frame.closeup(camera)), REST);
        self.rest
            .set_value(rest.or_logged("waiting for the map to rest"));
    }

    /// Ends the movement of the camera at a close-up, or at the whole map.
    fn come_to(self, closeup: Option<Closeup>) {
        self.forget_rest();
        self.state.set_closeup(closeup);
        self.moving.set(None);
    }

    fn forget_rest(self) {
        let rest = self.rest.try_update_value(Option::take).flatten();
        if let Some(rest) = rest {
            rest.clear();
        }
    }
}

/// Returns the room for which the map is laid out: bounded if map and inspector fill one screen, or else as high as
/// needed.
fn room_of((width, height): (f64, f64), appearance: Appearance) -> Room {
    let is_bounded = appearance.fills_screen() || appearance.is_printing();
    let least_side = match appearance.has_fingers() {
        true => FINGER,
        false => LEAST_SIDE,
    };
    // Frames are drawn around blocks.
    let (width, height) = (width - 2.0 * FRAME, height - 2.0 * FRAME);
    Room {
        width,
        height: if is_bounded { height } else { f64::INFINITY },
        type_scale: appearance.enlargement(),
        least_side,
    }
}

/// Returns the importance of each head to the text, measured with the way of switching off that the visitor chose.
fn importance(state: ViewState) -> Memo<Option<Importance>> {
    let live = Live::expect();
    let by = state.select(|view| view.edits.by);
    let (of_set, scores) = (state.select(shows_set), SetScores::expect());
    Memo::new(move |_| {
        if of_set.get() {
            return scores.importance();
        }
        let probe = Probe::Off(by.get());
        live.select_now(|engine| engine.importance(probe))
    })
}
