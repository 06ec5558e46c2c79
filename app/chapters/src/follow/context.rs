//! The context of the chapter's parts: the source of their numbers, and access to them.

use crate::follow::parameters::FollowSource;
use std::sync::Arc;

use attention_trace::{
    ArrayName, AttentionKind, Excerpt, Quantity, Slice, Token, Trace, TraceMeta,
};
use leptos::{prelude::*, task::spawn_local};
use leptos_i18n::I18nContext;

use super::{
    numbers::Numbers,
    sites::Sites,
    stage::{Setting, Stage},
};
use attention_core::{
    engine::{Live, Part, fetch_trace},
    i18n::{Locale, use_i18n},
    names::name_of,
    selection::{HeadChoice, Selection},
    widgets::Values,
};

/// The lecture's worked example, as the build serves it.
const THINKING_MACHINES: &str = "examples/thinking-machines.safetensors";

/// The term of the bias in the formulas of models with a bias by distance, as MathML's text shows it.
const BIAS_TERM: &str = "\u{a0}+\u{a0}\u{1d435}";

/// The head that is followed and the token that asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The tokens and sizes of the pass.
    pub meta: Arc<TraceMeta>,
    pub choice: HeadChoice,
    /// The position of the query, from 0.
    pub query: usize,
}

impl Place {
    /// Returns the sites and parameters of the head in trace and checkpoint.
    pub fn sites(&self) -> Sites {
        Sites::new(&self.meta, self.choice.attention)
    }

    /// Returns the properties that decide which stages the head has.
    pub fn setting(&self) -> Setting {
        Setting::in_layer(&self.meta.spec, self.choice.attention)
    }

    /// Returns the number that scores are divided by, if it is not `√d_k`.
    pub fn divisor(&self) -> Option<f32> {
        let attention = self.choice.attention;
        let stack = self.meta.spec.attention(attention.kind)?;
        stack.attention_in(attention.layer).divisor
    }

    /// The tokens that ask.
    pub fn queries(&self) -> &[Token] {
        self.meta.axes(self.choice.attention.kind).0
    }

    /// The tokens that answer.
    pub fn keys(&self) -> &[Token] {
        self.meta.axes(self.choice.attention.kind).1
    }
}

/// The source of the numbers that are shown. A context of the chapter.
#[derive(Clone, Copy)]
pub struct FollowContext {
    place: Memo<Option<Place>>,
    setting: Memo<Option<Setting>>,
    source: Source,
    i18n: I18nContext<Locale>,
}

#[derive(Clone, Copy)]
enum Source {
    /// The trace on screen and the model behind it.
    Live(Live),
    /// The stored example, once it is loaded, or why it could not be.
    Example(RwSignal<Option<Result<Arc<Trace>, String>>>),
}

