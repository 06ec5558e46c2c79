//! The same scores pair by pair and as one matrix product.

use attention_trace::Quantity;
use leptos::prelude::*;

use super::{
    axes,
    context::FollowContext,
    derivation::{Derivation, Operation, Products},
    derivation_view::explained,
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{
        Expected, Prompt, Prose, Slider,
        inspector::Inspected,
        matrix::{Marks, Matrix, MatrixFigure},
        numbers::{largest_difference, share_of_one, significant},
    },
};

/// Left, one query against one key after another; right, `QKᵀ` as the model computed it.
#[component]
pub fn Pairs() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let (queries, keys) = (context.head(Quantity::Query), context.head(Quantity::Key));
    let scores = context.head(Quantity::Scores);
    let state = ViewState::expect();
    let wanted = state.select(|view| view.chapters.reading.pairs);
    let by_pair = Memo::new(move |_| {
        let count = context.key_labels().len();
        let rows = context.query_labels().len();
        let pair = |index: usize| {
            let (query, key) = (queries.row(index / count)?, keys.row(index % count)?);
            Some(Products::new(("q", &query), ("k", &key), None).total())
        };
        (0..rows * count).map(pair).collect::<Option<Vec<f32>>>()
    });
    // How many are computed, of how many.
    let progress = Memo::new(move |_| {
        let count = by_pair.read().as_ref().map_or(0, Vec::len);
        (wanted.get().unwrap_or(count / 2).min(count), count)
    });
    let computed = move || progress.get().0;
    let left = Signal::derive(move || {
        let mut values = by_pair.get()?;
        let columns = context.key_labels().len();
        // A pair whose turn has not come has no number yet.
        values
            .iter_mut()
            .skip(computed())
            .for_each(|value| *value = f32::NAN);
        Some(
            Matrix::new(values, columns)
                .with_rows(context.query_labels())
                .with_columns(context.key_labels()),
        )
    });
    let right = {
        let matrix = scores.by_query();
        Signal::derive(move || Some(matrix.get()?.with_columns(context.key_labels())))
    };
    let made = explained(move |row, column| {
        let (query, key) = (queries.row(row)?, keys.row(column)?);
        Some(Derivation {
            place: vec![
                context.query_labels().get(row)?.clone(),
                context.key_labels().get(column)?.clone(),
            ],
            value: *scores.row(row)?.get(column)?,
            operation: Operation::Products(Products::new(("q", &query), ("k", &key), None)),
        })
    });
    let marks = Signal::derive(move || {
        let columns = context.key_labels().len().max(1);
        let last = computed().checked_sub(1);
        Marks {
            row: last.map(|last| last / columns),
            column: last.map(|last| last % columns),
        }
    });
    let values = Signal::derive(move || {
        let apart = by_pair.get()?;
        let (together, width) = scores
            .with(|array| array.data.clone())
            .zip(queries.with(|array| array.shape.last().copied()).flatten())?;
        Some(vec![
            ("pairs", apart.len().to_string()),
            ("products", (apart.len() * width).to_string()),
            ("width", width.to_string()),
            ("difference", largest_difference(&apart, &together)),
        ])
    });
    view! {
        <section class="chapter-section" data-testid="pairs">
            <Prose part="pairs" />
            <Slider
                name=Signal::derive(move || t_string!(i18n, chapters.pairs_done).to_owned())
                test_id="pairs-done"
                range=Signal::derive(move || (0, progress.get().1))
                value=Signal::derive(computed)
                words=Signal::derive(move || {
                    let (number, count) = progress.get();
                    t_string!(i18n, chapters.of_count, number = number, count = count).to_string()
                })
                set=move |pairs| {
                    state.update_chapters(|chapters| chapters.reading.pairs = Some(pairs));
                }
            />
            <Inspected>
            <div class="side-by-side">
                <MatrixFigure
                    id="by-pair"
                    symbol="<math><msub><mi>q</mi><mi>i</mi></msub><mo>·</mo><msub><mi>k</mi><mi>j</mi></msub></math>"
                    name=Signal::derive(move || t_string!(i18n, chapters.name_by_pair).to_owned())
                    matrix=left
                    rows=axes::QUERIES
                    columns=axes::KEYS
                    marks
                    describe=made
                />
                <MatrixFigure
                    id="at-once"
                    symbol="<math><mi>Q</mi><msup><mi>K</mi><mi>⊤</mi></msup></math>"
                    name=Signal::derive(move || t_string!(i18n, chapters.name_at_once).to_owned())
                    matrix=right
                    rows=axes::QUERIES
                    columns=axes::KEYS
                    describe=made
                />
            </div>
            </Inspected>
            {move || match values.get().is_some() {
                true => view! { <Prose part="pairs-result" values /> }.into_any(),
                false => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
            }}
        </section>
    }
}

/// Asks for the key with the largest weight.
#[component]
pub fn PairPrompt() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let weights = context.head(Quantity::Pattern);
    let scores = context.head(Quantity::Scores);
    let largest = move || {
        let row = weights.query_row()?;
        let weights = row.iter().copied().enumerate();
        weights.max_by(|one, other| one.1.total_cmp(&other.1))
    };
    let expected = Signal::derive(move || {
        let (key, _) = largest()?;
        Some(Expected::OneOf {
            options: context.key_labels().to_vec(),
            right: vec![key],
        })
    });
    let values = Signal::derive(move || {
        let (key, weight) = largest()?;
        Some(vec![
            (
                "query",
                context.query_labels().get(context.query())?.clone(),
            ),
            ("key", context.key_labels().get(key)?.clone()),
            ("weight", share_of_one(weight, 2)),
            ("score", significant(*scores.query_row()?.get(key)?)),
        ])
    });
    view! {
        <Prompt
            question="predict-key"
            answer="answer-key"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.key).to_owned())
            expected
        />
    }
}
