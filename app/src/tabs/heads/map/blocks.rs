//! The blocks of the map, each with something live of what it computes.

use attention_figures::model_map::{Block, Part};
use attention_trace::{AttentionKind, NormKind, Stack};
use leptos::prelude::*;

use super::{
    context::MapContext,
    heads::HeadsBlock,
    norms::StreamNorms,
    tokens::{TokensBlock, WordsBlock},
};
use crate::{
    i18n::{t, t_string, use_i18n},
    names::norm_name,
    navigation::ViewLink,
    state::{HeadPlace, Tab},
    widgets::numbers::grouped,
};

/// A block, where the drawing puts it; lit while the sentence is there.
#[component]
pub fn BlockView(context: MapContext, block: Block, index: usize) -> impl IntoView {
    let rect = block.rect;
    let stack = context
        .drawing
        .with_untracked(|drawing| drawing.as_ref()?.stacks.get(block.column).copied())
        .unwrap_or(Stack::Decoder);
    let is_recurrent = context
        .spec
        .with_untracked(|spec| spec.as_ref().is_some_and(|spec| spec.recurrence.is_some()));
    let reached = move || context.play.reached();
    let contents = match block.part {
        Part::Tokens => view! { <TokensBlock context stack /> }.into_any(),
        Part::Embedding => view! { <EmbeddingBlock context /> }.into_any(),
        Part::Attention { .. } => view! { <HeadsBlock context block /> }.into_any(),
        Part::FeedForward { .. } if is_recurrent => {
            view! { <RecurrenceBlock context /> }.into_any()
        }
        Part::FeedForward { layer } => {
            view! { <FeedForwardBlock context stack layer /> }.into_any()
        }
        Part::OutputLayer => view! { <OutputLayerBlock context /> }.into_any(),
        Part::Words => view! { <WordsBlock context /> }.into_any(),
    };
    view! {
        <div
            class="map-block"
            class:is-passed=move || reached().is_some_and(|reached| index < reached)
            class:is-reached=move || reached() == Some(index)
            style=format!(
                "left: {}px; top: {}px; width: {}px; height: {}px",
                rect.x, rect.y, rect.width, rect.height
            )
        >
            {contents}
        </div>
    }
}

/// Tokens become vectors, by all that is added and the norm of the sum where there is one; a click opens the chapter on positions at what the model does.
#[component]
fn EmbeddingBlock(context: MapContext) -> impl IntoView {
    let i18n = use_i18n();
    let sum = move || {
        context.spec.with(|spec| {
            let spec = spec.as_ref()?;
            Some(match spec.positions.encoding.adds_vectors() {
                true if spec.segments > 0 => t_string!(i18n, heads.embedding_segments),
                true => t_string!(i18n, heads.embedding_positions),
                false => t_string!(i18n, heads.embedding),
            })
        })
    };
    let norm = move || {
        let is_normed = context
            .spec
            .with(|spec| spec.as_ref().is_some_and(|spec| spec.embedding_norm));
        is_normed.then(|| format!(" → {}", norm_name(NormKind::LayerNorm)))
    };
    let sizes = move || {
        context.spec.with(|spec| {
            let spec = spec.as_ref()?;
            let vocabulary = grouped(spec.vocabulary as u64);
            Some(format!("{vocabulary} × {}", grouped(spec.width as u64)))
        })
    };
    view! {
        <ViewLink
            class="plain-block"
            test_id="map-embedding"
            change=|view| view.open_positions(view.model.way_to_know_positions())
        >
            <span>{sum}{norm}</span>
            <span class="block-size">{sizes}</span>
        </ViewLink>
    }
}

/// The layer between the last stack and the logits; a click opens what the model makes of them.
#[component]
fn OutputLayerBlock(context: MapContext) -> impl IntoView {
    let i18n = use_i18n();
    let sizes = move || {
        context.spec.with(|spec| {
            let width = grouped(spec.as_ref()?.width as u64);
            Some(format!("{width} → {width}"))
        })
    };
    view! {
        <ViewLink
            class="plain-block"
            test_id="map-output-layer"
            change=|view| view.tab = Tab::Decoding
        >
            <span title=move || t_string!(i18n, heads.output_layer_text)>
                {t!(i18n, heads.output_layer)}
            </span>
            <span class="block-size">{sizes}</span>
        </ViewLink>
    }
}

/// What a recurrent stack has in the place of a feed-forward network: its GRU.
#[component]
fn RecurrenceBlock(context: MapContext) -> impl IntoView {
    let i18n = use_i18n();
    let sizes = move || {
        context.spec.with(|spec| {
            let spec = spec.as_ref()?;
            let states = grouped(spec.recurrence?.state_width as u64);
            Some(format!("{} → {states}", grouped(spec.width as u64)))
        })
    };
    view! {
        <div class="plain-block" data-testid="map-recurrence">
            <span>{t!(i18n, heads.recurrence)}</span>
            <span class="block-size">{sizes}</span>
        </div>
    }
}

/// A feed-forward network, and the length of the residual stream after it; a click opens its chapter.
#[component]
fn FeedForwardBlock(context: MapContext, stack: Stack, layer: usize) -> impl IntoView {
    let i18n = use_i18n();
    let sizes = move || {
        context.spec.with(|spec| {
            let spec = spec.as_ref()?;
            let inner = grouped(spec.stack(stack)?.feed_forward?.width as u64);
            let width = grouped(spec.width as u64);
            Some(format!("{width} → {inner} → {width}"))
        })
    };
    let kind = match stack {
        Stack::Encoder => AttentionKind::EncoderSelf,
        Stack::Decoder => AttentionKind::DecoderSelf,
    };
    view! {
        <ViewLink
            class="plain-block"
            test_id="map-feed-forward"
            change=move |view| {
                view.tab = Tab::Learn;
                view.use_kind(kind);
                view.use_heads(&[HeadPlace { layer, head: view.head }]);
                view.chapters.open("follow");
                // The layer's last stage.
                view.chapters.stage = usize::MAX;
            }
        >
            <span>{t!(i18n, heads.feed_forward)}</span>
            <span class="block-size">{sizes}</span>
            <StreamNorms context stack layer />
        </ViewLink>
    }
}
