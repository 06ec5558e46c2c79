//! The whole model in sight: every block and every head of it, drawn from what the model says of itself. One can go
//! closer, from the model to a head to its cells, and send the sentence through.

mod blocks;
mod camera;
mod cells;
mod context;
mod drawing;
mod gesture;
mod heads;
mod norms;
mod play;
mod tokens;

use leptos::{
    ev::{KeyboardEvent, PointerEvent, WheelEvent},
    html,
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::Element;

use self::{blocks::BlockView, cells::HeadCells, context::MapContext};
use crate::{
    i18n::{t, t_string, use_i18n},
    widgets::observed_size,
};

/// How far an arrow key moves the map, in pixels.
const KEY_PAN: f64 = 48.0;
/// What a pixel of the wheel multiplies the zoom by, as an exponent.
const WHEEL_ZOOM: f64 = 0.002;

/// The map with its controls.
#[component]
pub fn ModelMap() -> impl IntoView {
    let i18n = use_i18n();
    let view = NodeRef::<html::Div>::new();
    let context = MapContext::new(observed_size(view));
    view! {
        <section class="map-panel" aria-label=move || t_string!(i18n, heads.map)>
            <div class="map-head">
                <h2 class="panel-title">{t!(i18n, heads.map)}</h2>
                <Reduced context />
                <Controls context />
            </div>
            <div
                class="map-view"
                class:is-close=move || context.is_close()
                node_ref=view
                role="group"
                tabindex="0"
                data-testid="model-map"
                aria-label=move || t_string!(i18n, heads.map)
                aria-describedby="map-keys"
                on:keydown=move |event| on_key(context, &event)
                on:wheel=move |event| on_wheel(context, &event)
                on:pointerdown=move |event| {
                    let (x, y) = place(&event);
                    context.with_gesture(|gesture, _| {
                        gesture.press(event.pointer_id(), x, y);
                        None
                    });
                }
                on:pointermove=move |event| {
                    let (x, y) = place(&event);
                    context.with_gesture(|gesture, camera| {
                        gesture.drag(event.pointer_id(), x, y, camera)
                    });
                }
                on:pointerup=move |event| release(context, &event)
                on:pointercancel=move |event| release(context, &event)
                on:pointerleave=move |event| {
                    release(context, &event);
                    context.heads.hover_head(None);
                }
            >
                <World context />
            </div>
            <p class="visually-hidden" id="map-keys">{t!(i18n, heads.map_keys)}</p>
        </section>
    }
}

/// What lies under the camera.
#[component]
fn World(context: MapContext) -> impl IntoView {
    let style = move || {
        let camera = context.camera();
        let (width, height) = context
            .drawing
            .with(|drawing| drawing.as_ref().map(|it| (it.map.width, it.map.height)))
            .unwrap_or_default();
        format!(
            "width: {width}px; height: {height}px; transform: translate({:.2}px, {:.2}px) scale({:.4})",
            camera.x, camera.y, camera.scale
        )
    };
    let blocks = move || {
        context.drawing.with(|drawing| {
            let drawing = drawing.as_ref()?;
            let blocks = drawing.map.blocks.iter().copied().enumerate();
            let views = blocks.map(|(index, block)| view! { <BlockView context block index /> });
            Some(views.collect_view())
        })
    };
    view! {
        <div class="map-world" class:is-playing=move || context.play.reached().is_some() style=style>
            <Wires context />
            {blocks}
            <HeadCells context />
        </div>
    }
}

/// The residual streams, and what the encoder hands over.
#[component]
fn Wires(context: MapContext) -> impl IntoView {
    let paths = move || {
        context.drawing.with(|drawing| {
            let wires = drawing.as_ref()?.map.wires.clone();
            let paths = wires.into_iter().map(|wire| {
                view! { <path class="wire" class:hands-over=wire.hands_over d=wire.path></path> }
            });
            Some(paths.collect_view())
        })
    };
    view! { <svg class="map-wires" aria-hidden="true">{paths}</svg> }
}

#[component]
fn Controls(context: MapContext) -> impl IntoView {
    let i18n = use_i18n();
    let play = context.play;
    view! {
        <div class="map-controls">
            <button
                type="button"
                class="plain-button"
                data-testid="play-model"
                on:click=move |_| play.toggle()
            >
                {move || if play.is_playing() {
                    t_string!(i18n, heads.pause_model)
                } else {
                    t_string!(i18n, heads.play_model)
                }}
            </button>
            <button
                type="button"
                class="plain-button"
                data-testid="zoom-out"
                aria-label=move || t_string!(i18n, heads.zoom_out)
                on:click=move |_| context.zoom_step(false)
            >
                "−"
            </button>
            <button
                type="button"
                class="plain-button"
                data-testid="zoom-in"
                aria-label=move || t_string!(i18n, heads.zoom_in)
                on:click=move |_| context.zoom_step(true)
            >
                "+"
            </button>
            <button
                type="button"
                class="plain-button"
                data-testid="zoom-all"
                disabled=move || !context.is_close()
                on:click=move |_| context.show_all()
            >
                {t!(i18n, heads.zoom_all)}
            </button>
        </div>
    }
}

/// Says that thumbnails are not the whole of a long text's maps.
#[component]
fn Reduced(context: MapContext) -> impl IntoView {
    let i18n = use_i18n();
    let reduced = Memo::new(move |_| {
        let (trace, head) = (context.heads.trace()?, context.heads.chosen()?);
        let (queries, keys) = trace.meta.axes(head.attention.kind);
        let (rows, columns, _) = head.thumbnail(&trace)?;
        Some((rows, columns) != (queries.len(), keys.len()))
    });
    view! {
        <Show when=move || reduced.get() == Some(true)>
            <p class="hint" data-testid="reduced">{t!(i18n, heads.reduced)}</p>
        </Show>
    }
}

/// Where a pointer is, in the view.
fn place(event: &PointerEvent) -> (f64, f64) {
    let (left, top) = origin(event.current_target());
    (
        f64::from(event.client_x()) - left,
        f64::from(event.client_y()) - top,
    )
}

fn origin(view: Option<web_sys::EventTarget>) -> (f64, f64) {
    let view: Option<Element> = view.and_then(|view| view.dyn_into().ok());
    view.map_or((0.0, 0.0), |view| {
        let bounds = view.get_bounding_client_rect();
        (bounds.left(), bounds.top())
    })
}

fn release(context: MapContext, event: &PointerEvent) {
    context.with_gesture(|gesture, _| {
        gesture.release(event.pointer_id());
        None
    });
}

/// The wheel zooms, unless it is what scrolls the page.
fn on_wheel(context: MapContext, event: &WheelEvent) {
    let scrolls = document()
        .document_element()
        .is_some_and(|page| page.scroll_height() > page.client_height() + 1);
    let is_meant =
        event.ctrl_key() || event.meta_key() || !scrolls || untrack(|| context.is_close());
    if !is_meant {
        return;
    }
    event.prevent_default();
    let (left, top) = origin(event.current_target());
    let about = (
        f64::from(event.client_x()) - left,
        f64::from(event.client_y()) - top,
    );
    context.zoom((-event.delta_y() * WHEEL_ZOOM).exp(), Some(about));
}

fn on_key(context: MapContext, event: &KeyboardEvent) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    // Arrows on a head choose its neighbour.
    let is_own = event.target() == event.current_target();
    match event.key().as_str() {
        "+" | "=" => context.zoom_step(true),
        "-" => context.zoom_step(false),
        "0" | "Escape" if untrack(|| context.is_close()) => context.show_all(),
        "ArrowLeft" if is_own => context.pan(KEY_PAN, 0.0),
        "ArrowRight" if is_own => context.pan(-KEY_PAN, 0.0),
        "ArrowUp" if is_own => context.pan(0.0, KEY_PAN),
        "ArrowDown" if is_own => context.pan(0.0, -KEY_PAN),
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}
