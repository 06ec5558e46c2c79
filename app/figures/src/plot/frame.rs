//! What surrounds the curves: size, axes, and the way from a pointer back to a value.

use plotters::coord::{
    ranged1d::{BoldPoints, Ranged},
    types::RangedCoordf64,
};

use super::{Curve, PlotError, text};
use crate::color::Theme;

/// Drawing units per CSS pixel: plotters rounds to whole units.
pub(super) const UNITS_PER_PIXEL: u32 = 8;
/// Height below the axis for tick labels and the axis label, in CSS pixels.
pub(super) const BOTTOM_BAND: f64 = 42.0;
/// The least width left of the axis for tick labels.
const LEFT_BAND: f64 = 46.0;
/// Part of it that a label leaves free: the tick, and air on both sides.
const BESIDE_LABEL: f64 = 14.0;
/// Room right of the plot for half a tick label.
pub(super) const RIGHT_MARGIN: f64 = 14.0;

/// CSS pixels in drawing units, as a coordinate.
pub(super) fn units(pixels: f64) -> i32 {
    (pixels * f64::from(UNITS_PER_PIXEL)).round() as i32
}

/// CSS pixels in drawing units, as a size.
pub(super) fn extent(pixels: f64) -> u32 {
    units(pixels).unsigned_abs()
}

/// One axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it counts, unit included.
    pub label: String,
    /// The value where it starts.
    pub from: f64,
    /// The value where it ends.
    pub to: f64,
}

impl Axis {
    /// An axis over a given extent.
    pub fn new(label: impl Into<String>, from: f64, to: f64) -> Self {
        Axis {
            label: label.into(),
            from,
            to,
        }
    }

    /// An axis that holds all finite `values` and zero, with a little air.
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

    /// An axis that holds all finite points of `curves` and zero, with a little air.
    pub fn around_curves(label: impl Into<String>, curves: &[Curve]) -> Self {
        let points = curves.iter().flat_map(|curve| &curve.points);
        Axis::around(label, points.map(|&(_, y)| y as f32))
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

/// The size, axes and theme of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What the plot stands on.
    pub theme: Theme,
}

impl Frame {
    /// Width left of the axis, as the widest of its labels asks for.
    pub(super) fn left_band(&self) -> f64 {
        let axis = RangedCoordf64::from(self.y.from..self.y.to);
        let ticks = axis.key_points(BoldPoints(self.y_ticks())).into_iter();
        let widths = ticks.map(|tick| text::width(&text::number(tick)) + BESIDE_LABEL);
        widths.fold(LEFT_BAND, f64::max)
    }

    /// About one tick in 55 pixels.
    pub(super) fn x_ticks(&self) -> usize {
        ((self.width - self.left_band()) / 55.0).clamp(2.0, 12.0) as usize
    }

    /// About one tick in 45 pixels.
    pub(super) fn y_ticks(&self) -> usize {
        ((self.height - BOTTOM_BAND) / 45.0).clamp(2.0, 10.0) as usize
    }

    /// The value of `x` at a fraction (0…1) of the figure's width, where a pointer stands; `None`
    /// beside the axis.
    pub fn x_at(&self, fraction: f64) -> Option<f64> {
        let left = self.left_band();
        let inside = fraction * self.width - left;
        let extent = self.width - left - RIGHT_MARGIN;
        let along = inside / extent;
        (0.0..=1.0)
            .contains(&along)
            .then_some(self.x.from + along * (self.x.to - self.x.from))
    }

    /// The inverse of [`x_at`](Self::x_at): where in the figure's width (0…1) the value lies.
    pub fn fraction_of(&self, x: f64) -> f64 {
        let along = (x - self.x.from) / (self.x.to - self.x.from);
        let left = self.left_band();
        let extent = self.width - left - RIGHT_MARGIN;
        (left + along * extent) / self.width
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame(from: f64, to: f64) -> Frame {
        Frame {
            width: 640.0,
            height: 300.0,
            x: Axis::new("x", from, to),
            y: Axis::new("y", 0.0, 1.0),
            theme: Theme::Light,
        }
    }

    proptest! {
        #[test]
        fn the_pointer_finds_the_value_under_it(
            from in -10.0f64..10.0, extent in 0.1f64..100.0, along in 0.001f64..0.999
        ) {
            let frame = frame(from, from + extent);
            let x = from + along * extent;
            let found = frame.x_at(frame.fraction_of(x)).unwrap();
            prop_assert!((found - x).abs() < 1e-9 * (1.0 + x.abs()));
        }

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
    fn a_wide_label_of_the_axis_has_room() {
        let mut wide = frame(0.0, 1.0);
        assert_eq!(wide.left_band(), LEFT_BAND);
        wide.y = Axis::new("count", 0.0, 2_000_000.0);
        assert!(wide.left_band() > text::width("2000000"));
    }

    #[test]
    fn beside_the_axis_there_is_no_value() {
        assert_eq!(frame(0.0, 1.0).x_at(0.0), None);
        assert_eq!(frame(0.0, 1.0).x_at(1.0), None);
    }
}
