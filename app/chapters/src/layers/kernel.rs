//! The chosen head as a convolution: the same weights at the same offsets in every row.

use std::sync::Arc;

use attention_figures::matrix::Scale;
use attention_protocol::lessons::{Answer, Question};
use attention_trace::{Array, layers::local_weights, lessons::Convolved};
use leptos::prelude::*;

use super::made::{map_matrix, matrix, mixed, values, weights};
use crate::{
    follow::{axes, explained},
    heads::Weights,
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    selection::SelfAttention,
    widgets::{
        ScrollRegion,
        inspector::Inspected,
        matrix::{MatrixFigure, weights_described},
        numbers::{decimal, largest_difference},
    },
};

/// The number of positions that the kernel reaches to either side.
const REACH: usize = 2;

/// The largest difference of a head's weights and the kernel's, over the places that the kernel covers.
fn local_difference(weights: &Array, band: &Array) -> f32 {
    let n = weights.shape.first().copied().unwrap_or(0);
    let cells = weights.data.iter().zip(&band.data).enumerate();
    let local = cells.filter(|(index, _)| (index / n).abs_diff(index % n) <= REACH);
    local
        .map(|(_, (weight, shared))| (weight - shared).abs())
        .fold(0.0, f32::max)
}

/// The share of a head's weights that lies beyond the kernel, as a mean over queries.
fn beyond(weights: &Array) -> f32 {
    let n = weights.shape.first().copied().unwrap_or(0);
    let cells = weights.data.iter().enumerate();
    let far = cells.filter(|(index, _)| (index / n).abs_diff(index % n) > REACH);
    far.map(|(_, weight)| weight).sum::<f32>() / n.max(1) as f32
}

/// The head's weights, the kernel taken from them, and the kernel's outputs for the values.
#[component]
pub fn KernelOfHead() -> impl IntoView {
    let i18n = use_i18n();
    let (weights, values) = (weights(), values());
    let kernel = Memo::new(move |_| {
        let map = weights.get()?;
        let n = *map.shape.last()?;
        Some(Weights::new(&map.data, n)?.by_offset(REACH))
    });
    let asked = Lessons::expect().ask(
        move || {
            Some(Question::Convolve {
                values: values.get()?.as_ref().clone(),
                kernel: kernel.get()?,
            })
        },
        |answer| match answer {
            Answer::Convolved(made) => Some(made.clone()),
            _ => None,
        },
    );
    let words = move || {
        let kernel = kernel.get()?;
        let numbers: Vec<String> = kernel.iter().map(|&weight| decimal(weight, 3)).collect();
        Some(t_string!(
            i18n,
            layers.kernel_of_head,
            weights = numbers.join(", ")
        ))
    };
    let compared = move || {
        let (made, weights) = (asked.answer.get()?, weights.get()?);
        (made.matrix.shape == weights.shape).then(|| {
            t_string!(
                i18n,
                layers.kernel_compared,
                local = decimal(local_difference(&weights, &made.matrix), 3),
                beyond = decimal(beyond(&weights), 3),
                same = largest_difference(&made.by_matrix.data, &made.by_convolution.data)
            )
        })
    };
    view! {
        <section class="lesson-figure" data-testid="kernel-of-head">
            <p class="lesson-reading number" data-testid="kernel-weights">{words}</p>
            <LessonNotice asked />
            <Matrices asked weights values />
            <p class="lesson-reading number" data-testid="kernel-compared">{compared}</p>
            <Connections />
        </section>
    }
}

#[component]
fn Matrices(
    asked: Asked<Convolved>,
    weights: Memo<Option<Arc<Array>>>,
    values: Memo<Option<Arc<Array>>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let map = Memo::new(move |_| map_matrix(weights.get()?.as_ref(), context.names()));
    let band = Memo::new(move |_| map_matrix(&asked.answer.get()?.matrix, context.names()));
    let output = Memo::new(move |_| matrix(&asked.answer.get()?.by_convolution, context.names()));
    let of_output = explained(move |row, column| {
        let (made, values) = (asked.answer.get()?, values.get()?);
        let name = context.names().get(row)?.clone();
        mixed(
            ("w", name),
            (row, column),
            &made.matrix,
            &values,
            &made.by_convolution,
        )
    });
    view! {
        <Inspected>
            <div class="map-pair">
                <MatrixFigure
                    id="kernel-head"
                    symbol="<math><mi>A</mi></math>"
                    name=Signal::derive(move || t_string!(i18n, layers.head_map).to_owned())
                    matrix=map
                    rows=axes::QUERIES
                    columns=axes::KEYS
                    scale=Scale::Weights
                    describe=weights_described(map)
                />
                <MatrixFigure
                    id="kernel-band"
                    symbol="<math><mi>K</mi></math>"
                    name=Signal::derive(move || t_string!(i18n, layers.kernel_band).to_owned())
                    matrix=band
                    rows=axes::QUERIES
                    columns=axes::KEYS
                    scale=Scale::Weights
                    describe=weights_described(band)
                />
            </div>
            <MatrixFigure
                id="kernel-output"
                symbol="<math><mi>K</mi><mi>V</mi></math>"
                name=Signal::derive(move || t_string!(i18n, layers.kernel_output).to_owned())
                matrix=output
                rows=axes::QUERIES
                describe=of_output
            />
        </Inspected>
    }
}

/// Counts the weights learned for all pairs of the sentence's positions.
#[component]
fn Connections() -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let tokens = Memo::new(move |_| context.names().len() as u64);
    let name = Signal::derive(move || t_string!(i18n, layers.connections).to_owned());
    let covered = 2 * REACH + 1;
    view! {
        <ScrollRegion class="lesson-table" test_id="connections" name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, layers.connection)}</th>
                        <th scope="col">{t!(i18n, layers.learned)}</th>
                    </tr>
                </thead>
                <tbody>
                    <tr>
                        <th scope="row">{t!(i18n, layers.fully_connected)}</th>
                        <td class="number">{move || tokens.get() * tokens.get()}</td>
                    </tr>
                    <tr>
                        <th scope="row">{move || t_string!(i18n, layers.local, k = covered)}</th>
                        <td class="number">{move || local_weights(tokens.get(), REACH as u64)}</td>
                    </tr>
                    <tr>
                        <th scope="row">{move || t_string!(i18n, layers.shared, k = covered)}</th>
                        <td class="number">{covered}</td>
                    </tr>
                    <tr>
                        <th scope="row">{t!(i18n, layers.self_attention)}</th>
                        <td class="number">"0"</td>
                    </tr>
                </tbody>
            </table>
        </ScrollRegion>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(data: &[f32]) -> Array {
        Array {
            shape: vec![4, 4],
            data: data.to_vec(),
        }
    }

    #[test]
    fn what_a_kernel_misses_is_near_or_far() {
        #[rustfmt::skip]
        let head = square(&[
            0.5, 0.1, 0.0, 0.4,
            0.0, 1.0, 0.0, 0.0,
            0.0, 0.0, 1.0, 0.0,
            0.2, 0.0, 0.0, 0.8,
        ]);
        let mut band = square(&[0.0; 16]);
        for place in [0, 5, 10, 15] {
            band.data[place] = 0.9;
        }
        assert!((local_difference(&head, &band) - 0.4).abs() < 1e-6);
        assert!((beyond(&head) - 0.15).abs() < 1e-6);
    }
}
