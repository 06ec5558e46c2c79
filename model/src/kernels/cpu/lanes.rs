//! Four floats at a time: WebAssembly's vectors if the build has them, otherwise plain arrays.

/// Four floats that are computed with at once.
#[derive(Clone, Copy)]
pub struct Lanes(platform::Vector);

/// Number of floats in [`Lanes`].
pub const LANES: usize = 4;

impl Lanes {
    /// Returns four lanes equal to `value`.
    #[inline(always)]
    pub fn splat(value: f32) -> Self {
        Self(platform::splat(value))
    }

    /// Four values from memory.
    #[inline(always)]
    pub fn load(values: &[f32; LANES]) -> Self {
        Self(platform::load(values))
    }

    /// Sixteen bytes as numbers from −128 to 127.
    #[inline(always)]
    pub fn from_bytes(bytes: &[u8; 4 * LANES]) -> [Self; 4] {
        platform::from_bytes(bytes).map(Self)
    }

    /// The lower halves of sixteen bytes, then the upper ones, as numbers from −8 to 7.
    #[inline(always)]
    pub fn from_nibbles(bytes: &[u8; 4 * LANES]) -> [Self; 8] {
        platform::from_nibbles(bytes).map(Self)
    }

    /// Four floats of 16 bits as in IEEE 754.
    #[inline(always)]
    pub fn from_f16(bits: &[u16; LANES]) -> Self {
        Self(platform::from_f16(bits))
    }

    /// Four upper halves of floats of 32 bits.
    #[inline(always)]
    pub fn from_bf16(bits: &[u16; LANES]) -> Self {
        Self(platform::from_bf16(bits))
    }

    /// Puts the values into memory.
    #[inline(always)]
    pub fn store(self, values: &mut [f32; LANES]) {
        platform::store(self.0, values);
    }

    /// `self + a·b`, rounded once where the platform has a fused multiply-add.
    #[inline(always)]
    pub fn add_product(self, a: Self, b: Self) -> Self {
        Self(platform::multiply_add(a.0, b.0, self.0))
    }

    /// Returns the larger of each pair.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self(platform::max(self.0, other.0))
    }

    /// Returns the sum of the four.
    #[inline(always)]
    pub fn sum(self) -> f32 {
        let [a, b, c, d] = self.to_array();
        (a + b) + (c + d)
    }

    /// Returns the sum of each of four vectors.
    #[inline(always)]
    pub fn sums(vectors: [Self; LANES]) -> [f32; LANES] {
        let [a, b, c, d] = Self::transpose(vectors);
        ((a + b) + (c + d)).to_array()
    }

    /// Returns the largest of the four.
    #[inline(always)]
    pub fn largest(self) -> f32 {
        let [a, b, c, d] = self.to_array();
        a.max(b).max(c.max(d))
    }

    /// Four rows of a 4×4 matrix to its four columns.
    #[inline(always)]
    pub fn transpose(rows: [Self; LANES]) -> [Self; LANES] {
        platform::transpose(rows.map(|row| row.0)).map(Self)
    }

    /// `eˣ` to about one unit in the last place; zero below −87, where f32 ends.
    ///
    /// `x = n·ln 2 + r`, `eˣ = 2ⁿ·eʳ`, with the polynomial for `eʳ` on `|r| ≤ ½ ln 2` of the Cephes
    /// library (S. L. Moshier).
    #[inline(always)]
    pub fn exp(self) -> Self {
        const LOWEST: f32 = -87.0;
        const HIGHEST: f32 = 88.0;
        const LN2_HIGH: f32 = 0.693_359_4;
        const LN2_LOW: f32 = -2.121_944_4e-4;
        const COEFFICIENTS: [f32; 6] = [
            1.987_569_1e-4,
            1.398_199_9e-3,
            8.333_452e-3,
            4.166_579_6e-2,
            1.666_666_5e-1,
            0.5,
        ];
        let clamped = platform::min(
            platform::max(self.0, platform::splat(LOWEST)),
            platform::splat(HIGHEST),
        );
        let n = platform::nearest((Self(clamped) * Self::splat(std::f32::consts::LOG2_E)).0);
        let r = Self(clamped)
            .add_product(Self(n), Self::splat(-LN2_HIGH))
            .add_product(Self(n), Self::splat(-LN2_LOW));
        let polynomial = COEFFICIENTS[1..]
            .iter()
            .fold(Self::splat(COEFFICIENTS[0]), |sum, &coefficient| {
                Self::splat(coefficient).add_product(sum, r)
            });
        let exponential = (r + Self::splat(1.0)).add_product(polynomial, r * r);
        let scaled = platform::times_power_of_two(exponential.0, n);
        Self(platform::zero_where_below(
            scaled,
            self.0,
            platform::splat(LOWEST),
        ))
    }

    #[inline(always)]
    fn to_array(self) -> [f32; LANES] {
        let mut values = [0.0; LANES];
        self.store(&mut values);
        values
    }
}

