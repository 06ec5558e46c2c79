//! The cost of a layer by its formula, for sizes that the visitor chooses.

use crate::layers::parameters::LayersLab;
use attention_trace::layers::{Convolutions, SequenceLayer};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::words::{lab, layer_name};
use attention_core::{
    i18n::{Locale, t, t_string, use_i18n},
    state::ViewState,
    widgets::{NumberField, ScrollRegion, numbers::grouped},
};

/// A row of the table. A cost that a part of a layer does not have is a dash.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    test_id: &'static str,
    name: String,
    order: &'static str,
    formula: &'static str,
    operations: u64,
    steps: Option<(&'static str, u64)>,
    path: Option<(&'static str, u64)>,
}

fn rows(i18n: I18nContext<Locale>, lab: &LayersLab) -> Vec<Row> {
    let size = lab.counted();
    let n = size.tokens;
    let path = |layer: SequenceLayer, dilated| {
        let convolutions = Convolutions {
            dilated,
            ..lab.convolutions()
        };
        layer.longest_path(n, convolutions)
    };
    let convolution = |test_id, name: &str, dilated, order| Row {
        test_id,
        name: name.to_owned(),
        order: "O(k·n·d²)",
        formula: "k·n·d²",
        operations: SequenceLayer::Convolution.operations(size).total(),
        steps: Some(("O(1)", SequenceLayer::Convolution.sequential_steps(n))),
        path: path(SequenceLayer::Convolution, dilated).map(|length| (order, length)),
    };
    let recurrent = SequenceLayer::Recurrent;
    let attention = SequenceLayer::SelfAttention;
    let parts = attention.operations(size);
    vec![
        Row {
            test_id: "counted-recurrent",
            name: layer_name(i18n, recurrent).to_owned(),
            order: "O(n·d²)",
            formula: "2·n·d²",
            operations: recurrent.operations(size).total(),
            steps: Some(("O(n)", recurrent.sequential_steps(n))),
            path: path(recurrent, false).map(|length| ("O(n)", length)),
        },
        convolution(
            "counted-contiguous",
            t_string!(i18n, layers.contiguous_row),
            false,
            "O(n/k)",
        ),
        convolution(
            "counted-dilated",
            t_string!(i18n, layers.dilated_row),
            true,
            "O(logₖ n)",
        ),
        Row {
            test_id: "counted-pairs",
            name: t_string!(i18n, layers.pairs_row).to_owned(),
            order: "O(n²·d)",
            formula: "2·n²·d",
            operations: parts.by_pair,
            steps: Some(("O(1)", attention.sequential_steps(n))),
            path: path(attention, false).map(|length| ("O(1)", length)),
        },
        Row {
            test_id: "counted-projections",
            name: t_string!(i18n, layers.projections_row).to_owned(),
            order: "O(n·d²)",
            formula: "4·n·d²",
            operations: parts.by_token,
            steps: None,
            path: None,
        },
    ]
}

/// The sizes and the table.
#[component]
pub fn Counted() -> impl IntoView {
    let i18n = use_i18n();
    let (state, lab) = (ViewState::expect(), lab());
    let name = Signal::derive(move || t_string!(i18n, layers.counted).to_owned());
    let with_order = |told: Option<(&'static str, u64)>| match told {
        Some((order, number)) => format!("{order}: {}", grouped(number)),
        None => "–".to_owned(),
    };
    let row = move |row: Row| {
        view! {
            <tr data-testid=row.test_id>
                <th scope="row">{row.name}</th>
                <td>{row.order}</td>
                <td class="number">{format!("{} = {}", row.formula, grouped(row.operations))}</td>
                <td class="number">{with_order(row.steps)}</td>
                <td class="number">{with_order(row.path)}</td>
            </tr>
        }
    };
    view! {
        <section class="lesson-figure" data-testid="layers-counted">
            <div class="position-controls">
                <NumberField
                    name=Signal::derive(move || t_string!(i18n, layers.tokens).to_owned())
                    test_id="counted-n"
                    bounds=LayersLab::COUNTED_TOKENS
                    value=Signal::derive(move || lab.with(|lab| lab.counted_tokens))
                    set=move |value| state.update_chapters(|chapters| chapters.of_mut::<LayersLab>().counted_tokens = value)
                />
                <NumberField
                    name=Signal::derive(move || t_string!(i18n, layers.width).to_owned())
                    test_id="counted-d"
                    bounds=LayersLab::COUNTED_WIDTHS
                    value=Signal::derive(move || lab.with(|lab| lab.counted_width))
                    set=move |value| state.update_chapters(|chapters| chapters.of_mut::<LayersLab>().counted_width = value)
                />
                <p class="hint">
                    {move || t_string!(i18n, layers.counted_kernel, k = lab.with(|lab| lab.kernel))}
                </p>
            </div>
            <ScrollRegion class="lesson-table" test_id="layers-table" name>
                <table aria-label=name>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, layers.layer)}</th>
                            <th scope="col">{t!(i18n, layers.complexity)}</th>
                            <th scope="col">{t!(i18n, layers.operations)}</th>
                            <th scope="col">{t!(i18n, layers.sequential)}</th>
                            <th scope="col">{t!(i18n, layers.path)}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {move || lab.with(|lab| rows(i18n, lab)).into_iter().map(row).collect_view()}
                    </tbody>
                </table>
            </ScrollRegion>
        </section>
    }
}
