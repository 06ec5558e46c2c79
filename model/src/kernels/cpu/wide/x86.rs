//! Vectors of eight floats, of x86 processors with AVX2, FMA and F16C: all since 2015.

use std::arch::x86_64::*;

use attention_gguf::{Coding, Half};

use crate::kernels::cpu::lanes::{bf16_to_f32, f16_to_f32};
use crate::kernels::cpu::product::blocks::Line;

/// The number of floats in a vector.
const LANES: usize = 8;
/// The number of vectors that are multiplied at once, which hides the latency of additions.
const STREAMS: usize = 4;

/// Proof that the processor has these vectors.
#[derive(Clone, Copy)]
pub struct Wide(());

impl Wide {
    /// Returns the proof, if the processor has them.
    #[inline(always)]
    pub fn detect() -> Option<Self> {
        let has_all = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("f16c");
        has_all.then_some(Wide(()))
    }

    /// Computes the scalar product of a row with a line in blocks, given the row's sums by blocks.
    #[allow(unsafe_code)]
    pub fn dot_blocks(self, coding: Coding, values: &[f32], sums: &[f32], line: Line<'_>) -> f32 {
        // SAFETY: `self` proves that the processor has the instructions.
        unsafe {
            let product = match coding {
                Coding::Nibbles => nibbles::dot(values, line),
                Coding::Bytes => bytes::dot(values, line),
                Coding::ShortBytes => short_bytes::dot(values, line),
            };
            product + dot(line.offsets, sums)
        }
    }

    /// Writes the weights of a line in blocks as f32.
    #[allow(unsafe_code)]
    pub fn unpack_blocks(self, coding: Coding, line: Line<'_>, out: &mut [f32]) {
        // SAFETY: as in `dot_blocks`.
        unsafe {
            match coding {
                Coding::Nibbles => nibbles::unpack(line, out),
                Coding::Bytes => bytes::unpack(line, out),
                Coding::ShortBytes => short_bytes::unpack(line, out),
            }
        }
    }

    /// Computes the scalar product of a row with a line of floats of 16 bits.
    #[allow(unsafe_code)]
    pub fn dot_halves(self, half: Half, values: &[f32], line: &[u16]) -> f32 {
        // SAFETY: as in `dot_blocks`.
        unsafe {
            match half {
                Half::F16 => f16::dot(values, line),
                Half::Bf16 => bf16::dot(values, line),
            }
        }
    }