/// 2¹¹², the ratio of the units of exponents in f32 and in f16: their biases are 127 and 15.
const F16_UNIT: f32 = f32::from_bits((127 + 112) << 23);
/// The bits of the largest finite f16.
const F16_LARGEST: u16 = 0x7bff;
/// The exponent's bits of f32.
const EXPONENT: u32 = 0x7f80_0000;

/// Returns a float of 16 bits as in IEEE 754. Its bits as those of a float of 32 bits have another unit, so that a
/// multiplication makes them right, subnormal numbers included.
#[inline(always)]
pub fn f16_to_f32(bits: u16) -> f32 {
    let magnitude = bits & 0x7fff;
    let value = f32::from_bits(u32::from(magnitude) << 13) * F16_UNIT;
    let endless = if magnitude > F16_LARGEST { EXPONENT } else { 0 };
    f32::from_bits(value.to_bits() | endless | u32::from(bits & 0x8000) << 16)
}

/// Returns the float of 32 bits with this upper half.
#[inline(always)]
pub fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

impl std::ops::Add for Lanes {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self(platform::add(self.0, other.0))
    }
}

impl std::ops::Sub for Lanes {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self(platform::subtract(self.0, other.0))
    }
}

impl std::ops::Mul for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        Self(platform::multiply(self.0, other.0))
    }
}

impl std::ops::Div for Lanes {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Self(platform::divide(self.0, other.0))
    }
}

#[cfg(target_feature = "simd128")]
mod platform {
    use core::arch::wasm32::*;

    use super::{EXPONENT, F16_LARGEST, F16_UNIT, LANES};

    pub type Vector = v128;

