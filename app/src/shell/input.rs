//! The input of the page: model, text, search.

use leptos::{ev::KeyboardEvent, prelude::*};
use leptos_i18n::I18nContext;
use web_sys::HtmlTextAreaElement;

use super::{
    beginning::BeginningChoice,
    chat::{ChatForm, FormChoice, provide_chat},
    controls::Run,
    examples::Examples,
    picture::PictureForm,
    recent::RecentTexts,
    search::{NewTokens, SearchChoice, SearchNumbers},
};
use attention_core::{
    engine::Live,
    i18n::{Locale, t, t_string, use_i18n},
    mine::Mine,
    names::model_words,
    state::{Excess, MOST_CHARACTERS, MOST_MARKS, Tab, ViewState},
    widgets::{Popover, numbers::grouped},
};
use attention_protocol::OrLogged;

/// The identifier of the field with the sentence.
pub const TEXT_BOX: &str = "sentence";

/// The identifier of the message about a text that is too long.
const EXCESS: &str = "input-excess";

/// The panel with the model, the text and the search.
#[component]
pub fn Input() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    // Elsewhere the bar of the steps has the search.
    let chooses_search = state.select(|view| view.tab != Tab::Explore && view.chooses_search());
    // What a text that was typed or pasted last had too much of.
    let excess = RwSignal::new(None);
    let is_chat = state.select(|view| view.conversation.is_some());
    let (mine, model) = (Mine::expect(), state.select(|view| view.model));
    let has_picture = Memo::new(move |_| mine.reads_pictures(model.get()));
    provide_chat();
    view! {
        <div class="input-head">
            <FormChoice />
            <BeginningChoice />
            <NewTokens />
            <Show when=move || chooses_search.get()>
                <SearchChoice />
            </Show>
            <Show when=move || chooses_search.get()>
                <SearchNumbers />
            </Show>
        </div>
        <div class="input-line">
            <Show when=move || !has_picture.get() fallback=PictureForm>
                <Show when=move || !is_chat.get() fallback=ChatForm>
                    <TextBox excess />
                    <Run />
                    <Texts />
                </Show>
            </Show>
        </div>
        <Show when=move || excess.read().is_some()>
            <p
                class="hint warning input-excess"
                id=EXCESS
                role="alert"
                data-testid="text-too-much"
            >
                {move || excess.get().map(|excess| too_much(i18n, excess))}
            </p>
        </Show>
        <p class="visually-hidden" id="input-keys">{t!(i18n, shell.input_keys)}</p>
    }
}

/// Texts that run at a click: the model's examples, and the last texts.
#[component]
fn Texts() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <div class="texts">
            <Popover class="plain-button" test_id="texts" name=move || t_string!(i18n, shell.examples)>
                <Examples />
                <RecentTexts />
            </Popover>
        </div>
    }
}

/// Returns the message about a text that is too long, with the limit.
pub fn too_much(i18n: I18nContext<Locale>, excess: Excess) -> String {
    let words = |count: usize| grouped(count as u64);
    match excess {
        Excess::Characters(found) => {
            let (found, most) = (words(found), words(MOST_CHARACTERS));
            t_string!(i18n, shell.text_too_long, found = found, most = most)
        }
        Excess::Marks(found) => {
            let (found, most) = (words(found), words(MOST_MARKS));
            t_string!(i18n, shell.text_too_marked, found = found, most = most)
        }
    }
}

/// The text box. It rejects a text that is too long and keeps the previous one: a browser takes seconds to lay out a
/// long text.
#[component]
fn TextBox(excess: RwSignal<Option<Excess>>) -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let state = ViewState::expect();
    let text = state.select(|view| view.text.clone());
    let model = state.select(|view| view.model);
    let reads = move || model_words(i18n, model.get()).hint;
    // Another text than the one that was typed, such as an example.
    Effect::new(move |_| {
        text.track();
        excess.set(None);
    });
    view! {
        <textarea
            class="text-box"
            id=TEXT_BOX
            rows="1"
            spellcheck="false"
            data-testid="input"
            aria-label=move || t_string!(i18n, shell.input)
            aria-describedby=move || match excess.read().is_some() {
                true => format!("{EXCESS} input-keys"),
                false => "input-keys".to_owned(),
            }
            aria-invalid=move || excess.read().is_some().then_some("true")
            placeholder=move || format!("{} {}", t_string!(i18n, shell.placeholder), reads())
            prop:value=text
            // What is pasted is refused before the browser lays it out, which may take seconds.
            on:beforeinput=move |event| {
                if let Some(found) = event.data().and_then(|pasted| Excess::of(&pasted)) {
                    event.prevent_default();
                    excess.set(Some(found));
                }
            }
            on:input:target=move |event| {
                let typed = event.target().value();
                excess.set(Excess::of(&typed));
                match excess.get_untracked() {
                    Some(_) => take_back(&event.target(), &text.get_untracked()),
                    None => state.type_text(typed),
                }
            }
            on:keydown=move |event| {
                if sends(&event) {
                    event.prevent_default();
                    live.run();
                }
            }
        ></textarea>
    }
}

/// Restores the previous text of a box and the caret's place.
fn take_back(text_box: &HtmlTextAreaElement, text: &str) {
    let caret = text_box
        .selection_end()
        .or_logged("reading the caret")
        .flatten();
    let typed = text_box.text_length();
    text_box.set_value(text);
    let kept = text_box.text_length();
    let caret = caret.map_or(kept, |caret| caret_before(caret, typed, kept));
    text_box
        .set_selection_range(caret, caret)
        .or_logged("placing the caret");
}

/// Returns the caret's place before an insertion in front of it: the text after the caret was there before, too. The
/// place and both lengths of the text, with the insertion and without, are in UTF-16.
fn caret_before(caret: u32, typed: u32, kept: u32) -> u32 {
    kept.saturating_sub(typed.saturating_sub(caret))
}

/// Returns true if the key sends the text. Enter sends; with Shift it breaks the line, and while an input method
/// composes, as for Chinese, it picks a candidate.
pub fn sends(event: &KeyboardEvent) -> bool {
    event.key() == "Enter" && !event.shift_key() && !event.is_composing()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_goes_back_to_where_something_was_typed() {
        // Of `ab|cd`: five characters pasted, then one at the end, then one at the beginning.
        assert_eq!(caret_before(7, 9, 4), 2);
        assert_eq!(caret_before(5, 5, 4), 4);
        assert_eq!(caret_before(1, 5, 4), 0);
        // Of a selection of all of it nothing follows.
        assert_eq!(caret_before(9, 9, 4), 4);
    }
}
