//! The decay of `q·k` with distance for the chosen head's own queries and keys.

use std::sync::Arc;

use attention_figures::{
    Theme,
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::{AttentionKind, Quantity, Trace, TraceMeta, positions::PositionalEncoding};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::head_rope_data::{DISTANCES, HeadDecay, HeadVectors};
use attention_core::{
    appearance::Appearance,
    engine::Live,
    i18n::{Locale, t, t_string, use_i18n},
    names::token_name,
    selection::{HeadChoice, HeadSelects, Selection},
    state::{Cell, Model, ViewState},
    widgets::{Plot, PlotFigure, Select, numbers::decimal},
};

/// A head, a query and a key of the trace on screen.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    head: HeadChoice,
    query: usize,
    key: usize,
}

impl Pair {
    /// Returns the pair that the view asks for, or the nearest one: the last token and the one before it if no cell
    /// is chosen.
    fn resolve(meta: &TraceMeta, selection: Selection) -> Self {
        let count = meta.target.len();
        let last = count.saturating_sub(1);
        Pair {
            head: selection.with_kind(AttentionKind::DecoderSelf).head(meta),
            query: selection.query(count, last),
            key: selection.key(count, last.saturating_sub(1)),
        }
    }

    /// Returns the distance between the two tokens.
    fn distance(self) -> usize {
        self.query.abs_diff(self.key)
    }
}

/// The figure; if the model on screen has no RoPE, a link to one with it.
#[component]
pub fn HeadRope() -> impl IntoView {
    let live = Live::expect();
    let has_rope = Memo::new(move |_| {
        live.trace()
            .is_some_and(|trace| trace.meta.spec.positions.rope_theta.is_some())
    });
    view! {
        {move || if has_rope.get() {
            view! { <HeadFigure /> }.into_any()
        } else {
            view! { <NoRope /> }.into_any()
        }}
    }
}

#[component]
fn NoRope() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let waiting = live.select(|engine| engine.running.is_some() || engine.is_starting());
    let with_rope = Model::first(|card| card.positions == PositionalEncoding::Rope);
    let switched = state.select(move |view| view.model == with_rope);
    view! {
        <figure class="plot-figure" data-testid="no-rope">
            <figcaption>
                <h3 class="panel-title">{t!(i18n, positions.head)}</h3>
                <p class="hint">{t!(i18n, positions.no_rope)}</p>
            </figcaption>
            <button
                type="button"
                class="main-button"
                data-testid="use-rope-model"
                on:click=move |_| {
                    state.set_model(with_rope);
                    live.run();
                }
            >
                {t!(i18n, positions.use_rope_model)}
            </button>
            <Show when=move || switched.get() && waiting.get()>
                <p class="hint" role="status">{t!(i18n, positions.waiting)}</p>
            </Show>
        </figure>
    }
}

#[component]
fn HeadFigure() -> impl IntoView {
    let i18n = use_i18n();
    let (live, appearance) = (Live::expect(), Appearance::expect());
    let selection = Selection::of_page();
    let pair = Memo::new(move |_| Some(Pair::resolve(&live.trace()?.meta, selection.get())));
    let vectors =
        move |quantity: Quantity| live.part(move || Some(pair.get()?.head.excerpt(quantity)));
    let (query_before_rope, key_before_rope) = (
        vectors(Quantity::QueryBeforeRope),
        vectors(Quantity::KeyBeforeRope),
    );
    let (rotated_query, rotated_key) = (vectors(Quantity::Query), vectors(Quantity::Key));
    let decay = Memo::new(move |_| {
        let Pair { query, key, .. } = pair.get()?;
        let vectors = HeadVectors {
            query_before_rope: &query_before_rope.get()?.0,
            key_before_rope: &key_before_rope.get()?.0,
            query: &rotated_query.get()?.0,
            key: &rotated_key.get()?.0,
        };
        HeadDecay::of(
            live.trace()?.meta.spec.positions.rope_theta?,
            vectors,
            query,
            key,
        )
    });
    let plot = Signal::derive(move || {
        let distance = pair.get().map(Pair::distance);
        decay.with(|decay| plot(i18n, appearance.get(), decay.as_ref(), distance))
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, positions.head).to_owned())
            text=Signal::derive(move || t_string!(i18n, positions.head_text).to_owned())
            test_id="head-rope"
            plot
        >
            {move || {
                let trace = live.trace()?;
                Some(view! { <PairChoice trace pair=pair.get()? /> })
            }}
            {move || {
                let recorded = decay.with(|decay| decay.as_ref().map(|decay| decay.recorded));
                pair.get().zip(recorded).map(|(pair, recorded)| {
                    view! { <Recorded pair recorded /> }
                })
            }}
            <Show when=move || decay.with(Option::is_none)>
                <p class="hint">{t!(i18n, positions.not_recorded)}</p>
            </Show>
        </PlotFigure>
    }
}

