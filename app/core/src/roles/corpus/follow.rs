//! The conversation with the worker: each answer brings the progress, and the next turn is asked for.

use attention_protocol::OrLogged;
use attention_trace::roles::read_role_set;
use leptos::prelude::*;
use web_sys::Performance;

use super::{RoleCorpus, measurement::Measurement};
use crate::engine::{Live, Question};

impl RoleCorpus {
    /// Begins a measurement in place of the one before.
    pub(super) fn measure(self, measurement: Measurement) {
        self.follow();
        self.measurement.set(Some(measurement));
    }

    /// Changes the measurement, if there is one.
    pub(super) fn change(self, change: impl FnOnce(&mut Measurement)) {
        self.measurement.update(|measurement| {
            if let Some(measurement) = measurement {
                change(measurement);
            }
        });
    }

    /// Asks the worker from now on, as long as the page is open.
    fn follow(self) {
        if self.is_followed.get_value() {
            return;
        }
        self.is_followed.set_value(true);
        self.owner.get_value().with(|| self.ask());
    }

    fn ask(self) {
        let turn = Memo::new(move |_| {
            let measurement = self.measurement.read();
            measurement.as_ref().and_then(Measurement::asked)
        });
        let known = Live::expect().ask(move || turn.get().into_iter().collect::<Vec<Question>>());
        let began_ms = StoredValue::new(now_ms());
        // An effect because the worker lies outside the reactive graph.
        Effect::new(move |_| {
            let answer = known.read().first().and_then(|known| known.roles());
            let Some(answer) = answer else {
                return;
            };
            let spent_ms = now_ms() - began_ms.get_value();
            began_ms.set_value(now_ms());
            match answer {
                Ok((progress, set)) => {
                    self.keep_measured(set);
                    self.change(|measurement| measurement.take(progress, spent_ms));
                }
                Err(failure) => self.change(|measurement| measurement.fail(failure)),
            }
        });
        // An effect because time lies outside the reactive graph: a turn begins when it is asked for.
        Effect::new(move |_| {
            if turn.read().is_some() {
                began_ms.set_value(now_ms());
            }
        });
    }

    /// Keeps the roles that came with an answer.
    fn keep_measured(self, set: Option<String>) {
        let set = set.and_then(|set| read_role_set(&set).or_logged("reading measured roles"));
        let measured = self.measurement.with_untracked(|measurement| {
            let measurement = measurement.as_ref()?;
            Some((measurement.model, measurement.origin.clone()))
        });
        if let (Some(set), Some((model, origin))) = (set, measured) {
            self.keep(model, origin, set);
        }
    }
}

/// Returns the time in milliseconds since the page was opened; 0 in a browser without such a clock.
fn now_ms() -> f64 {
    let clock = web_sys::window().and_then(|window| window.performance());
    clock.as_ref().map_or(0.0, Performance::now)
}
