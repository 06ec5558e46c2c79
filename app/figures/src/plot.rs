//! Curves with axes and a legend, drawn by plotters as SVG.
//!
//! Three things make the SVG fit for a page. plotters places everything on whole units, so a unit
//! here is an eighth of a CSS pixel and the document carries only a `viewBox`: it is sharp at any
//! density. The background stays transparent. And nothing asks plotters for the size of a text,
//! which in a browser would put an element into the document for every question; labels stand
//! in bands of fixed height, and the legend breaks its lines by the estimate in [`text`].

mod frame;
mod legend;
mod text;

use plotters::{
    chart::{ChartBuilder, ChartContext},
    coord::{cartesian::Cartesian2d, types::RangedCoordf64},
    prelude::{IntoDrawingArea, SVGBackend, ShapeStyle},
    series::LineSeries,
    style::{RGBColor, TRANSPARENT},
};
use thiserror::Error;

use crate::color::{self, Rgb};
pub use frame::{Axis, Frame};
use frame::{BOTTOM_BAND, RIGHT_MARGIN, extent, units};

/// One line of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend; without one it is not in the legend.
    pub label: Option<String>,
    /// `(x, y)` from left to right. Points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// Its colour.
    pub color: Rgb,
    /// Stroke width in CSS pixels.
    pub width: f64,
    /// Opacity, 0…1.
    pub opacity: f64,
}

impl Curve {
    /// A line whose `x` counts 0, 1, 2, …
    pub fn counted(label: impl Into<String>, values: &[f32], color: Rgb) -> Self {
        Curve {
            label: Some(label.into()),
            points: values
                .iter()
                .enumerate()
                .map(|(x, &y)| (x as f64, f64::from(y)))
                .collect(),
            color,
            width: 2.0,
            opacity: 1.0,
        }
    }

    /// The same line thin, faint and without an entry in the legend: one of many.
    pub fn faint(self) -> Self {
        Curve {
            label: None,
            width: 1.0,
            opacity: 0.35,
            ..self
        }
    }
}

/// Why a plot could not be drawn.
#[derive(Debug, Error)]
pub enum PlotError {
    /// An axis has no extent.
    #[error("the axis `{label}` runs from {from} to {to}, which is no extent")]
    EmptyAxis {
        /// Its label.
        label: String,
        /// Where it starts.
        from: f64,
        /// Where it ends.
        to: f64,
    },
    /// plotters gave up.
    #[error("the plot could not be drawn: {0}")]
    Drawing(String),
}

type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<RangedCoordf64, RangedCoordf64>>;

/// The curves as an SVG document without width and height, to be scaled by the page.
///
/// # Errors
/// If an axis has no extent, or plotters fails.
pub fn curves(frame: &Frame, curves: &[Curve]) -> Result<String, PlotError> {
    frame.x.check()?;
    frame.y.check()?;
    let mut document = String::new();
    {
        let (width, height) = (extent(frame.width), extent(frame.height));
        let root = SVGBackend::with_string(&mut document, (width, height)).into_drawing_area();
        legend::draw(&root, frame, curves).map_err(drawing)?;
        let mut chart = ChartBuilder::on(&root)
            .margin_top(units(legend::height(frame, curves)))
            .margin_right(units(RIGHT_MARGIN))
            .set_left_and_bottom_label_area_size(units(BOTTOM_BAND))
            .y_label_area_size(units(frame.left_band()))
            .build_cartesian_2d(frame.x.from..frame.x.to, frame.y.from..frame.y.to)
            .map_err(drawing)?;
        draw_mesh(&mut chart, frame)?;
        for curve in curves {
            draw_curve(&mut chart, curve)?;
        }
        root.present().map_err(drawing)?;
    }
    Ok(scalable(document))
}

fn draw_mesh(chart: &mut Chart, frame: &Frame) -> Result<(), PlotError> {
    let furniture = color::furniture(frame.theme);
    let style = |color: Rgb| ShapeStyle::from(&rgb(color)).stroke_width(extent(1.0));
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(style(furniture.grid))
        .axis_style(style(furniture.axis))
        .set_all_tick_mark_size(units(4.0))
        .x_labels(frame.x_ticks())
        .y_labels(frame.y_ticks())
        .x_label_formatter(&|value| text::number(*value))
        .y_label_formatter(&|value| text::number(*value))
        .label_style(text::style(furniture.ink))
        .x_desc(frame.x.label.as_str())
        .axis_desc_style(text::style(furniture.ink))
        .draw()
        .map_err(drawing)
}

fn draw_curve(chart: &mut Chart, curve: &Curve) -> Result<(), PlotError> {
    use plotters::style::Color as _;

    let style =
        ShapeStyle::from(rgb(curve.color).mix(curve.opacity)).stroke_width(extent(curve.width));
    let points = curve
        .points
        .iter()
        .copied()
        .filter(|(x, y)| x.is_finite() && y.is_finite());
    chart
        .draw_series(LineSeries::new(points, style))
        .map_err(drawing)?;
    Ok(())
}

fn rgb([red, green, blue]: Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}

fn drawing(error: impl std::fmt::Display) -> PlotError {
    PlotError::Drawing(error.to_string())
}

/// Takes the fixed width and height off the root element, so that the `viewBox` alone rules.
fn scalable(document: String) -> String {
    match document.split_once(" viewBox=") {
        Some((_, rest)) => format!("<svg viewBox={rest}"),
        None => document,
    }
}
