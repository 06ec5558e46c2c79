//! Every key that the page knows, by where it acts.

use leptos::prelude::*;

use attention_core::{
    edits::{FORBID_KEY, PIN_KEY, SWITCH_KEY},
    i18n::{t, t_string, use_i18n},
};

/// The key that makes type large, and as it was.
pub const LARGE_KEY: &str = "l";
/// The key that begins to present, and ends it.
pub const PRESENT_KEY: &str = "p";

/// The keys, a group for each place.
#[component]
pub fn KeyList() -> impl IntoView {
    let i18n = use_i18n();
    let space = move || t_string!(i18n, keys.space).to_owned();
    view! {
        <table class="key-list" data-testid="key-list">
            <caption>{t!(i18n, keys.title)}</caption>
            <KeyGroup place=move || t_string!(i18n, keys.anywhere)>
                <Key keys=|| "?".to_owned()>{t!(i18n, keys.about)}</Key>
                <Key keys=|| LARGE_KEY.to_uppercase()>{t!(i18n, keys.large)}</Key>
                <Key keys=|| PRESENT_KEY.to_uppercase()>{t!(i18n, keys.present)}</Key>
                <Key keys=space>{t!(i18n, keys.play)}</Key>
                <Key keys=|| "← →".to_owned()>{t!(i18n, keys.step)}</Key>
                <Key keys=|| "Home End".to_owned()>{t!(i18n, keys.ends)}</Key>
            </KeyGroup>
            <KeyGroup place=move || t_string!(i18n, keys.presenting)>
                <Key keys=move || format!("→ Page Down {}", space())>{t!(i18n, keys.go_on)}</Key>
                <Key keys=|| "← Page Up".to_owned()>{t!(i18n, keys.go_back)}</Key>
                <Key keys=|| "N".to_owned()>{t!(i18n, keys.notes)}</Key>
                <Key keys=|| "Esc".to_owned()>{t!(i18n, keys.leave)}</Key>
            </KeyGroup>
            <KeyGroup place=move || t_string!(i18n, keys.in_sentence)>
                <Key keys=|| "Enter".to_owned()>{t!(i18n, keys.run)}</Key>
                <Key keys=|| "Shift + Enter".to_owned()>{t!(i18n, keys.line)}</Key>
            </KeyGroup>
            <KeyGroup place=move || t_string!(i18n, keys.on_tab)>
                <Key keys=|| "← →".to_owned()>{t!(i18n, keys.next_tab)}</Key>
            </KeyGroup>
            <KeyGroup place=move || t_string!(i18n, keys.on_map)>
                <Key keys=|| "+ −".to_owned()>{t!(i18n, keys.zoom)}</Key>
                <Key keys=|| "← ↑ → ↓".to_owned()>{t!(i18n, keys.pan)}</Key>
                <Key keys=|| "0 Esc".to_owned()>{t!(i18n, keys.whole)}</Key>
            </KeyGroup>
            <KeyGroup place=move || t_string!(i18n, keys.on_head)>
                <Key keys=|| "← ↑ → ↓".to_owned()>{t!(i18n, keys.next_head)}</Key>
                <Key keys=|| "Shift + ← ↑ → ↓".to_owned()>{t!(i18n, keys.add_head)}</Key>
                <Key keys=|| "Enter".to_owned()>{t!(i18n, keys.closer)}</Key>
                <Key keys=|| SWITCH_KEY.to_uppercase()>{t!(i18n, keys.switch_head)}</Key>
                <Key keys=|| "Esc".to_owned()>{t!(i18n, keys.one_head)}</Key>
            </KeyGroup>
            <KeyGroup place=move || t_string!(i18n, keys.in_figure)>
                <Key keys=|| "← ↑ → ↓".to_owned()>{t!(i18n, keys.next_cell)}</Key>
                <Key keys=|| "Shift + ↑ ↓".to_owned()>{t!(i18n, keys.add_token)}</Key>
                <Key keys=|| "Esc".to_owned()>{t!(i18n, keys.let_go)}</Key>
            </KeyGroup>
            <KeyGroup place=move || t_string!(i18n, keys.on_cell)>
                <Key keys=|| PIN_KEY.to_uppercase()>{t!(i18n, keys.pin)}</Key>
                <Key keys=|| FORBID_KEY.to_uppercase()>{t!(i18n, keys.forbid)}</Key>
                <Key keys=|| "Delete".to_owned()>{t!(i18n, keys.own_weight)}</Key>
                <Key keys=|| "Ctrl + Z, Ctrl + Shift + Z".to_owned()>{t!(i18n, keys.undo)}</Key>
            </KeyGroup>
            <KeyGroup place=move || t_string!(i18n, keys.in_part)>
                <Key keys=|| "Page Up, Page Down".to_owned()>{t!(i18n, keys.page)}</Key>
                <Key keys=|| "Shift + ← →".to_owned()>{t!(i18n, keys.aside)}</Key>
                <Key keys=|| "+ −".to_owned()>{t!(i18n, keys.cells)}</Key>
            </KeyGroup>
            <KeyGroup place=move || t_string!(i18n, keys.in_plot)>
                <Key keys=|| "← ↑ → ↓".to_owned()>{t!(i18n, keys.next_value)}</Key>
                <Key keys=|| "Esc".to_owned()>{t!(i18n, keys.let_go)}</Key>
            </KeyGroup>
            <KeyGroup place=move || t_string!(i18n, keys.in_chapter)>
                <Key keys=|| "← ↑ → ↓".to_owned()>{t!(i18n, keys.drag)}</Key>
                <Key keys=|| "Shift + ← ↑ → ↓".to_owned()>{t!(i18n, keys.drag_far)}</Key>
                <Key keys=|| "Home End".to_owned()>{t!(i18n, keys.drag_ends)}</Key>
            </KeyGroup>
            <KeyGroup place=move || t_string!(i18n, keys.on_picture)>
                <Key keys=|| "← ↑ → ↓".to_owned()>{t!(i18n, keys.next_position)}</Key>
                <Key keys=|| "Enter".to_owned()>{t!(i18n, keys.draw)}</Key>
                <Key keys=|| "Delete".to_owned()>{t!(i18n, keys.rub_out)}</Key>
                <Key keys=|| "Ctrl + Z".to_owned()>{t!(i18n, keys.undo_drawing)}</Key>
            </KeyGroup>
        </table>
    }
}

#[component]
fn KeyGroup(
    /// Where its keys act.
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
    /// What is written on them.
    keys: impl Fn() -> String + Send + Sync + 'static,
    /// What they do.
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
}
