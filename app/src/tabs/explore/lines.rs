//! The selected head as lines between two columns of tokens.

use attention_figures::bipartite::{Layout, Line};
use attention_trace::Token;
use leptos::{ev::KeyboardEvent, html, prelude::*};

use super::context::HeadsContext;
use attention_core::{
    appearance::Appearance,
    edits::{EditControl, FORBID_KEY, PIN_KEY},
    i18n::{t, t_string, use_i18n},
    names::token_name,
    state::{Cell, WeightPlace},
    widgets::{Pick, observed_width},
};

/// The largest width of the figure, in CSS pixels: longer lines are harder to follow.
const WIDEST: f32 = 760.0;
/// The width on paper, which no observer reports.
const PRINTED: f32 = 560.0;
/// The gap between a token and the lines.
const BESIDE: f32 = 12.0;
/// The largest share of the width for a column of tokens.
const COLUMN: f32 = 0.36;
/// The width of a letter, and of a Chinese character, in the type of the tokens.
const LETTER: f32 = 8.5;
const CHARACTER: f32 = 15.0;
/// The room for the columns' names.
const HEADER: f32 = 28.0;
/// The least scale of the figure on a small screen, at which its tokens are still legible.
const SMALLEST: f32 = 0.75;
/// The height from which the figure is no longer scaled down to the screen: its tokens would be illegible.
const TALL: f32 = 1000.0;

/// The largest number of lines that react to the pointer; the faintest beyond it do not.
const MOST_HITS: usize = 400;
/// The width of the area that reacts to the pointer along a thin line.
const NARROWEST_HIT: f32 = 10.0;
/// The width of a line that marks a cell without weight.
const FAINT: f32 = 1.5;

/// The keys on a query that go along its lines, and the keys that reset a given weight.
const EARLIER: &str = "ArrowLeft";
const LATER: &str = "ArrowRight";
const REMOVE: &str = "Delete";

/// A token whose lines alone are visible.
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

/// The tokens of both columns. Separate from the lines, so that a focused token stays when a weight changes.
#[derive(Clone, Default, PartialEq)]
struct Columns {
    queries: Vec<Token>,
    keys: Vec<Token>,
}

/// The lines, and those that mark cells whose weight is too small to be drawn.
#[derive(Clone, Default, PartialEq)]
struct Drawn {
    lines: Vec<Line>,
    faint: Vec<Line>,
}

/// The width of the figure, and the ends of its lines, in CSS pixels. Its units are pixels, so that its type has the
/// size given by the style sheet at any width.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ways {
    width: f32,
    left: f32,
}

impl Ways {
    /// Computes the widths for a room and the columns' longest name, at a size of type.
    fn of(room: f32, longest: f32, enlargement: f32) -> Self {
        let width = room.min(WIDEST * enlargement);
        let wanted = longest * enlargement + BESIDE;
        Ways {
            width,
            left: wanted.clamp(0.0, COLUMN * width),
        }
    }

    fn right(self) -> f32 {
        self.width - self.left
    }

    /// Returns the largest width of a token.
    fn name(self) -> f32 {
        (self.left - BESIDE).max(0.0)
    }
}

/// Estimates the width of a text in the type of the tokens, in CSS pixels.
fn written(text: &str) -> f32 {
    let width = |letter: char| match letter < '\u{2e80}' {
        true => LETTER,
        false => CHARACTER,
    };
    text.chars().map(width).sum()
}

