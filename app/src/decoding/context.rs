//! What the parts of the decoding tab share: the trace, the step and the player.

use std::{sync::Arc, time::Duration};

use attention_trace::{Decoding, Step, Trace};
use leptos::{ev::KeyboardEvent, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::{
    step::{prefix_released, prefix_with},
    timeline::{Action, Timeline},
};
use crate::{engine::Live, state::ViewState};

/// How long a step is shown, at speed 1.
const STEP_TIME: Duration = Duration::from_millis(1200);

/// Elements that have a use of their own for space and arrow keys.
const TAKES_KEYS: &str = "input, textarea, select, [role=tab], [contenteditable]";
/// Elements that space presses.
const TAKES_SPACE: &str = "button, a, summary";

/// The step in sight and what moves it.
#[derive(Clone, Copy)]
pub struct DecodingContext {
    live: Live,
    state: ViewState,
    timeline: Memo<Timeline>,
    playing: RwSignal<bool>,
    speed: RwSignal<f64>,
}

impl DecodingContext {
    /// Makes the context, provides it to the components below and listens to the keys.
    pub fn provide() -> Self {
        let (live, state) = (Live::expect(), ViewState::expect());
        let playing = RwSignal::new(false);
        let wanted = state.select(|view| view.step);
        let timeline = Memo::new(move |_| {
            let count = live.trace().map_or(0, |trace| steps(&trace).len());
            Timeline::at(wanted.get(), count, playing.get())
        });
        let context = DecodingContext {
            live,
            state,
            timeline,
            playing,
            speed: RwSignal::new(1.0),
        };
        provide_context(context);
        context.keep_time();
        context.listen();
        context
    }

    /// The context that the decoding tab provided.
    ///
    /// # Panics
    /// Outside the decoding tab.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Whether the trace on screen has decoding steps.
    pub fn has_steps(self) -> bool {
        self.timeline.get().count > 0
    }

    /// The player.
    pub fn timeline(self) -> Timeline {
        self.timeline.get()
    }

    /// Moves the player.
    pub fn apply(self, action: Action) {
        let next = self.timeline.get_untracked().after(action);
        self.state.set_step(next.step);
        self.playing.set(next.playing);
    }

    /// Steps per [`STEP_TIME`].
    pub fn speed(self) -> f64 {
        self.speed.get()
    }

    /// Changes the speed.
    pub fn set_speed(self, speed: f64) {
        self.speed.set(speed);
    }

    /// The trace on screen.
    pub fn trace(self) -> Option<Arc<Trace>> {
        self.live.trace()
    }

    /// Reads how the trace on screen was decoded.
    pub fn with_decoding<T>(self, read: impl FnOnce(&Decoding) -> T) -> Option<T> {
        self.trace()?.decoding.as_ref().map(read)
    }

    /// Reads the step in sight.
    pub fn with_step<T>(self, read: impl FnOnce(&Step) -> T) -> Option<T> {
        let index = self.timeline.get().step;
        self.with_decoding(|decoding| decoding.steps.get(index).map(read))?
    }

    /// Decodes again with `token` forced at the step in sight.
    pub fn force(self, token: u32) {
        let index = self.timeline.get_untracked().step;
        self.decode_after(|steps| prefix_with(steps, index, token));
    }

    /// Decodes again from step `index` as the model likes.
    pub fn release(self, index: usize) {
        self.decode_after(|steps| prefix_released(steps, index));
    }

    fn decode_after(self, prefix: impl FnOnce(&[Step]) -> Vec<u32>) {
        self.playing.set(false);
        let prefix = untrack(|| self.with_decoding(|decoding| prefix(&decoding.steps)));
        if let Some(prefix) = prefix {
            self.live.run_with_prefix(prefix);
        }
    }

    /// While it plays, a clock ticks.
    fn keep_time(self) {
        let runs = Memo::new(move |_| self.timeline.get().playing);
        // An effect because the clock lies outside the reactive graph.
        Effect::new(move |_| {
            let time = STEP_TIME.div_f64(self.speed.get());
            if runs.get()
                && let Ok(clock) = set_interval_with_handle(move || self.apply(Action::Tick), time)
            {
                on_cleanup(move || clock.clear());
            }
        });
    }

    fn listen(self) {
        let listener = window_event_listener(leptos::ev::keydown, move |event| {
            if let Some(action) = action_of(&event) {
                event.prevent_default();
                self.apply(action);
            }
        });
        on_cleanup(move || listener.remove());
    }
}

fn steps(trace: &Trace) -> &[Step] {
    trace
        .decoding
        .as_ref()
        .map_or(&[], |decoding| decoding.steps.as_slice())
}

fn action_of(event: &KeyboardEvent) -> Option<Action> {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return None;
    }
    let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
    let is_in = |selector| {
        let found = target.as_ref().map(|target| target.closest(selector));
        matches!(found, Some(Ok(Some(_))))
    };
    let key = event.key();
    if is_in(TAKES_KEYS) || (key == " " && is_in(TAKES_SPACE)) {
        return None;
    }
    Action::of_key(&key)
}
