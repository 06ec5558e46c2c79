//! Matrices of floats of 16 bits, in the form that kernels multiply with: nothing is rounded or widened.

use crate::blocks::Encoding;
use crate::floats::{Floats, Order, stored_line};

/// A format of floats of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// Binary16 of IEEE 754: five bits of exponent, ten of fraction.
    F16,
    /// The upper half of a float of 32 bits.
    Bf16,
}

/// A matrix of floats of 16 bits, line by line. A line is a row of the table, or the weights of one output.
#[derive(Clone, Debug, PartialEq)]
pub struct HalfLines {
    /// The number of weights in a line.
    pub width: usize,
    /// The format of the weights.
    pub half: Half,
    /// The weights, two in a word, the first in its lower bits. A line of odd width ends with an unused half.
    pub words: Vec<u32>,
}

impl Encoding {
    /// Returns the format of floats of 16 bits; `None` for other encodings.
    pub fn half(self) -> Option<Half> {
        match self {
            Encoding::F16 => Some(Half::F16),
            Encoding::Bf16 => Some(Half::Bf16),
            _ => None,
        }
    }
}

impl HalfLines {
    /// Reserves memory for so many more lines.
    pub fn reserve(&mut self, lines: usize) {
        self.words.reserve_exact(lines * self.width.div_ceil(2));
    }

    /// Appends lines of the same width and format.
    pub fn append(&mut self, lines: &Self) {
        self.words.extend_from_slice(&lines.words);
    }
}

impl Floats<'_> {
    /// Returns a matrix of floats of 16 bits, its lines in the order of `model.safetensors`. `None` for other encodings,
    /// vectors, matrices without columns, and those that are stored with the queries of all heads first.
    pub fn halves(&self) -> Option<HalfLines> {
        let half = self.encoding.half()?;
        let &[lines, width] = self.shape.as_slice() else {
            return None;
        };
        if width == 0 {
            return None;
        }
        let (values, _) = self.bytes.as_chunks::<2>();
        let line = |index: usize| &values[index * width..][..width];
        let mut words = Vec::with_capacity(lines * width.div_ceil(2));
        match self.order {
            Order::ByHead { .. } => return None,
            Order::Same => (0..lines).for_each(|index| push(&mut words, line(index))),
            Order::Alternating { heads } => {
                for index in 0..lines {
                    push(&mut words, line(stored_line(index, lines / heads)));
                }
            }
            Order::Transposed => {
                let mut column = Vec::with_capacity(width);
                for index in 0..lines {
                    column.clear();
                    column.extend(values.iter().skip(index).step_by(lines));
                    push(&mut words, &column);
                }
            }
        }
        Some(HalfLines { width, half, words })
    }
}

/// Appends the words of a line.
fn push(words: &mut Vec<u32>, line: &[[u8; 2]]) {
    let (pairs, last) = line.as_chunks::<2>();
    words.extend(
        pairs
            .iter()
            .map(|&[[a, b], [c, d]]| u32::from_le_bytes([a, b, c, d])),
    );
    words.extend(last.iter().map(|&[a, b]| u32::from_le_bytes([a, b, 0, 0])));
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};
    use proptest::prelude::*;

    use super::*;

    /// Returns the weights of lines by the definition.
    fn weights(lines: &HalfLines) -> Vec<f32> {
        let line = lines.words.chunks(lines.width.div_ceil(2));
        let weights = line.flat_map(|line| {
            let halves = line
                .iter()
                .flat_map(|word| [*word as u16, (word >> 16) as u16]);
            halves.take(lines.width)
        });
        let widened = weights.map(|bits| match lines.half {
            Half::F16 => f16::from_bits(bits).to_f32(),
            Half::Bf16 => bf16::from_bits(bits).to_f32(),
        });
        widened.collect()
    }

    proptest! {
        #[test]
        fn weights_are_those_of_the_file(
            heads in 1_usize..4,
            width in 1_usize..8,
            is_brain: bool,
            order in 0_usize..3,
            seed in prop::collection::vec(any::<u16>(), 3 * 4 * 7),
        ) {
            // Four lines of each head.
            let lines = 4 * heads;
            // The exponent is never the largest.
            let bytes: Vec<u8> = seed[..lines * width].iter().flat_map(|bits| (bits & 0xbbff).to_le_bytes()).collect();
            let floats = Floats {
                shape: vec![lines, width],
                encoding: if is_brain { Encoding::Bf16 } else { Encoding::F16 },
                bytes: bytes.into(),
                order: [Order::Same, Order::Alternating { heads }, Order::Transposed][order],
            };
            let halves = floats.halves().unwrap();
            prop_assert_eq!(weights(&halves), floats.values());
            let bytes = 4 * halves.words.len() as u64;
            let even = lines * width.next_multiple_of(2);
            prop_assert_eq!(bytes, 2 * even as u64);
            prop_assert_eq!(floats.encoding.loaded_bytes(&[lines as u64, width as u64]), bytes);
        }
    }

    #[test]
    fn other_tensors_are_no_halves() {
        let floats = |shape: &[usize], encoding: Encoding| Floats {
            shape: shape.to_vec(),
            encoding,
            bytes: vec![0; 24].into(),
            order: Order::Same,
        };
        assert!(floats(&[3, 4], Encoding::F16).halves().is_some());
        assert_eq!(floats(&[12], Encoding::F16).halves(), None);
        assert_eq!(floats(&[12, 0], Encoding::Bf16).halves(), None);
        assert_eq!(floats(&[2, 3], Encoding::F32).halves(), None);
    }
}