    /// Writes a line of floats of 16 bits as f32.
    #[allow(unsafe_code)]
    pub fn unpack_halves(self, half: Half, line: &[u16], out: &mut [f32]) {
        // SAFETY: as in `dot_blocks`.
        unsafe {
            match half {
                Half::F16 => f16::unpack(line, out),
                Half::Bf16 => bf16::unpack(line, out),
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
#[allow(unsafe_code)]
fn load(values: &[f32; LANES]) -> __m256 {
    // SAFETY: the reference is valid for 32 bytes, and the instruction asks for no alignment.
    unsafe { _mm256_loadu_ps(values.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
#[allow(unsafe_code)]
fn store(vector: __m256, values: &mut [f32; LANES]) {
    // SAFETY: as in `load`.
    unsafe { _mm256_storeu_ps(values.as_mut_ptr(), vector) }
}

/// Sixteen bytes from memory.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
#[allow(unsafe_code)]
fn load_bytes(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: the reference is valid for 16 bytes, and the instruction asks for no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// Eight floats of 16 bits from memory.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
#[allow(unsafe_code)]
fn load_halves(halves: &[u16; LANES]) -> __m128i {
    // SAFETY: as in `load_bytes`.
    unsafe { _mm_loadu_si128(halves.as_ptr().cast()) }
}

/// Returns the sum of the eight.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn sum(vector: __m256) -> f32 {
    let mut values = [0.0; LANES];
    store(vector, &mut values);
    let [a, b, c, d, e, f, g, h] = values;
    ((a + b) + (c + d)) + ((e + f) + (g + h))
}

/// Sixteen signed bytes as floats.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn widened(bytes: __m128i) -> [__m256; 2] {
    [
        _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)),
        _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128::<8>(bytes))),
    ]
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn codes_of_nibbles(block: &[u8; 16]) -> [__m256; 4] {
    let (mask, centre) = (_mm_set1_epi8(15), _mm_set1_epi8(8));
    let bytes = load_bytes(block);
    let lower = _mm_sub_epi8(_mm_and_si128(bytes, mask), centre);
    let upper = _mm_sub_epi8(_mm_and_si128(_mm_srli_epi16::<4>(bytes), mask), centre);
    let ([a, b], [c, d]) = (widened(lower), widened(upper));
    [a, b, c, d]
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn codes_of_bytes(block: &[u8; 32]) -> [__m256; 4] {
    let (halves, _) = block.as_chunks();
    let ([a, b], [c, d]) = (
        widened(load_bytes(&halves[0])),
        widened(load_bytes(&halves[1])),
    );
    [a, b, c, d]
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn codes_of_short_bytes(block: &[u8; 16]) -> [__m256; 2] {
    widened(load_bytes(block))
}

/// Computes the scalar product of two lines of f32.
#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, last_a), (b, last_b)) = (a.as_chunks(), b.as_chunks());
    let mut total = _mm256_setzero_ps();
    for (a, b) in a.iter().zip(b) {
        total = _mm256_fmadd_ps(load(a), load(b), total);
    }
    let rest = last_a.iter().zip(last_b).map(|(a, b)| a * b);
    sum(total) + rest.sum::<f32>()
}

/// Makes a module for a coding: the product of a row with a line, without the offsets, and a line's weights. A trait's
/// functions cannot ask for instructions.
macro_rules! coding {
    ($name:ident, $width:literal, $bytes:literal, $codes:ident) => {
        mod $name {
            use super::*;

            #[target_feature(enable = "avx2,fma,f16c")]
            pub fn dot(values: &[f32], line: Line<'_>) -> f32 {
                let (blocks, _) = line.codes.as_chunks::<$bytes>();
                let (values, _) = values.as_chunks::<$width>();
                let mut total = _mm256_setzero_ps();
                for ((block, values), &scale) in blocks.iter().zip(values).zip(line.scales) {
                    let codes = $codes(block);
                    let (values, _) = values.as_chunks::<LANES>();
                    // Two sums at once hide the latency of additions.
                    let mut even = _mm256_mul_ps(codes[0], load(&values[0]));
                    let mut odd = _mm256_mul_ps(codes[1], load(&values[1]));
                    for pair in 1..codes.len() / 2 {
                        even = _mm256_fmadd_ps(codes[2 * pair], load(&values[2 * pair]), even);
                        odd =
                            _mm256_fmadd_ps(codes[2 * pair + 1], load(&values[2 * pair + 1]), odd);
                    }
                    total = _mm256_fmadd_ps(_mm256_set1_ps(scale), _mm256_add_ps(even, odd), total);
                }
                sum(total)
            }

            #[target_feature(enable = "avx2,fma,f16c")]
            pub fn unpack(line: Line<'_>, out: &mut [f32]) {
                let (blocks, _) = line.codes.as_chunks::<$bytes>();
                let (out, _) = out.as_chunks_mut::<$width>();
                for (index, ((block, out), &scale)) in
                    blocks.iter().zip(out).zip(line.scales).enumerate()
                {
                    let offset = line.offsets.get(index).copied().unwrap_or(0.0);
                    let (scale, offset) = (_mm256_set1_ps(scale), _mm256_set1_ps(offset));
                    let (out, _) = out.as_chunks_mut::<LANES>();
                    for (out, codes) in out.iter_mut().zip($codes(block)) {
                        store(_mm256_fmadd_ps(scale, codes, offset), out);
                    }
                }
            }
        }
    };
}

coding!(nibbles, 32, 16, codes_of_nibbles);
coding!(bytes, 32, 32, codes_of_bytes);
coding!(short_bytes, 16, 16, codes_of_short_bytes);

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn eight_f16(halves: &[u16; LANES]) -> __m256 {
    _mm256_cvtph_ps(load_halves(halves))
}

#[inline]
#[target_feature(enable = "avx2,fma,f16c")]
fn eight_bf16(halves: &[u16; LANES]) -> __m256 {
    let words = _mm256_cvtepu16_epi32(load_halves(halves));
    _mm256_castsi256_ps(_mm256_slli_epi32::<16>(words))
}

/// Makes a module for a format of floats of 16 bits, as [`coding`] does.
macro_rules! half {
    ($name:ident, $eight:ident, $one:ident) => {
        mod $name {
            use super::*;

            #[target_feature(enable = "avx2,fma,f16c")]
            pub fn dot(values: &[f32], line: &[u16]) -> f32 {
                let ((vectors, rest), (halves, last)) = (values.as_chunks(), line.as_chunks());
                let mut sums = [_mm256_setzero_ps(); STREAMS];
                let ((groups, vectors), (halves, few)) = (
                    vectors.as_chunks::<STREAMS>(),
                    halves.as_chunks::<STREAMS>(),
                );
                for (vectors, halves) in groups.iter().zip(halves) {
                    for i in 0..STREAMS {
                        sums[i] = _mm256_fmadd_ps($eight(&halves[i]), load(&vectors[i]), sums[i]);
                    }
                }
                for (vector, halves) in vectors.iter().zip(few) {
                    sums[0] = _mm256_fmadd_ps($eight(halves), load(vector), sums[0]);
                }
                let [a, b, c, d] = sums;
                let products = rest
                    .iter()
                    .zip(last)
                    .map(|(value, &bits)| value * $one(bits));
                let whole = _mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d));
                sum(whole) + products.sum::<f32>()
            }

            #[target_feature(enable = "avx2,fma,f16c")]
            pub fn unpack(line: &[u16], out: &mut [f32]) {
                let ((halves, last), (vectors, rest)) = (line.as_chunks(), out.as_chunks_mut());
                for (vector, halves) in vectors.iter_mut().zip(halves) {
                    store($eight(halves), vector);
                }
                for (value, &bits) in rest.iter_mut().zip(last) {
                    *value = $one(bits);
                }
            }
        }
    };
}

half!(f16, eight_f16, f16_to_f32);
half!(bf16, eight_bf16, bf16_to_f32);
