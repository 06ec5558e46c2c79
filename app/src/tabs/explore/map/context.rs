//! What the parts of the map share: the drawing, the camera, the sentence's way.

use attention_figures::model_map::Rect;
use attention_trace::{ModelSpec, Stack};
use leptos::prelude::*;

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
    state::{Closeup, HeadsOff, ViewState},
    steps::Steps,
};

/// From this side on, in pixels, a head shows its cells' values.
const LEGIBLE: f64 = 200.0;
/// Width and height of the view on paper, as the style sheet has them.
const PRINTED: (f64, f64) = (680.0, 620.0);

/// The map on screen.
#[derive(Clone, Copy)]
pub struct MapContext {
    /// What the heads tab shares.
    pub heads: HeadsContext,
    /// The steps of decoding.
    pub steps: Steps,
    /// The model.
    pub spec: Memo<Option<ModelSpec>>,
    /// Where everything lies.
    pub drawing: Memo<Option<Drawing>>,
    /// The sentence on its way.
    pub play: Play,
    /// Heads that are switched off.
    pub off: Memo<HeadsOff>,
    /// What each head matters to the text, where that is wanted.
    pub importance: Memo<Option<Importance>>,
    /// The selected token of the source.
    pub source_row: Memo<Option<usize>>,
    /// The selected token of the target.
    pub target_row: Memo<Option<usize>>,
    appearance: Appearance,
    view: Memo<(f64, f64)>,
    state: ViewState,
    closeup: Memo<Option<Closeup>>,
    gesture: StoredValue<Gesture>,
}

impl MapContext {
    /// The map in a view of this size, in pixels.
    pub fn new(view: ReadSignal<(f64, f64)>) -> Self {
        let (heads, steps) = (HeadsContext::expect(), Steps::expect());
        let spec = Memo::new(move |_| Some(heads.trace()?.meta.spec.clone()));
        let drawing = Memo::new(move |_| spec.read().as_ref().map(Drawing::of));
        let state = ViewState::expect();
        let appearance = Appearance::expect();
        let view = Memo::new(move |_| match appearance.is_printing() {
            true => PRINTED,
            false => view.get(),
        });
        MapContext {
            heads,
            steps,
            spec,
            drawing,
            play: Play::new(drawing, steps),
            off: state.select(|view| view.off.clone()),
            importance: importance(state),
            source_row: selected_row(heads, steps, Stack::Encoder),
            target_row: selected_row(heads, steps, Stack::Decoder),
            appearance,
            view,
            state,
            closeup: state.select(|view| view.closeup),
            gesture: StoredValue::new(Gesture::default()),
        }
    }

    /// The camera in effect: the whole map, unless the visitor looks closer; on paper it is the whole.
    pub fn camera(self) -> Camera {
        let frame = self.frame();
        match self
            .closeup
            .get()
            .filter(|_| !self.appearance.is_printing())
        {
            Some(closeup) => frame.camera(closeup),
            None => frame.whole(),
        }
    }

    /// Whether the visitor looks closer.
    pub fn is_close(self) -> bool {
        self.closeup.read().is_some()
    }

    /// Zooms by a factor about a point of the view, or about its middle.
    pub fn zoom(self, factor: f64, about: Option<(f64, f64)>) {
        let (width, height) = self.view.get_untracked();
        let about = about.unwrap_or((width / 2.0, height / 2.0));
        self.look(untrack(|| self.camera()).zoomed(factor, about));
    }

    /// One step closer, or farther.
    pub fn zoom_step(self, closer: bool) {
        self.zoom(if closer { ZOOM_STEP } else { 1.0 / ZOOM_STEP }, None);
    }

    /// Moves by so many pixels.
    pub fn pan(self, right: f64, down: f64) {
        self.look(untrack(|| self.camera()).panned(right, down));
    }

    /// Shows the whole map.
    pub fn show_all(self) {
        self.state.set_closeup(None);
    }

    /// Goes close to a part of the map; back to the whole where it is close already.
    pub fn go_to(self, rect: Rect) {
        self.go(|frame| frame.close(rect));
    }

    /// Goes close to a head, with room beside it for the names of its rows and columns; back to the whole where it is
    /// close already.
    pub fn go_to_head(self, head: HeadChoice) {
        if let Some(rect) = untrack(|| self.head(head)) {
            self.go(|frame| frame.close_beside_gutters(rect));
        }
    }

    fn go(self, camera: impl FnOnce(Frame) -> Camera) {
        let frame = untrack(|| self.frame());
        let close = frame.closeup(camera(frame));
        if self.closeup.get_untracked() == close {
            return self.show_all();
        }
        self.state.set_closeup(close);
    }

    /// Width and height of the view, in pixels.
    pub fn view_size(self) -> (f64, f64) {
        self.view.get()
    }

    /// Room at the left and at the upper edge of the view for names, in pixels.
    pub fn gutters(self) -> (f64, f64) {
        self.frame().gutters()
    }

    /// Where a head lies.
    pub fn head(self, head: HeadChoice) -> Option<Rect> {
        let (spec, drawing) = (self.spec.read(), self.drawing.read());
        drawing.as_ref()?.head(spec.as_ref()?, head)
    }

    /// Whether a head is close enough to read its cells.
    pub fn is_legible(self, head: Rect) -> bool {
        self.is_close() && head.width * self.camera().scale >= LEGIBLE
    }

    /// Follows the pointers.
    pub fn with_gesture(self, change: impl FnOnce(&mut Gesture, Camera) -> Option<Camera>) {
        let camera = untrack(|| self.camera());
        let moved = self
            .gesture
            .try_update_value(|gesture| change(gesture, camera))
            .flatten();
        if let Some(moved) = moved {
            self.look(moved);
        }
    }

    /// Whether the last press was a drag, so that it is no click.
    pub fn dragged(self) -> bool {
        self.gesture.with_value(Gesture::is_drag)
    }

    fn frame(self) -> Frame {
        let map = self.drawing.with(|drawing| {
            drawing.as_ref().map_or((1.0, 1.0), |drawing| {
                (drawing.map.width, drawing.map.height)
            })
        });
        Frame {
            map,
            view: self.view.get(),
        }
    }

    fn look(self, camera: Camera) {
        let frame = untrack(|| self.frame());
        self.state.set_closeup(frame.closeup(camera));
    }
}

/// What each head matters to the text, off in the way that the visitor chose.
fn importance(state: ViewState) -> Memo<Option<Importance>> {
    let live = Live::expect();
    let by = state.select(|view| view.off_by);
    let (of_set, scores) = (state.select(shows_set), SetScores::expect());
    Memo::new(move |_| {
        if of_set.get() {
            return scores.importance();
        }
        let probe = Probe::Off(by.get());
        live.select_now(|engine| engine.importance(probe))
    })
}
