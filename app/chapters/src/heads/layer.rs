//! The whole layer on one page: every vector of the chosen token, from the layer's input to its output, step by step.

use attention_figures::layer_picture::{HeadVectors, LayerStep, LayerVectors};
use attention_trace::{Array, Excerpt, ModelSpec, NormPlacement, Quantity, Site, Slice, Sublayer};
use leptos::prelude::*;

use crate::heads::parameters::Heads;
use attention_core::{
    engine::{Live, Part},
    i18n::{t_string, use_i18n},
    selection::{SelfAttention, SelfPlace},
    state::ViewState,
    widgets::{StagedFigure, numbers::percent, player::Player},
};

/// The most heads that are drawn.
const MOST_HEADS: usize = 12;

/// The places of the trace that the picture shows.
#[derive(Clone, Debug, PartialEq)]
struct Places {
    /// Rows of arrays `[n, d]`, in the order in which the layer computes them.
    rows: Vec<(Row, Site)>,
    /// Arrays `[h, n, m]` of attention: queries, keys, values, weights, outputs.
    heads: [Site; 5],
}

/// The meaning of a row in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    Input,
    Normed,
    Attended,
    Sum,
    SumNormed,
    Crossed,
    NetworkInput,
    Inner,
    Network,
    LastSum,
    LastNormed,
}

impl Places {
    /// Returns the places around the self-attention of a place.
    fn of(place: &SelfPlace) -> Self {
        let (spec, attention) = (&place.meta.spec, place.head.attention);
        let (block, network) = (attention.block(), attention.feed_forward());
        let (is_first, is_after) = norms(spec, place);
        let has_cross = spec
            .sublayers(attention.kind.stack())
            .any(|one| one == Sublayer::CrossAttention);
        let listed = [
            (true, Row::Input, spec.residual_input(block)),
            (
                spec.sublayer_input(block) != spec.residual_input(block),
                Row::Normed,
                spec.sublayer_input(block),
            ),
            (true, Row::Attended, spec.added(block)),
            (true, Row::Sum, block.at(Quantity::Residual)),
            (is_after, Row::SumNormed, block.at(Quantity::Norm)),
            (has_cross, Row::Crossed, spec.residual_input(network)),
            (is_first, Row::NetworkInput, spec.sublayer_input(network)),
            (true, Row::Inner, network.at(Quantity::Post)),
            (true, Row::Network, spec.added(network)),
            (true, Row::LastSum, network.at(Quantity::Residual)),
            (is_after, Row::LastNormed, network.at(Quantity::Norm)),
        ];
        let rows = listed.into_iter().filter(|one| one.0);
        Places {
            rows: rows.map(|(_, row, site)| (row, site)).collect(),
            heads: [
                Quantity::Query,
                Quantity::Key,
                Quantity::Value,
                Quantity::Pattern,
                Quantity::Z,
            ]
            .map(|quantity| attention.at(quantity)),
        }
    }

    /// Returns the excerpts of one token.
    fn excerpts(&self, query: usize) -> Vec<Excerpt> {
        let rows = self
            .rows
            .iter()
            .map(|&(_, site)| (site, Slice::Rows(query, query + 1)));
        let heads = self.heads.iter().map(|&site| (site, Slice::Row(query)));
        rows.chain(heads)
            .map(|(site, slice)| Excerpt::new(site, slice))
            .collect()
    }
}

/// Returns true if sub-layers normalise what they read, and if they normalise the sum.
fn norms(spec: &ModelSpec, place: &SelfPlace) -> (bool, bool) {
    let stack = spec.attention(place.head.attention.kind);
    let placement = stack
        .and_then(|stack| stack.norm)
        .map(|norm| norm.placement);
    let is_first = placement.is_some_and(NormPlacement::is_on_input);
    (is_first, placement == Some(NormPlacement::Post))
}

