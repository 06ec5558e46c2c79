//! What the selected head does at the selected token, as a sentence computed from its weights.

use attention_trace::Stack;
use leptos::prelude::*;

use super::context::HeadsContext;
use crate::{
    i18n::{t_string, use_i18n},
    names::token_name,
    widgets::numbers::percent,
};

/// Below this share of the largest weight a head does not point at one token.
const POINTS: f32 = 0.3;

/// What the sentence says.
#[derive(Clone, PartialEq)]
struct Reading {
    /// What is written next, where the query's stack writes.
    next: Option<String>,
    query: String,
    key: String,
    weight: f32,
}

/// The sentence under the figure.
#[component]
pub fn Caption() -> impl IntoView {
    let i18n = use_i18n();
    let reading = reading(HeadsContext::expect());
    let sentence = move || {
        let Reading {
            next,
            query,
            key,
            weight,
        } = reading.get()?;
        let share = percent(weight);
        Some(match (next, weight < POINTS) {
            (Some(next), false) => t_string!(
                i18n,
                heads.writes,
                next = next,
                query = query,
                share = share,
                key = key
            ),
            (Some(next), true) => t_string!(
                i18n,
                heads.writes_spread,
                next = next,
                query = query,
                share = share,
                key = key
            ),
            (None, false) => t_string!(i18n, heads.reads, query = query, share = share, key = key),
            (None, true) => {
                t_string!(
                    i18n,
                    heads.reads_spread,
                    query = query,
                    share = share,
                    key = key
                )
            }
        })
    };
    view! { <p class="caption" data-testid="caption">{sentence}</p> }
}

fn reading(context: HeadsContext) -> Memo<Option<Reading>> {
    let name = token_name();
    Memo::new(move |_| {
        let query = context.query();
        let (token, key, weight) = context.with_map(|map| {
            let (key, weight) = *map.strongest(query, 1).first()?;
            Some((
                map.queries.get(query)?.clone(),
                map.keys[key].clone(),
                weight,
            ))
        })??;
        let writes = context.kind()?.stack() == Stack::Decoder;
        let next = writes.then(|| context.written_after(query)).flatten();
        Some(Reading {
            next: next.map(|next| name(&next)),
            query: name(&token),
            key: name(&key),
            weight,
        })
    })
}
