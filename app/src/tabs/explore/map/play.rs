//! The animation of the sentence through the model, block by block.

use std::time::Duration;

use attention_figures::model_map::Part;
use attention_protocol::OrLogged;
use leptos::prelude::*;

use attention_core::{selection::Drawing, steps::Steps};

/// The time that the sentence stays at a block, and at one of attention, where tokens exchange what they know.
const BLOCK_TIME: Duration = Duration::from_millis(320);
const ATTENTION_TIME: Duration = Duration::from_millis(700);

/// The state of the animation, which plays from token to token until the text is written.
#[derive(Clone, Copy)]
pub struct Play {
    drawing: Memo<Option<Drawing>>,
    steps: Steps,
    /// The current block, by its place in the order of the computation.
    reached: RwSignal<Option<usize>>,
    playing: RwSignal<bool>,
}

impl Play {
    /// Creates the animation at rest; its clock runs for the lifetime of its owner.
    pub fn new(drawing: Memo<Option<Drawing>>, steps: Steps) -> Self {
        let play = Play {
            drawing,
            steps,
            reached: RwSignal::new(None),
            playing: RwSignal::new(false),
        };
        // An effect because the clock lies outside the reactive graph.
        Effect::new(move |_| {
            if play.playing.get()
                && let Some(clock) = set_timeout_with_handle(move || play.tick(), play.time())
                    .or_logged("starting a clock")
            {
                on_cleanup(move || clock.clear());
            }
        });
        play
    }

    /// Returns true while the animation plays.
    pub fn is_playing(self) -> bool {
        self.playing.get()
    }

    /// Returns the current block; `None` if no animation is under way.
    pub fn reached(self) -> Option<usize> {
        self.reached.get()
    }

    /// Returns the number of blocks that the animation passes.
    pub fn count(self) -> usize {
        self.drawing.with(|drawing| {
            drawing
                .as_ref()
                .map_or(0, |drawing| drawing.map.blocks.len())
        })
    }

    /// Goes to a block and pauses.
    pub fn go_to(self, block: usize) {
        self.playing.set(false);
        let last = untrack(|| self.count()).saturating_sub(1);
        self.reached.set(Some(block.min(last)));
    }

    /// Returns the time at the current block; subscribes to its change.
    fn time(self) -> Duration {
        let reached = self.reached.get().unwrap_or(0);
        let is_attention = self.drawing.with(|drawing| {
            let block = drawing.as_ref()?.map.blocks.get(reached)?;
            Some(matches!(block.part, Part::Attention { .. }))
        });
        match is_attention {
            Some(true) => ATTENTION_TIME,
            _ => BLOCK_TIME,
        }
    }

    /// Starts or stops the animation; starts from the first token if the last one is written.
    pub fn toggle(self) {
        if self.playing.get_untracked() {
            return self.playing.set(false);
        }
        let timeline = untrack(|| self.steps.timeline());
        if self.reached.get_untracked().is_none() {
            if timeline.is_at_end() {
                self.steps.player().go_to(0);
            }
            self.reached.set(Some(0));
        }
        self.steps.player().pause();
        self.playing.set(true);
    }

    /// Stops and resets the animation.
    pub fn stop(self) {
        self.playing.set(false);
        self.reached.set(None);
    }

    fn tick(self) {
        let next = untrack(|| self.drawing.with(|drawing| self.next(drawing.as_ref()?)));
        match next {
            Some(reached) => self.reached.set(Some(reached)),
            None => self.stop(),
        }
    }

    /// Returns the next block: after the last one, the writing column reads the next token.
    fn next(self, drawing: &Drawing) -> Option<usize> {
        let blocks = &drawing.map.blocks;
        let next = self.reached.get_untracked()? + 1;
        if next < blocks.len() {
            return Some(next);
        }
        let timeline = self.steps.timeline();
        if timeline.is_at_end() {
            return None;
        }
        self.steps.player().go_to(timeline.step + 1);
        blocks.iter().rposition(|block| block.part == Part::Tokens)
    }
}
