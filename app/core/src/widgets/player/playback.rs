//! The clock and the keys that move a player.

use std::time::Duration;

use attention_protocol::OrLogged;
use leptos::{ev::KeyboardEvent, prelude::*};

use super::timeline::{Action, Timeline};
use crate::widgets::keys::is_free;

/// The time for which a step is shown, at speed 1.
const STEP_TIME: Duration = Duration::from_millis(1200);

/// A player: the selected step and what moves it.
#[derive(Clone, Copy)]
pub struct Player {
    timeline: Memo<Timeline>,
    playing: RwSignal<bool>,
    speed: RwSignal<f64>,
    show: Callback<usize>,
}

impl Player {
    /// Makes a player over `count` steps at the position `step`. `show` is called with each new step.
    pub fn new(
        step: impl Fn() -> usize + Send + Sync + 'static,
        count: impl Fn() -> usize + Send + Sync + 'static,
        show: impl Fn(usize) + Send + Sync + 'static,
    ) -> Self {
        let playing = RwSignal::new(false);
        let player = Player {
            timeline: Memo::new(move |_| Timeline::at(step(), count(), playing.get())),
            playing,
            speed: RwSignal::new(1.0),
            show: Callback::new(show),
        };
        player.keep_time();
        player
    }

    /// Returns the player's position and subscribes to its changes.
    pub fn timeline(self) -> Timeline {
        self.timeline.get()
    }

    /// Returns the selected step without subscribing.
    pub fn step_untracked(self) -> usize {
        self.timeline.get_untracked().step
    }

    pub fn apply(self, action: Action) {
        let next = self.timeline.get_untracked().after(action);
        self.show.run(next.step);
        self.playing.set(next.playing);
    }

    /// Goes to a step and pauses.
    pub fn go_to(self, step: usize) {
        self.apply(Action::Scrub(step));
    }

    /// Pauses the player at its current step.
    pub fn pause(self) {
        self.playing.set(false);
    }

    /// Returns the speed in steps per [`STEP_TIME`].
    pub fn speed(self) -> f64 {
        self.speed.get()
    }

    /// Sets the speed in steps per [`STEP_TIME`].
    pub fn set_speed(self, speed: f64) {
        self.speed.set(speed);
    }

    /// While it plays, a clock ticks.
    fn keep_time(self) {
        let runs = Memo::new(move |_| self.timeline.get().playing);
        // An effect because the clock lies outside the reactive graph.
        Effect::new(move |_| {
            let time = STEP_TIME.div_f64(self.speed.get());
            if runs.get()
                && let Some(clock) =
                    set_interval_with_handle(move || self.apply(Action::Tick), time)
                        .or_logged("starting a clock")
            {
                on_cleanup(move || clock.clear());
            }
        });
    }

    /// As long as its owner lives, it obeys the page's keys while `listens` says so.
    pub fn listen_while(self, listens: impl Fn() -> bool + 'static) {
        let listener = window_event_listener(leptos::ev::keydown, move |event| {
            if listens()
                && self.timeline.get_untracked().count > 0
                && let Some(action) = action_of(&event)
            {
                event.prevent_default();
                self.apply(action);
            }
        });
        on_cleanup(move || listener.remove());
    }
}

fn action_of(event: &KeyboardEvent) -> Option<Action> {
    let action = Action::of_key(&event.key())?;
    is_free(event).then_some(action)
}
