//! Plots as plain data.

use crate::{
    bars::Series,
    color::{self, Theme},
    plot::{Axis, Curve},
    scatter::Dot,
};

/// Curves over a number.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves {
    /// The horizontal axis, with its ticks.
    pub x: Axis,
    /// The vertical axis, with its ticks.
    pub y: Axis,
    /// The curves; those without a label are faint ones.
    pub curves: Vec<Curve>,
}

/// Bars with their names.
#[derive(Clone, Debug, PartialEq)]
pub struct BarChart {
    /// The name of each bar, or group of bars.
    pub names: Vec<String>,
    /// The value at the upper end of the axis.
    pub top: f32,
    /// The bar, or group, that stands out.
    pub marked: Option<usize>,
    /// The series of numbers.
    pub series: Vec<Series>,
    /// Further numbers of each name, which are in the files alone.
    pub further: Vec<Column>,
}

/// A number for each name of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The name of the numbers.
    pub name: String,
    /// The numbers in the order of the names.
    pub values: Vec<f32>,
}

/// Named dots in a plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Dots {
    /// The names of the horizontal and the vertical axis.
    pub axes: [String; 2],
    /// The dots, in any order.
    pub dots: Vec<Dot>,
    /// The name of each dot in the files; empty where the labels are their names.
    pub names: Vec<String>,
}

impl Dots {
    /// Returns the name of each dot in the files.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let named = self.dots.iter().enumerate();
        named.map(|(place, dot)| self.names.get(place).unwrap_or(&dot.label).as_str())
    }
}

/// Returns the colour of the light theme for a categorical colour of either theme; any other colour stays.
pub(super) fn printed(given: color::Rgb) -> color::Rgb {
    let of_dark = (0..12).find(|&index| color::categorical(index, Theme::Dark) == given);
    of_dark.map_or(given, |index| color::categorical(index, Theme::Light))
}
