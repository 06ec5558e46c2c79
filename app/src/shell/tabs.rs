//! The parts of the page: their names, and the open one.

use leptos::{
    ev::{KeyboardEvent, MouseEvent},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::{FocusOptions, HtmlElement};

use super::tab_panel::TabPanel;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::{AddressValue, Tab, ViewState, push_address},
};
use attention_protocol::OrLogged;

/// The identifier of the open tab's content.
pub const TAB_PANEL: &str = "tab-panel";

#[component]
pub fn Tabs() -> impl IntoView {
    let i18n = use_i18n();
    let open = ViewState::expect().select(|view| view.tab);
    view! {
        <div class="tabs" role="tablist" aria-label=move || t_string!(i18n, shell.tabs)>
            {Tab::values().into_iter().map(|(tab, _)| view! { <TabButton tab open /> }).collect_view()}
        </div>
    }
}

/// The open tab's content.
#[component]
pub fn OpenTab() -> impl IntoView {
    let open = ViewState::expect().select(|view| view.tab);
    view! {
        <section
            class="tab-panel"
            id=TAB_PANEL
            role="tabpanel"
            tabindex="-1"
            aria-labelledby=move || format!("tab-{}", open.get().address_value())
        >
            {move || view! { <TabPanel tab=open.get() /> }}
        </section>
    }
}

#[component]
fn TabButton(tab: Tab, open: Memo<Tab>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let is_open = move || open.get() == tab;
    view! {
        <button
            type="button"
            role="tab"
            class="tab"
            id=format!("tab-{}", tab.address_value())
            data-testid=format!("tab-{}", tab.address_value())
            aria-selected=move || is_open().to_string()
            aria-controls="tab-panel"
            tabindex=move || if is_open() { "0" } else { "-1" }
            on:click=move |event| open_tab(state, tab, &event)
            on:keydown=move |event| move_tab(state, tab, &event)
        >
            {move || match tab {
                Tab::Explore => t!(i18n, shell.explore).into_any(),
                Tab::Learn => t!(i18n, shell.learn).into_any(),
                Tab::Teach => t!(i18n, shell.teach).into_any(),
            }}
        </button>
    }
}

/// Opens a tab as an entry of the history. After a click the focus does not stay on the tab's name, where the arrow
/// keys would change tabs instead of moving the player.
fn open_tab(state: ViewState, tab: Tab, event: &MouseEvent) {
    go_to(state, tab);
    if event.detail() > 0 {
        focus(TAB_PANEL);
    }
}

fn go_to(state: ViewState, tab: Tab) {
    let here = state.get_untracked();
    if here.tab != tab {
        state.set_tab(tab);
        push_address(&here, &state.get_untracked());
    }
}

/// Moves the focus to an element by its identifier, without scrolling.
pub fn focus(id: &str) {
    if let Some(element) = document().get_element_by_id(id)
        && let Ok(element) = element.dyn_into::<HtmlElement>()
    {
        let options = FocusOptions::new();
        options.set_prevent_scroll(true);
        element
            .focus_with_options(&options)
            .or_logged("moving the focus");
    }
}

fn move_tab(state: ViewState, from: Tab, event: &KeyboardEvent) {
    let by = match event.key().as_str() {
        "ArrowLeft" => -1,
        "ArrowRight" => 1,
        _ => return,
    };
    let tabs = || Tab::values().into_iter().map(|(tab, _)| tab);
    let place = tabs().position(|tab| tab == from);
    let Some(to) = place
        .and_then(|place| place.checked_add_signed(by))
        .and_then(|place| tabs().nth(place))
    else {
        return;
    };
    event.prevent_default();
    go_to(state, to);
    focus(&format!("tab-{}", to.address_value()));
}
