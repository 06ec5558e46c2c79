//! What the parts of the decoding tab share: the trace, the step and the player.

use std::sync::Arc;

use attention_trace::{Decoding, Step, Trace};
use leptos::prelude::*;

use super::step::{prefix_released, prefix_with};
use crate::{
    engine::Live,
    state::ViewState,
    widgets::player::{Player, Timeline},
};

/// The selected step and what moves it.
#[derive(Clone, Copy)]
pub struct DecodingContext {
    live: Live,
    player: Player,
}

impl DecodingContext {
    /// Makes the context, provides it to the components below and listens to the keys.
    pub fn provide() -> Self {
        let (live, state) = (Live::expect(), ViewState::expect());
        let wanted = state.select(|view| view.step);
        let player = Player::new(
            move || wanted.get(),
            move || live.trace().map_or(0, |trace| steps(&trace).len()),
            move |step| state.set_step(step),
        );
        let context = DecodingContext { live, player };
        provide_context(context);
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
        self.player.timeline().count > 0
    }

    /// The player.
    pub fn player(self) -> Player {
        self.player
    }

    /// Where the player stands.
    pub fn timeline(self) -> Timeline {
        self.player.timeline()
    }

    /// The trace on screen.
    pub fn trace(self) -> Option<Arc<Trace>> {
        self.live.trace()
    }

    /// Reads how the trace on screen was decoded.
    pub fn with_decoding<T>(self, read: impl FnOnce(&Decoding) -> T) -> Option<T> {
        self.trace()?.decoding.as_ref().map(read)
    }

    /// Reads the selected step.
    pub fn with_step<T>(self, read: impl FnOnce(&Step) -> T) -> Option<T> {
        let index = self.player.timeline().step;
        self.with_decoding(|decoding| decoding.steps.get(index).map(read))?
    }

    /// Decodes again with `token` forced at the selected step.
    pub fn force(self, token: u32) {
        let index = self.player.step_untracked();
        self.decode_after(|steps| prefix_with(steps, index, token));
    }

    /// Decodes again from step `index` as the model likes.
    pub fn release(self, index: usize) {
        self.decode_after(|steps| prefix_released(steps, index));
    }

    fn decode_after(self, prefix: impl FnOnce(&[Step]) -> Vec<u32>) {
        self.player.pause();
        let prefix = untrack(|| self.with_decoding(|decoding| prefix(&decoding.steps)));
        if let Some(prefix) = prefix {
            self.live.run_with_prefix(prefix);
        }
    }
}

fn steps(trace: &Trace) -> &[Step] {
    trace
        .decoding
        .as_ref()
        .map_or(&[], |decoding| decoding.steps.as_slice())
}
