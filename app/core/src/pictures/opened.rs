//! Reading a picture from a file, by the browser's own decoders, which turn it as its EXIF data says.

use std::sync::Arc;

use attention_protocol::integrity::describe;
use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{CanvasRenderingContext2d, File, HtmlCanvasElement, ImageBitmap};

use super::{Held, Scene};

/// The most pixels that are kept of a picture: far more than a model reads.
pub const MOST_PIXELS: usize = 4_000_000;

/// A file that is no picture for this browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureFault {
    /// The name of the file.
    pub name: String,
    /// The error message of the browser.
    pub reason: String,
}

/// Reads a picture; a large one is scaled down.
///
/// # Errors
/// If the browser cannot decode it.
pub async fn open(file: &File) -> Result<Held, PictureFault> {
    let name = name_of(&file.name());
    decoded(file, &name).await.map_err(|error| PictureFault {
        name,
        reason: describe(&error),
    })
}

async fn decoded(file: &File, name: &str) -> Result<Held, JsValue> {
    let bitmap = window().create_image_bitmap_with_blob(file)?;
    let bitmap: ImageBitmap = JsFuture::from(bitmap).await?.dyn_into()?;
    let original_px = [bitmap.width() as usize, bitmap.height() as usize];
    let size_px = scaled(original_px);
    let rgba = pixels(&bitmap, size_px);
    // What is kept is smaller than what was decoded.
    bitmap.close();
    Ok(Held {
        name: name.to_owned(),
        size_px,
        original_px,
        rgba: Arc::new(rgba?),
    })
}

fn pixels(bitmap: &ImageBitmap, [width, height]: [usize; 2]) -> Result<Vec<u8>, JsValue> {
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.dyn_into()?;
    canvas.set_width(width as u32);
    canvas.set_height(height as u32);
    let context: CanvasRenderingContext2d = canvas
        .get_context("2d")?
        .ok_or("this browser has no canvas")?
        .dyn_into()?;
    let (width, height) = (width as f64, height as f64);
    context.draw_image_with_image_bitmap_and_dw_and_dh(bitmap, 0.0, 0.0, width, height)?;
    Ok(context.get_image_data(0.0, 0.0, width, height)?.data().0)
}

/// Returns width and height of what is kept of a picture, in its proportion.
fn scaled([width, height]: [usize; 2]) -> [usize; 2] {
    let pixels = width.saturating_mul(height);
    if pixels <= MOST_PIXELS {
        return [width, height];
    }
    let factor = (MOST_PIXELS as f64 / pixels as f64).sqrt();
    let edge = |edge: usize| ((edge as f64 * factor) as usize).max(1);
    [edge(width), edge(height)]
}

/// Returns the name of a file as a text in one line that names no picture of the page.
fn name_of(file: &str) -> String {
    let name = file.split_whitespace().collect::<Vec<_>>().join(" ");
    match name.as_str() {
        "" => "picture".to_owned(),
        name if Scene::named(name).is_some() => format!("{name}.file"),
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_picture_is_scaled_down_in_its_proportion() {
        assert_eq!(scaled([2000, 2000]), [2000, 2000]);
        let [width, height] = scaled([10_000, 5000]);
        assert!(width * height <= MOST_PIXELS && width * height > MOST_PIXELS * 99 / 100);
        assert_eq!(width, 2 * height);
        assert_eq!(scaled([50_000_000, 1])[1], 1);
    }

    #[test]
    fn a_file_is_no_picture_of_the_page() {
        assert_eq!(name_of(" my  cat.jpg"), "my cat.jpg");
        assert_eq!(name_of("horizon"), "horizon.file");
        assert_eq!(name_of(""), "picture");
    }
}
