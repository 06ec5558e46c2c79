//! One row of the alignment: from scores to weights to the context, the sum of the encoder's states.

use attention_trace::{AlignmentScore, AttentionKind, Quantity};
use leptos::prelude::*;

use super::{context::RecurrentContext, vector::in_lines};
use attention_core::{
    edits::CellEditor,
    i18n::{t, t_string, use_i18n},
    state::{Cell, HeadPlace, ViewState, WeightPlace},
    widgets::{
        Prose, ScrollRegion,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure},
        numbers::{decimal, share_of_one},
    },
};

/// The most terms of a sum that are written out.
const TERMS: usize = 3;

/// The largest distance of a sum of rounded weights from one.
const ROUNDING: f32 = 1e-3;

/// The score function that compares a decoder state with an encoder state in the model on screen.
#[component]
pub fn ScoreFunction() -> impl IntoView {
    let context = RecurrentContext::expect();
    let part = Memo::new(move |_| {
        context.place.with(|place| {
            let recurrence = place.as_ref().and_then(|place| place.spec.recurrence);
            match recurrence.and_then(|recurrence| recurrence.attention.score()) {
                Some(AlignmentScore::Dot) => "by-dot",
                Some(AlignmentScore::General) => "by-general",
                Some(AlignmentScore::Additive) => "by-additive",
                None => "by-head",
            }
        })
    });
    view! { <Prose part /> }
}

/// The row of the step on screen.
#[component]
pub fn RowFigure() -> impl IntoView {
    let i18n = use_i18n();
    let context = RecurrentContext::expect();
    let state = ViewState::expect();
    let cell = state.select(|view| view.cell.filter(|_| view.kind() == AttentionKind::Cross));
    let edited = Memo::new(move |_| {
        let (cell, row) = (cell.get()?, context.row()?.0);
        let head = context.place.with(|place| Some(place.as_ref()?.head))?;
        (cell.query == row).then_some(WeightPlace {
            head,
            query: Some(row),
            key: cell.key,
        })
    });
    let scores = context.row_of(Quantity::Scores);
    let weights = context.row_of(Quantity::Pattern);
    let title = move || {
        let (_, token) = context.row()?;
        let step = context.step.get() + 1;
        Some(t_string!(i18n, recurrent.row, step = step, token = token))
    };
    let name = Signal::derive(move || t_string!(i18n, recurrent.row_table).to_owned());
    let rows = move || {
        let (scores, weights) = (scores.get()?, weights.get()?);
        let source = context
            .place
            .with(|place| Some(place.as_ref()?.source.clone()))?;
        let row = |(key, (token, (score, weight))): (usize, (String, (f32, f32)))| {
            let is_locked = move || edited.get().is_some_and(|place| place.key == key);
            view! {
                <tr>
                    <th scope="row" class="token">
                        <button
                            type="button"
                            class="chip"
                            data-testid="row-key"
                            aria-pressed=move || is_locked().to_string()
                            on:click=move |_| lock(state, context, key)
                        >
                            {token}
                        </button>
                    </th>
                    <td class="number">{decimal(score, 2)}</td>
                    <td class="number" data-testid="row-weight">{share_of_one(weight, 3)}</td>
                </tr>
            }
        };
        let rows = source.into_iter().zip(scores.into_iter().zip(weights));
        Some(rows.enumerate().map(row).collect_view())
    };
    let sum = move || weights.with(|weights| Some(weights.as_ref()?.iter().sum::<f32>()));
    let sum_words = move || {
        let sum = sum()?;
        let written = decimal(sum, 3);
        let is_local = context
            .place
            .with(|place| place.as_ref().is_some_and(|place| place.window().is_some()));
        Some(match is_local && 1.0 - sum > ROUNDING {
            true => t_string!(i18n, recurrent.sum_local, sum = written),
            false => t_string!(i18n, recurrent.sum, sum = written),
        })
    };
    view! {
        <section class="lesson-figure" data-testid="alignment-of-step">
            <h3 class="panel-title" data-testid="row-title">{title}</h3>
            <ScrollRegion class="lesson-table" name>
                <table aria-label=name>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, recurrent.token)}</th>
                            <th scope="col">{t!(i18n, recurrent.score)}</th>
                            <th scope="col">{t!(i18n, recurrent.weight)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </ScrollRegion>
            <p class="lesson-reading number" role="status" data-testid="row-sum">{sum_words}</p>
            <p class="hint">{t!(i18n, recurrent.change_weight)}</p>
            <CellEditor
                place=edited
                weight=Memo::new(move |_| {
                    let key = edited.get()?.key;
                    weights.with(|weights| weights.as_ref()?.get(key).copied())
                })
            />
            <ContextVector context weights />
        </section>
    }
}

