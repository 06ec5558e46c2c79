//! A figure on a sheet of its own size.

use wasm_bindgen::JsValue;

use crate::widgets::print_alone;

/// The identifier of the element that alone is printed.
const PRINTED: &str = "printed-figure";

/// Opens the browser's print dialog with the document alone.
///
/// # Errors
/// The browser's own error.
pub(super) fn print(svg: &str) -> Result<(), JsValue> {
    let [width, height] =
        ["width", "height"].map(|name| root_attribute(svg, name).unwrap_or("85mm"));
    print_alone(PRINTED, &format!("size: {width} {height}; margin: 0;"), svg)
}

/// Returns an attribute of the document's root.
fn root_attribute<'a>(svg: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = svg.split_once(&format!(" {name}=\""))?;
    Some(value.split_once('"')?.0)
}
