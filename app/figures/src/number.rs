//! The format of numbers on the page, in cells, in tables and in sentences.
//!
//! Numbers that are displayed together have the same decimals, and a nonzero number is never written as zero: a number
//! too small for its digits gets up to [`MOST_DECIMALS`], and a still smaller one is written as less than the last
//! decimal. Powers of ten serve for rounding errors, and for matrices of very large or very small numbers.

/// The largest number of decimals of a number that is too small for fewer.
const MOST_DECIMALS: usize = 4;
/// The digits of an exponent.
const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

/// Returns `value` with the given digits after the point and a true minus sign. A nonzero value that would be all zeros
/// has more of them: `0.0004`, and `< 0.0001` or `> −0.0001` if four are not enough.
pub fn decimal(value: f32, digits: usize) -> String {
    if value == f32::NEG_INFINITY {
        return "−∞".to_owned();
    }
    if !value.is_finite() {
        return "–".to_owned();
    }
    if value == 0.0 {
        return format!("{:.digits$}", 0.0);
    }
    let most = digits.max(MOST_DECIMALS);
    let enough = (digits..=most).find(|&digits| !is_nothing(value, digits));
    match enough {
        Some(digits) => with_minus(&format!("{value:.digits$}")),
        None => bound(value, most, " ").unwrap_or_default(),
    }
}

/// Returns true if a number is all zeros in the given digits.
fn is_nothing(value: f32, digits: usize) -> bool {
    !format!("{value:.digits$}").contains(|digit| matches!(digit, '1'..='9'))
}

/// Returns a number as a digit with one decimal and a power of ten: `4.8 × 10⁻⁷`.
pub fn scientific(value: f32) -> String {
    power(&format!("{value:.1e}"), " × ")
}

/// Returns the difference of numbers that would be the same without rounding: `0`, `4.8 × 10⁻⁷`, or `0.05` if it
/// exceeds rounding.
pub fn apart(difference: f32) -> String {
    match difference {
        0.0 => "0".to_owned(),
        small if small.abs() < 0.01 => scientific(small),
        large => decimal(large, 2),
    }
}

/// Converts Rust's `4.8e-7` to print.
fn power(written: &str, times: &str) -> String {
    let Some((mantissa, exponent)) = written.split_once('e') else {
        return with_minus(written);
    };
    let raised: String = exponent
        .chars()
        .map(|sign| match sign.to_digit(10) {
            Some(digit) => RAISED[digit as usize],
            None => '⁻',
        })
        .collect();
    format!("{}{times}10{raised}", with_minus(mantissa))
}

/// Returns a share of one, such as a weight or a probability, or the difference of two, with the given digits after the
/// point: `0.0312`, and `< 0.0001` or `> −0.0001` if a nonzero share would be all zeros.
pub fn share_of_one(value: f32, digits: usize) -> String {
    bound(value, digits, " ").unwrap_or_else(|| decimal(value, digits))
}

/// Returns the same without a space, for which a cell and a bar have no room.
pub fn share_in_cell(value: f32, digits: usize) -> String {
    bound(value, digits, "").unwrap_or_else(|| decimal(value, digits))
}

/// Returns the bound of a nonzero number that would be all zeros in the given digits; `None` for any other number.
fn bound(value: f32, digits: usize, space: &str) -> Option<String> {
    if !is_nothing(value, digits) || !value.is_finite() || value == 0.0 {
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

/// Returns a single number in few digits; as a power of ten if it has more than five digits before the point, or no
/// digit among the first four after it.
pub fn significant(value: f32) -> String {
    match value.abs() {
        size if !size.is_finite() => decimal(value, 0),
        size if size >= 99_999.5 => scientific(value),
        size if size > 0.0 && is_nothing(value, MOST_DECIMALS) => scientific(value),
        size if size > 0.0 && size < 0.01 => decimal(value, MOST_DECIMALS),
        _ => Digits::of([value]).write(value),
    }
}

/// Returns a number with a true minus sign.
fn with_minus(text: &str) -> String {
    match text.strip_prefix('-') {
        Some(magnitude) => format!("−{magnitude}"),
        None => text.to_owned(),
    }
}

/// The format of numbers that are displayed together: at most six characters, with a sign; powers of ten need up to
/// eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits {
    /// The digits after the point; `None` for powers of ten.
    decimals: Option<usize>,
    /// True if the numbers are shares of one.
    are_shares: bool,
}

impl Digits {
    /// The format of shares of one.
    pub const WEIGHTS: Digits = Digits {
        decimals: Some(3),
        are_shares: true,
    };

    /// Returns as many decimals as the largest of the numbers has room for, three at most; powers of ten if it is too
    /// large for any decimal, or too small for three.
    pub fn of(values: impl IntoIterator<Item = f32>) -> Self {
        let finite = values.into_iter().filter(|value| value.is_finite());
        let largest = finite.fold(0.0_f32, |largest, value| largest.max(value.abs()));
        Digits {
            decimals: match largest {
                0.0 => Some(3),
                _ if largest < 0.0005 => None,
                _ if largest < 0.9995 => Some(3),
                _ if largest < 99.995 => Some(2),
                _ if largest < 999.95 => Some(1),
                _ if largest < 99_999.5 => Some(0),
                _ => None,
            },
            are_shares: false,
        }
    }

    /// Returns one of the numbers in this format.
    pub fn write(self, value: f32) -> String {
        match self.decimals {
            Some(digits) if self.are_shares => share_in_cell(value, digits),
            Some(digits) => match bound(value, digits, "") {
                // Four characters and a zero too many for a cell.
                Some(bound) if value < 0.0 && digits > 2 => bound.replacen('0', "", 1),
                Some(bound) => bound,
                None => decimal(value, digits),
            },
            None if value.is_finite() && value != 0.0 => power(&format!("{value:.0e}"), "×"),
            None => decimal(value, 0),
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
        assert_eq!(decimal(0.0004, 3), "0.0004");
        assert_eq!(decimal(-0.001, 2), "−0.001");
        assert_eq!(decimal(0.00004, 2), "< 0.0001");
        assert_eq!(decimal(-0.00004, 4), "> −0.0001");
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
            (0.0312, "0.031"),
            (0.0008, "0.0008"),
            (-0.000042, "−4.2 × 10⁻⁵"),
            (123456.0, "1.2 × 10⁵"),
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
        let scores = [0.5, 0.0004, -0.0004];
        let written = scores.map(|score| Digits::of(scores).write(score));
        assert_eq!(written, ["0.500", "<0.001", ">−.001"]);
        let gradients = [-2e-5, 3e-7, 0.0];
        let written = gradients.map(|gradient| Digits::of(gradients).write(gradient));
        assert_eq!(written, ["−2×10⁻⁵", "3×10⁻⁷", "0"]);
    }

    #[test]
    fn rounding_errors_are_powers_of_ten() {
        assert_eq!(apart(4.8e-7), "4.8 × 10⁻⁷");
        assert_eq!(apart(0.0), "0");
        assert_eq!(apart(0.5), "0.50");
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
            let most = if written.contains('×') { 8 } else { 6 };
            prop_assert!(written.chars().count() <= most, "{written}");
            prop_assert!(!written.contains('e'), "{written}");
        }

        #[test]
        fn what_is_not_zero_is_not_written_as_zero(value in any::<f32>(), digits in 0usize..5) {
            let written = decimal(value, digits);
            let is_nothing = !written.contains(|digit| matches!(digit, '1'..='9'));
            prop_assert_eq!(is_nothing && value.is_finite(), value == 0.0);
        }
    }
}
