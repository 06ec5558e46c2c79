//! The words with the most attention from and to them in the chosen head, and the heads most similar to it.

use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::{head_name, token_name},
    state::{HeadChoice, ViewState},
    widgets::{ScrollRegion, numbers::share_of_one},
};
use attention_trace::{
    AttentionLayer, Token,
    roles::{HeadRoles, WordCount},
};
use leptos::prelude::*;

use super::context::RolesContext;

/// Both lists of words for the chosen head.
#[component]
pub fn Words() -> impl IntoView {
    let i18n = use_i18n();
    let context = RolesContext::expect();
    let has_card = Memo::new(move |_| context.card().is_some());
    let list = move |words: fn(HeadRoles) -> Vec<WordCount>| {
        Memo::new(move |_| context.card().map(words).unwrap_or_default())
    };
    let (queries, keys) = (list(|card| card.queries), list(|card| card.keys));
    view! {
        <Show when=move || has_card.get()>
            <div class="side-by-side">
                <List words=queries test_id="query-words">{t!(i18n, roles.query_words)}</List>
                <List words=keys test_id="key-words">{t!(i18n, roles.key_words)}</List>
            </div>
        </Show>
    }
}

#[component]
fn List(words: Memo<Vec<WordCount>>, test_id: &'static str, children: Children) -> impl IntoView {
    let name = token_name();
    let row = move |WordCount(word, count): WordCount| {
        let token = Token {
            id: 0,
            text: word,
            unknown: false,
        };
        view! {
            <tr>
                <th scope="row" class="token">{name(&token)}</th>
                <td class="number">{count}</td>
            </tr>
        }
    };
    view! {
        <table class="bars" data-testid=test_id>
            <caption>{children()}</caption>
            <tbody>{move || words.get().into_iter().map(row).collect_view()}</tbody>
        </table>
    }
}

/// The heads whose weights are most like those of the chosen one.
#[component]
pub fn Like() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = RolesContext::expect();
    let name = head_name();
    let like = Memo::new(move |_| {
        let card = context.card()?;
        let kind = card.attention.kind;
        let others = card.like.into_iter();
        let heads = others.map(|like| {
            let attention = AttentionLayer {
                kind,
                layer: like.layer,
            };
            let head = like.head;
            (HeadChoice { attention, head }, like.moved)
        });
        Some(heads.collect::<Vec<_>>())
    });
    let row = move |(head, moved): (HeadChoice, f32)| {
        view! {
            <tr data-testid="like-head" data-head=head.to_string()>
                <th scope="row">
                    <button
                        type="button"
                        class="chip"
                        on:click=move |_| state.update(|view| view.use_head(head))
                    >
                        {move || name(head.attention, head.head)}
                    </button>
                </th>
                <td class="number">{share_of_one(moved, 2)}</td>
            </tr>
        }
    };
    view! {
        <Show when=move || like.read().as_ref().is_some_and(|like| !like.is_empty())>
            <h3 class="panel-title">{t!(i18n, roles.like)}</h3>
            <p class="hint">{t!(i18n, roles.like_hint)}</p>
            <ScrollRegion
                class="lesson-table"
                name=Signal::derive(move || t_string!(i18n, roles.like).to_owned())
            >
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, roles.head)}</th>
                            <th scope="col">{t!(i18n, roles.moved)}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {move || like.get().unwrap_or_default().into_iter().map(row).collect_view()}
                    </tbody>
                </table>
            </ScrollRegion>
        </Show>
    }
}
