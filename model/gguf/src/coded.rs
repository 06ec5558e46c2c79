//! Quantised tensors in the codings that kernels multiply with: small integers in blocks with one scale, and perhaps one
//! offset, each. ggml's encodings are repacked without changing a weight by more than the rounding of its offset.

use crate::blocks::{
    Encoding, five_bits, four_bits, one_bit, scale, six_bit_scale, six_bit_scales, two_bits,
};
use crate::floats::{Floats, Order, stored_line};

/// The coding of a matrix in blocks: `weight = scale·code + offset`, with one scale and one offset for each block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// Blocks of 32 codes from −8 to 7. Sixteen bytes hold a block: codes 0 to 15 in their lower halves, 16 to 31 in
    /// their upper halves, each plus 8.
    Nibbles,
    /// Blocks of 32 codes from −128 to 127, a byte each.
    Bytes,
    /// Blocks of 16 codes from −128 to 127, a byte each.
    ShortBytes,
}

impl Coding {
    /// Returns the number of codes in a block.
    pub const fn block(self) -> usize {
        match self {
            Coding::Nibbles | Coding::Bytes => 32,
            Coding::ShortBytes => 16,
        }
    }

    /// Returns the number of bytes that the codes of a block take.
    pub const fn block_bytes(self) -> usize {
        match self {
            Coding::Nibbles | Coding::ShortBytes => 16,
            Coding::Bytes => 32,
        }
    }
}

/// A matrix in blocks, line by line. A line is a row of the table, or the weights of one output.
#[derive(Clone, Debug, PartialEq)]
pub struct CodedLines {
    /// The number of weights in a line, a multiple of a block.
    pub width: usize,
    /// The coding of the weights.
    pub coding: Coding,
    /// The codes, line after line, four bytes in a word, the first in its lowest bits.
    pub codes: Vec<u32>,
    /// The scale of each block.
    pub scales: Vec<f32>,
    /// The offset of each block; empty if all are zero.
    pub offsets: Vec<f32>,
}

impl Floats<'_> {
    /// Returns a quantised matrix without widening it, its lines in the order of `model.safetensors`. `None` for floats,
    /// vectors, and matrices that are stored transposed or with the queries of all heads first.
    pub fn coded(&self) -> Option<CodedLines> {
        let &[lines, width] = self.shape.as_slice() else {
            return None;
        };
        let coding = self.encoding.coding()?;
        let coded = self.encoding.coded(coding, width, &self.bytes);
        match self.order {
            Order::Same => Some(coded),
            Order::Alternating { heads } => Some(coded.halves_apart(lines / heads)),
            Order::ByHead { .. } | Order::Transposed => None,
        }
    }
}

impl CodedLines {
    /// Returns no lines, with memory for so many blocks.
    fn with_capacity(width: usize, coding: Coding, blocks: usize, has_offsets: bool) -> Self {
        CodedLines {
            width,
            coding,
            codes: Vec::with_capacity(blocks * coding.block_bytes() / 4),
            scales: Vec::with_capacity(blocks),
            offsets: Vec::with_capacity(if has_offsets { blocks } else { 0 }),
        }
    }

    /// Reserves memory for so many more lines like those that are there.
    pub fn reserve(&mut self, lines: usize) {
        let blocks = self.width / self.coding.block();
        let more = lines * blocks;
        self.codes
            .reserve_exact(more * self.coding.block_bytes() / 4);
        // Offsets follow the scales where both become one array.
        let offsets = match self.offsets.is_empty() {
            true => 0,
            false => self.offsets.len() + more,
        };
        self.scales.reserve_exact(more + offsets);
        self.offsets.reserve_exact(offsets.min(more));
    }

    /// Appends lines of the same width and coding, with or without offsets as these.
    pub fn append(&mut self, lines: &Self) {
        self.codes.extend_from_slice(&lines.codes);
        self.scales.extend_from_slice(&lines.scales);
        self.offsets.extend_from_slice(&lines.offsets);
    }

    /// Appends a block with this scale.
    fn push(&mut self, scale: f32, code: impl Fn(usize) -> i8) {
        self.scales.push(scale);
        let byte = |at: usize| match self.coding {
            Coding::Nibbles => (code(at) + 8) as u8 | ((code(at + 16) + 8) as u8) << 4,
            Coding::Bytes | Coding::ShortBytes => code(at).cast_unsigned(),
        };
        let words = 0..self.coding.block_bytes() / 4;
        let word = |word: usize| u32::from_le_bytes(std::array::from_fn(|i| byte(4 * word + i)));
        self.codes.extend(words.map(word));
    }

