//! The keys that each token sees in a model of each kind: maps of self-attention and of cross-attention, side by side.

use attention_core::{
    engine::{Part, Second},
    i18n::{t, t_string, use_i18n},
    names::{kind_name, model_name, token_name},
    state::ViewState,
    widgets::{
        Slider,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure, weights_described},
    },
};
use attention_figures::matrix::Scale;
use attention_trace::{AttentionKind, AttentionLayer, Excerpt, Quantity, Slice, TraceMeta};
use leptos::prelude::*;

use super::{
    context::{Kind, KindsContext},
    parameters::Kinds,
};
use crate::compare::notice::SecondNotice;

/// The maps of a kind, each with the identifier of its matrix.
fn maps_of(kind: Kind) -> &'static [(AttentionKind, &'static str)] {
    match kind {
        Kind::EncoderOnly => &[(AttentionKind::EncoderSelf, "kinds-encoder-only")],
        Kind::DecoderOnly => &[(AttentionKind::DecoderSelf, "kinds-decoder-only")],
        Kind::EncoderDecoder => &[
            (AttentionKind::EncoderSelf, "kinds-encoder"),
            (AttentionKind::DecoderSelf, "kinds-decoder"),
            (AttentionKind::Cross, "kinds-cross"),
        ],
    }
}

/// Returns the number of pairs of a query and a key that it sees, and of all pairs.
fn seen(meta: &TraceMeta, attention: AttentionLayer) -> (usize, usize) {
    let (queries, keys) = meta.axes(attention.kind);
    let seen = |query| meta.spec.seen(attention, query, keys.len()).len();
    (
        (0..queries.len()).map(seen).sum(),
        queries.len() * keys.len(),
    )
}

/// Returns the mean of the weights of all heads, row-major; `heads` has the shape `[heads, queries, keys]`.
fn mean(heads: &attention_trace::Array) -> Option<(Vec<f32>, usize)> {
    let (&count, &columns) = (heads.shape.first()?, heads.shape.last()?);
    let size = heads.data.len().checked_div(count)?;
    let mut sum = vec![0.0; size];
    for head in heads.data.chunks_exact(size.max(1)) {
        for (sum, weight) in sum.iter_mut().zip(head) {
            *sum += weight / count as f32;
        }
    }
    Some((sum, columns))
}

/// The maps of the three models, and the choice of the layer.
#[component]
pub fn Maps() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let layer = state.select(|view| view.chapters.of::<Kinds>().layer.min(Kinds::LAST_LAYER));
    view! {
        <Slider
            name=Signal::derive(move || t_string!(i18n, kinds.layer).to_owned())
            test_id="kinds-layer"
            range=Signal::derive(|| (0, Kinds::LAST_LAYER))
            value=layer
            words=Signal::derive(move || (layer.get() + 1).to_string())
            set=move |layer| state.update_chapters(|all| all.of_mut::<Kinds>().layer = layer)
        />
        <div class="kinds-columns" data-testid="kinds-maps">
            {Kind::ALL.map(|kind| view! { <Column kind layer /> })}
        </div>
    }
}

/// Names a kind of Transformer.
#[component]
pub fn KindName(kind: Kind) -> impl IntoView {
    let i18n = use_i18n();
    move || match kind {
        Kind::EncoderOnly => t!(i18n, kinds.encoder_only).into_any(),
        Kind::DecoderOnly => t!(i18n, kinds.decoder_only).into_any(),
        Kind::EncoderDecoder => t!(i18n, kinds.encoder_decoder).into_any(),
    }
}

#[component]
fn Column(kind: Kind, layer: Memo<usize>) -> impl IntoView {
    let name = model_name();
    let engine = KindsContext::expect().engine(kind);
    let maps = maps_of(kind).iter().map(move |&(attention, id)| {
        view! { <Map engine kind=attention id layer /> }
    });
    view! {
        <section class="kinds-column">
            <h3 class="panel-title"><KindName kind /></h3>
            <p class="hint">{move || name(kind.model())}</p>
            <SecondNotice second=engine />
            <Inspected>{maps.collect_view()}</Inspected>
        </section>
    }
}

#[component]
fn Map(engine: Second, kind: AttentionKind, id: &'static str, layer: Memo<usize>) -> impl IntoView {
    let i18n = use_i18n();
    let (name, attention_name) = (token_name(), kind_name());
    let attention = Memo::new(move |_| AttentionLayer {
        kind,
        layer: layer.get(),
    });
    let parts = engine.parts(move || {
        let site = attention.get().at(Quantity::Pattern);
        engine
            .trace()
            .map(|_| Excerpt::new(site, Slice::Whole))
            .into_iter()
            .collect()
    });
    let matrix = Memo::new(move |_| {
        let trace = engine.trace()?;
        let parts = parts.get()?;
        let Part(heads) = parts.first()?;
        let (weights, columns) = mean(heads)?;
        let (queries, keys) = trace.meta.axes(kind);
        let named = |tokens: &[attention_trace::Token]| tokens.iter().map(name).collect::<Vec<_>>();
        Some(
            Matrix::new(weights, columns)
                .with_rows(named(queries))
                .with_columns(named(keys)),
        )
    });
    let words = move || {
        let (seen, all) = seen(&engine.trace()?.meta, attention.get());
        Some(t_string!(i18n, kinds.seen, seen = seen, all = all))
    };
    view! {
        <MatrixFigure
            id
            symbol="<math><mi>A</mi></math>"
            name=Signal::derive(move || attention_name(kind))
            matrix
            scale=Scale::Weights
            rows_shown=64
            describe=weights_described(matrix)
        />
        <p class="lesson-reading number" data-testid=format!("{id}-seen")>{words}</p>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        Array, Pieces, Token,
        config::{BertConfig, LlamaConfig},
    };

    use super::*;

    fn meta(spec: attention_trace::ModelSpec, tokens: usize) -> TraceMeta {
        let token = |id: usize| Token {
            id: id as u32,
            text: id.to_string(),
            unknown: false,
        };
        let tokens: Vec<Token> = (0..tokens).map(token).collect();
        let reads = spec.reads_source();
        TraceMeta {
            spec,
            source: if reads { tokens.clone() } else { vec![] },
            target: if reads { vec![] } else { tokens },
            pieces: Pieces::default(),
        }
    }

    #[test]
    fn an_encoder_sees_all_pairs_and_a_decoder_those_of_the_past() {
        let layer = |kind| AttentionLayer { kind, layer: 0 };
        let encoder = meta(BertConfig::default().spec(), 4);
        assert_eq!(seen(&encoder, layer(AttentionKind::EncoderSelf)), (16, 16));
        let decoder = meta(LlamaConfig::default().spec(), 4);
        assert_eq!(seen(&decoder, layer(AttentionKind::DecoderSelf)), (10, 16));
    }

    #[test]
    fn the_mean_of_heads_is_over_all_of_them() {
        let heads = Array {
            shape: vec![2, 1, 2],
            data: vec![1.0, 0.0, 0.5, 0.5],
        };
        assert_eq!(mean(&heads), Some((vec![0.75, 0.25], 2)));
    }
}
