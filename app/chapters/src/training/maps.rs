//! The attention maps of a checkpoint, small ones of every head and a large one of the chosen head, or the gradients of
//! the loss with respect to them.

use std::sync::Arc;

use attention_figures::{heatmap, matrix::Scale};
use attention_trace::Token;
use leptos::prelude::*;

use super::{
    Shown,
    map::{Place, axes, limit, map, places},
    parameters::Maps,
};
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    names::{head_name, token_name},
    training::Shot,
    widgets::{
        MapCanvas, Pixels, Segmented,
        inspector::Inspector,
        matrix::{Matrix, MatrixFigure, weights_described},
        numbers::significant,
    },
};

/// Weights or gradients, in all columns.
#[component]
pub fn MapsChoice() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let inspector = Inspector::expect();
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, training.maps).to_owned())
            options=Signal::derive(move || vec![
                (Maps::Weights, t_string!(i18n, training.attention_weights).to_owned()),
                (Maps::Gradients, t_string!(i18n, training.gradients).to_owned()),
            ])
            value=shown.view(|training| training.maps)
            choose=move |maps| {
                // What a cell says is said of weights or of gradients.
                inspector.clear();
                shown.update(|training| training.maps = maps);
            }
        />
    }
}

/// Every head and the chosen head, or a notice that the model has no attention.
#[component]
pub fn Maps(shot: Memo<Option<Shot>>, id: &'static str) -> impl IntoView {
    let i18n = use_i18n();
    let has_none = Memo::new(move |_| {
        shot.with(|shot| {
            let shot = shot.as_ref();
            shot.is_some_and(|shot| shot.0.observation.attention.is_empty())
        })
    });
    view! {
        <Show
            when=move || has_none.get()
            fallback=move || view! { <Heads shot id /> }
        >
            <p class="hint" data-testid="training-no-maps">{t!(i18n, training.no_maps)}</p>
        </Show>
    }
}

#[component]
fn Heads(shot: Memo<Option<Shot>>, id: &'static str) -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let maps = shown.view(|training| training.maps);
    let chosen = shown.view(|training| training.map);
    let all = Memo::new(move |_| {
        let places = shot.with(|shot| Some(places(&shot.as_ref()?.0.observation)));
        places.unwrap_or_default()
    });
    let place = Memo::new(move |_| {
        all.with(|all| {
            all.get(chosen.get().min(all.len().saturating_sub(1)))
                .copied()
        })
    });
    let scale = move || {
        shot.with(|shot| {
            let limit = significant(limit(&shot.as_ref()?.0.observation));
            Some(match maps.get() {
                Maps::Weights => t_string!(i18n, training.scale_of_weights).to_owned(),
                Maps::Gradients => {
                    t_string!(i18n, training.scale_of_gradients, limit = limit)
                }
            })
        })
    };
    view! {
        <p class="hint">{scale}</p>
        <div
            class="training-maps"
            role="group"
            aria-label=move || t_string!(i18n, training.all_heads)
        >
            <For
                each=move || all.get().into_iter().enumerate()
                key=|tile| *tile
                let(tile)
            >
                <Tile shot place=tile.1 index=tile.0 is_chosen=Signal::derive(move || place.get() == Some(tile.1)) />
            </For>
        </div>
        <Large shot place id />
    }
}

/// A small map; a click draws it large.
#[component]
fn Tile(
    shot: Memo<Option<Shot>>,
    place: Place,
    index: usize,
    is_chosen: Signal<bool>,
) -> impl IntoView {
    let shown = Shown::expect();
    let appearance = Appearance::expect();
    let name = head_name();
    let maps = shown.view(|training| training.maps);
    let pixels = Signal::derive(move || {
        let (theme, maps) = (appearance.get(), maps.get());
        shot.with(|shot| {
            let observation = &shot.as_ref()?.0.observation;
            let (values, columns) = map(observation, place, maps)?;
            let rows = values.len() / columns.max(1);
            let rgba = match maps {
                Maps::Weights => {
                    heatmap::rgba(&values, rows, columns, heatmap::Scale::Absolute, theme)
                }
                Maps::Gradients => {
                    heatmap::diverging_rgba(&values, rows, columns, limit(observation), theme)
                }
            };
            Some(Pixels {
                rgba,
                rows,
                columns,
            })
        })
    });
    let title = move || name(place.layer, place.head);
    view! {
        <button
            type="button"
            class="training-tile"
            data-testid="training-map"
            aria-label=title
            title=title
            aria-pressed=move || is_chosen.get().to_string()
            on:click=move |_| shown.update(|training| training.map = index)
        >
            <MapCanvas pixels />
        </button>
    }
}

/// The chosen head's map with its tokens.
#[component]
fn Large(shot: Memo<Option<Shot>>, place: Memo<Option<Place>>, id: &'static str) -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let (token, head) = (token_name(), head_name());
    let maps = shown.view(|training| training.maps);
    let matrix = Memo::new(move |_| {
        let (place, maps) = (place.get()?, maps.get());
        shot.with(|shot| {
            let observation = &shot.as_ref()?.0.observation;
            let (values, columns) = map(observation, place, maps)?;
            let [rows, keys] = axes(observation, place.layer.kind);
            let names = |tokens: &[Token]| tokens.iter().map(token).collect::<Arc<[String]>>();
            Some(
                Matrix::new(values, columns)
                    .with_rows(names(rows))
                    .with_columns(names(keys)),
            )
        })
    });
    let name = Signal::derive(move || {
        let name = place.get().map(|place| head(place.layer, place.head));
        name.unwrap_or_default()
    });
    let gradient_described = Callback::new(move |(row, column): (usize, usize)| {
        let words = matrix.with(|matrix| {
            let matrix = matrix.as_ref()?;
            let query = matrix.row_labels.get(row)?.clone();
            let key = matrix.column_labels.get(column)?.clone();
            let gradient = matrix.value(row, column)?;
            Some(match gradient.is_nan() {
                true => t_string!(i18n, training.masked_pair, query = query, key = key),
                false => t_string!(
                    i18n,
                    training.gradient_of,
                    query = query,
                    key = key,
                    gradient = significant(gradient)
                ),
            })
        });
        words
            .map(|words| view! { <p class="number">{words}</p> })
            .into_any()
    });
    move || {
        match maps.get() {
        Maps::Weights => view! {
            <MatrixFigure
                id
                symbol="<math><mi>A</mi></math>"
                name
                matrix
                scale=Scale::Weights
                rows_shown=64
                describe=weights_described(matrix)
            />
        }
        .into_any(),
        Maps::Gradients => view! {
            <MatrixFigure
                id
                symbol="<math><mfrac><mrow><mo>∂</mo><mi>L</mi></mrow><mrow><mo>∂</mo><mi>A</mi></mrow></mfrac></math>"
                name
                matrix
                scale=Scale::Signed
                rows_shown=64
                describe=gradient_described
            />
        }
        .into_any(),
    }
    }
}
