//! The cells of both runs: one is dragged onto the other, or chosen by a click or by keys.

use attention_core::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    names::{kind_name, token_name},
    widgets::numbers::decimal,
};
use attention_figures::color::{css, diverging, ink_on};
use attention_trace::{PatchedPlace, Site, TakenInto, Token};
use leptos::{
    ev::{KeyboardEvent, PointerEvent},
    html,
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

use super::{
    context::PatchingContext,
    layout::{Column, Layout, RowName, row_name, share},
};

/// A cell of the run that is taken from: its row and position.
type Taken = (usize, usize);

/// The cell of one run that is on its way to the other. A context.
#[derive(Clone, Copy)]
pub struct Dragging {
    /// The cell that was picked up, by pointer or by key.
    taken: RwSignal<Option<Taken>>,
    /// Whether a pointer holds it.
    is_held: RwSignal<bool>,
    /// The cell of the other run that the pointer is over.
    over: RwSignal<Option<(usize, usize)>>,
}

impl Dragging {
    /// Provides the context.
    pub fn provide() -> Self {
        let dragging = Dragging {
            taken: RwSignal::new(None),
            is_held: RwSignal::new(false),
            over: RwSignal::new(None),
        };
        provide_context(dragging);
        dragging
    }

    fn expect() -> Self {
        expect_context()
    }

    /// Puts back what was picked up.
    pub fn let_go(self) {
        self.taken.set(None);
        self.is_held.set(false);
        self.over.set(None);
    }

    /// A pointer that holds a cell moves.
    pub fn follow(self, event: &PointerEvent) {
        if self.is_held.get_untracked() {
            self.over.set(cell_under(event));
        }
    }

    /// A pointer lets go of a cell where it is; over no cell the cell stays picked up, as after a click.
    pub fn drop_at(self, context: PatchingContext, event: &PointerEvent) {
        if !self.is_held.get_untracked() {
            return;
        }
        self.is_held.set(false);
        self.over.set(None);
        if let Some(cell) = cell_under(event) {
            self.put(context, cell);
        }
    }

    /// The row and the position that were picked up.
    pub fn taken(self) -> Option<Taken> {
        self.taken.get()
    }

    /// Puts what was picked up onto a cell; where nothing was, the cell takes over its partner.
    fn put(self, context: PatchingContext, (row, column): (usize, usize)) {
        let taken = self.taken.get_untracked();
        let place = context.layout.with_untracked(|layout| {
            let layout = layout.as_ref()?;
            match taken {
                Some(taken) => layout.dropped(taken, (row, column)),
                None => layout.place(row, column),
            }
        });
        if let Some(place) = place {
            context.look_at(place);
            self.let_go();
        }
    }
}

/// The cell of the run that takes over which is under a pointer.
fn cell_under(event: &PointerEvent) -> Option<(usize, usize)> {
    let document = document();
    let (x, y) = (event.client_x() as f32, event.client_y() as f32);
    let element: Element = document.element_from_point(x, y)?;
    let cell = element.closest("[data-patch]").ok().flatten()?;
    let name = cell.get_attribute("data-patch")?;
    let (row, column) = name.split_once('-')?;
    Some((row.parse().ok()?, column.parse().ok()?))
}

/// The run that is taken from: its cells are picked up.
#[component]
pub fn Source() -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let caption = move || match context.view.with(|view| view.into) {
        TakenInto::Other => t_string!(i18n, patching.from_clean),
        TakenInto::Clean => t_string!(i18n, patching.from_other),
    };
    let table = NodeRef::<html::Table>::new();
    let layout = context.layout;
    let body = move || {
        layout
            .get()
            .map(|layout| view! { <SourceRows layout table /> })
    };
    view! {
        <div class="patching-block">
            <p class="patching-caption">{caption}</p>
            <div class="lesson-table patching-scroll">
                <table class="patching-cells" data-testid="patching-source" node_ref=table>
                    {body}
                </table>
            </div>
        </div>
    }
}

