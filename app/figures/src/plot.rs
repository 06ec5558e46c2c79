//! Plots: axes, ticks, legend and pointer form one frame, on which plotters draws marks as SVG.
//!
//! Three measures adapt the SVG to a page. plotters places everything on whole units, so a unit here is an eighth of a
//! CSS pixel and the document has only a `viewBox`: it is sharp at any density. The background stays transparent. And
//! plotters is never asked for the size of a text, since in a browser it would insert an element into the document for
//! every such call; labels lie in bands of fixed height, and the legend breaks its lines by the estimate in [`text`].

mod axis;
pub(crate) mod canvas;
mod curves;
mod error;
mod frame;
pub(crate) mod legend;
pub(crate) mod marks;
mod scale;
pub(crate) mod text;
pub(crate) mod units;

pub use axis::{Axis, Ticks};
pub use curves::{Curve, curves};
pub use error::PlotError;
pub(crate) use frame::Area;
pub use frame::Frame;
