//! From the sum of the past to attention: lower-triangular matrices with equal weights, then with a head's.

use attention_figures::matrix::Scale;
use attention_trace::{Quantity, softmax};
use leptos::prelude::*;

use crate::{follow::axes, masks::parameters::Masks};
use attention_core::{
    engine::Part,
    i18n::{t_string, use_i18n},
    selection::{SelfAttention, SelfPlace},
    state::ViewState,
    widgets::{
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure, weights_described},
        numbers::percent,
        player::{Player, Transport},
    },
};

/// A step from the sum of the past to attention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Ones on and below the diagonal.
    Sum,
    /// Each row divided by its sum.
    Average,
    /// The softmax of equal scores and the causal mask, which is the same.
    EqualScores,
    /// The softmax of the head's own scores and the causal mask.
    Learned,
}

const STEPS: [Step; 4] = [Step::Sum, Step::Average, Step::EqualScores, Step::Learned];

/// Returns the matrix `[n, n]` of a step; `scores` are the head's, scaled.
fn matrix_of(step: Step, n: usize, scores: &[f32]) -> Vec<f32> {
    let row = |query: usize| -> Vec<f32> {
        let past = query + 1;
        let mut row = match step {
            Step::Sum => vec![1.0; past],
            Step::Average => vec![1.0 / past as f32; past],
            Step::EqualScores => softmax(&vec![0.0; past]),
            Step::Learned => {
                let own = scores.get(query * n..query * n + past);
                softmax(own.unwrap_or_default())
            }
        };
        row.resize(n, 0.0);
        row
    };
    (0..n).flat_map(row).collect()
}

/// Returns the share of weight that lies elsewhere than in equal weights, as the mean over the rows, from 0 to 1.
fn apart(weights: &[f32], equal: &[f32], n: usize) -> f32 {
    let pairs = weights.iter().zip(equal);
    pairs.map(|(one, other)| (one - other).abs()).sum::<f32>() / 2.0 / n.max(1) as f32
}

/// The matrices, one at each step of the player.
#[component]
pub fn Triangle() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SelfAttention::expect();
    let scores = context.part(|place: &SelfPlace| place.head.excerpt(Quantity::MaskedScores));
    let wanted = state.select(|view| view.chapters.of::<Masks>().average);
    let player = Player::new(
        move || wanted.get(),
        || STEPS.len(),
        move |step| state.update_chapters(|all| all.of_mut::<Masks>().average = step),
    );
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let step = Memo::new(move |_| player.timeline().step);
    let matrix = Memo::new(move |_| {
        let Part(scores) = scores.get()?;
        let names = context.names();
        let all = *scores.shape.last()?;
        let n = names.len().min(all);
        // A long text is read as far as chapters compute.
        let rows = scores.data.chunks(all.max(1)).take(n);
        let square: Vec<f32> = rows.flat_map(|row| row[..n].to_vec()).collect();
        let values = matrix_of(*STEPS.get(step.get())?, n, &square);
        Some(
            Matrix::new(values, n)
                .with_rows(names.clone())
                .with_columns(names),
        )
    });
    let words = Signal::derive(move || {
        let what = match STEPS.get(step.get()) {
            None | Some(Step::Sum) => t_string!(i18n, masks.average_sum).to_owned(),
            Some(Step::Average) => t_string!(i18n, masks.average_mean).to_owned(),
            Some(Step::EqualScores) => t_string!(i18n, masks.average_softmax).to_owned(),
            Some(Step::Learned) => {
                let moved = matrix.with(|matrix| {
                    let matrix = matrix.as_ref()?;
                    let equal = matrix_of(Step::Average, matrix.columns, &[]);
                    Some(percent(apart(&matrix.values, &equal, matrix.columns), 0))
                });
                t_string!(
                    i18n,
                    masks.average_learned,
                    moved = moved.unwrap_or_default()
                )
            }
        };
        let (step, count) = (step.get() + 1, STEPS.len());
        t_string!(
            i18n,
            masks.average_step,
            step = step,
            count = count,
            what = what
        )
    });
    view! {
        <section class="lesson-figure" data-testid="triangle" data-step=move || step.get() + 1>
            <Transport
                player
                label=Signal::derive(move || t_string!(i18n, masks.average).to_owned())
                words
            />
            <Inspected>
                <MatrixFigure
                    id="triangle"
                    symbol="<math><mi>A</mi></math>"
                    name=Signal::derive(move || t_string!(i18n, masks.average).to_owned())
                    matrix
                    rows=axes::QUERIES
                    columns=axes::KEYS
                    scale=Scale::Weights
                    rows_shown=64
                    describe=weights_described(matrix)
                />
            </Inspected>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_behind_a_causal_mask_are_the_average_of_the_past() {
        assert_eq!(matrix_of(Step::Sum, 2, &[]), [1.0, 0.0, 1.0, 1.0]);
        for n in 1..9 {
            let mean = matrix_of(Step::Average, n, &[]);
            let softmaxed = matrix_of(Step::EqualScores, n, &[]);
            for (one, other) in mean.iter().zip(&softmaxed) {
                assert!((one - other).abs() < 1e-6, "{n}");
            }
        }
    }

    #[test]
    fn a_heads_scores_make_rows_that_sum_to_one_and_see_no_later_key() {
        let scores = [
            5.0,
            9.0,
            9.0,
            0.0,
            3.0_f32.ln(),
            9.0,
            0.0,
            f32::NEG_INFINITY,
            0.0,
        ];
        let weights = matrix_of(Step::Learned, 3, &scores);
        let expected = [1.0, 0.0, 0.0, 0.25, 0.75, 0.0, 0.5, 0.0, 0.5];
        for (found, expected) in weights.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{weights:?}");
        }
        let equal = matrix_of(Step::Average, 3, &[]);
        assert_eq!(apart(&equal, &equal, 3), 0.0);
        let moved = apart(&weights, &equal, 3);
        assert!((moved - (0.25 + 1.0 / 3.0) / 3.0).abs() < 1e-6, "{moved}");
    }
}