#[component]
fn SourceRows(layout: Layout, table: NodeRef<html::Table>) -> impl IntoView {
    let name = token_name();
    let from = layout.from.clone();
    let heads = from.iter().cloned().map(move |token| {
        view! { <th scope="col"><span class="token">{move || name(&token)}</span></th> }
    });
    let heads = heads.collect_view();
    let (rows, count) = (layout.rows.len(), from.len());
    let row = move |row: usize| {
        let site = layout.rows[row];
        let cells = from
            .iter()
            .cloned()
            .enumerate()
            .map(move |(position, token)| {
                view! { <SourceCell at=(row, position) site token size=(rows, count) table /> }
            });
        view! {
            <tr>
                <th scope="row"><RowHeading site /></th>
                {cells.collect_view()}
            </tr>
        }
    };
    view! {
        <thead><tr><td></td>{heads}</tr></thead>
        // The last layer on top, as on the map.
        <tbody>{(0..rows).rev().map(row).collect_view()}</tbody>
    }
}

#[component]
fn SourceCell(
    at: Taken,
    site: Site,
    token: Token,
    size: (usize, usize),
    table: NodeRef<html::Table>,
) -> impl IntoView {
    let i18n = use_i18n();
    let (dragging, name, row) = (Dragging::expect(), token_name(), row_words());
    let context = PatchingContext::expect();
    let is_taken = Memo::new(move |_| dragging.taken.get() == Some(at));
    // The chosen place's own row and position.
    let is_source = Memo::new(move |_| {
        let place = context.view.with(|view| view.place);
        context.layout.with(|layout| {
            let (Some(layout), Some(place)) = (layout, place) else {
                return false;
            };
            layout.rows.get(at.0) == Some(&place.site)
                && place.at.is_some_and(|[from, _]| from == at.1)
        })
    });
    let title = move || t_string!(i18n, patching.take, row = row(site), token = name(&token));
    let on_key = move |event: KeyboardEvent| move_focus(&event, at, size, table, "data-take");
    view! {
        <td>
            <button
                type="button"
                class="patching-source"
                class:is-source=is_source
                data-testid="patching-take"
                data-take=format!("{}-{}", at.0, at.1)
                tabindex=if at.1 == 0 && at.0 == 0 { "0" } else { "-1" }
                aria-pressed=move || is_taken.get().to_string()
                aria-label=title
                on:pointerdown=move |event: PointerEvent| {
                    if dragging.taken.get_untracked() == Some(at) {
                        dragging.let_go();
                    } else if event.button() == 0 {
                        release(&event);
                        dragging.is_held.set(true);
                        dragging.taken.set(Some(at));
                    }
                }
                on:click=move |event| {
                    // A click by a key has no pointer behind it: it picks up, or puts back.
                    if event.detail() == 0 {
                        dragging.taken.update(|taken| {
                            *taken = (*taken != Some(at)).then_some(at);
                        });
                    }
                }
                on:keydown=on_key
            >
                <span class="patching-dot" aria-hidden="true"></span>
            </button>
        </td>
    }
}

/// A pointer that touches is captured by the element where it began; what it is over is to be found.
fn release(event: &PointerEvent) {
    let element = event
        .target()
        .and_then(|target| target.dyn_into::<Element>().ok());
    if let Some(element) = element {
        // Refused where nothing was captured, which is what is wanted.
        let _ = element.release_pointer_capture(event.pointer_id());
    }
}

/// The map: how much each cell of the run that takes over brings back.
#[component]
pub fn Cells() -> impl IntoView {
    let context = PatchingContext::expect();
    let table = NodeRef::<html::Table>::new();
    let layout = context.layout;
    let body = move || {
        layout
            .get()
            .map(|layout| view! { <MapRows layout table /> })
    };
    view! { <table class="patching-cells" node_ref=table>{body}</table> }
}

#[component]
fn MapRows(layout: Layout, table: NodeRef<html::Table>) -> impl IntoView {
    let size = (layout.rows.len(), layout.columns.len());
    let heads = layout
        .columns
        .iter()
        .cloned()
        .map(|column| view! { <ColumnHeading column /> });
    let row = {
        let layout = layout.clone();
        move |row: usize| {
            let layout = layout.clone();
            let cells = layout.columns.iter().enumerate().map(|(column, _)| {
                let place = layout.place(row, column);
                view! { <MapCell at=(row, column) place size table /> }
            });
            view! {
                <tr>
                    <th scope="row"><RowHeading site=layout.rows[row] /></th>
                    {cells.collect_view()}
                </tr>
            }
        }
    };
    view! {
        <thead><tr><td></td>{heads.collect_view()}</tr></thead>
        <tbody>{(0..size.0).rev().map(row).collect_view()}</tbody>
    }
}

