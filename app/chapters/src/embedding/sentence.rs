//! The form for the sentence that is embedded, and the choice of the model's training.

use crate::embedding::parameters::Hops;
use attention_trace::lessons::MOST_WORDS;
use leptos::{ev::SubmitEvent, html, prelude::*};

use super::context::{EmbeddingContext, OWN, refused};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    lessons::LessonNotice,
    widgets::Segmented,
};

/// Sentences whose hops show something: a question word, an inversion, an exclamation, a request, and a question word
/// that asks nothing.
const EXAMPLES: [&str; 5] = [
    OWN,
    "Do you like music?",
    "What a beautiful day it is!",
    "Please open the window.",
    "I don't know where he lives.",
];

/// The field, the examples and the choice of the model.
#[component]
pub fn SentenceForm() -> impl IntoView {
    let i18n = use_i18n();
    let context = EmbeddingContext::expect();
    let field = NodeRef::<html::Input>::new();
    let hops = Memo::new(move |_| context.lab.with(|lab| lab.hops));
    let show = move |text: String| {
        context.update(|lab| lab.sentence = (text != OWN).then_some(text));
    };
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        if let Some(field) = field.get_untracked() {
            show(field.value());
        }
    };
    let fault = move || {
        let count = context.sentence.with(|sentence| refused(sentence))?;
        Some(match count {
            0 => t_string!(i18n, embedding.no_words).to_owned(),
            count => t_string!(i18n, embedding.too_long, count = count, most = MOST_WORDS),
        })
    };
    view! {
        <section class="lesson-figure" data-testid="embedded">
            <form class="judged-form" on:submit=submit>
                <label class="judged-text">
                    <span>{t!(i18n, embedding.sentence)}</span>
                    <input
                        class="text-box"
                        type="text"
                        lang="en"
                        autocomplete="off"
                        spellcheck="false"
                        data-testid="embedded-sentence"
                        node_ref=field
                        prop:value=move || context.sentence.get()
                    />
                </label>
                <button type="submit" class="plain-button" data-testid="embed">
                    {t!(i18n, embedding.embed)}
                </button>
            </form>
            <div class="hop-examples" role="group" aria-label=move || t_string!(i18n, embedding.examples)>
                {EXAMPLES.map(|example| view! {
                    <button
                        type="button"
                        class="link-button"
                        lang="en"
                        data-testid="embedded-example"
                        on:click=move |_| show(example.to_owned())
                    >
                        {example}
                    </button>
                }).collect_view()}
            </div>
            {move || fault().map(|words| view! {
                <p class="notice" role="status" data-testid="embedded-refused">{words}</p>
            })}
            <Segmented
                label=Signal::derive(move || t_string!(i18n, embedding.trained).to_owned())
                options=Signal::derive(move || vec![
                    (Hops::Penalised, t_string!(i18n, embedding.penalised).to_owned()),
                    (Hops::Free, t_string!(i18n, embedding.free).to_owned()),
                ])
                value=hops
                choose=move |hops| context.update(|lab| lab.hops = hops)
            />
            <Show when=move || fault().is_none()>
                <LessonNotice asked=context.seen />
            </Show>
        </section>
    }
}
