//! The passes of the other file: one that writes its own continuation, then one over the tokens of the result on screen.

use attention_core::{
    engine::{Job, Live, Phase, Second},
    mine::Mine,
    state::{Model, ViewState},
};
use attention_trace::{
    ModelSpec, Token, Trace,
    difference::{Unlike, unlike_models},
};
use leptos::prelude::*;

use crate::compare::parameters::Compare;

/// The tokens that a model writes by itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Continuation {
    job: Job,
    tokens: Vec<Token>,
}

/// The second engine, and what it has said of the other file.
#[derive(Clone, Copy)]
pub struct OtherFilePasses {
    pub second: Second,
    own: RwSignal<Option<Continuation>>,
    /// The first job of the other file; `None` while there is no other file.
    free: Memo<Option<Job>>,
    /// The first field of the shape in which the models differ.
    pub unlike: Memo<Option<Unlike>>,
}

impl OtherFilePasses {
    /// Starts the second engine once another file than that of the result on screen is here.
    pub fn start(shown: Memo<Option<Job>>) -> Self {
        let (live, mine) = (Live::expect(), Mine::expect());
        let asked = ViewState::expect().select(|view| view.chapters.of::<Compare>().model);
        let free = Memo::new(move |_| {
            let (shown, model) = (shown.get()?, asked.get()?);
            let is_here = match model {
                Model::Mine(id) => mine.find(id).is_some(),
                Model::Served(_) | Model::Trained(_) => false,
            };
            (is_here && model != shown.model).then_some(Job { model, ..shown })
        });
        let own = RwSignal::new(None::<Continuation>);
        let second = Second::of(move || {
            let free = free.get()?;
            let is_known = own.with(|own| own.as_ref().is_some_and(|own| own.job == free));
            match is_known {
                true => Some(Job {
                    prefix: given(&*live.trace()?),
                    ..free
                }),
                false => Some(free),
            }
        });
        let right = second.select(|engine| match &engine.phase {
            Phase::Ready { model, reply } => Some((*model, reply.spec.clone())),
            Phase::Booting | Phase::Loading { .. } | Phase::Stopped => None,
        });
        let unlike = Memo::new(move |_| {
            let (free, left) = (free.get()?, live.trace()?);
            let (_, right): (Model, ModelSpec) =
                right.get().filter(|(model, _)| *model == free.model)?;
            unlike_models([&left.meta.spec, &right])
        });
        // An effect because the engine's result comes at any time.
        Effect::new(move |_| {
            let wanted = free
                .get()
                .filter(|free| second.shown().as_ref() == Some(free));
            let (Some(job), Some(trace)) = (wanted, second.trace()) else {
                return;
            };
            // A model of another shape cannot read the tokens of this one.
            if unlike.get().is_none() {
                let tokens = written(&trace);
                own.set(Some(Continuation { job, tokens }));
            }
        });
        OtherFilePasses {
            second,
            own,
            free,
            unlike,
        }
    }

    /// The tokens that the other file writes by itself; `None` until they are known.
    pub fn continuation(self) -> Option<Vec<Token>> {
        let free = self.free.get()?;
        let own = self.own.get().filter(|own| own.job == free)?;
        Some(own.tokens)
    }
}

/// Returns the tokens that a model wrote, none if it writes no text.
pub fn written(trace: &Trace) -> Vec<Token> {
    let decoding = trace.decoding.as_ref();
    let first = decoding.and_then(|decoding| decoding.hypotheses.first());
    first.map_or_else(Vec::new, |first| first.tokens.clone())
}

/// Returns the numbers of these tokens.
fn given(trace: &Trace) -> Vec<u32> {
    written(trace).iter().map(|token| token.id).collect()
}

/// True if the job reads the tokens that the model of the trace wrote, all of them given.
pub fn reads_given(job: Option<&Job>, trace: Option<&Trace>) -> bool {
    job.zip(trace)
        .is_some_and(|(job, trace)| job.prefix == given(trace))
}