#[component]
fn ColumnHeading(column: Column) -> impl IntoView {
    let i18n = use_i18n();
    let name = token_name();
    match column {
        Column::Head(head) => view! {
            <th scope="col">{move || t_string!(i18n, patching.head, head = head + 1)}</th>
        }
        .into_any(),
        Column::Position { to, is_same, .. } => {
            let words = move || {
                to.as_ref()
                    .map_or_else(|| "—".to_owned(), |(_, token)| name(token))
            };
            view! {
                <th scope="col" class:differs=!is_same><span class="token">{words}</span></th>
            }
            .into_any()
        }
    }
}

/// What a row is called.
#[component]
pub fn RowHeading(site: Site) -> impl IntoView {
    let name = row_words();
    move || name(site)
}

/// What rows are called in the page's language.
pub fn row_words() -> impl Fn(Site) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let kind = kind_name();
    move |site| match row_name(site) {
        RowName::Embedding => t_string!(i18n, lens.embedding).to_owned(),
        RowName::After(layer) => t_string!(i18n, lens.after_layer, layer = layer),
        RowName::FeedForward(layer) => t_string!(i18n, lens.feed_forward, layer = layer),
        RowName::Attention(attention) => t_string!(
            i18n,
            patching.attention_row,
            layer = attention.layer + 1,
            kind = kind(attention.kind)
        ),
    }
}

#[component]
fn MapCell(
    at: (usize, usize),
    place: Option<PatchedPlace>,
    size: (usize, usize),
    table: NodeRef<html::Table>,
) -> impl IntoView {
    let i18n = use_i18n();
    let context = PatchingContext::expect();
    let (appearance, dragging) = (Appearance::expect(), Dragging::expect());
    let back = Memo::new(move |_| context.map.with(|map| share(&map.cells, map.ends, at)));
    let chosen = Memo::new(move |_| {
        let place = context.view.with(|view| view.place)?;
        context
            .layout
            .with(|layout| Some((layout.as_ref()?.cell(place), place)))
    });
    let is_chosen = Memo::new(move |_| chosen.get().is_some_and(|(cell, _)| cell == Some(at)));
    let is_reached = Memo::new(move |_| {
        context.layout.with(|layout| {
            let layout = layout.as_ref()?;
            let (_, place) = chosen.get()?;
            Some(layout.is_reached(place, at))
        }) == Some(true)
    });
    // Where what is picked up can be put.
    let takes = Memo::new(move |_| {
        let taken = dragging.taken.get()?;
        context
            .layout
            .with(|layout| layout.as_ref()?.dropped(taken, at))
    });
    let is_over = Memo::new(move |_| dragging.over.get() == Some(at) && takes.get().is_some());
    let first = Memo::new(move |_| match chosen.get() {
        Some((Some(cell), _)) => cell,
        _ => (size.0.saturating_sub(1), 0),
    });
    let style = move || {
        let background = back.get().map(|share| diverging(share, appearance.get()));
        background.map(|color| format!("background: {}; color: {}", css(color), css(ink_on(color))))
    };
    let shown = move || match (back.get(), place) {
        (Some(share), _) => whole(share),
        (None, Some(_)) => "·".to_owned(),
        (None, None) => "—".to_owned(),
    };
    let row = row_words();
    let title = move || {
        let site = context
            .layout
            .with(|layout| layout.as_ref()?.rows.get(at.0).copied());
        let row = site.map(row).unwrap_or_default();
        let column = column_words(context, at.1, i18n);
        match (back.get(), place) {
            (Some(share), _) => {
                t_string!(
                    i18n,
                    patching.cell,
                    row = row,
                    column = column,
                    share = in_percent(share)
                )
            }
            (None, Some(_)) => t_string!(i18n, patching.cell_unknown, row = row, column = column),
            (None, None) => t_string!(i18n, patching.cell_alone, row = row),
        }
    };
    let on_key = move |event: KeyboardEvent| move_focus(&event, at, size, table, "data-patch");
    view! {
        <td>
            <button
                type="button"
                class="patching-cell"
                class:no-partner=place.is_none()
                class:is-reached=is_reached
                class:takes=move || takes.get().is_some()
                class:is-over=is_over
                data-testid="patching-cell"
                data-patch=format!("{}-{}", at.0, at.1)
                style=style
                tabindex=move || if first.get() == at { "0" } else { "-1" }
                aria-pressed=move || is_chosen.get().to_string()
                aria-label=title
                on:click=move |_| dragging.put(context, at)
                on:keydown=on_key
            >
                {shown}
            </button>
        </td>
    }
}

