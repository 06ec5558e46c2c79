//! An axis as a coordinate of plotters, with its ticks and their labels.

use std::ops::Range;

use plotters::coord::{
    ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter},
    types::RangedCoordf64,
};

use super::axis::Axis;

/// A linear scale with fixed ticks.
pub(super) struct Scale {
    values: RangedCoordf64,
    ticks: Vec<(f64, String)>,
}

impl Scale {
    /// Returns the scale of an axis with ticks at these values; a named unit is `room` CSS pixels wide.
    pub(super) fn new(axis: &Axis, ticks: Vec<f64>, room: f64) -> Self {
        let labelled = ticks
            .into_iter()
            .map(|value| (value, axis.tick_label(value, room)));
        Scale {
            values: RangedCoordf64::from(axis.from..axis.to),
            ticks: labelled.collect(),
        }
    }
}

impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.values.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.iter().map(|(value, _)| *value).collect()
    }

    fn range(&self) -> Range<f64> {
        self.values.range()
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        let mut ticks = self.ticks.iter();
        let label = ticks.find_map(|(tick, label)| (tick == value).then(|| label.clone()));
        label.unwrap_or_default()
    }
}
