//! The head whose own vectors a chapter uses: which it is, what it recorded, and how to choose
//! another.

use std::sync::Arc;

use attention_trace::{Array, AttentionKind, Token, Trace};
use leptos::prelude::*;

use crate::{
    engine::{Live, Part},
    heads::{HeadChoice, label},
    i18n::{t_string, use_i18n},
    state::{Cell, ViewState},
};

/// The most tokens of a sentence that a chapter computes with.
pub const MOST_TOKENS: usize = 64;

/// The head and the query in sight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// The head.
    pub head: HeadChoice,
    /// The query's position.
    pub query: usize,
}

impl Chosen {
    /// What the view asks for, or what is nearest to it; where no query is chosen the one in the middle,
    /// as in the other tabs.
    fn resolve(
        trace: &Trace,
        (kind, layer, head, cell): (AttentionKind, usize, usize, Option<Cell>),
    ) -> Self {
        let head = HeadChoice::resolve(&trace.meta, kind, layer, head);
        let (queries, _) = trace.meta.axes(head.site.kind);
        let count = queries.len().min(MOST_TOKENS);
        Chosen {
            head,
            query: cell
                .map_or(count / 2, |cell| cell.query)
                .min(count.saturating_sub(1)),
        }
    }

    /// How many keys its query may look at: in a decoder's self-attention those up to its own.
    pub fn visible_keys(self, keys: usize) -> usize {
        let keys = keys.min(MOST_TOKENS);
        match self.head.site.kind {
            AttentionKind::DecoderSelf => keys.min(self.query + 1),
            AttentionKind::EncoderSelf | AttentionKind::Cross => keys,
        }
    }
}

/// The head and the query in sight; `None` without a trace.
pub fn chosen_head() -> Memo<Option<Chosen>> {
    let live = Live::expect();
    let wanted = ViewState::expect().select(|view| (view.kind, view.layer, view.head, view.cell));
    Memo::new(move |_| Some(Chosen::resolve(&*live.trace()?, wanted.get())))
}

/// An array that the head in sight recorded, `[n, …]`; `None` until it is here.
pub fn recorded(chosen: Memo<Option<Chosen>>, array: &'static str) -> Memo<Option<Part>> {
    let live = Live::expect();
    live.part(move || Some(chosen.get()?.head.excerpt(&live.trace()?.meta, array)))
}

/// The first rows of a matrix, as many as a chapter computes with and `rows` allow.
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

/// Names of the first tokens of an axis.
pub fn names(tokens: &[Token], count: usize) -> Vec<String> {
    let tokens = tokens.iter().take(count);
    tokens.map(|token| label(token).to_owned()).collect()
}

/// Kind of attention, layer, head and, where it matters, the query: the same as in the heads tab.
#[component]
pub fn HeadControls(
    /// The head and query in sight.
    chosen: Memo<Option<Chosen>>,
    /// Whether a query is chosen too.
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
    let head = move || chosen.get().map(|chosen| chosen.head);
    let site = move || head().map(|head| head.site);
    let layer = Memo::new(move |_| site().map_or(0, |site| site.layer));
    let index = Memo::new(move |_| head().map_or(0, |head| head.head));
    let kind = Memo::new(move |_| site().map_or(AttentionKind::Cross, |site| site.kind));
    let query = Memo::new(move |_| chosen.get().map_or(0, |chosen| chosen.query));
    let kinds = trace.meta.kinds();
    let choose_kind = move |place: usize| {
        if let Some(&kind) = kinds.get(place) {
            state.set_kind(kind);
        }
    };
    let kind_name = move |kind| match kind {
        AttentionKind::EncoderSelf => t_string!(i18n, heads.encoder_self),
        AttentionKind::DecoderSelf => t_string!(i18n, heads.decoder_self),
        AttentionKind::Cross => t_string!(i18n, heads.cross),
    };
    let (meta, heads) = (trace.meta.clone(), trace.meta.heads);
    let layers = move || numbers(meta.layers(kind.get()));
    let queries = move || names(trace.meta.axes(kind.get()).0, MOST_TOKENS);
    view! {
        <div class="position-controls">
            <Choice
                name=Signal::derive(move || t_string!(i18n, heads.kind).to_owned())
                test_id="chapter-kind"
                options=Signal::derive(move || {
                    kinds.iter().map(|&kind| kind_name(kind).to_owned()).collect()
                })
                chosen=Signal::derive(move || {
                    kinds.iter().position(|&other| other == kind.get()).unwrap_or(0)
                })
                choose=choose_kind
            />
            <Choice
                name=Signal::derive(move || t_string!(i18n, decoding.layer).to_owned())
                test_id="chapter-layer"
                options=Signal::derive(layers)
                chosen=layer
                choose=move |layer| state.set_head(layer, index.get_untracked())
            />
            <Choice
                name=Signal::derive(move || t_string!(i18n, decoding.head).to_owned())
                test_id="chapter-head"
                options=Signal::derive(move || numbers(heads))
                chosen=index
                choose=move |head| state.set_head(layer.get_untracked(), head)
            />
            {with_query.then(|| view! {
                <Choice
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

fn numbers(count: usize) -> Vec<String> {
    (1..=count).map(|number| number.to_string()).collect()
}

/// A choice among named things that keeps its place, and the keyboard's, when another is made.
#[component]
fn Choice(
    #[prop(into)] name: Signal<String>,
    test_id: &'static str,
    #[prop(into)] options: Signal<Vec<String>>,
    #[prop(into)] chosen: Signal<usize>,
    choose: impl Fn(usize) + Send + Sync + 'static,
) -> impl IntoView {
    let options = Memo::new(move |_| options.get());
    view! {
        <label class="number-field">
            <span>{name}</span>
            <select
                data-testid=test_id
                on:change:target=move |event| {
                    if let Ok(index) = event.target().value().parse() {
                        choose(index);
                    }
                }
            >
                {move || options
                    .get()
                    .into_iter()
                    .enumerate()
                    .map(|(index, name)| view! {
                        <option value=index prop:selected=move || index == chosen.get()>{name}</option>
                    })
                    .collect_view()}
            </select>
        </label>
    }
}
