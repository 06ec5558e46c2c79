//! Three uses of the result of attention: it replaces the word's vector, is concatenated to it, or is added to it.

use leptos::prelude::*;

use super::{HandContext, dimension, given_of_query};
use crate::follow::{Derivation, Operation, explained};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::matrix::{Matrix, MatrixFigure},
};

/// All three uses, side by side.
#[component]
pub fn Used() -> impl IntoView {
    let i18n = use_i18n();
    let context = HandContext::expect();
    let added = Signal::derive(move || {
        let steps = context.steps.answer.read();
        let added = steps.as_ref()?.added.as_ref()?;
        let row = added.row(&[context.query()])?;
        Some(Matrix::new(row, row.len()).with_rows(vec![context.query_word()?]))
    });
    let concatenated = explained(move |_, column| {
        let width = *context.input().x.shape.last()?;
        let (name, at) = match column < width {
            true => ("x", column),
            false => ("z", column - width),
        };
        Some(Derivation {
            place: vec![name.to_owned(), dimension(at)],
            value: *context
                .query_row(|steps| &steps.concatenated)?
                .get(column)?,
            operation: Operation::Given,
        })
    });
    let summed = explained(move |_, column| {
        let own = context.input().x.row(&[context.query()])?.to_vec();
        let read = context.query_row(|steps| &steps.output)?;
        Some(Derivation {
            place: vec![dimension(column)],
            value: added.get()?.value(0, column)?,
            operation: Operation::Sum(vec![
                ("x".to_owned(), *own.get(column)?),
                ("z".to_owned(), *read.get(column)?),
            ]),
        })
    });
    let fits = Memo::new(move |_| {
        let input = context.input();
        input.x.shape.last() == input.w_v.shape.last()
    });
    view! {
        <div class="hand-used">
            <MatrixFigure
                id="hand-replaced"
                symbol="<math><mi>x</mi><mo>←</mo><mi>z</mi></math>"
                name=Signal::derive(move || t_string!(i18n, chapters.name_replaced).to_owned())
                matrix=context.of_query(|steps| &steps.output)
                describe=given_of_query(context, |steps| &steps.output)
            />
            <MatrixFigure
                id="hand-concatenated"
                symbol="<math><mo>[</mo><mi>x</mi><mo>;</mo><mi>z</mi><mo>]</mo></math>"
                name=Signal::derive(move || t_string!(i18n, chapters.name_both).to_owned())
                matrix=context.of_query(|steps| &steps.concatenated)
                describe=concatenated
            />
            <Show
                when=move || fits.get()
                fallback=move || view! { <p class="hint">{t!(i18n, hand.not_as_wide)}</p> }
            >
                <MatrixFigure
                    id="hand-added"
                    symbol="<math><mi>x</mi><mo>+</mo><mi>z</mi></math>"
                    name=Signal::derive(move || t_string!(i18n, chapters.name_summed).to_owned())
                    matrix=added
                    describe=summed
                />
            </Show>
        </div>
    }
}
