//! A button that copies a text.

use std::time::Duration;

use attention_protocol::OrLogged;
use js_sys::{Function, Reflect};
use leptos::{prelude::*, task::spawn_local};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Clipboard, HtmlElement, HtmlTextAreaElement};

/// The time for which the button shows the outcome.
const SAID_FOR: Duration = Duration::from_secs(4);

#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Copied,
    Refused,
}

/// The button. For a few seconds it says what became of the text.
#[component]
pub fn CopyButton(
    /// The `data-testid` of the button.
    test_id: &'static str,
    text: impl Fn() -> String + 'static,
    #[prop(into)] name: Signal<String>,
    /// The message after the text is copied.
    #[prop(into)]
    copied: Signal<String>,
    /// The message after the browser refused to copy.
    #[prop(into)]
    refused: Signal<String>,
) -> impl IntoView {
    let outcome = RwSignal::new(None);
    let copy = move |_| {
        let text = text();
        spawn_local(async move {
            outcome.try_set(Some(match copy(&text).await {
                true => Outcome::Copied,
                false => Outcome::Refused,
            }));
            set_timeout(
                move || {
                    outcome.try_set(None);
                },
                SAID_FOR,
            );
        });
    };
    view! {
        <button type="button" class="plain-button" data-testid=test_id on:click=copy>
            <span role="status">
                {move || match outcome.get() {
                    None => name.get(),
                    Some(Outcome::Copied) => copied.get(),
                    Some(Outcome::Refused) => refused.get(),
                }}
            </span>
        </button>
    }
}

/// Copies a text; whether the browser let us.
async fn copy(text: &str) -> bool {
    if let Some(clipboard) = clipboard()
        && JsFuture::from(clipboard.write_text(text))
            .await
            .or_logged("writing to the clipboard")
            .is_some()
    {
        return true;
    }
    copy_selected(text)
        .or_logged("copying a selected text")
        .unwrap_or(false)
}

/// `None` on a page that came over an insecure connection.
fn clipboard() -> Option<Clipboard> {
    let clipboard = Reflect::get(&window().navigator(), &"clipboard".into())
        .or_logged("finding the clipboard")?;
    (!clipboard.is_undefined()).then(|| clipboard.unchecked_into())
}

/// The way of older browsers and insecure pages: the text is selected and the browser told to copy the selection.
fn copy_selected(text: &str) -> Result<bool, JsValue> {
    let document = document();
    let focused = document.active_element();
    let field: HtmlTextAreaElement = document.create_element("textarea")?.dyn_into()?;
    field.set_attribute("style", "position: fixed; top: 0; opacity: 0")?;
    field.set_value(text);
    document.body().ok_or(JsValue::NULL)?.append_child(&field)?;
    field.select();
    let command: Function = Reflect::get(&document, &"execCommand".into())?.dyn_into()?;
    let copied = command.call1(&document, &"copy".into());
    field.remove();
    if let Some(focused) = focused.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
        focused.focus().or_logged("moving the focus");
    }
    Ok(copied?.is_truthy())
}
