//! The address bar follows the view, and the view follows the address bar.
//!
//! The view is in the fragment, the part after `#`, which browsers send to no server. `boot.js` brings addresses of
//! the old form, with the view in the query, into this one before the page starts.

use std::time::Duration;

use attention_protocol::OrLogged;
use js_sys::Date;
use leptos::prelude::*;
use wasm_bindgen::{JsCast, JsValue, closure::Closure};
use web_sys::History;

use super::{View, ViewState, opened, pace::Pace};

/// Events by which a visitor acts on a page; they are heard before they have any effect.
const TOUCHES: [&str; 6] = [
    "pointerdown",
    "click",
    "keydown",
    "input",
    "change",
    "wheel",
];

/// Writes every change of the view into the address bar, at once unless changes come faster than browsers allow: a
/// reload loses what is not there yet. If the visitor goes back or forward, or edits the fragment, the view becomes the
/// one that the address spells, `complete`d, and `on_return` is called. An address that was not fully understood stays
/// as it is until the visitor changes something.
pub fn keep_in_address(
    state: ViewState,
    complete: impl Fn(View) -> View + 'static,
    on_return: impl Fn() + 'static,
) {
    let bar = AddressBar {
        state,
        pace: StoredValue::new(Pace::new(Date::now())),
        is_due: StoredValue::new(false),
    };
    // An effect because the address bar lies outside the reactive graph.
    Effect::new(move |_| {
        state.track();
        bar.follow();
    });
    let listener = window_event_listener(leptos::ev::popstate, move |_| {
        state.replace(open_address(&complete));
        on_return();
    });
    on_cleanup(move || listener.remove());
    notice_touches();
}

/// Records from now on that the visitor has acted. The listeners run before the page's own, so that changes made by those
/// count as the visitor's.
fn notice_touches() {
    let touched = Closure::<dyn Fn()>::new(opened::touch);
    for event in TOUCHES {
        let callback = touched.as_ref().unchecked_ref();
        window()
            .add_event_listener_with_callback_and_bool(event, callback, true)
            .or_logged("listening to the visitor's first act");
    }
    // As long as the page.
    touched.forget();
}

/// Keeps the address bar up to date with the view.
#[derive(Clone, Copy)]
struct AddressBar {
    state: ViewState,
    pace: StoredValue<Pace>,
    /// True if an update of the address bar is already scheduled.
    is_due: StoredValue<bool>,
}

impl AddressBar {
    /// Writes the view now, or schedules the write.
    fn follow(self) {
        let view = self.state.get_untracked();
        if self.is_due.get_value() || stands_for(&fragment_in_address(), &view) {
            return;
        }
        let allowed = self.pace.try_update_value(|pace| pace.allows(Date::now()));
        if allowed == Some(true) {
            return write(&view, History::replace_state_with_url);
        }
        self.is_due.set_value(true);
        let soon = Duration::from_millis(Pace::REST_MS.into());
        set_timeout(
            move || {
                self.is_due.set_value(false);
                self.follow();
            },
            soon,
        );
    }
}

/// Makes the view an entry of the browser's history, so that "back" returns to `previous`: text typed since then is
/// removed from the current entry.
pub fn push_address(previous: &View, view: &View) {
    if previous != view {
        if !stands_for(&fragment_in_address(), previous) {
            write(previous, History::replace_state_with_url);
        }
        write(view, History::push_state_with_url);
    }
}

/// Reads the view from the address bar, `complete`d; parts that are not understood are noted for the visitor.
pub fn open_address(complete: impl Fn(View) -> View) -> View {
    let fragment = fragment_in_address();
    let (view, faults) = View::from_address(&fragment);
    let view = complete(view);
    opened::remember(fragment, view.clone(), faults);
    view
}

/// True if a fragment need not be written anew for a view.
fn stands_for(fragment: &str, view: &View) -> bool {
    // Asked first, so that what the page changes by itself counts as what the address says.
    opened::is_kept(view, fragment) || fragment == view.to_fragment()
}

/// Returns the fragment in the address bar, without the `#`.
fn fragment_in_address() -> String {
    let hash = window()
        .location()
        .hash()
        .or_logged("reading the address")
        .unwrap_or_default();
    hash.strip_prefix('#').unwrap_or(&hash).to_owned()
}

type Write = fn(&History, &JsValue, &str, Option<&str>) -> Result<(), JsValue>;

fn write(view: &View, write: Write) {
    let path = window()
        .location()
        .pathname()
        .or_logged("reading the address")
        .unwrap_or_default();
    let address = match view.to_fragment().as_str() {
        "" => path,
        fragment => format!("{path}#{fragment}"),
    };
    let history = window().history();
    // Refused only when called too often; the next change writes it.
    history
        .and_then(|history| write(&history, &JsValue::NULL, "", Some(&address)))
        .or_logged("writing the address");
}
