//! The share of values that the models name, and the bytes that each way keeps of the pairs.

use attention_trace::lessons::{RECALL_PAIRS, RecallWay, Recalled, StateRule};
use leptos::prelude::*;

use super::{
    parameters::Measure,
    progress::Comparison,
    race::{measure_name, measured, way_name},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::{
        ScrollRegion,
        numbers::{grouped, share_of_one},
    },
};

/// Bytes of a number, in the 32 bits in which the page computes.
const NUMBER_BYTES: usize = 4;

/// A row for each number of pairs.
#[component]
pub fn RecallTable(
    models: Memo<Vec<Recalled>>,
    measure: Memo<Measure>,
    comparison: Memo<Comparison>,
) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, recall.table).to_owned());
    let row = move |pairs: usize| {
        let bytes = move |way: RecallWay| {
            let numbers = move || way.kept_numbers(pairs, comparison.get().width);
            view! { <td class="number">{move || grouped((numbers() * NUMBER_BYTES) as u64)}</td> }
        };
        let score = move |way: RecallWay| {
            let text = move || {
                let models = models.read();
                let model = models.iter().find(|model| model.run.way == way);
                let scores = model
                    .map(|model| model.scores.as_slice())
                    .unwrap_or_default();
                let score = scores.iter().find(|score| score.pairs == pairs);
                score.map_or_else(
                    || "–".to_owned(),
                    |score| share_of_one(measured(measure.get(), score), 3),
                )
            };
            view! { <td class="number">{text}</td> }
        };
        view! {
            <tr>
                <th scope="row" class="number">{pairs}</th>
                {[RecallWay::Softmax, RecallWay::State(StateRule::Delta)].map(bytes)}
                {RecallWay::ALL.map(score)}
            </tr>
        }
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="recall-table" name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col" rowspan="2">{t!(i18n, recall.pairs)}</th>
                        <th scope="colgroup" colspan="2">{t!(i18n, recall.bytes)}</th>
                        <th scope="colgroup" colspan="4">{move || measure_name(i18n, measure.get())}</th>
                    </tr>
                    <tr>
                        <th scope="col">{t!(i18n, recall.of_pairs)}</th>
                        <th scope="col">{t!(i18n, recall.of_state)}</th>
                        {RecallWay::ALL.map(|way| view! {
                            <th scope="col">{move || way_name(i18n, way)}</th>
                        })}
                    </tr>
                </thead>
                <tbody>{RECALL_PAIRS.map(row)}</tbody>
            </table>
        </ScrollRegion>
    }
}
