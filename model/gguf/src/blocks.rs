//! The encodings of tensors: floats, and blocks of quantised values with common scales, as in
//! [ggml](https://github.com/ggml-org/ggml/blob/master/src/ggml-common.h).

use half::{bf16, f16};

/// An encoding of a tensor's values. The names of quantised ones are ggml's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// Floats of 32 bits.
    F32,
    /// Floats of 16 bits as in IEEE 754.
    F16,
    /// The upper 16 bits of floats of 32 bits.
    Bf16,
    /// Floats of 64 bits.
    F64,
    /// Four bits each, a scale for 32.
    Q4_0,
    /// Four bits each, a scale and a minimum for 32.
    Q4_1,
    /// Five bits each, a scale for 32.
    Q5_0,
    /// Five bits each, a scale and a minimum for 32.
    Q5_1,
    /// Eight bits each, a scale for 32.
    Q8_0,
    /// Two bits each, a scale and a minimum of four bits for 16, two scales of those for 256.
    Q2K,
    /// Three bits each, a scale of six bits for 16, a scale of those for 256.
    Q3K,
    /// Four bits each, a scale and a minimum of six bits for 32, two scales of those for 256.
    Q4K,
    /// Five bits each, a scale and a minimum of six bits for 32, two scales of those for 256.
    Q5K,
    /// Six bits each, a scale of eight bits for 16, a scale of those for 256.
    Q6K,
}

/// The facts of an encoding in files.
struct Facts {
    /// The number of the type in files.
    number: u32,
    name: &'static str,
    /// Values of a block.
    values: usize,
    /// Bytes of a block.
    bytes: usize,
    /// The positions of a block's 16-bit scales.
    scales: &'static [usize],
}

/// The names of types that are not implemented, by number.
const OTHERS: [(u32, &str); 19] = [
    (9, "Q8_1"),
    (15, "Q8_K"),
    (16, "IQ2_XXS"),
    (17, "IQ2_XS"),
    (18, "IQ3_XXS"),
    (19, "IQ1_S"),
    (20, "IQ4_NL"),
    (21, "IQ3_S"),
    (22, "IQ2_S"),
    (23, "IQ4_XS"),
    (24, "I8"),
    (25, "I16"),
    (26, "I32"),
    (27, "I64"),
    (29, "IQ1_M"),
    (34, "TQ1_0"),
    (35, "TQ2_0"),
    (39, "MXFP4"),
    (40, "NVFP4"),
];

impl Encoding {
    /// The encodings that can be read.
    pub const ALL: [Encoding; 14] = [
        Encoding::F32,
        Encoding::F16,
        Encoding::Bf16,
        Encoding::F64,
        Encoding::Q4_0,
        Encoding::Q4_1,
        Encoding::Q5_0,
        Encoding::Q5_1,
        Encoding::Q8_0,
        Encoding::Q2K,
        Encoding::Q3K,
        Encoding::Q4K,
        Encoding::Q5K,
        Encoding::Q6K,
    ];

    fn facts(self) -> Facts {
        let facts = |number, name, values, bytes, scales| Facts {
            number,
            name,
            values,
            bytes,
            scales,
        };
        match self {
            Encoding::F32 => facts(0, "F32", 1, 4, &[]),
            Encoding::F16 => facts(1, "F16", 1, 2, &[]),
            Encoding::Bf16 => facts(30, "BF16", 1, 2, &[]),
            Encoding::F64 => facts(28, "F64", 1, 8, &[]),
            Encoding::Q4_0 => facts(2, "Q4_0", 32, 18, &[0]),
            Encoding::Q4_1 => facts(3, "Q4_1", 32, 20, &[0, 2]),
            Encoding::Q5_0 => facts(6, "Q5_0", 32, 22, &[0]),
            Encoding::Q5_1 => facts(7, "Q5_1", 32, 24, &[0, 2]),
            Encoding::Q8_0 => facts(8, "Q8_0", 32, 34, &[0]),
            Encoding::Q2K => facts(10, "Q2_K", 256, 84, &[80, 82]),
            Encoding::Q3K => facts(11, "Q3_K", 256, 110, &[108]),
            Encoding::Q4K => facts(12, "Q4_K", 256, 144, &[0, 2]),
            Encoding::Q5K => facts(13, "Q5_K", 256, 176, &[0, 2]),
            Encoding::Q6K => facts(14, "Q6_K", 256, 210, &[208]),
        }
    }

