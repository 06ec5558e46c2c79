//! The distance by which the mask moves the stack's output for each token.

use attention_figures::{bars::Series, color::categorical};
use leptos::prelude::*;

use super::{
    change::{largest_change, relative_changes},
    experiment::Experiment,
};
use attention_core::{
    appearance::Appearance,
    engine::Part,
    i18n::{t_string, use_i18n},
    selection::SelfAttention,
    widgets::{BarFigure, Bars, Expected, Prompt, Values, numbers::decimal},
};

/// A bar for each token, and the question about the first and the last.
#[component]
pub fn Outputs(experiment: Experiment, weights: [Memo<Option<Part>>; 2]) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let context = SelfAttention::expect();
    let [plain, masked] = experiment.outputs();
    let chart = Memo::new(move |_| {
        let (theme, names) = (appearance.get(), context.names());
        let (Part(plain), Part(masked)) = (plain.get()?, masked.get()?);
        let mut values = relative_changes(&plain, &masked)?;
        values.truncate(names.len());
        Some(Bars {
            names: names.to_vec(),
            top: values.iter().copied().fold(1.0, f32::max),
            marked: None,
            series: vec![Series {
                label: Some(t_string!(i18n, masks.change).to_owned()),
                values,
                colors: vec![categorical(0, theme)],
            }],
        })
    });
    let [before, after] = weights;
    // Of the first token's row and of the last one's.
    let changes = Memo::new(move |_| {
        let (Part(before), Part(after)) = (before.get()?, after.get()?);
        let last = context.names().len().checked_sub(1)?;
        let change = |query| largest_change(&before, &after, query);
        Some([change(0)?, change(last)?])
    });
    let expected = Signal::derive(move || {
        let names = context.names();
        let [first, last] = changes.get()?;
        // Where no row changes more than the other, there is nothing to predict.
        (first != last).then(|| Expected::OneOf {
            options: names
                .first()
                .into_iter()
                .chain(names.last())
                .cloned()
                .collect(),
            right: vec![usize::from(last > first)],
        })
    });
    let values = Memo::new(move |_| -> Option<Values> {
        let names = context.names();
        let [first, last] = changes.get()?;
        Some(vec![
            ("first", names.first()?.clone()),
            ("last", names.last()?.clone()),
            ("first_change", decimal(first, 4)),
            ("last_change", decimal(last, 4)),
        ])
    });
    view! {
        <BarFigure
            name=Signal::derive(move || t_string!(i18n, masks.change).to_owned())
            test_id="mask-change"
            chart
        />
        <Prompt
            question="ask-rows"
            answer="answer-rows"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.row).to_owned())
            expected
        />
    }
}
