//! What the model answered, and where the picture below comes from.

use std::sync::Arc;

use attention_trace::{Hypothesis, Token, Trace};
use leptos::prelude::*;

use crate::{
    engine::{Live, Source},
    i18n::{t, use_i18n},
    state::ViewState,
    widgets::TokenLabel,
};

/// Tokens of the input that are listed until the visitor asks for all.
const SHOWN_TOKENS: usize = 96;

/// The answer on screen; while a new one is made, that one as far as it is.
#[component]
pub fn ResultPanel() -> impl IntoView {
    let live = Live::expect();
    let running = live.select(|engine| engine.running.as_ref().map(|run| run.text.clone()));
    view! {
        <div class="result" data-testid="result" aria-live="polite">
            <Origin />
            {move || match running.get() {
                Some(text) => view! { <Partial text /> }.into_any(),
                None => live.trace().map(|trace| view! { <Answer trace /> }).into_any(),
            }}
            <Forced />
        </div>
    }
}

/// Whether the picture is the stored example or live.
#[component]
fn Origin() -> impl IntoView {
    let i18n = use_i18n();
    let origin = Live::expect().select(|engine| {
        let shown = engine.shown.as_ref()?;
        Some(matches!(shown.source, Source::Live(_)))
    });
    view! {
        {move || origin.get().map(|is_live| {
            if is_live {
                view! { <p class="badge live" data-testid="origin" data-origin="live">
                    {t!(i18n, shell.live)}
                </p> }.into_any()
            } else {
                view! { <p class="badge" data-testid="origin" data-origin="example">
                    {t!(i18n, shell.worked_example)}
                </p> }.into_any()
            }
        })}
    }
}

#[component]
fn Partial(text: String) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <p class="translation partial" data-testid="partial">
            {text}<span class="caret" aria-hidden="true"></span>
        </p>
        <p class="hint">{t!(i18n, shell.running)}</p>
    }
}

#[component]
fn Answer(trace: Arc<Trace>) -> impl IntoView {
    let hypotheses = trace
        .decoding
        .as_ref()
        .map(|decoding| decoding.hypotheses.clone());
    let hypotheses = hypotheses.unwrap_or_default();
    let best = hypotheses.first().map(|best| best.text.clone());
    view! {
        <p class="translation" data-testid="translation">{best}</p>
        <SourceTokens trace />
        <Others hypotheses />
    }
}

/// The input as the tokenizer cut it; what it does not know is marked and explained.
#[component]
fn SourceTokens(trace: Arc<Trace>) -> impl IntoView {
    let i18n = use_i18n();
    let tokens: Vec<Token> = if trace.meta.source.is_empty() {
        trace.meta.target.clone()
    } else {
        trace.meta.source.clone()
    };
    let unknown = tokens.iter().any(|token| token.unknown);
    let count = tokens.len();
    let all = RwSignal::new(count <= SHOWN_TOKENS);
    let shown = move || {
        let most = if all.get() { count } else { SHOWN_TOKENS };
        let shown = tokens.iter().take(most).cloned();
        shown
            .map(|token| view! { <TokenLabel token /> })
            .collect_view()
    };
    view! {
        <p class="source-tokens" data-testid="source-tokens">
            <span class="source-name">{t!(i18n, shell.tokens)}</span>
            {shown}
            <Show when=move || !all.get()>
                <button
                    type="button"
                    class="link-button"
                    data-testid="all-tokens"
                    on:click=move |_| all.set(true)
                >
                    "… " {t!(i18n, shell.all_tokens, count = count)}
                </button>
            </Show>
        </p>
        <Show when=move || unknown>
            <p class="hint warning" data-testid="unknown">{t!(i18n, shell.unknown)}</p>
        </Show>
    }
}

/// What a beam search found besides the best.
#[component]
fn Others(hypotheses: Vec<Hypothesis>) -> impl IntoView {
    let i18n = use_i18n();
    let several = hypotheses.len() > 1;
    view! {
        {several.then(|| view! {
            <table class="hypotheses" data-testid="hypotheses">
                <caption class="hint">{t!(i18n, shell.hypotheses)}</caption>
                <tbody>
                    {hypotheses.into_iter().map(|hypothesis| view! {
                        <tr>
                            <td class="number">{format!("{:.3}", hypothesis.score)}</td>
                            <td>{hypothesis.text}</td>
                        </tr>
                    }).collect_view()}
                </tbody>
            </table>
        })}
    }
}

/// Says that the beginning was forced, and undoes it.
#[component]
fn Forced() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let forced = ViewState::expect().select(|view| !view.prefix.is_empty());
    view! {
        <Show when=move || forced.get()>
            <p class="hint" data-testid="forced">
                {t!(i18n, shell.forced)} " "
                <button type="button" class="link-button" on:click=move |_| live.run()>
                    {t!(i18n, shell.unforce)}
                </button>
            </p>
        </Show>
    }
}