    /// Returns the encoding with that number in files.
    pub fn of(number: u32) -> Option<Self> {
        Encoding::ALL
            .into_iter()
            .find(|encoding| encoding.facts().number == number)
    }

    /// Returns the number in the format.
    pub(crate) fn number(self) -> u32 {
        self.facts().number
    }

    /// Returns the name of a type that is not implemented, or its number.
    pub fn other_name(number: u32) -> String {
        let found = OTHERS.iter().find(|(other, _)| *other == number);
        found.map_or_else(|| format!("type {number}"), |(_, name)| (*name).to_owned())
    }

    /// Returns the name that ggml gives it.
    pub fn name(self) -> &'static str {
        self.facts().name
    }

    /// The number of values of a block; 1 for floats.
    pub fn block_values(self) -> usize {
        self.facts().values
    }

    /// The number of bytes of a block.
    pub fn block_bytes(self) -> usize {
        self.facts().bytes
    }

    /// Returns true if values share scales.
    pub fn is_quantised(self) -> bool {
        self.block_values() > 1
    }

    /// Makes the scales of whole blocks finite.
    #[cfg(test)]
    pub(crate) fn make_finite(self, data: &mut [u8]) {
        let Facts { bytes, scales, .. } = self.facts();
        for block in data.chunks_exact_mut(bytes) {
            for &at in scales {
                // Bits of the exponent that are not all set.
                block[at + 1] &= 0xbf;
            }
        }
    }

    /// Returns the values of whole blocks as floats of 32 bits, computed as `dequantize` of the `gguf` package does; bytes
    /// behind the last whole block are left out.
    pub fn widen(self, data: &[u8]) -> Vec<f32> {
        match self {
            Encoding::F32 => each(data, f32::from_le_bytes),
            Encoding::F16 => each(data, |bytes| f16::from_le_bytes(bytes).to_f32()),
            Encoding::Bf16 => each(data, |bytes| bf16::from_le_bytes(bytes).to_f32()),
            Encoding::F64 => each(data, |bytes| f64::from_le_bytes(bytes) as f32),
            Encoding::Q4_0 => blocks(data, q4_0),
            Encoding::Q4_1 => blocks(data, q4_1),
            Encoding::Q5_0 => blocks(data, q5_0),
            Encoding::Q5_1 => blocks(data, q5_1),
            Encoding::Q8_0 => blocks(data, q8_0),
            Encoding::Q2K => blocks(data, q2_k),
            Encoding::Q3K => blocks(data, q3_k),
            Encoding::Q4K => blocks(data, q4_k),
            Encoding::Q5K => blocks(data, q5_k),
            Encoding::Q6K => blocks(data, q6_k),
        }
    }

    /// Counts the values that are infinite or NaN, or would be as floats of 32 bits, without widening them: those of a
    /// block are finite if its scales are.
    pub fn not_finite(self, data: &[u8]) -> usize {
        match self {
            Encoding::F32 => count(data, |bytes| f32::from_le_bytes(bytes).is_finite()),
            Encoding::F16 => count(data, |bytes| f16::from_le_bytes(bytes).is_finite()),
            Encoding::Bf16 => count(data, |bytes| bf16::from_le_bytes(bytes).is_finite()),
            Encoding::F64 => count(data, |bytes| (f64::from_le_bytes(bytes) as f32).is_finite()),
            _ => {
                let Facts {
                    values,
                    bytes,
                    scales,
                    ..
                } = self.facts();
                let blocks = data.chunks_exact(bytes);
                let is_broken =
                    |block: &&[u8]| !scales.iter().all(|&at| scale(block, at).is_finite());
                blocks.filter(is_broken).count() * values
            }
        }
    }
}

/// Returns a value for every `BYTES` bytes.
fn each<const BYTES: usize>(data: &[u8], value: impl Fn([u8; BYTES]) -> f32) -> Vec<f32> {
    let (values, _) = data.as_chunks::<BYTES>();
    values.iter().map(|&bytes| value(bytes)).collect()
}

/// Counts the values that are not finite.
fn count<const BYTES: usize>(data: &[u8], is_finite: impl Fn([u8; BYTES]) -> bool) -> usize {
    let (values, _) = data.as_chunks::<BYTES>();
    values.iter().filter(|&&bytes| !is_finite(bytes)).count()
}