/// Puts the parts, which are in the order of the excerpts, into their places.
fn vectors(place: &SelfPlace, places: &Places, parts: &[&Array]) -> Option<LayerVectors> {
    let (rows, heads) = parts.split_at_checked(places.rows.len())?;
    let row = |wanted: Row| {
        let index = places.rows.iter().position(|(row, _)| *row == wanted)?;
        Some(rows.get(index)?.data.clone())
    };
    let count = place.head.numbers(&place.meta).heads;
    // The chosen head is among those that are drawn.
    let first = (place.head.head + 1).saturating_sub(MOST_HEADS);
    let drawn = first..count.min(first + MOST_HEADS);
    let vectors = |head: usize| {
        let of = |array: usize| Some(heads.get(array)?.row(&[head])?.to_vec());
        Some(HeadVectors {
            number: head + 1,
            is_chosen: head == place.head.head,
            query: of(0)?,
            key: of(1)?,
            value: of(2)?,
            weights: of(3)?,
            output: of(4)?,
        })
    };
    let stack = place.meta.spec.attention(place.head.attention.kind)?;
    Some(LayerVectors {
        input: row(Row::Input)?,
        normed: row(Row::Normed),
        heads: drawn.map(vectors).collect::<Option<_>>()?,
        head_count: count,
        attended: row(Row::Attended)?,
        sum: row(Row::Sum)?,
        sum_normed: row(Row::SumNormed),
        is_parallel: stack.parallel,
        crossed: row(Row::Crossed),
        network_input: row(Row::NetworkInput),
        inner: row(Row::Inner)?,
        network: row(Row::Network)?,
        last_sum: row(Row::LastSum)?,
        last_normed: row(Row::LastNormed),
    })
}

/// The picture with its player.
#[component]
pub fn WholeLayer() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SelfAttention::expect();
    let parts = Live::expect().parts(move || {
        let excerpts = context.with(|place| Places::of(place).excerpts(place.query));
        excerpts.unwrap_or_default()
    });
    let layer = Memo::new(move |_| {
        let parts = parts.get()?;
        let arrays: Vec<&Array> = parts.iter().map(|Part(array)| &**array).collect();
        context.with(|place| vectors(place, &Places::of(place), &arrays))?
    });
    let steps = Memo::new(move |_| layer.with(|layer| layer.as_ref().map(LayerVectors::steps)));
    let wanted = state.select(|view| view.chapters.of::<Heads>().step);
    let player = Player::new(
        move || wanted.get(),
        move || steps.with(|steps| steps.as_ref().map_or(0, Vec::len)),
        move |step| state.update_chapters(|chapters| chapters.of_mut::<Heads>().step = step),
    );
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let words = Signal::derive(move || {
        let timeline = player.timeline();
        let what = steps.with(|steps| {
            let step = *steps.as_ref()?.get(timeline.step)?;
            layer.with(|layer| said(step, context, layer.as_ref()?))
        });
        let (step, count) = (timeline.step + 1, timeline.count);
        let what = what.unwrap_or_default();
        t_string!(
            i18n,
            many_heads.layer_step,
            step = step,
            count = count,
            what = what
        )
    });
    view! {
        <section class="lesson-figure">
            <StagedFigure
                test_id="whole-layer"
                name=Signal::derive(move || t_string!(i18n, many_heads.layer_picture).to_owned())
                player
                words
                draw=move |width| layer.with(|layer| Some(layer.as_ref()?.picture(width)))
            />
        </section>
    }
}

