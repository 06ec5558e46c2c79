//! The form for the sentence that is embedded, and the choice of the model's training.

use crate::embedding::parameters::Hops;
use leptos::prelude::*;

use super::{
    context::{EmbeddingContext, OWN, refused},
    form::SentenceField,
};
use attention_core::{
    i18n::{t_string, use_i18n},
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
    let hops = Memo::new(move |_| context.lab.with(|lab| lab.hops));
    let show = move |text: String| {
        context.update(|lab| lab.sentence = (text != OWN).then_some(text));
    };
    let refusal = Memo::new(move |_| context.sentence.with(|sentence| refused(sentence)));
    view! {
        <section class="lesson-figure" data-testid="embedded">
            <SentenceField
                sentence=context.sentence
                refused=refusal
                examples=&EXAMPLES
                button=Signal::derive(move || t_string!(i18n, embedding.embed).to_owned())
                show=Callback::new(show)
                test_ids=["embedded-sentence", "embed", "embedded-example", "embedded-refused"]
            />
            <Segmented
                label=Signal::derive(move || t_string!(i18n, embedding.trained).to_owned())
                options=Signal::derive(move || vec![
                    (Hops::Penalised, t_string!(i18n, embedding.penalised).to_owned()),
                    (Hops::Free, t_string!(i18n, embedding.free).to_owned()),
                ])
                value=hops
                choose=move |hops| context.update(|lab| lab.hops = hops)
            />
            <Show when=move || refusal.get().is_none()>
                <LessonNotice asked=context.seen />
            </Show>
        </section>
    }
}