/// Returns `VALUES` values for every `BYTES` bytes.
fn blocks<const BYTES: usize, const VALUES: usize>(
    data: &[u8],
    widen: impl Fn(&[u8; BYTES]) -> [f32; VALUES],
) -> Vec<f32> {
    let (blocks, _) = data.as_chunks::<BYTES>();
    let mut values = Vec::with_capacity(blocks.len() * VALUES);
    for block in blocks {
        values.extend(widen(block));
    }
    values
}

/// Returns the 16-bit float at a place of a block.
pub(crate) fn scale(block: &[u8], at: usize) -> f32 {
    f16::from_le_bytes([block[at], block[at + 1]]).to_f32()
}

/// Returns the four bits of value `index` of 32, whose lower halves come first.
pub(crate) fn nibble(bytes: &[u8], index: usize) -> u8 {
    bytes[index % 16] >> (4 * (index / 16)) & 0x0f
}

fn q4_0(block: &[u8; 18]) -> [f32; 32] {
    let d = scale(block, 0);
    std::array::from_fn(|i| d * (f32::from(nibble(&block[2..], i)) - 8.0))
}

fn q4_1(block: &[u8; 20]) -> [f32; 32] {
    let (d, least) = (scale(block, 0), scale(block, 2));
    std::array::from_fn(|i| d * f32::from(nibble(&block[4..], i)) + least)
}

/// Returns the five bits of value `index` of 32: the fifth bits come in front.
pub(crate) fn five_bits(bytes: &[u8], index: usize) -> u8 {
    let fifth = bytes[index / 8] >> (index % 8) & 1;
    nibble(&bytes[4..], index) | fifth << 4
}

fn q5_0(block: &[u8; 22]) -> [f32; 32] {
    let d = scale(block, 0);
    std::array::from_fn(|i| d * (f32::from(five_bits(&block[2..], i)) - 16.0))
}

fn q5_1(block: &[u8; 24]) -> [f32; 32] {
    let (d, least) = (scale(block, 0), scale(block, 2));
    std::array::from_fn(|i| d * f32::from(five_bits(&block[4..], i)) + least)
}

fn q8_0(block: &[u8; 34]) -> [f32; 32] {
    let d = scale(block, 0);
    std::array::from_fn(|i| f32::from(block[2 + i] as i8) * d)
}

/// Returns two bits of value `index` of 256: each byte has those of four values, 32 apart.
pub(crate) fn two_bits(bytes: &[u8], index: usize) -> u8 {
    bytes[index / 128 * 32 + index % 32] >> (2 * (index % 128 / 32)) & 3
}

/// Returns one bit of value `index` of 256: each byte has those of eight values, 32 apart.
pub(crate) fn one_bit(bytes: &[u8], index: usize) -> u8 {
    bytes[index % 32] >> (index / 32) & 1
}

/// Returns four bits of value `index` of 256: each byte has those of two values, `apart` apart.
pub(crate) fn four_bits(bytes: &[u8], index: usize, apart: usize) -> u8 {
    bytes[index / (2 * apart) * apart + index % apart] >> (4 * (index / apart % 2)) & 0x0f
}

fn q2_k(block: &[u8; 84]) -> [f32; 256] {
    let (scales, quants) = (&block[..16], &block[16..80]);
    let (d, least) = (scale(block, 80), scale(block, 82));
    std::array::from_fn(|i| {
        let scale = scales[i / 16];
        let (d, least) = (d * f32::from(scale & 0x0f), least * f32::from(scale >> 4));
        d * f32::from(two_bits(quants, i)) - least
    })
}

/// Returns the scale of group `index` of sixteen, six bits each in twelve bytes.
pub(crate) fn six_bit_scale(bytes: &[u8], index: usize) -> f32 {
    let low_bits = bytes[index % 8] >> (4 * (index / 8)) & 0x0f;
    let high_bits = bytes[8 + index % 4] >> (2 * (index / 4)) & 3;
    f32::from(low_bits | high_bits << 4) - 32.0
}

fn q3_k(block: &[u8; 110]) -> [f32; 256] {
    let (high, quants, scales) = (&block[..32], &block[32..96], &block[96..108]);
    let d = scale(block, 108);
    std::array::from_fn(|i| {
        let d = d * six_bit_scale(scales, i / 16);
        // The third bit is stored inverted.
        let below = 4.0 * f32::from(one_bit(high, i) ^ 1);
        d * (f32::from(two_bits(quants, i)) - below)
    })
}

