//! The control of one head, which lies over its map in the grid.

use leptos::{ev::KeyboardEvent, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::context::HeadsContext;
use crate::{
    i18n::{t_string, use_i18n},
    selection::HeadChoice,
};

/// A head's thumbnail: hovering previews the head, a click locks it, arrow keys go to its
/// neighbours. The grid ends the preview, so that on the way to a neighbour nothing else is drawn.
#[component]
pub fn Thumbnail(choice: HeadChoice) -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let chosen = move || context.chosen() == Some(choice);
    let name = move || {
        t_string!(
            i18n,
            heads.head_name,
            layer = choice.attention.layer + 1,
            head = choice.head + 1
        )
    };
    view! {
        <button
            type="button"
            class="thumbnail"
            data-testid="thumbnail"
            data-head=position(choice)
            aria-label=name
            aria-pressed=move || chosen().to_string()
            tabindex=move || if chosen() { "0" } else { "-1" }
            on:pointerenter=move |_| context.hover_head(Some(choice))
            on:click=move |_| context.lock_head(choice)
            on:keydown=move |event| move_focus(context, choice, &event)
        ></button>
    }
}

fn position(choice: HeadChoice) -> String {
    format!("{}-{}", choice.attention.layer, choice.head)
}

fn move_focus(context: HeadsContext, from: HeadChoice, event: &KeyboardEvent) {
    let (rows, columns) = match event.key().as_str() {
        "ArrowUp" => (-1, 0),
        "ArrowDown" => (1, 0),
        "ArrowLeft" => (0, -1),
        "ArrowRight" => (0, 1),
        _ => return,
    };
    event.prevent_default();
    let Some(trace) = untrack(|| context.trace()) else {
        return;
    };
    let to = from.moved(&trace.meta, rows, columns);
    context.lock_head(to);
    let selector = format!("[data-testid=thumbnail][data-head='{}']", position(to));
    if let Ok(Some(element)) = document().query_selector(&selector)
        && let Ok(element) = element.dyn_into::<HtmlElement>()
    {
        // Fails only for an element that is no longer in the document.
        let _ = element.focus();
    }
}
