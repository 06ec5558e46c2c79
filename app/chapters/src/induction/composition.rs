//! Composition scores: how much of what each head of the earlier layer writes each head of the later layer reads.

use attention_core::{
    engine::Live,
    i18n::{t_string, use_i18n},
    widgets::{
        Segmented,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure, numbers_described},
        numbers::decimal,
    },
};
use attention_figures::matrix::Scale;
use attention_trace::circuits::{by_chance, composition};
use leptos::prelude::*;

use super::{
    found::Found,
    parameters::Part,
    weights::{layer_of, stack_with_circuits},
};

/// The scores of all pairs of heads of both layers; empty of a model without circuits.
#[component]
pub fn CompositionFigure() -> impl IntoView {
    let i18n = use_i18n();
    let (live, found) = (Live::expect(), Found::expect());
    let part = Memo::new(move |_| found.view.with(|view| view.part));
    let layer = Memo::new(move |_| Some(found.pair()?[0].attention.layer));
    let earlier = layer_of(live, move || Some(found.pair()?[0]));
    let later = layer_of(live, move || Some(found.pair()?[1]));
    let scores = Memo::new(move |_| -> Option<Vec<Vec<f32>>> {
        let (earlier, later) = (earlier.get()?.all()?, later.get()?.all()?);
        let part = part.get().into();
        let row = |one| {
            later
                .iter()
                .map(|other| composition(one, other, part))
                .collect()
        };
        earlier.iter().map(row).collect()
    });
    let matrix = Memo::new(move |_| {
        let (scores, layer) = (scores.get()?, layer.get()?);
        let row = |head: usize| format!("{}.{}", layer + 1, head + 1);
        let column = |head: usize| t_string!(i18n, long.head, head = head + 1).to_string();
        let columns = scores.first()?.len();
        Some(
            Matrix::new(scores.concat(), columns)
                .with_rows((0..scores.len()).map(row).collect::<Vec<_>>())
                .with_columns((0..columns).map(column).collect::<Vec<_>>()),
        )
    });
    let words = move || {
        let scores = scores.get()?;
        let width = live.trace()?.meta.spec.width;
        let all = || scores.iter().flatten().copied();
        Some(t_string!(
            i18n,
            induction.composed,
            most = decimal(all().fold(f32::NEG_INFINITY, f32::max), 3),
            least = decimal(all().fold(f32::INFINITY, f32::min), 3),
            chance = decimal(by_chance(width), 3)
        ))
    };
    let has_circuits = Memo::new(move |_| {
        live.trace()
            .is_some_and(|trace| stack_with_circuits(&trace.meta.spec).is_some())
    });
    view! {
        <Show when=move || has_circuits.get()>
            <section class="lesson-figure" data-testid="composition">
                <Segmented
                    label=Signal::derive(move || t_string!(i18n, induction.part).to_owned())
                    options=Signal::derive(move || vec![
                        (Part::Key, t_string!(i18n, induction.by_key).to_owned()),
                        (Part::Query, t_string!(i18n, induction.by_query).to_owned()),
                        (Part::Value, t_string!(i18n, induction.by_value).to_owned()),
                    ])
                    value=part
                    choose=move |part| found.update(|view| view.part = part)
                />
                <Inspected>
                    <MatrixFigure
                        id="composition"
                        symbol="C"
                        name=Signal::derive(move || t_string!(i18n, induction.composition).to_owned())
                        matrix
                        scale=Scale::Largest
                        rows_shown=32
                        describe=numbers_described(matrix)
                    />
                </Inspected>
                <p class="lesson-reading number" role="status" data-testid="composed">{words}</p>
            </section>
        </Show>
    }
}
