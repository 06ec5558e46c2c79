//! A chosen head: its direct contribution, beside the actual change if it is switched off.

use attention_trace::{LensAnswer, LensQuestion, Part, Wanted};
use leptos::prelude::*;

use super::context::{LensContext, parts};
use attention_core::{
    engine::{LensRead, Live},
    i18n::{t, t_string, use_i18n},
    names::head_name,
    problems::failure_words,
    state::HeadChoice,
    widgets::{ScrollRegion, numbers::signed},
};

const DECIMALS: usize = 3;

/// The comparison of both numbers, for the logit and for the difference.
#[component]
pub fn HeadCompared(
    /// The parts of the logit, and the name of their sum.
    logit: (Memo<Option<LensRead>>, Signal<String>),
    /// The parts of the difference, and the name of their sum.
    difference: (Memo<Option<LensRead>>, Signal<String>),
) -> impl IntoView {
    let i18n = use_i18n();
    let context = LensContext::expect();
    let head_name = head_name();
    let title = move || match context.head.get() {
        Some(HeadChoice { attention, head }) => head_name(attention, head),
        None => t_string!(i18n, lens.no_head).to_owned(),
    };
    let has_head = Memo::new(move |_| context.head.get().is_some());
    let name = Signal::derive(move || t_string!(i18n, lens.head_table).to_owned());
    let ((of_logit, logit_name), (of_difference, difference_name)) = (logit, difference);
    view! {
        <section class="lens-head" data-testid="lens-head-compared">
            <p class="lesson-reading" role="status">{title}</p>
            <Show when=move || has_head.get()>
                <ScrollRegion class="lesson-table" test_id="lens-head-table" name>
                    <table>
                        <thead>
                            <tr>
                                <th scope="col">{t!(i18n, lens.of)}</th>
                                <th scope="col">{t!(i18n, lens.direct)}</th>
                                <th scope="col">{t!(i18n, lens.without)}</th>
                            </tr>
                        </thead>
                        <tbody>
                            <Compared read=of_logit name=logit_name is_difference=false />
                            <Compared read=of_difference name=difference_name is_difference=true />
                        </tbody>
                    </table>
                </ScrollRegion>
            </Show>
        </section>
    }
}

/// The comparison for the logit or for the difference.
#[component]
fn Compared(
    read: Memo<Option<LensRead>>,
    name: Signal<String>,
    is_difference: bool,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = LensContext::expect();
    let without = Live::expect().lens(move || {
        let HeadChoice { attention, head } = context.head.get()?;
        let wanted: Wanted = context.wanted(is_difference)?;
        Some(LensQuestion::WithoutHead {
            wanted,
            attention,
            head,
        })
    });
    let share = move || {
        let HeadChoice { attention, head } = context.head.get()?;
        // The list of parts shows the failure.
        let answer = read.get()?.ok()?;
        parts(&answer)?.of(Part::Head { attention, head })
    };
    let change = move || {
        // The list of parts shows the failure.
        let answer = read.get()?.ok()?;
        // The failure is shown in place of the number.
        match *without.get()?.ok()? {
            LensAnswer::WithoutHead { logit } => Some(logit - parts(&answer)?.logit),
            _ => None,
        }
    };
    let shown =
        |value: Option<f32>| value.map_or_else(|| "…".to_owned(), |value| signed(value, DECIMALS));
    let change = move || match without.get() {
        Some(Err(failure)) => failure_words(i18n, &failure),
        _ => shown(change()),
    };
    view! {
        <tr>
            <th scope="row">{name}</th>
            <td class="number" data-testid="lens-share">{move || shown(share())}</td>
            <td class="number" data-testid="lens-change">{change}</td>
        </tr>
    }
}
