//! Figures as pure functions from data to a scene: pixels, line geometry, shades or an SVG
//! document.
//!
//! The crate does not depend on the DOM, so every figure is tested natively; the page only displays the result.

#![warn(missing_docs)]

pub mod bars;
pub mod bipartite;
pub mod color;
pub mod difference;
pub mod dot_product;
pub mod exchange;
pub mod export;
pub mod flowing_back;
pub mod heatmap;
pub mod kept_parts;
pub mod lattice;
pub mod layer_picture;
pub mod map_window;
pub mod matrix;
pub mod model_map;
pub mod number;
pub mod passes;
pub mod picture;
pub mod plane;
pub mod plot;
pub mod principal;
pub mod pulled;
pub mod scatter;
pub mod sentence;
pub mod sheet;
pub mod stacked;
pub mod staged;
pub mod strip;
pub mod tree;

pub use color::{Rgb, Theme};
