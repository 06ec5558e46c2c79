//! The second screen: pieces of text and their numbers.

use leptos::prelude::*;

use attention_core::{
    i18n::{t, t_string, use_i18n},
    selection::{ChosenToken, SelfAttention},
    widgets::numbers::grouped,
};

/// The tokens with their numbers, and one of them in words.
#[component]
pub fn Tokens() -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let chosen = move || {
        context.with(|place| {
            let token = place.tokens().get(place.query)?;
            let (place, count) = (place.query + 1, place.meta.spec.vocabulary);
            Some((token.text.clone(), token.id, place, count))
        })?
    };
    let words = move || {
        let (token, id, place, count) = chosen()?;
        let (id, count) = (grouped(id.into()), grouped(count as u64));
        Some(t_string!(
            i18n,
            start.token_is,
            token = token,
            id = id,
            count = count,
            place = place
        ))
    };
    view! {
        <ChosenToken with_ids=true />
        <p class="lesson-reading" role="status" data-testid="token-is">{words}</p>
        <p class="hint">{t!(i18n, start.space_mark)}</p>
    }
}
