//! The marks of a plot: each is a function that draws on a [`Canvas`] at values of its axes.

use std::iter::once;

use plotters::{
    element::{Circle, EmptyElement, Rectangle, Text},
    prelude::ShapeStyle,
    series::LineSeries,
    style::{
        Color as _,
        text_anchor::{HPos, Pos, VPos},
    },
};

use super::{
    canvas::Canvas,
    error::{PlotError, drawing},
    text as lettering,
    units::{extent, rgb, units},
};
use crate::color::Rgb;

/// A colour with its opacity, 0…1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Paint {
    pub(crate) color: Rgb,
    pub(crate) opacity: f64,
}

impl Paint {
    /// Returns the colour at full opacity.
    pub(crate) fn opaque(color: Rgb) -> Self {
        Paint {
            color,
            opacity: 1.0,
        }
    }
}

/// Draws a line through points, `width` CSS pixels thick.
pub(crate) fn line(
    canvas: &mut Canvas,
    points: impl IntoIterator<Item = (f64, f64)>,
    paint: Paint,
    width: f64,
) -> Result<(), PlotError> {
    let style = ShapeStyle::from(rgb(paint.color).mix(paint.opacity)).stroke_width(extent(width));
    let series = LineSeries::new(points, style);
    canvas.chart.draw_series(series).map_err(drawing)?;
    Ok(())
}

/// Draws a bar from one corner to the other.
pub(crate) fn bar(
    canvas: &mut Canvas,
    corners: [(f64, f64); 2],
    paint: Paint,
) -> Result<(), PlotError> {
    let style = rgb(paint.color).mix(paint.opacity).filled();
    let bar = Rectangle::new(corners, style);
    canvas.chart.draw_series(once(bar)).map_err(drawing)?;
    Ok(())
}

/// Draws a dot with a radius in CSS pixels.
pub(crate) fn dot(
    canvas: &mut Canvas,
    at: (f64, f64),
    radius: f64,
    color: Rgb,
) -> Result<(), PlotError> {
    let dot = Circle::new(at, units(radius), rgb(color).filled());
    canvas.chart.draw_series(once(dot)).map_err(drawing)?;
    Ok(())
}

/// The side of a point on which a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Right,
    Left,
    Above,
    Below,
}

/// Draws a text of `size` CSS pixels on one side of a point, `away` from it.
pub(crate) fn text(
    canvas: &mut Canvas,
    at: (f64, f64),
    (side, away): (Side, f64),
    label: &str,
    size: f64,
) -> Result<(), PlotError> {
    let away = units(away);
    let (offset, horizontal, vertical) = match side {
        Side::Right => ((away, 0), HPos::Left, VPos::Center),
        Side::Left => ((-away, 0), HPos::Right, VPos::Center),
        Side::Above => ((0, -away), HPos::Center, VPos::Bottom),
        Side::Below => ((0, away), HPos::Center, VPos::Top),
    };
    let style = lettering::style(canvas.ink, size).pos(Pos::new(horizontal, vertical));
    let text = EmptyElement::at(at) + Text::new(label.to_owned(), offset, style);
    canvas.chart.draw_series(once(text)).map_err(drawing)?;
    Ok(())
}
