//! A notice of the address entries that the page cannot follow, until the visitor closes it.

use leptos::prelude::*;

use super::{
    input::too_much,
    models::ModelsSheet,
    tabs::{TAB_PANEL, focus},
};
use attention_core::{
    engine::{Job, Live},
    i18n::{t, t_string, use_i18n},
    state::{
        AddressFault, FaultKind, LONGEST_FRAGMENT, ViewState, address_faults, close_address_faults,
        compare_with_result,
    },
    widgets::numbers::grouped,
};

/// The largest number of listed entries.
const LISTED: usize = 8;

/// The notice; empty if the page follows the whole address.
#[component]
pub fn AddressNotice() -> impl IntoView {
    let i18n = use_i18n();
    compare_results();
    let sheet = ModelsSheet::expect();
    let faults = Memo::new(move |_| address_faults());
    let names_model = Memo::new(move |_| faults.read().iter().any(|fault| fault.name == "model"));
    let listed = move || {
        let faults = faults.get().into_iter().take(LISTED);
        faults.map(|fault| view! { <Entry fault /> }).collect_view()
    };
    let unlisted = Memo::new(move |_| faults.read().len().saturating_sub(LISTED));
    view! {
        <Show when=move || !faults.read().is_empty()>
            <div class="notice" role="status" data-testid="address-notice">
                <div class="notice-text">
                    <p>{t!(i18n, address.notice)}</p>
                    <ul class="address-faults">
                        {listed}
                        <Show when=move || { unlisted.get() > 0 }>
                            <li>{move || t_string!(i18n, address.more, count = unlisted.get())}</li>
                        </Show>
                    </ul>
                </div>
                <Show when=move || names_model.get()>
                    <button
                        type="button"
                        class="plain-button"
                        data-testid="open-models"
                        on:click=move |_| sheet.open()
                    >
                        {t!(i18n, models.open)}
                    </button>
                </Show>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="close-address-notice"
                    on:click=|_| {
                        close_address_faults();
                        // The button that has the focus is gone.
                        focus(TAB_PANEL);
                    }
                >
                    {t!(i18n, address.close)}
                </button>
            </div>
        </Show>
    }
}

/// An entry of the address, and the reason why it is not followed.
#[component]
fn Entry(fault: AddressFault) -> impl IntoView {
    let i18n = use_i18n();
    let why = move || match fault.kind {
        FaultKind::UnknownName => t_string!(i18n, address.unknown_name).to_owned(),
        FaultKind::UnknownValue => t_string!(i18n, address.unknown_value).to_owned(),
        FaultKind::BeyondLast { last, first: 0 } => {
            t_string!(i18n, address.beyond_last_from_0, last = last)
        }
        FaultKind::BeyondLast { last, .. } => t_string!(i18n, address.beyond_last, last = last),
        FaultKind::Lacking => t_string!(i18n, address.lacking).to_owned(),
        FaultKind::TooMuch(excess) => too_much(i18n, excess),
        FaultKind::TooLong { bytes } => {
            let (bytes, most) = (grouped(bytes as u64), grouped(LONGEST_FRAGMENT as u64));
            t_string!(i18n, address.too_long, bytes = bytes, most = most)
        }
    };
    view! { <li><code>{fault.quoted()}</code> " · " {why}</li> }
}

/// Compares the address with the first result that answers it.
fn compare_results() {
    let (live, state) = (Live::expect(), ViewState::expect());
    let answered = live.select(|engine| engine.shown.as_ref()?.job.clone());
    // An effect because the address lies outside the reactive graph.
    Effect::new(move |_| {
        let (Some(job), Some(trace)) = (answered.get(), live.trace()) else {
            return;
        };
        let view = state.get_untracked();
        if job == Job::from(&view) {
            compare_with_result(&view, &trace);
        }
    });
}
