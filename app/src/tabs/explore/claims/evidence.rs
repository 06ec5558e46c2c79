//! The kept results, which can be named, opened again and removed.

use leptos::{html, prelude::*};

use super::tools::Words;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::{head_name, model_name},
    navigation::ViewLink,
    state::{Evidence, HeadChoice, View, ViewState},
};
use attention_protocol::OrLogged;
use attention_trace::AttentionLayer;

/// The number of quoted characters of a text.
const QUOTED: usize = 60;

/// The list of kept results.
#[component]
pub fn EvidenceSection() -> impl IntoView {
    let i18n = use_i18n();
    let evidence = ViewState::expect().select(|view| view.evidence.clone());
    let is_empty = Memo::new(move |_| evidence.read().is_empty());
    let section = NodeRef::<html::Section>::new();
    let entries = move || {
        let evidence = evidence.get();
        let entries = evidence.iter().cloned().enumerate();
        entries
            .map(|(place, entry)| view! { <Entry place entry section /> })
            .collect_view()
    };
    view! {
        <section
            class="evidence"
            data-testid="evidence"
            tabindex="-1"
            node_ref=section
            aria-labelledby="evidence-title"
        >
            <h3 class="panel-title" id="evidence-title">{t!(i18n, claims.evidence)}</h3>
            <p class="hint">
                {move || match is_empty.get() {
                    true => t_string!(i18n, claims.evidence_empty),
                    false => t_string!(i18n, claims.evidence_kept),
                }}
            </p>
            <ol class="evidence-list">{entries}</ol>
        </section>
    }
}

#[component]
fn Entry(
    place: usize,
    entry: Evidence,
    /// The section, which receives the focus when the entry is removed.
    section: NodeRef<html::Section>,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let measured_on = measured_on();
    let tool = entry.tool;
    let (name, result) = (entry.name.clone(), StoredValue::new(entry.result.clone()));
    let result = move || result.get_value();
    let measured = entry.view();
    let remove = move |_| {
        state.visit(|view| view.evidence.remove(place));
        if let Some(section) = section.get_untracked() {
            section.focus().or_logged("moving the focus");
        }
    };
    view! {
        <li data-testid="evidence-entry">
            <div class="evidence-head">
                <strong>{move || Words::of(i18n, tool).name}</strong>
                <input
                    type="text"
                    class="text-field"
                    data-testid="evidence-name"
                    maxlength=Evidence::LONGEST_NAME.to_string()
                    placeholder=move || t_string!(i18n, edits.name)
                    aria-label=move || t_string!(i18n, edits.name_of, edit = result())
                    prop:value=name
                    on:change:target=move |event| {
                        let name = event.target().value();
                        state.visit(|view| view.evidence.rename(place, &name));
                    }
                />
                <ViewLink
                    change=move |view: &mut View| {
                        if let Some(entry) = view.evidence.get(place).cloned() {
                            *view = view.reopened(&entry);
                        }
                    }
                    class="link-button"
                    test_id="evidence-reopen"
                >
                    {t!(i18n, claims.reopen)}
                </ViewLink>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="evidence-remove"
                    aria-label=move || t_string!(i18n, edits.remove, edit = result())
                    on:click=remove
                >
                    "✕"
                </button>
            </div>
            <p class="number" data-testid="evidence-result">{result}</p>
            <p class="hint" data-testid="evidence-of">{move || measured_on(&measured)}</p>
        </li>
    }
}

/// Returns a function for the model, text, head and step of a result, in words.
fn measured_on() -> impl Fn(&View) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let (model_name, head_name) = (model_name(), head_name());
    move |view| {
        let HeadChoice { attention, head } = head_of(view);
        let text: String = view.text.chars().take(QUOTED).collect();
        t_string!(
            i18n,
            claims.measured_on,
            model = model_name(view.model),
            text = text,
            head = head_name(attention, head),
            step = view.step + 1
        )
    }
}

fn head_of(view: &View) -> HeadChoice {
    let place = view.place();
    HeadChoice {
        attention: AttentionLayer {
            kind: view.kind(),
            layer: place.layer,
        },
        head: place.head,
    }
}
