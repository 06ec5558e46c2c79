//! One head, small.

use attention_figures::heatmap;
use leptos::{ev::KeyboardEvent, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::{
    canvas::{MapCanvas, Pixels},
    context::HeadsContext,
    selection::HeadChoice,
};
use crate::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
};

/// A head's thumbnail: hovering previews the head, a click locks it, arrow keys go to its
/// neighbours.
#[component]
pub fn Thumbnail(choice: HeadChoice) -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let appearance = Appearance::expect();
    let pixels = Signal::derive(move || {
        let trace = context.trace()?;
        let (rows, columns, values) = choice.thumbnail(&trace)?;
        Some(Pixels {
            rgba: heatmap::rgba(values, rows, columns, context.scale(), appearance.get()),
            rows,
            columns,
        })
    });
    let chosen = move || context.chosen() == Some(choice);
    let name = move || {
        t_string!(
            i18n,
            heads.head_name,
            layer = choice.site.layer + 1,
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
            on:pointerleave=move |_| context.hover_head(None)
            on:click=move |_| context.lock_head(choice)
            on:keydown=move |event| move_focus(context, choice, &event)
        >
            <MapCanvas pixels />
        </button>
    }
}

fn position(choice: HeadChoice) -> String {
    format!("{}-{}", choice.site.layer, choice.head)
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
        // Only an element that left the document could refuse.
        let _ = element.focus();
    }
}
