//! Controls that choose the head and the token to follow.

use attention_trace::AttentionKind;
use leptos::prelude::*;

use super::context::FollowContext;
use attention_core::{
    i18n::{t_string, use_i18n},
    names::token_label,
    selection::{HeadSelects, KindChoice},
    state::{Cell, ViewState},
    widgets::TokenChoice,
};

/// The kind of attention, the layer, the head, and the token that asks; the worked example has but one
/// head.
#[component]
pub fn HeadPicker(
    /// True if a head is chosen, false if a layer alone.
    with_head: bool,
) -> impl IntoView {
    let context = FollowContext::expect();
    let numbers = Memo::new(move |_| context.with_place(|place| place.choice.numbers(&place.meta)));
    view! {
        <div class="follow-head" data-testid="follow-head">
            <Show when=move || !context.is_example()>
                <Kinds />
                <HeadSelects numbers test_ids=["follow-layer", "follow-head-number"] with_head />
            </Show>
            <Queries />
        </div>
    }
}

#[component]
fn Kinds() -> impl IntoView {
    let context = FollowContext::expect();
    let kinds = Memo::new(move |_| {
        context
            .with_place(|place| place.meta.spec.kinds())
            .unwrap_or_default()
    });
    let chosen = Memo::new(move |_| {
        context
            .with_place(|place| place.choice.attention.kind)
            .unwrap_or(AttentionKind::Cross)
    });
    view! { <KindChoice kinds chosen /> }
}

/// The tokens that ask, the chosen one pressed.
#[component]
fn Queries() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = FollowContext::expect();
    let tokens = Memo::new(move |_| {
        context
            .with_place(|place| (place.queries().to_vec(), place.keys().len()))
            .unwrap_or_default()
    });
    let choose = move |query: usize, keys: usize| {
        state.update(|view| {
            let key = view.cell.map_or(query, |cell| cell.key);
            let key = key.min(keys.saturating_sub(1));
            view.use_cell(Some(Cell { query, key }));
        });
    };
    view! {
        <TokenChoice
            name=Signal::derive(move || t_string!(i18n, chapters.asks).to_owned())
            tokens=Signal::derive(move || tokens.get().0)
            chosen=Signal::derive(move || context.query())
            label=token_label()
            choose=move |query| choose(query, tokens.get_untracked().1)
        />
    }
}