    /// Appends a block whose codes are stored as they are kept here.
    fn push_stored(&mut self, scale: f32, codes: &[u8]) {
        self.scales.push(scale);
        let (words, _) = codes.as_chunks::<4>();
        self.codes
            .extend(words.iter().map(|&word| u32::from_le_bytes(word)));
    }

    /// Returns the lines with those of each head's first half before those of its second; `head` is the number of its
    /// lines, which alternate.
    fn halves_apart(&self, head: usize) -> Self {
        let lines = self.scales.len() / (self.width / self.coding.block());
        let order = (0..lines).map(|line| stored_line(line, head));
        fn reordered<T: Copy>(
            values: &[T],
            order: impl Iterator<Item = usize>,
            lines: usize,
        ) -> Vec<T> {
            let each = values.len() / lines.max(1);
            order
                .flat_map(|line| &values[line * each..][..each])
                .copied()
                .collect()
        }
        CodedLines {
            codes: reordered(&self.codes, order.clone(), lines),
            scales: reordered(&self.scales, order.clone(), lines),
            offsets: reordered(&self.offsets, order, lines),
            ..*self
        }
    }
}

impl Encoding {
    /// Returns the coding that holds the values of an encoding; `None` for floats.
    fn coding(self) -> Option<Coding> {
        match self {
            Encoding::F32 | Encoding::F16 | Encoding::Bf16 | Encoding::F64 => None,
            Encoding::Q4_0 | Encoding::Q4_1 | Encoding::Q4K => Some(Coding::Nibbles),
            Encoding::Q5_0 | Encoding::Q5_1 | Encoding::Q8_0 | Encoding::Q5K => Some(Coding::Bytes),
            Encoding::Q2K | Encoding::Q3K | Encoding::Q6K => Some(Coding::ShortBytes),
        }
    }

    /// True if blocks have offsets.
    fn has_offsets(self) -> bool {
        matches!(
            self,
            Encoding::Q4_1 | Encoding::Q5_1 | Encoding::Q2K | Encoding::Q4K | Encoding::Q5K
        )
    }

    /// Returns the bytes that a tensor of this shape takes once it is loaded: floats of 32 bits, blocks with a scale, and
    /// perhaps an offset, of 32 bits, or the floats of 16 bits of a matrix, an even number in each line.
    pub fn loaded_bytes(self, shape: &[u64]) -> u64 {
        let product = |sizes: &[u64]| {
            sizes
                .iter()
                .fold(1, |all: u64, &size| all.saturating_mul(size))
        };
        let values = product(shape);
        let Some(coding) = self.coding() else {
            return match (self.half(), shape) {
                (Some(_), &[lines, width]) => {
                    let line = width.saturating_add(width % 2).saturating_mul(2);
                    lines.saturating_mul(line)
                }
                _ => values.saturating_mul(4),
            };
        };
        let levels = if self.has_offsets() { 8 } else { 4 };
        let block = coding.block_bytes() as u64 + levels;
        (values / coding.block() as u64).saturating_mul(block)
    }

    /// Returns the codes, scales and offsets of whole blocks. Codes are centred at 0, so that sums of products cancel less.
    fn coded(self, coding: Coding, width: usize, data: &[u8]) -> CodedLines {
        let values = data.len() / self.block_bytes() * self.block_values();
        let blocks = values / coding.block();
        let mut lines = CodedLines::with_capacity(width, coding, blocks, self.has_offsets());
        for block in data.chunks_exact(self.block_bytes()) {
            match self {
                Encoding::Q4_0 => lines.push_stored(scale(block, 0), &block[2..18]),
                Encoding::Q4_1 => {
                    let (d, least) = (scale(block, 0), scale(block, 2));
                    lines.push_stored(d, &block[4..20]);
                    lines.offsets.push(least + 8.0 * d);
                }
                Encoding::Q5_0 => {
                    lines.push(scale(block, 0), |i| five_bits(&block[2..], i) as i8 - 16);
                }
                Encoding::Q5_1 => {
                    let (d, least) = (scale(block, 0), scale(block, 2));
                    lines.push(d, |i| five_bits(&block[4..], i) as i8 - 16);
                    lines.offsets.push(least + 16.0 * d);
                }
                Encoding::Q8_0 => lines.push_stored(scale(block, 0), &block[2..34]),
                Encoding::Q2K => q2_k(&mut lines, block),
                Encoding::Q3K => q3_k(&mut lines, block),
                Encoding::Q4K => q4_k(&mut lines, block),
                Encoding::Q5K => q5_k(&mut lines, block),
                Encoding::Q6K => q6_k(&mut lines, block),
                Encoding::F32 | Encoding::F16 | Encoding::Bf16 | Encoding::F64 => {}
            }
        }
        lines
    }
}