/// The lines: a pointer or the focus on a token displays its lines alone, and a click on queries chooses the displayed
/// ones. A click on a line, or the arrow keys on a query, lock its cell, whose weight can then be changed.
#[component]
pub fn Lines() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let layout = Layout::default();
    let isolated = RwSignal::new(None);
    let columns = Memo::new(move |_| {
        context
            .with_map(|map| Columns {
                queries: map.queries.to_vec(),
                keys: map.keys.to_vec(),
            })
            .unwrap_or_default()
    });
    let drawn = Memo::new(move |_| {
        let lines = context.with_map(|map| {
            let (queries, keys) = (map.queries.len(), map.keys.len());
            let given = context.given().get();
            let locked = context.locked_cell();
            let locked = locked.filter(|cell| !given.cells.contains(cell));
            let marked = given.cells.iter().copied().chain(locked);
            let marked = marked.filter(|cell| cell.query < queries && cell.key < keys);
            let unseen = |cell: &Cell| {
                map.weight(*cell)
                    .is_none_or(|weight| weight < layout.threshold)
            };
            let faint = marked
                .filter(unseen)
                .map(|cell| faint(layout, cell, queries, keys));
            Drawn {
                lines: layout.lines(map.weights, queries, keys),
                faint: faint.collect(),
            }
        });
        lines.unwrap_or_default()
    });
    let height = move || columns.with(|s| layout.height(s.queries.len(), s.keys.len()));
    let room = NodeRef::<html::Div>::new();
    let (width, appearance, name) = (observed_width(room), Appearance::expect(), token_name());
    let ways = Memo::new(move |_| {
        let of = |tokens: &[Token]| {
            let names = tokens.iter().map(|token| written(&name(token)));
            names.fold(0.0, f32::max)
        };
        let longest = columns.with(|columns| of(&columns.queries).max(of(&columns.keys)));
        let names = [t_string!(i18n, heads.query), t_string!(i18n, heads.key)];
        let longest = names.into_iter().map(written).fold(longest, f32::max);
        let room = match appearance.is_printing() {
            true => PRINTED,
            false => width.get() as f32,
        };
        Ways::of(room, longest, appearance.enlargement() as f32)
    });
    view! {
        <div class="lines-room" node_ref=room>
        <svg
            class="lines"
            class:is-tall=move || { height() > TALL }
            data-testid="lines"
            role="group"
            aria-label=move || t_string!(i18n, heads.lines_label)
            style=move || format!("min-height: {}px", SMALLEST * (height() + HEADER))
            viewBox=move || format!("0 {} {} {}", -HEADER, ways.get().width, height() + HEADER)
        >
            <text class="lines-name" x=move || ways.get().name() y=-10 text-anchor="end">
                {t!(i18n, heads.query)}
            </text>
            <text class="lines-name" x=move || ways.get().right() + BESIDE y=-10>
                {t!(i18n, heads.key)}
            </text>
            <g class="lines-strokes">
                {move || drawn.with(|d| {
                    let all = d.lines.iter().chain(&d.faint);
                    let ways = ways.get();
                    all.map(|line| stroke(context, ways, *line, isolated)).collect_view()
                })}
            </g>
            <g class="lines-hits" aria-hidden="true">
                {move || drawn.with(|d| {
                    let skipped = d.lines.len().saturating_sub(MOST_HITS);
                    let all = d.faint.iter().chain(d.lines.iter().skip(skipped));
                    let ways = ways.get();
                    all.map(|line| hit(context, ways, *line, isolated)).collect_view()
                })}
            </g>
            {move || {
                columns.with(|s| {
                    let longest = s.queries.len().max(s.keys.len());
                    view! {
                        {column(context, ways, &s.queries, longest, layout, isolated, Isolated::Query)}
                        {column(context, ways, &s.keys, longest, layout, isolated, Isolated::Key)}
                    }
                })
            }}
        </svg>
        </div>
    }
}

fn stroke(
    context: HeadsContext,
    ways: Ways,
    line: Line,
    isolated: RwSignal<Option<Isolated>>,
) -> impl IntoView {
    let cell = cell_of(line);
    let is_given = move || context.given().read().contains(cell);
    view! {
        <path
            d=line.path(ways.left, ways.right())
            stroke-width=line.width
            stroke-opacity=line.opacity
            data-query=line.query
            data-key=line.key
            class:hidden=move || is_hidden(context, line, isolated)
            class:given=is_given
            class:locked=move || context.locked_cell() == Some(cell)
        />
    }
}

fn cell_of(line: Line) -> Cell {
    Cell {
        query: line.query,
        key: line.key,
    }
}

fn is_hidden(context: HeadsContext, line: Line, isolated: RwSignal<Option<Isolated>>) -> bool {
    match isolated.get() {
        Some(token) => !token.has(&line),
        None => context.has_rows() && !context.has_row(line.query),
    }
}

/// Draws the area that reacts to the pointer along a line, wider than the line: hovering reads the weight, and a click
/// locks it. Keys on the query's token do the same.
fn hit(
    context: HeadsContext,
    ways: Ways,
    line: Line,
    isolated: RwSignal<Option<Isolated>>,
) -> impl IntoView {
    let cell = cell_of(line);
    view! {
        <path
            d=line.path(ways.left, ways.right())
            stroke-width=line.width.max(NARROWEST_HIT)
            data-query=line.query
            data-key=line.key
            class:hidden=move || is_hidden(context, line, isolated)
            on:pointerenter=move |_| context.hover_cell(Some(cell))
            on:pointerleave=move |_| context.hover_cell(None)
            on:click=move |event| context.click_cell(cell, context.pick(Pick::of(&event)))
        />
    }
}

/// Returns a thin line for a marked cell whose weight is too small to be drawn.
fn faint(layout: Layout, cell: Cell, queries: usize, keys: usize) -> Line {
    let longest = queries.max(keys);
    Line {
        query: cell.query,
        key: cell.key,
        weight: 0.0,
        query_y: layout.y(cell.query, queries, longest),
        key_y: layout.y(cell.key, keys, longest),
        width: FAINT,
        opacity: 1.0,
    }
}

