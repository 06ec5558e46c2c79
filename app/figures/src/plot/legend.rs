//! The band above the plot: the vertical axis' label, then one entry per key.

use plotters::{
    coord::Shift,
    drawing::DrawingAreaErrorKind,
    element::PathElement,
    prelude::{DrawingArea, SVGBackend, ShapeStyle},
};

use super::{
    frame::Frame,
    text,
    units::{extent, rgb, units},
};
use crate::color::{self, Rgb};

const LINE_HEIGHT: f64 = 20.0;
const GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 18.0;

/// An entry of the legend: a label with its colour.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub(crate) label: String,
    pub(crate) color: Rgb,
    pub(crate) swatch: Swatch,
}

/// The sample of a mark beside its label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Swatch {
    /// The sample of a line.
    Line,
    /// The sample of an area.
    Square,
}

impl Swatch {
    /// Returns the width and the height, in CSS pixels.
    fn size(self) -> [f64; 2] {
        match self {
            Swatch::Line => [18.0, 2.5],
            Swatch::Square => [12.0, 12.0],
        }
    }
}

/// The place of an entry in the band: its top left corner, in CSS pixels.
struct Entry<'a> {
    key: &'a Key,
    left: f64,
    top: f64,
}

/// Returns the height of the band, in CSS pixels.
pub(crate) fn height(frame: &Frame, keys: &[Key]) -> f64 {
    match entries(frame, keys).last() {
        Some(entry) => entry.top + LINE_HEIGHT + GAP,
        None if frame.y.label.is_empty() => GAP,
        None => LINE_HEIGHT + GAP,
    }
}

fn entries<'a>(frame: &Frame, keys: &'a [Key]) -> Vec<Entry<'a>> {
    let right = frame.width - frame.right_margin();
    let (first, start) = match frame.y.label.is_empty() {
        true => (frame.left_band(), frame.left_band()),
        false => (text::width(&frame.y.label) + 2.0 * ENTRY_GAP, GAP),
    };
    let (mut left, mut top) = (first, 0.0);
    let mut entries = Vec::new();
    for key in keys {
        if key.label == frame.y.label {
            // The axis names it already.
            continue;
        }
        let [swatch, _] = key.swatch.size();
        let width = swatch + GAP + text::width(&key.label);
        if left + width > right && left > start {
            (left, top) = (start, top + LINE_HEIGHT);
        }
        entries.push(Entry { key, left, top });
        left += width + ENTRY_GAP;
    }
    entries
}

/// Draws the vertical axis' label and the entries of the legend.
pub(super) fn draw<'b>(
    root: &DrawingArea<SVGBackend<'b>, Shift>,
    frame: &Frame,
    keys: &[Key],
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let style = text::style(color::furniture(frame.theme).ink, text::FONT_SIZE);
    if !frame.y.label.is_empty() {
        root.draw_text(&frame.y.label, &style, (units(GAP), units(GAP / 2.0)))?;
    }
    for Entry { key, left, top } in entries(frame, keys) {
        let [width, height] = key.swatch.size();
        let middle = top + LINE_HEIGHT / 2.0;
        let swatch = [left, left + width].map(|x| (units(x), units(middle)));
        let stroke = ShapeStyle::from(&rgb(key.color)).stroke_width(extent(height));
        root.draw(&PathElement::new(swatch, stroke))?;
        let place = (units(left + width + GAP), units(top + GAP / 2.0));
        root.draw_text(&key.label, &style, place)?;
    }
    Ok(())
}
