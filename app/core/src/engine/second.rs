//! A second engine beside the page's own: it answers what is compared with the result on screen.
//!
//! It has a worker of its own, so any model may run any text in it, and the result on screen keeps its parts. It runs on
//! the CPU, which is there in every browser.

use std::sync::Arc;

use attention_trace::{Excerpt, Trace};
use leptos::prelude::*;

use super::{
    data::{Event, Job, Part},
    live::Live,
    machine::Engine,
    question::{Forced, ForcedTarget},
};

/// The engine, and what it is asked for. It ends, and its worker with it, when the component that made it is gone.
#[derive(Clone, Copy)]
pub struct Second {
    live: Live,
    wanted: Memo<Option<Job>>,
    shown: Memo<Option<Job>>,
}

impl Second {
    /// An engine that runs what is wanted, from the first time that something is. While nothing is, it rests.
    pub fn of(wanted: impl Fn() -> Option<Job> + Send + Sync + 'static) -> Self {
        let live = Live::expect().another();
        let wanted = Memo::new(move |_| wanted());
        // An effect because the worker lies outside the reactive graph.
        Effect::new(move |_| match wanted.get() {
            Some(job) => live.tell(Event::Run(job)),
            None => live.cancel(),
        });
        let shown = live.select(|engine| engine.shown.as_ref()?.job.clone());
        Second {
            live,
            wanted,
            shown,
        }
    }

    /// The engine itself, for series of passes.
    pub fn live(self) -> Live {
        self.live
    }

    pub fn wanted(self) -> Option<Job> {
        self.wanted.get()
    }

    /// Its last result, which stays until the next one is here.
    pub fn trace(self) -> Option<Arc<Trace>> {
        self.live.trace()
    }

    /// Returns the job that made the last result.
    pub fn shown(self) -> Option<Job> {
        self.shown.get()
    }

    /// Returns true if the last result is of the job that is wanted now.
    pub fn is_current(self) -> bool {
        let wanted = self.wanted.read();
        wanted.is_some() && *self.shown.read() == *wanted
    }

    /// Parts of arrays of its result, as [`Live::parts`] has them of the page's.
    pub fn parts(
        self,
        wanted: impl Fn() -> Vec<Excerpt> + Send + Sync + 'static,
    ) -> Memo<Option<Vec<Part>>> {
        self.live.parts(wanted)
    }

    /// Returns its model's probabilities for the tokens of given targets, as [`Live::forced`].
    pub fn forced(
        self,
        targets: impl Fn() -> Vec<ForcedTarget> + Send + Sync + 'static,
    ) -> Memo<Vec<Option<Forced>>> {
        self.live.forced(targets)
    }

    /// A part of the engine's state that notifies only when that part changes.
    pub fn select<T>(self, part: impl Fn(&Engine) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        self.live.select(part)
    }

    /// Stops what runs, or what loads.
    pub fn cancel(self) {
        self.live.cancel();
    }

    /// Tries again what failed or was cancelled.
    pub fn retry(self) {
        self.live.retry();
    }
}
