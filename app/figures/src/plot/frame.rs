//! The frame of a plot: its size and axes, the room they take, and conversions between values and places.

use super::{axis::Axis, text};
use crate::color::Theme;

/// The height below the axis for tick labels, in CSS pixels.
const TICK_BAND: f64 = 22.0;
/// The height below the tick labels for the label of the axis.
const LABEL_BAND: f64 = 20.0;
/// The least width left of the axis for tick labels.
const LEFT_BAND: f64 = 46.0;
/// The least width beside named ticks, whose labels stay within their units.
const NAMED_LEFT_BAND: f64 = 34.0;
/// The part of the width that a label leaves free: the tick, and a margin on both sides.
const BESIDE_LABEL: f64 = 14.0;
/// The room right of the plot for half a number.
const RIGHT_MARGIN: f64 = 14.0;
/// The room above named bars for the number of the highest bar.
const NUMBER_BAND: f64 = 10.0;

/// The size, axes and theme of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The width in CSS pixels.
    pub width: f64,
    /// The height in CSS pixels, legend included.
    pub height: f64,
    /// The horizontal axis of the plot.
    pub x: Axis,
    /// The vertical axis of the plot.
    pub y: Axis,
    /// The theme of the page behind the plot.
    pub theme: Theme,
}

/// The place between the axes, in CSS pixels from the upper left corner of the figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Area {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
}

impl Area {
    /// Returns the place of a point given by values of the frame's axes.
    pub(crate) fn place(&self, frame: &Frame, [x, y]: [f64; 2]) -> [f64; 2] {
        [
            self.left + frame.x.along(x) * (self.right - self.left),
            self.bottom - frame.y.along(y) * (self.bottom - self.top),
        ]
    }

    /// Returns the width of a unit of the horizontal axis.
    pub(crate) fn unit(&self, frame: &Frame) -> f64 {
        (self.right - self.left) / (frame.x.to - frame.x.from)
    }
}

impl Frame {
    /// Returns the place between the axes below a legend of the given height.
    pub(crate) fn area(&self, legend: f64) -> Area {
        let [left, right] = self.sides();
        Area {
            left,
            top: legend + self.number_band(),
            right,
            bottom: self.height - self.bottom_band(),
        }
    }

    /// Returns the start and the end of the horizontal axis, in CSS pixels.
    fn sides(&self) -> [f64; 2] {
        [self.left_band(), self.width - self.right_margin()]
    }

    /// Returns the width left of the axis, as needed by the widest of its labels.
    pub(super) fn left_band(&self) -> f64 {
        let ticks = self.y_ticks().into_iter();
        let widths = ticks.map(|tick| text::width(&text::number(tick)) + BESIDE_LABEL);
        let least = match self.x.is_named() {
            true => NAMED_LEFT_BAND,
            false => LEFT_BAND,
        };
        widths.fold(least, f64::max)
    }

    pub(super) fn right_margin(&self) -> f64 {
        if self.x.is_named() { 0.0 } else { RIGHT_MARGIN }
    }

    pub(super) fn bottom_band(&self) -> f64 {
        match self.x.label.is_empty() {
            true => TICK_BAND,
            false => TICK_BAND + LABEL_BAND,
        }
    }

    fn number_band(&self) -> f64 {
        if self.x.is_named() { NUMBER_BAND } else { 0.0 }
    }

    /// Returns the ticks of the horizontal axis; about one in 55 pixels.
    pub(super) fn x_ticks(&self) -> Vec<f64> {
        let most = ((self.width - self.left_band()) / 55.0).clamp(2.0, 12.0);
        self.x.tick_values(most as usize)
    }

    /// Returns the ticks of the vertical axis; about one in 45 pixels.
    pub(super) fn y_ticks(&self) -> Vec<f64> {
        let most = ((self.height - self.bottom_band()) / 45.0).clamp(2.0, 10.0);
        self.y.tick_values(most as usize)
    }

    /// Returns the value of `x` at a fraction (0…1) of the figure's width, the position of a pointer; `None` beside the
    /// axis.
    pub fn x_at(&self, fraction: f64) -> Option<f64> {
        let [left, right] = self.sides();
        let along = (fraction * self.width - left) / (right - left);
        (0.0..=1.0)
            .contains(&along)
            .then_some(self.x.from + along * (self.x.to - self.x.from))
    }

    /// Returns the position of the value in the figure's width (0…1), the inverse of [`x_at`](Self::x_at).
    pub fn fraction_of(&self, x: f64) -> f64 {
        let [left, right] = self.sides();
        (left + self.x.along(x) * (right - left)) / self.width
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
    }

    #[test]
    fn a_wide_label_of_the_axis_has_room() {
        let mut wide = frame(0.0, 1.0);
        assert_eq!(wide.left_band(), LEFT_BAND);
        let narrow = Frame {
            x: Axis::of_names(vec!["a".to_owned()]),
            y: wide.y.clone().with_ticks(vec![0.0, 1.0]),
            ..wide.clone()
        };
        assert_eq!(narrow.left_band(), NAMED_LEFT_BAND);
        wide.y = Axis::new("count", 0.0, 2_000_000.0);
        assert!(wide.left_band() > text::width("2000000"));
    }

    #[test]
    fn a_point_lies_where_its_fraction_says() {
        let frame = frame(0.0, 4.0);
        let area = frame.area(20.0);
        let [x, y] = area.place(&frame, [1.0, 0.5]);
        assert!((x / frame.width - frame.fraction_of(1.0)).abs() < 1e-9);
        assert_eq!(y, (area.top + area.bottom) / 2.0);
    }

    #[test]
    fn beside_the_axis_there_is_no_value() {
        assert_eq!(frame(0.0, 1.0).x_at(0.0), None);
        assert_eq!(frame(0.0, 1.0).x_at(1.0), None);
    }
}
