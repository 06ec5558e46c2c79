//! Plots, drawn by plotters as on the page, at the width of the paper.

use super::writer::{Drawing, visible};
use crate::{
    bars::{Series, bars as draw_bars, value_axis},
    color::{Rgb, Theme},
    export::plot::{BarChart, Curves, Dots, printed},
    plot::{Axis, Curve, Frame, PlotError, curves as draw_curves, units::UNITS_PER_PIXEL},
    scatter::{self, Dot},
};

/// CSS pixels in a millimetre. Labels of 12 pixels become 9 points, so that the drawing is made for a wider place and
/// then scaled to 7 points.
const PIXELS_PER_MM: f64 = 96.0 / 25.4 * 9.0 / 7.0;
/// Heights as shares of the width of one column.
const CURVES_MM: f64 = 52.0;
const BARS_MM: f64 = 36.0;
const DOTS_MM: f64 = 60.0;

/// Draws curves with their legend.
pub(super) fn curves(curves: &Curves, width_mm: f64) -> Result<Drawing, PlotError> {
    let frame = Frame {
        width: width_mm * PIXELS_PER_MM,
        height: CURVES_MM * PIXELS_PER_MM,
        x: visible_axis(&curves.x),
        y: visible_axis(&curves.y),
        theme: Theme::Light,
    };
    let of_print = |curve: &Curve| Curve {
        label: curve.label.as_deref().map(visible),
        color: printed(curve.color),
        ..curve.clone()
    };
    let curves: Vec<_> = curves.curves.iter().map(of_print).collect();
    scaled(draw_curves(&frame, &curves)?, CURVES_MM)
}

/// Draws bars with their names.
pub(super) fn bars(chart: &BarChart, width_mm: f64) -> Result<Drawing, PlotError> {
    let names = chart.names.iter().map(|name| visible(name)).collect();
    let frame = Frame {
        width: width_mm * PIXELS_PER_MM,
        height: BARS_MM * PIXELS_PER_MM,
        x: Axis::of_names(names),
        y: value_axis(chart.top),
        theme: Theme::Light,
    };
    let of_print = |series: &Series| Series {
        label: series.label.as_deref().map(visible),
        colors: series
            .colors
            .iter()
            .copied()
            .map(printed)
            .collect::<Vec<Rgb>>(),
        ..series.clone()
    };
    let series: Vec<_> = chart.series.iter().map(of_print).collect();
    scaled(draw_bars(&frame, chart.marked, &series)?, BARS_MM)
}

/// Draws dots with their names.
pub(super) fn dots(dots: &Dots, width_mm: f64) -> Result<Drawing, PlotError> {
    let of_print = |dot: &Dot| Dot {
        label: visible(&dot.label),
        color: printed(dot.color),
        ..dot.clone()
    };
    let size = [width_mm, DOTS_MM].map(|mm| mm * PIXELS_PER_MM);
    let axes = dots.axes.each_ref().map(|name| visible(name));
    let dots: Vec<_> = dots.dots.iter().map(of_print).collect();
    let frame = scatter::frame(size, axes, &dots, Theme::Light);
    scaled(scatter::scatter(&frame, &dots)?, DOTS_MM)
}

fn visible_axis(axis: &Axis) -> Axis {
    Axis {
        label: visible(&axis.label),
        ..axis.clone()
    }
}

/// Returns the elements of plotters' document, scaled from its units to millimetres.
fn scaled(document: String, height_mm: f64) -> Result<Drawing, PlotError> {
    let no_document = || PlotError::Drawing("plotters wrote no SVG document".to_owned());
    let (_, elements) = document.split_once('>').ok_or_else(no_document)?;
    let elements = elements.trim().strip_suffix("</svg>");
    let elements = elements.ok_or_else(no_document)?;
    let factor = 1.0 / (f64::from(UNITS_PER_PIXEL) * PIXELS_PER_MM);
    Ok(Drawing {
        body: format!(
            "<g transform=\"scale({factor:.8})\">\n{}\n</g>\n",
            elements.trim()
        ),
        height_mm,
    })
}
