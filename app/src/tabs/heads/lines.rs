//! The selected head as lines between two columns of tokens.

use attention_figures::bipartite::{Layout, Line};
use attention_trace::Token;
use leptos::prelude::*;

use super::context::HeadsContext;
use crate::{
    i18n::{t, t_string, use_i18n},
    widgets::label,
};

/// Width of the figure in its own units; the style sheet scales it to the room there is.
const WIDTH: f32 = 560.0;
/// Where the columns of tokens end and the lines begin.
const LEFT: f32 = 150.0;
const RIGHT: f32 = WIDTH - LEFT;
/// Room for the columns' names.
const HEADER: f32 = 28.0;

/// A token whose lines alone are shown.
#[derive(Clone, Copy, PartialEq)]
enum Isolated {
    Query(usize),
    Key(usize),
}

impl Isolated {
    fn has(self, line: &Line) -> bool {
        match self {
            Isolated::Query(query) => line.query == query,
            Isolated::Key(key) => line.key == key,
        }
    }
}

/// What the figure is drawn from.
#[derive(Clone, Default, PartialEq)]
struct Scene {
    queries: Vec<Token>,
    keys: Vec<Token>,
    lines: Vec<Line>,
}

/// The lines: a pointer or the focus on a token shows that token's alone.
#[component]
pub fn Lines() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let layout = Layout::default();
    let isolated = RwSignal::new(None);
    let scene = Memo::new(move |_| {
        context
            .with_map(|map| Scene {
                queries: map.queries.to_vec(),
                keys: map.keys.to_vec(),
                lines: layout.lines(map.weights, map.queries.len(), map.keys.len()),
            })
            .unwrap_or_default()
    });
    let height = move || scene.with(|s| layout.height(s.queries.len(), s.keys.len()));
    view! {
        <svg
            class="lines"
            data-testid="lines"
            role="group"
            aria-label=move || t_string!(i18n, heads.lines_label)
            viewBox=move || format!("0 {} {WIDTH} {}", -HEADER, height() + HEADER)
        >
            <text class="lines-name" x=LEFT - 12.0 y=-10 text-anchor="end">
                {t!(i18n, heads.query)}
            </text>
            <text class="lines-name" x=RIGHT + 12.0 y=-10>
                {t!(i18n, heads.key)}
            </text>
            <g class="lines-strokes">
                {move || scene.with(|s| s.lines.iter().map(|l| stroke(*l, isolated)).collect_view())}
            </g>
            {move || {
                scene.with(|s| {
                    let longest = s.queries.len().max(s.keys.len());
                    view! {
                        {column(&s.queries, longest, layout, isolated, Isolated::Query)}
                        {column(&s.keys, longest, layout, isolated, Isolated::Key)}
                    }
                })
            }}
        </svg>
    }
}

fn stroke(line: Line, isolated: RwSignal<Option<Isolated>>) -> impl IntoView {
    let hidden = move || {
        isolated
            .get()
            .is_some_and(|token: Isolated| !token.has(&line))
    };
    view! {
        <path
            d=line.path(LEFT, RIGHT)
            stroke-width=line.width
            stroke-opacity=line.opacity
            data-query=line.query
            data-key=line.key
            class:hidden=hidden
        />
    }
}

fn column(
    tokens: &[Token],
    longest: usize,
    layout: Layout,
    isolated: RwSignal<Option<Isolated>>,
    side: fn(usize) -> Isolated,
) -> impl IntoView + use<> {
    let (x, anchor) = match side(0) {
        Isolated::Query(_) => (LEFT - 12.0, "end"),
        Isolated::Key(_) => (RIGHT + 12.0, "start"),
    };
    let count = tokens.len();
    tokens
        .iter()
        .enumerate()
        .map(|(index, token)| {
            let this = side(index);
            view! {
                <text
                    class="lines-token"
                    class:unknown=token.unknown
                    class:in-inspector=move || isolated.get() == Some(this)
                    x=x
                    y=layout.y(index, count, longest)
                    text-anchor=anchor
                    dominant-baseline="central"
                    tabindex="0"
                    on:pointerenter=move |_| isolated.set(Some(this))
                    on:pointerleave=move |_| isolated.set(None)
                    on:focus=move |_| isolated.set(Some(this))
                    on:blur=move |_| isolated.set(None)
                >
                    {label(token).to_owned()}
                </text>
            }
        })
        .collect_view()
}
