//! The last texts, which can be run again.

use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    names::model_name,
    remembered::{Recent, forget_recent, keep_recent, recent},
    state::ViewState,
};

/// The list, stored in this browser alone; not displayed if it is empty, or if the browser stores nothing.
#[component]
pub fn RecentTexts() -> impl IntoView {
    let i18n = use_i18n();
    let kept = RwSignal::new(recent());
    let ran = Live::expect().select(|engine| {
        let job = engine.shown.as_ref()?.job.as_ref()?;
        // The text of a conversation is none that a visitor typed.
        job.conversation.is_none().then(|| Recent {
            model: job.model,
            text: job.text.clone(),
        })
    });
    // An effect because the storage lies outside the reactive graph.
    Effect::new(move |_| {
        if let Some(ran) = ran.get() {
            kept.set(keep_recent(ran));
        }
    });
    let forget = move |_| {
        forget_recent();
        kept.set(recent());
    };
    view! {
        <div class="recent" data-testid="recent" class:is-hidden=move || kept.read().is_empty()>
            <h2 class="recent-title">{t!(i18n, shell.recent)}</h2>
            <ul class="recent-list" aria-label=move || t_string!(i18n, shell.recent_list)>
                <For
                    each=move || kept.get()
                    key=|kept| (kept.text.clone(), kept.model.to_string())
                    let(kept)
                >
                    <li>
                        <RecentText kept />
                    </li>
                </For>
            </ul>
            <p class="recent-foot hint">
                {t!(i18n, shell.recent_hint)} " "
                <button
                    type="button"
                    class="link-button"
                    data-testid="forget-recent"
                    data-closes
                    on:click=forget
                >
                    {t!(i18n, shell.forget_recent)}
                </button>
            </p>
        </div>
    }
}

/// A text, which a click runs with the model that read it.
#[component]
fn RecentText(kept: Recent) -> impl IntoView {
    let (live, state) = (Live::expect(), ViewState::expect());
    let name = model_name();
    let Recent { model, text } = kept;
    let again = {
        let text = text.clone();
        move |_| {
            state.update(|view| {
                view.use_model(model);
                view.use_text(text.clone());
            });
            live.run();
        }
    };
    view! {
        <button
            type="button"
            class="text-entry"
            data-testid="recent-text"
            data-closes
            on:click=again
        >
            <span>{text}</span>
            <span class="hint">{move || name(model)}</span>
        </button>
    }
}
