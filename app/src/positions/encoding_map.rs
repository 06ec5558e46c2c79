//! The sinusoidal encoding as a map, positions down and dimensions across.

use attention_figures::{
    color::{css_gradient, diverging_legend_stops},
    heatmap,
};
use leptos::{
    ev::{KeyboardEvent, MouseEvent},
    prelude::*,
};
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::encoding::{Encoding, drawn_dimensions};
use crate::{
    appearance::Appearance,
    heads::{MapCanvas, Pixels},
    i18n::{t, t_string, use_i18n},
    numbers::decimal,
};

/// A position and a dimension.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Place {
    position: usize,
    dimension: usize,
}

impl Place {
    /// The place under a point given as fractions of the map's width and height.
    fn under(encoding: Encoding, x: f64, y: f64) -> Self {
        let index = |fraction: f64, count: usize| {
            ((fraction * count as f64).max(0.0) as usize).min(count.saturating_sub(1))
        };
        Place {
            position: index(y, encoding.length),
            dimension: index(x, encoding.width),
        }
    }

    fn moved(self, encoding: Encoding, positions: isize, dimensions: isize) -> Self {
        let held = |index: usize, by: isize, count: usize| {
            index.saturating_add_signed(by).min(count.saturating_sub(1))
        };
        Place {
            position: held(self.position, positions, encoding.length),
            dimension: held(self.dimension, dimensions, encoding.width),
        }
    }
}

/// The map.
#[component]
pub fn EncodingMap(encoding: Memo<Encoding>) -> impl IntoView {
    let i18n = use_i18n();
    let table = Memo::new(move |_| encoding.get().table());
    let place = RwSignal::new(None::<Place>);
    let words = move || {
        let (place, encoding) = (place.get()?, encoding.get());
        let value = table.with(|table| {
            table
                .get(place.position * encoding.width + place.dimension)
                .copied()
        })?;
        Some(t_string!(
            i18n,
            positions.map_reading,
            position = place.position,
            dimension = encoding.name(place.dimension),
            value = decimal(value, 3)
        ))
    };
    let hint = move || t_string!(i18n, positions.map_hint).to_owned();
    view! {
        <figure class="plot-figure" data-testid="encoding-map">
            <figcaption>
                <h3 class="panel-title">{t!(i18n, positions.map)}</h3>
                <p class="hint">{t!(i18n, positions.map_text)}</p>
            </figcaption>
            <DivergingLegend />
            <Field encoding table place words=Signal::derive(move || words().unwrap_or_else(hint)) />
            <p class="plot-readout number" data-testid="encoding-map-readout" role="status">
                {move || words().unwrap_or_else(hint)}
            </p>
        </figure>
    }
}

#[component]
fn DivergingLegend() -> impl IntoView {
    let appearance = Appearance::expect();
    let gradient = move || {
        let stops = diverging_legend_stops(17, appearance.get());
        format!("background: {}", css_gradient(&stops))
    };
    view! {
        <div class="legend">
            <span class="legend-end">"−1"</span>
            <span class="legend-scale" style=gradient></span>
            <span class="legend-end">"1"</span>
        </div>
    }
}

#[component]
fn Field(
    encoding: Memo<Encoding>,
    table: Memo<Vec<f32>>,
    place: RwSignal<Option<Place>>,
    words: Signal<String>,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let pixels = Signal::derive(move || {
        let Encoding { length, width, .. } = encoding.get();
        let theme = appearance.get();
        table.with(|table| {
            // Table and size may change one after the other.
            (table.len() == length * width).then(|| Pixels {
                rgba: heatmap::diverging_rgba(table, length, width, 1.0, theme),
                rows: length,
                columns: width,
            })
        })
    });
    let share = move |index: usize, count: usize| 100.0 * (index as f64 + 0.5) / count as f64;
    view! {
        <div class="encoding-map">
            <span class="encoding-rows" aria-hidden="true">
                <span>"0"</span>
                <span class="encoding-axis">{t!(i18n, positions.position)}</span>
                <span>{move || encoding.get().length - 1}</span>
            </span>
            <div
                class="encoding-field"
                role="application"
                tabindex="0"
                aria-label=move || {
                    format!("{}. {}", t_string!(i18n, positions.map_label), words.get())
                }
                on:pointermove=move |event| {
                    place.set(place_under(encoding.get_untracked(), &event));
                }
                on:pointerdown=move |event| {
                    place.set(place_under(encoding.get_untracked(), &event));
                }
                on:pointerleave=move |event| {
                    // A finger that was lifted leaves its reading.
                    if event.pointer_type() == "mouse" {
                        place.set(None);
                    }
                }
                on:keydown=move |event| on_key(&event, encoding.get_untracked(), place)
            >
                <MapCanvas pixels />
                <DrawnMarks encoding />
                {move || place.get().map(|place| {
                    let Encoding { length, width, .. } = encoding.get();
                    let (x, y) = (share(place.dimension, width), share(place.position, length));
                    view! {
                        <div class="encoding-row" style=format!("top: {y:.3}%")></div>
                        <div class="encoding-column" style=format!("left: {x:.3}%")></div>
                    }
                })}
            </div>
            <span class="encoding-columns" aria-hidden="true">
                <span>"0"</span>
                <span class="encoding-axis">{t!(i18n, positions.dimension)}</span>
                <span>{move || encoding.get().width - 1}</span>
            </span>
        </div>
    }
}

/// Where the dimensions lie whose curves are drawn.
#[component]
fn DrawnMarks(encoding: Memo<Encoding>) -> impl IntoView {
    let dimensions = drawn_dimensions(encoding);
    move || {
        let width = encoding.get().width as f64;
        let mark = |&dimension: &usize| {
            let left = 100.0 * (dimension as f64 + 0.5) / width;
            view! { <div class="encoding-drawn" style=format!("left: {left:.3}%")></div> }
        };
        dimensions.with(|dimensions| dimensions.iter().map(mark).collect_view())
    }
}

fn place_under(encoding: Encoding, event: &MouseEvent) -> Option<Place> {
    let field: HtmlElement = event.current_target()?.dyn_into().ok()?;
    let bounds = field.get_bounding_client_rect();
    let x = (f64::from(event.client_x()) - bounds.left()) / bounds.width();
    let y = (f64::from(event.client_y()) - bounds.top()) / bounds.height();
    Some(Place::under(encoding, x, y))
}

fn on_key(event: &KeyboardEvent, encoding: Encoding, place: RwSignal<Option<Place>>) {
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
    place.set(Some(from.moved(encoding, positions, dimensions)));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::Order;

    proptest! {
        #[test]
        fn a_place_is_always_on_the_map(
            length in 1usize..300, half_width in 1usize..300,
            x in -0.5f64..1.5, y in -0.5f64..1.5, rows in -9isize..9, columns in -9isize..9,
        ) {
            let encoding = Encoding { length, width: 2 * half_width, order: Order::Model };
            let place = Place::under(encoding, x, y).moved(encoding, rows, columns);
            prop_assert!(place.position < length && place.dimension < 2 * half_width);
        }
    }
}
