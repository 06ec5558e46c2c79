//! The fields that take the visitor's sentences: a file, a pasted text, or sentences of this page.

use leptos::{ev, prelude::*, task::spawn_local};
use leptos_i18n::I18nContext;
use web_sys::DragEvent;

use super::{
    RoleCorpus,
    reader::{Reader, fault_words},
    text::{MOST_SENTENCES, Origin},
};
use crate::{
    i18n::{Locale, t, t_string, use_i18n},
    mine::{FileField, dropped, holds_files},
};

/// The area that takes dropped files, with a field for a file, one for a text, and the sentences of this page.
#[component]
pub fn GivenFields() -> impl IntoView {
    let i18n = use_i18n();
    let reader = Reader::new();
    let drop = move |event: DragEvent| {
        if holds_files(&event) {
            // The page takes other dropped files for models.
            event.prevent_default();
            event.stop_propagation();
            let files = dropped(&event);
            spawn_local(async move { reader.take_first(files.await) });
        }
    };
    let corpus = RoleCorpus::expect();
    let words = move || corpus.fault.get().map(|fault| fault_words(i18n, &fault));
    view! {
        <div
            class="corpus-given"
            data-testid="corpus-drop"
            on:dragover=move |event: ev::DragEvent| event.prevent_default()
            on:drop=drop
        >
            <p class="hint">{t!(i18n, corpus.hint)}</p>
            <p class="hint">{t!(i18n, corpus.private)}</p>
            <div class="position-controls">
                <FileField
                    is_folder=false
                    name=Signal::derive(move || t_string!(i18n, corpus.choose).to_owned())
                    test_id="corpus-file"
                    read=move |picked| reader.take_first(picked)
                />
                <button
                    type="button"
                    class="plain-button"
                    data-testid="corpus-ours"
                    on:click=move |_| spawn_local(reader.take_ours())
                >
                    {t!(i18n, corpus.ours)}
                </button>
            </div>
            <Pasted take=move |text: String| reader.take_text(Origin::Pasted, text.as_bytes()) />
            <p class="hint warning" class:is-hidden=move || corpus.fault.read().is_none() role="alert" data-testid="corpus-fault">
                {words}
            </p>
            <Given />
        </div>
    }
}

/// A field for a text that is pasted.
#[component]
fn Pasted(take: impl Fn(String) + Copy + Send + Sync + 'static) -> impl IntoView {
    let i18n = use_i18n();
    let text = RwSignal::new(String::new());
    view! {
        <details class="corpus-pasted">
            <summary>{t!(i18n, corpus.paste)}</summary>
            <textarea
                rows="4"
                data-testid="corpus-text"
                aria-label=move || t_string!(i18n, corpus.paste_label)
                prop:value=text
                on:input:target=move |event| text.set(event.target().value())
            ></textarea>
            <button
                type="button"
                class="plain-button"
                data-testid="corpus-use"
                on:click=move |_| take(text.get_untracked())
            >
                {t!(i18n, corpus.use_pasted)}
            </button>
        </details>
    }
}

/// The sentences that were given, and the lines that were left out.
#[component]
fn Given() -> impl IntoView {
    let i18n = use_i18n();
    let corpus = RoleCorpus::expect();
    let words = move || {
        let given = corpus.given.get()?;
        let name = origin_words(i18n, &given.origin);
        let count = given.lines.len();
        let mut words = vec![t_string!(i18n, corpus.given, name = name, count = count).to_string()];
        if given.long > 0 {
            words.push(t_string!(i18n, corpus.long, count = given.long).to_string());
        }
        if given.beyond > 0 {
            let words_beyond = t_string!(
                i18n,
                corpus.beyond,
                limit = MOST_SENTENCES,
                count = given.beyond
            );
            words.push(words_beyond.to_string());
        }
        Some(words.join(" "))
    };
    view! { <p class="lesson-reading" role="status" data-testid="corpus-given">{words}</p> }
}

/// Names the origin of sentences.
pub(super) fn origin_words(i18n: I18nContext<Locale>, origin: &Origin) -> String {
    match origin {
        Origin::File(name) => name.clone(),
        Origin::Pasted => t_string!(i18n, corpus.pasted).to_owned(),
        Origin::Ours => t_string!(i18n, corpus.our_sentences).to_owned(),
    }
}
