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

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn minus_is_a_minus_and_zero_has_none() {
        assert_eq!(decimal(-0.264, 2), "−0.26");
        assert_eq!(decimal(-0.001, 2), "0.00");
        assert_eq!(decimal(1.5, 3), "1.500");
    }
}
