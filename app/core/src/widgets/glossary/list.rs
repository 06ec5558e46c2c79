//! All terms and their definitions.

use leptos::prelude::*;

use super::term::Term;
use crate::{
    i18n::{t, use_i18n},
    state::AddressValue,
};

/// The glossary, folded until it is opened.
#[component]
pub fn GlossaryList() -> impl IntoView {
    let i18n = use_i18n();
    let entry = move |(term, word): (Term, &'static str)| {
        view! {
            <div data-entry=word>
                <dt class="term-name">{move || term.name(i18n)}</dt>
                <dd>{move || term.text(i18n)}</dd>
            </div>
        }
    };
    view! {
        <details class="glossary" data-testid="glossary">
            <summary>{t!(i18n, shell.glossary)}</summary>
            <dl>{Term::values().into_iter().map(entry).collect_view()}</dl>
        </details>
    }
}
