//! The sixth and the seventh screen: one head on the whole text, and all heads of a layer at one token.

use attention_figures::matrix::Scale;
use attention_trace::{Excerpt, Quantity, Slice};
use leptos::prelude::*;

use crate::follow::axes;
use attention_core::{
    engine::Part,
    i18n::{t_string, use_i18n},
    selection::{ChosenToken, SelfAttention, SelfPlace},
    state::ViewState,
    widgets::{
        Slider,
        matrix::{Marks, Matrix, MatrixFigure, weights_described},
        numbers::percent,
    },
};

/// The map of a head, which a slider chooses.
#[component]
pub fn Head() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SelfAttention::expect();
    let part = context.part(|place| place.head.excerpt(Quantity::Pattern));
    let matrix = Memo::new(move |_| {
        let names = context.names();
        let Part(array) = part.get()?;
        let columns = *array.shape.last()?;
        Some(
            Matrix::new(array.data.as_slice(), columns)
                .with_rows(names.clone())
                .with_columns(names),
        )
    });
    let numbers = move || context.with(|place| place.head.numbers(&place.meta));
    let words = move || {
        let Some(numbers) = numbers() else {
            return String::new();
        };
        let (head, heads) = (numbers.head + 1, numbers.heads);
        let layer = numbers.layer + 1;
        t_string!(
            i18n,
            start.head_of,
            head = head,
            heads = heads,
            layer = layer
        )
    };
    let strongest = Memo::new(move |_| {
        matrix.with(|matrix| {
            let (key, weight) = strongest(matrix.as_ref()?.row(context.query()))?;
            let key = matrix.as_ref()?.column_labels.get(key)?.clone();
            Some(t_string!(
                i18n,
                start.takes,
                query = context.query_name()?,
                key = key,
                share = percent(weight, 0)
            ))
        })
    });
    view! {
        <Slider
            name=Signal::derive(move || t_string!(i18n, start.head).to_owned())
            test_id="start-head"
            range=Signal::derive(move || {
                (0, numbers().map_or(0, |numbers| numbers.heads.saturating_sub(1)))
            })
            value=Signal::derive(move || numbers().map_or(0, |numbers| numbers.head))
            words=Signal::derive(words)
            set=move |head| {
                let layer = untrack(|| numbers().map_or(0, |numbers| numbers.layer));
                state.set_head(layer, head);
            }
        />
        <p class="lesson-reading" role="status" data-testid="head-takes">{strongest}</p>
        <MatrixFigure
            id="start-map"
            symbol="<math><mi>A</mi></math>"
            name=Signal::derive(move || t_string!(i18n, start.map).to_owned())
            matrix
            rows=axes::QUERIES
            columns=axes::KEYS
            scale=Scale::Weights
            rows_shown=64
            marks=Signal::derive(move || Marks { row: Some(context.query()), column: None })
            describe=weights_described(matrix)
        />
    }
}

/// Returns the index of the largest weight, and the weight.
fn strongest(weights: &[f32]) -> Option<(usize, f32)> {
    let weights = weights.iter().copied().enumerate();
    weights.max_by(|one, other| one.1.total_cmp(&other.1))
}

/// A row of weights for each head of the layer, at the chosen token.
#[component]
pub fn Heads() -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let part = context.part(|place: &SelfPlace| {
        let site = place.head.attention.at(Quantity::Pattern);
        Excerpt::new(site, Slice::Row(place.query))
    });
    let matrix = Memo::new(move |_| {
        let names = context.names();
        let Part(array) = part.get()?;
        let &[heads, columns] = array.shape.as_slice() else {
            return None;
        };
        let head = |head: usize| t_string!(i18n, start.head_number, head = head);
        Some(
            Matrix::new(array.data.as_slice(), columns)
                .with_rows((1..=heads).map(head).collect::<Vec<_>>())
                .with_columns(names),
        )
    });
    let chosen = move || context.with(|place| place.head.head);
    view! {
        <ChosenToken />
        <MatrixFigure
            id="start-heads"
            symbol="<math><msub><mi>a</mi><mi>i</mi></msub></math>"
            name=Signal::derive(move || t_string!(i18n, start.all_heads).to_owned())
            matrix
            columns=axes::KEYS
            scale=Scale::Weights
            marks=Signal::derive(move || Marks { row: chosen(), column: None })
            describe=weights_described(matrix)
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_strongest_of_no_weights_is_none() {
        assert_eq!(strongest(&[]), None);
        assert_eq!(strongest(&[0.1, 0.7, 0.2]), Some((1, 0.7)));
    }
}