/// Returns the scale and the minimum of group `index` of eight, six bits each in twelve bytes.
pub(crate) fn six_bit_scales(bytes: &[u8], index: usize) -> (f32, f32) {
    let (scale, least) = match index {
        0..4 => (bytes[index] & 63, bytes[4 + index] & 63),
        _ => {
            let (low, index) = (bytes[4 + index], index - 4);
            let high = |at: usize| bytes[at] >> 2 & 0x30;
            ((low & 0x0f) | high(index), low >> 4 | high(4 + index))
        }
    };
    (scale.into(), least.into())
}

fn q4_k(block: &[u8; 144]) -> [f32; 256] {
    let (scales, quants) = (&block[4..16], &block[16..]);
    let (d, least) = (scale(block, 0), scale(block, 2));
    std::array::from_fn(|i| {
        let (scale, minimum) = six_bit_scales(scales, i / 32);
        d * scale * f32::from(four_bits(quants, i, 32)) - least * minimum
    })
}

fn q5_k(block: &[u8; 176]) -> [f32; 256] {
    let (scales, high, quants) = (&block[4..16], &block[16..48], &block[48..]);
    let (d, least) = (scale(block, 0), scale(block, 2));
    std::array::from_fn(|i| {
        let (scale, minimum) = six_bit_scales(scales, i / 32);
        let quant = four_bits(quants, i, 32) | one_bit(high, i) << 4;
        d * scale * f32::from(quant) - least * minimum
    })
}

fn q6_k(block: &[u8; 210]) -> [f32; 256] {
    let (low, high, scales) = (&block[..128], &block[128..192], &block[192..208]);
    let d = scale(block, 208);
    std::array::from_fn(|i| {
        let quant = four_bits(low, i, 64) | two_bits(high, i) << 4;
        d * f32::from(scales[i / 16] as i8) * (f32::from(quant) - 32.0)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;
    use safetensors::SafeTensors;

    use super::*;

    #[test]
    fn values_are_those_of_the_gguf_package_bit_by_bit() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/fixtures/gguf_blocks.safetensors"
        );
        let bytes = std::fs::read(path).unwrap();
        let fixture = SafeTensors::deserialize(&bytes).unwrap();
        let get = |encoding: Encoding, what| {
            let name = format!("{}/{what}", encoding.name());
            fixture.tensor(&name).unwrap().data()
        };
        for encoding in Encoding::ALL {
            let stored = get(encoding, "stored");
            let expected = get(encoding, "values");
            let values = encoding.widen(stored);
            assert_eq!(values.len() * 4, expected.len(), "{}", encoding.name());
            let blocks = values.len() / encoding.block_values();
            assert!(blocks % 2 == 1, "{}", encoding.name());
            let found: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
            assert!(found == expected, "{}", encoding.name());
            assert_eq!(encoding.not_finite(stored), 0, "{}", encoding.name());
        }
    }

    #[test]
    fn numbers_and_names_belong_together() {
        for encoding in Encoding::ALL {
            let number = encoding.facts().number;
            assert_eq!(Encoding::of(number), Some(encoding));
            assert!(!OTHERS.iter().any(|(other, _)| *other == number));
        }
        assert_eq!(Encoding::of(16), None);
        assert_eq!(Encoding::other_name(16), "IQ2_XXS");
        assert_eq!(Encoding::other_name(4), "type 4");
    }

    proptest! {
        #[test]
        fn every_block_has_its_values_and_those_not_finite_are_counted(
            number in 0..Encoding::ALL.len(),
            blocks in 0_usize..6,
            more in 0_usize..3,
            seed in prop::collection::vec(any::<u8>(), 210 * 6),
        ) {
            let encoding = Encoding::ALL[number];
            let more = more.min(encoding.block_bytes() - 1);
            let data = &seed[..blocks * encoding.block_bytes() + more];
            let values = encoding.widen(data);
            prop_assert_eq!(values.len(), blocks * encoding.block_values());
            let broken = values.iter().filter(|value| !value.is_finite()).count();
            prop_assert_eq!(encoding.not_finite(data), broken);
        }
    }
}