impl FollowContext {
    /// Makes the context and provides it to the components below.
    pub fn provide(follow_source: FollowSource) -> Self {
        let live = Live::expect();
        let source = match follow_source {
            FollowSource::Head => Source::Live(live),
            FollowSource::ThinkingMachines => Source::Example(example()),
        };
        let selection = Selection::of_page();
        let place = Memo::new(move |_| {
            let selection = selection.get();
            let (trace, selection) = match source {
                Source::Live(live) => (live.trace()?, selection),
                // It has but one head, of the encoder.
                Source::Example(trace) => (
                    // `problem` says why there is none.
                    trace.get()?.ok()?,
                    selection.with_kind(AttentionKind::EncoderSelf),
                ),
            };
            let choice = selection.head(&trace.meta);
            let count = trace.meta.axes(choice.attention.kind).0.len();
            let query = match source {
                // In the middle, as in the other tabs, so that there is something to see.
                Source::Live(_) => count / 2,
                Source::Example(_) => 0,
            };
            Some(Place {
                meta: Arc::new(trace.meta.clone()),
                choice,
                query: selection.query(count, query),
            })
        });
        let setting = Memo::new(move |_| place.with(|place| place.as_ref().map(Place::setting)));
        let context = FollowContext {
            place,
            setting,
            source,
            i18n: use_i18n(),
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

    /// The head and the token; `None` until there is a trace.
    pub fn place(self) -> Option<Place> {
        self.place.get()
    }

    /// Reads a part of the place; `None` until there is one.
    pub fn with_place<T>(self, read: impl FnOnce(&Place) -> T) -> Option<T> {
        self.place.with(|place| place.as_ref().map(read))
    }

    /// Returns the properties that decide which pictures exist; subscribes to their change.
    pub fn setting(self) -> Option<Setting> {
        self.setting.get()
    }

    /// Returns the same without subscribing, for a picture that is drawn anew when the setting changes.
    pub fn setting_untracked(self) -> Option<Setting> {
        self.setting.get_untracked()
    }

    /// Returns the reason why the worked example is not here.
    pub fn problem(self) -> Option<String> {
        match self.source {
            Source::Live(_) => None,
            Source::Example(trace) => trace.get()?.err(),
        }
    }

    /// True if the numbers are those of the worked example.
    pub fn is_example(self) -> bool {
        matches!(self.source, Source::Example(_))
    }

    /// The stages there are, in the names of the text's parts.
    pub fn stages(self) -> Vec<&'static str> {
        let Some(setting) = self.setting() else {
            return Vec::new();
        };
        let stages = self.list(setting).into_iter();
        stages.map(|stage| stage.part(setting)).collect()
    }

    /// Returns the places of the stages that the figure goes through: all, or those of the six main ones. Empty until the
    /// model is known.
    pub fn shown(self, all: bool) -> Vec<usize> {
        let stages = self.setting().map(|setting| self.list(setting));
        let stages = stages.unwrap_or_default().into_iter().enumerate();
        let is_shown = |stage: &Stage| all || stage.is_main();
        stages
            .filter(|(_, stage)| is_shown(stage))
            .map(|(place, _)| place)
            .collect()
    }

    /// True if the stage at a place, or the last stage if there are fewer, shows a row of scores or weights.
    pub fn has_row(self, place: usize) -> bool {
        let stages = self.setting().map(|setting| self.list(setting));
        let stages = stages.unwrap_or_default();
        let stage = stages.get(place).or(stages.last());
        stage.is_some_and(|stage| stage.has_row())
    }

    fn list(self, setting: Setting) -> Vec<Stage> {
        match self.source {
            Source::Live(_) => Stage::list(setting),
            Source::Example(_) => Stage::worked_example(),
        }
    }

    /// Returns the placeholders of the stages' formulas and texts: the bias, if the model has one, and the name of the
    /// non-linearity.
    pub fn formula_terms(self) -> Values {
        let setting = self.setting();
        let is_biased = setting.is_some_and(Setting::biases);
        let bias = if is_biased { BIAS_TERM } else { "" };
        let activation = setting.map_or("f", Setting::activation_name);
        vec![
            ("bias", bias.to_owned()),
            ("activation", activation.to_owned()),
        ]
    }

    /// A part of the trace or the checkpoint, asked for where it is not loaded yet.
    pub fn part(
        self,
        wanted: impl Fn(&Place) -> Excerpt + Send + Sync + 'static,
    ) -> Memo<Option<Part>> {
        let wanted = Memo::new(move |_| self.with_place(&wanted));
        match self.source {
            Source::Live(live) => live.part(move || wanted.get()),
            Source::Example(trace) => Memo::new(move |_| {
                // `problem` says why there is none.
                let array = trace.get()?.ok()?.excerpt(wanted.read().as_ref()?)?;
                Some(Part(Arc::new(array)))
            }),
        }
    }

    /// Returns the whole of an array `[n, d]` or of a parameter.
    pub fn whole<Name: Into<ArrayName>>(
        self,
        name: impl Fn(&Sites) -> Name + Send + Sync + 'static,
    ) -> Numbers {
        let part = self.part(move |place| Excerpt::new(name(&place.sites()), Slice::Whole));
        Numbers::new(self, part)
    }

    /// Returns the head's matrix of a quantity of the attention.
    pub fn head(self, quantity: Quantity) -> Numbers {
        let part = self.part(move |place| place.choice.excerpt(quantity));
        Numbers::new(self, part)
    }

    /// Returns the head's scaled scores with T5's or ALiBi's bias added, which the mask acts on; empty in a model
    /// without such a bias.
    pub fn biased_scores(self) -> Numbers {
        self.head(Quantity::ScaledScores)
            .plus(self.head(Quantity::PositionBias))
    }

    /// The names of the tokens that ask.
    pub fn query_labels(self) -> Arc<[String]> {
        self.with_place(|place| self.labels(place.queries()))
            .unwrap_or_default()
    }

    /// The names of the tokens that answer.
    pub fn key_labels(self) -> Arc<[String]> {
        self.with_place(|place| self.labels(place.keys()))
            .unwrap_or_default()
    }

    /// The position of the token that asks.
    pub fn query(self) -> usize {
        self.with_place(|place| place.query).unwrap_or(0)
    }

    /// The name of the token that asks.
    pub fn query_label(self) -> Option<String> {
        self.query_labels().get(self.query()).cloned()
    }

    /// The name of a token that answers.
    pub fn key_label(self, key: usize) -> Option<String> {
        self.key_labels().get(key).cloned()
    }

    fn labels(self, tokens: &[Token]) -> Arc<[String]> {
        let tokens = tokens.iter();
        tokens.map(|token| name_of(self.i18n, token)).collect()
    }
}

fn example() -> RwSignal<Option<Result<Arc<Trace>, String>>> {
    let trace = RwSignal::new(None);
    spawn_local(async move {
        trace.try_set(Some(fetch_trace(THINKING_MACHINES).await));
    });
    trace
}
