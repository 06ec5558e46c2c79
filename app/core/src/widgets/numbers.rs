//! Numbers as the page writes them.

pub use attention_figures::number::{apart, decimal, share_of_one, significant};
use leptos::{prelude::*, reactive::graph::Observer};
use leptos_i18n::I18nContext;

use crate::i18n::Locale;

/// The numbers from 1 to `count`, as names: layers and heads are counted so everywhere on the page.
pub fn counted(count: usize) -> Vec<String> {
    (1..=count).map(|number| number.to_string()).collect()
}

/// A number with its sign, unless it is zero: `+0.42`, and `< +0.0001` of one that is too small for any digits.
pub fn signed(value: f32, decimals: usize) -> String {
    with_plus(value, decimal(value, decimals))
}

/// A difference of two shares of one with its sign, unless it is zero: `+0.0312`, and `< +0.0001` of one that is too
/// small for its digits.
pub fn signed_share(value: f32, decimals: usize) -> String {
    with_plus(value, share_of_one(value, decimals))
}

fn with_plus(value: f32, number: String) -> String {
    match number.strip_prefix("< ") {
        Some(bound) => format!("< +{bound}"),
        None if value > 0.0 => format!("+{number}"),
        None => number,
    }
}

/// A distance between two places with its sign, `−3`; 0 has none.
pub fn signed_offset(offset: isize) -> String {
    match offset {
        0 => "0".to_owned(),
        ahead if ahead > 0 => format!("+{ahead}"),
        back => format!("−{}", back.unsigned_abs()),
    }
}

/// A share of one in per cent, with that many decimals; less than all is not called all, nor more than nothing nothing.
pub fn percent(share: f32, decimals: i32) -> String {
    let digits = decimals.max(0) as usize;
    let unit = 0.1f32.powi(decimals);
    let rounded = (share * 100.0 / unit).round() * unit;
    let sign = per_cent_sign();
    match () {
        () if share < 1.0 && rounded >= 100.0 => format!("> {:.digits$}{sign}", 100.0 - unit),
        () if share > 0.0 && rounded <= 0.0 => format!("< {unit:.digits$}{sign}"),
        () => format!("{rounded:.digits$}{sign}"),
    }
}

/// Returns the sign after a number in per cent: in Chinese there is no space before the sign. The page's language is
/// taken from the view that this is called for; elsewhere it is English.
pub fn per_cent_sign() -> &'static str {
    let language = |i18n: I18nContext<Locale>| match Observer::get() {
        Some(_) => i18n.get_locale(),
        None => i18n.get_locale_untracked(),
    };
    match use_context().map_or(Locale::en, language) {
        Locale::en => " %",
        Locale::zh => "%",
    }
}

/// A text whose equations name a number, with one sign where the number is only bounded: `R < 0.01` in the place of
/// `R = < 0.01`.
pub fn equations(text: impl Into<String>) -> String {
    let text: String = text.into();
    text.replace("= < ", "< ").replace("= > ", "> ")
}

/// A whole number with its digits in threes.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count in three digits and an SI prefix: 63.1 M, 8.03 G.
pub fn prefixed(value: f64) -> String {
    const PREFIXES: [&str; 7] = ["", "k", "M", "G", "T", "P", "E"];
    let (mut value, mut place) = (value, 0);
    // What would round up to 1,000 has the next prefix.
    while value >= 999.5 && place + 1 < PREFIXES.len() {
        value /= 1000.0;
        place += 1;
    }
    let digits = match value {
        value if place == 0 && value.fract() == 0.0 => 0,
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {}", PREFIXES[place])
}

/// Bytes as megabytes (10⁶) with one decimal.
pub fn megabytes(bytes: u64) -> String {
    format!("{:.1}", bytes as f64 / 1e6)
}

/// The largest absolute difference of two rows of numbers, in words: `0`, or `4.8 × 10⁻⁷`.
pub fn largest_difference(one: &[f32], other: &[f32]) -> String {
    let pairs = one.iter().zip(other);
    let differences = pairs.map(|(one, other)| (one - other).abs());
    apart(differences.fold(0.0, f32::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_numbers_are_readable() {
        assert_eq!(grouped(0), "0");
        assert_eq!(grouped(999), "999");
        assert_eq!(grouped(63_119_496), "63,119,496");
        assert_eq!(prefixed(63_119_496.0), "63.1 M");
        assert_eq!(prefixed(8_030_261_248.0), "8.03 G");
        assert_eq!(prefixed(999_600.0), "1.00 M");
        assert_eq!(prefixed(512.0), "512 ");
    }

    #[test]
    fn a_sign_is_always_written_but_of_zero() {
        assert_eq!(signed(0.416, 2), "+0.42");
        assert_eq!(signed(-0.416, 2), "−0.42");
        assert_eq!(signed(0.0, 2), "0.00");
        assert_eq!(signed(0.00001, 2), "< +0.0001");
        assert_eq!([-3, 0, 2].map(signed_offset), ["−3", "0", "+2"]);
    }

    #[test]
    fn a_small_difference_of_shares_keeps_its_sign() {
        assert_eq!(signed_share(0.0312, 4), "+0.0312");
        assert_eq!(signed_share(-0.0312, 4), "−0.0312");
        assert_eq!(signed_share(0.00002, 4), "< +0.0001");
        assert_eq!(signed_share(-0.00002, 4), "> −0.0001");
        assert_eq!(signed_share(0.0, 4), "0.0000");
    }

    #[test]
    fn a_bounded_number_is_no_equation() {
        let loss = |value| equations(format!("loss = {}", decimal(value, 3)));
        assert_eq!(loss(0.25), "loss = 0.250");
        assert_eq!(loss(0.00001), "loss < 0.0001");
        assert_eq!(loss(-0.00001), "loss > −0.0001");
    }

    #[test]
    fn megabytes_have_one_decimal() {
        assert_eq!(megabytes(0), "0.0");
        assert_eq!(megabytes(12_345_678), "12.3");
    }

    #[test]
    fn differences_are_short() {
        assert_eq!(largest_difference(&[1.0, 2.0], &[1.0, 2.0]), "0");
        assert_eq!(largest_difference(&[1.0, 2.0], &[1.5, 2.0]), "0.50");
        assert_eq!(largest_difference(&[1.0], &[1.0 + 1e-6]), "9.5 × 10⁻⁷");
    }

    #[test]
    fn nearly_all_is_not_all() {
        assert_eq!(percent(0.9881, 0), "99 %");
        assert_eq!(percent(0.997, 0), "> 99 %");
        assert_eq!(percent(1.0, 0), "100 %");
        assert_eq!(percent(0.001, 0), "< 1 %");
        assert_eq!(percent(0.0, 0), "0 %");
        assert_eq!(percent(0.0004, 1), "< 0.1 %");
        assert_eq!(percent(0.9999, 1), "> 99.9 %");
        assert_eq!(percent(0.934, 1), "93.4 %");
    }
}
