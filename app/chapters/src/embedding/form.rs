//! The form for an English sentence: a field, its button and examples.

use attention_core::i18n::{t, t_string, use_i18n};
use attention_trace::lessons::MOST_WORDS;
use leptos::{ev::SubmitEvent, html, prelude::*};

/// The `data-testid` of the field, of the button, of each example and of the refusal.
pub type TestIds = [&'static str; 4];

/// Shows the form, and why a sentence is refused.
#[component]
pub fn SentenceField(
    #[prop(into)] sentence: Signal<String>,
    /// The number of words of a sentence that the model does not read.
    #[prop(into)]
    refused: Signal<Option<usize>>,
    examples: &'static [&'static str],
    /// The words of the button.
    #[prop(into)]
    button: Signal<String>,
    /// Called with the sentence that was typed or chosen.
    show: Callback<String>,
    test_ids: TestIds,
    /// Further offers before the examples.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let i18n = use_i18n();
    let [field_id, button_id, example_id, refused_id] = test_ids;
    let field = NodeRef::<html::Input>::new();
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        if let Some(field) = field.get_untracked() {
            show.run(field.value());
        }
    };
    let fault = move || {
        Some(match refused.get()? {
            0 => t_string!(i18n, embedding.no_words).to_owned(),
            count => t_string!(i18n, embedding.too_long, count = count, most = MOST_WORDS),
        })
    };
    view! {
        <form class="judged-form" on:submit=submit>
            <label class="judged-text">
                <span>{t!(i18n, embedding.sentence)}</span>
                <input
                    class="text-box"
                    type="text"
                    lang="en"
                    autocomplete="off"
                    spellcheck="false"
                    data-testid=field_id
                    node_ref=field
                    prop:value=move || sentence.get()
                />
            </label>
            <button type="submit" class="plain-button" data-testid=button_id>
                {button}
            </button>
        </form>
        <div class="hop-examples" role="group" aria-label=move || t_string!(i18n, embedding.examples)>
            {children.map(|children| children())}
            {examples.iter().map(|&example| view! {
                <button
                    type="button"
                    class="link-button"
                    lang="en"
                    data-testid=example_id
                    on:click=move |_| show.run(example.to_owned())
                >
                    {example}
                </button>
            }).collect_view()}
        </div>
        {move || fault().map(|words| view! {
            <p class="notice" role="status" data-testid=refused_id>{words}</p>
        })}
    }
}
