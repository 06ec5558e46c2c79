//! Plots: axes, ticks, legend and pointer are one frame, on which marks are drawn by plotters as SVG.
//!
//! Three things make the SVG fit for a page. plotters places everything on whole units, so a unit
//! here is an eighth of a CSS pixel and the document carries only a `viewBox`: it is sharp at any
//! density. The background stays transparent. And nothing asks plotters for the size of a text,
//! which in a browser would put an element into the document for every question; labels stand
//! in bands of fixed height, and the legend breaks its lines by the estimate in [`text`].

mod axis;
pub(crate) mod canvas;
mod curves;
mod error;
mod frame;
pub(crate) mod legend;
pub(crate) mod marks;
mod scale;
pub(crate) mod text;
mod units;

pub use axis::{Axis, Ticks};
pub use curves::{Curve, curves};
pub use error::PlotError;
pub(crate) use frame::Area;
pub use frame::Frame;