fn plot(
    i18n: I18nContext<Locale>,
    theme: Theme,
    decay: Option<&HeadDecay>,
    distance: Option<usize>,
) -> Plot {
    let named =
        |name: &str, values: &[f32], index| Curve::counted(name, values, categorical(index, theme));
    let curves = decay.map_or_else(Vec::new, |decay| {
        let after = named(t_string!(i18n, positions.key_after), &decay.after, 2);
        vec![
            named(t_string!(i18n, positions.mean_of_pairs), &decay.mean, 1),
            Curve {
                width: 1.0,
                ..after
            },
            named(t_string!(i18n, positions.key_before), &decay.before, 0),
        ]
    });
    let y = Axis::around_curves("q·k", &curves);
    let here = distance.map(|distance| Curve {
        label: None,
        points: vec![(distance as f64, y.from), (distance as f64, y.to)],
        color: categorical(3, theme),
        width: 1.5,
        opacity: 0.8,
    });
    Plot {
        x: Axis::new(t_string!(i18n, positions.distance), 0.0, DISTANCES as f64),
        y,
        curves: here.into_iter().chain(curves).collect(),
    }
}

/// The pair's score as the forward pass computed it.
#[component]
fn Recorded(pair: Pair, recorded: Option<f32>) -> impl IntoView {
    let i18n = use_i18n();
    let value = recorded.map_or_else(|| "–".to_owned(), |value| decimal(value, 3));
    view! {
        <p class="pair-recorded" data-testid="pair-recorded">
            {move || t_string!(
                i18n,
                positions.recorded,
                distance = pair.distance(),
                value = value.clone()
            )}
            {(pair.key > pair.query).then(|| view! {
                " " <span class="warning">{t!(i18n, positions.masked)}</span>
            })}
        </p>
    }
}

/// Layer, head, query and key: the same choices as on the map.
#[component]
fn PairChoice(trace: Arc<Trace>, pair: Pair) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let Pair { head, query, key } = pair;
    let numbers = Some(head.numbers(&trace.meta));
    let name = token_name();
    let tokens = Signal::derive(move || {
        let tokens = trace.meta.target.iter().enumerate();
        tokens
            .map(|(position, token)| format!("{position} · {}", name(token)))
            .collect::<Vec<_>>()
    });
    view! {
        <div class="position-controls">
            <HeadSelects numbers test_ids=["rope-layer", "rope-head"] />
            <Select
                name=Signal::derive(move || t_string!(i18n, heads.query).to_owned())
                test_id="rope-query"
                options=tokens
                chosen=query
                choose=move |query| state.set_cell(Some(Cell { query, key }))
            />
            <Select
                name=Signal::derive(move || t_string!(i18n, heads.key).to_owned())
                test_id="rope-key"
                options=tokens
                chosen=key
                choose=move |key| state.set_cell(Some(Cell { query, key }))
            />
        </div>
    }
}
