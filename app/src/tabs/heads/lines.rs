//! The selected head as lines between two columns of tokens.

use attention_figures::bipartite::{Layout, Line};
use attention_trace::Token;
use leptos::{ev::KeyboardEvent, prelude::*};

use super::context::HeadsContext;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    widgets::Pick,
};

/// Width of the figure in its own units; the style sheet scales it to the room there is.
const WIDTH: f32 = 560.0;
/// Where the columns of tokens end and the lines begin.
const LEFT: f32 = 150.0;
const RIGHT: f32 = WIDTH - LEFT;
/// Room for the columns' names.
const HEADER: f32 = 28.0;
/// The height from which the figure is no longer scaled down to the screen: its tokens could not be read.
const TALL: f32 = 1000.0;

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

/// The lines: a pointer or the focus on a token shows that token's alone, and a click on queries chooses whose are shown.
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
            class:is-tall=move || { height() > TALL }
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
                {move || scene.with(|s| s.lines.iter().map(|l| stroke(context, *l, isolated)).collect_view())}
            </g>
            {move || {
                scene.with(|s| {
                    let longest = s.queries.len().max(s.keys.len());
                    view! {
                        {column(context, &s.queries, longest, layout, isolated, Isolated::Query)}
                        {column(context, &s.keys, longest, layout, isolated, Isolated::Key)}
                    }
                })
            }}
        </svg>
    }
}

fn stroke(
    context: HeadsContext,
    line: Line,
    isolated: RwSignal<Option<Isolated>>,
) -> impl IntoView {
    let hidden = move || match isolated.get() {
        Some(token) => !token.has(&line),
        None => context.has_rows() && !context.has_row(line.query),
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
    context: HeadsContext,
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
    let (count, name) = (tokens.len(), token_name());
    tokens
        .iter()
        .enumerate()
        .map(|(index, token)| {
            let this = side(index);
            let query = match this {
                Isolated::Query(query) => Some(query),
                Isolated::Key(_) => None,
            };
            let is_chosen = move || query.is_some_and(|query| context.has_row(query));
            view! {
                <text
                    class="lines-token"
                    class:unknown=token.unknown
                    class:choosable=query.is_some()
                    class:in-sight=move || isolated.get() == Some(this) || is_chosen()
                    role=query.map(|_| "button")
                    aria-pressed=move || query.map(|_| is_chosen().to_string())
                    x=x
                    y=layout.y(index, count, longest)
                    text-anchor=anchor
                    dominant-baseline="central"
                    tabindex="0"
                    on:pointerenter=move |_| isolated.set(Some(this))
                    on:pointerleave=move |_| isolated.set(None)
                    on:focus=move |_| isolated.set(Some(this))
                    on:blur=move |_| isolated.set(None)
                    on:click=move |event| {
                        if let Some(query) = query {
                            context.click_query(query, context.pick(Pick::of(&event)));
                        }
                    }
                    on:keydown=move |event| {
                        if let Some(query) = query {
                            on_key(context, query, &event);
                        }
                    }
                >
                    {name(token)}
                </text>
            }
        })
        .collect_view()
}

/// Enter and space click, as on a button.
fn on_key(context: HeadsContext, query: usize, event: &KeyboardEvent) {
    if ["Enter", " "].contains(&event.key().as_str()) {
        event.prevent_default();
        // Space would play the steps.
        event.stop_propagation();
        context.click_query(query, context.pick(Pick::of_key(event)));
    }
}
