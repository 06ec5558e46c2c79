//! The whole model on screen: every block and every head, drawn from the model's description. The visitor can zoom in,
//! from the model to a head to its cells, and send the sentence through.

mod blocks;
pub(super) mod camera;
mod cells;
mod context;
mod exchange;
mod facts;
pub(super) mod gesture;
mod gutter;
mod heads;
mod input;
mod norms;
mod play;
mod tokens;

use leptos::{html, prelude::*};

use self::{
    blocks::BlockView,
    cells::{CloseHead, HeadCells, close_head},
    context::{FRAME, MapContext},
    exchange::{Exchange, ExchangeLines, ExchangeWords},
    gutter::Gutters,
    input::{drag, on_key, on_wheel, press, release},
};
use crate::tabs::explore::{display::DisplayNote, export::model_taken};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::FigureButton,
};
use attention_protocol::OrLogged;

/// The map with its controls.
#[component]
pub fn ModelMap() -> impl IntoView {
    let i18n = use_i18n();
    let (room, view) = (NodeRef::<html::Div>::new(), NodeRef::<html::Div>::new());
    let context = MapContext::new(room, view);
    keep_in_sight(context, room);
    let head = close_head(context);
    let exchange = context.exchange();
    let is_under_way = Memo::new(move |_| context.play.reached().is_some());
    view! {
        <section class="map-panel" aria-label=move || t_string!(i18n, heads.map)>
            <div class="map-head">
                <h2 class="panel-title">{t!(i18n, heads.map)}</h2>
                <Reduced context />
                <DisplayNote />
                <Controls context />
            </div>
            <Show when=move || is_under_way.get()>
                <UnderWay context exchange />
            </Show>
            <div class="map-room" node_ref=room>
                <div
                    class="map-view"
                    class:is-close=move || context.is_close()
                    node_ref=view
                    style=move || height(context)
                    role="group"
                    tabindex="0"
                    data-testid="model-map"
                    aria-label=move || t_string!(i18n, heads.map)
                    aria-describedby="map-keys"
                    on:keydown=move |event| on_key(context, &event)
                    on:wheel=move |event| on_wheel(context, &event)
                    on:pointerdown=move |event| press(context, &event)
                    on:pointermove=move |event| drag(context, &event)
                    on:pointerup=move |event| release(context, &event)
                    on:pointercancel=move |event| release(context, &event)
                    on:pointerleave=move |event| {
                        release(context, &event);
                        context.heads.hover_head(None);
                    }
                >
                    <World context head exchange />
                    <Gutters context head />
                    <Back context view />
                </div>
            </div>
            <p class="visually-hidden" id="map-keys">{t!(i18n, heads.map_keys)}</p>
        </section>
    }
}

/// Returns the height of the map, the least height of the view while the whole map is visible.
fn height(context: MapContext) -> Option<String> {
    context.drawing.with(|drawing| {
        let height = drawing.as_ref()?.map.height + 2.0 * FRAME;
        Some(format!("--map-height: {height}px"))
    })
}

/// Scrolls a view that is higher than its room to the chosen head.
fn keep_in_sight(context: MapContext, room: NodeRef<html::Div>) {
    // An effect because how far the room is scrolled lies outside the reactive graph.
    Effect::new(move |_| {
        // Who is closer has gone where the map is now.
        if context.is_close() {
            return;
        }
        let camera = context.camera();
        let chosen = context.heads.chosen();
        let rect = chosen.and_then(|head| context.head(head));
        let (Some(rect), Some(room)) = (rect, room.get()) else {
            return;
        };
        let at = camera.y + camera.scale * rect.centre().1;
        let edge = camera.scale * rect.height;
        let (from, height) = (
            f64::from(room.scroll_top()),
            f64::from(room.client_height()),
        );
        if at - edge < from || at + edge > from + height {
            room.set_scroll_top((at - height / 2.0) as i32);
        }
    });
}

