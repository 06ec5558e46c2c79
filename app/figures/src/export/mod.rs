//! Figures for use outside the page: as SVG, TikZ, CSV and JSON.
//!
//! An [`Export`] describes a figure as plain data: its numbers, its labels and its words. The writers know neither the
//! page nor a model. A figure is drawn for print: in the light theme, in millimetres, with the legend of its colours.

mod csv;
mod diagram;
pub mod fonts;
mod json;
mod latex;
mod map;
mod number;
mod plot;
pub mod svg;
mod tikz;

pub use diagram::{
    Connection, Grid, GridCell, Marks, Prefix, PrefixFate, Prefixes, Shares, Weighted,
};
pub use map::{Cells, Head, HeadGroup, Map, Scale, Sheet, Side};
pub use plot::{BarChart, Column, Curves, Dots};
pub use svg::{Page, Width};

use crate::{plot::PlotError, staged::Staged};

/// A figure as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// The name of the figure.
    pub title: String,
    /// The caption in plain text; may be empty.
    pub caption: String,
    /// The numbers and the way in which they are drawn.
    pub content: Content,
}

/// The numbers of a figure, by its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// A matrix with labels on both sides.
    Map(Map),
    /// The maps of many heads, in groups.
    Sheet(Sheet),
    /// Curves over a number.
    Curves(Curves),
    /// Bars with their names.
    Bars(BarChart),
    /// Named dots in a plane.
    Dots(Dots),
    /// A tree of prefixes.
    Prefixes(Prefixes),
    /// Cells with connections between them.
    Grid(Grid),
    /// Marks on a plane.
    Marks(Marks),
    /// A whole and its parts.
    Shares(Shares),
    /// A picture that is drawn step by step, at a step from 0.
    Staged(Staged, usize),
}

impl Export {
    /// Returns the figure as an SVG document, `page.width` wide.
    ///
    /// # Errors
    /// If an axis of a plot has no extent, or plotters fails.
    pub fn svg(&self, page: Page) -> Result<String, PlotError> {
        svg::document(self, page)
    }

    /// Returns the figure as a `tikzpicture` for pgfplots, `width_mm` wide; `None` for a sheet of maps, which is too
    /// large for TeX, and for trees, grids and pictures in steps, which are no plots.
    pub fn tikz(&self, width_mm: f64) -> Option<String> {
        tikz::picture(self, width_mm)
    }

    /// Returns the numbers as comma-separated values (RFC 4180), with a header. Every number reads back as the same
    /// `f32`, or `f64` in curves; a masked cell is an empty field.
    pub fn csv(&self) -> String {
        csv::table(&self.content)
    }

    /// Returns the numbers with all words as a JSON document. Every number reads back as the same `f32`, or `f64` in
    /// curves; a number that is not finite, such as a masked cell, is `null`.
    ///
    /// # Errors
    /// Those of `serde_json`.
    pub fn json(&self) -> Result<String, serde_json::Error> {
        json::document(self)
    }
}
