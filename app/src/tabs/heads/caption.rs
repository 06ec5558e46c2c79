//! What the selected head does at the selected token, or several heads at several tokens, as a sentence computed from the
//! weights.

use attention_trace::Stack;
use leptos::prelude::*;

use super::context::HeadsContext;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    navigation::ViewLink,
    state::{Tab, View},
    widgets::numbers::percent,
};

/// Below this share of the largest weight a head does not point at one token.
const POINTS: f32 = 0.3;

/// What the sentence says.
#[derive(Clone, PartialEq)]
struct Reading {
    asks: Asks,
    /// How many heads the weights are the mean of.
    heads: usize,
    key: String,
    weight: f32,
}

/// Whose attention it is.
#[derive(Clone, PartialEq)]
enum Asks {
    /// A token after which another one is written.
    Writes { query: String, next: String },
    /// A token.
    Reads { query: String },
    /// So many tokens, on average.
    Together(usize),
}

/// The sentence under the figure.
#[component]
pub fn Caption() -> impl IntoView {
    let i18n = use_i18n();
    let reading = reading(HeadsContext::expect());
    let who = move |heads: usize| match heads {
        1 => t_string!(i18n, heads.one_head_here).to_owned(),
        _ => t_string!(i18n, heads.mean_here, count = heads).to_string(),
    };
    let sentence = move || {
        let Reading {
            asks,
            heads,
            key,
            weight,
        } = reading.get()?;
        let (share, who) = (percent(weight, 0), who(heads));
        Some(match (asks, weight < POINTS) {
            (Asks::Writes { query, next }, false) => t_string!(
                i18n,
                heads.writes,
                next = next,
                query = query,
                who = who,
                share = share,
                key = key
            ),
            (Asks::Writes { query, next }, true) => t_string!(
                i18n,
                heads.writes_spread,
                next = next,
                query = query,
                who = who,
                share = share,
                key = key
            ),
            (Asks::Reads { query }, false) => t_string!(
                i18n,
                heads.reads,
                query = query,
                who = who,
                share = share,
                key = key
            ),
            (Asks::Reads { query }, true) => t_string!(
                i18n,
                heads.reads_spread,
                query = query,
                who = who,
                share = share,
                key = key
            ),
            (Asks::Together(count), false) => t_string!(
                i18n,
                heads.together,
                count = count,
                who = who,
                share = share,
                key = key
            ),
            (Asks::Together(count), true) => t_string!(
                i18n,
                heads.together_spread,
                count = count,
                who = who,
                share = share,
                key = key
            ),
        })
    };
    view! {
        <p class="caption" data-testid="caption">{sentence}</p>
        <RolesLink />
    }
}

/// To the card that says what the head does in other sentences.
#[component]
fn RolesLink() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    view! {
        <ViewLink
            change=move |view: &mut View| {
                if let Some(head) = context.chosen() {
                    view.use_head(head);
                }
                view.tab = Tab::Learn;
                view.chapters.open("roles");
            }
            class="own-sentence roles-link"
            test_id="roles-of-head"
        >
            {t!(i18n, roles.card)}
        </ViewLink>
    }
}

fn reading(context: HeadsContext) -> Memo<Option<Reading>> {
    let name = token_name();
    Memo::new(move |_| {
        let queries = context.queries();
        let (key, weight) = context.with_map(|map| {
            let (key, weight) = *map.strongest(&queries, 1).first()?;
            Some((name(map.keys.get(key)?), weight))
        })??;
        let asks = match queries.as_slice() {
            &[query] => {
                let token = context.with_axes(|queries, _| queries.get(query).map(name))??;
                let writes = context.kind()?.stack() == Stack::Decoder;
                let next = writes.then(|| context.written_after(query)).flatten();
                match next {
                    Some(next) => Asks::Writes {
                        query: token,
                        next: name(&next),
                    },
                    None => Asks::Reads { query: token },
                }
            }
            _ => Asks::Together(queries.len()),
        };
        Some(Reading {
            asks,
            heads: context.heads().len(),
            key,
            weight,
        })
    })
}
