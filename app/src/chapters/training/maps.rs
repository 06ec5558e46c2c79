//! The attention maps of a checkpoint, small ones of every head and a large one of the chosen head, or the gradients of
//! the loss with respect to them.

use std::sync::Arc;

use attention_figures::{heatmap, matrix::Scale};
use attention_trace::{AttentionKind, AttentionLayer, Token, training::Observation};
use leptos::prelude::*;

use super::Shown;
use crate::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    names::{head_name, token_name},
    state,
    training::Shot,
    widgets::{
        MapCanvas, Pixels, Segmented,
        matrix::{Matrix, MatrixFigure, weights_described},
        numbers::significant,
    },
};

/// A head's map in a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    layer: AttentionLayer,
    head: usize,
}

/// The places of all maps, in the order of computation.
fn places(observation: &Observation) -> Vec<Place> {
    let layers = observation.attention.iter();
    let heads = layers.flat_map(|record| {
        let heads = record.weights.shape.first().copied().unwrap_or(0);
        let layer = record.layer;
        (0..heads).map(move |head| Place { layer, head })
    });
    heads.collect()
}

/// One map, row by row, and its columns. Of gradients, those that the mask hides from training are no numbers.
fn map(observation: &Observation, place: Place, maps: state::Maps) -> Option<(Vec<f32>, usize)> {
    let mut records = observation.attention.iter();
    let record = records.find(|record| record.layer == place.layer)?;
    let columns = *record.weights.shape.last()?;
    let values = match maps {
        state::Maps::Weights => record.weights.matrix(place.head)?.to_vec(),
        state::Maps::Gradients => {
            let is_causal = place.layer.kind == AttentionKind::DecoderSelf;
            let is_masked = |cell: usize| is_causal && cell % columns > cell / columns;
            let gradient = record.gradient.matrix(place.head)?.iter().enumerate();
            let seen = gradient.map(|(cell, &value)| match is_masked(cell) {
                true => f32::NAN,
                false => value,
            });
            seen.collect()
        }
    };
    Some((values, columns))
}

/// The largest magnitude among all gradients that training sees: the end of the colour scale of their maps.
fn limit(observation: &Observation) -> f32 {
    let maps = places(observation).into_iter();
    let maps = maps.filter_map(|place| map(observation, place, state::Maps::Gradients));
    let values = maps.flat_map(|(values, _)| values);
    let largest = values
        .filter(|value| value.is_finite())
        .fold(0.0f32, |largest, value| largest.max(value.abs()));
    if largest > 0.0 { largest } else { 1.0 }
}

/// The tokens of the rows and of the columns of a layer's maps.
fn axes(observation: &Observation, kind: AttentionKind) -> [&[Token]; 2] {
    let (source, target) = (&observation.source[..], &observation.target[..]);
    match kind {
        AttentionKind::EncoderSelf => [source, source],
        AttentionKind::DecoderSelf => [target, target],
        AttentionKind::Cross => [target, source],
    }
}

/// Weights or gradients; every head; the chosen head.
#[component]
pub fn Maps(shot: Memo<Option<Shot>>, id: &'static str) -> impl IntoView {
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
                state::Maps::Weights => t_string!(i18n, training.scale_of_weights).to_owned(),
                state::Maps::Gradients => {
                    t_string!(i18n, training.scale_of_gradients, limit = limit)
                }
            })
        })
    };
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, training.maps).to_owned())
            options=Signal::derive(move || vec![
                (state::Maps::Weights, t_string!(i18n, training.attention_weights).to_owned()),
                (state::Maps::Gradients, t_string!(i18n, training.gradients).to_owned()),
            ])
            value=maps
            choose=move |maps| shown.update(|training| training.maps = maps)
        />
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
                state::Maps::Weights => {
                    heatmap::rgba(&values, rows, columns, heatmap::Scale::Absolute, theme)
                }
                state::Maps::Gradients => {
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
            Some(t_string!(
                i18n,
                training.gradient_of,
                query = matrix.row_labels.get(row)?.clone(),
                key = matrix.column_labels.get(column)?.clone(),
                gradient = significant(matrix.value(row, column)?)
            ))
        });
        words
            .map(|words| view! { <p class="number">{words}</p> })
            .into_any()
    });
    move || {
        match maps.get() {
        state::Maps::Weights => view! {
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
        state::Maps::Gradients => view! {
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

#[cfg(test)]
mod tests {
    use attention_trace::{Array, training::AttentionRecord};

    use super::*;

    fn observation() -> Observation {
        let array = |data: &[f32]| Array {
            shape: vec![1, 2, 2],
            data: data.to_vec(),
        };
        Observation {
            source: vec![],
            target: vec![],
            predictions: vec![],
            loss: 0.0,
            attention: vec![AttentionRecord {
                layer: AttentionLayer {
                    kind: AttentionKind::DecoderSelf,
                    layer: 0,
                },
                weights: array(&[1.0, 0.0, 0.25, 0.75]),
                gradient: array(&[-0.5, 9.0, 0.25, 0.125]),
            }],
        }
    }

    #[test]
    fn gradients_that_the_mask_hides_are_not_shown() {
        let observation = observation();
        let [place] = places(&observation)[..] else {
            panic!("one head")
        };
        let (weights, columns) = map(&observation, place, state::Maps::Weights).unwrap();
        assert_eq!((&weights[..], columns), (&[1.0, 0.0, 0.25, 0.75][..], 2));
        let (gradients, _) = map(&observation, place, state::Maps::Gradients).unwrap();
        assert!(gradients[1].is_nan());
        assert_eq!(
            [gradients[0], gradients[2], gradients[3]],
            [-0.5, 0.25, 0.125]
        );
        assert_eq!(limit(&observation), 0.5);
    }
}
