//! Matrices in fewer bits than f32, as they are stored.

use attention_gguf::Floats;
use burn::prelude::*;

use super::{Blocks, Halves, available, linear_blocks, linear_halves};

/// A matrix in the precision of its file on a device, `[lines, width]`. A line is a row of a table, or the weights of one
/// output.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one for each matrix, and none is moved in a loop"
)]
pub enum Compact {
    /// Small integers in blocks.
    Blocks(Blocks),
    /// Floats of 16 bits.
    Halves(Halves),
}

impl Compact {
    /// Copies a matrix to a device without widening it. `None` for matrices of f32 or f64, and where the device has no
    /// kernels: those of graphics cards read four weights at a time, and no kernel has gradients.
    pub fn new(stored: &Floats<'_>, device: &Device) -> Option<Self> {
        let &[_, width] = stored.shape.as_slice() else {
            return None;
        };
        if !available(device, &[width]) {
            return None;
        }
        if let Some(lines) = stored.coded() {
            return Some(Compact::Blocks(Blocks::new(lines, device)));
        }
        let lines = stored.halves()?;
        Some(Compact::Halves(Halves::new(lines, device)))
    }

    /// Returns the lines at these places, as f32: `[places, width]`.
    pub fn select(&self, places: Tensor<1, Int>) -> Tensor<2> {
        match self {
            Compact::Blocks(blocks) => blocks.select(places),
            Compact::Halves(halves) => halves.select(places),
        }
    }

    /// Returns the matrix as f32, `[lines, width]`.
    pub fn unpack(&self) -> Tensor<2> {
        match self {
            Compact::Blocks(blocks) => blocks.unpack(),
            Compact::Halves(halves) => halves.unpack(),
        }
    }
}

/// Computes `x·Wᵀ`, `[rows, width]` by a matrix `[lines, width]`.
pub fn linear_compact(x: Tensor<2>, weight: &Compact) -> Tensor<2> {
    match weight {
        Compact::Blocks(blocks) => linear_blocks(x, blocks),
        Compact::Halves(halves) => linear_halves(x, halves),
    }
}
