//! A table of position vectors as a map, positions down and dimensions across.

use std::sync::Arc;

use attention_figures::{
    color::{css_gradient, diverging_legend_stops},
    export::{Cells, Content, Map, Scale},
    heatmap,
};
use leptos::{
    ev::{KeyboardEvent, MouseEvent},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::{FigureButton, KeyHint, MapCanvas, Pixels, Taken, map_side, numbers::decimal};
use crate::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
};

/// A vector for each position.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The values, `[length, width]`, row-major.
    pub values: Arc<[f32]>,
    /// The number of dimensions.
    pub width: usize,
    /// The magnitude that has the full colour.
    pub limit: f32,
}

impl Table {
    /// Returns the number of positions.
    pub fn length(&self) -> usize {
        self.values.len() / self.width.max(1)
    }

    /// Describes the table for export; positions and dimensions count from 0, as on the page.
    fn taken(&self, title: String, [position, dimension]: [&str; 2], masked: &str) -> Taken {
        let numbers = |count: usize| (0..count).map(|n| n.to_string()).collect::<Vec<_>>();
        let (length, width) = (self.length(), self.width);
        let content = Content::Map(Map {
            values: self.values.to_vec(),
            words: Vec::new(),
            rows: map_side(position, &numbers(length), &(0..length)),
            columns: map_side(dimension, &numbers(width), &(0..width)),
            value: String::new(),
            masked: masked.to_owned(),
            scale: Scale::Diverging { limit: self.limit },
            cells: Cells::Colors,
        });
        Taken::new(title, content)
    }

    fn value(&self, place: Place) -> Option<f32> {
        let index = place.position * self.width + place.dimension;
        self.values.get(index).copied()
    }
}

/// A position and a dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    position: usize,
    dimension: usize,
}

impl Place {
    /// The place under a point given as fractions of the map's width and height.
    fn under(table: &Table, x: f64, y: f64) -> Self {
        let index = |fraction: f64, count: usize| {
            ((fraction * count as f64).max(0.0) as usize).min(count.saturating_sub(1))
        };
        Place {
            position: index(y, table.length()),
            dimension: index(x, table.width),
        }
    }

    fn moved(self, table: &Table, positions: isize, dimensions: isize) -> Self {
        let held = |index: usize, by: isize, count: usize| {
            index.saturating_add_signed(by).min(count.saturating_sub(1))
        };
        Place {
            position: held(self.position, positions, table.length()),
            dimension: held(self.dimension, dimensions, table.width),
        }
    }
}

/// Shows a table as a map with a readout.
#[component]
pub fn TableMap(
    #[prop(into)] title: Signal<String>,
    /// The explanation of the map.
    #[prop(into)]
    text: Signal<String>,
    /// The `data-testid` of the element.
    test_id: &'static str,
    /// The table to show; an empty frame until it is available.
    #[prop(into)]
    table: Signal<Option<Table>>,
    /// A dimension's name in the readout.
    #[prop(into)]
    name: Callback<usize, String>,
    /// Dimensions that stand out.
    #[prop(into, optional)]
    marked: Signal<Vec<usize>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let table = Memo::new(move |_| table.get());
    let place = RwSignal::new(None::<Place>);
    let words = move || {
        let place = place.get()?;
        let value = table.with(|table| table.as_ref()?.value(place))?;
        Some(t_string!(
            i18n,
            positions.map_reading,
            position = place.position,
            dimension = name.run(place.dimension),
            value = decimal(value, 3)
        ))
    };
    let hint = move || t_string!(i18n, positions.map_hint).to_owned();
    let words = Signal::derive(move || words().unwrap_or_else(hint));
    let is_read = move || place.get().is_some();
    let limit = move || table.with(|table| table.as_ref().map_or(1.0, |table| table.limit));
    let take = move || {
        let sides = [
            t_string!(i18n, positions.position),
            t_string!(i18n, positions.dimension),
        ];
        let masked = t_string!(i18n, export.masked);
        table.with(|table| Some(table.as_ref()?.taken(title.get(), sides, masked)))
    };
    view! {
        <figure class="plot-figure" data-testid=test_id>
            <figcaption>
                <div class="figure-name">
                    <h3 class="panel-title">{title}</h3>
                    <FigureButton name=title take />
                </div>
                <p class="hint">{text}</p>
            </figcaption>
            <DivergingLegend limit=Signal::derive(limit) />
            <Field table place words marked />
            <p class="plot-readout number" data-testid=format!("{test_id}-readout") role="status">
                {words}
                <Show when=move || !is_read()>
                    <KeyHint>{t!(i18n, positions.reading_keys)}</KeyHint>
                </Show>
            </p>
        </figure>
    }
}

/// The diverging colour scale with the values at its ends.
#[component]
pub fn DivergingLegend(
    /// The magnitude that has the full colour.
    limit: Signal<f32>,
) -> impl IntoView {
    let appearance = Appearance::expect();
    let gradient = move || {
        let stops = diverging_legend_stops(17, appearance.get());
        format!("background: {}", css_gradient(&stops))
    };
    view! {
        <div class="legend">
            <span class="legend-end">{move || signed_limit(-limit.get())}</span>
            <span class="legend-scale" style=gradient></span>
            <span class="legend-end">{move || signed_limit(limit.get())}</span>
        </div>
    }
}

