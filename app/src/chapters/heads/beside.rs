//! Two heads of a layer side by side, each from its query to its output.

use attention_figures::matrix::Scale;
use attention_trace::Quantity;
use leptos::prelude::*;

use crate::{
    chapters::follow::axes,
    engine::Part,
    i18n::{t, t_string, use_i18n},
    selection::{HeadChoice, SelfAttention},
    state::ViewState,
    widgets::{
        Select,
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure, numbers_described, weights_described},
        numbers::counted,
    },
};

/// The names of a column's matrices on the page.
type Ids = [&'static str; 6];

/// Those of the chosen head and of the one beside it.
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

/// Both columns.
#[component]
pub fn Beside() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = SelfAttention::expect();
    let asked = state.select(|view| view.chapters.heads.other);
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
            <div class="heads-beside" data-testid="heads-beside">
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
                                chapters.heads.other = head;
                            })
                        />
                    </h3>
                    <Column ids=IDS[1] head=other />
                </section>
            </div>
        </Inspected>
    }
}

/// One head's numbers for the chosen token.
#[component]
fn Column(ids: Ids, head: Memo<Option<HeadChoice>>) -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let whole = move |quantity: Quantity| {
        context.part(move |place| head.get().unwrap_or(place.head).excerpt(quantity))
    };
    // The chosen token's row.
    let row = move |quantity: Quantity| {
        let part = whole(quantity);
        Memo::new(move |_| {
            let (query, name) = (context.query(), context.query_name()?);
            let Part(array) = part.get()?;
            let row = array.row(&[query])?;
            Some(Matrix::new(row, row.len()).with_rows(vec![name]))
        })
    };
    let over_tokens = move |quantity: Quantity| {
        let row = row(quantity);
        Memo::new(move |_| Some(row.get()?.with_columns(context.names())))
    };
    // A row for each token.
    let by_token = move |quantity: Quantity| {
        let part = whole(quantity);
        Memo::new(move |_| {
            let names = context.names();
            let Part(array) = part.get()?;
            let &[_, columns] = array.shape.as_slice() else {
                return None;
            };
            let rows = array.data.get(..names.len() * columns)?;
            Some(Matrix::new(rows, columns).with_rows(names))
        })
    };
    let (query, keys) = (row(Quantity::Query), by_token(Quantity::Key));
    let scores = over_tokens(Quantity::MaskedScores);
    let weights = over_tokens(Quantity::Pattern);
    let (values, output) = (by_token(Quantity::Value), row(Quantity::Z));
    let [
        query_id,
        keys_id,
        scores_id,
        weights_id,
        values_id,
        output_id,
    ] = ids;
    view! {
        <MatrixFigure
            id=query_id
            symbol="<math><mi>q</mi></math>"
            name=Signal::derive(move || t_string!(i18n, chapters.name_query).to_owned())
            matrix=query
            columns=axes::HEAD
            describe=numbers_described(query)
        />
        <MatrixFigure
            id=keys_id
            symbol="<math><mi>K</mi></math>"
            name=Signal::derive(move || t_string!(i18n, chapters.name_keys).to_owned())
            matrix=keys
            rows=axes::KEYS
            columns=axes::HEAD
            rows_shown=6
            describe=numbers_described(keys)
        />
        <MatrixFigure
            id=scores_id
            symbol="<math><mi>s</mi></math>"
            name=Signal::derive(move || t_string!(i18n, chapters.name_scaled).to_owned())
            matrix=scores
            columns=axes::KEYS
            describe=numbers_described(scores)
        />
        <MatrixFigure
            id=weights_id
            symbol="<math><mi>a</mi></math>"
            name=Signal::derive(move || t_string!(i18n, chapters.name_weights).to_owned())
            matrix=weights
            columns=axes::KEYS
            scale=Scale::Weights
            describe=weights_described(weights)
        />
        <MatrixFigure
            id=values_id
            symbol="<math><mi>V</mi></math>"
            name=Signal::derive(move || t_string!(i18n, chapters.name_values).to_owned())
            matrix=values
            rows=axes::KEYS
            columns=axes::HEAD
            rows_shown=6
            describe=numbers_described(values)
        />
        <MatrixFigure
            id=output_id
            symbol="<math><mi>z</mi></math>"
            name=Signal::derive(move || t_string!(i18n, chapters.name_head_output).to_owned())
            matrix=output
            columns=axes::HEAD
            describe=numbers_described(output)
        />
    }
}
