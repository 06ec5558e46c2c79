//! A token as a label on an axis.

use attention_trace::Token;
use leptos::prelude::*;

use super::selection::label;

/// A token's label; one the tokenizer does not know is marked.
#[component]
pub fn TokenLabel(token: Token) -> impl IntoView {
    view! {
        <span class="token" class:unknown=token.unknown title=token.text.clone()>
            {label(&token).to_owned()}
        </span>
    }
}
