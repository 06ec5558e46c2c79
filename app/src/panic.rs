//! The message that a visitor sees after a panic.

use std::panic::PanicHookInfo;

use attention_protocol::OrLogged;
use leptos::prelude::document;
use wasm_bindgen::JsValue;

/// Makes a panic visible: in the console with its location, and on the page, in both languages since any part may have
/// failed, with a way to continue.
pub fn show_panics() {
    std::panic::set_hook(Box::new(|info| {
        console_error_panic_hook::hook(info);
        // Without a body there is nowhere to show it, and the console has it.
        show(info).or_logged("showing that the page has failed");
    }));
}

fn show(info: &PanicHookInfo) -> Result<(), JsValue> {
    let document = document();
    let banner = document.create_element("div")?;
    banner.set_class_name("crash");
    banner.set_attribute("role", "alert")?;
    for text in [
        "The page has failed. Reload it to go on; the address keeps your view.",
        "页面出错了。请重新加载；地址栏保留了您的视图。",
        &info.to_string(),
    ] {
        let line = document.create_element("p")?;
        line.set_text_content(Some(text));
        banner.append_child(&line)?;
    }
    // A link to here reloads without any code of ours.
    let reload = document.create_element("a")?;
    reload.set_attribute("href", "")?;
    reload.set_text_content(Some("Reload · 重新加载"));
    banner.append_child(&reload)?;
    let body = document.body().ok_or("the page has no body")?;
    body.append_child(&banner)?;
    Ok(())
}
