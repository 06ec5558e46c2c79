//! Sums of numbers that do not depend on the order of the summands.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// The bits after the binary point: a summand is rounded by at most 2⁻⁶¹, less than an `f64` near 1 is.
const FRACTION_BITS: i32 = 60;

/// A sum in fixed point: each summand is rounded to a multiple of 2⁻⁶⁰, and multiples are added exactly.
///
/// Sums over parts of a corpus can therefore be added in any order, with the same result to the last bit. JSON has the
/// multiple as a string of decimal digits, and `null` for a sum that is not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixedPointSum(
    /// The multiple of 2⁻⁶⁰; `None` after a summand that was not finite, or beyond ±2⁶⁷.
    Option<i128>,
);

impl Default for FixedPointSum {
    fn default() -> Self {
        FixedPointSum(Some(0))
    }
}

impl FixedPointSum {
    /// Adds a number to the sum.
    pub fn add(&mut self, summand: f64) {
        let scaled = (summand * 2f64.powi(FRACTION_BITS)).round_ties_even();
        let is_in_range = scaled.abs() < i128::MAX as f64;
        self.merge(FixedPointSum(is_in_range.then_some(scaled as i128)));
    }

    /// Adds the sum of other numbers.
    pub fn merge(&mut self, other: FixedPointSum) {
        let sum = self.0.zip(other.0);
        self.0 = sum.and_then(|(own, other)| own.checked_add(other));
    }

    /// Returns the sum; not a number if a summand was not finite, or the sum is beyond ±2⁶⁷.
    pub fn value(self) -> f64 {
        self.0.map_or(f64::NAN, |multiple| {
            multiple as f64 * 2f64.powi(-FRACTION_BITS)
        })
    }
}

impl Serialize for FixedPointSum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0
            .map(|multiple| multiple.to_string())
            .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for FixedPointSum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = Option::<String>::deserialize(deserializer)?;
        let multiple = digits.map(|digits| digits.parse().map_err(de::Error::custom));
        Ok(FixedPointSum(multiple.transpose()?))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn sum(summands: &[f64]) -> FixedPointSum {
        let mut sum = FixedPointSum::default();
        summands.iter().for_each(|&summand| sum.add(summand));
        sum
    }

    #[test]
    fn a_sum_that_is_no_number_stays_none() {
        for summand in [f64::NAN, f64::INFINITY, 1e30] {
            let broken = sum(&[1.0, summand, 1.0]);
            assert!(broken.value().is_nan());
            let json = serde_json::to_string(&broken).unwrap();
            assert_eq!(json, "null");
            assert_eq!(
                serde_json::from_str::<FixedPointSum>(&json).unwrap(),
                broken
            );
        }
        assert!(serde_json::from_str::<FixedPointSum>("\"1.5\"").is_err());
    }

    proptest! {
        #[test]
        fn parts_in_any_order_add_up_to_the_same_bits(
            summands in prop::collection::vec((-1e3f64..1e3, 0usize..4), 0..40)
        ) {
            let all: Vec<f64> = summands.iter().map(|(summand, _)| *summand).collect();
            let whole = sum(&all);
            let mut merged = FixedPointSum::default();
            for part in (0..4).rev() {
                let own = summands.iter().rev().filter(|(_, of)| *of == part);
                merged.merge(sum(&own.map(|(summand, _)| *summand).collect::<Vec<_>>()));
            }
            prop_assert_eq!(merged, whole);
            let near: f64 = all.iter().sum();
            prop_assert!((whole.value() - near).abs() < 1e-9);
            let json = serde_json::to_string(&whole).unwrap();
            prop_assert_eq!(serde_json::from_str::<FixedPointSum>(&json).unwrap(), whole);
        }
    }
}