fn column(
    context: HeadsContext,
    ways: Memo<Ways>,
    tokens: &[Token],
    longest: usize,
    layout: Layout,
    isolated: RwSignal<Option<Isolated>>,
    side: fn(usize) -> Isolated,
) -> impl IntoView + use<> {
    let is_left = matches!(side(0), Isolated::Query(_));
    let anchor = if is_left { "end" } else { "start" };
    let x = move || match is_left {
        true => ways.get().name(),
        false => ways.get().right() + BESIDE,
    };
    let appearance = Appearance::expect();
    let (count, name, edits) = (tokens.len(), token_name(), EditControl::expect());
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
            let shown = {
                let token = token.clone();
                Memo::new(move |_| name(&token))
            };
            // A name that is longer than its column is made narrower.
            let narrowed = move || {
                let wanted = shown.with(|shown| written(shown)) * appearance.enlargement() as f32;
                let room = ways.get().name();
                (wanted > room).then_some(room)
            };
            view! {
                <text
                    class="lines-token"
                    class:unknown=token.unknown
                    class:choosable=query.is_some()
                    class:in-sight=move || isolated.get() == Some(this) || is_chosen()
                    role=query.map(|_| "button")
                    aria-keyshortcuts=query.map(|_| format!("{EARLIER} {LATER} {PIN_KEY} {FORBID_KEY} {REMOVE}"))
                    aria-describedby=query.map(|_| "cell-readout")
                    aria-pressed=move || query.map(|_| is_chosen().to_string())
                    x=x
                    y=layout.y(index, count, longest)
                    text-anchor=anchor
                    textLength=narrowed
                    lengthAdjust="spacingAndGlyphs"
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
                            on_key(context, edits, query, &event);
                        }
                    }
                >
                    {shown}
                </text>
            }
        })
        .collect_view()
}

/// Handles a key: Enter and space click, as on a button; the arrow keys lock the query's lines one after the other, and
/// letters change the locked one's weight.
fn on_key(context: HeadsContext, edits: EditControl, query: usize, event: &KeyboardEvent) {
    if event.ctrl_key() || event.alt_key() || event.meta_key() {
        return;
    }
    let key = event.key();
    let change: Option<fn(EditControl, WeightPlace)> = match key.as_str() {
        key if key.eq_ignore_ascii_case(PIN_KEY) => Some(EditControl::pin),
        key if key.eq_ignore_ascii_case(FORBID_KEY) => Some(EditControl::forbid),
        REMOVE | "Backspace" => Some(EditControl::release),
        _ => None,
    };
    match key.as_str() {
        "Enter" | " " => context.click_query(query, context.pick(Pick::of_key(event))),
        EARLIER => go_along(context, query, -1),
        LATER => go_along(context, query, 1),
        "Escape" => context.release_cell(),
        _ => {
            let place = untrack(|| context.weight_place());
            let place = place.filter(|place| place.query == Some(query));
            let (Some(change), Some(place)) = (change, place) else {
                return;
            };
            change(edits, place);
        }
    }
    event.prevent_default();
    // Space would play the steps.
    event.stop_propagation();
}

/// Locks the query's line at an offset of keys; at first that of the key that it attends to most.
fn go_along(context: HeadsContext, query: usize, keys: isize) {
    match untrack(|| context.locked_cell()) {
        Some(cell) if cell.query == query => context.move_cell(0, keys),
        _ => {
            if let Some(cell) = untrack(|| context.strongest_of(query)) {
                context.lock_cell(cell);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn lines_have_a_way_to_go_and_names_their_room(
            room in 200f32..2000.0, longest in 0f32..900.0, enlargement in 1f32..1.5,
        ) {
            let ways = Ways::of(room, longest, enlargement);
            prop_assert!(ways.width <= room);
            prop_assert!(ways.right() - ways.left >= 0.25 * ways.width);
            prop_assert!(ways.name() + BESIDE <= ways.left.max(BESIDE) + 0.01);
        }
    }

    #[test]
    fn the_ways_are_as_wide_as_their_room_and_names_take_what_they_need() {
        // The units are pixels: 15 px of type are 15 px, in 363 pixels beside the map as in 760.
        let narrow = Ways::of(363.0, written("étudiant"), 1.0);
        assert_eq!((narrow.width, narrow.left), (363.0, 80.0));
        assert_eq!(Ways::of(2000.0, 80.0, 1.0).width, WIDEST);
        assert_eq!(written("我是"), 2.0 * CHARACTER);
        // A long name leaves the lines their room.
        assert_eq!(Ways::of(300.0, 500.0, 1.0).left, COLUMN * 300.0);
    }
}
