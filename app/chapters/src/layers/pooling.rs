//! Mean and max pooling beside attention on the same values: even weights are the one, and sharp weights come close to
//! the other.

use std::sync::Arc;

use attention_figures::matrix::Scale;
use attention_protocol::lessons::{Answer, Question};
use attention_trace::{Array, Quantity, lessons::Pooled};
use leptos::prelude::*;

use super::{made::values, words::lab};
use crate::{
    follow::{Derivation, Operation, Products, explained},
    layers::parameters::LayersLab,
};
use attention_core::{
    engine::Part,
    i18n::{t, t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    selection::SelfAttention,
    state::ViewState,
    widgets::{
        Slider,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure, weights_described},
        numbers::decimal,
    },
};

/// Inputs of pooling: the tokens that the query may look at, their values and its scores.
#[derive(Clone, Debug, PartialEq)]
struct PoolInput {
    query: String,
    names: Arc<[String]>,
    values: Array,
    scores: Vec<f32>,
}

impl PoolInput {
    /// Returns the input from the tokens whose scores are not masked.
    fn of(query: &str, names: &[String], values: &Array, scores: &[f32]) -> Option<Self> {
        let features = *values.shape.last()?;
        let tokens = names.iter().zip(scores).enumerate();
        let seen: Vec<(usize, &String, f32)> = tokens
            .filter(|(_, (_, score))| score.is_finite())
            .map(|(place, (name, &score))| (place, name, score))
            .collect();
        let mut data = Vec::with_capacity(seen.len() * features);
        for (place, ..) in &seen {
            data.extend_from_slice(values.row(&[*place])?);
        }
        Some(PoolInput {
            query: query.to_owned(),
            names: seen.iter().map(|(_, name, _)| (*name).clone()).collect(),
            values: Array {
                shape: vec![seen.len(), features],
                data,
            },
            scores: seen.iter().map(|&(.., score)| score).collect(),
        })
    }

    /// A feature of every value.
    fn feature(&self, feature: usize) -> Vec<f32> {
        let rows = 0..self.scores.len();
        rows.filter_map(|row| self.values.row(&[row])?.get(feature).copied())
            .collect()
    }
}

/// Returns the input of pooling once the trace has it.
fn read() -> Memo<Option<PoolInput>> {
    let context = SelfAttention::expect();
    let values = values();
    let scores = context.part(|place| place.head.excerpt(Quantity::MaskedScores));
    Memo::new(move |_| {
        let (names, query) = (context.names(), context.query());
        let (values, Part(scores)) = (values.get()?, scores.get()?);
        let row = scores.row(&[query])?;
        PoolInput::of(names.get(query)?, &names, &values, row)
    })
}

/// Weights, and five ways to read the values.
#[component]
pub fn Pooling() -> impl IntoView {
    let i18n = use_i18n();
    let (state, lab) = (ViewState::expect(), lab());
    let read = read();
    let factor = Memo::new(move |_| lab.with(LayersLab::factor));
    let asked = Lessons::expect().ask(
        move || {
            let PoolInput { values, scores, .. } = read.get()?;
            Some(Question::Pool {
                values,
                scores,
                sharpness: factor.get(),
            })
        },
        |answer| match answer {
            Answer::Pooled(made) => Some(made.clone()),
            _ => None,
        },
    );
    view! {
        <section class="lesson-figure" data-testid="pooling">
            <Slider
                name=Signal::derive(move || t_string!(i18n, layers.sharpness).to_owned())
                test_id="pool-by"
                range=LayersLab::SHARPNESSES
                step=5
                value=Signal::derive(move || lab.with(|lab| lab.sharpness))
                words=Signal::derive(move || decimal(factor.get(), 1))
                set=move |sharpness| state.update_chapters(|chapters| chapters.of_mut::<LayersLab>().sharpness = sharpness)
            />
            <LessonNotice asked />
            <Matrices asked read factor />
            <p class="hint">{t!(i18n, layers.pooling_hint)}</p>
        </section>
    }
}

