//! Half-precision weights on a grid, written so that a general compressor makes them small.
//!
//! Weights written by `attn round` are integers of a few bits times a power of two, one for each row of a matrix. As
//! halves they take two bytes each, whose bits a compressor cannot separate. Here a block is its exponent and one byte
//! for each integer; a block that is not on a grid stays as it is. Packing is lossless for every file.
//!
//! A packed file consists of the length of the original, the length of its head, both as little-endian u64, the head,
//! the blocks, and the rest that is shorter than a block.

use half::f16;

/// The number of halves in a block: rows of most matrices have this length or a multiple of it.
const BLOCK: usize = 256;
/// The mark, instead of an exponent, that the block's halves follow as they are.
const RAW: i8 = i8::MAX;
const HALF_BYTES: usize = 2;
const LENGTH_BYTES: usize = 8;
/// The number of bits of an f32 below its exponent, and the bias of the exponent.
const FRACTION_BITS: u32 = 23;
const EXPONENT_BIAS: i32 = 127;

/// Packs the bytes of a safetensors file; also works for any other file, with less gain.
pub fn pack(file: &[u8]) -> Vec<u8> {
    let (head, body) = file.split_at(head_bytes(file));
    let mut packed = Vec::with_capacity(file.len());
    packed.extend((file.len() as u64).to_le_bytes());
    packed.extend((head.len() as u64).to_le_bytes());
    packed.extend(head);
    let blocks = body.chunks_exact(BLOCK * HALF_BYTES);
    let rest = blocks.remainder();
    for block in blocks {
        match integers(block) {
            Some((exponent, integers)) => {
                packed.push(exponent as u8);
                packed.extend(integers.map(|integer| integer as u8));
            }
            None => {
                packed.push(RAW as u8);
                packed.extend(block);
            }
        }
    }
    packed.extend(rest);
    packed
}

/// Returns the bytes given to [`pack`]; `None` if `packed` is not its output.
pub fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut rest = packed;
    let length = usize::try_from(take_length(&mut rest)?).ok()?;
    let head = usize::try_from(take_length(&mut rest)?).ok()?;
    // What takes less room than a byte for a half is no packed file: nothing is allocated for it.
    if length / HALF_BYTES > packed.len() || head > length {
        return None;
    }
    let mut file = Vec::with_capacity(length);
    file.extend(take(&mut rest, head)?);
    while length - file.len() >= BLOCK * HALF_BYTES {
        match take(&mut rest, 1)?[0] as i8 {
            RAW => file.extend(take(&mut rest, BLOCK * HALF_BYTES)?),
            exponent => {
                let scale = power_of_two(exponent.into())?;
                for &integer in take(&mut rest, BLOCK)? {
                    file.extend(half(integer as i8, scale)?.to_le_bytes());
                }
            }
        }
    }
    let left = length - file.len();
    file.extend(take(&mut rest, left)?);
    rest.is_empty().then_some(file)
}

/// Returns the number of bytes before the numbers of a safetensors file: the length of its description, and the
/// description. 0 for any other file.
fn head_bytes(file: &[u8]) -> usize {
    let mut rest = file;
    take_length(&mut rest)
        .and_then(|length| usize::try_from(length).ok())
        .and_then(|length| length.checked_add(LENGTH_BYTES))
        .filter(|&head| head <= file.len())
        .unwrap_or(0)
}

fn take_length(rest: &mut &[u8]) -> Option<u64> {
    let bytes = take(rest, LENGTH_BYTES)?;
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}

fn take<'a>(rest: &mut &'a [u8], count: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(count)?;
    *rest = left;
    Some(taken)
}

/// Returns a block as integers of one byte times two to the power of the exponent, if it can be written so.
fn integers(block: &[u8]) -> Option<(i8, [i8; BLOCK])> {
    let mut values = [0.0; BLOCK];
    let (halves, _) = block.as_chunks::<HALF_BYTES>();
    for (value, &bytes) in values.iter_mut().zip(halves) {
        let half = f16::from_le_bytes(bytes);
        // The only finite half that no integer stands for is −0.
        if !half.is_finite() || half == f16::ZERO && half.is_sign_negative() {
            return None;
        }
        *value = half.to_f32();
    }
    let nonzero = values.into_iter().filter(|value| *value != 0.0);
    let exponent = nonzero.map(lowest_bit).min().unwrap_or(0);
    let scale = power_of_two(-exponent)?;
    let mut integers = [0; BLOCK];
    for (integer, value) in integers.iter_mut().zip(values) {
        *integer = i8::try_from((value * scale) as i64).ok()?;
    }
    Some((i8::try_from(exponent).ok()?, integers))
}

