//! The training data: lines of 64 grey levels and a digit, separated by commas, in the format of scikit-learn and the
//! UCI repository.

use attention_trace::lessons::{LabelledPicture, Picture, PictureFault};
use thiserror::Error;

/// An error in the file of pictures.
#[derive(Debug, Error)]
pub enum DataError {
    /// A line holds something else than numbers.
    #[error("line {line}: `{text}` is no number from 0 to 255")]
    Number {
        /// The line, from 1.
        line: usize,
        /// The text found in place of a number.
        text: String,
    },
    /// A line has no picture.
    #[error("line {line}: {fault}")]
    Picture {
        /// The line, from 1.
        line: usize,
        /// The fault of the picture.
        fault: PictureFault,
    },
    /// The last number of a line is not a digit.
    #[error("line {line}: {digit} is no digit")]
    Digit {
        /// The line, from 1.
        line: usize,
        /// The number in place of a digit.
        digit: u8,
    },
}

/// Reads pictures, one a line.
///
/// # Errors
/// At the first line that holds none.
pub fn digits(text: &str) -> Result<Vec<LabelledPicture>, DataError> {
    let lines = text.lines().enumerate();
    lines.map(|(place, line)| labelled(place, line)).collect()
}

fn labelled(place: usize, text: &str) -> Result<LabelledPicture, DataError> {
    let line = place + 1;
    let number = |text: &str| {
        let wrong = |_| DataError::Number {
            line,
            text: text.to_owned(),
        };
        text.trim().parse::<u8>().map_err(wrong)
    };
    let mut levels = text
        .split(',')
        .map(number)
        .collect::<Result<Vec<u8>, _>>()?;
    let digit = levels.pop().unwrap_or(u8::MAX);
    let picture = Picture::new(levels).map_err(|fault| DataError::Picture { line, fault })?;
    match digit {
        0..=9 => Ok(LabelledPicture {
            place,
            digit,
            picture,
        }),
        _ => Err(DataError::Digit { line, digit }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(digit: &str) -> String {
        let levels: Vec<String> = (0..64).map(|cell| (cell % 17).to_string()).collect();
        format!("{},{digit}", levels.join(","))
    }

    #[test]
    fn a_line_is_a_picture_and_its_digit() {
        let read = digits(&format!("{}\n{}\n", line("7"), line("0"))).unwrap();
        assert_eq!(read.iter().map(|one| one.digit).collect::<Vec<_>>(), [7, 0]);
        assert_eq!(read[1].place, 1);
        assert_eq!(read[0].picture.levels()[16], 16);
    }

    #[test]
    fn a_line_that_is_none_is_named() {
        let message = |text: &str| digits(text).unwrap_err().to_string();
        assert_eq!(message("1,2,3"), "line 1: a picture has 64 cells, not 2");
        assert_eq!(message(&line("12")), "line 1: 12 is no digit");
        let text = format!("{}\n{}", line("1"), line("x"));
        assert_eq!(message(&text), "line 2: `x` is no number from 0 to 255");
        let dark = line("1").replacen("16", "17", 1);
        assert!(message(&dark).contains("darker than 16"));
    }
}
