//! The choice of the heads: a button for each, with its error rate where it was measured.

use crate::alignment::parameters::AlignedHeads;
use attention_trace::alignment::{AlignmentSet, RowErrors, RowOf};
use leptos::prelude::*;

use super::context::{AlignmentContext, attention};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::head_name,
    state::HeadPlace,
    widgets::{
        ScrollRegion,
        numbers::{percent, share_of_one},
    },
};

/// The table of heads, a row for each layer, and the choices of several at once.
#[component]
pub fn HeadTable() -> impl IntoView {
    let i18n = use_i18n();
    let context = AlignmentContext::expect();
    let sizes = Memo::new(move |_| {
        context
            .sides
            .with(|sides| sides.as_ref().map_or((0, 0), |sides| sides.sizes()))
    });
    let has_set = Memo::new(move |_| context.set.with(Option::is_some));
    let rows = move || {
        let (layers, heads) = sizes.get();
        let row = move |layer| {
            let cell =
                move |head| view! { <td><HeadButton place=HeadPlace { layer, head } /></td> };
            view! {
                <tr>
                    <th scope="row">{t!(i18n, alignment.layer, layer = layer + 1)}</th>
                    {(0..heads).map(cell).collect_view()}
                </tr>
            }
        };
        (0..layers).map(row).collect_view()
    };
    let numbers = move || {
        let number = |head| view! { <th scope="col">{head + 1}</th> };
        (0..sizes.get().1).map(number).collect_view()
    };
    let choose = move |heads: AlignedHeads| context.update(|view| view.heads = heads);
    let is_chosen = move |heads: AlignedHeads| context.view.with(|view| view.heads == heads);
    view! {
        <div class="position-controls">
            <Show when=move || has_set.get()>
                <button
                    type="button"
                    class="plain-button align-choice"
                    data-testid="align-best"
                    aria-pressed=move || is_chosen(AlignedHeads::Best).to_string()
                    on:click=move |_| choose(AlignedHeads::Best)
                >
                    {t!(i18n, alignment.best)}
                </button>
            </Show>
            <button
                type="button"
                class="plain-button align-choice"
                data-testid="align-all"
                aria-pressed=move || is_chosen(AlignedHeads::All).to_string()
                on:click=move |_| choose(AlignedHeads::All)
            >
                {t!(i18n, alignment.all)}
            </button>
        </div>
        <ScrollRegion
            class="lesson-table align-heads"
            test_id="align-heads"
            name=Signal::derive(move || t_string!(i18n, alignment.heads).to_owned())
        >
            <table>
                <thead>
                    <tr><td></td>{numbers}</tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </ScrollRegion>
        <p class="hint">
            {move || match has_set.get() {
                true => t_string!(i18n, alignment.heads_hint),
                false => t_string!(i18n, alignment.no_set),
            }}
        </p>
        {move || {
            let reason = context.scores.get()?.err()?;
            Some(view! {
                <p class="notice problem" role="alert">
                    {t!(i18n, alignment.missing_scores, reason = reason)}
                </p>
            })
        }}
    }
}

/// A head: chosen or not, and how many of its links are wrong. A double click leaves it alone.
#[component]
fn HeadButton(place: HeadPlace) -> impl IntoView {
    let i18n = use_i18n();
    let context = AlignmentContext::expect();
    let head_name = head_name();
    let is_chosen = Memo::new(move |_| context.heads.with(|heads| heads.contains(&place)));
    let errors = Memo::new(move |_| {
        let of = |set: &AlignmentSet| set.of(attention(place), place.head);
        context.set.with(|set| set.as_ref().and_then(of))
    });
    let words = move || {
        let least = errors.get().map(RowErrors::least);
        least.map_or_else(|| "·".to_owned(), |error| percent(error as f32, 0))
    };
    let name = move || {
        let head = head_name(attention(place), place.head);
        let Some(errors) = errors.get() else {
            return head;
        };
        let [writing, reading] = RowOf::ALL.map(|row| share_of_one(errors.of(row) as f32, 2));
        t_string!(
            i18n,
            alignment.head_errors,
            head = head,
            writing = writing,
            reading = reading
        )
    };
    view! {
        <button
            type="button"
            class="align-head number"
            data-head=format!("{}-{}", place.layer, place.head)
            style=move || errors.get().map(|errors| format!("--error: {:.3}", errors.least()))
            aria-pressed=move || is_chosen.get().to_string()
            aria-label=name
            title=name
            on:click=move |_| context.toggle(place)
            on:dblclick=move |_| context.choose_only(place)
        >
            {words}
        </button>
    }
}