    pub use core::arch::wasm32::f32x4_add as add;
    pub use core::arch::wasm32::f32x4_div as divide;
    pub use core::arch::wasm32::f32x4_mul as multiply;
    pub use core::arch::wasm32::f32x4_nearest as nearest;
    pub use core::arch::wasm32::f32x4_pmax as max;
    pub use core::arch::wasm32::f32x4_pmin as min;
    pub use core::arch::wasm32::f32x4_splat as splat;
    pub use core::arch::wasm32::f32x4_sub as subtract;

    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn load(values: &[f32; LANES]) -> Vector {
        // SAFETY: the reference is valid for 16 bytes, and the instruction asks for no alignment.
        unsafe { v128_load(values.as_ptr().cast()) }
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn store(vector: Vector, values: &mut [f32; LANES]) {
        // SAFETY: as in `load`.
        unsafe { v128_store(values.as_mut_ptr().cast(), vector) }
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn from_bytes(bytes: &[u8; 16]) -> [Vector; 4] {
        // SAFETY: as in `load`.
        widened(unsafe { v128_load(bytes.as_ptr().cast()) })
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    pub fn from_nibbles(bytes: &[u8; 16]) -> [Vector; 8] {
        let centre = i8x16_splat(8);
        // SAFETY: as in `load`.
        let bytes = unsafe { v128_load(bytes.as_ptr().cast()) };
        let lower = i8x16_sub(v128_and(bytes, u8x16_splat(15)), centre);
        let upper = i8x16_sub(u8x16_shr(bytes, 4), centre);
        let ([a, b, c, d], [e, f, g, h]) = (widened(lower), widened(upper));
        [a, b, c, d, e, f, g, h]
    }

    /// Sixteen signed bytes as floats.
    #[inline(always)]
    fn widened(bytes: Vector) -> [Vector; 4] {
        let (low, high) = (
            i16x8_extend_low_i8x16(bytes),
            i16x8_extend_high_i8x16(bytes),
        );
        [
            i32x4_extend_low_i16x8(low),
            i32x4_extend_high_i16x8(low),
            i32x4_extend_low_i16x8(high),
            i32x4_extend_high_i16x8(high),
        ]
        .map(|vector| f32x4_convert_i32x4(vector))
    }

    // The steps are those of `f16_to_f32`.
    #[inline(always)]
    pub fn from_f16(bits: &[u16; LANES]) -> Vector {
        let bits = load_halves(bits);
        let magnitude = v128_and(bits, u32x4_splat(0x7fff));
        let value = f32x4_mul(u32x4_shl(magnitude, 13), f32x4_splat(F16_UNIT));
        let is_endless = u32x4_gt(magnitude, u32x4_splat(F16_LARGEST.into()));
        let endless = v128_and(is_endless, u32x4_splat(EXPONENT));
        let sign = u32x4_shl(v128_and(bits, u32x4_splat(0x8000)), 16);
        v128_or(v128_or(value, endless), sign)
    }

    #[inline(always)]
    pub fn from_bf16(bits: &[u16; LANES]) -> Vector {
        u32x4_shl(load_halves(bits), 16)
    }

    /// Four numbers of 16 bits, each in a lane.
    #[inline(always)]
    #[allow(unsafe_code)]
    fn load_halves(halves: &[u16; LANES]) -> Vector {
        // SAFETY: the reference is valid for 8 bytes, and the instruction asks for no alignment.
        unsafe { u32x4_load_extend_u16x4(halves.as_ptr()) }
    }

    #[inline(always)]
    pub fn multiply_add(a: Vector, b: Vector, sum: Vector) -> Vector {
        #[cfg(target_feature = "relaxed-simd")]
        return f32x4_relaxed_madd(a, b, sum);
        #[cfg(not(target_feature = "relaxed-simd"))]
        f32x4_add(f32x4_mul(a, b), sum)
    }

    #[inline(always)]
    pub fn transpose([a, b, c, d]: [Vector; LANES]) -> [Vector; LANES] {
        let low_ab = i32x4_shuffle::<0, 4, 1, 5>(a, b);
        let high_ab = i32x4_shuffle::<2, 6, 3, 7>(a, b);
        let low_cd = i32x4_shuffle::<0, 4, 1, 5>(c, d);
        let high_cd = i32x4_shuffle::<2, 6, 3, 7>(c, d);
        [
            i64x2_shuffle::<0, 2>(low_ab, low_cd),
            i64x2_shuffle::<1, 3>(low_ab, low_cd),
            i64x2_shuffle::<0, 2>(high_ab, high_cd),
            i64x2_shuffle::<1, 3>(high_ab, high_cd),
        ]
    }

    /// `x·2ⁿ` for whole `n`, by adding `n` to the exponent's bits.
    #[inline(always)]
    pub fn times_power_of_two(x: Vector, n: Vector) -> Vector {
        i32x4_add(x, i32x4_shl(i32x4_trunc_sat_f32x4(n), 23))
    }

    #[inline(always)]
    pub fn zero_where_below(x: Vector, of: Vector, limit: Vector) -> Vector {
        v128_andnot(x, f32x4_lt(of, limit))
    }
}

#[cfg(not(target_feature = "simd128"))]
mod platform {
    use std::array::from_fn;

    use super::{LANES, bf16_to_f32, f16_to_f32};

    pub type Vector = [f32; LANES];

    macro_rules! each {
        ($name:ident, |$($operand:ident),+| $result:expr) => {
            #[inline(always)]
            pub fn $name($($operand: Vector),+) -> Vector {
                from_fn(|lane| {
                    $(let $operand = $operand[lane];)+
                    $result
                })
            }
        };
    }

    each!(add, |a, b| a + b);
    each!(subtract, |a, b| a - b);
    each!(multiply, |a, b| a * b);
    each!(divide, |a, b| a / b);
    each!(max, |a, b| if b > a { b } else { a });
    each!(min, |a, b| if b < a { b } else { a });
    each!(nearest, |x| x.round_ties_even());
    each!(multiply_add, |a, b, sum| a * b + sum);
    each!(times_power_of_two, |x, n| f32::from_bits(
        x.to_bits().wrapping_add_signed((n as i32) << 23)
    ));
    each!(zero_where_below, |x, of, limit| if of < limit {
        0.0
    } else {
        x
    });

    #[inline(always)]
    pub fn splat(value: f32) -> Vector {
        [value; LANES]
    }

    #[inline(always)]
    pub fn load(values: &[f32; LANES]) -> Vector {
        *values
    }

    #[inline(always)]
    pub fn store(vector: Vector, values: &mut [f32; LANES]) {
        *values = vector;
    }

    #[inline(always)]
    pub fn from_bytes(bytes: &[u8; 16]) -> [Vector; 4] {
        from_fn(|vector| from_fn(|lane| f32::from(bytes[4 * vector + lane].cast_signed())))
    }

    #[inline(always)]
    pub fn from_nibbles(bytes: &[u8; 16]) -> [Vector; 8] {
        from_fn(|vector| {
            from_fn(|lane| {
                let byte = bytes[4 * (vector % 4) + lane];
                let code = if vector < 4 { byte & 15 } else { byte >> 4 };
                f32::from(code) - 8.0
            })
        })
    }

    #[inline(always)]
    pub fn from_f16(bits: &[u16; LANES]) -> Vector {
        bits.map(f16_to_f32)
    }

    #[inline(always)]
    pub fn from_bf16(bits: &[u16; LANES]) -> Vector {
        bits.map(bf16_to_f32)
    }

    #[inline(always)]
    pub fn transpose(rows: [Vector; LANES]) -> [Vector; LANES] {
        from_fn(|column| from_fn(|row| rows[row][column]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exp(x: f32) -> f32 {
        Lanes::splat(x).exp().to_array()[0]
    }

    #[test]
    fn exp_of_a_forbidden_score_is_exactly_zero() {
        assert_eq!(exp(f32::NEG_INFINITY), 0.0);
        assert_eq!(exp(-100.0), 0.0);
        assert_eq!(exp(0.0), 1.0);
    }

    #[test]
    fn columns_become_rows() {
        let rows = std::array::from_fn(|row| {
            Lanes::load(&std::array::from_fn(|column| (4 * row + column) as f32))
        });
        let columns = Lanes::transpose(rows).map(Lanes::to_array);
        for (column, values) in columns.iter().enumerate() {
            for (row, &value) in values.iter().enumerate() {
                assert_eq!(value, (4 * row + column) as f32);
            }
        }
        assert_eq!(Lanes::sums(rows), [6.0, 22.0, 38.0, 54.0]);
    }

    #[test]
    fn bytes_and_their_halves_become_numbers() {
        let bytes = std::array::from_fn(|i| (37 * i) as u8);
        let whole = Lanes::from_bytes(&bytes).map(Lanes::to_array);
        let halves = Lanes::from_nibbles(&bytes).map(Lanes::to_array);
        let (lower, upper) = halves.as_flattened().split_at(16);
        for (i, byte) in bytes.into_iter().enumerate() {
            assert_eq!(whole.as_flattened()[i], f32::from(byte.cast_signed()));
            assert_eq!(lower[i], f32::from(byte % 16) - 8.0);
            assert_eq!(upper[i], f32::from(byte / 16) - 8.0);
        }
    }

    proptest! {
        #[test]
        fn exp_agrees_with_the_standard_library(x in -86.0f32..88.0) {
            let expected = f64::from(x).exp();
            let relative = (f64::from(exp(x)) - expected).abs() / expected;
            prop_assert!(relative < 2.5e-7, "{relative}");
        }
    }
}
