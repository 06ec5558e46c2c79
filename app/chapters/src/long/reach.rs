//! The tokens whose vectors can reach the last one, layer by layer.

use attention_core::{
    i18n::{t_string, use_i18n},
    selection::{SelfAttention, SelfPlace},
    state::ViewState,
    widgets::{
        inspector::Inspected,
        matrix::{Matrix, MatrixFigure},
    },
};
use attention_figures::matrix::Scale;
use attention_trace::Window;
use leptos::prelude::*;

use super::parameters::LongTexts;

/// Returns, for no layer, one, two and so on, which of the tokens reach the last: 1 or 0, `[layers + 1, tokens]`.
fn reached(window: Window, layers: usize, tokens: usize) -> Vec<f32> {
    let row = |layers| window.reaches_last(layers, tokens);
    (0..=layers)
        .flat_map(row)
        .map(|is_reached| f32::from(u8::from(is_reached)))
        .collect()
}

/// The map of the text on screen, for as many layers as the model has, and the formula with its numbers.
#[component]
pub fn ReachFigure() -> impl IntoView {
    let i18n = use_i18n();
    let context = SelfAttention::expect();
    let window = ViewState::expect().select(|view| view.chapters.of::<LongTexts>().alone());
    let layers = Memo::new(move |_| {
        context.with(|place: &SelfPlace| place.meta.spec.layers(place.head.attention.kind))
    });
    let rows = Memo::new(move |_| {
        let tokens = context.names().len();
        Some((reached(window.get(), layers.get()?, tokens), tokens))
    });
    let row_name = move |layers: usize| match layers {
        0 => t_string!(i18n, long.no_layer).to_owned(),
        layer => t_string!(i18n, long.after_layer, layer = layer).to_string(),
    };
    let matrix = Memo::new(move |_| {
        let (values, tokens) = rows.get()?;
        let layers = layers.get()?;
        Some(
            Matrix::new(values, tokens)
                .with_rows((0..=layers).map(row_name).collect::<Vec<_>>())
                .with_columns(context.names()),
        )
    });
    let words = move || {
        let (keys, layers) = (window.get().keys, layers.get()?);
        // Also of a text whose end the map leaves out.
        let tokens = context.with(|place: &SelfPlace| {
            let kind = place.head.attention.kind;
            place.meta.axes(kind).0.len()
        })?;
        let reach = layers * (keys - 1) + 1;
        Some(t_string!(
            i18n,
            long.reach_found,
            layers = layers,
            keys = keys,
            reach = reach,
            tokens = tokens
        ))
    };
    let describe = Callback::new(move |(row, column): (usize, usize)| {
        let words = move || {
            let (values, tokens) = rows.get()?;
            let is_reached = *values.get(row * tokens + column)? > 0.0;
            let token = context.names().get(column)?.clone();
            let layers = row_name(row);
            Some(match is_reached {
                true => t_string!(i18n, long.reaches, layers = layers, token = token).to_string(),
                false => {
                    t_string!(i18n, long.reaches_not, layers = layers, token = token).to_string()
                }
            })
        };
        view! { <p>{words}</p> }.into_any()
    });
    view! {
        <section class="lesson-figure">
            <Inspected>
                <MatrixFigure
                    id="window-reach"
                    symbol=""
                    name=Signal::derive(move || t_string!(i18n, long.reach).to_owned())
                    matrix
                    scale=Scale::Weights
                    rows_shown=64
                    describe
                />
            </Inspected>
            <p class="lesson-reading number" role="status" data-testid="reach-found">{words}</p>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layer_adds_a_window_less_one() {
        let window = Window { keys: 2, first: 0 };
        assert_eq!(
            reached(window, 2, 4),
            [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0]
        );
    }
}
