//! The overview of a partly visible map: a strip for each direction that displays the whole map, compressed, with a
//! frame around the visible part, and the buttons that zoom.

use attention_figures::heatmap::{Picture, rgba};
use attention_protocol::OrLogged;
use leptos::{
    ev::{KeyboardEvent, PointerEvent},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::{
    labels::Axis,
    window::{MapWindow, Shown},
};
use crate::tabs::explore::context::HeadsContext;
use attention_core::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    widgets::{MapCanvas, Pixels, pointer_in},
};

/// The largest number of cells of a strip's picture along it and across.
const ALONG: usize = 384;
const ACROSS: usize = 16;

/// A strip; a click or a drag goes to a part, and keys move it.
#[component]
pub fn Strip(context: HeadsContext, window: MapWindow, axis: Axis) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let is_down = axis == Axis::Queries;
    let pixels = Memo::new(move |_| {
        let (scale, theme) = (context.scale(), appearance.get());
        let most = match axis {
            Axis::Queries => (ALONG, ACROSS),
            Axis::Keys => (ACROSS, ALONG),
        };
        context.with_picture(|rows, columns, values| {
            let picture = Picture {
                values,
                rows,
                columns,
            };
            let (rows, columns, values) = picture.reduced(most.0, most.1);
            Pixels {
                rgba: rgba(&values, rows, columns, scale, theme),
                rows,
                columns,
            }
        })
    });
    let along = Memo::new(move |_| {
        let shown = window.shown();
        match axis {
            Axis::Queries => (shown.sight.rows, shown.rows),
            Axis::Keys => (shown.sight.columns, shown.columns),
        }
    });
    let is_hidden = move || along.with(|(range, count)| range.len() == *count);
    let words = move || {
        let (range, count) = along.get();
        let (first, last) = (range.start + 1, range.end);
        match axis {
            Axis::Queries => t_string!(
                i18n,
                heads.queries_in_sight,
                first = first,
                last = last,
                count = count
            ),
            Axis::Keys => t_string!(
                i18n,
                heads.keys_in_sight,
                first = first,
                last = last,
                count = count
            ),
        }
    };
    let (class, test_id, orientation) = match axis {
        Axis::Queries => ("map-strip down", "strip-queries", "vertical"),
        Axis::Keys => ("map-strip across", "strip-keys", "horizontal"),
    };
    view! {
        <div
            class=class
            class:is-hidden=is_hidden
            data-testid=test_id
            role="scrollbar"
            tabindex="0"
            aria-controls="map-field"
            aria-orientation=orientation
            aria-label=move || match is_down {
                true => t_string!(i18n, heads.strip_queries),
                false => t_string!(i18n, heads.strip_keys),
            }
            aria-valuemin="1"
            aria-valuenow=move || along.with(|(range, _)| range.start + 1)
            aria-valuemax=move || along.with(|(range, count)| count - range.len() + 1)
            aria-valuetext=words
            title=words
            on:pointerdown=move |event| {
                hold(&event);
                centre(window, axis, &event);
            }
            on:pointermove=move |event| {
                if event.buttons() != 0 {
                    centre(window, axis, &event);
                }
            }
            on:keydown=move |event| on_key(window, axis, &event)
        >
            <MapCanvas pixels />
            <div class="map-strip-frame" style=move || frame(window)></div>
        </div>
    }
}

/// Captures the pointer, so that a drag may leave the strip; if the browser refuses, the drag ends at the edge.
fn hold(event: &PointerEvent) {
    let strip = event.current_target();
    if let Some(Ok(strip)) = strip.map(JsCast::dyn_into::<Element>) {
        strip
            .set_pointer_capture(event.pointer_id())
            .or_logged("capturing the pointer");
    }
}

/// Moves the place under the pointer to the middle.
fn centre(window: MapWindow, axis: Axis, event: &PointerEvent) {
    if let Some([x, y, width, height]) = pointer_in(event) {
        match axis {
            Axis::Queries => window.centre(Some(y / height), None),
            Axis::Keys => window.centre(None, Some(x / width)),
        }
    }
}

fn on_key(window: MapWindow, axis: Axis, event: &KeyboardEvent) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    let step = |by: isize| match axis {
        Axis::Queries => window.pan(by, 0),
        Axis::Keys => window.pan(0, by),
    };
    let page = |by: isize| match axis {
        Axis::Queries => window.page(by, 0),
        Axis::Keys => window.page(0, by),
    };
    match event.key().as_str() {
        "ArrowUp" | "ArrowLeft" => {
            step(-1);
        }
        "ArrowDown" | "ArrowRight" => {
            step(1);
        }
        "PageUp" => page(-1),
        "PageDown" => page(1),
        "Home" => {
            step(isize::MIN);
        }
        "End" => {
            step(isize::MAX);
        }
        _ => return,
    }
    event.prevent_default();
    // The page's arrow keys go from step to step.
    event.stop_propagation();
}

/// Returns the visible part as shares of the strip.
fn frame(window: MapWindow) -> String {
    let Shown {
        sight,
        rows,
        columns,
        ..
    } = window.shown();
    let share = |part: usize, of: usize| 100.0 * part as f64 / of.max(1) as f64;
    format!(
        "left: {:.2}%; top: {:.2}%; width: {:.2}%; height: {:.2}%",
        share(sight.columns.start, columns),
        share(sight.rows.start, rows),
        share(sight.columns.len(), columns),
        share(sight.rows.len(), rows)
    )
}

/// A button for larger or smaller cells.
#[component]
pub fn CellZoom(window: MapWindow, closer: bool) -> impl IntoView {
    let i18n = use_i18n();
    let (test_id, sign) = match closer {
        true => ("cells-larger", "+"),
        false => ("cells-smaller", "−"),
    };
    let name = move || match closer {
        true => t_string!(i18n, heads.cells_larger),
        false => t_string!(i18n, heads.cells_smaller),
    };
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid=test_id
            // Not `disabled`: a button that loses the focus under the finger loses its user.
            aria-disabled=move || {
                let shown = window.shown();
                let can_zoom = if closer { shown.can_grow } else { shown.can_shrink };
                (!can_zoom).to_string()
            }
            aria-label=name
            title=name
            on:click=move |_| window.zoom_step(closer)
        >
            {sign}
        </button>
    }
}
