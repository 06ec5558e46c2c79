//! Lengths of the residual stream's vectors, sub-layer by sub-layer: post-norm against pre-norm.

use attention_figures::{
    color::categorical,
    plot::{Axis, Curve},
};
use attention_trace::{Block, Excerpt, NormPlacement, Quantity, Site, Slice, StackSpec};
use leptos::prelude::*;

use crate::follow::{FollowContext, Place};
use attention_core::{
    appearance::Appearance,
    engine::Part,
    i18n::{t_string, use_i18n},
    widgets::{Expected, Plot, PlotFigure, Prompt, Prose, Values, numbers::decimal},
};

/// The trace's sites for one stack's residual stream, in the order of computation.
#[derive(Clone, Debug, PartialEq)]
struct Stream {
    placement: NormPlacement,
    /// The residual stream before each sub-layer, embeddings first.
    carried: Vec<Site>,
    /// The sites beside the stream that norms read or write: in post-norm models the sums before normalisation, in
    /// pre-norm models the normalised copies that sub-layers read.
    beside: Vec<Site>,
}

impl Stream {
    fn of(place: &Place) -> Option<Self> {
        let spec = &place.meta.spec;
        let stack = place.choice.attention.kind.stack();
        let StackSpec { layers, norm, .. } = spec.stack(stack)?;
        let norm = (*norm)?;
        let sublayers: Vec<_> = spec.sublayers(stack).collect();
        let blocks = (0..*layers).flat_map(|layer| {
            let sublayers = sublayers.iter();
            sublayers.map(move |&sublayer| Block::Sublayer(stack, layer, sublayer))
        });
        let beside = match norm.placement {
            NormPlacement::Pre | NormPlacement::Both => Quantity::Norm,
            NormPlacement::Post => Quantity::Residual,
            NormPlacement::Output => Quantity::OutNorm,
        };
        let embeddings = [spec.layer_input(stack, 0)];
        let outputs = blocks.clone().map(|block| spec.sublayer_output(block));
        Some(Stream {
            placement: norm.placement,
            carried: embeddings.into_iter().chain(outputs).collect(),
            beside: blocks.map(|block| block.at(beside)).collect(),
        })
    }

    /// Returns the sub-layer of the first site in `beside`.
    fn first_beside(&self) -> usize {
        match self.placement {
            NormPlacement::Pre | NormPlacement::Both => 0,
            NormPlacement::Post | NormPlacement::Output => 1,
        }
    }
}

/// A vector's length, `√Σx²`.
fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|x| x * x).sum::<f32>().sqrt()
}

/// The lengths, as curves.
#[component]
pub fn Stream() -> impl IntoView {
    let context = FollowContext::expect();
    let stream = Memo::new(move |_| context.with_place(Stream::of).flatten());
    view! {
        <section class="chapter-section" data-testid="norm-stream">
            <Prose part="stream" />
            // Other layers are other arrays.
            {move || stream.get().map(|stream| view! { <Lengths stream /> })}
        </section>
    }
}

type Parts = Vec<Memo<Option<Part>>>;

#[component]
fn Lengths(stream: Stream) -> impl IntoView {
    let i18n = use_i18n();
    let context = FollowContext::expect();
    let appearance = Appearance::expect();
    let parts = |sites: &[Site]| -> Parts {
        let part = |&site: &Site| context.part(move |_| Excerpt::new(site, Slice::Whole));
        sites.iter().map(part).collect()
    };
    let (carried, beside) = (parts(&stream.carried), parts(&stream.beside));
    let lengths = move |parts: &Parts| -> Vec<f32> {
        let query = context.query();
        let of = |part: &Memo<Option<Part>>| {
            part.with(|part| part.as_ref()?.0.row(&[query]).map(length))
                .unwrap_or(f32::NAN)
        };
        parts.iter().map(of).collect()
    };
    let (placement, first) = (stream.placement, stream.first_beside());
    let both = Memo::new(move |_| (lengths(&carried), lengths(&beside)));
    let plot = Signal::derive(move || {
        let (carried, beside) = both.get();
        let theme = appearance.get();
        let names = match placement {
            NormPlacement::Post => [
                t_string!(i18n, norms.carried_post),
                t_string!(i18n, norms.beside_post),
            ],
            NormPlacement::Pre | NormPlacement::Both | NormPlacement::Output => [
                t_string!(i18n, norms.carried_pre),
                t_string!(i18n, norms.beside_pre),
            ],
        };
        let values = carried.iter().chain(&beside).copied().collect::<Vec<_>>();
        let mut other = Curve::counted(names[1], &beside, categorical(1, theme));
        for point in &mut other.points {
            point.0 += first as f64;
        }
        Plot {
            x: Axis::new(
                t_string!(i18n, norms.sub_layers),
                0.0,
                carried.len().saturating_sub(1).max(1) as f64,
            ),
            y: Axis::around(t_string!(i18n, norms.length), values),
            curves: vec![
                Curve::counted(names[0], &carried, categorical(0, theme)),
                other,
            ],
        }
    });
    let ends = move || {
        let (carried, _) = both.get();
        let ends = [*carried.first()?, *carried.last()?];
        ends.iter().all(|length| length.is_finite()).then_some(ends)
    };
    let expected = Signal::derive(move || {
        let [first, last] = ends()?;
        Some(Expected::about(last / first, 0.15))
    });
    let values = Signal::derive(move || -> Option<Values> {
        let [first, last] = ends()?;
        Some(vec![
            ("first", decimal(first, 1)),
            ("last", decimal(last, 1)),
            ("ratio", decimal(last / first, 1)),
        ])
    });
    let text = Signal::derive(move || {
        match placement {
            NormPlacement::Post => t_string!(i18n, norms.stream_post),
            NormPlacement::Pre | NormPlacement::Both | NormPlacement::Output => {
                t_string!(i18n, norms.stream_pre)
            }
        }
        .to_owned()
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, norms.stream_title).to_owned())
            text
            test_id="stream-plot"
            plot
        >
            ""
        </PlotFigure>
        <Prompt
            question="predict-stream"
            answer="answer-stream"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.stream).to_owned())
            expected
        />
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_the_root_of_the_sum_of_squares() {
        assert_eq!(length(&[3.0, -4.0]), 5.0);
        assert_eq!(length(&[]), 0.0);
    }
}
