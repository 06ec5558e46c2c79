//! The tools side by side, the open one pressed.

use leptos::prelude::*;

use super::tools::Words;
use attention_core::{
    i18n::{t_string, use_i18n},
    state::{AddressValue, Tool, ViewState},
};

/// A button for each tool.
#[component]
pub fn Rail(open: Memo<Tool>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let button = move |(tool, name): (Tool, &'static str)| {
        view! {
            <button
                type="button"
                class="chip claim-tool"
                data-testid=format!("tool-{name}")
                aria-pressed=move || (open.get() == tool).to_string()
                on:click=move |_| state.set_tool(tool)
            >
                {move || Words::of(i18n, tool).name}
            </button>
        }
    };
    view! {
        <div class="claim-rail" role="group" aria-label=move || t_string!(i18n, claims.tools)>
            {Tool::values().into_iter().map(button).collect_view()}
        </div>
    }
}
