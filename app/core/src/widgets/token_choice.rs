//! The tokens of a text, one of them chosen.

use attention_trace::Token;
use leptos::prelude::*;

/// A button for each token, the chosen one pressed.
#[component]
pub fn TokenChoice(
    #[prop(into)] name: Signal<String>,
    #[prop(into)] tokens: Signal<Vec<Token>>,
    /// The place of the chosen one.
    #[prop(into)]
    chosen: Signal<usize>,
    /// A token as it is shown.
    label: impl Fn(&Token) -> AnyView + Copy + Send + Sync + 'static,
    /// True if each token shows its number in the vocabulary.
    #[prop(optional)]
    with_ids: bool,
    /// Called with the place of a new one.
    choose: impl Fn(usize) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let tokens = Memo::new(move |_| tokens.get());
    let button = move |(place, token): (usize, Token)| {
        view! {
            <button
                type="button"
                class="chip token-chip"
                aria-pressed=move || (chosen.get() == place).to_string()
                on:click=move |_| choose(place)
            >
                {label(&token)}
                {with_ids.then(|| view! { <span class="token-id number">{token.id}</span> })}
            </button>
        }
    };
    view! {
        <div class="token-choice" role="group" aria-label=name>
            <span class="hint" aria-hidden="true">{name}</span>
            {move || tokens.get().into_iter().enumerate().map(button).collect_view()}
        </div>
    }
}
