//! Matrices in fewer bits than f32, as they are stored.

use attention_gguf::Placed;
use burn::prelude::*;

use super::{Blocks, Halves, available, linear_blocks, linear_halves};

/// A matrix in the precision of its file on a device, `[lines, width]`. A line is a row of a table, or the weights of one
/// output. It has several parts, whose lines follow each other, where the device has no buffers for all of it.
#[derive(Clone, Debug)]
pub struct Compact(Vec<Part>);

/// Lines of a matrix that are one tensor of the device.
#[derive(Clone, Debug)]
#[allow(
    clippy::large_enum_variant,
    reason = "there is one for each matrix, and none is moved in a loop"
)]
pub enum Part {
    /// Small integers in blocks.
    Blocks(Blocks),
    /// Floats of 16 bits.
    Halves(Halves),
}

/// Returns true if a matrix of a file stays as it is stored on a device. Those of f32 and f64 do not, and none does where
/// the device has no kernels: those of graphics cards read four weights at a time, and no kernel has gradients.
pub fn keeps_stored(matrix: &Placed, device: &Device) -> bool {
    match matrix.shape.as_slice() {
        &[_, width] => matrix.stays_stored() && available(device, &[width]),
        _ => false,
    }
}

impl Compact {
    /// Creates a matrix of parts of the same width, at least one.
    pub fn new(parts: Vec<Part>) -> Self {
        Compact(parts)
    }

    /// Returns the number of parts.
    pub fn parts(&self) -> usize {
        self.0.len()
    }

    /// Returns the lines at these places, as f32: `[places, width]`.
    pub fn select(&self, places: Tensor<1, Int>) -> Tensor<2> {
        let [first, others @ ..] = self.0.as_slice() else {
            return Tensor::empty([0, 0], &places.device());
        };
        if others.is_empty() {
            return first.select(places);
        }
        let mut start = 0;
        let of_parts = self.0.iter().map(|part| {
            let lines = part.lines() as i64;
            let local = places.clone() - start;
            start += lines;
            let is_elsewhere = local
                .clone()
                .lower_elem(0)
                .bool_or(local.clone().greater_equal_elem(lines));
            let found = part.select(local.clamp(0, lines - 1));
            let is_elsewhere = is_elsewhere.unsqueeze_dim::<2>(1).expand(found.dims());
            found.mask_fill(is_elsewhere, 0.0)
        });
        // Of each place, all parts but one have zeros.
        let sum = of_parts.reduce(|sum, part| sum + part);
        sum.unwrap_or_else(|| Tensor::empty([0, 0], &places.device()))
    }

    /// Returns the matrix as f32, `[lines, width]`.
    pub fn unpack(&self) -> Tensor<2> {
        joined(self.0.iter().map(Part::unpack).collect(), 0)
    }
}

impl Part {
    fn lines(&self) -> usize {
        match self {
            Part::Blocks(blocks) => blocks.dims()[0],
            Part::Halves(halves) => halves.dims()[0],
        }
    }

    fn select(&self, places: Tensor<1, Int>) -> Tensor<2> {
        match self {
            Part::Blocks(blocks) => blocks.select(places),
            Part::Halves(halves) => halves.select(places),
        }
    }

    fn unpack(&self) -> Tensor<2> {
        match self {
            Part::Blocks(blocks) => blocks.unpack(),
            Part::Halves(halves) => halves.unpack(),
        }
    }
}

/// Computes `x·Wᵀ`, `[rows, width]` by a matrix `[lines, width]`.
pub fn linear_compact(x: Tensor<2>, weight: &Compact) -> Tensor<2> {
    let products = weight.0.iter().map(|part| match part {
        Part::Blocks(blocks) => linear_blocks(x.clone(), blocks),
        Part::Halves(halves) => linear_halves(x.clone(), halves),
    });
    joined(products.collect(), 1)
}

/// Joins tensors along an axis; one alone is not copied.
fn joined(mut tensors: Vec<Tensor<2>>, axis: usize) -> Tensor<2> {
    match tensors.pop() {
        Some(only) if tensors.is_empty() => only,
        Some(last) => {
            tensors.push(last);
            Tensor::cat(tensors, axis)
        }
        None => Tensor::cat(tensors, axis),
    }
}
