//! The weight that each head gives to the first token.

use attention_core::{
    engine::{Live, Part},
    i18n::{t_string, use_i18n},
    names::head_name,
    widgets::{
        inspector::Inspected,
        matrix::MatrixFigure,
        numbers::{percent, share_of_one},
    },
};
use attention_figures::matrix::Scale;
use attention_trace::{Array, AttentionKind, AttentionLayer, Excerpt, ModelSpec, Quantity, Slice};
use leptos::prelude::*;

use crate::head_map::head_matrix;

/// A share of a head's weight from which it is said to rest on the first token.
const RESTS: f32 = 0.5;

/// The stack whose self-attention is looked at: that which writes, or else that which reads.
fn kind_of(spec: &ModelSpec) -> AttentionKind {
    match spec.layers(AttentionKind::DecoderSelf) {
        0 => AttentionKind::EncoderSelf,
        _ => AttentionKind::DecoderSelf,
    }
}

/// Returns the mean weight that each head of weights `[h, n, n]` gives to the first key, over the queries after the first:
/// that one sees nothing else.
fn first_weights(weights: &Array) -> Option<Vec<f32>> {
    let &[heads, queries, keys] = &weights.shape[..] else {
        return None;
    };
    let later = queries.checked_sub(1).filter(|&later| later > 0)?;
    let mean = |head: usize| {
        let first = (head * queries + 1) * keys;
        let column = weights.data.get(first..)?.iter().step_by(keys.max(1));
        Some(column.take(later).sum::<f32>() / later as f32)
    };
    (0..heads).map(mean).collect()
}

/// The map of the heads, and how many of them rest on the first token.
#[component]
pub fn SinksFigure() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let name = head_name();
    let kind = Memo::new(move |_| Some(kind_of(&live.trace()?.meta.spec)));
    let weights = live.parts(move || {
        let (Some(trace), Some(kind)) = (live.trace(), kind.get()) else {
            return vec![];
        };
        let layers = 0..trace.meta.spec.layers(kind);
        let site = |layer| AttentionLayer { kind, layer }.at(Quantity::Pattern);
        layers
            .map(|layer| Excerpt::new(site(layer), Slice::Whole))
            .collect()
    });
    let shares = Memo::new(move |_| -> Option<Vec<Vec<f32>>> {
        let layers = weights.get()?;
        let of = |Part(weights): &Part| first_weights(weights);
        layers.iter().map(of).collect()
    });
    let map = head_matrix();
    let matrix = Memo::new(move |_| map(&shares.get()?));
    let words = move || {
        let shares = shares.get()?;
        let all: Vec<(usize, usize, f32)> = shares
            .iter()
            .enumerate()
            .flat_map(|(layer, heads)| {
                let heads = heads.iter().copied().enumerate();
                heads.map(move |(head, share)| (layer, head, share))
            })
            .collect();
        let most = all.iter().max_by(|one, other| one.2.total_cmp(&other.2))?;
        let attention = AttentionLayer {
            kind: kind.get()?,
            layer: most.0,
        };
        let resting = all.iter().filter(|it| it.2 >= RESTS).count();
        Some(t_string!(
            i18n,
            long.sinks_found,
            resting = resting,
            all = all.len(),
            head = name(attention, most.1),
            share = percent(most.2, 0)
        ))
    };
    let describe = Callback::new(move |(row, column): (usize, usize)| {
        let words = move || {
            let share = *shares.get()?.get(row)?.get(column)?;
            let (layer, head) = (row + 1, column + 1);
            let share = share_of_one(share, 4);
            Some(t_string!(
                i18n,
                long.sink_of,
                layer = layer,
                head = head,
                share = share
            ))
        };
        view! { <p class="number">{words}</p> }.into_any()
    });
    view! {
        <section class="lesson-figure">
            <Inspected>
                <MatrixFigure
                    id="sinks"
                    symbol="<math><msub><mover><mi>a</mi><mo>¯</mo></mover><mn>1</mn></msub></math>"
                    name=Signal::derive(move || t_string!(i18n, long.sinks).to_owned())
                    matrix
                    scale=Scale::Weights
                    rows_shown=32
                    describe
                />
            </Inspected>
            <p class="lesson-reading number" role="status" data-testid="sinks-found">{words}</p>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_query_is_left_out_of_the_mean() {
        let weights = Array {
            shape: vec![2, 3, 3],
            data: vec![
                1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.25, 0.5, 0.25, //
                1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0,
            ],
        };
        assert_eq!(first_weights(&weights), Some(vec![0.375, 0.5]));
        let single = Array {
            shape: vec![1, 1, 1],
            data: vec![1.0],
        };
        assert_eq!(first_weights(&single), None);
    }
}
