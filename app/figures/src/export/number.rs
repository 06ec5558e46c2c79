//! Numbers as text that reads back as the same number.

/// The exponents of ten between which a number is written without one.
const PLAIN: std::ops::Range<f64> = 1e-5..1e15;

/// Returns the shortest decimal form of a finite number that reads back as the same `f32`; `None` for any other.
pub(super) fn of_f32(value: f32) -> Option<String> {
    value.is_finite().then(|| match is_plain(value.into()) {
        true => format!("{value}"),
        false => format!("{value:e}"),
    })
}

/// Returns the same for an `f64`.
pub(super) fn of_f64(value: f64) -> Option<String> {
    value.is_finite().then(|| match is_plain(value) {
        true => format!("{value}"),
        false => format!("{value:e}"),
    })
}

fn is_plain(value: f64) -> bool {
    value == 0.0 || PLAIN.contains(&value.abs())
}

/// Returns a coordinate of a drawing with at most three decimals.
pub(super) fn place(value: f64) -> String {
    let written = format!("{value:.3}");
    let written = written.trim_end_matches('0').trim_end_matches('.');
    match written {
        "-0" => "0".to_owned(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_written_number_reads_back_as_it_was(value in any::<f32>(), wide in any::<f64>()) {
            let read = of_f32(value).map(|written| written.parse::<f32>().unwrap());
            prop_assert_eq!(read, value.is_finite().then_some(value));
            let read = of_f64(wide).map(|written| written.parse::<f64>().unwrap());
            prop_assert_eq!(read, wide.is_finite().then_some(wide));
        }
    }

    #[test]
    fn places_are_short() {
        assert_eq!(place(2.0), "2");
        assert_eq!(place(-0.0001), "0");
        assert_eq!(place(0.12345), "0.123");
        assert_eq!(place(100.0), "100");
    }
}
