//! A link to another view of the page.

use attention_protocol::OrLogged;
use leptos::{ev::MouseEvent, prelude::*};

use crate::{
    engine::Live,
    language::current_language,
    state::{View, ViewState, push_address},
};

/// A link to the selected view with a change, as an address that can be copied or opened in another tab; a plain click
/// goes there without reloading the page.
#[component]
pub fn ViewLink<F>(
    /// The change that the link makes to the view.
    change: F,
    /// The class of the link in CSS.
    class: &'static str,
    /// True if the link leads to the place on screen.
    #[prop(into, optional)]
    current: Signal<bool>,
    /// The `data-testid` of the link.
    test_id: &'static str,
    children: Children,
) -> impl IntoView
where
    F: Fn(&mut View) + Copy + Send + Sync + 'static,
{
    let (state, live) = (ViewState::expect(), Live::expect());
    let there = move |mut view: View| {
        change(&mut view);
        view
    };
    view! {
        <a
            class=class
            data-testid=test_id
            href=move || format!("#{}", there(state.get()).to_fragment())
            aria-current=move || current.get().then_some("page")
            on:click=move |event| {
                if is_plain(&event) {
                    event.prevent_default();
                    go_to(state, live, there(state.get_untracked()));
                }
            }
        >
            {children()}
        </a>
    }
}

/// A link to the view that shows a finding mentioned in a text.
#[component]
pub fn FindingLink(
    /// The entries that differ from the default, spelled as in an address.
    link: &'static str,
    /// The `data-testid` of the link.
    test_id: &'static str,
    children: Children,
) -> impl IntoView {
    view! {
        <ViewLink
            change=move |view: &mut View| *view = view.at_link(link)
            class="link-button"
            test_id
        >
            {children()}
        </ViewLink>
    }
}

/// Opens another view, as a new entry of the history.
pub fn go_to(state: ViewState, live: Live, there: View) {
    push_address(&state.get_untracked(), &there);
    state.replace(there);
    live.follow_view();
}

/// Returns the address of a view for anyone, in the language in which it is read.
pub fn address_of(view: &View) -> String {
    let view = View {
        language: Some(current_language()),
        ..view.clone()
    };
    let location = window().location();
    let page = location
        .origin()
        .or_logged("reading the address")
        .unwrap_or_default()
        + &location
            .pathname()
            .or_logged("reading the address")
            .unwrap_or_default();
    format!("{page}#{}", view.to_fragment())
}

/// True if a click follows the link in place, without a request for a new tab or window.
fn is_plain(event: &MouseEvent) -> bool {
    event.button() == 0
        && !(event.ctrl_key() || event.meta_key() || event.shift_key() || event.alt_key())
}
