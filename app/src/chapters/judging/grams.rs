//! The candidate's n-grams of one length, and how many of each count.

use attention_trace::judging::{Gram, ORDERS, Overlap, grams};
use leptos::prelude::*;

use super::{pair::Judged, written::of};
use crate::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{ScrollRegion, Select, numbers::counted},
};

/// The most n-grams that are listed.
const MOST: usize = 30;

/// The list, for the chosen n.
#[component]
pub fn Grams(judged: Judged) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let n = state.select(|view| view.chapters.judging.n);
    let found = Memo::new(move |_| {
        let of_pair = judged.with(|pair| grams(&pair.reference, &pair.candidate, n.get()));
        of_pair.unwrap_or_default()
    });
    let total = move || {
        let overlap =
            judged.with(|pair| Overlap::of_grams(&pair.reference, &pair.candidate, n.get()))?;
        Some(t_string!(
            i18n,
            judging.counted_of,
            counted = overlap.matched,
            total = overlap.candidate,
            precision = of(overlap.precision())
        ))
    };
    let rest = move || {
        let more = found.with(Vec::len).saturating_sub(MOST);
        (more > 0).then(|| t_string!(i18n, judging.more, count = more))
    };
    let row = move |gram: &Gram| {
        view! {
            <tr class:differs=gram.counted() < gram.candidate>
                <th scope="row">{judged.joined(&gram.tokens)}</th>
                <td class="number">{gram.candidate}</td>
                <td class="number">{gram.reference}</td>
                <td class="number"><strong>{gram.counted()}</strong></td>
            </tr>
        }
    };
    view! {
        <section class="lesson-figure" data-testid="grams">
            <Select
                name=Signal::derive(move || t_string!(i18n, judging.gram_tokens).to_owned())
                test_id="judged-n"
                options=Signal::derive(|| counted(ORDERS))
                chosen=Signal::derive(move || n.get() - 1)
                choose=move |index| state.update_chapters(|chapters| {
                    chapters.judging.n = index + 1;
                })
            />
            <ScrollRegion
                class="lesson-table"
                test_id="grams-table"
                name=Signal::derive(move || t_string!(i18n, judging.grams).to_owned())
            >
                <table aria-label=move || t_string!(i18n, judging.grams).to_owned()>
                    <thead>
                        <tr>
                            <th scope="col">{t!(i18n, judging.gram)}</th>
                            <th scope="col">{t!(i18n, judging.in_candidate)}</th>
                            <th scope="col">{t!(i18n, judging.in_reference)}</th>
                            <th scope="col">{t!(i18n, judging.counts)}</th>
                        </tr>
                    </thead>
                    <tbody>
                        {move || found.with(|found| {
                            found.iter().take(MOST).map(row).collect_view()
                        })}
                    </tbody>
                </table>
            </ScrollRegion>
            {move || rest().map(|rest| view! { <p class="hint">{rest}</p> })}
            <p class="lesson-reading number" role="status" data-testid="grams-total">{total}</p>
        </section>
    }
}
