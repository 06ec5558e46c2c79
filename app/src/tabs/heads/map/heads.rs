//! A block of attention: its heads' maps as one picture, and a control over each.

use attention_figures::{
    model_map::{Block, Heads},
    sheet::sheet,
};
use attention_trace::AttentionLayer;
use leptos::{ev::KeyboardEvent, prelude::*};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::{context::MapContext, drawing::Direction};
use crate::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    names::kind_name,
    selection::HeadChoice,
    state::AddressValue,
    widgets::{MapCanvas, Pixels},
};

/// A sheet's margin around each map, as a share of a tile: the border of a head lies around its map.
const MARGIN: f64 = 1.0 / 34.0;

/// The block; a click on its name goes closer.
#[component]
pub fn HeadsBlock(context: MapContext, block: Block) -> impl IntoView {
    let i18n = use_i18n();
    let kind = kind_name();
    let attention = context.drawing.with_untracked(|drawing| {
        let spec = context.spec.read_untracked();
        drawing
            .as_ref()?
            .attention(spec.as_ref()?, block.column, block.part)
    });
    let (attention, heads) = (attention?, block.heads?);
    let name = move || {
        let layer = attention.layer + 1;
        t_string!(
            i18n,
            heads.block,
            kind = kind(attention.kind),
            layer = layer
        )
    };
    let choices = (0..heads.count).map(|head| HeadChoice { attention, head });
    let buttons = choices
        .map(|choice| view! { <HeadButton context choice heads block /> })
        .collect_view();
    Some(view! {
        <button
            type="button"
            class="block-name"
            tabindex="-1"
            on:click=move |_| {
                if !context.dragged() {
                    context.go_to(block.rect);
                }
            }
        >
            {name}
        </button>
        <Picture context attention heads block />
        {buttons}
    })
}

/// Every head's map, one picture.
#[component]
fn Picture(
    context: MapContext,
    attention: AttentionLayer,
    heads: Heads,
    block: Block,
) -> impl IntoView {
    let appearance = Appearance::expect();
    let pixels = Signal::derive(move || picture(context, attention, heads, appearance));
    let rect = heads.rect();
    let style = format!(
        "left: {}px; top: {}px; width: {}px; height: {}px",
        rect.x - block.rect.x,
        rect.y - block.rect.y,
        rect.width,
        rect.height
    );
    view! { <div class="block-heads" style=style><MapCanvas pixels /></div> }
}

fn picture(
    context: MapContext,
    attention: AttentionLayer,
    heads: Heads,
    appearance: Appearance,
) -> Option<Pixels> {
    let trace = context.heads.trace()?;
    let thumbnails: Vec<_> = (0..heads.count)
        .map(|head| HeadChoice { attention, head }.thumbnail(&trace))
        .collect();
    let (rows, columns, _) = *thumbnails.iter().flatten().next()?;
    let maps: Vec<Option<&[f32]>> = thumbnails
        .iter()
        .map(|thumbnail| {
            let (height, width, values) = (*thumbnail)?;
            ((height, width) == (rows, columns)).then_some(values)
        })
        .collect();
    let (scale, theme) = (context.heads.scale(), appearance.get());
    let sheet = sheet(&maps, rows, columns, heads.across, scale, theme);
    Some(Pixels {
        rgba: sheet.rgba,
        rows: sheet.rows,
        columns: sheet.columns,
    })
}

/// The control of one head, which lies over its map: hovering previews the head, a click locks it and, where it is
/// locked, goes closer; arrow keys go to its neighbours.
#[component]
fn HeadButton(
    context: MapContext,
    choice: HeadChoice,
    heads: Heads,
    block: Block,
) -> impl IntoView {
    let i18n = use_i18n();
    let kind = kind_name();
    let chosen = move || context.heads.chosen() == Some(choice);
    let name = move || {
        t_string!(
            i18n,
            heads.full_name,
            layer = choice.attention.layer + 1,
            head = choice.head + 1,
            kind = kind(choice.attention.kind)
        )
    };
    let rect = heads.head(choice.head);
    let (margin, side) = (rect.width * MARGIN, rect.width * (1.0 - 2.0 * MARGIN));
    let style = format!(
        "left: {:.2}px; top: {:.2}px; width: {side:.2}px; height: {side:.2}px",
        rect.x - block.rect.x + margin,
        rect.y - block.rect.y + margin
    );
    view! {
        <button
            type="button"
            class="thumbnail"
            data-testid="thumbnail"
            data-head=position(choice)
            aria-label=name
            aria-pressed=move || chosen().to_string()
            tabindex=move || if chosen() { "0" } else { "-1" }
            style=style
            on:pointerenter=move |_| context.heads.hover_head(Some(choice))
            on:click=move |_| {
                if context.dragged() {
                    return;
                }
                match untrack(chosen) {
                    true => context.go_to_head(choice),
                    false => context.heads.lock_head(choice),
                }
            }
            on:keydown=move |event| move_focus(context, choice, &event)
        ></button>
    }
}

fn position(choice: HeadChoice) -> String {
    let kind = choice.attention.kind.address_value();
    format!("{kind}-{}-{}", choice.attention.layer, choice.head)
}

fn move_focus(context: MapContext, from: HeadChoice, event: &KeyboardEvent) {
    let Some(direction) = Direction::of_key(&event.key()) else {
        return;
    };
    event.prevent_default();
    event.stop_propagation();
    let to = untrack(|| {
        let (spec, drawing) = (context.spec.read(), context.drawing.read());
        Some(drawing.as_ref()?.neighbour(spec.as_ref()?, from, direction))
    });
    let Some(to) = to else { return };
    context.heads.lock_head(to);
    let selector = format!("[data-testid=thumbnail][data-head='{}']", position(to));
    if let Ok(Some(element)) = document().query_selector(&selector)
        && let Ok(element) = element.dyn_into::<HtmlElement>()
    {
        // Fails only for an element that is no longer in the document.
        let _ = element.focus();
    }
}
