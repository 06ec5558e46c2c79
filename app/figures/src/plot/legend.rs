//! The band above the plot: the vertical axis' label, then one entry per named curve.

use plotters::{
    coord::Shift,
    drawing::DrawingAreaErrorKind,
    element::PathElement,
    prelude::{DrawingArea, SVGBackend, ShapeStyle},
};

use super::{
    Curve, Frame,
    frame::{RIGHT_MARGIN, extent, units},
    rgb, text,
};
use crate::color;

const LINE_HEIGHT: f64 = 20.0;
const SWATCH_WIDTH: f64 = 18.0;
const GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 18.0;

/// A legend entry's place in the band: top left corner, in CSS pixels.
struct Entry<'a> {
    curve: &'a Curve,
    label: &'a str,
    left: f64,
    top: f64,
}

/// Height of the band, in CSS pixels.
pub(super) fn height(frame: &Frame, curves: &[Curve]) -> f64 {
    let bottom = entries(frame, curves).last().map_or(0.0, |entry| entry.top);
    bottom + LINE_HEIGHT + GAP
}

fn entries<'a>(frame: &Frame, curves: &'a [Curve]) -> Vec<Entry<'a>> {
    let right = frame.width - RIGHT_MARGIN;
    let (mut left, mut top) = (text::width(&frame.y.label) + 2.0 * ENTRY_GAP, 0.0);
    let mut entries = Vec::new();
    for curve in curves {
        let Some(label) = &curve.label else { continue };
        if *label == frame.y.label {
            // The axis names it already.
            continue;
        }
        let width = SWATCH_WIDTH + GAP + text::width(label);
        if left + width > right {
            (left, top) = (GAP, top + LINE_HEIGHT);
        }
        entries.push(Entry {
            curve,
            label,
            left,
            top,
        });
        left += width + ENTRY_GAP;
    }
    entries
}

/// Draws the band.
pub(super) fn draw<'b>(
    root: &DrawingArea<SVGBackend<'b>, Shift>,
    frame: &Frame,
    curves: &[Curve],
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let style = text::style(color::furniture(frame.theme).ink);
    root.draw_text(&frame.y.label, &style, (units(GAP), units(GAP / 2.0)))?;
    for entry in entries(frame, curves) {
        let middle = entry.top + LINE_HEIGHT / 2.0;
        let swatch = [entry.left, entry.left + SWATCH_WIDTH].map(|x| (units(x), units(middle)));
        let stroke = ShapeStyle::from(&rgb(entry.curve.color)).stroke_width(extent(2.5));
        root.draw(&PathElement::new(swatch, stroke))?;
        let left = entry.left + SWATCH_WIDTH + GAP;
        root.draw_text(
            entry.label,
            &style,
            (units(left), units(entry.top + GAP / 2.0)),
        )?;
    }
    Ok(())
}
