//! Attention of one head of the block on each pass: its map at every depth, side by side.

use attention_figures::matrix::Scale;
use attention_trace::{Array, AttentionKind, AttentionLayer, Quantity, Token};
use leptos::prelude::*;

use super::{context::UniversalContext, played::PassesPlayed};
use attention_core::{
    engine::{Live, Part},
    i18n::{t_string, use_i18n},
    names::token_name,
    selection::{HeadChoice, KindChoice, Selection},
    state::ViewState,
    widgets::{
        Select,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure},
        numbers::{counted, decimal, share_of_one},
    },
};

/// The maps' names on the page; of a deeper model the first of its depths are shown.
const MAPS: [&str; 8] = [
    "pass-1", "pass-2", "pass-3", "pass-4", "pass-5", "pass-6", "pass-7", "pass-8",
];

/// The head, and the choice of another.
#[component]
pub fn Passes() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = UniversalContext::expect();
    let selection = Selection::of_page();
    let head = Memo::new(move |_| {
        let meta = context.meta.get()?;
        Some(selection.get().head(&meta))
    });
    let kind = Memo::new(move |_| {
        let head = head.get();
        head.map_or(AttentionKind::EncoderSelf, |head| head.attention.kind)
    });
    let kinds = Memo::new(move |_| context.meta.get().map_or(vec![], |meta| meta.spec.kinds()));
    let heads = Memo::new(move |_| {
        context
            .meta
            .get()
            .map_or(0, |meta| meta.spec.heads(kind.get()))
    });
    let depths = Memo::new(move |_| {
        context
            .halts
            .get()
            .map_or(0, |it| it.depths.min(MAPS.len()))
    });
    let maps = Live::expect().parts(move || {
        let at = |head: HeadChoice, layer| HeadChoice {
            attention: AttentionLayer {
                layer,
                ..head.attention
            },
            ..head
        };
        let excerpt = |head, layer| {
            at(head, layer)
                .excerpt(Quantity::Pattern)
                .with_edits(context.edits())
        };
        let passes = 0..depths.get();
        head.get().map_or(vec![], |head| {
            passes.map(|layer| excerpt(head, layer)).collect()
        })
    });
    let words = move || {
        let maps = maps.get()?;
        let (Part(first), Part(last)) = (maps.first()?, maps.last()?);
        let moved = moved(first, last)?;
        (maps.len() > 1).then(|| t_string!(i18n, universal.moved, moved = decimal(moved, 3)))
    };
    view! {
        <section class="lesson-figure" data-testid="passes">
            <div class="position-controls">
                <KindChoice kinds chosen=kind />
                <Select
                    name=Signal::derive(move || t_string!(i18n, decoding.head).to_owned())
                    test_id="passes-head"
                    options=Signal::derive(move || counted(heads.get()))
                    chosen=Signal::derive(move || head.get().map_or(0, |head| head.head))
                    choose=move |number| {
                        let layer = head.get_untracked().map_or(0, |head| head.attention.layer);
                        state.set_head(layer, number);
                    }
                />
            </div>
            <PassesPlayed head depths maps />
            <Inspected>
                <div class="map-pair">
                    <For each=move || 0..depths.get() key=|depth| *depth let:depth>
                        <Pass depth kind maps />
                    </For>
                </div>
            </Inspected>
            <p class="lesson-reading number" role="status" data-testid="passes-moved">{words}</p>
        </section>
    }
}

#[component]
fn Pass(depth: usize, kind: Memo<AttentionKind>, maps: Memo<Option<Vec<Part>>>) -> impl IntoView {
    let i18n = use_i18n();
    let context = UniversalContext::expect();
    let name = token_name();
    let matrix = Memo::new(move |_| {
        let meta = context.meta.get()?;
        let (queries, keys) = meta.axes(kind.get());
        let named = |tokens: &[Token]| tokens.iter().map(name).collect::<Vec<_>>();
        let Part(array) = maps.get()?.into_iter().nth(depth)?;
        let fits = array.shape == [queries.len(), keys.len()];
        fits.then(|| {
            Matrix::new(array.data.as_slice(), keys.len())
                .with_rows(named(queries))
                .with_columns(named(keys))
        })
    });
    let describe = Callback::new(move |(row, column): (usize, usize)| {
        let words = matrix.with(|matrix| {
            let matrix = matrix.as_ref()?;
            Some(t_string!(
                i18n,
                universal.pass_cell,
                depth = depth + 1,
                query = matrix.row_labels.get(row)?.clone(),
                key = matrix.column_labels.get(column)?.clone(),
                weight = share_of_one(matrix.value(row, column)?, 4)
            ))
        });
        words.map(|words| view! { <p>{words}</p> }).into_any()
    });
    view! {
        <MatrixFigure
            id=MAPS[depth]
            symbol=format!("<i>A</i><sub>{}</sub>", depth + 1)
            name=Signal::derive(move || t_string!(i18n, universal.each_pass, depth = depth + 1))
            matrix
            scale=Scale::Weights
            rows_shown=64
            rows="pass-queries"
            columns="pass-keys"
            describe
        />
    }
}

/// Returns the share of weight that moves to other keys from one map to another, as the mean over the queries: half
/// the sum of the differences, from 0 to 1. `None` if the shapes differ or the maps are empty.
fn moved(one: &Array, other: &Array) -> Option<f32> {
    let &[rows, _] = one.shape.as_slice() else {
        return None;
    };
    let belong = one.shape == other.shape && rows > 0;
    let differences = one.data.iter().zip(&other.data).map(|(a, b)| (a - b).abs());
    belong.then(|| differences.sum::<f32>() / 2.0 / rows as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_moves_is_a_share_of_each_row() {
        let map = |data: &[f32]| Array {
            shape: vec![2, 2],
            data: data.to_vec(),
        };
        let first = map(&[1.0, 0.0, 0.5, 0.5]);
        assert_eq!(moved(&first, &first), Some(0.0));
        assert_eq!(moved(&first, &map(&[0.0, 1.0, 0.5, 0.5])), Some(0.5));
        let other = Array {
            shape: vec![1, 4],
            data: vec![0.0; 4],
        };
        assert_eq!(moved(&first, &other), None);
    }
}
