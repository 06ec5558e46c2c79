//! The colour scale with the values at its ends.

use super::{
    TYPE_MM,
    writer::{Anchor, Label, Writer, below_middle, text_width_mm},
};
use crate::{
    color::{self, Theme},
    export::map::Scale,
    plot::text::number,
};

/// The width and the height of the scale, in millimetres.
const SCALE_MM: [f64; 2] = [24.0, 1.8];
/// The number of steps of the scale.
const STEPS: usize = 48;
const GAP_MM: f64 = 1.2;

/// The words of a legend.
pub(super) struct Words<'a> {
    /// The name of the values.
    pub(super) value: &'a str,
    /// The name of masked cells, if there are any.
    pub(super) masked: Option<&'a str>,
}

/// The height of a legend, with the gap above it.
pub(super) const HEIGHT_MM: f64 = 5.0;

/// Draws a legend below a height, from a left edge: name, lower end, scale, upper end, and the colour of masked cells.
pub(super) fn draw(writer: &mut Writer, scale: Scale, words: &Words<'_>, [left, top]: [f64; 2]) {
    let ink = color::furniture(Theme::Light).ink;
    let middle = top + HEIGHT_MM / 2.0;
    let mut x = left;
    let put = |writer: &mut Writer, text: &str, x: &mut f64| {
        writer.text(Label {
            text,
            at: [*x, middle + below_middle(TYPE_MM)],
            anchor: Anchor::Start,
            size_mm: TYPE_MM,
            ink,
            degrees: 0.0,
            most_mm: f64::INFINITY,
        });
        *x += text_width_mm(text, TYPE_MM) + GAP_MM;
    };
    if !words.value.is_empty() {
        put(writer, words.value, &mut x);
    }
    let [low, high] = scale.ends();
    put(writer, &end(low), &mut x);
    let [width, height] = SCALE_MM;
    let step = width / STEPS as f64;
    for place in 0..STEPS {
        let share = place as f32 / (STEPS - 1) as f32;
        let fill = color_of(scale, low + (high - low) * share);
        // Neighbours overlap, so that no seam is seen between them.
        let wide = (step * 1.5).min(width - step * place as f64);
        let at = [x + step * place as f64, middle - height / 2.0];
        writer.rect(at, [wide, height], fill);
    }
    x += width + GAP_MM;
    put(writer, &end(high), &mut x);
    if let Some(masked) = words.masked {
        x += GAP_MM;
        let at = [x, middle - height / 2.0];
        writer.rect(at, [height, height], color::masked(Theme::Light));
        x += height + GAP_MM;
        put(writer, masked, &mut x);
    }
}

/// Returns the colour of a value in print.
pub(super) fn color_of(scale: Scale, value: f32) -> color::Rgb {
    match scale {
        Scale::Sequential { low, high } if high > low => {
            color::sequential((value - low) / (high - low), Theme::Light)
        }
        Scale::Sequential { .. } => color::sequential(value, Theme::Light),
        Scale::Diverging { limit } if limit > 0.0 => color::diverging(value / limit, Theme::Light),
        Scale::Diverging { .. } => color::diverging(value, Theme::Light),
    }
}

/// Returns the value at an end of the scale; one that four decimals do not show has an exponent.
fn end(value: f32) -> String {
    let is_small = value != 0.0 && value.abs() < 1e-3;
    match is_small || value.abs() >= 1e6 {
        true => format!("{value:.2e}").replace('-', "−"),
        false => number(value.into()),
    }
}