#[component]
fn Matrices(
    asked: Asked<Pooled>,
    read: Memo<Option<PoolInput>>,
    factor: Memo<f32>,
) -> impl IntoView {
    let i18n = use_i18n();
    let weights = Memo::new(move |_| {
        let (made, read) = (asked.answer.get()?, read.get()?);
        // A newer sentence has other tokens until its answer is here.
        (made.weights.len() == read.names.len()).then(|| {
            Matrix::new(made.weights.as_slice(), made.weights.len())
                .with_rows(vec![read.query])
                .with_columns(read.names)
        })
    });
    let names = move || {
        [
            t_string!(i18n, layers.mean_pooling).to_owned(),
            t_string!(i18n, layers.even_attention).to_owned(),
            t_string!(
                i18n,
                layers.sharp_attention,
                factor = decimal(factor.get(), 1)
            ),
            t_string!(i18n, layers.by_feature, factor = decimal(factor.get(), 1)),
            t_string!(i18n, layers.max_pooling).to_owned(),
        ]
    };
    let pooled = Memo::new(move |_| {
        let made = asked.answer.get()?;
        let rows = [
            &made.mean,
            &made.even,
            &made.attended,
            &made.by_feature,
            &made.max,
        ];
        let columns = made.mean.len();
        let data: Vec<f32> = rows.into_iter().flatten().copied().collect();
        Some(Matrix::new(data, columns).with_rows(names().to_vec()))
    });
    let described = explained(move |row, column| {
        let (made, read) = (asked.answer.get()?, read.get()?);
        let value = pooled.read().as_ref()?.value(row, column)?;
        Some(Derivation {
            place: vec![names().get(row)?.clone(), (column + 1).to_string()],
            value,
            operation: operation(row, &made, &read, column),
        })
    });
    view! {
        <Inspected>
            <div class="equation">
                <MatrixFigure
                    id="pool-weights"
                    symbol="<math><mi>a</mi></math>"
                    name=Signal::derive(move || t_string!(i18n, layers.pool_weights).to_owned())
                    matrix=weights
                    scale=Scale::Weights
                    describe=weights_described(weights)
                />
                <MatrixFigure
                    id="pooled"
                    symbol="<math><mi>z</mi></math>"
                    name=Signal::derive(move || t_string!(i18n, layers.pooled).to_owned())
                    matrix=pooled
                    describe=described
                />
            </div>
        </Inspected>
    }
}

/// Returns the operation behind a number of the table. Rows are mean pooling, even attention, attention, attention by
/// feature, max pooling.
fn operation(row: usize, made: &Pooled, read: &PoolInput, feature: usize) -> Operation {
    let values = read.feature(feature);
    let n = values.len();
    let products =
        |weights: &[f32]| Operation::Products(Products::new(("a", weights), ("v", &values), None));
    match row {
        0 => Operation::Quotient {
            above: ("Σ v".to_owned(), values.iter().sum()),
            below: ("n".to_owned(), n as f32),
        },
        1 => products(&vec![1.0 / n.max(1) as f32; n]),
        2 => products(&made.weights),
        _ => Operation::Given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(scores: &[f32]) -> PoolInput {
        let names = ["Je", "suis", "."].map(str::to_owned);
        let values = Array {
            shape: vec![3, 2],
            data: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        };
        PoolInput::of("suis", &names, &values, scores).unwrap()
    }

    #[test]
    fn what_the_mask_hides_is_not_pooled() {
        let read = read(&[0.5, 1.0, f32::NEG_INFINITY]);
        assert_eq!(*read.names, ["Je", "suis"].map(str::to_owned));
        assert_eq!(read.scores, [0.5, 1.0]);
        assert_eq!(read.values.shape, [2, 2]);
        assert_eq!(read.feature(1), [2.0, 4.0]);
    }

    #[test]
    fn every_way_but_the_largest_is_explained_by_its_operands() {
        let read = read(&[0.0, 0.0, 0.0]);
        let made = Pooled {
            mean: vec![3.0, 4.0],
            even: vec![3.0, 4.0],
            weights: vec![0.5, 0.25, 0.25],
            attended: vec![2.5, 3.5],
            by_feature: vec![4.0, 5.0],
            max: vec![5.0, 6.0],
        };
        let Operation::Quotient { above, below } = operation(0, &made, &read, 0) else {
            panic!("mean")
        };
        assert_eq!(above.1 / below.1, 3.0);
        for (row, expected) in [(1, 4.0), (2, 3.5)] {
            let Operation::Products(products) = operation(row, &made, &read, 1) else {
                panic!("{row}")
            };
            assert!((products.total() - expected).abs() < 1e-6);
        }
        assert_eq!(operation(4, &made, &read, 0), Operation::Given);
    }
}
