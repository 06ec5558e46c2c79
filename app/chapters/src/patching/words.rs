//! The two words whose logits are compared: both are chosen by a click.

use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    widgets::{ScrollRegion, numbers::percent},
};
use attention_trace::Contender;
use leptos::prelude::*;

use super::context::PatchingContext;

/// A row for each word that is considered, with its probability in both runs and a button for either place.
#[component]
pub fn Words() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let words = Memo::new(move |_| {
        context.runs.with(|runs| {
            runs.as_ref()
                .map(|both| both.runs.words.clone())
                .unwrap_or_default()
        })
    });
    let name = Signal::derive(move || t_string!(i18n, patching.words).to_owned());
    let rows = move || {
        let words = words.get().into_iter();
        words.map(|word| view! { <WordRow word /> }).collect_view()
    };
    view! {
        <details class="patching-words">
            <summary>{t!(i18n, patching.other_words)}</summary>
            <ScrollRegion class="lesson-table" test_id="patching-words" name>
                <table>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, lens.candidate)}</th>
                            <th scope="col">{t!(i18n, patching.in_clean)}</th>
                            <th scope="col">{t!(i18n, patching.in_other)}</th>
                            <th scope="col">{t!(i18n, patching.answer)}</th>
                            <th scope="col">{t!(i18n, patching.against)}</th>
                        </tr>
                    </thead>
                    <tbody>{rows}</tbody>
                </table>
            </ScrollRegion>
        </details>
    }
}

#[component]
fn WordRow(word: Contender) -> impl IntoView {
    let name = token_name();
    let (id, clean, other) = (word.token.id, word.clean, word.other);
    let text = Signal::derive(move || name(&word.token));
    view! {
        <tr data-testid="patching-word">
            <th scope="row"><span class="token">{text}</span></th>
            <td class="number">{percent(clean, 1)}</td>
            <td class="number">{percent(other, 1)}</td>
            <td><WordButton id text is_answer=true /></td>
            <td><WordButton id text is_answer=false /></td>
        </tr>
    }
}

#[component]
fn WordButton(id: u32, text: Signal<String>, is_answer: bool) -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let both = Memo::new(move |_| context.pair.get().map(|pair| (pair.answer, pair.against)));
    let is_chosen = Memo::new(move |_| {
        let chosen = both
            .get()
            .map(|(answer, against)| if is_answer { answer } else { against });
        chosen == Some(id)
    });
    let label = move || match is_answer {
        true => t_string!(i18n, patching.choose_answer, word = text.get()),
        false => t_string!(i18n, patching.choose_against, word = text.get()),
    };
    let choose = move |_| {
        if let Some(both) = both.get_untracked() {
            context.update(|view| view.choose(id, is_answer, both));
        }
    };
    view! {
        <button
            type="button"
            class="lesson-choice"
            data-choice=if is_answer { "answer" } else { "against" }
            aria-pressed=move || is_chosen.get().to_string()
            aria-label=label
            on:click=choose
        >
            {if is_answer { "+" } else { "−" }}
        </button>
    }
}
