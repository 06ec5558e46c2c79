//! The axes of a plot: their extent and their ticks.

use plotters::coord::{
    ranged1d::{BoldPoints, Ranged},
    types::RangedCoordf64,
};

use super::{error::PlotError, text};

/// An axis of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// The label, unit included; may be empty.
    pub label: String,
    /// The value at the start of the axis.
    pub from: f64,
    /// The value at the end of the axis.
    pub to: f64,
    /// The ticks of the axis.
    pub ticks: Ticks,
}

/// The ticks of an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Ticks {
    /// Ticks at round values, as many as there is room for.
    Round,
    /// Ticks at the given values.
    At(Vec<f64>),
    /// A name in the middle of each unit from 0 up.
    Named(Vec<String>),
}

impl Axis {
    /// Returns an axis over a given extent.
    pub fn new(label: impl Into<String>, from: f64, to: f64) -> Self {
        Axis {
            label: label.into(),
            from,
            to,
            ticks: Ticks::Round,
        }
    }

    /// Returns an axis without a label that has a unit for each of the names.
    pub fn of_names(names: Vec<String>) -> Self {
        Axis {
            ticks: Ticks::Named(names.clone()),
            ..Axis::new("", 0.0, names.len().max(1) as f64)
        }
    }

    /// Returns an axis that contains all finite `values` and zero, with a small margin.
    pub fn around(label: impl Into<String>, values: impl IntoIterator<Item = f32>) -> Self {
        let (low, high) = values
            .into_iter()
            .filter(|value| value.is_finite())
            .fold((0.0f64, 0.0f64), |(low, high), value| {
                (low.min(value.into()), high.max(value.into()))
            });
        if low == high {
            return Axis::new(label, -1.0, 1.0);
        }
        let air = (high - low) * 0.05;
        let past = |end: f64, by: f64| if end == 0.0 { 0.0 } else { end + by };
        Axis::new(label, past(low, -air), past(high, air))
    }

    /// Returns the same axis with ticks at these values.
    pub fn with_ticks(self, ticks: Vec<f64>) -> Self {
        Axis {
            ticks: Ticks::At(ticks),
            ..self
        }
    }

    /// Returns true if the ticks are names.
    pub(super) fn is_named(&self) -> bool {
        matches!(self.ticks, Ticks::Named(_))
    }

    /// Returns the values of the ticks; at most `most` of them if they are chosen by the axis.
    pub(super) fn tick_values(&self, most: usize) -> Vec<f64> {
        match &self.ticks {
            Ticks::Round => RangedCoordf64::from(self.from..self.to).key_points(BoldPoints(most)),
            Ticks::At(values) => values.clone(),
            Ticks::Named(names) => (0..names.len()).map(|place| place as f64 + 0.5).collect(),
        }
    }

    /// Returns the label of a tick if each unit is `room` CSS pixels wide.
    pub(super) fn tick_label(&self, value: f64, room: f64) -> String {
        match &self.ticks {
            Ticks::Round | Ticks::At(_) => text::number(value),
            Ticks::Named(names) => {
                let name = names.get(value as usize).map(String::as_str);
                text::shortened(name.unwrap_or_default(), room)
            }
        }
    }

    /// Returns the position of a value between the axis' start (0) and its end (1).
    pub(super) fn along(&self, value: f64) -> f64 {
        (value - self.from) / (self.to - self.from)
    }

    pub(super) fn check(&self) -> Result<(), PlotError> {
        if self.from.is_finite() && self.to.is_finite() && self.from < self.to {
            return Ok(());
        }
        Err(PlotError::EmptyAxis {
            label: self.label.clone(),
            from: self.from,
            to: self.to,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn an_axis_around_values_holds_them_and_zero(
            values in prop::collection::vec(-1e3f32..1e3, 0..9)
        ) {
            let axis = Axis::around("v", values.clone());
            prop_assert!(axis.check().is_ok());
            prop_assert!(axis.from <= 0.0 && axis.to >= 0.0);
            for value in values {
                prop_assert!((axis.from..=axis.to).contains(&f64::from(value)));
            }
        }
    }

    #[test]
    fn names_stand_in_the_middle_of_their_units() {
        let axis = Axis::of_names(vec!["a".to_owned(), "étudiant".to_owned()]);
        assert_eq!((axis.from, axis.to), (0.0, 2.0));
        assert_eq!(axis.tick_values(1), [0.5, 1.5]);
        assert_eq!(axis.tick_label(0.5, 20.0), "a");
        assert!(axis.tick_label(1.5, 20.0).ends_with('…'));
    }
}
