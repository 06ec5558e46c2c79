//! The selected value and where its query looks most.

use leptos::prelude::*;

use super::context::HeadsContext;
use crate::{
    i18n::{t, t_string, use_i18n},
    widgets::label,
};

/// Keys listed for a query.
const LISTED: usize = 6;

/// The side panel.
#[component]
pub fn Details() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <section class="details-panel" aria-label=move || t_string!(i18n, heads.details)>
            <Readout />
            <StrongestKeys />
        </section>
    }
}

/// The exact value of the selected cell, announced to screen readers.
#[component]
fn Readout() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let value = Memo::new(move |_| {
        let cell = context.cell()?;
        context.with_map(|map| {
            let weight = map.weight(cell)?;
            let query = label(&map.queries[cell.query]).to_owned();
            let key = label(&map.keys[cell.key]).to_owned();
            Some((query, key, format!("{weight:.4}")))
        })?
    });
    view! {
        <div id="cell-readout" class="readout" role="status" data-testid="readout">
            {move || match value.get() {
                Some((query, key, weight)) => view! {
                    <p class="readout-value" data-testid="cell-value">{weight}</p>
                    <p class="readout-pair">
                        <span class="token as-query">{query}</span>
                        " → "
                        <span class="token as-key">{key}</span>
                    </p>
                    <p class="hint">
                        {move || if context.is_locked() {
                            t_string!(i18n, heads.locked_hint)
                        } else {
                            t_string!(i18n, heads.lock_hint)
                        }}
                    </p>
                }.into_any(),
                None => view! { <p class="hint">{t!(i18n, heads.cell_hint)}</p> }.into_any(),
            }}
        </div>
    }
}

/// The keys that the selected query attends to most, as bars.
#[component]
fn StrongestKeys() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let listed = Memo::new(move |_| {
        let query = context.query();
        context.with_map(|map| {
            let token = map.queries.get(query).map(label).unwrap_or_default();
            let keys = map.strongest(query, LISTED);
            let keys = keys
                .into_iter()
                .map(|(key, weight)| (label(&map.keys[key]).to_owned(), weight));
            (token.to_owned(), keys.collect::<Vec<_>>())
        })
    });
    view! {
        {move || listed.get().map(|(query, keys)| view! {
            <table class="bars" data-testid="strongest-keys">
                <caption>
                    {t!(i18n, heads.strongest)} " " <span class="token as-query">{query}</span>
                </caption>
                <tbody>
                    {keys.into_iter().map(|(key, weight)| view! {
                        <tr>
                            <th scope="row" class="token">{key}</th>
                            <td class="bar-cell">
                                <span class="bar" style=format!("--share: {weight:.4}")></span>
                            </td>
                            <td class="number">{format!("{weight:.4}")}</td>
                        </tr>
                    }).collect_view()}
                </tbody>
            </table>
        })}
    }
}
