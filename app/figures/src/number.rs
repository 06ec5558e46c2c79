//! Numbers as the page writes them, in cells, in tables and in sentences.
//!
//! Numbers that stand together have the same decimals, and what is not zero is never written as zero.

/// `value` with that many digits after the point and a true minus sign; by its power of ten where it would be all
/// zeros and is not zero.
pub fn decimal(value: f32, digits: usize) -> String {
    if value == f32::NEG_INFINITY {
        return "−∞".to_owned();
    }
    if !value.is_finite() {
        return "–".to_owned();
    }
    let rounded = format!("{value:.digits$}");
    let is_nothing = !rounded.contains(|digit| matches!(digit, '1'..='9'));
    match rounded.strip_prefix('-') {
        _ if is_nothing && value != 0.0 => with_minus(&format!("{value:.0e}")),
        Some(zero) if is_nothing => zero.to_owned(),
        _ => with_minus(&rounded),
    }
}

/// A number by itself, in few digits.
pub fn significant(value: f32) -> String {
    Digits::of([value]).write(value)
}

/// The sign before a number. In a power of ten it stays a hyphen, so that the number can be read by programs.
fn with_minus(text: &str) -> String {
    match text.strip_prefix('-') {
        Some(magnitude) => format!("−{magnitude}"),
        None => text.to_owned(),
    }
}

/// How numbers that stand together are written: in at most six characters, with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits {
    /// After the point; `None` for powers of ten.
    decimals: Option<usize>,
}

impl Digits {
    /// Of shares of one.
    pub const WEIGHTS: Digits = Digits { decimals: Some(3) };

    /// As many decimals as the largest of the numbers has room for: three at most.
    pub fn of(values: impl IntoIterator<Item = f32>) -> Self {
        let finite = values.into_iter().filter(|value| value.is_finite());
        let largest = finite.fold(0.0_f32, |largest, value| largest.max(value.abs()));
        Digits {
            decimals: match largest {
                _ if largest < 0.9995 => Some(3),
                _ if largest < 99.995 => Some(2),
                _ if largest < 999.95 => Some(1),
                _ if largest < 99_999.5 => Some(0),
                _ => None,
            },
        }
    }

    /// One of the numbers.
    pub fn write(self, value: f32) -> String {
        match self.decimals {
            None if value.is_finite() && value != 0.0 => with_minus(&format!("{value:.0e}")),
            decimals => decimal(value, decimals.unwrap_or(0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn minus_is_a_minus_and_zero_has_none() {
        assert_eq!(decimal(-0.264, 2), "−0.26");
        assert_eq!(decimal(-0.0, 2), "0.00");
        assert_eq!(decimal(1.5, 3), "1.500");
    }

    #[test]
    fn nearly_nothing_is_not_nothing() {
        assert_eq!(decimal(0.0, 3), "0.000");
        assert_eq!(decimal(0.0004, 3), "4e-4");
        assert_eq!(decimal(-0.001, 2), "−1e-3");
        assert_eq!(decimal(0.0006, 3), "0.001");
    }

    #[test]
    fn numbers_by_themselves_are_short_and_honest() {
        for (value, text) in [
            (0.1249, "0.125"),
            (2.716, "2.72"),
            (-3.456, "−3.46"),
            (-96.04, "−96.04"),
            (112.0, "112.0"),
            (123456.0, "1e5"),
            (f32::NEG_INFINITY, "−∞"),
            (f32::NAN, "–"),
        ] {
            assert_eq!(significant(value), text);
        }
    }

    #[test]
    fn numbers_that_stand_together_have_the_same_decimals() {
        let scores = [112.0, 96.0, 0.125, f32::NEG_INFINITY, 0.0];
        let digits = Digits::of(scores);
        let written = scores.map(|score| digits.write(score));
        assert_eq!(written, ["112.0", "96.0", "0.1", "−∞", "0.0"]);
    }

    proptest! {
        #[test]
        fn a_number_fits_its_cell(largest in any::<f32>(), share in -1.0f32..1.0) {
            let value = largest * share;
            let written = Digits::of([largest]).write(value);
            prop_assert!(written.chars().count() <= 6, "{written}");
        }

        #[test]
        fn what_is_not_zero_is_not_written_as_zero(value in any::<f32>(), digits in 0usize..5) {
            let written = decimal(value, digits);
            let is_nothing = !written.contains(|digit| matches!(digit, '1'..='9'));
            prop_assert_eq!(is_nothing && value.is_finite(), value == 0.0);
        }
    }
}
