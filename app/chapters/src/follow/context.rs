//! What the parts of the chapter share: the source of their numbers, and how to get them.

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

/// What the formulas of models with a bias by distance have in them, as MathML's text shows it.
const BIAS_TERM: &str = "\u{a0}+\u{a0}\u{1d435}";

/// The head that is followed and the token that asks.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Tokens and sizes.
    pub meta: Arc<TraceMeta>,
    /// The head.
    pub choice: HeadChoice,
    /// The query's position.
    pub query: usize,
}

impl Place {
    /// Where trace and checkpoint have what this head is made of.
    pub fn sites(&self) -> Sites {
        Sites::new(&self.meta, self.choice.attention)
    }

    /// What decides which stages it has.
    pub fn setting(&self) -> Setting {
        Setting::new(&self.meta.spec, self.choice.attention.kind)
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

    /// What decides which pictures there are; subscribes to its change.
    pub fn setting(self) -> Option<Setting> {
        self.setting.get()
    }

    /// The same without subscribing: for a picture, which is drawn anew when the setting changes.
    pub fn setting_untracked(self) -> Option<Setting> {
        self.setting.get_untracked()
    }

    /// Why the worked example is not here.
    pub fn problem(self) -> Option<String> {
        match self.source {
            Source::Live(_) => None,
            Source::Example(trace) => trace.get()?.err(),
        }
    }

    /// Whether the numbers are those of the worked example.
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

    /// Whether the stage at a place, or the last where there are fewer, shows a row of scores or weights.
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

    /// What stands in the places of the stages' formulas and texts: the bias, where the model has one, and the name of
    /// its non-linearity.
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
                let array = trace.get()?.ok()?.excerpt(wanted.read().as_ref()?)?;
                Some(Part(Arc::new(array)))
            }),
        }
    }

    /// All of an array `[n, d]` or of a parameter.
    pub fn whole<Name: Into<ArrayName>>(
        self,
        name: impl Fn(&Sites) -> Name + Send + Sync + 'static,
    ) -> Numbers {
        let part = self.part(move |place| Excerpt::new(name(&place.sites()), Slice::Whole));
        Numbers::new(self, part)
    }

    /// This head's matrix of a quantity of the attention.
    pub fn head(self, quantity: Quantity) -> Numbers {
        let part = self.part(move |place| place.choice.excerpt(quantity));
        Numbers::new(self, part)
    }

    /// This head's scaled scores with T5's or ALiBi's bias added, which the mask acts on. Where the model
    /// has no such bias, there are none.
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
