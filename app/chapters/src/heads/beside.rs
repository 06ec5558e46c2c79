//! Two heads of a layer side by side, each from its query to its output.

use leptos::prelude::*;

use crate::{
    follow::{HeadFigure, HeadMatrix},
    heads::parameters::Heads,
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    selection::{HeadChoice, SelfAttention},
    state::ViewState,
    widgets::{Select, inspector::Inspected, numbers::counted},
};

/// The names of a column's matrices on the page.
type Ids = [&'static str; 6];

/// A column's matrices, from the query to the output.
const MATRICES: [HeadMatrix; 6] = [
    HeadMatrix::Query,
    HeadMatrix::Keys,
    HeadMatrix::Scores,
    HeadMatrix::Weights,
    HeadMatrix::Values,
    HeadMatrix::Output,
];

/// The matrices' names for the chosen head and the one beside it.
const IDS: [Ids; 2] = [
    [
        "one-query",
        "one-keys",
        "one-scores",
        "one-weights",
        "one-values",
        "one-output",
    ],
    [
        "two-query",
        "two-keys",
        "two-scores",
        "two-weights",
        "two-values",
        "two-output",
    ],
];

/// The chosen head and another one of its layer, in two columns.
#[component]
pub fn Beside() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SelfAttention::expect();
    let asked = state.select(|view| view.chapters.of::<Heads>().other);
    let one = Memo::new(move |_| context.with(|place| place.head));
    let heads = Memo::new(move |_| {
        context
            .with(|place| place.head.numbers(&place.meta).heads)
            .unwrap_or(0)
    });
    let other = Memo::new(move |_| {
        let head = asked.get().min(heads.get().saturating_sub(1));
        Some(HeadChoice { head, ..one.get()? })
    });
    let number =
        |head: Memo<Option<HeadChoice>>| Memo::new(move |_| head.get().map_or(0, |head| head.head));
    let (first, second) = (number(one), number(other));
    view! {
        <Inspected>
            <div class="heads-beside is-wide" data-testid="heads-beside">
                <section class="heads-column">
                    <h3 class="panel-title">
                        {move || t_string!(i18n, many_heads.head, head = first.get() + 1)}
                    </h3>
                    <Column ids=IDS[0] head=one />
                </section>
                <section class="heads-column">
                    <h3 class="panel-title">
                        {t!(i18n, many_heads.beside)}
                        <Select
                            name=Signal::derive(move || t_string!(i18n, decoding.head).to_owned())
                            test_id="heads-other"
                            options=Signal::derive(move || counted(heads.get()))
                            chosen=second
                            choose=move |head| state.update_chapters(|chapters| {
                                chapters.of_mut::<Heads>().other = head;
                            })
                        />
                    </h3>
                    <Column ids=IDS[1] head=other />
                </section>
            </div>
        </Inspected>
    }
}

/// One head's matrices for the chosen token, from its query to its output.
#[component]
fn Column(ids: Ids, head: Memo<Option<HeadChoice>>) -> impl IntoView {
    MATRICES
        .into_iter()
        .zip(ids)
        .map(|(is, id)| {
            let matrix = is.of(move |place| head.get().unwrap_or(place.head));
            view! { <HeadFigure id is matrix /> }
        })
        .collect_view()
}
