//! The names of the rows and columns of a close head, at the edges of the view: always visible, and of one size,
//! wherever the map is moved.

use attention_figures::model_map::Rect;
use leptos::prelude::*;

use super::{cells::CloseHead, context::MapContext};

/// The least width of a column, in pixels, whose name is written horizontally and not at an angle.
const UPRIGHT: f64 = 72.0;

/// The names; empty if no head is close enough to read its cells.
#[component]
pub fn Gutters(context: MapContext, head: Memo<Option<CloseHead>>) -> impl IntoView {
    // Where its cells are seen, in pixels; nothing where they are out of sight.
    let seen = Memo::new(move |_| {
        let cells = head.read().as_ref()?.cells;
        let seen = context.camera().seen(cells);
        let (width, height) = context.room_size();
        let is_in_sight = seen.x < width
            && seen.y < height
            && seen.x + seen.width > 0.0
            && seen.y + seen.height > 0.0;
        is_in_sight.then_some(seen)
    });
    let names = move |axis: fn(&CloseHead) -> &[String]| {
        Memo::new(move |_| {
            head.with(|head| head.as_ref().map(|head| axis(head).to_vec()))
                .unwrap_or_default()
        })
    };
    let (queries, keys) = (names(|head| &head.queries), names(|head| &head.keys));
    let is_there = Memo::new(move |_| seen.read().is_some());
    view! {
        <Show when=move || is_there.get()>
            <Gutter context seen names=keys is_left=false />
            <Gutter context seen names=queries is_left=true />
        </Show>
    }
}

#[component]
fn Gutter(
    context: MapContext,
    seen: Memo<Option<Rect>>,
    names: Memo<Vec<String>>,
    is_left: bool,
) -> impl IntoView {
    let step = move |seen: Rect| {
        let length = if is_left { seen.height } else { seen.width };
        length / names.read().len().max(1) as f64
    };
    let style = move || {
        let (left, top) = context.gutters();
        let size = if is_left {
            format!("width: {left:.1}px")
        } else {
            format!("height: {top:.1}px")
        };
        let seen = seen.get()?;
        let start = if is_left { seen.y } else { seen.x };
        Some(format!(
            "{size}; --start: {start:.2}px; --step: {:.2}px",
            step(seen)
        ))
    };
    let is_upright = move || !is_left && seen.get().is_some_and(|seen| step(seen) >= UPRIGHT);
    let name = |(at, name): (usize, String)| {
        view! { <span class="gutter-name" style=format!("--at: {at}")>{name}</span> }
    };
    view! {
        <div
            class="map-gutter"
            class:is-left=is_left
            class:is-upright=is_upright
            data-testid=if is_left { "map-queries" } else { "map-keys" }
            aria-hidden="true"
            style=style
        >
            {move || names.get().into_iter().enumerate().map(name).collect_view()}
        </div>
    }
}
