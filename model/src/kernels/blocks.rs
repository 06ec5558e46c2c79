//! Matrices whose weights are stored as small integers, and stay so on the device.

use attention_gguf::{CodedLines, Coding};
use burn::backend::Dispatch;
use burn::prelude::*;
use burn::tensor::DType;

use super::Kernels;

/// A matrix in blocks on a device, `[lines, width]`.
#[derive(Clone, Debug)]
pub struct Blocks {
    coding: Coding,
    /// The codes, `[lines, words]`.
    codes: Tensor<2, Int>,
    /// The scales and, unless they are zero, the offsets: `[1 or 2, lines, blocks]`.
    levels: Tensor<3>,
}

impl Blocks {
    /// Copies a matrix to a device, whose backend must be one with kernels, without gradients.
    pub fn new(lines: CodedLines, device: &Device) -> Self {
        let CodedLines {
            width,
            coding,
            codes,
            mut scales,
            offsets,
        } = lines;
        let blocks = width / coding.block();
        let lines = scales.len() / blocks;
        let words = blocks * coding.block_bytes() / 4;
        let kinds = if offsets.is_empty() { 1 } else { 2 };
        scales.extend(offsets);
        Blocks {
            coding,
            codes: Tensor::from_data(TensorData::new(codes, [lines, words]), (device, DType::U32)),
            levels: Tensor::from_data(TensorData::new(scales, [kinds, lines, blocks]), device),
        }
    }

    /// Returns the number of lines, and of weights in each.
    pub fn dims(&self) -> [usize; 2] {
        let [_, lines, blocks] = self.levels.dims();
        [lines, blocks * self.coding.block()]
    }

    /// Returns the lines at these places, as f32: `[places, width]`.
    pub fn select(&self, places: Tensor<1, Int>) -> Tensor<2> {
        let selected = Blocks {
            coding: self.coding,
            codes: self.codes.clone().select(0, places.clone()),
            levels: self.levels.clone().select(1, places),
        };
        selected.unpack()
    }

    /// Returns the matrix as f32, `[lines, width]`.
    pub fn unpack(&self) -> Tensor<2> {
        Tensor::from_dispatch(Dispatch::unpack_blocks(
            self.codes.clone().into_dispatch(),
            self.levels.clone().into_dispatch(),
            self.coding,
        ))
    }
}

/// Computes `x·Wᵀ`, `[rows, width]` by a matrix `[lines, width]` in blocks.
pub fn linear_blocks(x: Tensor<2>, weight: &Blocks) -> Tensor<2> {
    Tensor::from_dispatch(Dispatch::linear_blocks(
        x.into_dispatch(),
        weight.codes.clone().into_dispatch(),
        weight.levels.clone().into_dispatch(),
        weight.coding,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selected_lines_are_those_of_the_whole_matrix() {
        let device = Device::flex();
        let lines = CodedLines {
            width: 32,
            coding: Coding::Nibbles,
            codes: (0..12).map(|i: u32| i.wrapping_mul(0x9e37_79b9)).collect(),
            scales: vec![0.5, -0.25, 2.0],
            offsets: vec![0.0, 1.0, -3.0],
        };
        let blocks = Blocks::new(lines, &device);
        assert_eq!(blocks.dims(), [3, 32]);
        let whole: Vec<f32> = blocks.unpack().into_data().try_into_vec().unwrap();
        // The first code is in the lowest bits of the first word.
        assert_eq!(whole[0], 0.5 * -8.0);
        let places = Tensor::<1, Int>::from_data([2, 0], &device);
        let chosen: Vec<f32> = blocks.select(places).into_data().try_into_vec().unwrap();
        assert_eq!(chosen, [&whole[64..], &whole[..32]].concat());
        let x = Tensor::<2>::ones([1, 32], &device);
        let sums: Vec<f32> = linear_blocks(x, &blocks)
            .into_data()
            .try_into_vec()
            .unwrap();
        for (sum, line) in sums.iter().zip(whole.chunks(32)) {
            assert!((sum - line.iter().sum::<f32>()).abs() < 1e-4);
        }
    }
}
