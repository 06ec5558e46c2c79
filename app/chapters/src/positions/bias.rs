//! Biases that T5 and ALiBi add to scores, against distance.

use attention_figures::{
    Theme,
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::{
    Array, AttentionKind, AttentionLayer, Excerpt, Quantity, Slice,
    positions::{PositionalEncoding, alibi_bias},
};
use leptos::prelude::*;

use super::needs_model::{NeedsModel, is_on_screen};
use attention_core::{
    appearance::Appearance,
    engine::Live,
    i18n::{t_string, use_i18n},
    state::{Model, Task},
    widgets::{Plot, PlotFigure},
};

/// The number of heads in the plot of ALiBi's slopes, as in its paper's figure.
const PAPER_HEADS: usize = 8;
/// The number of distances in the plot of ALiBi's slopes.
const DISTANCES: usize = 33;

/// A curve for each row of `[heads, distances]`.
fn curves(biases: &Array, theme: Theme, name: impl Fn(usize) -> String) -> Vec<Curve> {
    let Some(&distances) = biases.shape.last() else {
        return vec![];
    };
    let rows = biases.data.chunks_exact(distances.max(1)).enumerate();
    rows.map(|(head, row)| Curve::counted(name(head), row, categorical(head, theme)))
        .collect()
}

/// Returns one query's biases by distance, `[heads, keys]`; the last key is the query itself.
fn by_distance(row: &Array) -> Array {
    let width = row.shape.last().copied().unwrap_or(0).max(1);
    let turned = row.data.chunks_exact(width);
    Array {
        shape: row.shape.clone(),
        data: turned.flat_map(|head| head.iter().rev().copied()).collect(),
    }
}

/// A line for each head.
#[component]
fn BiasFigure(
    title: Signal<String>,
    text: Signal<String>,
    test_id: &'static str,
    /// The biases, `[heads, distances]`; `None` until they are computed.
    biases: Signal<Option<Array>>,
    #[prop(into)] name: Callback<usize, String>,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let plot = Signal::derive(move || {
        let biases = biases.get();
        let named = |biases: &Array| curves(biases, appearance.get(), |head| name.run(head));
        let curves = biases.as_ref().map(named).unwrap_or_default();
        let distances = biases.and_then(|biases| biases.shape.last().copied());
        Plot {
            x: Axis::new(
                t_string!(i18n, positions.distance),
                0.0,
                distances.unwrap_or(0).max(2) as f64 - 1.0,
            ),
            y: Axis::around_curves(t_string!(i18n, encodings.bias), &curves),
            curves,
        }
    });
    view! { <PlotFigure title text test_id plot /> }
}

/// The biases of the model on screen, as the forward pass added them; the same in every layer.
#[component]
pub fn HeadBias(
    /// The encoding of the plot: T5 or ALiBi.
    encoding: PositionalEncoding,
) -> impl IntoView {
    let is_here = is_on_screen(encoding);
    move || {
        match is_here.get() {
        true => view! { <HeadBiasFigure /> }.into_any(),
        false => view! {
            <div class="plot-figure"><NeedsModel model=Model::with_positions(Task::Letters, encoding) /></div>
        }
        .into_any(),
    }
    }
}

#[component]
fn HeadBiasFigure() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let row = live.part(move || {
        let trace = live.trace()?;
        let attention = AttentionLayer {
            kind: AttentionKind::DecoderSelf,
            layer: 0,
        };
        let last = trace.meta.target.len().checked_sub(1)?;
        let bias = attention.at(Quantity::PositionBias);
        Some(Excerpt::new(bias, Slice::Row(last)))
    });
    view! {
        <BiasFigure
            title=Signal::derive(move || t_string!(i18n, encodings.head_bias).to_owned())
            text=Signal::derive(move || t_string!(i18n, encodings.head_bias_text).to_owned())
            test_id="head-bias"
            biases=Signal::derive(move || row.with(|row| Some(by_distance(&row.as_ref()?.0))))
            name=move |head: usize| t_string!(i18n, encodings.head, number = head + 1)
        />
    }
}

/// ALiBi's lines for the eight heads of its paper.
#[component]
pub fn Slopes() -> impl IntoView {
    let i18n = use_i18n();
    let query = DISTANCES - 1;
    let biases = by_distance(&Array {
        shape: vec![PAPER_HEADS, DISTANCES],
        data: alibi_bias(PAPER_HEADS, query..DISTANCES, 0..DISTANCES),
    });
    view! {
        <BiasFigure
            title=Signal::derive(move || t_string!(i18n, encodings.slopes).to_owned())
            text=Signal::derive(move || t_string!(i18n, encodings.slopes_text).to_owned())
            test_id="alibi-slopes"
            biases=Signal::stored(Some(biases))
            name=|head: usize| format!("λ = 1/{}", 1u32 << (head + 1))
        />
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::positions::alibi_slopes;

    use super::*;

    #[test]
    fn a_querys_biases_are_turned_into_distances() {
        let row = Array {
            shape: vec![2, 3],
            data: vec![-2.0, -1.0, 0.0, -4.0, -2.0, 0.0],
        };
        assert_eq!(by_distance(&row).data, [0.0, -1.0, -2.0, 0.0, -2.0, -4.0]);
    }

    #[test]
    fn the_papers_slopes_are_the_names_of_their_lines() {
        for (head, slope) in alibi_slopes(PAPER_HEADS).into_iter().enumerate() {
            assert_eq!(slope, 1.0 / (1u32 << (head + 1)) as f32);
        }
    }
}
