//! Numbers as visitors type them.

/// The number that was typed: a point or a comma for decimals, digits in threes, a minus of either kind, per cent.
pub fn number(text: &str) -> Option<f64> {
    let text: String = text.chars().filter_map(plain).collect();
    let (text, unit) = match text.strip_suffix('%') {
        Some(text) => (text, 0.01),
        None => (text.as_str(), 1.0),
    };
    let value: f64 = with_point(text).parse().ok()?;
    value.is_finite().then_some(value * unit)
}

/// A character as Rust reads numbers; white space is none.
fn plain(sign: char) -> Option<char> {
    match sign {
        '−' | '－' => Some('-'),
        '％' => Some('%'),
        '．' => Some('.'),
        '，' => Some(','),
        '０'..='９' => char::from_digit(sign as u32 - '０' as u32, 10),
        sign if sign.is_whitespace() => None,
        sign => Some(sign),
    }
}

/// With a point for decimals and nothing between digits. A comma is for decimals where it stands alone and not before
/// the last three digits.
fn with_point(text: &str) -> String {
    let groups: Vec<&str> = text.split(',').collect();
    match groups.as_slice() {
        [whole, decimals] if !whole.contains('.') && (decimals.len() != 3 || *whole == "0") => {
            format!("{whole}.{decimals}")
        }
        _ => groups.concat(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_read_as_they_are_written_anywhere() {
        for (text, value) in [
            ("8", 8.0),
            (" 5.66 ", 5.66),
            ("5,66", 5.66),
            ("0,125", 0.125),
            ("1,048,576", 1_048_576.0),
            ("65,536", 65_536.0),
            ("1 048 576", 1_048_576.0),
            ("−3", -3.0),
            ("50 %", 0.5),
            ("１２", 12.0),
            ("1e-3", 1e-3),
        ] {
            let read = number(text).unwrap();
            assert!((read - value).abs() < 1e-9, "{text}: {read}");
        }
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in ["", "√64", "eight", "NaN", "inf", "--1", "%"] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn what_is_displayed_is_read_back(value in -1e9f64..1e9) {
            prop_assert_eq!(number(&value.to_string()), Some(value));
        }

        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            prop_assert!(number(&text).is_none_or(f64::is_finite));
        }
    }
}
