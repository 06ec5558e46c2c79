//! Half-precision weights on a grid, written so that a general compressor makes them small.
//!
//! Weights that `attn round` made are integers of a few bits times a power of two, one for each row of a matrix. As halves they
//! take two bytes each, whose bits a compressor cannot tell apart. Here a block of them is its exponent and one byte for each
//! integer; a block that is not on a grid stays as it is. Nothing is lost, whatever the file is.
//!
//! A packed file is the length of the original, the length of its head, both as little-endian u64, the head, the
//! blocks, and what is left of less than a block.

/// Halves of a block: rows of most matrices are as long, or several times as long.
const BLOCK: usize = 256;
/// In the place of an exponent: the block's halves follow as they are.
const RAW: i8 = i8::MAX;
/// Bytes of a half.
const HALF_BYTES: usize = 2;
/// Bytes of a length.
const LENGTH_BYTES: usize = 8;

/// Packs the bytes of a safetensors file; of any other file too, with less to gain.
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

/// What [`pack`] was given; `None` if these bytes are not what it made.
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
                for &integer in take(&mut rest, BLOCK)? {
                    file.extend(half(integer as i8, exponent)?.to_le_bytes());
                }
            }
        }
    }
    let left = length - file.len();
    file.extend(take(&mut rest, left)?);
    rest.is_empty().then_some(file)
}

/// Bytes before the numbers of a safetensors file: the length of its description, and that. 0 of another file.
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

/// A block as integers of one byte times two to the power of the exponent, if it can be written so.
fn integers(block: &[u8]) -> Option<(i8, [i8; BLOCK])> {
    let mut parts = [(0_i32, 0_i32); BLOCK];
    let (halves, _) = block.as_chunks::<HALF_BYTES>();
    for (part, &bytes) in parts.iter_mut().zip(halves) {
        *part = odd_part(u16::from_le_bytes(bytes))?;
    }
    let nonzero = parts.iter().filter(|(integer, _)| *integer != 0);
    let exponent = nonzero.map(|&(_, exponent)| exponent).min().unwrap_or(0);
    let mut integers = [0; BLOCK];
    for (slot, (integer, own)) in integers.iter_mut().zip(parts) {
        if integer != 0 {
            let shifted = integer.checked_mul(1_i32.checked_shl((own - exponent) as u32)?)?;
            *slot = i8::try_from(shifted).ok()?;
        }
    }
    Some((i8::try_from(exponent).ok()?, integers))
}

/// A half as an odd integer times two to the power of an exponent; `None` if it is −0 or not finite.
fn odd_part(bits: u16) -> Option<(i32, i32)> {
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), i32::from(bits & 0x3ff));
    let (magnitude, exponent) = match exponent {
        0x1f => return None,
        0 => (fraction, -24),
        _ => (fraction | 0x400, exponent - 25),
    };
    let is_negative = bits >> 15 == 1;
    if magnitude == 0 {
        return (!is_negative).then_some((0, 0));
    }
    let zeros = magnitude.trailing_zeros();
    let odd = magnitude >> zeros;
    let signed = if is_negative { -odd } else { odd };
    Some((signed, exponent + zeros as i32))
}

/// The half that is an integer times two to the power of an exponent; `None` if there is none.
fn half(integer: i8, exponent: i8) -> Option<u16> {
    let magnitude = u16::from(integer.unsigned_abs());
    if magnitude == 0 {
        return Some(0);
    }
    let sign = u16::from(integer < 0) << 15;
    let highest = 15 - magnitude.leading_zeros() as i32;
    let bits = match highest + i32::from(exponent) {
        normal @ -14..=15 => {
            let fraction = magnitude << (10 - highest) & 0x3ff;
            ((normal + 15) as u16) << 10 | fraction
        }
        -24..-14 => magnitude << u32::try_from(i32::from(exponent) + 24).ok()?,
        _ => return None,
    };
    Some(sign | bits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Every half that is not −0, infinite or none of a number comes back out of its parts.
    #[test]
    fn every_half_is_an_odd_integer_times_a_power_of_two() {
        let mut told = 0;
        for bits in 0..=u16::MAX {
            let Some((integer, exponent)) = odd_part(bits) else {
                continue;
            };
            if let (Ok(integer), Ok(exponent)) = (i8::try_from(integer), i8::try_from(exponent)) {
                assert_eq!(half(integer, exponent), Some(bits), "{bits:#06x}");
                told += 1;
            }
        }
        assert!(told > 2_000, "{told}");
    }

    #[test]
    fn weights_on_a_grid_take_a_byte_each() {
        // Integers from −63 to 63 times 2⁻⁸, as `attn round` makes them.
        let grid: Vec<u8> = (0..4 * BLOCK)
            .filter_map(|index| half((index * 37 % 127) as i8 - 63, -8))
            .flat_map(u16::to_le_bytes)
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
