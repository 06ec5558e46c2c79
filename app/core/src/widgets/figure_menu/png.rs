//! An SVG document as a PNG file, painted by the browser.

use js_sys::{Array, Function, Promise, Reflect, encode_uri_component};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, HtmlCanvasElement, HtmlElement, Response};

/// Returns the file, with `scale` pixels for each CSS pixel of the document's size.
///
/// # Errors
/// The browser's own error, such as that of a picture which is too large for it.
pub(super) async fn from_svg(svg: &str, scale: u32) -> Result<Vec<u8>, JsValue> {
    let image: HtmlElement = document().create_element("img")?.unchecked_into();
    let address = format!(
        "data:image/svg+xml;charset=utf-8,{}",
        String::from(encode_uri_component(svg))
    );
    image.set_attribute("src", &address)?;
    let decoded = method(&image, "decode")?.call0(&image)?;
    JsFuture::from(decoded.dyn_into::<Promise>()?).await?;
    let size_px = |name: &str| {
        let pixels = Reflect::get(&image, &name.into())?.as_f64();
        let pixels = pixels.unwrap_or_default() * f64::from(scale);
        Ok::<u32, JsValue>(pixels.round().max(1.0) as u32)
    };
    let (width, height) = (size_px("naturalWidth")?, size_px("naturalHeight")?);
    let canvas: HtmlCanvasElement = document().create_element("canvas")?.unchecked_into();
    canvas.set_width(width);
    canvas.set_height(height);
    let context = canvas
        .get_context("2d")?
        .ok_or("this browser has no canvas")?;
    let place = [0, 0, width, height].map(JsValue::from);
    let arguments: Array = [JsValue::from(image)].into_iter().chain(place).collect();
    method(&context, "drawImage")?.apply(&context, &arguments)?;
    bytes_of(&canvas).await
}

async fn bytes_of(canvas: &HtmlCanvasElement) -> Result<Vec<u8>, JsValue> {
    let to_blob = method(canvas, "toBlob")?;
    let made = Promise::new(&mut |resolve, reject| {
        if let Err(error) = to_blob.call2(canvas, &resolve, &"image/png".into()) {
            reject_with(&reject, &error);
        }
    });
    let made = JsFuture::from(made).await?;
    // A canvas that is too large makes none.
    let blob: Blob = made
        .dyn_into()
        .map_err(|_| JsValue::from_str("the picture is too large"))?;
    let response = Response::new_with_opt_blob(Some(&blob))?;
    let buffer = JsFuture::from(response.array_buffer()?).await?;
    Ok(js_sys::Uint8Array::new(&buffer).to_vec())
}

fn reject_with(reject: &Function, error: &JsValue) {
    use attention_protocol::OrLogged;
    reject
        .call1(&JsValue::UNDEFINED, error)
        .or_logged("reporting a failed picture");
}

fn method(object: &JsValue, name: &str) -> Result<Function, JsValue> {
    Reflect::get(object, &name.into())?.dyn_into()
}
