//! The blocks of the map, each with live results of its computation.

use attention_chapters::{Encodings, Follow, RecurrentView};
use attention_figures::model_map::{Block, Part};
use attention_trace::{AttentionKind, ModelSpec, NormKind, RecurrentAttention, Stack};
use leptos::{ev::MouseEvent, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::{
    context::MapContext,
    heads::HeadsBlock,
    norms::StreamNorms,
    tokens::{TokensBlock, WordsBlock},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::norm_name,
    navigation::ViewLink,
    state::{HeadPlace, Representation, Tab, View},
    widgets::numbers::grouped,
};

/// A block at its place in the drawing; lit while the sentence is there.
#[component]
pub fn BlockView(context: MapContext, block: Block, index: usize) -> impl IntoView {
    let rect = block.rect;
    let stack = context
        .drawing
        .with_untracked(|drawing| drawing.as_ref()?.stacks.get(block.column).copied())
        .unwrap_or(Stack::Decoder);
    let reached = move || context.play.reached();
    let contents = match block.part {
        Part::Tokens => view! { <TokensBlock context stack /> }.into_any(),
        Part::Embedding => view! { <EmbeddingBlock context /> }.into_any(),
        Part::Attention { .. } => view! { <HeadsBlock context block /> }.into_any(),
        Part::Recurrence { .. } => view! { <RecurrenceBlock context stack /> }.into_any(),
        Part::FeedForward { layer } => {
            view! { <FeedForwardBlock context stack layer /> }.into_any()
        }
        Part::OutputLayer => view! { <OutputLayerBlock context /> }.into_any(),
        Part::Words => view! { <WordsBlock context /> }.into_any(),
    };
    // On the whole map a click goes closer, where the block is a link or its heads show their cells.
    let go_closer = move |event: MouseEvent| {
        if !context.is_close_untracked() && !is_control(&event) && !context.dragged() {
            context.go_to(rect);
        }
    };
    view! {
        <div
            class="map-block"
            on:click=go_closer
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

/// Returns true if a click is for a control inside the block, such as a head.
fn is_control(event: &MouseEvent) -> bool {
    let target: Option<Element> = event.target().and_then(|target| target.dyn_into().ok());
    let control = target.map(|target| target.closest("button, a, .map-chip"));
    matches!(control, Some(Ok(Some(_))))
}

/// The words of a block. A link once the visitor has zoomed in; on the whole map a click zooms in.
#[component]
fn Linked<C, V, F>(
    context: MapContext,
    /// The `data-testid` of the element.
    test_id: &'static str,
    /// Change from this view to the one that it links to.
    change: F,
    /// The words of the block.
    says: C,
) -> impl IntoView
where
    C: Fn() -> V + Copy + Send + Sync + 'static,
    V: IntoView + 'static,
    F: Fn(&mut View) + Copy + Send + Sync + 'static,
{
    move || match context.is_close() {
        true => {
            view! { <ViewLink class="plain-block" test_id change>{says()}</ViewLink> }.into_any()
        }
        false => view! { <div class="plain-block" data-testid=test_id>{says()}</div> }.into_any(),
    }
}

/// Returns the rows of the table of embeddings, or of one for each of two vocabularies.
fn vocabularies(spec: &ModelSpec) -> String {
    let target = grouped(spec.vocabulary as u64);
    match spec.source_vocabulary {
        Some(source) => format!("{} + {target}", grouped(source as u64)),
        None => target,
    }
}

/// The block in which tokens become vectors, with all summands and the norm of the sum, if there is one; when zoomed
/// in, it links to the model's encoding in the chapter on positions.
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
            let width = grouped(spec.width as u64);
            Some(match spec.patches {
                // Three colours of each pixel of a patch.
                Some(patch) => format!("3 · {0} · {0} → {width}", patch.size_px),
                None => format!("{} × {width}", vocabularies(spec)),
            })
        })
    };
    view! {
        <Linked
            context
            test_id="map-embedding"
            change={|view: &mut View| {
                let encoding = view.model.card().positions;
                view.open_chapter::<Encodings>().encoding = encoding;
            }}
            says=move || view! {
                <span>{sum}{norm}</span>
                <span class="block-size">{sizes}</span>
            }
        />
    }
}