/// A share in whole per cent, without its sign: the caption says what it is. What is not nothing is not called nothing.
fn whole(share: f32) -> String {
    match (share * 100.0).round() {
        0.0 if share != 0.0 => "≈ 0".to_owned(),
        rounded => decimal(rounded + 0.0, 0),
    }
}

/// A share in per cent.
pub fn in_percent(share: f32) -> String {
    format!("{} %", decimal(100.0 * share, 1))
}

fn column_words(
    context: PatchingContext,
    column: usize,
    i18n: leptos_i18n::I18nContext<attention_core::i18n::Locale>,
) -> String {
    context.layout.with(|layout| {
        match layout
            .as_ref()
            .and_then(|layout| layout.columns.get(column))
        {
            Some(Column::Head(head)) => t_string!(i18n, patching.head, head = head + 1),
            Some(Column::Position {
                to: Some((_, token)),
                ..
            }) => {
                format!("“{}”", attention_core::names::name_of(i18n, token))
            }
            _ => "—".to_owned(),
        }
    })
}

/// Takes the focus to the cell that a key leads to, in a table of so many rows and columns; the last row is on top.
fn move_focus(
    event: &KeyboardEvent,
    from: (usize, usize),
    size: (usize, usize),
    table: NodeRef<html::Table>,
    attribute: &str,
) {
    let Some((row, column)) = moved(from, &event.key(), size) else {
        return;
    };
    event.prevent_default();
    event.stop_propagation();
    let selector = format!("[{attribute}='{row}-{column}']");
    let cell = table
        .get_untracked()
        .and_then(|table| table.query_selector(&selector).ok()?);
    if let Some(cell) = cell.and_then(|cell| cell.dyn_into::<HtmlElement>().ok()) {
        // Fails only where the element cannot be focused, which changes nothing.
        let _ = cell.focus();
    }
}

fn moved(
    (row, column): (usize, usize),
    key: &str,
    (rows, columns): (usize, usize),
) -> Option<(usize, usize)> {
    let (last_row, last) = (rows.saturating_sub(1), columns.saturating_sub(1));
    Some(match key {
        "ArrowUp" => ((row + 1).min(last_row), column),
        "ArrowDown" => (row.saturating_sub(1), column),
        "ArrowLeft" => (row, column.saturating_sub(1)),
        "ArrowRight" => (row, (column + 1).min(last)),
        "Home" => (row, 0),
        "End" => (row, last),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_go_through_the_cells_and_stop_at_the_edges() {
        let to = |from, key| moved(from, key, (4, 6));
        assert_eq!(to((1, 2), "ArrowUp"), Some((2, 2)));
        assert_eq!(to((3, 2), "ArrowUp"), Some((3, 2)));
        assert_eq!(to((0, 0), "ArrowDown"), Some((0, 0)));
        assert_eq!(to((0, 5), "ArrowRight"), Some((0, 5)));
        assert_eq!(to((0, 3), "End"), Some((0, 5)));
        assert_eq!(to((0, 3), "a"), None);
    }

    #[test]
    fn what_is_not_nothing_is_not_written_as_nothing() {
        assert_eq!(whole(0.0), "0");
        assert_eq!(whole(0.994), "99");
        assert_eq!(whole(-0.001), "≈ 0");
        assert_eq!(whole(-0.25), "−25");
    }
}
