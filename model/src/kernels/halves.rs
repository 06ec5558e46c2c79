//! Matrices of floats of 16 bits, which stay so on the device.

use attention_gguf::{Half, HalfLines};
use burn::backend::Dispatch;
use burn::prelude::*;
use burn::tensor::{self, AllocationProperty, DType};
use bytes::Bytes;

use super::{Kernels, reads_memory};

/// A matrix of floats of 16 bits on a device, `[lines, width]`.
#[derive(Clone, Debug)]
pub struct Halves {
    half: Half,
    width: usize,
    /// The weights, two in a word, `[lines, ⌈width / 2⌉]`.
    words: Tensor<2, Int>,
}

impl Halves {
    /// Copies a matrix to a device, whose backend must be one with kernels for this width, without gradients.
    pub fn new(lines: HalfLines, device: &Device) -> Self {
        let HalfLines { width, half, words } = lines;
        let line = width.div_ceil(2).max(1);
        let shape = [words.len() / line, line];
        Halves {
            half,
            width,
            words: Tensor::from_data(TensorData::new(words, shape), (device, DType::U32)),
        }
    }

    /// Creates a matrix of lines of `width` weights, an even number, that stay where they are; `None` if the device reads no
    /// memory of others, or they do not begin at the address of a word.
    pub fn in_place(bytes: Bytes, half: Half, width: usize, device: &Device) -> Option<Self> {
        let is_aligned = bytes.as_ptr().addr().is_multiple_of(size_of::<u32>());
        if !reads_memory(device) || !is_aligned || width == 0 {
            return None;
        }
        let shape = [bytes.len() / 2 / width, width / 2];
        let bytes = tensor::Bytes::from_shared(bytes, AllocationProperty::File);
        let data = TensorData::from_bytes(bytes, shape, DType::U32);
        Some(Halves {
            half,
            width,
            words: Tensor::from_data(data, (device, DType::U32)),
        })
    }

    /// Returns the number of lines, and of weights in each.
    pub fn dims(&self) -> [usize; 2] {
        let [lines, _] = self.words.dims();
        [lines, self.width]
    }

    /// Returns the lines at these places, as f32: `[places, width]`.
    pub fn select(&self, places: Tensor<1, Int>) -> Tensor<2> {
        let selected = Halves {
            words: self.words.clone().select(0, places),
            ..*self
        };
        selected.unpack()
    }

    /// Returns the matrix as f32, `[lines, width]`.
    pub fn unpack(&self) -> Tensor<2> {
        Tensor::from_dispatch(Dispatch::unpack_halves(
            self.words.clone().into_dispatch(),
            self.width,
            self.half,
        ))
    }
}

/// Computes `x·Wᵀ`, `[rows, width]` by a matrix `[lines, width]` of floats of 16 bits.
pub fn linear_halves(x: Tensor<2>, weight: &Halves) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::linear_halves(
        x.into_dispatch(),
        weight.words.clone().into_dispatch(),
        weight.half,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selected_lines_are_those_of_the_whole_matrix() {
        let device = Device::flex();
        // Three lines of three: 1, −2, 0.5; the smallest subnormal, 65504, 0; the first one's negatives.
        let lines = HalfLines {
            width: 3,
            half: Half::F16,
            words: vec![0xc000_3c00, 0x3800, 0x7bff_0001, 0, 0x4000_bc00, 0xb800],
        };
        let halves = Halves::new(lines, &device);
        assert_eq!(halves.dims(), [3, 3]);
        let places = Tensor::<1, Int>::from_data([2, 1], &device);
        let chosen: Vec<f32> = halves.select(places).into_data().try_into_vec().unwrap();
        let least = 2_f32.powi(-24);
        assert_eq!(chosen, [-1.0, 2.0, -0.5, least, 65_504.0, 0.0]);
        let x = Tensor::<2>::from_data([[2.0, 1.0, 4.0]], &device);
        let products = linear_halves(x, &halves).into_data();
        let products: Vec<f32> = products.try_into_vec().unwrap();
        assert_eq!(products, [2.0, 65_504.0, -2.0]);
    }
}
