//! Distances between the permuted outputs and the outputs of the permuted input, in every setting.

use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    experiment::{Knows, OrderSelection, PermutationInput, difference},
    words::Words,
};
use attention_core::{
    i18n::{Locale, t, t_string, use_i18n},
    widgets::{Expected, Finding, Prompt, ScrollRegion, Values, numbers::apart},
};

/// Differences up to this one are those of rounding.
const ROUNDING: f32 = 1e-3;

/// A setting, and the difference in it.
#[derive(Clone, Copy)]
struct Setting {
    knows: Knows,
    difference: Memo<Option<f32>>,
}

impl Setting {
    fn of(selection: OrderSelection, knows: Knows) -> Self {
        let plain = selection.outputs(false, knows);
        let moved = selection.outputs(true, knows);
        let difference = Memo::new(move |_| {
            let (plain, moved) = (plain.get()?, moved.get()?);
            difference(&plain.0, &moved.0, &selection.input.get()?.order)
        });
        Setting { knows, difference }
    }

    fn name(self, i18n: I18nContext<Locale>, has_mask: bool) -> String {
        match (self.knows.positions, self.knows.causal, has_mask) {
            (false, _, false) => t_string!(i18n, order.off),
            (true, _, false) => t_string!(i18n, order.on),
            (false, false, true) => t_string!(i18n, order.off_unmasked),
            (false, true, true) => t_string!(i18n, order.off_masked),
            (true, _, true) => t_string!(i18n, order.on_masked),
        }
        .to_owned()
    }
}

/// The words to move, the settings of the model on screen with their differences, and the question about them.
#[component]
pub fn Measured(selection: OrderSelection) -> impl IntoView {
    // The settings are others where the model has a mask.
    let has_mask = Memo::new(move |_| selection.is_causal_model());
    move || view! { <Differences selection has_mask=has_mask.get() /> }
}

fn settings(has_mask: bool) -> Vec<Knows> {
    let knows = |positions, causal| Knows { positions, causal };
    match has_mask {
        false => vec![knows(false, true), knows(true, true)],
        true => vec![knows(false, false), knows(false, true), knows(true, true)],
    }
}

#[component]
fn Differences(selection: OrderSelection, has_mask: bool) -> impl IntoView {
    let i18n = use_i18n();
    let settings: Vec<Setting> = settings(has_mask)
        .into_iter()
        .map(|knows| Setting::of(selection, knows))
        .collect();
    let (first, last) = (settings.first().copied(), settings.last().copied());
    let prompt = prompt(first, last);
    let is_moved =
        move |input: &PermutationInput| input.order.iter().enumerate().any(|(i, &j)| i != j);
    let untouched = move || {
        let moved = selection
            .input
            .with(|input| input.as_ref().is_some_and(is_moved));
        (!moved).then(|| t_string!(i18n, order.untouched))
    };
    Finding::tell(move || {
        let of = |setting: Option<Setting>| Some(apart(setting?.difference.get()?));
        selection
            .input
            .with(|input| input.as_ref().is_some_and(is_moved))
            .then_some(())?;
        Some(t_string!(
            i18n,
            order.found,
            off = of(first)?,
            on = of(last)?
        ))
    });
    let row = move |setting: Setting| {
        view! {
            <tr>
                <th scope="row">{move || setting.name(i18n, has_mask)}</th>
                <td class="number" data-testid="order-difference">
                    {move || setting.difference.get().map_or_else(|| "…".to_owned(), apart)}
                </td>
            </tr>
        }
    };
    view! {
        <div class="lesson-figure">
            <Words selection />
            <ScrollRegion
                class="lesson-table"
                test_id="order-measured"
                name=Signal::derive(move || t_string!(i18n, order.measured).to_owned())
            >
                <table aria-label=move || t_string!(i18n, order.measured).to_owned()>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, order.setting)}</th>
                            <th scope="col">{t!(i18n, order.difference)}</th>
                        </tr>
                    </thead>
                    <tbody>{settings.into_iter().map(row).collect_view()}</tbody>
                </table>
            </ScrollRegion>
            <p class="hint">{untouched}</p>
        </div>
        {prompt}
    }
}

/// The question, with the settings that have the fewest and the most sources of order.
fn prompt(least: Option<Setting>, most: Option<Setting>) -> impl IntoView {
    let i18n = use_i18n();
    let values = Signal::derive(move || -> Option<Values> {
        let of = |setting: Option<Setting>| Some(apart(setting?.difference.get()?));
        Some(vec![("off", of(least)?), ("on", of(most)?)])
    });
    let expected = Signal::derive(move || {
        let difference: f32 = least?.difference.get()?;
        Some(Expected::Truth(difference > ROUNDING))
    });
    view! {
        <Prompt
            question="ask-order"
            answer="answer-order"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.order).to_owned())
            expected
        />
    }
}
