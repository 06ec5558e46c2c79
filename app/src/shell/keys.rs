//! The keys of the current view, in groups by the element they act on.

use leptos::prelude::*;

use attention_core::{
    edits::{FORBID_KEY, PIN_KEY, SWITCH_KEY},
    i18n::{t, t_string, use_i18n},
    state::{Representation, Tab, Tool, View, ViewState},
};

/// The key that switches large type on and off.
pub const LARGE_KEY: &str = "l";
/// The key that starts and ends presenter mode.
pub const PRESENT_KEY: &str = "p";

/// The chapters whose figure has stages that are played by keys.
const STAGED: [&str; 5] = ["start", "follow", "hand", "layers", "search"];
/// The chapters with an element that can be dragged.
const DRAGGED: [&str; 3] = ["scores", "order", "positions"];
/// The chapter with a picture to draw.
const DRAWN: &str = "image";

/// The place on which a group of keys acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    /// The page as a whole.
    Page,
    /// A figure in presenter mode.
    Presenting,
    /// The player of decoding steps.
    Steps,
    /// The stages of a chapter's figure.
    Stages,
    /// The box with the sentence.
    Sentence,
    /// The names of the tabs.
    Tabs,
    /// The map of the model.
    Map,
    /// A head on the map.
    Head,
    /// A chosen cell, or a pair of tokens.
    Cell,
    /// The heatmap and the shaded sentence.
    Figure,
    /// The heatmap of a long text.
    Part,
    /// Plots, matrices and strips.
    Values,
    /// An element that can be dragged.
    Dragged,
    /// The picture to be drawn on.
    Picture,
}

/// Returns the groups that act on a view, the page's first.
fn groups(view: &View) -> Vec<Group> {
    let (shown, chapter) = (view.representation, view.chapters.open.as_str());
    let explores = view.tab == Tab::Explore;
    let learns = view.tab == Tab::Learn;
    let tests = explores && shown == Representation::Claim;
    let is_heatmap =
        explores && shown == Representation::Heatmap || tests && view.tool == Tool::Weight;
    let has_weights = is_heatmap || explores && shown == Representation::Lines;
    let presents = view.class.present;
    let groups = [
        (Group::Page, true),
        (Group::Presenting, presents),
        (Group::Steps, explores && !presents),
        (
            Group::Stages,
            learns && !presents && STAGED.contains(&chapter),
        ),
        (Group::Sentence, !presents),
        (Group::Tabs, !presents),
        (Group::Map, explores),
        (Group::Head, explores),
        (
            Group::Figure,
            is_heatmap || explores && shown == Representation::Sentence,
        ),
        (Group::Cell, has_weights),
        (Group::Part, is_heatmap),
        (
            Group::Values,
            learns || tests || explores && shown == Representation::NextWord,
        ),
        (Group::Dragged, learns && DRAGGED.contains(&chapter)),
        (Group::Picture, learns && chapter == DRAWN),
    ];
    let acting = groups.into_iter().filter(|(_, acts)| *acts);
    acting.map(|(group, _)| group).collect()
}

/// The keys of the current view, a group for each place on which they act.
#[component]
pub fn KeyList() -> impl IntoView {
    let i18n = use_i18n();
    let groups = ViewState::expect().select(groups);
    view! {
        <table class="key-list" data-testid="key-list">
            <caption>{t!(i18n, keys.title)}</caption>
            {move || groups.get().into_iter().map(keys).collect_view()}
        </table>
    }
}

/// Returns the list of a group's keys.
fn keys(group: Group) -> AnyView {
    match group {
        Group::Page => page(),
        Group::Presenting => presenting(),
        Group::Steps => played(|| t_string!(use_i18n(), keys.steps)),
        Group::Stages => played(|| t_string!(use_i18n(), keys.stages)),
        Group::Sentence => sentence(),
        Group::Tabs => tabs(),
        Group::Map => map(),
        Group::Head => head(),
        Group::Figure => figure(),
        Group::Cell => cell(),
        Group::Part => part(),
        Group::Values => values(),
        Group::Dragged => dragged(),
        Group::Picture => picture(),
    }
}

fn page() -> AnyView {
    let i18n = use_i18n();
    view! {
        <KeyGroup place=move || t_string!(i18n, keys.anywhere)>
            <Key keys=|| "?".to_owned()>{t!(i18n, keys.about)}</Key>
            <Key keys=|| LARGE_KEY.to_uppercase()>{t!(i18n, keys.large)}</Key>
            <Key keys=|| PRESENT_KEY.to_uppercase()>{t!(i18n, keys.present)}</Key>
        </KeyGroup>
    }
    .into_any()
}

