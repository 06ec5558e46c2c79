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
    use super::{decimal, largest_difference};

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
}