/// The end of a scale, without decimals where it has none.
fn signed_limit(limit: f32) -> String {
    decimal(limit, if limit.fract() == 0.0 { 0 } else { 2 })
}

#[component]
fn Field(
    table: Memo<Option<Table>>,
    place: RwSignal<Option<Place>>,
    words: Signal<String>,
    marked: Signal<Vec<usize>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let pixels = Signal::derive(move || {
        let theme = appearance.get();
        table.with(|table| {
            let table = table.as_ref()?;
            let (rows, columns) = (table.length(), table.width);
            Some(Pixels {
                rgba: heatmap::diverging_rgba(&table.values, rows, columns, table.limit, theme),
                rows,
                columns,
            })
        })
    });
    let last = move |axis: fn(&Table) -> usize| {
        table.with(|table| table.as_ref().map(|table| axis(table).saturating_sub(1)))
    };
    let point = move |event: &MouseEvent| {
        place.set(table.with_untracked(|table| place_under(table.as_ref()?, event)));
    };
    view! {
        <div class="encoding-map">
            <span class="encoding-rows" aria-hidden="true">
                <span>"0"</span>
                <span class="encoding-axis">{t!(i18n, positions.position)}</span>
                <span>{move || last(Table::length)}</span>
            </span>
            <div
                class="encoding-field"
                role="application"
                tabindex="0"
                aria-label=move || {
                    format!("{}. {}", t_string!(i18n, positions.map_label), words.get())
                }
                on:pointermove=move |event| point(&event)
                on:pointerdown=move |event| point(&event)
                on:pointerleave=move |event| {
                    // A finger that was lifted leaves its reading.
                    if event.pointer_type() == "mouse" {
                        place.set(None);
                    }
                }
                on:keydown=move |event| {
                    table.with_untracked(|table| {
                        if let Some(table) = table {
                            on_key(&event, table, place);
                        }
                    });
                }
            >
                <MapCanvas pixels />
                <ColumnMarks table marked />
                <Crosshair table place />
            </div>
            <span class="encoding-columns" aria-hidden="true">
                <span>"0"</span>
                <span class="encoding-axis">{t!(i18n, positions.dimension)}</span>
                <span>{move || last(|table| table.width)}</span>
            </span>
        </div>
    }
}

/// The middle of one of `count` equal parts, in percent.
fn middle(index: usize, count: usize) -> f64 {
    100.0 * (index as f64 + 0.5) / count as f64
}

/// Marks the columns of the dimensions that stand out.
#[component]
fn ColumnMarks(table: Memo<Option<Table>>, marked: Signal<Vec<usize>>) -> impl IntoView {
    move || {
        let width = table.with(|table| Some(table.as_ref()?.width))?;
        let mark = |dimension: usize| {
            let left = middle(dimension, width);
            view! { <div class="encoding-drawn" style=format!("left: {left:.3}%")></div> }
        };
        Some(marked.get().into_iter().map(mark).collect_view())
    }
}

/// The row and the column of the selected place.
#[component]
fn Crosshair(table: Memo<Option<Table>>, place: RwSignal<Option<Place>>) -> impl IntoView {
    move || {
        let place = place.get()?;
        let (length, width) =
            table.with(|table| table.as_ref().map(|table| (table.length(), table.width)))?;
        let (x, y) = (
            middle(place.dimension, width),
            middle(place.position, length),
        );
        Some(view! {
            <div class="encoding-row" style=format!("top: {y:.3}%")></div>
            <div class="encoding-column" style=format!("left: {x:.3}%")></div>
        })
    }
}

fn place_under(table: &Table, event: &MouseEvent) -> Option<Place> {
    let field: HtmlElement = event.current_target()?.dyn_into().ok()?;
    let bounds = field.get_bounding_client_rect();
    let x = (f64::from(event.client_x()) - bounds.left()) / bounds.width();
    let y = (f64::from(event.client_y()) - bounds.top()) / bounds.height();
    Some(Place::under(table, x, y))
}

fn on_key(event: &KeyboardEvent, table: &Table, place: RwSignal<Option<Place>>) {
    let (positions, dimensions) = match event.key().as_str() {
        "ArrowUp" => (-1, 0),
        "ArrowDown" => (1, 0),
        "ArrowLeft" => (0, -1),
        "ArrowRight" => (0, 1),
        "Escape" => return place.set(None),
        _ => return,
    };
    event.prevent_default();
    let from = place.get_untracked().unwrap_or_default();
    place.set(Some(from.moved(table, positions, dimensions)));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_place_is_always_on_the_map(
            length in 1usize..60, width in 1usize..60,
            x in -0.5f64..1.5, y in -0.5f64..1.5, rows in -9isize..9, columns in -9isize..9,
        ) {
            let table = Table { values: vec![0.0; length * width].into(), width, limit: 1.0 };
            let place = Place::under(&table, x, y).moved(&table, rows, columns);
            prop_assert_eq!(table.value(place), Some(0.0));
            prop_assert!(place.dimension < width);
        }
    }
}
