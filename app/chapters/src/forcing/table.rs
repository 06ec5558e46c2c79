//! A table of a text's tokens with their probabilities, and their totals.

use leptos::prelude::*;

use super::reading::{ReadToken, Totals};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::{token_label, token_name},
    widgets::{
        ScrollRegion,
        numbers::{decimal, equations, grouped, significant},
    },
};

/// Decimals of logarithms, here and in what they are compared by.
pub const DECIMALS: usize = 3;

#[component]
pub fn TokenTable(
    /// The heading, which is also the table's accessible name.
    #[prop(into)]
    name: Signal<String>,
    /// The `data-testid` of the table.
    test_id: &'static str,
    /// The tokens of the text with their probabilities.
    #[prop(into)]
    text: Signal<Vec<ReadToken>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let (label, title) = (token_label(), token_name());
    let row = move |read: ReadToken| {
        let best = read.best.as_ref().map(|(token, log_probability)| {
            let words = format!(
                "{} ({})",
                title(token),
                decimal(0.0 - log_probability, DECIMALS)
            );
            view! { <span title=token.text.clone()>{words}</span> }
        });
        view! {
            <tr class:another=read.is_another()>
                <th scope="row">{label(&read.token)}</th>
                <td class="number">{decimal(read.loss(), DECIMALS)}</td>
                <td class="number">
                    {read.rank.map_or_else(|| "> 10".to_owned(), |rank| grouped(rank as u64))}
                </td>
                <td>{best}</td>
            </tr>
        }
    };
    view! {
        <figure class="token-table">
            <figcaption>{name}</figcaption>
            <ScrollRegion class="lesson-table" test_id name>
                <table aria-label=name>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, forcing.token)}</th>
                            <th scope="col">"−ln p"</th>
                            <th scope="col">{t!(i18n, forcing.rank)}</th>
                            <th scope="col">{t!(i18n, forcing.first_choice)}</th>
                        </tr>
                    </thead>
                    <tbody>{move || text.get().into_iter().map(row).collect_view()}</tbody>
                </table>
            </ScrollRegion>
            <p class="lesson-reading number" data-testid=format!("{test_id}-totals")>
                {move || text.with(|text| Totals::of(text)).map(|totals| equations(t_string!(
                    i18n,
                    forcing.totals,
                    log_likelihood = decimal(totals.log_likelihood, DECIMALS),
                    tokens = totals.tokens,
                    loss = decimal(totals.loss(), DECIMALS),
                    perplexity = significant(totals.perplexity())
                )))}
            </p>
        </figure>
    }
}
