//! Numbers as the page writes them, in cells, in tables and in sentences.
//!
//! Numbers that stand together have the same decimals, and what is not zero is never written as zero. Shares of one,
//! such as weights and probabilities, have no powers of ten: one that is too small for its digits is below the last of
//! them.

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

/// A share of one, such as a weight or a probability, or the difference of two, with that many digits after the point:
/// `0.0312`, and `< 0.0001` or `> −0.0001` where it would be all zeros and is not zero.
pub fn share_of_one(value: f32, digits: usize) -> String {
    bound(value, digits, " ").unwrap_or_else(|| decimal(value, digits))
}

/// The same without a space, which a cell and a bar have no room for.
pub fn share_in_cell(value: f32, digits: usize) -> String {
    bound(value, digits, "").unwrap_or_else(|| decimal(value, digits))
}

/// What a number is within that would be all zeros in so many digits and is not zero; `None` of any other.
fn bound(value: f32, digits: usize, space: &str) -> Option<String> {
    let is_nothing = !format!("{value:.digits$}").contains(|digit| matches!(digit, '1'..='9'));
    if !is_nothing || !value.is_finite() || value == 0.0 {
        return None;
    }
    let smallest = match digits.checked_sub(1) {
        Some(zeros) => format!("0.{}1", "0".repeat(zeros)),
        None => "1".to_owned(),
    };
    Some(match value > 0.0 {
        true => format!("<{space}{smallest}"),
        false => format!(">{space}−{smallest}"),
    })
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
    /// Whether they are shares of one.
    are_shares: bool,
}

impl Digits {
    /// Of shares of one.
    pub const WEIGHTS: Digits = Digits {
        decimals: Some(3),
        are_shares: true,
    };

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
            are_shares: false,
        }
    }

    /// One of the numbers.
    pub fn write(self, value: f32) -> String {
        match self.decimals {
            None if value.is_finite() && value != 0.0 => with_minus(&format!("{value:.0e}")),
            Some(digits) if self.are_shares => share_in_cell(value, digits),
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
    fn a_share_has_no_power_of_ten() {
        for (value, digits, text) in [
            (0.0008, 4, "0.0008"),
            (0.00008, 4, "0.0001"),
            (0.00004, 4, "< 0.0001"),
            (-0.00004, 4, "> −0.0001"),
            (f32::NAN, 4, "–"),
            (0.0008, 2, "< 0.01"),
            (1e-30, 0, "< 1"),
            (0.0, 3, "0.000"),
            (1.0, 2, "1.00"),
        ] {
            assert_eq!(share_of_one(value, digits), text);
        }
        assert_eq!(Digits::WEIGHTS.write(0.0004), "<0.001");
        assert_eq!(Digits::WEIGHTS.write(0.0), "0.000");
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
        fn any_share_is_plain_and_fits_its_cell(value in 0.0f32..=1.0, digits in 0usize..6) {
            let written = share_of_one(value, digits);
            prop_assert!(!written.contains('e'), "{written}");
            let is_nothing = !written.contains(|digit| matches!(digit, '1'..='9'));
            prop_assert_eq!(is_nothing, value == 0.0);
            let cell = Digits::WEIGHTS.write(value);
            prop_assert!(cell.chars().count() <= 6 && !cell.contains('e'), "{cell}");
        }

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