fn presenting() -> AnyView {
    let i18n = use_i18n();
    let space = move || t_string!(i18n, keys.space).to_owned();
    view! {
        <KeyGroup place=move || t_string!(i18n, keys.presenting)>
            <Key keys=move || format!("→ Page Down {}", space())>{t!(i18n, keys.go_on)}</Key>
            <Key keys=|| "← Page Up".to_owned()>{t!(i18n, keys.go_back)}</Key>
            <Key keys=|| "N".to_owned()>{t!(i18n, keys.notes)}</Key>
            <Key keys=|| "Esc".to_owned()>{t!(i18n, keys.leave)}</Key>
        </KeyGroup>
    }
    .into_any()
}

/// Returns the list of a player's keys.
fn played(place: fn() -> &'static str) -> AnyView {
    let i18n = use_i18n();
    let space = move || t_string!(i18n, keys.space).to_owned();
    view! {
        <KeyGroup place>
            <Key keys=space>{t!(i18n, keys.play)}</Key>
            <Key keys=|| "← →".to_owned()>{t!(i18n, keys.step)}</Key>
            <Key keys=|| "Home End".to_owned()>{t!(i18n, keys.ends)}</Key>
        </KeyGroup>
    }
    .into_any()
}

fn sentence() -> AnyView {
    let i18n = use_i18n();
    view! {
        <KeyGroup place=move || t_string!(i18n, keys.in_sentence)>
            <Key keys=|| "Enter".to_owned()>{t!(i18n, keys.run)}</Key>
            <Key keys=|| "Shift + Enter".to_owned()>{t!(i18n, keys.line)}</Key>
        </KeyGroup>
    }
    .into_any()
}

fn tabs() -> AnyView {
    let i18n = use_i18n();
    view! {
        <KeyGroup place=move || t_string!(i18n, keys.on_tab)>
            <Key keys=|| "← →".to_owned()>{t!(i18n, keys.next_tab)}</Key>
        </KeyGroup>
    }
    .into_any()
}

fn map() -> AnyView {
    let i18n = use_i18n();
    view! {
        <KeyGroup place=move || t_string!(i18n, keys.on_map)>
            <Key keys=|| "+ −".to_owned()>{t!(i18n, keys.zoom)}</Key>
            <Key keys=|| "← ↑ → ↓".to_owned()>{t!(i18n, keys.pan)}</Key>
            <Key keys=|| "0 Esc".to_owned()>{t!(i18n, keys.whole)}</Key>
        </KeyGroup>
    }
    .into_any()
}

fn head() -> AnyView {
    let i18n = use_i18n();
    view! {
        <KeyGroup place=move || t_string!(i18n, keys.on_head)>
            <Key keys=|| "← ↑ → ↓".to_owned()>{t!(i18n, keys.next_head)}</Key>
            <Key keys=|| "Shift + ← ↑ → ↓".to_owned()>{t!(i18n, keys.add_head)}</Key>
            <Key keys=|| "Enter".to_owned()>{t!(i18n, keys.closer)}</Key>
            <Key keys=|| SWITCH_KEY.to_uppercase()>{t!(i18n, keys.switch_head)}</Key>
            <Key keys=|| "Esc".to_owned()>{t!(i18n, keys.one_head)}</Key>
        </KeyGroup>
    }
    .into_any()
}

fn figure() -> AnyView {
    let i18n = use_i18n();
    view! {
        <KeyGroup place=move || t_string!(i18n, keys.in_figure)>
            <Key keys=|| "← ↑ → ↓".to_owned()>{t!(i18n, keys.next_cell)}</Key>
            <Key keys=|| "Shift + ↑ ↓".to_owned()>{t!(i18n, keys.add_token)}</Key>
            <Key keys=|| "Esc".to_owned()>{t!(i18n, keys.let_go)}</Key>
        </KeyGroup>
    }
    .into_any()
}

fn cell() -> AnyView {
    let i18n = use_i18n();
    view! {
        <KeyGroup place=move || t_string!(i18n, keys.on_cell)>
            <Key keys=|| PIN_KEY.to_uppercase()>{t!(i18n, keys.pin)}</Key>
            <Key keys=|| FORBID_KEY.to_uppercase()>{t!(i18n, keys.forbid)}</Key>
            <Key keys=|| "Delete".to_owned()>{t!(i18n, keys.own_weight)}</Key>
            <Key keys=|| "Ctrl + Z, Ctrl + Shift + Z".to_owned()>{t!(i18n, keys.undo)}</Key>
        </KeyGroup>
    }
    .into_any()
}

