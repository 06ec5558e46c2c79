//! The two sentences: the visitor's own and the other, the alignment of their tokens, and the model's outputs for
//! both.

use crate::patching::parameters::PatchingView;
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    names::{token_label, token_name},
    navigation::go_to,
    problems::{failure_words, is_of_empty_text},
    state::ViewState,
    widgets::ScrollRegion,
};
use attention_trace::{Pair, Stack, Token};
use leptos::{ev::SubmitEvent, html, prelude::*};

use super::context::{BothRuns, PatchingContext};

/// The form, the pairs that are ready, and both runs.
#[component]
pub fn Sentences() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let has_runs = Memo::new(move |_| context.runs.with(Option::is_some));
    view! {
        <OtherForm />
        <ReadyPairs />
        {move || context.refused.get().map(|failure| {
            let (class, role) = match is_of_empty_text(&failure) {
                true => ("hint", "status"),
                false => ("notice problem", "alert"),
            };
            view! {
                <p class=class role=role data-testid="patching-refused">
                    {move || failure_words(i18n, &failure)}
                </p>
            }
        })}
        <Show
            when=move || has_runs.get()
            fallback=move || view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }
        >
            <Aligned />
            <Steps />
        </Show>
    }
}

#[component]
fn OtherForm() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let typed = NodeRef::<html::Input>::new();
    let set = move |other| {
        context.update(|view| {
            view.leave_text();
            view.other = other;
        })
    };
    let read = move |event: SubmitEvent| {
        event.prevent_default();
        if let Some(input) = typed.get_untracked() {
            set(Some(input.value()));
        }
    };
    view! {
        <form class="target-form" on:submit=read>
            <label for="patching-other">{t!(i18n, patching.other)}</label>
            <input
                class="text-box"
                id="patching-other"
                data-testid="patching-other"
                type="text"
                autocomplete="off"
                spellcheck="false"
                node_ref=typed
                prop:value=context.other
            />
            <button type="submit" class="plain-button" data-testid="read-other">
                {t!(i18n, forcing.read)}
            </button>
        </form>
    }
}

/// Links to pairs of sentences that differ in the part that decides a word.
#[component]
fn ReadyPairs() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let model = state.select(|view| view.model);
    let open = move |[text, other]: [&str; 2]| {
        let mut view = state.get_untracked();
        view.use_text(text.to_owned());
        view.chapters.of_mut::<PatchingView>().other = Some(other.to_owned());
        view.chapters.of_mut::<PatchingView>().place = None;
        go_to(state, live, view);
    };
    let chip = move |pair: [&'static str; 2]| {
        view! {
            <button
                type="button"
                class="chip"
                data-testid="patching-pair"
                on:click=move |_| open(pair)
            >
                {format!("{} · {}", pair[0], pair[1])}
            </button>
        }
    };
    let pairs = move || {
        model
            .get()
            .card()
            .pairs
            .iter()
            .copied()
            .map(chip)
            .collect_view()
    };
    let has_pairs = Memo::new(move |_| !model.get().card().pairs.is_empty());
    view! {
        <div class="patching-pairs" class:is-hidden=move || !has_pairs.get()>
            <span class="hint">{t!(i18n, patching.ready)}</span>
            {pairs}
        </div>
    }
}

/// Both sentences, aligned by token.
#[component]
fn Aligned() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let name = Signal::derive(move || t_string!(i18n, patching.aligned).to_owned());
    let columns = Memo::new(move |_| {
        context
            .runs
            .with(|runs| runs.as_ref().map(aligned).unwrap_or_default())
    });
    let has_lone = Memo::new(move |_| {
        columns.with(|columns| columns.iter().any(|column| column.tokens.contains(&None)))
    });
    let row = move |which: usize| {
        let cell = |column: AlignedColumn| {
            let [clean, other] = column.tokens;
            let token = if which == 0 { clean } else { other };
            view! { <AlignedToken token is_same=column.is_same /> }
        };
        columns.get().into_iter().map(cell).collect_view()
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="patching-aligned" name>
            <table class="patching-aligned">
                <tbody>
                    <tr>
                        <th scope="row">{t!(i18n, patching.clean_reads)}</th>
                        {move || row(0)}
                    </tr>
                    <tr>
                        <th scope="row">{t!(i18n, patching.other_reads)}</th>
                        {move || row(1)}
                    </tr>
                </tbody>
            </table>
        </ScrollRegion>
        <Show when=move || has_lone.get()>
            <p class="hint" data-testid="patching-lone">{t!(i18n, patching.lone)}</p>
        </Show>
    }
}

