//! The selected value, the keys that the chosen queries attend to most, and the queries that attend to the chosen keys.

use attention_trace::{AttentionKind, Token};
use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use super::context::HeadsContext;
use attention_core::{
    edits::CellEditor,
    i18n::{t, t_string, use_i18n},
    names::token_name,
    widgets::{KeyHint, Later, numbers::share_of_one},
};

/// The number of tokens listed for a token.
const LISTED: usize = 4;

/// The side panel of the selected head.
#[component]
pub fn Details() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let is_edited = Memo::new(move |_| context.weight_place().is_some());
    view! {
        <section class="details-panel" aria-label=move || t_string!(i18n, heads.details)>
            <Readout />
            <Later load=editor when=is_edited />
            <NoWeight />
            <StrongestKeys />
            <StrongestReaders />
        </section>
    }
}

#[wasm_split(views, fallible)]
fn editor() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <Editor /> }.into_any())
}

/// The editor of the locked cell's weight.
#[component]
pub fn Editor() -> impl IntoView {
    let context = HeadsContext::expect();
    let weight = Memo::new(move |_| {
        let cell = context.locked_cell()?;
        context.with_map(|map| map.weight(cell))?
    });
    view! { <CellEditor place=Memo::new(move |_| context.weight_place()) weight /> }
}

/// The reason why the locked cell cannot be changed, if it is not a weight of the model.
#[component]
pub fn NoWeight() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let is_other = Memo::new(move |_| {
        let cell = context.locked_cell();
        cell.is_some_and(|cell| context.weight_of(cell).is_none())
    });
    view! {
        <Show when=move || is_other.get()>
            <p class="hint" data-testid="no-weight">{t!(i18n, heads.no_weight)}</p>
        </Show>
    }
}

/// The exact value of the selected cell, announced to screen readers.
#[component]
pub fn Readout() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let name = token_name();
    let value = Memo::new(move |_| {
        let cell = context.cell()?;
        context.with_map(|map| {
            let weight = map.weight(cell)?;
            let query = name(&map.queries[cell.query]);
            let key = name(&map.keys[cell.key]);
            let is_weight = context.weight_of(cell).is_some();
            let is_given = is_weight && context.given().read().contains(cell);
            Some((query, key, share_of_one(weight, 4), is_given))
        })?
    });
    view! {
        <div id="cell-readout" class="readout" role="status" data-testid="readout">
            {move || match value.get() {
                Some((query, key, weight, is_given)) => view! {
                    <p class="readout-value" data-testid="cell-value">{weight}</p>
                    <p class="given-word" class:is-hidden=!is_given>{t!(i18n, heads.given_here)}</p>
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
                        <Show when=move || context.is_locked()>
                            <KeyHint>{t!(i18n, heads.locked_keys)}</KeyHint>
                        </Show>
                    </p>
                }.into_any(),
                None => view! { <p class="hint">{t!(i18n, heads.cell_hint)}</p> }.into_any(),
            }}
        </div>
    }
}

/// Tokens, and the tokens with the largest weights from or to them.
#[derive(Clone, PartialEq)]
struct Listed {
    chosen: Chosen,
    others: Vec<(Token, f32)>,
}

/// A single token, or the number of several.
#[derive(Clone, PartialEq)]
enum Chosen {
    One(Token),
    Several(usize),
}

impl Chosen {
    fn of(places: &[usize], tokens: &[Token]) -> Option<Self> {
        match places {
            &[place] => tokens.get(place).cloned().map(Chosen::One),
            _ => Some(Chosen::Several(places.len())),
        }
    }
}

/// The keys that the chosen queries attend to most, as bars.
#[component]
fn StrongestKeys() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let listed = Memo::new(move |_| {
        let queries = context.queries();
        context.with_map(|map| {
            let keys = map.strongest(&queries, LISTED).into_iter();
            Some(Listed {
                chosen: Chosen::of(&queries, map.queries)?,
                others: keys
                    .map(|(key, weight)| (map.keys[key].clone(), weight))
                    .collect(),
            })
        })?
    });
    let several = move |count: usize| match context.display().words {
        true => t_string!(i18n, heads.words_mean, count = count).to_string(),
        false => t_string!(i18n, heads.tokens_mean, count = count).to_string(),
    };
    view! {
        <Bars listed several test_id="strongest-keys" class="as-query">
            {t!(i18n, heads.strongest)}
        </Bars>
    }
}

/// The queries that attend most to the chosen keys.
#[component]
fn StrongestReaders() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let listed = Memo::new(move |_| {
        let keys = read_keys(context)?;
        context.with_map(|map| {
            let queries = map.readers(&keys, LISTED).into_iter();
            Some(Listed {
                chosen: Chosen::of(&keys, map.keys)?,
                others: queries
                    .map(|(query, weight)| (map.queries[query].clone(), weight))
                    .collect(),
            })
        })?
    });
    let several = move |count: usize| match context.display().words {
        true => t_string!(i18n, heads.words_sum, count = count).to_string(),
        false => t_string!(i18n, heads.tokens_sum, count = count).to_string(),
    };
    view! {
        <Bars listed several test_id="strongest-readers" class="as-key">
            {t!(i18n, heads.readers)}
        </Bars>
    }
}

/// Returns the keys whose readers are listed: in self-attention, where queries are keys too, the chosen queries' own
/// tokens; elsewhere the selected cell's key, or without a cell the key that the queries attend to most.
fn read_keys(context: HeadsContext) -> Option<Vec<usize>> {
    let queries = context.queries();
    if context.kind()? != AttentionKind::Cross {
        return Some(queries);
    }
    let strongest = || {
        let strongest = context.with_map(|map| map.strongest(&queries, 1))?;
        Some(strongest.first()?.0)
    };
    let cell = context.cell();
    let key = cell.map(|cell| cell.key).or_else(strongest)?;
    Some(vec![key])
}

/// Tokens with a bar each. The table element stays when its rows change.
#[component]
fn Bars(
    listed: Memo<Option<Listed>>,
    /// The words for a number of several tokens.
    several: impl Fn(usize) -> String + Send + Sync + 'static,
    test_id: &'static str,
    /// The CSS class of the token in the heading.
    class: &'static str,
    children: Children,
) -> impl IntoView {
    let name = token_name();
    let heading = move || {
        listed.with(|listed| {
            Some(match &listed.as_ref()?.chosen {
                Chosen::One(token) => name(token),
                Chosen::Several(count) => several(*count),
            })
        })
    };
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
                        <td class="number">{share_of_one(weight, 4)}</td>
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
