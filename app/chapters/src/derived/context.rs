//! The context of the chapter's figures: the head, its axes, and the maps derived from its weights.

use crate::derived::parameters::DerivedView;
use std::sync::Arc;

use attention_protocol::lessons::{Answer, Question};
use attention_trace::{
    Array, AttentionKind, LensAnswer, LensQuestion, Quantity, Stack, Token, Trace, TraceMeta,
    derived::{FLOW_LIMIT, GradientAnswer, GradientQuestion, JointMap, flow_work},
};
use leptos::prelude::*;

use attention_core::{
    engine::{LensRead, Live, Part},
    lessons::{Asked, Lessons},
    names::token_name,
    selection::Selection,
    state::{HeadChoice, Model, ViewState},
    steps::Steps,
};

/// The most tokens of a side whose maps are derived: beyond, a map is more numbers than anyone reads, and gradients are slow.
pub const MOST_TOKENS: usize = 128;

/// The head on screen, and the output whose gradient is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The tokens and sizes of the pass.
    pub meta: Arc<TraceMeta>,
    /// The chosen head, with its attention.
    pub head: HeadChoice,
    /// The row of the logits and the token, if the model names one.
    pub output: Option<(usize, Token)>,
    /// True if the model was read from the visitor's disk.
    pub is_from_disk: bool,
}

impl Place {
    fn of(trace: &Trace, selection: Selection, step: usize) -> Option<Self> {
        let meta = trace.meta.clone();
        if meta.spec.kinds().is_empty() {
            return None;
        }
        let written = trace.decoding.as_ref();
        let written = written.and_then(|decoding| decoding.steps.get(step));
        let written = written.map(|step| (step.row, step.chosen.token.clone()));
        let guessed = || {
            let guess = trace.guesses.first()?;
            Some((guess.place, guess.candidates.first()?.token.clone()))
        };
        Some(Place {
            head: selection.head(&meta),
            meta: Arc::new(meta),
            output: written.or_else(guessed),
            is_from_disk: false,
        })
    }

    /// The tokens of the rows and of the columns.
    fn axes(&self) -> (&[Token], &[Token]) {
        self.meta.axes(self.head.attention.kind)
    }

    /// True if both axes are short enough for the maps.
    fn is_short(&self) -> bool {
        let (queries, keys) = self.axes();
        queries.len().max(keys.len()) <= MOST_TOKENS
    }

    /// Returns the question for a map that follows weights through the layers.
    ///
    /// # Errors
    /// The reason why there is no such map.
    pub fn joint(&self, map: JointMap) -> Result<LensQuestion, Refused> {
        let attention = self.head.attention;
        let followed = self.meta.spec.followed(attention).ok_or(Refused::NoChain)?;
        if !self.is_short() {
            return Err(Refused::TooLong);
        }
        let shape = |layer: attention_trace::AttentionLayer| {
            let (queries, keys) = self.meta.axes(layer.kind);
            [queries.len(), keys.len()]
        };
        let shapes: Vec<[usize; 2]> = followed.attentions().map(shape).collect();
        let is_work = flow_work(&shapes).is_none_or(|work| work > FLOW_LIMIT);
        if map == JointMap::Flow && is_work {
            return Err(Refused::FlowTooLong);
        }
        Ok(LensQuestion::Joint { map, attention })
    }

    /// Returns the question for the lengths of the vectors that keys add.
    ///
    /// # Errors
    /// The reason why there are none.
    pub fn lengths(&self) -> Result<LensQuestion, Refused> {
        let attention = self.head.attention;
        let has_values = self.meta.spec.has(attention.at(Quantity::Value));
        match has_values && self.meta.spec.recurrence.is_none() {
            true => Ok(LensQuestion::ValueLengths { attention }),
            false => Err(Refused::NoOutputMatrix),
        }
    }

    /// Returns the question for the gradient.
    ///
    /// # Errors
    /// The reason why there is none.
    fn gradient(&self) -> Result<GradientQuestion, Refused> {
        if self.is_from_disk {
            return Err(Refused::FromDisk);
        }
        let (row, token) = self.output.as_ref().ok_or(Refused::NoOutput)?;
        if !self.is_short() {
            return Err(Refused::TooLong);
        }
        let ids = |stack| {
            self.meta
                .tokens(stack)
                .iter()
                .map(|token| token.id)
                .collect()
        };
        Ok(GradientQuestion {
            source: ids(Stack::Encoder),
            target: ids(Stack::Decoder),
            row: *row,
            token: token.id,
            of: Default::default(),
            attention: self.head.attention,
            edits: vec![],
        })
    }
}

/// A reason why a map cannot be derived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// The layers are no chain.
    NoChain,
    /// The attention has no matrix after its heads.
    NoOutputMatrix,
    /// The model names no token.
    NoOutput,
    /// The worker that computes gradients reads served models and those that are kept, none from a disk.
    FromDisk,
    TooLong,
    FlowTooLong,
}

impl Refused {
    /// True if the reason is the model: another model has such a map of the same text.
    pub fn is_the_models(self) -> bool {
        matches!(
            self,
            Refused::NoChain | Refused::NoOutputMatrix | Refused::NoOutput | Refused::FromDisk
        )
    }
}

/// Shared by the figures. A context.
#[derive(Clone, Copy)]
pub struct DerivedContext {
    /// The head on screen.
    pub place: Memo<Option<Place>>,
    /// Names of the rows.
    pub queries: Memo<Arc<[String]>>,
    /// Names of the columns.
    pub keys: Memo<Arc<[String]>>,
    /// The weights of the head.
    pub pattern: Memo<Option<Part>>,
    /// Rollout, and why there is none.
    pub rollout: Memo<Option<LensRead>>,
    /// The flow from the input to each position.
    pub flow: Memo<Option<LensRead>>,
    /// The lengths of what keys add.
    pub lengths: Memo<Option<LensRead>>,
    /// Gradients times weights, of all heads of the attention.
    pub gradient: Asked<GradientAnswer>,
}

