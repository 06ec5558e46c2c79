//! Sequences of the table in a table of their own, ranked.

use attention_trace::search::Path;
use leptos::prelude::*;

use super::context::{probability, product, written};
use attention_core::{
    i18n::{t, use_i18n},
    widgets::{ScrollRegion, numbers::decimal},
};

/// Sequences in the order of their ranks.
#[component]
pub fn Ranked(
    #[prop(into)] name: Signal<String>,
    /// The `data-testid` of the list.
    test_id: &'static str,
    /// The sequences, best first.
    #[prop(into)]
    found: Signal<Vec<Path>>,
    /// The exponent of the length; `None` if all sequences are equally long and no score is shown.
    #[prop(into)]
    alpha: Signal<Option<f64>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let row = move |(place, path): (usize, Path)| {
        let scored = alpha.get().map(|alpha| {
            view! {
                <td class="number">{path.tokens.len()}</td>
                <td class="number">{decimal(path.log_probability() as f32, 3)}</td>
                <td class="number">{decimal(path.score(alpha) as f32, 3)}</td>
            }
        });
        view! {
            <tr class:chosen=place == 0>
                <th scope="row" class="number">{place + 1}</th>
                <td>{written(&path.tokens)}</td>
                <td class="number">{product(&path)}</td>
                <td class="number">{probability(path.probability())}</td>
                {scored}
            </tr>
        }
    };
    view! {
        <ScrollRegion class="lesson-table" test_id name>
            <table aria-label=name>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, search.rank)}</th>
                        <th scope="col">{t!(i18n, search.sequence)}</th>
                        <th scope="col">{t!(i18n, search.product)}</th>
                        <th scope="col">"p"</th>
                        {move || alpha.get().is_some().then(|| view! {
                            <th scope="col">{t!(i18n, search.length)}" L"</th>
                            <th scope="col">"Σ ln p"</th>
                            <th scope="col">{t!(i18n, search.score)}</th>
                        })}
                    </tr>
                </thead>
                <tbody>{move || found.get().into_iter().enumerate().map(row).collect_view()}</tbody>
            </table>
        </ScrollRegion>
    }
}