fn q2_k(lines: &mut CodedLines, block: &[u8]) {
    let (scales, quants) = (&block[..16], &block[16..80]);
    let (d, least) = (scale(block, 80), scale(block, 82));
    for (group, &both) in scales.iter().enumerate() {
        lines.push(d * f32::from(both & 0x0f), |i| {
            two_bits(quants, 16 * group + i) as i8
        });
        lines.offsets.push(-(least * f32::from(both >> 4)));
    }
}

fn q3_k(lines: &mut CodedLines, block: &[u8]) {
    let (high, quants, scales) = (&block[..32], &block[32..96], &block[96..108]);
    let d = scale(block, 108);
    for group in 0..16 {
        lines.push(d * six_bit_scale(scales, group), |i| {
            let i = 16 * group + i;
            two_bits(quants, i) as i8 - 4 * (one_bit(high, i) ^ 1) as i8
        });
    }
}

fn q4_k(lines: &mut CodedLines, block: &[u8]) {
    let (scales, quants) = (&block[4..16], &block[16..]);
    let (d, least) = (scale(block, 0), scale(block, 2));
    for group in 0..8 {
        let (scale, minimum) = six_bit_scales(scales, group);
        lines.push(d * scale, |i| {
            four_bits(quants, 32 * group + i, 32) as i8 - 8
        });
        lines.offsets.push(8.0 * (d * scale) - least * minimum);
    }
}

fn q5_k(lines: &mut CodedLines, block: &[u8]) {
    let (scales, high, quants) = (&block[4..16], &block[16..48], &block[48..]);
    let (d, least) = (scale(block, 0), scale(block, 2));
    for group in 0..8 {
        let (scale, minimum) = six_bit_scales(scales, group);
        lines.push(d * scale, |i| {
            let i = 32 * group + i;
            (four_bits(quants, i, 32) | one_bit(high, i) << 4) as i8 - 16
        });
        lines.offsets.push(16.0 * (d * scale) - least * minimum);
    }
}

fn q6_k(lines: &mut CodedLines, block: &[u8]) {
    let (low, high, scales) = (&block[..128], &block[128..192], &block[192..208]);
    let d = scale(block, 208);
    for (group, &scale) in scales.iter().enumerate() {
        lines.push(d * f32::from(scale.cast_signed()), |i| {
            let i = 16 * group + i;
            (four_bits(low, i, 64) | two_bits(high, i) << 4) as i8 - 32
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::blocks::nibble;

    /// Returns the weights of lines by the definition.
    fn weights(lines: &CodedLines) -> Vec<f32> {
        let bytes: Vec<u8> = lines
            .codes
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        let blocks = bytes.chunks_exact(lines.coding.block_bytes());
        let blocks = blocks.zip(&lines.scales).enumerate();
        let weights = blocks.flat_map(|(index, (block, &scale))| {
            let offset = lines.offsets.get(index).copied().unwrap_or(0.0);
            let code = move |i: usize| match lines.coding {
                Coding::Nibbles => nibble(block, i) as i8 - 8,
                Coding::Bytes | Coding::ShortBytes => block[i].cast_signed(),
            };
            (0..lines.coding.block()).map(move |i| scale * f32::from(code(i)) + offset)
        });
        weights.collect()
    }

    proptest! {
        #[test]
        fn weights_are_those_of_the_file(
            number in 0..Encoding::ALL.len(),
            lines in 1_usize..3,
            seed in prop::collection::vec(any::<u8>(), 210 * 4),
        ) {
            let encoding = Encoding::ALL[number];
            prop_assume!(encoding.is_quantised());
            // Four lines of each head, two heads.
            let lines = 8 * lines;
            let width = encoding.block_values();
            let mut bytes = seed.iter().copied().cycle().take(lines * encoding.block_bytes()).collect::<Vec<u8>>();
            encoding.make_finite(&mut bytes);
            for order in [Order::Same, Order::Alternating { heads: 2 }] {
                let floats = Floats { shape: vec![lines, width], encoding, bytes: bytes.as_slice().into(), order };
                let coded = floats.coded().unwrap();
                prop_assert_eq!(coded.width, width);
                let numbers = coded.codes.len() + coded.scales.len() + coded.offsets.len();
                prop_assert_eq!(encoding.loaded_bytes(&[lines as u64, width as u64]), 4 * numbers as u64);
                let (found, expected) = (weights(&coded), floats.values());
                prop_assert_eq!(found.len(), expected.len());
                for (block, (found, expected)) in found.chunks(width).zip(expected.chunks(width)).enumerate() {
                    let largest = expected.iter().fold(0.0_f32, |largest, value| largest.max(value.abs()));
                    for (found, expected) in found.iter().zip(expected) {
                        prop_assert!((found - expected).abs() <= 1e-6 * largest, "block {block}: {found} {expected}");
                    }
                }
            }
        }
    }
}
