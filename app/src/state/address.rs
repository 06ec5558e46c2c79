//! The address bar follows the view, and the view follows "back" and "forward".

use std::time::Duration;

use leptos::{leptos_dom::helpers::TimeoutHandle, prelude::*};
use wasm_bindgen::JsValue;
use web_sys::History;

use super::{View, ViewState};

/// Browsers refuse more than some hundred changes of the address in half a minute, so quick
/// changes are gathered.
const GATHER: Duration = Duration::from_millis(150);

/// Writes every change of the view into the address bar. `on_return` is called after the visitor
/// went back or forward and the view has followed.
pub fn keep_in_address(state: ViewState, on_return: impl Fn() + 'static) {
    // An effect because the address bar lies outside the reactive graph.
    Effect::new(move |pending: Option<Option<TimeoutHandle>>| {
        if let Some(Some(pending)) = pending {
            pending.clear();
        }
        let query = state.get().to_query();
        set_timeout_with_handle(
            move || write(&query, History::replace_state_with_url),
            GATHER,
        )
        .ok()
    });
    let listener = window_event_listener(leptos::ev::popstate, move |_| {
        state.replace(view_in_address());
        on_return();
    });
    on_cleanup(move || listener.remove());
}

/// Makes the view an entry of the browser's history, so that "back" returns to `previous`: what the
/// visitor typed since is taken out of the current entry again.
pub fn push_address(previous: &View, view: &View) {
    if previous != view {
        write(&previous.to_query(), History::replace_state_with_url);
        write(&view.to_query(), History::push_state_with_url);
    }
}

/// The view that the address bar spells.
pub fn view_in_address() -> View {
    View::from_query(&window().location().search().unwrap_or_default())
}

type Write = fn(&History, &JsValue, &str, Option<&str>) -> Result<(), JsValue>;

fn write(query: &str, write: Write) {
    let location = window().location();
    let path = location.pathname().unwrap_or_default();
    let address = if query.is_empty() {
        path
    } else {
        format!("{path}?{query}")
    };
    if let Ok(history) = window().history() {
        // Refused only when called too often; the next change writes it.
        let _ = write(&history, &JsValue::NULL, "", Some(&address));
    }
}