impl DerivedContext {
    /// Provides the context; what is derived is asked for.
    pub fn provide() -> Self {
        let (live, state, steps) = (Live::expect(), ViewState::expect(), Steps::expect());
        let selection = Selection::of_page();
        let is_from_disk = live.select(|engine| {
            let job = engine.shown.as_ref().and_then(|shown| shown.job.as_ref());
            job.is_some_and(|job| matches!(job.model, Model::Mine(_)))
        });
        let place = Memo::new(move |_| {
            let trace = live.trace()?;
            let place = Place::of(&trace, selection.get(), steps.timeline().step)?;
            Some(Place {
                is_from_disk: is_from_disk.get(),
                ..place
            })
        });
        let name = token_name();
        let names = move |of_rows: bool| {
            Memo::new(move |_| {
                place.with(|place| {
                    let axes = place.as_ref().map(Place::axes);
                    let (queries, keys) = axes.unwrap_or_default();
                    let tokens = if of_rows { queries } else { keys };
                    tokens.iter().map(name).collect()
                })
            })
        };
        let lens = move |question: fn(&Place) -> Result<LensQuestion, Refused>| {
            // `refused` says why nothing is asked.
            live.lens(move || place.with(|place| question(place.as_ref()?).ok()))
        };
        let of = state.select(|view| view.chapters.of::<DerivedView>().of);
        let gradient = Lessons::expect().ask(
            move || {
                // `refused` says why nothing is asked.
                let asked = place.with(|place| place.as_ref()?.gradient().ok())?;
                let (model, edits) = live.made_by()?;
                let of = of.get();
                Some(Question::Gradient {
                    model,
                    asked: Box::new(GradientQuestion { of, edits, ..asked }),
                })
            },
            |answer| match answer {
                Answer::Gradient(answer) => Some(GradientAnswer::clone(answer)),
                _ => None,
            },
        );
        let context = DerivedContext {
            place,
            queries: names(true),
            keys: names(false),
            pattern: live.part(move || {
                place.with(|place| Some(place.as_ref()?.head.excerpt(Quantity::Pattern)))
            }),
            rollout: lens(|place| place.joint(JointMap::Rollout)),
            flow: lens(|place| place.joint(JointMap::Flow)),
            lengths: lens(Place::lengths),
            gradient,
        };
        provide_context(context);
        context
    }

    /// The context that the chapter provided.
    ///
    /// # Panics
    /// Outside the chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the reason why the head on screen has no such map; `None` if it has one.
    pub fn refused(self, of: fn(&Place) -> Result<(), Refused>) -> Memo<Option<Refused>> {
        Memo::new(move |_| self.place.with(|place| of(place.as_ref()?).err()))
    }

    pub fn kind(self) -> Option<AttentionKind> {
        self.place
            .with(|place| Some(place.as_ref()?.head.attention.kind))
    }
}

/// Checks that there is a gradient.
///
/// # Errors
/// The reason why there is none.
pub fn gradient_refused(place: &Place) -> Result<(), Refused> {
    place.gradient().map(|_| ())
}

pub fn matrix_in(answer: &LensAnswer) -> Option<&Array> {
    match answer {
        LensAnswer::Joint(array) | LensAnswer::ValueLengths(array) => Some(array),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use attention_core::state::View;
    use attention_trace::{
        ModelSpec,
        config::{GruConfig, MarianConfig},
    };

    use super::*;

    fn place(spec: ModelSpec, tokens: usize, address: &str) -> Place {
        let token = |id| Token {
            id,
            text: format!("▁{id}"),
            unknown: false,
        };
        let trace = Trace::new(TraceMeta {
            spec,
            source: (0..tokens as u32).map(token).collect(),
            target: (0..3).map(token).collect(),
            pieces: attention_trace::Pieces::default(),
        });
        let selection = Selection::of(&View::from_fragment(address));
        Place::of(&trace, selection, 0).unwrap()
    }

    #[test]
    fn a_flow_is_refused_before_a_rollout_is() {
        let spec = || MarianConfig::default().spec();
        let address = "kind=encoder&layer=2";
        let short = place(spec(), 12, address);
        assert!(short.joint(JointMap::Flow).is_ok());
        let long = place(spec(), 60, address);
        assert!(long.joint(JointMap::Rollout).is_ok());
        assert_eq!(long.joint(JointMap::Flow), Err(Refused::FlowTooLong));
        let longest = place(spec(), MOST_TOKENS + 1, address);
        assert_eq!(longest.joint(JointMap::Rollout), Err(Refused::TooLong));
    }

    #[test]
    fn a_model_from_the_disk_has_no_gradients_here() {
        let served = place(MarianConfig::default().spec(), 12, "kind=encoder");
        let own = Place {
            is_from_disk: true,
            ..served
        };
        assert_eq!(gradient_refused(&own), Err(Refused::FromDisk));
        assert!(own.joint(JointMap::Rollout).is_ok());
    }

    #[test]
    fn what_a_model_lacks_is_refused() {
        let bahdanau = GruConfig {
            attention: attention_trace::RecurrentAttention::Bahdanau,
            ..GruConfig::default()
        };
        let recurrent = place(bahdanau.spec(), 3, "kind=cross");
        assert_eq!(recurrent.joint(JointMap::Rollout), Err(Refused::NoChain));
        assert_eq!(recurrent.lengths(), Err(Refused::NoOutputMatrix));
        // Nothing was written.
        assert_eq!(gradient_refused(&recurrent), Err(Refused::NoOutput));
    }
}
