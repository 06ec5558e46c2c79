//! The head whose own vectors a chapter uses: its resolution, the arrays it recorded, and the controls that choose
//! another.

use std::sync::Arc;

use attention_trace::{Array, AttentionKind, Quantity, Token, Trace, TraceMeta};
use leptos::prelude::*;

use super::{HeadChoice, HeadSelects, Selection};
use crate::{
    engine::{Live, Part},
    i18n::{t_string, use_i18n},
    names::{kind_name, token_name},
    state::{Cell, ViewState},
    widgets::Select,
};

/// The largest number of a sentence's tokens that a chapter computes with.
pub const MOST_TOKENS: usize = 64;

/// The head and the selected query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The head on screen.
    pub head: HeadChoice,
    /// The position of the query.
    pub query: usize,
}

impl Chosen {
    /// Returns the head and query that the view asks for, or the nearest ones that exist; without a chosen query the
    /// middle one, as in the other tabs.
    fn resolve(meta: &TraceMeta, selection: Selection) -> Self {
        let head = selection.head(meta);
        let (queries, _) = meta.axes(head.attention.kind);
        let count = queries.len().min(MOST_TOKENS);
        Chosen {
            head,
            query: selection.query(count, count / 2),
        }
    }

    /// Returns the number of keys that the query can attend to: in a decoder's self-attention, those up to its own
    /// position.
    pub fn visible_keys(self, keys: usize) -> usize {
        let keys = keys.min(MOST_TOKENS);
        match self.head.attention.kind {
            AttentionKind::DecoderSelf => keys.min(self.query + 1),
            AttentionKind::EncoderSelf | AttentionKind::Cross => keys,
        }
    }
}

/// Returns the head and the selected query; `None` without a trace, and for a model without attention.
pub fn chosen_head() -> Memo<Option<Chosen>> {
    let live = Live::expect();
    let selection = Selection::of_page();
    Memo::new(move |_| {
        let trace = live.trace()?;
        let has_attention = !trace.meta.spec.kinds().is_empty();
        has_attention.then(|| Chosen::resolve(&trace.meta, selection.get()))
    })
}

/// Returns a quantity that the selected head recorded, `[n, …]`; `None` until it is loaded.
pub fn recorded(chosen: Memo<Option<Chosen>>, quantity: Quantity) -> Memo<Option<Part>> {
    let live = Live::expect();
    live.part(move || Some(chosen.get()?.head.excerpt(quantity)))
}

/// Returns the first rows of a matrix: at most `rows`, and at most as many as a chapter computes with.
pub fn first_rows(matrix: &Array, rows: usize) -> Option<Array> {
    let &[count, width] = matrix.shape.as_slice() else {
        return None;
    };
    let rows = rows.min(count).min(MOST_TOKENS);
    Some(Array {
        shape: vec![rows, width],
        data: matrix.data.get(..rows * width)?.to_vec(),
    })
}

/// Returns the names of the first `count` tokens of an axis.
pub fn names(tokens: &[Token], count: usize) -> Vec<String> {
    let tokens = tokens.iter().take(count);
    tokens.map(token_name()).collect()
}

/// The controls for the kind of attention, the layer, the head and, if needed, the query, as in the heads tab.
#[component]
pub fn HeadControls(
    /// The selected head and query.
    chosen: Memo<Option<Chosen>>,
    /// True if the controls also choose a query.
    #[prop(optional)]
    with_query: bool,
) -> impl IntoView {
    let live = Live::expect();
    move || {
        let trace = live.trace()?;
        Some(view! { <Choices trace chosen with_query /> })
    }
}

#[component]
fn Choices(trace: Arc<Trace>, chosen: Memo<Option<Chosen>>, with_query: bool) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let kinds = StoredValue::new(trace.meta.spec.kinds());
    let head = Memo::new(move |_| chosen.get().map(|chosen| chosen.head));
    let kind = Memo::new(move |_| {
        head.get()
            .map_or(AttentionKind::Cross, |head| head.attention.kind)
    });
    let query = Memo::new(move |_| chosen.get().map_or(0, |chosen| chosen.query));
    let name = kind_name();
    let choose_kind = move |place: usize| {
        if let Some(kind) = kinds.with_value(|kinds| kinds.get(place).copied()) {
            state.set_kind(kind);
        }
    };
    let of_queries = trace.clone();
    let numbers = Memo::new(move |_| Some(head.get()?.numbers(&trace.meta)));
    let queries = move || names(of_queries.meta.axes(kind.get()).0, MOST_TOKENS);
    view! {
        <div class="position-controls">
            <Select
                name=Signal::derive(move || t_string!(i18n, heads.kind).to_owned())
                test_id="chapter-kind"
                options=Signal::derive(move || kinds.get_value().into_iter().map(name).collect())
                chosen=Signal::derive(move || {
                    kinds.get_value().into_iter().position(|other| other == kind.get()).unwrap_or(0)
                })
                choose=choose_kind
            />
            <HeadSelects numbers test_ids=["chapter-layer", "chapter-head"] />
            {with_query.then(|| view! {
                <Select
                    name=Signal::derive(move || t_string!(i18n, heads.query).to_owned())
                    test_id="chapter-query"
                    options=Signal::derive(queries)
                    chosen=query
                    choose=move |query| state.set_cell(Some(Cell { query, key: 0 }))
                />
            })}
        </div>
    }
}