/// Returns the exponent of the lowest power of two in a value that is finite and not 0. Every half is a normal number
/// as f32.
fn lowest_bit(value: f32) -> i32 {
    let bits = value.to_bits();
    let exponent = (bits >> FRACTION_BITS & 0xff) as i32 - EXPONENT_BIAS;
    let fraction = bits | 1 << FRACTION_BITS;
    exponent - FRACTION_BITS as i32 + fraction.trailing_zeros() as i32
}

/// Returns two to the power of an exponent; `None` if it is not a normal number.
fn power_of_two(exponent: i32) -> Option<f32> {
    let biased = u32::try_from(exponent + EXPONENT_BIAS).ok()?;
    (1..0xff)
        .contains(&biased)
        .then(|| f32::from_bits(biased << FRACTION_BITS))
}

/// Returns the half that equals an integer times a scale; `None` if there is none.
fn half(integer: i8, scale: f32) -> Option<f16> {
    let value = f32::from(integer) * scale;
    let half = f16::from_f32(value);
    (half.to_f32() == value).then_some(half)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every finite half but −0 whose odd part fits into a byte comes back out of that and its power of two.
    #[test]
    fn every_half_is_an_integer_times_a_power_of_two() -> Result<(), Box<dyn std::error::Error>> {
        let mut told = 0;
        for half in (0..=u16::MAX).map(f16::from_bits) {
            let bytes = half.to_le_bytes().repeat(BLOCK);
            let Some((exponent, integers)) = integers(&bytes) else {
                continue;
            };
            let scale = power_of_two(exponent.into()).ok_or("no scale")?;
            let back = super::half(integers[0], scale).ok_or("no half")?;
            assert_eq!(back.to_bits(), half.to_bits());
            told += 1;
        }
        assert!(told > 2_000, "{told}");
        Ok(())
    }

    #[test]
    fn weights_on_a_grid_take_a_byte_each() {
        // Integers from −63 to 63 times 2⁻⁸, as `attn round` makes them.
        let grid: Vec<u8> = (0..4 * BLOCK)
            .filter_map(|index| half((index * 37 % 127) as i8 - 63, 1.0 / 256.0))
            .flat_map(f16::to_le_bytes)
            .collect();
        let mut file = 16_u64.to_le_bytes().to_vec();
        file.extend([b' '; 16]);
        file.extend(&grid);
        let packed = pack(&file);
        assert_eq!(packed.len(), 2 * LENGTH_BYTES + 24 + 4 * (1 + BLOCK));
        assert_eq!(unpack(&packed), Some(file));
    }

    #[test]
    fn what_is_no_packed_file_is_refused() {
        let mut packed = pack(&[7; 3_000]);
        assert!(unpack(&packed).is_some());
        assert_eq!(unpack(&packed[..packed.len() - 1]), None);
        packed.push(0);
        assert_eq!(unpack(&packed), None);
        assert_eq!(unpack(&[0xff; 40]), None);
        assert_eq!(unpack(&[]), None);
    }

    proptest! {
        #[test]
        fn any_file_comes_back(file in prop::collection::vec(any::<u8>(), 0..4_000)) {
            prop_assert_eq!(unpack(&pack(&file)), Some(file));
        }

        #[test]
        fn any_halves_come_back(
            halves in prop::collection::vec(prop_oneof![any::<u16>(), Just(0), Just(0x3c00)], 0..1_500)
        ) {
            let file: Vec<u8> = halves.into_iter().flat_map(u16::to_le_bytes).collect();
            prop_assert_eq!(unpack(&pack(&file)), Some(file));
        }

        #[test]
        fn any_bytes_are_unpacked_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            if let Some(file) = unpack(&bytes) {
                prop_assert!(file.len() <= 2 * bytes.len() + 1);
            }
        }
    }
}
