//! The decoding time steps of the result on screen: the selected step, its player, and changes to the course of
//! decoding. Every tab shows the same step.

mod course;
mod sampling;
mod together;

use std::sync::Arc;

use attention_trace::{Decoding, Step, Trace};
use leptos::prelude::*;

pub use self::{
    course::{is_overruled, probability},
    sampling::SamplingNumbers,
};
use self::{
    course::{prefix_released, prefix_with},
    together::keep_together,
};
use crate::{
    engine::Live,
    state::{Tab, ViewState},
    widgets::player::{Player, Timeline},
};

/// The selected step and its player. A context: take it with [`Steps::expect`].
#[derive(Clone, Copy)]
pub struct Steps {
    live: Live,
    player: Player,
}

impl Steps {
    /// Provides the context, keeps the locked cell in the step's row, and handles the page's keys, except in chapters,
    /// whose players handle them, and in presenter mode, which uses them itself.
    pub fn provide(live: Live, state: ViewState) -> Self {
        let wanted = state.select(|view| view.step);
        let player = Player::new(
            move || wanted.get(),
            move || live.trace().map_or(0, |trace| steps(&trace).len()),
            move |step| state.set_step(step),
        );
        let listens = state.select(|view| view.tab == Tab::Explore && !view.class.present);
        player.listen_while(move || listens.get_untracked());
        let context = Steps { live, player };
        provide_context(context);
        keep_together(context, state);
        context
    }

    /// Returns the context that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// True if the trace on screen has decoding steps.
    pub fn has_steps(self) -> bool {
        self.player.timeline().count > 0
    }

    pub fn player(self) -> Player {
        self.player
    }

    /// Returns the player's position among the steps.
    pub fn timeline(self) -> Timeline {
        self.player.timeline()
    }

    /// Returns the trace on screen.
    pub fn trace(self) -> Option<Arc<Trace>> {
        self.live.trace()
    }

    /// Reads the decoding of the trace on screen.
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
        self.decode_after(index, |steps| prefix_with(steps, index, token));
    }

    /// Decodes again from step `index` with the model's own choices.
    pub fn release(self, index: usize) {
        self.decode_after(index, |steps| prefix_released(steps, index));
    }

    /// Decodes again with a prefix that differs from step `index` on.
    fn decode_after(self, index: usize, prefix: impl FnOnce(&[Step]) -> Vec<u32>) {
        self.player.pause();
        let prefix = untrack(|| self.with_decoding(|decoding| prefix(&decoding.steps)));
        if let Some(prefix) = prefix {
            self.live.decode_again(index, prefix);
        }
    }
}

fn steps(trace: &Trace) -> &[Step] {
    trace
        .decoding
        .as_ref()
        .map_or(&[], |decoding| decoding.steps.as_slice())
}
