//! The fields for the texts to compare.

use crate::judging::parameters::Judging;
use attention_trace::judging::Tokenization;
use leptos::prelude::*;

use super::pair::{Judged, MOST_TOKENS};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::Segmented,
};

/// Fields for the texts, the choice of tokenization, and a button that restores the lecture's letters.
#[component]
pub fn Texts(judged: Judged) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let is_lecture = state.select(|view| view.chapters.of::<Judging>().is_lecture());
    let more = state.select(|view| view.chapters.of::<Judging>().more.len());
    let is_too_long = move || judged.pair.with(Option::is_none);
    view! {
        <section class="lesson-figure" data-testid="judged-texts">
            <TextField
                name=Signal::derive(move || t_string!(i18n, judging.reference).to_owned())
                test_id="judged-reference"
                text=|judging: &Judging| judging.reference.clone()
                set=|judging: &mut Judging, text| judging.reference = text
            />
            <Further at=0 test_id="judged-reference-2" />
            <Further at=1 test_id="judged-reference-3" />
            <TextField
                name=Signal::derive(move || t_string!(i18n, judging.candidate).to_owned())
                test_id="judged-candidate"
                text=|judging: &Judging| judging.candidate.clone()
                set=|judging: &mut Judging, text| judging.candidate = text
            />
            <div class="position-controls">
                <Segmented
                    label=Signal::derive(move || t_string!(i18n, judging.tokens).to_owned())
                    options=Signal::derive(move || vec![
                        (Tokenization::Characters, t_string!(i18n, judging.characters).to_owned()),
                        (Tokenization::Words, t_string!(i18n, judging.words).to_owned()),
                    ])
                    value=judged.tokenization
                    choose=move |tokenization| state.update_chapters(|chapters| {
                        chapters.of_mut::<Judging>().tokenization = tokenization;
                    })
                />
                <button
                    type="button"
                    class="plain-button"
                    data-testid="judged-add"
                    disabled=move || more.get() == Judging::MORE
                    on:click=move |_| state.update_chapters(|chapters| {
                        let judging = chapters.of_mut::<Judging>();
                        judging.more.push(judging.reference.clone());
                    })
                >
                    {t!(i18n, judging.add_reference)}
                </button>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="judged-remove"
                    disabled=move || more.get() == 0
                    on:click=move |_| state.update_chapters(|chapters| {
                        chapters.of_mut::<Judging>().more.pop();
                    })
                >
                    {t!(i18n, judging.remove_reference)}
                </button>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="judged-lecture"
                    disabled=is_lecture
                    on:click=move |_| state.update_chapters(|chapters| {
                        chapters.of_mut::<Judging>().use_lecture();
                    })
                >
                    {t!(i18n, judging.lecture)}
                </button>
            </div>
            <Show when=is_too_long>
                <p class="notice" role="status" data-testid="judged-too-long">
                    {move || t_string!(i18n, judging.too_long, most = MOST_TOKENS)}
                </p>
            </Show>
        </section>
    }
}

/// The field of a further reference, shown if the reference exists.
#[component]
fn Further(
    /// The index of the reference among the further ones, from 0.
    at: usize,
    test_id: &'static str,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let is_there = state.select(move |view| at < view.chapters.of::<Judging>().more.len());
    view! {
        <Show when=move || is_there.get()>
            <TextField
                name=Signal::derive(move || {
                    t_string!(i18n, judging.reference_number, number = at + 2)
                })
                test_id
                text=move |judging: &Judging| judging.more.get(at).cloned().unwrap_or_default()
                set=move |judging: &mut Judging, text| {
                    if let Some(reference) = judging.more.get_mut(at) {
                        *reference = text;
                    }
                }
            />
        </Show>
    }
}

#[component]
fn TextField(
    /// The label of the field.
    name: Signal<String>,
    test_id: &'static str,
    text: impl Fn(&Judging) -> String + Copy + Send + Sync + 'static,
    set: impl Fn(&mut Judging, String) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let state = ViewState::expect();
    let value = state.select(move |view| text(view.chapters.of::<Judging>()));
    view! {
        <label class="judged-text">
            <span>{name}</span>
            <input
                class="text-box"
                type="text"
                autocomplete="off"
                spellcheck="false"
                data-testid=test_id
                prop:value=value
                on:input:target=move |event| {
                    let text = event.target().value();
                    state.update_chapters(|chapters| set(chapters.of_mut::<Judging>(), text));
                }
            />
        </label>
    }
}
