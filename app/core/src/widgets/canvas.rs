//! A map as pixels on a canvas, one pixel per cell; the style sheet scales it up.

use attention_protocol::OrLogged;
use leptos::{html, prelude::*};
use wasm_bindgen::{Clamped, JsCast, JsValue};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    /// RGBA, row-major, `4·rows·columns` bytes.
    pub rgba: Vec<u8>,
    pub rows: usize,
    pub columns: usize,
}

/// A canvas that shows `pixels`; they are computed when something they are made of changes.
#[component]
pub fn MapCanvas(
    /// The pixels to paint; with `None` the last picture stays.
    #[prop(into)]
    pixels: Signal<Option<Pixels>>,
) -> impl IntoView {
    let canvas = NodeRef::<html::Canvas>::new();
    // An effect because a canvas lies outside the reactive graph.
    Effect::new(move |_| {
        let Some(canvas) = canvas.get() else { return };
        pixels.with(|pixels| {
            if let Some(pixels) = pixels {
                paint(&canvas, pixels).or_logged("painting a map");
            }
        });
    });
    view! { <canvas node_ref=canvas class="pixels" aria-hidden="true"></canvas> }
}

fn paint(canvas: &HtmlCanvasElement, pixels: &Pixels) -> Result<(), JsValue> {
    if pixels.rgba.is_empty() {
        return Ok(());
    }
    let (width, height) = (pixels.columns as u32, pixels.rows as u32);
    // Setting a canvas's size throws its memory away, even at the size it has. The browser shows an
    // old picture or the new one, never an empty one, since both happen in one task.
    if (canvas.width(), canvas.height()) != (width, height) {
        canvas.set_width(width);
        canvas.set_height(height);
    }
    let context: CanvasRenderingContext2d = canvas
        .get_context("2d")?
        .ok_or("this browser has no canvas")?
        .dyn_into()?;
    let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(&pixels.rgba), width, height)?;
    context.put_image_data(&image, 0.0, 0.0)
}
