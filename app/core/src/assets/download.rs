//! Files that the page has made, offered as downloads.

use std::time::Duration;

use attention_protocol::OrLogged;
use js_sys::{Function, Reflect, Uint8Array};
use leptos::prelude::{document, set_timeout, window};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlElement, Response};

/// The longest time that a browser may take to begin a download.
const BEGINS_WITHIN: Duration = Duration::from_secs(60);

/// The number of characters of the longest name of a file, without its ending.
const LONGEST_NAME: usize = 60;

/// Returns a name for a file without its ending: the letters and digits of a text, with hyphens between its words; empty if
/// it has none.
pub fn file_stem(text: &str) -> String {
    let words = text.split(|character: char| !character.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let stem: String = words.join("-").chars().take(LONGEST_NAME).collect();
    stem.trim_end_matches('-').to_lowercase()
}

/// Makes the browser save a file. The temporary address of the file is released after a while.
///
/// # Errors
/// The browser's own error message.
pub async fn save(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    let copy = Uint8Array::from(bytes);
    // A response makes what the browser saves of bytes.
    let response = Response::new_with_opt_js_u8_array(Some(&copy))?;
    let blob = JsFuture::from(response.blob()?).await?;
    let address = call("createObjectURL", &blob)?;
    let link: HtmlElement = document().create_element("a")?.unchecked_into();
    link.set_attribute("href", &address.as_string().unwrap_or_default())?;
    link.set_attribute("download", name)?;
    link.click();
    let release = move || {
        call("revokeObjectURL", &address).or_logged("releasing the address of a download");
    };
    set_timeout(release, BEGINS_WITHIN);
    Ok(())
}

/// Calls a function of the browser's `URL`.
fn call(name: &str, argument: &JsValue) -> Result<JsValue, JsValue> {
    let url = Reflect::get(&window(), &"URL".into())?;
    let function: Function = Reflect::get(&url, &name.into())?.dyn_into()?;
    function.call1(&url, argument)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_named_by_the_words_of_a_text() {
        assert_eq!(file_stem("Layer 2, head 3: Cross"), "layer-2-head-3-cross");
        assert_eq!(file_stem("第 1 层"), "第-1-层");
        assert_eq!(file_stem("../<>"), "");
        assert!(file_stem(&"word ".repeat(40)).chars().count() <= LONGEST_NAME);
    }
}
