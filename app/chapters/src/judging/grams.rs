//! The candidate's n-grams of one length, with the clipped count of each.

use crate::judging::parameters::Judging;
use attention_trace::judging::{Gram, ORDERS, Overlap};
use leptos::prelude::*;

use super::{pair::Judged, written::of};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{ScrollRegion, Select, numbers::counted},
};

/// The most n-grams that are listed.
const MOST: usize = 30;

/// The n-grams of the list and their overlap with the references.
#[derive(Clone, Debug, PartialEq)]
struct Listed {
    /// The n-grams, each with its name on screen.
    grams: Vec<(String, Gram)>,
    overlap: Overlap,
}

/// The list of n-grams for the chosen n, with their precision.
#[component]
pub fn Grams(judged: Judged) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let n = state.select(|view| view.chapters.of::<Judging>().n);
    let listed = Memo::new(move |_| {
        let n = n.get();
        judged.with(|pair| Listed {
            grams: pair
                .grams(n)
                .into_iter()
                .map(|gram| (judged.joined(&gram.tokens), gram))
                .collect(),
            overlap: pair.bleu().overlaps[n - 1],
        })
    });
    let total = move || {
        let overlap = listed.with(|listed| Some(listed.as_ref()?.overlap))?;
        Some(t_string!(
            i18n,
            judging.counted_of,
            counted = overlap.matched,
            total = overlap.candidate,
            precision = of(overlap.precision())
        ))
    };
    let rest = move || {
        let all = listed.with(|listed| Some(listed.as_ref()?.grams.len()))?;
        (all > MOST).then(|| t_string!(i18n, judging.more, count = all - MOST))
    };
    let row = |(name, gram): &(String, Gram)| {
        view! {
            <tr class:differs=gram.counted() < gram.candidate>
                <th scope="row">{name.clone()}</th>
                <td class="number">{gram.candidate}</td>
                <td class="number">{gram.reference}</td>
                <td class="number"><strong>{gram.counted()}</strong></td>
            </tr>
        }
    };
    let rows = move || {
        listed.with(|listed| {
            let grams = listed.iter().flat_map(|listed| &listed.grams);
            grams.take(MOST).map(row).collect_view()
        })
    };
    view! {
        <section class="lesson-figure" data-testid="grams">
            <Select
                name=Signal::derive(move || t_string!(i18n, judging.gram_tokens).to_owned())
                test_id="judged-n"
                options=Signal::derive(|| counted(ORDERS))
                chosen=Signal::derive(move || n.get() - 1)
                choose=move |index| state.update_chapters(|chapters| {
                    chapters.of_mut::<Judging>().n = index + 1;
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
                    <tbody>{rows}</tbody>
                </table>
            </ScrollRegion>
            {move || rest().map(|rest| view! { <p class="hint">{rest}</p> })}
            <p class="lesson-reading number" role="status" data-testid="grams-total">{total}</p>
        </section>
    }
}
