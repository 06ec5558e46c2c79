//! Figures as SVG documents for print: text as text, sizes in millimetres, the light theme.

mod grid;
mod legend;
mod lines;
mod map;
mod plane;
mod plot;
mod shares;
mod sheet;
mod staged;
mod tree;
mod writer;

use super::{
    Content, Export,
    map::{Cells, Map},
};
use crate::plot::PlotError;
use writer::{Drawing, Writer};

/// The size of labels: 7 points, the least of most journals, in millimetres.
const TYPE_MM: f64 = 2.47;
/// The margin around a drawing.
const MARGIN_MM: f64 = 1.0;
/// The height of a text in a diagram that is laid out in CSS pixels, and millimetres in such a pixel at most.
const TYPE_PIXELS: f64 = 13.0;
const MM_PER_PIXEL: f64 = TYPE_MM / TYPE_PIXELS;

/// A width of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Width {
    /// One of two columns of a page: 85 mm.
    #[default]
    OneColumn,
    /// Both columns: 175 mm.
    TwoColumns,
}

impl Width {
    /// Both widths, the narrow one first.
    pub const ALL: [Width; 2] = [Width::OneColumn, Width::TwoColumns];

    /// Returns the width in millimetres.
    pub fn mm(self) -> f64 {
        match self {
            Width::OneColumn => 85.0,
            Width::TwoColumns => 175.0,
        }
    }
}

/// The size and the ground of a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The width of the document.
    pub width: Width,
    /// True if nothing is painted behind the figure; the ground is white otherwise.
    pub is_transparent: bool,
}

/// Returns the figure as an SVG document, with its title in `title` and its caption in `desc`.
pub(super) fn document(export: &Export, page: Page) -> Result<String, PlotError> {
    let width_mm = page.width.mm();
    let drawing = match &export.content {
        Content::Map(map) if map.cells == Cells::Lines => lines::draw(map, width_mm),
        Content::Map(map) => map::draw(map, width_mm),
        Content::Sheet(sheet) => sheet::draw(sheet, width_mm),
        Content::Curves(curves) => plot::curves(curves, width_mm)?,
        Content::Bars(chart) => plot::bars(chart, width_mm)?,
        Content::Dots(dots) => plot::dots(dots, width_mm)?,
        Content::Prefixes(tree) => tree::draw(tree, width_mm),
        Content::Grid(grid) => grid::draw(grid, width_mm),
        Content::Marks(marks) => plane::draw(marks, width_mm),
        Content::Shares(whole) => shares::draw(whole, width_mm),
        Content::Staged(picture, step) => staged::draw(picture, *step, width_mm),
    };
    Ok(enclosed(export, drawing, page))
}

fn enclosed(export: &Export, drawing: Drawing, page: Page) -> String {
    let Drawing { body, height_mm } = drawing;
    let mut writer = Writer::default();
    let (width, height) = (writer.number(page.width.mm()), writer.number(height_mm));
    writer.raw(&format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}mm\" height=\"{height}mm\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"Helvetica, Arial, 'Noto Sans', 'Noto Sans CJK SC', \
         'Noto Sans SC', 'PingFang SC', 'Microsoft YaHei', sans-serif\" font-size=\"{TYPE_MM}\">\n"
    ));
    writer.element("title", &export.title);
    if !export.caption.is_empty() {
        writer.element("desc", &export.caption);
    }
    if !page.is_transparent {
        writer.raw(&format!(
            "<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        ));
    }
    writer.raw(&body);
    writer.raw("</svg>\n");
    writer.finish()
}

/// Returns every `step`-th place of a side, so that labels of the type's size do not overlap, and the size.
fn labelled(count: usize, pitch_mm: f64) -> (usize, f64) {
    const LEAST_MM: f64 = 1.41;
    let size = (pitch_mm * 0.92).clamp(LEAST_MM, TYPE_MM);
    let step = (size * 1.05 / pitch_mm).ceil().max(1.0) as usize;
    (step.min(count.max(1)), size)
}

/// Returns the width of the widest label, at a size of type, up to a limit.
fn widest_mm(map: &[String], size_mm: f64, most_mm: f64) -> f64 {
    let widths = map
        .iter()
        .map(|label| writer::text_width_mm(label, size_mm));
    widths.fold(0.0, f64::max).min(most_mm)
}

/// Returns true if a map has labels to draw.
fn has_labels(labels: &[String]) -> bool {
    labels.iter().any(|label| !label.is_empty())
}

/// The words of a map's legend.
fn legend_words(map: &Map) -> legend::Words<'_> {
    legend::Words {
        value: &map.value,
        masked: map.has_masked().then_some(map.masked.as_str()),
    }
}
