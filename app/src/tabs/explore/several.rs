//! The heads and tokens that are chosen together, and the way back to a single one.

use attention_protocol::OrLogged;
use attention_trace::Token;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::context::HeadsContext;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::{token_name, token_title},
    selection::{HeadChoice, MOST_HEADS},
};

/// The largest number of chosen tokens that are named.
const NAMED: usize = 10;

/// The chosen heads and tokens if there are several, each with a button to remove it.
#[component]
pub fn Several() -> impl IntoView {
    let context = HeadsContext::expect();
    let has_heads = Memo::new(move |_| context.chosen_heads().len() > 1);
    let has_rows = Memo::new(move |_| context.has_rows());
    view! {
        <div class="several">
            <Show when=move || has_heads.get()>
                <ChosenHeads />
            </Show>
            <Show when=move || has_rows.get()>
                <ChosenTokens />
            </Show>
        </div>
    }
}

#[component]
fn ChosenHeads() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let is_full = move || context.chosen_heads().len() == MOST_HEADS;
    let short = move |head: HeadChoice| {
        let (layer, number) = (head.attention.layer + 1, head.head + 1);
        t_string!(i18n, heads.short_name, layer = layer, head = number).to_string()
    };
    view! {
        <Group
            test_id="chosen-heads"
            name=Signal::derive(move || t_string!(i18n, heads.chosen_heads).to_owned())
        >
            <For
                each=move || context.chosen_heads()
                key=|head| (head.attention.layer, head.head)
                let(head)
            >
                <TakeOut name=move || short(head) take_out=move || context.toggle_head(head) />
            </For>
            <BackToOne
                test_id="one-head"
                name=Signal::derive(move || t_string!(i18n, heads.one_head).to_owned())
                back=move || context.lock_one_head()
            />
            <Show when=is_full>
                <span class="hint" role="status">
                    {t!(i18n, heads.most_heads, count = MOST_HEADS)}
                </span>
            </Show>
        </Group>
    }
}

#[component]
fn ChosenTokens() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let name = token_name();
    let named = move || {
        let mut rows = context.rows();
        rows.truncate(NAMED);
        rows
    };
    let token = move |row: usize| {
        context
            .with_axes(|queries, _| queries.get(row).cloned())
            .flatten()
    };
    let named_token = move |row: usize| token(row).as_ref().map(name).unwrap_or_default();
    let others = move || {
        let others = context.rows().len().saturating_sub(NAMED);
        (others > 0).then(|| format!("+{others}"))
    };
    view! {
        <Group
            test_id="chosen-tokens"
            name=Signal::derive(move || t_string!(i18n, heads.chosen_tokens).to_owned())
        >
            <For each=named key=|&row| row let(row)>
                <TakeOut
                    name=move || named_token(row)
                    token=Signal::derive(move || token(row))
                    take_out=move || context.take_out_row(row)
                />
            </For>
            <span class="hint">{others}</span>
            <BackToOne
                test_id="one-token"
                name=Signal::derive(move || t_string!(i18n, heads.one_token).to_owned())
                back=move || context.read_one_row()
            />
        </Group>
    }
}

#[component]
fn Group(test_id: &'static str, name: Signal<String>, children: Children) -> impl IntoView {
    view! {
        <div class="several-group" role="group" data-testid=test_id aria-label=name>
            <span class="several-name" aria-hidden="true">{name}</span>
            {children()}
        </div>
    }
}

#[component]
fn BackToOne(
    test_id: &'static str,
    name: Signal<String>,
    back: impl Fn() + 'static,
) -> impl IntoView {
    let on_click = move |_| {
        back();
        hold_focus();
    };
    view! {
        <button type="button" class="link-button" data-testid=test_id on:click=on_click>
            {name}
        </button>
    }
}

/// A chosen head or token; a click removes it.
#[component]
fn TakeOut(
    name: impl Fn() -> String + Send + Sync + 'static,
    /// The token, if the item is one.
    #[prop(optional)]
    token: Option<Signal<Option<Token>>>,
    take_out: impl Fn() + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let title = token_title();
    let token = move || token?.get();
    view! {
        <button
            type="button"
            class="chip several-chip"
            data-testid="take-out"
            on:click=move |_| {
                take_out();
                hold_focus();
            }
        >
            <span class="visually-hidden">{t!(i18n, heads.take_out)} " "</span>
            <span
                class="token"
                class:unknown=move || token().is_some_and(|token| token.unknown)
                title=move || token().map(|token| title(&token))
            >
                {name}
            </span>
            <span aria-hidden="true">" ✕"</span>
        </button>
    }
}

/// The number of frames that the focus is held for: with much to compute, controls are removed one after the other.
const FRAMES: u8 = 20;

/// Moves the focus from a control that a click removed: to the rest of the choice, or else to the chosen head.
fn hold_focus() {
    hold_focus_for(FRAMES);
}

fn hold_focus_for(frames: u8) {
    request_animation_frame(move || {
        let page = document();
        let is_held = page
            .active_element()
            .is_some_and(|held| held.tag_name() != "BODY");
        let next = ".several button, [data-testid=thumbnail][tabindex='0']";
        if !is_held
            && let Some(Some(next)) = page.query_selector(next).or_logged("finding a head")
            && let Ok(next) = next.dyn_into::<HtmlElement>()
        {
            next.focus().or_logged("moving the focus");
        }
        if let Some(left) = frames.checked_sub(1) {
            hold_focus_for(left);
        }
    });
}
