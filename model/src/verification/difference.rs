//! Differences between arrays of numbers; missing values and NaN count as infinite.

/// Returns the largest absolute difference; infinite if a number has no counterpart or is NaN.
pub fn largest(found: &[f32], expected: &[f32]) -> f32 {
    if found.len() != expected.len() {
        return f32::INFINITY;
    }
    found
        .iter()
        .zip(expected)
        .map(|(a, b)| if a == b { 0.0 } else { (a - b).abs() })
        .fold(0.0, worst)
}

/// Returns the largest difference in proportion to the largest of the expected values, if that is above one; infinite
/// if a value is not finite.
pub fn relative(found: &[f32], expected: &[f32]) -> f32 {
    let scale = expected
        .iter()
        .fold(1.0f32, |scale, value| scale.max(value.abs()));
    match largest(found, expected) {
        difference if difference.is_finite() => difference / scale,
        _ => f32::INFINITY,
    }
}

/// Returns the largest deviation from one of the sums of rows of `width` attention weights.
pub fn row_sum_error(weights: &[f32], width: usize) -> f32 {
    weights
        .chunks(width)
        .map(|row| (row.iter().sum::<f32>() - 1.0).abs())
        .fold(0.0, worst)
}

/// Computes `f32::max`, but returns NaN if a value is NaN.
pub fn worst(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        f32::INFINITY
    } else {
        a.max(b)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found_and_nan_is_the_largest() {
        assert_eq!(largest(&[0.5, 1.0], &[0.25, 1.0]), 0.25);
        assert_eq!(largest(&[0.5], &[f32::NAN]), f32::INFINITY);
        assert_eq!(largest(&[f32::NAN, 0.5], &[0.5, 0.5]), f32::INFINITY);
        assert_eq!(largest(&[0.5], &[]), f32::INFINITY);
    }

    #[test]
    fn large_values_may_differ_by_more() {
        assert_eq!(relative(&[101.0, 0.0], &[100.0, 0.0]), 0.01);
        assert_eq!(relative(&[0.25], &[0.5]), 0.25);
        assert_eq!(relative(&[100.0], &[f32::NAN]), f32::INFINITY);
        assert_eq!(relative(&[1.0], &[f32::INFINITY]), f32::INFINITY);
    }

    #[test]
    fn rows_that_do_not_sum_to_one_are_found() {
        assert!(row_sum_error(&[1.0 / 6.0; 12], 6) < 1e-6);
        assert_eq!(row_sum_error(&[0.0; 6], 6), 1.0);
        assert_eq!(row_sum_error(&[f32::NAN; 6], 6), f32::INFINITY);
    }
}
