//! The number formats of this chapter.

use attention_core::widgets::numbers::{decimal, share_of_one};

/// The number of decimals of shares and scores.
const DECIMALS: usize = 3;

/// Formats a share; a dash stands for a share of nothing.
pub fn of(share: Option<f64>) -> String {
    share.map_or_else(
        || "–".to_owned(),
        |share| share_of_one(share as f32, DECIMALS),
    )
}

/// Formats a positive number, given by its logarithm to base 2, with at least two digits; as a power of ten if it is
/// below 0.001, or not below 100,000.
pub fn from_log2(log2: f64) -> String {
    let log10 = log2 * std::f64::consts::LOG10_2;
    if (-3.0..5.0).contains(&log10) {
        let digits = match log10 {
            log10 if log10 < 0.0 => 4,
            log10 if log10 < 1.0 => 2,
            _ => 1,
        };
        return decimal(log2.exp2() as f32, digits);
    }
    let mut exponent = log10.floor();
    let mut digits = format!("{:.1}", 10f64.powf(log10 - exponent));
    if digits == "10.0" {
        exponent += 1.0;
        digits = "1.0".to_owned();
    }
    format!("{digits} × 10{}", superscript(exponent as i64))
}

fn superscript(number: i64) -> String {
    let raised = |digit| match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    };
    number.to_string().chars().map(raised).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn small_probabilities_are_powers_of_ten() {
        assert_eq!(from_log2(0.0), "1.00");
        assert_eq!(from_log2(-1.0), "0.5000");
        assert_eq!(from_log2(3.0), "8.00");
        assert_eq!(from_log2(5.0), "32.0");
        assert_eq!(from_log2(-32.0), "2.3 × 10⁻¹⁰");
        assert_eq!(from_log2(-9999.0), "1.0 × 10⁻³⁰¹⁰");
        assert_eq!(from_log2(20.0), "1.0 × 10⁶");
        // 9.97 × 10⁻⁵ has two digits once it is rounded, too.
        assert_eq!(from_log2(9.97e-5f64.log2()), "1.0 × 10⁻⁴");
    }

    #[test]
    fn a_share_of_nothing_is_a_dash() {
        assert_eq!(of(Some(0.8)), "0.800");
        assert_eq!(of(None), "–");
    }

    proptest! {
        #[test]
        fn what_is_written_is_near(log2 in -300f64..300.0) {
            let written = from_log2(log2);
            let plain = match written.split_once(" × 10") {
                None => written.parse::<f64>().unwrap(),
                Some((digits, raised)) => {
                    let lowered = |sign: char| match "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|other| other == sign) {
                        Some(digit) => char::from_digit(digit as u32, 10).unwrap(),
                        None => '-',
                    };
                    let exponent: String = raised.chars().map(lowered).collect();
                    format!("{digits}e{exponent}").parse::<f64>().unwrap()
                }
            };
            prop_assert!((plain / log2.exp2() - 1.0).abs() < 0.06, "{written}");
        }
    }
}
