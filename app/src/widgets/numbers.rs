//! Numbers as the page writes them.

/// `value` with that many digits after the point and a true minus sign.
pub fn decimal(value: f32, digits: usize) -> String {
    let rounded = format!("{value:.digits$}");
    match rounded.strip_prefix('-') {
        Some(magnitude) if magnitude.contains(|digit| matches!(digit, '1'..='9')) => {
            format!("−{magnitude}")
        }
        Some(zero) => zero.to_owned(),
        None => rounded,
    }
}

/// The numbers from 1 to `count`, as names: layers and heads are counted so everywhere on the page.
pub fn counted(count: usize) -> Vec<String> {
    (1..=count).map(|number| number.to_string()).collect()
}

/// A share of one in whole per cent; less than all is not called all, more than nothing not nothing.
pub fn percent(share: f32) -> String {
    let percent = (share * 100.0).round();
    match () {
        () if share < 1.0 && percent >= 100.0 => "> 99 %".to_owned(),
        () if share > 0.0 && percent <= 0.0 => "< 1 %".to_owned(),
        () => format!("{percent:.0} %"),
    }
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

/// The largest absolute difference of two rows of numbers, in words: `0`, or `4.8e-7`.
pub fn largest_difference(one: &[f32], other: &[f32]) -> String {
    let differences = one
        .iter()
        .zip(other)
        .map(|(one, other)| (one - other).abs());
    match differences.fold(0.0, f32::max) {
        0.0 => "0".to_owned(),
        difference => format!("{difference:.1e}"),
    }
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
    fn differences_are_short() {
        assert_eq!(largest_difference(&[1.0, 2.0], &[1.0, 2.0]), "0");
        assert_eq!(largest_difference(&[1.0, 2.0], &[1.5, 2.0]), "5.0e-1");
    }

    #[test]
    fn minus_is_a_minus_and_zero_has_none() {
        assert_eq!(decimal(-0.264, 2), "−0.26");
        assert_eq!(decimal(-0.001, 2), "0.00");
        assert_eq!(decimal(1.5, 3), "1.500");
    }

    #[test]
    fn nearly_all_is_not_all() {
        assert_eq!(percent(0.9881), "99 %");
        assert_eq!(percent(0.997), "> 99 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(percent(0.001), "< 1 %");
        assert_eq!(percent(0.0), "0 %");
    }
}
