//! Numbers as a visitor types or pastes them, in hundredths.

use thiserror::Error;

/// The reason why a text is no number of a cell, or no row of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum EntryError {
    /// It is no number.
    #[error("not a number")]
    NotANumber,
    /// It has more than two decimals.
    #[error("more than two decimals")]
    TooFine,
    /// It is less than the smallest or more than the largest number, in hundredths.
    #[error("not between {0} and {1} hundredths")]
    OutOfBounds(i32, i32),
    /// The pasted block has this many rows and columns, more than fit from its first cell on.
    #[error("{0} × {1} numbers do not fit here")]
    TooMany(usize, usize),
}

/// The number that a text spells, in hundredths.
///
/// # Errors
/// If it is none, is out of bounds, or has more than two decimals.
pub fn parse(text: &str, (low, high): (i32, i32)) -> Result<i32, EntryError> {
    let text = text.trim().replace('−', "-");
    let number: f64 = text.parse().map_err(|_| EntryError::NotANumber)?;
    if !number.is_finite() {
        return Err(EntryError::NotANumber);
    }
    let hundredths = number * 100.0;
    if hundredths < f64::from(low) || hundredths > f64::from(high) {
        return Err(EntryError::OutOfBounds(low, high));
    }
    match (hundredths - hundredths.round()).abs() < 1e-6 {
        true => Ok(hundredths.round() as i32),
        false => Err(EntryError::TooFine),
    }
}

/// A number as it stands in a cell, without zeros at the end.
pub fn spell(hundredths: i32) -> String {
    (f64::from(hundredths) / 100.0).to_string()
}

/// The numbers of a text, row by row: columns are separated by spaces, tabs, commas or semicolons.
///
/// # Errors
/// If one of them is no number of a cell.
pub fn parse_rows(text: &str, bounds: (i32, i32)) -> Result<Vec<Vec<i32>>, EntryError> {
    let separates = |c: char| c.is_whitespace() || [',', ';', '，'].contains(&c);
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let words = line.split(separates).filter(|word| !word.is_empty());
            words.map(|word| parse(word, bounds)).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOUNDS: (i32, i32) = (-9999, 9999);

    #[test]
    fn what_is_no_number_of_a_cell_says_why() {
        for text in ["", "-", "abc", "1 2", "NaN", "inf", "1e999"] {
            assert_eq!(parse(text, BOUNDS), Err(EntryError::NotANumber), "{text}");
        }
        assert_eq!(parse("0.125", BOUNDS), Err(EntryError::TooFine));
        let beyond = EntryError::OutOfBounds(-9999, 9999);
        assert_eq!(parse("100", BOUNDS), Err(beyond));
        assert_eq!(parse("-1e300", BOUNDS), Err(beyond));
    }

    #[test]
    fn numbers_are_read_as_they_are_written() {
        assert_eq!(parse(" 0.1 ", BOUNDS), Ok(10));
        assert_eq!(parse("−2.5", BOUNDS), Ok(-250));
        assert_eq!(parse(".07", BOUNDS), Ok(7));
        assert_eq!(spell(10), "0.1");
        assert_eq!(spell(500), "5");
        assert_eq!(spell(-25), "-0.25");
    }

    #[test]
    fn a_table_is_read_row_by_row() {
        assert_eq!(
            parse_rows("0.1\t0\r\n0, -2; 3\n", BOUNDS),
            Ok(vec![vec![10, 0], vec![0, -200, 300]])
        );
        assert_eq!(parse_rows("1 x", BOUNDS), Err(EntryError::NotANumber));
    }

    proptest! {
        #[test]
        fn what_is_spelled_is_read(hundredths in BOUNDS.0..=BOUNDS.1) {
            prop_assert_eq!(parse(&spell(hundredths), BOUNDS), Ok(hundredths));
        }
    }
}
