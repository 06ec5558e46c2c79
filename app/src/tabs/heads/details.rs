//! The selected value, whom its query reads most, and who reads its key.

use attention_trace::Token;
use leptos::prelude::*;

use super::context::HeadsContext;
use crate::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
};

/// Tokens listed for a token.
const LISTED: usize = 4;

/// The side panel.
#[component]
pub fn Details() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <section class="details-panel" aria-label=move || t_string!(i18n, heads.details)>
            <Readout />
            <StrongestKeys />
            <StrongestReaders />
        </section>
    }
}

/// The exact value of the selected cell, announced to screen readers.
#[component]
fn Readout() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let name = token_name();
    let value = Memo::new(move |_| {
        let cell = context.cell()?;
        context.with_map(|map| {
            let weight = map.weight(cell)?;
            let query = name(&map.queries[cell.query]);
            let key = name(&map.keys[cell.key]);
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

/// A token, and those that it attends to most or that attend to it most.
#[derive(Clone, PartialEq)]
struct Listed {
    token: Token,
    others: Vec<(Token, f32)>,
}

/// The keys that the selected query attends to most, as bars.
#[component]
fn StrongestKeys() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let listed = Memo::new(move |_| {
        let query = context.query();
        context.with_map(|map| {
            let keys = map.strongest(query, LISTED).into_iter();
            Some(Listed {
                token: map.queries.get(query)?.clone(),
                others: keys
                    .map(|(key, weight)| (map.keys[key].clone(), weight))
                    .collect(),
            })
        })?
    });
    view! {
        <Bars listed test_id="strongest-keys" class="as-query">
            {t!(i18n, heads.strongest)}
        </Bars>
    }
}

/// The queries that attend to the selected key most.
#[component]
fn StrongestReaders() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let listed = Memo::new(move |_| {
        let cell = context.cell();
        let cell = cell.or_else(|| context.strongest_of(context.query()))?;
        context.with_map(|map| {
            let queries = map.readers(cell.key, LISTED).into_iter();
            Some(Listed {
                token: map.keys.get(cell.key)?.clone(),
                others: queries
                    .map(|(query, weight)| (map.queries[query].clone(), weight))
                    .collect(),
            })
        })?
    });
    view! {
        <Bars listed test_id="strongest-readers" class="as-key">
            {t!(i18n, heads.readers)}
        </Bars>
    }
}

/// Tokens with a bar each. The table stays while its rows come and go.
#[component]
fn Bars(
    listed: Memo<Option<Listed>>,
    test_id: &'static str,
    /// How the token in the heading looks.
    class: &'static str,
    children: Children,
) -> impl IntoView {
    let name = token_name();
    let heading = move || listed.with(|listed| listed.as_ref().map(|listed| name(&listed.token)));
    let rows = move || {
        let others = listed.get().map(|listed| listed.others).unwrap_or_default();
        others
            .into_iter()
            .map(|(token, weight)| {
                view! {
                    <tr>
                        <th scope="row" class="token">{name(&token)}</th>
                        <td class="bar-cell">
                            <span class="bar" style=format!("--share: {weight:.4}")></span>
                        </td>
                        <td class="number">{format!("{weight:.4}")}</td>
                    </tr>
                }
            })
            .collect_view()
    };
    view! {
        <table class="bars" class:is-hidden=move || listed.read().is_none() data-testid=test_id>
            <caption>
                {children()} " " <span class=format!("token {class}")>{heading}</span>
            </caption>
            <tbody>{rows}</tbody>
        </table>
    }
}
