//! Platforms whose vectors are known at compile time: `Lanes` uses them.

use std::convert::Infallible;

use attention_gguf::{Coding, Half};

use crate::kernels::cpu::product::blocks::Line;

/// Vectors that are found at run time, of which this platform has none.
#[derive(Clone, Copy)]
pub struct Wide(Infallible);

impl Wide {
    /// Returns `None` on this platform.
    #[inline(always)]
    pub fn detect() -> Option<Self> {
        None
    }

    /// Computes the scalar product of a row with a line in blocks, given the row's sums by blocks.
    pub fn dot_blocks(self, _: Coding, _: &[f32], _: &[f32], _: Line<'_>) -> f32 {
        match self.0 {}
    }

    /// Writes the weights of a line in blocks as f32.
    pub fn unpack_blocks(self, _: Coding, _: Line<'_>, _: &mut [f32]) {
        match self.0 {}
    }

    /// Computes the scalar product of a row with a line of floats of 16 bits.
    pub fn dot_halves(self, _: Half, _: &[f32], _: &[u16]) -> f32 {
        match self.0 {}
    }

    /// Writes a line of floats of 16 bits as f32.
    pub fn unpack_halves(self, _: Half, _: &[u16], _: &mut [f32]) {
        match self.0 {}
    }
}
