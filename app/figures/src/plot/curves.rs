//! Curves over numbers, with a legend.

use super::{
    axis::Axis,
    canvas,
    error::PlotError,
    frame::Frame,
    legend::{Key, Swatch},
    marks::{self, Paint},
};
use crate::color::Rgb;

/// A curve of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The name in the legend; `None` leaves the curve out of the legend.
    pub label: Option<String>,
    /// The points `(x, y)` from left to right. Points that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// The colour of the curve.
    pub color: Rgb,
    /// The stroke width in CSS pixels.
    pub width: f64,
    /// The opacity of the curve, 0…1.
    pub opacity: f64,
}

impl Curve {
    /// Returns a curve whose `x` counts 0, 1, 2, …
    pub fn counted(label: impl Into<String>, values: &[f32], color: Rgb) -> Self {
        Curve {
            label: Some(label.into()),
            points: values
                .iter()
                .enumerate()
                .map(|(x, &y)| (x as f64, f64::from(y)))
                .collect(),
            color,
            width: 2.0,
            opacity: 1.0,
        }
    }

    /// Returns the same curve thin, faint and without an entry in the legend, as one of many.
    pub fn faint(self) -> Self {
        Curve {
            label: None,
            width: 1.0,
            opacity: 0.35,
            ..self
        }
    }
}

impl Curve {
    fn key(&self) -> Option<Key> {
        Some(Key {
            label: self.label.clone()?,
            color: self.color,
            swatch: Swatch::Line,
        })
    }
}

impl Axis {
    /// Returns an axis that contains all finite points of `curves` and zero, with a small margin.
    pub fn around_curves(label: impl Into<String>, curves: &[Curve]) -> Self {
        let points = curves.iter().flat_map(|curve| &curve.points);
        Axis::around(label, points.map(|&(_, y)| y as f32))
    }
}

/// Draws the curves as an SVG document without width and height, to be scaled by the page.
///
/// # Errors
/// If an axis has no extent, or plotters fails.
pub fn curves(frame: &Frame, curves: &[Curve]) -> Result<String, PlotError> {
    let keys: Vec<Key> = curves.iter().filter_map(Curve::key).collect();
    canvas::draw(frame, &keys, |canvas| {
        for curve in curves {
            let points = curve.points.iter().copied();
            let finite = points.filter(|(x, y)| x.is_finite() && y.is_finite());
            let (color, opacity) = (curve.color, curve.opacity);
            marks::line(canvas, finite, Paint { color, opacity }, curve.width)?;
        }
        Ok(())
    })
}
