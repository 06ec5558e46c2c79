//! The list of closed tools whose marks are on the map, with a link to each.

use attention_chapters::{Compare, Compared};
use leptos::prelude::*;

use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::{AddressValue, Representation, Tool, View, ViewState},
};

/// The closed tools that mark heads on the map; empty if there are none.
#[component]
pub fn MapShows() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let tools = state.select(marking);
    let button = move |tool: Tool| {
        view! {
            <button
                type="button"
                class="link-button"
                data-testid=format!("shown-{}", tool.address_value())
                on:click=move |_| state.set_tool(tool)
            >
                {move || match tool {
                    Tool::Roles => t_string!(i18n, roles.toggle),
                    _ => t_string!(i18n, edits.importance),
                }}
            </button>
        }
    };
    view! {
        <Show when=move || !tools.read().is_empty()>
            <p class="map-shows" data-testid="map-shows">
                <span class="hint">{t!(i18n, claims.map_shows)}</span>
                {move || tools.get().into_iter().map(button).collect_view()}
            </p>
        </Show>
    }
}

/// Returns the tools whose results are on the map, without the open one.
fn marking(view: &View) -> Vec<Tool> {
    let all = [
        (Tool::Importance, view.importance || view.game.is_some()),
        (Tool::Roles, view.roles.on),
    ];
    let marking = all
        .into_iter()
        .filter(|&(tool, marks)| marks && !is_open(view, tool));
    marking.map(|(tool, _)| tool).collect()
}

fn is_open(view: &View, tool: Tool) -> bool {
    view.representation == Representation::Claim && view.tool == tool
}

/// Returns true if the open tool lists the edits of the model's passes.
pub fn lists_changes(view: &View) -> bool {
    let compares_edits = view.chapters.of::<Compare>().of == Compared::Edits;
    is_open(view, Tool::Off)
        || is_open(view, Tool::Weight)
        || is_open(view, Tool::Compare) && compares_edits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_on_the_map_lead_to_their_tools_unless_those_are_open() {
        let marking = |fragment| marking(&crate::tests::view(fragment));
        assert_eq!(
            marking("importance=1&roles=1"),
            [Tool::Importance, Tool::Roles]
        );
        assert_eq!(marking("roles=1&show=claim&tool=roles"), []);
        assert_eq!(
            marking("game=100&show=claim&tool=roles"),
            [Tool::Importance]
        );
        assert_eq!(marking(""), []);
    }

    #[test]
    fn changes_are_listed_once() {
        let lists = |fragment| lists_changes(&crate::tests::view(fragment));
        assert!(lists("show=claim") && lists("show=claim&tool=weight"));
        assert!(lists("show=claim&tool=compare&compare=edits"));
        assert!(!lists("show=claim&tool=compare") && !lists("tool=weight"));
    }
}
