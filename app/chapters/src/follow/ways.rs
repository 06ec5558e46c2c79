//! Three ways to use what attention found: replace, add, concatenate.

use attention_trace::Quantity;
use leptos::prelude::*;

use super::{
    axes,
    context::FollowContext,
    derivation::{Derivation, Operation},
    derivation_view::explained,
    sites::Sites,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{
        Prose,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure},
    },
};

/// Two rows, combined in three ways.
#[component]
pub fn Ways() -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let own = context.whole(Sites::residual_input);
    let found = context.whole(|sites| sites.attention().at(Quantity::Out));
    let sum = context.whole(|sites| sites.attention().at(Quantity::Residual));
    let both = Signal::derive(move || {
        let row = [own.query_row()?, found.query_row()?].concat();
        let columns = row.len();
        Some(Matrix::new(row, columns).with_rows(vec![context.query_label()?]))
    });
    let place = |column: usize| vec![format!("c = {}", column + 1)];
    let made_replaced = explained(move |_, column| {
        Some(Derivation {
            place: place(column),
            value: found.query_value(column)?,
            operation: Operation::Given,
        })
    });
    let made_sum = explained(move |_, column| {
        Some(Derivation {
            place: place(column),
            value: sum.query_value(column)?,
            operation: Operation::Sum(vec![
                ("x".to_owned(), own.query_value(column)?),
                ("o".to_owned(), found.query_value(column)?),
            ]),
        })
    });
    let made_both = explained(move |_, column| {
        let width = own.query_row()?.len();
        let (name, numbers, index) = if column < width {
            ("x", own, column)
        } else {
            ("o", found, column - width)
        };
        Some(Derivation {
            place: vec![name.to_owned(), format!("c = {}", index + 1)],
            value: numbers.query_value(index)?,
            operation: Operation::Given,
        })
    });
    view! {
        <section class="chapter-section" data-testid="ways">
            <Prose part="ways" />
            <Inspected><div class="ways">
                <MatrixFigure
                    id="replaced"
                    symbol="<math><mi>x</mi><mo>←</mo><mi>o</mi></math>"
                    name=Signal::derive(move || t_string!(i18n, chapters.name_replaced).to_owned())
                    matrix=found.of_query()
                    columns=axes::WIDTH
                    describe=made_replaced
                />
                <MatrixFigure
                    id="summed"
                    symbol="<math><mi>x</mi><mo>+</mo><mi>o</mi></math>"
                    name=Signal::derive(move || t_string!(i18n, chapters.name_summed).to_owned())
                    matrix=sum.of_query()
                    columns=axes::WIDTH
                    describe=made_sum
                />
                <MatrixFigure
                    id="both"
                    symbol="<math><mo>[</mo><mi>x</mi><mo>;</mo><mi>o</mi><mo>]</mo></math>"
                    name=Signal::derive(move || t_string!(i18n, chapters.name_both).to_owned())
                    matrix=both
                    describe=made_both
                />
            </div>
            </Inspected>
            <Prose part="ways-result" />
        </section>
    }
}
