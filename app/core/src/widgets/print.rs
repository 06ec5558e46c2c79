//! A part of the page on pages of its own, printed by the browser, which can save it as a PDF file with text as text.

use leptos::prelude::{document, window};
use wasm_bindgen::{JsCast, JsValue, closure::Closure};

/// Opens the browser's print dialog with `content` alone. `id` is the identifier of the element that holds it until the
/// dialog closes; `page` is what CSS says of its pages, such as `size: A4;`.
///
/// # Errors
/// The browser's own error.
pub fn print_alone(id: &str, page: &str, content: &str) -> Result<(), JsValue> {
    let body = document().body().ok_or("the page has no body")?;
    let sheet = document().create_element("div")?;
    sheet.set_id(id);
    sheet.set_inner_html(&format!(
        "<style>@media screen {{ #{id} {{ display: none; }} }}\n\
         @media print {{ @page {{ {page} }} body > :not(#{id}) {{ display: none !important; }} \
         html, body {{ margin: 0; padding: 0; background: none; }} #{id} svg {{ display: block; }} }}</style>{content}"
    ));
    body.append_child(&sheet)?;
    let held = sheet.clone();
    let remove = Closure::once_into_js(move || held.remove());
    window().set_onafterprint(Some(remove.unchecked_ref()));
    window().print().inspect_err(|_| {
        // No dialog was opened, so nothing else removes it.
        sheet.remove();
    })?;
    Ok(())
}