/// The contents of the map under the camera.
#[component]
fn World(
    context: MapContext,
    head: Memo<Option<CloseHead>>,
    exchange: Memo<Option<Exchange>>,
) -> impl IntoView {
    // Every line and letter depends on this scale: it waits until the camera rests.
    let closer = Memo::new(move |before: Option<&f64>| match context.is_moving() {
        true => before.copied().unwrap_or(1.0),
        // Lines and letters grow up to their own size, and no further.
        false => context.camera().scale.max(1.0),
    });
    let style = move || {
        let camera = context.camera();
        let (width, height) = context
            .drawing
            .with(|drawing| drawing.as_ref().map(|it| (it.map.width, it.map.height)))
            .unwrap_or_default();
        format!(
            "width: {width}px; height: {height}px; transform: translate({:.2}px, {:.2}px) scale({:.4}); --closer: {:.4}",
            camera.x,
            camera.y,
            camera.scale,
            closer.get()
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
        <div
            class="map-world"
            class:is-playing=move || context.play.reached().is_some()
            class:is-moving=move || context.is_moving()
            style=style
        >
            <Wires context />
            {blocks}
            <HeadCells context head />
            <ExchangeLines exchange />
        </div>
    }
}

/// The button back to the whole model, visible while the visitor has zoomed in.
#[component]
fn Back(context: MapContext, view: NodeRef<html::Div>) -> impl IntoView {
    let i18n = use_i18n();
    let go_back = move |_| {
        context.show_all();
        // The button goes: the keyboard stays on the map.
        if let Some(map) = view.get_untracked() {
            map.focus().or_logged("moving the focus");
        }
    };
    view! {
        <Show when=move || context.is_close()>
            <button
                type="button"
                class="plain-button map-back"
                data-testid="zoom-back"
                aria-keyshortcuts="Escape"
                // A press here is no drag of the map.
                on:pointerdown=|event| event.stop_propagation()
                on:click=go_back
            >
                {t!(i18n, heads.zoom_back)}
            </button>
        </Show>
    }
}

/// The residual streams, and the connections from the encoder to the decoder.
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
            <Show when=move || context.is_close()>
                <ZoomButton context closer=false />
                <ZoomButton context closer=true />
            </Show>
            <FigureButton
                name=Signal::derive(move || t_string!(i18n, export.all_heads).to_owned())
                take=model_taken()
            />
        </div>
    }
}

/// The place of the sentence while it goes through the model, and what tokens exchange there.
#[component]
fn UnderWay(context: MapContext, exchange: Memo<Option<Exchange>>) -> impl IntoView {
    let i18n = use_i18n();
    let play = context.play;
    let block = move || play.reached().map_or(1, |reached| reached + 1);
    let words = move || t_string!(i18n, heads.block_of, block = block(), count = play.count());
    view! {
        <div class="map-under-way">
            <label class="scrubber">
                <span class="scrubber-words">{words}</span>
                <input
                    type="range"
                    min="1"
                    max=move || play.count()
                    prop:value=block
                    data-testid="map-scrubber"
                    aria-label=move || t_string!(i18n, heads.map)
                    aria-valuetext=words
                    on:input:target=move |event| {
                        // A slider's value is a number.
                        if let Ok(block) = event.target().value().parse::<usize>() {
                            play.go_to(block.saturating_sub(1));
                        }
                    }
                />
            </label>
            <ExchangeWords exchange />
        </div>
    }
}

#[component]
fn ZoomButton(context: MapContext, closer: bool) -> impl IntoView {
    let i18n = use_i18n();
    let (test_id, sign) = match closer {
        true => ("zoom-in", "+"),
        false => ("zoom-out", "−"),
    };
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid=test_id
            aria-label=move || match closer {
                true => t_string!(i18n, heads.zoom_in),
                false => t_string!(i18n, heads.zoom_out),
            }
            on:click=move |_| context.zoom_step(closer)
        >
            {sign}
        </button>
    }
}

/// The note that the thumbnails of a long text are reduced maps.
#[component]
fn Reduced(context: MapContext) -> impl IntoView {
    let i18n = use_i18n();
    let reduced = Memo::new(move |_| {
        let (heads, head) = (context.heads, context.heads.chosen()?);
        let axes = heads.chosen_axes()?;
        let size = heads.with_thumbnails(head.attention, |rows, columns, _| (rows, columns))?;
        Some(size != (axes.queries.len(), axes.keys.len()))
    });
    view! {
        <Show when=move || reduced.get() == Some(true)>
            <p class="hint" data-testid="reduced">
                {move || match context.heads.is_of_picture() {
                    true => t_string!(i18n, picture.thumbnails),
                    false => t_string!(i18n, heads.reduced),
                }}
            </p>
        </Show>
    }
}
