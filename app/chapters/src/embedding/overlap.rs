//! `AAᵀ`: how much the hops overlap, and the penalty on it, of both models.

use crate::embedding::parameters::Hops;
use std::sync::Arc;

use attention_figures::matrix::Scale;
use attention_trace::lessons::EmbeddedSentence;
use leptos::prelude::*;

use super::{context::EmbeddingContext, hop_name};
use attention_core::{
    i18n::{t_string, use_i18n},
    lessons::Asked,
    widgets::{
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure},
        numbers::{decimal, equations},
    },
};

/// The matrices of the model with the penalty and of the one without, side by side.
#[component]
pub fn OverlapFigure() -> impl IntoView {
    let context = EmbeddingContext::expect();
    let is_free = Memo::new(move |_| context.lab.with(|lab| lab.hops == Hops::Free));
    let of = move |free: bool| {
        Signal::derive(move || match is_free.get() == free {
            true => context.seen,
            false => context.other,
        })
    };
    view! {
        <section class="lesson-figure" data-testid="overlap">
            <Inspected>
                <div class="map-pair">
                    <Overlap id="overlap-penalised" asked=of(false) hops=Hops::Penalised />
                    <Overlap id="overlap-free" asked=of(true) hops=Hops::Free />
                </div>
            </Inspected>
        </section>
    }
}

#[component]
fn Overlap(id: &'static str, asked: Signal<Asked<EmbeddedSentence>>, hops: Hops) -> impl IntoView {
    let i18n = use_i18n();
    let matrix = Memo::new(move |_| {
        let overlap = asked
            .get()
            .answer
            .with(|seen| Some(seen.as_ref()?.overlap.clone()))?;
        let side = *overlap.shape.first()?;
        let names: Arc<[String]> = (0..side).map(|hop| hop_name(i18n, hop)).collect();
        let matrix = Matrix::new(overlap.data, side);
        Some(matrix.with_rows(names.clone()).with_columns(names))
    });
    let penalty = move || {
        let penalty = asked
            .get()
            .answer
            .with(|seen| Some(seen.as_ref()?.penalty))?;
        Some(equations(t_string!(
            i18n,
            embedding.penalty_is,
            penalty = decimal(penalty, 3)
        )))
    };
    let name = Signal::derive(move || {
        match hops {
            Hops::Penalised => t_string!(i18n, embedding.penalised),
            Hops::Free => t_string!(i18n, embedding.free),
        }
        .to_owned()
    });
    let describe = Callback::new(move |(row, column): (usize, usize)| {
        let value = matrix.with(|matrix| matrix.as_ref()?.value(row, column));
        let words = value.map(|value| {
            let (one, other) = (hop_name(i18n, row), hop_name(i18n, column));
            let value = decimal(value, 4);
            t_string!(
                i18n,
                embedding.overlap_of,
                one = one,
                other = other,
                value = value
            )
        });
        words
            .map(|words| view! { <p class="number">{words}</p> })
            .into_any()
    });
    view! {
        <div>
            <MatrixFigure
                id
                symbol="<math><mi>A</mi><msup><mi>A</mi><mo>⊤</mo></msup></math>"
                name
                matrix
                scale=Scale::Weights
                describe
            />
            <p class="lesson-reading number" role="status" data-testid=format!("{id}-penalty")>{penalty}</p>
        </div>
    }
}
