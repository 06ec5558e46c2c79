//! The frame of every tool: its question, its control and result, the unit, and the actions on the result.

use leptos::prelude::*;

use super::{
    bodies::Body,
    tools::{Words, chapter},
};
use crate::tabs::explore::context::HeadsContext;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{AddressValue, Evidence, EvidenceList, NotKept, Tab, Tool, View, ViewState},
    widgets::Finding,
};
use attention_protocol::OrLogged;

/// A tool inside its frame.
#[component]
pub fn ToolFrame(tool: Tool) -> impl IntoView {
    let i18n = use_i18n();
    let finding = Finding::provide();
    let words = move || Words::of(i18n, tool);
    view! {
        <section
            class="claim"
            data-testid=format!("claim-{}", tool.address_value())
            aria-label=move || words().name
        >
            <h3 class="claim-question">{move || words().question}</h3>
            <div class="claim-body">
                <Body tool />
            </div>
            <p class="hint" data-testid="claim-scale">{move || words().scale}</p>
            <Keep tool finding />
            <ViewLink
                change=move |view: &mut View| {
                    view.tab = Tab::Learn;
                    view.chapters.open(chapter(tool));
                }
                class="link-button"
                test_id="read-chapter"
            >
                {t!(i18n, claims.read_chapter)}
            </ViewLink>
        </section>
    }
}

/// The result as it is kept, and the button that keeps it.
#[component]
fn Keep(tool: Tool, finding: Finding) -> impl IntoView {
    let i18n = use_i18n();
    let (state, context) = (ViewState::expect(), HeadsContext::expect());
    let is_full = state.select(|view| view.evidence.len() == EvidenceList::MOST);
    let is_too_long = RwSignal::new(false);
    let why_not = move || {
        if is_full.get() {
            return Some(t_string!(i18n, claims.full, count = EvidenceList::MOST));
        }
        if is_too_long.get() {
            return Some(t_string!(i18n, claims.too_long).to_owned());
        }
        let is_missing = finding.get().is_none();
        is_missing.then(|| Words::of(i18n, tool).missing.to_owned())
    };
    let why_not = Memo::new(move |_| why_not());
    let add = move |_| {
        let Some(result) = untrack(|| finding.get()).filter(|_| !is_full.get_untracked()) else {
            return;
        };
        let measured = named(state.get_untracked(), context);
        let kept = Evidence::new(tool, &result, &measured);
        is_too_long.set(kept == Err(NotKept::TooLong));
        if let Ok(evidence) = kept {
            state.visit(|view| {
                // A full list has been refused above.
                view.evidence
                    .add(evidence)
                    .or_logged("keeping a measurement");
            });
        }
    };
    view! {
        <div class="claim-keep">
            <p class="claim-result" data-testid="claim-result">
                {move || finding.get()}
            </p>
            <button
                type="button"
                class="plain-button"
                data-testid="add-evidence"
                aria-disabled=move || why_not.read().is_some().to_string()
                aria-describedby="claim-why-not"
                on:click=add
            >
                {t!(i18n, claims.add)}
            </button>
            <p class="hint" id="claim-why-not" role="status" data-testid="claim-why-not">{why_not}</p>
        </div>
    }
}

/// Returns the view with the head on screen, which a model chooses itself if it lacks the head of the view.
fn named(mut view: View, context: HeadsContext) -> View {
    if let &[head] = untrack(|| context.chosen_heads()).as_slice() {
        view.use_head(head);
    }
    view
}