/// Says what a step of the picture does.
fn said(step: LayerStep, context: SelfAttention, layer: &LayerVectors) -> Option<String> {
    let i18n = use_i18n();
    Some(match step {
        LayerStep::Input => t_string!(
            i18n,
            many_heads.layer_input,
            token = context.query_name()?,
            layer = context.with(|place| place.head.attention.layer + 1)?,
            width = layer.input.len()
        ),
        LayerStep::Norm => t_string!(i18n, many_heads.layer_norm).to_owned(),
        LayerStep::Project => t_string!(
            i18n,
            many_heads.layer_project,
            width = layer.heads.first()?.query.len()
        ),
        LayerStep::Weigh => {
            let head = layer.heads.iter().find(|head| head.is_chosen)?;
            let weights = head.weights.iter().enumerate();
            let (key, weight) = weights.max_by(|one, other| one.1.total_cmp(other.1))?;
            t_string!(
                i18n,
                many_heads.layer_weigh,
                head = head.number,
                key = context.names().get(key)?.clone(),
                weight = percent(*weight, 0)
            )
        }
        LayerStep::Sum => t_string!(i18n, many_heads.layer_sum).to_owned(),
        LayerStep::Output => {
            t_string!(i18n, many_heads.layer_output, heads = layer.head_count)
        }
        LayerStep::Add if layer.sum_normed.is_some() => {
            t_string!(i18n, many_heads.layer_add_norm).to_owned()
        }
        LayerStep::Add => t_string!(i18n, many_heads.layer_add).to_owned(),
        LayerStep::Cross => t_string!(i18n, many_heads.layer_cross).to_owned(),
        LayerStep::Inner => {
            t_string!(i18n, many_heads.layer_inner, width = layer.inner.len())
        }
        LayerStep::Network => {
            t_string!(i18n, many_heads.layer_network, width = layer.network.len())
        }
        LayerStep::AddAgain if layer.last_normed.is_some() => {
            t_string!(i18n, many_heads.layer_last_norm).to_owned()
        }
        LayerStep::AddAgain => t_string!(i18n, many_heads.layer_last).to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use attention_core::selection::{HeadChoice, MOST_TOKENS};
    use attention_trace::{
        AttentionKind, AttentionLayer, Pieces, TraceMeta,
        config::{LlamaConfig, MarianConfig},
    };

    use super::*;

    fn place(spec: ModelSpec, kind: AttentionKind) -> SelfPlace {
        SelfPlace {
            meta: Arc::new(TraceMeta {
                spec,
                source: vec![],
                target: vec![],
                pieces: Pieces::default(),
            }),
            head: HeadChoice {
                attention: AttentionLayer { kind, layer: 1 },
                head: 0,
            },
            query: MOST_TOKENS / 2,
        }
    }

    fn rows(spec: ModelSpec, kind: AttentionKind) -> Vec<Row> {
        let places = Places::of(&place(spec, kind));
        places.rows.into_iter().map(|(row, _)| row).collect()
    }

    #[test]
    fn the_translators_norms_come_after_and_cross_attention_between() {
        let encoder = rows(MarianConfig::default().spec(), AttentionKind::EncoderSelf);
        assert!(encoder.contains(&Row::SumNormed) && encoder.contains(&Row::LastNormed));
        assert!(!encoder.contains(&Row::Normed) && !encoder.contains(&Row::Crossed));
        let decoder = rows(MarianConfig::default().spec(), AttentionKind::DecoderSelf);
        assert!(decoder.contains(&Row::Crossed));
    }

    #[test]
    fn llamas_norms_come_first() {
        let found = rows(LlamaConfig::default().spec(), AttentionKind::DecoderSelf);
        assert!(found.contains(&Row::Normed) && found.contains(&Row::NetworkInput));
        assert!(!found.contains(&Row::SumNormed));
    }

    #[test]
    fn parts_go_to_their_places() {
        let place = place(LlamaConfig::default().spec(), AttentionKind::DecoderSelf);
        let places = Places::of(&place);
        let count = place.head.numbers(&place.meta).heads;
        let rows = (0..places.rows.len()).map(|index| Array {
            shape: vec![1, 2],
            data: vec![index as f32; 2],
        });
        let heads = (0..5).map(|index| Array {
            shape: vec![count, 2],
            data: vec![100.0 + index as f32; count * 2],
        });
        let arrays: Vec<Array> = rows.chain(heads).collect();
        let parts: Vec<&Array> = arrays.iter().collect();
        let found = vectors(&place, &places, &parts).unwrap();
        assert_eq!(found.input, [0.0; 2]);
        assert_eq!(found.normed, Some(vec![1.0; 2]));
        assert_eq!(found.last_sum, [(places.rows.len() - 1) as f32; 2]);
        assert_eq!(found.heads[0].query, [100.0; 2]);
        assert_eq!(found.heads[0].output, [104.0; 2]);
        assert_eq!(found.heads.len(), count.min(MOST_HEADS));
        assert_eq!(vectors(&place, &places, &parts[1..]), None);
    }
}