/// A pair of aligned tokens from the two sentences; if a token has no partner, the other one is missing.
#[derive(Clone, Debug, PartialEq)]
struct AlignedColumn {
    tokens: [Option<Token>; 2],
    is_same: bool,
}

fn aligned(both: &BothRuns) -> Vec<AlignedColumn> {
    let stack = match both.own.spec.encoder {
        Some(_) => Stack::Encoder,
        None => Stack::Decoder,
    };
    let [clean, other] = [&both.runs.clean.read, &both.runs.other.read];
    let pairs = both.own.spec.patching_pairs(stack, clean, other, 0);
    let column = |pair: &Pair| AlignedColumn {
        tokens: [
            pair.before.and_then(|place| clean.get(place).cloned()),
            pair.after.and_then(|place| other.get(place).cloned()),
        ],
        is_same: pair.is_same,
    };
    pairs.iter().map(column).collect()
}

#[component]
fn AlignedToken(token: Option<Token>, is_same: bool) -> impl IntoView {
    let i18n = use_i18n();
    let label = token_label();
    match token {
        Some(token) => view! {
            <td class:differs=!is_same>{move || label(&token)}</td>
        }
        .into_any(),
        None => view! {
            <td class="no-partner">
                <span aria-hidden="true">"—"</span>
                <span class="visually-hidden">{t!(i18n, patching.no_partner)}</span>
            </td>
        }
        .into_any(),
    }
}

/// The model's outputs for both sentences, and the chosen step.
#[component]
fn Steps() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let name = token_name();
    let runs = move |part: fn(&BothRuns) -> Vec<Token>| {
        Memo::new(move |_| {
            context
                .runs
                .with(|runs| runs.as_ref().map(part).unwrap_or_default())
        })
    };
    let written = runs(|both| both.runs.clean.written.clone());
    let chips = move || {
        let tokens = written.get().into_iter().enumerate();
        tokens
            .map(|(at, token)| view! { <StepChip at token /> })
            .collect_view()
    };
    let other = move || {
        context
            .runs
            .with(|runs| Some(runs.as_ref()?.runs.other.text.clone()))
    };
    let said = move || {
        let runs = context.runs.get()?.runs;
        let number = runs.step + 1;
        let [clean, other, ..] = runs.words.as_slice() else {
            return Some(t_string!(i18n, patching.no_word).to_owned());
        };
        let (clean, other) = (name(&clean.token), name(&other.token));
        Some(match runs.differs {
            true => t_string!(
                i18n,
                patching.step_differs,
                step = number,
                clean = clean,
                other = other
            ),
            false => t_string!(i18n, patching.step_same, step = number, clean = clean),
        })
    };
    view! {
        <div class="patching-writes">
            <span class="hint">{t!(i18n, patching.clean_writes)}</span>
            <div
                class="patching-steps"
                role="group"
                aria-label=move || t_string!(i18n, patching.steps)
            >
                {chips}
            </div>
            <span class="hint">{t!(i18n, patching.other_writes)}</span>
            <span class="token" data-testid="patching-other-text">{other}</span>
        </div>
        <p class="lesson-reading" role="status" data-testid="patching-step">{said}</p>
    }
}

#[component]
fn StepChip(at: usize, token: Token) -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let name = token_name();
    let is_chosen = Memo::new(move |_| {
        context
            .runs
            .with(|runs| runs.as_ref().is_some_and(|both| both.runs.step == at))
    });
    let choose = move |_| {
        context.update(|view| {
            view.leave_text();
            view.step = Some(at);
        });
    };
    let spelled = {
        let token = token.clone();
        move || t_string!(i18n, patching.step_of, step = at + 1, token = name(&token))
    };
    view! {
        <button
            type="button"
            class="chip"
            data-testid="patching-step-chip"
            aria-pressed=move || is_chosen.get().to_string()
            aria-label=spelled
            on:click=choose
        >
            {move || name(&token)}
        </button>
    }
}
