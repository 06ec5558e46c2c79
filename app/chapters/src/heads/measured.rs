//! All heads by mean distance and entropy of their weights.

use attention_figures::{color::categorical, scatter::Dot};
use attention_trace::{AttentionKind, AttentionLayer, Excerpt, Quantity, Slice};
use leptos::prelude::*;

use super::measures::{Measured, Weights};
use attention_core::{
    appearance::Appearance,
    engine::{Live, Part},
    i18n::{t, t_string, use_i18n},
    selection::{HeadChoice, SelfAttention, SelfPlace},
    state::ViewState,
    widgets::{Expected, Prompt, ScatterFigure, ScrollRegion, Values, numbers::decimal},
};

/// A head with the measures of its weights.
#[derive(Clone, Copy, Debug, PartialEq)]
struct HeadMeasured {
    head: HeadChoice,
    measured: Measured,
}

impl HeadMeasured {
    /// Returns the figure's name for the head: layer and head, from 1.
    fn label(self) -> String {
        format!("{}.{}", self.head.attention.layer + 1, self.head.head + 1)
    }
}

/// The measures of all heads in the layers of the chosen kind.
#[component]
pub fn AllMeasured() -> impl IntoView {
    let context = SelfAttention::expect();
    let layers = Memo::new(move |_| {
        context.with(|place: &SelfPlace| {
            let kind = place.head.attention.kind;
            (kind, place.meta.spec.layers(kind))
        })
    });
    // Other layers are other arrays.
    move || {
        layers
            .get()
            .map(|(kind, layers)| view! { <OfLayers kind layers /> })
    }
}

#[component]
fn OfLayers(kind: AttentionKind, layers: usize) -> impl IntoView {
    let measured = measured(kind, layers);
    view! {
        <Scatter measured />
        <Extremes measured />
        <Listed measured />
    }
}

fn measured(kind: AttentionKind, layers: usize) -> Memo<Vec<HeadMeasured>> {
    let live = Live::expect();
    let of_layer = move |layer: usize| {
        let attention = AttentionLayer { kind, layer };
        let part =
            live.part(move || Some(Excerpt::new(attention.at(Quantity::Pattern), Slice::Whole)));
        Memo::new(move |_| {
            let Some(Part(maps)) = part.get() else {
                return Vec::new();
            };
            let of_head = |head: usize| {
                Some(HeadMeasured {
                    head: HeadChoice { attention, head },
                    measured: Weights::of_head(&maps, head)?.measured(),
                })
            };
            let heads = maps.shape.first().copied().unwrap_or(0);
            (0..heads).filter_map(of_head).collect::<Vec<_>>()
        })
    };
    let layers: Vec<_> = (0..layers).map(of_layer).collect();
    Memo::new(move |_| layers.iter().flat_map(Memo::get).collect())
}

/// A dot for each head, with the chosen one larger.
#[component]
fn Scatter(measured: Memo<Vec<HeadMeasured>>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let context = SelfAttention::expect();
    let dots = Memo::new(move |_| {
        let theme = appearance.get();
        let chosen = context.with(|place| place.head);
        let dot = |of: HeadMeasured| Dot {
            at: [of.measured.distance, of.measured.entropy],
            label: of.label(),
            color: categorical(of.head.attention.layer, theme),
            is_chosen: chosen == Some(of.head),
        };
        measured.get().into_iter().map(dot).collect::<Vec<_>>()
    });
    let axes = Signal::derive(move || {
        [
            t_string!(i18n, many_heads.distance).to_owned(),
            t_string!(i18n, many_heads.entropy).to_owned(),
        ]
    });
    let name = Signal::derive(move || t_string!(i18n, many_heads.scatter).to_owned());
    view! { <ScatterFigure name test_id="heads-scatter" axes dots /> }
}

/// A question: the head with the largest mean distance.
#[component]
fn Extremes(measured: Memo<Vec<HeadMeasured>>) -> impl IntoView {
    let values = Memo::new(move |_| -> Option<Values> {
        measured.with(|heads| {
            let by_distance = |one: &&HeadMeasured, other: &&HeadMeasured| {
                one.measured.distance.total_cmp(&other.measured.distance)
            };
            let nearest = heads.iter().min_by(by_distance)?;
            let farthest = heads.iter().max_by(by_distance)?;
            let distance = |of: &HeadMeasured| decimal(of.measured.distance, 2);
            Some(vec![
                ("nearest", nearest.label()),
                ("near", distance(nearest)),
                ("farthest", farthest.label()),
                ("far", distance(farthest)),
            ])
        })
    });
    let i18n = use_i18n();
    let expected = Signal::derive(move || {
        measured.with(|heads| {
            let distances = heads.iter().map(|of| of.measured.distance);
            let farthest = distances.clone().fold(0.0, f32::max);
            let right = distances
                .enumerate()
                .filter(|(_, distance)| *distance == farthest);
            (!heads.is_empty()).then(|| Expected::OneOf {
                options: heads.iter().map(|of| of.label()).collect(),
                right: right.map(|(head, _)| head).collect(),
            })
        })
    });
    view! {
        <Prompt
            question="ask-distance"
            answer="answer-distance"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.farthest).to_owned())
            expected
        />
    }
}

/// A table of the measures, with a button for each head that chooses it.
#[component]
fn Listed(measured: Memo<Vec<HeadMeasured>>) -> impl IntoView {
    let i18n = use_i18n();
    let rows = move || {
        let heads = measured.get().into_iter();
        heads.map(|of| view! { <Row of /> }).collect_view()
    };
    view! {
        <details class="heads-listed" data-testid="heads-listed">
            <summary>{t!(i18n, many_heads.listed)}</summary>
            <ScrollRegion
                class="lesson-table is-long"
                name=Signal::derive(move || t_string!(i18n, many_heads.listed).to_owned())
            >
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, many_heads.layer_and_head)}</th>
                            <th scope="col">{t!(i18n, many_heads.distance)}</th>
                            <th scope="col">{t!(i18n, many_heads.entropy)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </ScrollRegion>
        </details>
    }
}

#[component]
fn Row(of: HeadMeasured) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SelfAttention::expect();
    let (layer, head) = (of.head.attention.layer, of.head.head);
    let is_chosen = move || context.with(|place| place.head) == Some(of.head);
    view! {
        <tr>
            <th scope="row">
                <button
                    type="button"
                    class="chip"
                    aria-pressed=move || is_chosen().to_string()
                    aria-label=move || t_string!(
                        i18n,
                        many_heads.choose,
                        layer = layer + 1,
                        head = head + 1
                    )
                    on:click=move |_| state.set_head(layer, head)
                >
                    {of.label()}
                </button>
            </th>
            <td class="number">{decimal(of.measured.distance, 2)}</td>
            <td class="number">{decimal(of.measured.entropy, 2)}</td>
        </tr>
    }
}
