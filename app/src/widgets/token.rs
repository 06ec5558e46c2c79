//! A token as a label on an axis.

use attention_trace::Token;
use leptos::prelude::*;

/// A token's label; one the tokenizer does not know is marked.
#[component]
pub fn TokenLabel(token: Token) -> impl IntoView {
    view! {
        <span class="token" class:unknown=token.unknown title=token.text.clone()>
            {label(&token).to_owned()}
        </span>
    }
}

/// A token as a label: a word's leading space mark is dropped where something follows it.
pub fn label(token: &Token) -> &str {
    match token.text.strip_prefix('▁') {
        Some(rest) if !rest.is_empty() => rest,
        _ => &token.text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(text: &str) -> Token {
        Token {
            id: 0,
            text: text.to_owned(),
            unknown: false,
        }
    }

    #[test]
    fn a_space_mark_is_dropped_unless_it_is_all() {
        assert_eq!(label(&token("▁suis")), "suis");
        assert_eq!(label(&token("▁")), "▁");
    }
}
