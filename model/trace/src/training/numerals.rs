//! Numbers in English words and in digits: `three hundred forty-two` is 342.

use super::fault::ExampleFault;

const UNITS: [&str; 20] = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
];
/// The tens from twenty on.
const TENS: [&str; 8] = [
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];
/// The numbers that have words here end before it.
const END: u64 = 1_000_000;

/// Returns a number below a million in words.
pub fn spelled(number: u64) -> String {
    let (many, rest) = match number {
        1000.. => (Some((number / 1000, "thousand")), number % 1000),
        100.. => (Some((number / 100, "hundred")), number % 100),
        _ => (None, number),
    };
    match many {
        None => below_hundred(rest as usize),
        Some((many, name)) if rest == 0 => format!("{} {name}", spelled(many)),
        Some((many, name)) => format!("{} {name} {}", spelled(many), spelled(rest)),
    }
}

fn below_hundred(number: usize) -> String {
    match (number.checked_sub(20), number % 10) {
        (None, _) => UNITS[number].to_owned(),
        (Some(above), 0) => TENS[above / 10].to_owned(),
        (Some(above), unit) => format!("{}-{}", TENS[above / 10], UNITS[unit]),
    }
}

/// Returns the digits of a number in words.
///
/// # Errors
/// If there is a character that no word has, or the words are no number.
pub fn digits(words: &str) -> Result<String, ExampleFault> {
    let is_known = |c: char| c.is_ascii_lowercase() || matches!(c, ' ' | '-');
    if let Some(character) = words.chars().find(|&c| !is_known(c)) {
        return Err(ExampleFault::Character { character });
    }
    let value = value(words).ok_or(ExampleFault::NoNumeral)?;
    // Each number has one spelling, so that reading and writing agree.
    match spelled(value) == words {
        true => Ok(value.to_string()),
        false => Err(ExampleFault::NoNumeral),
    }
}

/// Adds up words in whatever order they stand.
fn value(words: &str) -> Option<u64> {
    let (mut thousands, mut current) = (0_u64, 0_u64);
    for word in words.split([' ', '-']) {
        match word {
            "thousand" => {
                thousands += current * 1000;
                current = 0;
            }
            "hundred" => current *= 100,
            _ => current += small(word)?,
        }
        if current >= END || thousands >= END {
            return None;
        }
    }
    Some(thousands + current)
}

fn small(word: &str) -> Option<u64> {
    let unit = UNITS.iter().position(|&unit| unit == word);
    let ten = || TENS.iter().position(|&ten| ten == word);
    let value = unit.or_else(|| Some(20 + 10 * ten()?))?;
    Some(value as u64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_are_spelled_as_in_english() {
        for (number, words) in [
            (0, "zero"),
            (13, "thirteen"),
            (20, "twenty"),
            (42, "forty-two"),
            (100, "one hundred"),
            (342, "three hundred forty-two"),
            (7_019, "seven thousand nineteen"),
            (110_500, "one hundred ten thousand five hundred"),
        ] {
            assert_eq!(spelled(number), words);
            assert_eq!(digits(words), Ok(number.to_string()));
        }
    }

    #[test]
    fn words_that_are_no_number_are_refused() {
        for words in [
            "",
            "two one",
            "hundred",
            "forty two",
            "one-hundred",
            "two ",
            "ninety-ten",
        ] {
            assert_eq!(digits(words), Err(ExampleFault::NoNumeral), "{words:?}");
        }
        let capital = Err(ExampleFault::Character { character: 'T' });
        assert_eq!(digits("Two"), capital);
    }

    proptest! {
        #[test]
        fn every_spelled_number_is_read_again(number in 0..END) {
            prop_assert_eq!(digits(&spelled(number)), Ok(number.to_string()));
        }

        #[test]
        fn any_words_are_read_or_refused(words in "(one|ten|forty|hundred|thousand|-| ){0,12}") {
            if let Ok(read) = digits(&words) {
                let number: u64 = read.parse().expect("digits");
                prop_assert_eq!(spelled(number), words);
            }
        }
    }
}
