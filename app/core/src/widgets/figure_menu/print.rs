//! A figure on a sheet of its own size, printed by the browser, which can save it as a PDF file with text as text.

use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

/// The identifier of the element that alone is printed.
const PRINTED: &str = "printed-figure";

/// Opens the browser's print dialog with the document alone.
///
/// # Errors
/// The browser's own error.
pub(super) fn print(svg: &str) -> Result<(), JsValue> {
    let [width, height] = ["width", "height"].map(|name| root_attribute(svg, name));
    let body = document().body().ok_or("the page has no body")?;
    let sheet = document().create_element("div")?;
    sheet.set_id(PRINTED);
    sheet.set_inner_html(&format!(
        "<style>@media screen {{ #{PRINTED} {{ display: none; }} }}\n\
         @media print {{ @page {{ size: {} {}; margin: 0; }} body > :not(#{PRINTED}) {{ display: none !important; }} \
         html, body {{ margin: 0; padding: 0; background: none; }} #{PRINTED} svg {{ display: block; }} }}</style>{svg}",
        width.unwrap_or("85mm"),
        height.unwrap_or("85mm")
    ));
    body.append_child(&sheet)?;
    let remove = Closure::once_into_js(move || sheet.remove());
    window().set_onafterprint(Some(remove.unchecked_ref()));
    window().print().inspect_err(|_| {
        // No dialog was opened, so nothing else removes it.
        if let Some(sheet) = document().get_element_by_id(PRINTED) {
            sheet.remove();
        }
    })?;
    Ok(())
}

/// Returns an attribute of the document's root.
fn root_attribute<'a>(svg: &'a str, name: &str) -> Option<&'a str> {
    let (_, value) = svg.split_once(&format!(" {name}=\""))?;
    Some(value.split_once('"')?.0)
}