/// Locks the weight of a key in the row of the step on screen, for the editor; unlocks it if it is locked.
fn lock(state: ViewState, context: RecurrentContext, key: usize) {
    let place = untrack(|| {
        let head = context.place.with(|place| Some(place.as_ref()?.head))?;
        Some((context.row()?.0, head))
    });
    let Some((query, head)) = place else { return };
    state.update(|view| {
        let cell = Cell { query, key };
        let is_locked = view.kind() == AttentionKind::Cross && view.cell == Some(cell);
        view.use_kind(AttentionKind::Cross);
        view.use_heads(&[HeadPlace {
            layer: head.attention.layer,
            head: head.head,
        }]);
        view.use_cell((!is_locked).then_some(cell));
    });
}

/// The context of the step: each of its numbers is a weighted sum.
#[component]
fn ContextVector(context: RecurrentContext, weights: Memo<Option<Vec<f32>>>) -> impl IntoView {
    let i18n = use_i18n();
    let row = context.row_of(Quantity::Z);
    let values = context.matrix(Quantity::Value);
    let matrix = Memo::new(move |_| row.with(|row| Some(in_lines(row.as_ref()?))));
    let describe = Callback::new(move |(line, column): (usize, usize)| {
        let place = matrix.with(|matrix| {
            let matrix: &Matrix = matrix.as_ref()?;
            Some(line * matrix.columns + column)
        });
        let words = place.and_then(|place| {
            let states = values.get()?.0;
            let state = |token: usize| states.row(&[token])?.get(place).copied();
            let weights = weights.get()?;
            let terms = (0..weights.len())
                .map(|token| Some((weights[token], state(token)?)))
                .collect::<Option<Vec<_>>>()?;
            let recorded = row.with(|row| row.as_ref()?.get(place).copied())?;
            Some(t_string!(
                i18n,
                recurrent.made,
                place = place + 1,
                terms = written_out(&terms),
                value = decimal(recorded, 4)
            ))
        });
        words
            .map(|words| view! { <p class="number" data-testid="context-made">{words}</p> })
            .into_any()
    });
    view! {
        <Inspected>
            <MatrixFigure
                id="context"
                symbol="<i>c</i>"
                name=Signal::derive(move || t_string!(i18n, recurrent.context).to_owned())
                matrix
                describe
            />
        </Inspected>
    }
}

/// A weighted sum with its largest terms first; of many, the rest is a number.
fn written_out(terms: &[(f32, f32)]) -> String {
    let mut terms = terms.to_vec();
    let size = |&(weight, value): &(f32, f32)| (weight * value).abs();
    terms.sort_by(|one, other| size(other).total_cmp(&size(one)));
    let (first, rest) = terms.split_at(terms.len().min(TERMS));
    let product =
        |(weight, value): &(f32, f32)| format!("{} · {}", decimal(*weight, 3), bracketed(*value));
    let mut parts: Vec<String> = first.iter().map(product).collect();
    if !rest.is_empty() {
        let rest: f32 = rest.iter().map(|(weight, value)| weight * value).sum();
        parts.push(bracketed(rest));
    }
    parts.join(" + ")
}

/// A number as a term of a sum.
fn bracketed(value: f32) -> String {
    let written = decimal(value, 4);
    match written.starts_with('−') {
        true => format!("({written})"),
        false => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_names_its_largest_terms_and_what_is_left() {
        let terms = [
            (0.1, 0.5),
            (0.7, -1.0),
            (0.1, 1.0),
            (0.05, 0.2),
            (0.05, 0.4),
        ];
        assert_eq!(
            written_out(&terms),
            "0.700 · (−1.0000) + 0.100 · 1.0000 + 0.100 · 0.5000 + 0.0300"
        );
        assert_eq!(written_out(&[(1.0, 0.25)]), "1.000 · 0.2500");
        assert_eq!(written_out(&[(4e-4, 2.0)]), "0.0004 · 2.0000");
        assert_eq!(written_out(&[]), "");
    }
}