/// The layer between the last stack and the logits; when zoomed in, it links to the logits. In a recurrent model it
/// reads the decoder's state, and the context if there is one.
#[component]
fn OutputLayerBlock(context: MapContext) -> impl IntoView {
    let i18n = use_i18n();
    let sizes = move || {
        context.spec.with(|spec| {
            let spec = spec.as_ref()?;
            let width = grouped(spec.width as u64);
            Some(match spec.recurrence {
                Some(recurrence) => {
                    let read = recurrence.state_width as u64;
                    let parts = if recurrence.attention.score().is_some() {
                        2
                    } else {
                        1
                    };
                    format!("{} → {width}", grouped(parts * read))
                }
                None => format!("{width} → {width}"),
            })
        })
    };
    let text = move || match is_recurrent(context) {
        true => t_string!(i18n, heads.readout_text),
        false => t_string!(i18n, heads.output_layer_text),
    };
    view! {
        <Linked
            context
            test_id="map-output-layer"
            change=|view| view.representation = Representation::NextWord
            says=move || view! {
                <span title=text>{t!(i18n, heads.output_layer)}</span>
                <span class="block-size">{sizes}</span>
            }
        />
    }
}

fn is_recurrent(context: MapContext) -> bool {
    context
        .spec
        .with(|spec| spec.as_ref().is_some_and(|spec| spec.recurrence.is_some()))
}

/// A recurrent layer with its GRU; when zoomed in, it links to the chapter on recurrent translators.
#[component]
fn RecurrenceBlock(context: MapContext, stack: Stack) -> impl IntoView {
    let i18n = use_i18n();
    let recurrence = move || context.spec.with(|spec| spec.as_ref()?.recurrence);
    let name = move || match (stack, recurrence().is_some_and(|it| it.bidirectional)) {
        (Stack::Encoder, true) => t_string!(i18n, heads.recurrence_both),
        _ => t_string!(i18n, heads.recurrence),
    };
    let sizes = move || {
        context
            .spec
            .with(|spec| recurrence_sizes(spec.as_ref()?, stack))
    };
    view! {
        <Linked
            context
            test_id="map-recurrence"
            change=|view| {
                view.open_chapter::<RecurrentView>();
            }
            says=move || view! {
                <span>{name}</span>
                <span class="block-size">{sizes}</span>
            }
        />
    }
}

/// Returns the input of a recurrent layer for a token, and the width of its states: each direction of an encoder has
/// half of it, and Bahdanau's decoder reads a context besides the embedding.
fn recurrence_sizes(spec: &ModelSpec, stack: Stack) -> Option<String> {
    let recurrence = spec.recurrence?;
    let read = grouped(spec.width as u64);
    let states = recurrence.state_width as u64;
    Some(match stack {
        Stack::Encoder if recurrence.bidirectional => {
            format!("{read} → 2 × {}", grouped(states / 2))
        }
        Stack::Decoder if recurrence.attention == RecurrentAttention::Bahdanau => {
            let states = grouped(states);
            format!("{read} + {states} → {states}")
        }
        _ => format!("{read} → {}", grouped(states)),
    })
}

/// A feed-forward network, and the length of the residual stream after it; when zoomed in, it links to its chapter.
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
    let is_parallel = Memo::new(move |_| {
        let spec = context.spec.read();
        let stack = spec.as_ref().and_then(|spec| spec.stack(stack));
        stack.is_some_and(|stack| stack.parallel)
    });
    let kind = match stack {
        Stack::Encoder => AttentionKind::EncoderSelf,
        Stack::Decoder => AttentionKind::DecoderSelf,
    };
    view! {
        <Linked
            context
            test_id="map-feed-forward"
            change=move |view| {
                view.tab = Tab::Learn;
                view.use_kind(kind);
                let HeadPlace { head, .. } = view.place();
                view.use_heads(&[HeadPlace { layer, head }]);
                view.open_chapter::<Follow>();
                // The layer's last stage.
                view.chapters.stage = usize::MAX;
            }
            says=move || view! {
                <span>
                    {t!(i18n, heads.feed_forward)}
                    {move || is_parallel.get().then(|| view! {
                        <span class="block-size">" · " {t!(i18n, heads.parallel)}</span>
                    })}
                </span>
                <span class="block-size">{sizes}</span>
                <StreamNorms context stack layer />
            }
        />
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::GruConfig;

    use super::*;

    #[test]
    fn a_recurrent_layer_names_what_it_reads() {
        let fixed = GruConfig::default().spec();
        let bahdanau = GruConfig {
            bidirectional: true,
            attention: RecurrentAttention::Bahdanau,
            ..GruConfig::default()
        };
        let sizes = |spec: &ModelSpec, stack| recurrence_sizes(spec, stack).unwrap();
        assert_eq!(sizes(&fixed, Stack::Encoder), "192 → 256");
        assert_eq!(sizes(&fixed, Stack::Decoder), "192 → 256");
        assert_eq!(sizes(&bahdanau.spec(), Stack::Encoder), "192 → 2 × 128");
        assert_eq!(sizes(&bahdanau.spec(), Stack::Decoder), "192 + 256 → 256");
    }
}
