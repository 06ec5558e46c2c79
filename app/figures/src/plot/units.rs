//! CSS pixels and colours as plotters takes them.

use plotters::style::RGBColor;

use crate::color::Rgb;

/// Drawing units per CSS pixel: plotters rounds to whole units.
pub(crate) const UNITS_PER_PIXEL: u32 = 8;

/// Converts CSS pixels to drawing units, as a coordinate.
pub(super) fn units(pixels: f64) -> i32 {
    (pixels * f64::from(UNITS_PER_PIXEL)).round() as i32
}

/// Converts CSS pixels to drawing units, as a size.
pub(super) fn extent(pixels: f64) -> u32 {
    units(pixels).unsigned_abs()
}

pub(super) fn rgb([red, green, blue]: Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}
