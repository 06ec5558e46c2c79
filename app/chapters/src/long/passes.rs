//! Passes of the text on screen under changes, and the model's surprise in each.

use attention_core::{
    engine::{Live, Part},
    state::{Task, ViewState},
    widgets::Plot,
};
use attention_figures::{
    Theme,
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::{Edit, Excerpt, Site, Slice, Trace};
use leptos::prelude::*;

use super::surprise::{Sought, mean, sought, surprises};

/// The trace on screen and what its model had to name.
#[derive(Clone, Copy)]
pub struct Named {
    live: Live,
    /// The tokens that the model had to name; empty where it writes no text, or reads none of its own.
    pub sought: Memo<Vec<Sought>>,
}

impl Named {
    /// Returns those of the trace on screen.
    pub fn new() -> Self {
        let live = Live::expect();
        let task = ViewState::expect().select(|view| view.model.card().task);
        Named {
            live,
            sought: Memo::new(move |_| {
                let trace = live.trace();
                trace.map_or_else(Vec::new, |trace| of_writer(&trace, task.get()))
            }),
        }
    }

    /// Returns the surprise at each sought token in a pass with these edits; `None` while the pass is not here.
    pub fn surprises(
        self,
        edits: impl Fn(&Trace) -> Option<Vec<Edit>> + Send + Sync + 'static,
    ) -> Memo<Option<Vec<f32>>> {
        let logits = self.live.part(move || {
            let trace = self.live.trace()?;
            if self.sought.read().is_empty() {
                return None;
            }
            let rows = Slice::Rows(0, trace.meta.target.len());
            Some(Excerpt::new(Site::LOGITS, rows).with_edits(edits(&trace)?))
        });
        Memo::new(move |_| {
            let Part(logits) = logits.get()?;
            surprises(&self.sought.read(), &logits)
        })
    }

    /// Returns the curve of one surprise for each sought token, at its place in the text from 1.
    fn curve(self, name: String, values: &[f32], color: usize, theme: Theme) -> Curve {
        let sought = self.sought.read();
        let points = sought.iter().zip(values);
        Curve {
            points: points
                .map(|(sought, &value)| ((sought.row + 1) as f64, f64::from(value)))
                .collect(),
            ..Curve::counted(name, &[], categorical(color, theme))
        }
    }

    /// Returns the plot of passes, a named curve for each that is here. The labels are those of places and of surprise.
    pub fn plot<const N: usize>(
        self,
        names: [String; N],
        passes: [Memo<Option<Vec<f32>>>; N],
        [place, surprise]: [&str; 2],
        theme: Theme,
    ) -> Plot {
        let passes = names.into_iter().zip(passes).enumerate();
        let curves: Vec<Curve> = passes
            .filter_map(|(index, (name, pass))| {
                pass.with(|values| Some(self.curve(name, values.as_ref()?, index, theme)))
            })
            .collect();
        Plot {
            x: self.places(place),
            y: Axis::around_curves(surprise, &curves),
            curves,
        }
    }

    /// Returns the axis of places.
    fn places(self, name: &str) -> Axis {
        let last = self.sought.read().last().map_or(2, |sought| sought.row + 1);
        Axis::new(name, 1.0, last.max(2) as f64)
    }
}

fn of_writer(trace: &Trace, task: Task) -> Vec<Sought> {
    let spec = &trace.meta.spec;
    match spec.generates.is_text() && spec.recurrence.is_none() {
        true => sought(trace, task),
        false => vec![],
    }
}

/// Returns the mean of surprises, if the pass is here.
pub fn mean_of(values: Memo<Option<Vec<f32>>>) -> Option<f32> {
    values.with(|values| mean(values.as_ref()?))
}
