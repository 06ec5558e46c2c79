//! The canvas for marks: the axes of a frame with its legend, drawn by plotters.

use plotters::{
    chart::{ChartBuilder, ChartContext},
    coord::cartesian::Cartesian2d,
    prelude::{IntoDrawingArea, SVGBackend, ShapeStyle},
    style::TRANSPARENT,
};

use super::{
    error::{PlotError, drawing},
    frame::{Area, Frame},
    legend::{self, Key},
    scale::Scale,
    text,
    units::{extent, rgb, units},
};
use crate::color::{self, Rgb};

pub(super) type Chart<'a, 'b> = ChartContext<'a, SVGBackend<'b>, Cartesian2d<Scale, Scale>>;

/// A drawn frame, ready for marks.
pub(crate) struct Canvas<'a, 'b> {
    pub(super) chart: Chart<'a, 'b>,
    /// The place between the axes.
    pub(crate) area: Area,
    /// The colour of text.
    pub(super) ink: Rgb,
}

/// Draws the frame with its legend and the output of `marks` as an SVG document without width and height, to be scaled
/// by the page.
///
/// # Errors
/// If an axis has no extent, or plotters fails.
pub(crate) fn draw(
    frame: &Frame,
    keys: &[Key],
    marks: impl FnOnce(&mut Canvas) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    frame.x.check()?;
    frame.y.check()?;
    let area = frame.area(legend::height(frame, keys));
    let mut document = String::new();
    {
        let (width, height) = (extent(frame.width), extent(frame.height));
        let root = SVGBackend::with_string(&mut document, (width, height)).into_drawing_area();
        legend::draw(&root, frame, keys).map_err(drawing)?;
        let mut chart = ChartBuilder::on(&root)
            .margin_top(units(area.top))
            .margin_right(units(frame.right_margin()))
            .x_label_area_size(units(frame.bottom_band()))
            .y_label_area_size(units(area.left))
            .build_cartesian_2d(
                Scale::new(&frame.x, frame.x_ticks(), area.unit(frame)),
                Scale::new(&frame.y, frame.y_ticks(), f64::INFINITY),
            )
            .map_err(drawing)?;
        draw_axes(&mut chart, frame)?;
        let ink = color::furniture(frame.theme).ink;
        marks(&mut Canvas { chart, area, ink })?;
        root.present().map_err(drawing)?;
    }
    Ok(scalable(document))
}

fn draw_axes(chart: &mut Chart, frame: &Frame) -> Result<(), PlotError> {
    let furniture = color::furniture(frame.theme);
    let line = |color: Rgb| ShapeStyle::from(&rgb(color)).stroke_width(extent(1.0));
    let label = || text::style(furniture.ink, text::FONT_SIZE);
    let mut mesh = chart.configure_mesh();
    mesh.light_line_style(TRANSPARENT)
        .bold_line_style(line(furniture.grid))
        .axis_style(line(furniture.axis))
        .set_all_tick_mark_size(units(4.0))
        .label_style(label())
        .axis_desc_style(label());
    if frame.x.is_named() {
        mesh.disable_x_mesh();
    }
    if !frame.x.label.is_empty() {
        mesh.x_desc(frame.x.label.as_str());
    }
    mesh.draw().map_err(drawing)
}

/// Removes the fixed width and height from the root element, so that the `viewBox` alone determines the size.
fn scalable(document: String) -> String {
    match document.split_once(" viewBox=") {
        Some((_, rest)) => format!("<svg class=\"chart\" aria-hidden=\"true\" viewBox={rest}"),
        None => document,
    }
}