fn part() -> AnyView {
    let i18n = use_i18n();
    view! {
        <KeyGroup place=move || t_string!(i18n, keys.in_part)>
            <Key keys=|| "Page Up, Page Down".to_owned()>{t!(i18n, keys.page)}</Key>
            <Key keys=|| "Shift + ← →".to_owned()>{t!(i18n, keys.aside)}</Key>
            <Key keys=|| "+ −".to_owned()>{t!(i18n, keys.cells)}</Key>
        </KeyGroup>
    }
    .into_any()
}

fn values() -> AnyView {
    let i18n = use_i18n();
    view! {
        <KeyGroup place=move || t_string!(i18n, keys.in_plot)>
            <Key keys=|| "← ↑ → ↓".to_owned()>{t!(i18n, keys.next_value)}</Key>
            <Key keys=|| "Esc".to_owned()>{t!(i18n, keys.let_go)}</Key>
        </KeyGroup>
    }
    .into_any()
}

fn dragged() -> AnyView {
    let i18n = use_i18n();
    view! {
        <KeyGroup place=move || t_string!(i18n, keys.in_chapter)>
            <Key keys=|| "← ↑ → ↓".to_owned()>{t!(i18n, keys.drag)}</Key>
            <Key keys=|| "Shift + ← ↑ → ↓".to_owned()>{t!(i18n, keys.drag_far)}</Key>
            <Key keys=|| "Home End".to_owned()>{t!(i18n, keys.drag_ends)}</Key>
        </KeyGroup>
    }
    .into_any()
}

fn picture() -> AnyView {
    let i18n = use_i18n();
    view! {
        <KeyGroup place=move || t_string!(i18n, keys.on_picture)>
            <Key keys=|| "← ↑ → ↓".to_owned()>{t!(i18n, keys.next_position)}</Key>
            <Key keys=|| "Enter".to_owned()>{t!(i18n, keys.draw)}</Key>
            <Key keys=|| "Delete".to_owned()>{t!(i18n, keys.rub_out)}</Key>
            <Key keys=|| "Ctrl + Z".to_owned()>{t!(i18n, keys.undo_drawing)}</Key>
        </KeyGroup>
    }
    .into_any()
}

#[component]
fn KeyGroup(
    /// The place on which the keys act.
    place: impl Fn() -> &'static str + Send + Sync + 'static,
    children: Children,
) -> impl IntoView {
    view! {
        <tbody>
            <tr>
                <th class="key-place" colspan="2" scope="rowgroup">{place}</th>
            </tr>
            {children()}
        </tbody>
    }
}

#[component]
fn Key(
    /// The labels of the keys.
    keys: impl Fn() -> String + Send + Sync + 'static,
    /// The description of the keys' action.
    children: Children,
) -> impl IntoView {
    view! {
        <tr>
            <th scope="row"><kbd>{keys}</kbd></th>
            <td>{children()}</td>
        </tr>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_letter_means_two_things() {
        // "n" is of presenter mode: the notes.
        let mut letters = [LARGE_KEY, PRESENT_KEY, "n", SWITCH_KEY, PIN_KEY, FORBID_KEY];
        letters.sort_unstable();
        let all = letters.len();
        let mut different = letters.to_vec();
        different.dedup();
        assert_eq!(different.len(), all, "{letters:?}");
    }

    #[test]
    fn keys_are_those_of_the_view() {
        let of = |address: &str| groups(&crate::tests::view(address));
        let explored = of("");
        for group in [Group::Steps, Group::Map, Group::Cell, Group::Figure] {
            assert!(explored.contains(&group), "{group:?}");
        }
        assert!(!explored.contains(&Group::Presenting) && !explored.contains(&Group::Stages));
        assert!(!of("show=next").contains(&Group::Cell));
        assert!(of("show=claim&tool=weight").contains(&Group::Cell));
        assert!(!of("show=claim&tool=lens").contains(&Group::Cell));
        let chapter = of("tab=learn&chapter=image");
        assert!(chapter.contains(&Group::Picture) && !chapter.contains(&Group::Map));
        assert!(of("tab=learn&chapter=follow").contains(&Group::Stages));
        let presented = of("tab=learn&chapter=follow&present=1");
        assert_eq!(presented, [Group::Page, Group::Presenting, Group::Values]);
    }
}
