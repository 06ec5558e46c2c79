//! Rules of the tasks that have one: the output to write after an input.

use super::fault::ExampleFault;
use super::task::{Sequences, Task};

/// The letters of an input, if the alphabet has them all.
///
/// # Errors
/// The first character that is no letter of it.
pub fn in_alphabet(
    input: &str,
    sequences: Sequences,
) -> Result<impl DoubleEndedIterator<Item = char>, ExampleFault> {
    match input
        .chars()
        .find(|c| !sequences.alphabet().any(|letter| letter == *c))
    {
        Some(character) => Err(ExampleFault::Character { character }),
        None => Ok(input.chars()),
    }
}

/// `a+b` added up.
///
/// # Errors
/// If the input is not two numbers with a plus between them.
pub fn sum(input: &str) -> Result<String, ExampleFault> {
    if let Some(character) = input.chars().find(|c| !c.is_ascii_digit() && *c != '+') {
        return Err(ExampleFault::Character { character });
    }
    let summands: Vec<&str> = input.split('+').collect();
    let &[a, b] = summands.as_slice() else {
        return Err(ExampleFault::NoSum);
    };
    let number = |text: &str| text.parse::<u64>().map_err(|_| ExampleFault::NoSum);
    Ok((number(a)? + number(b)?).to_string())
}

/// Returns the brackets that close the open ones, the last one first.
///
/// # Errors
/// If there is another character, a bracket closes what is not open, or nothing is left open.
pub fn closing(input: &str) -> Result<String, ExampleFault> {
    let mut open = vec![];
    for character in input.chars() {
        let opened = Task::BRACKETS
            .iter()
            .find(|(opening, _)| *opening == character);
        match opened {
            Some((_, closing)) => open.push(*closing),
            None if !Task::BRACKETS
                .iter()
                .any(|(_, closing)| *closing == character) =>
            {
                return Err(ExampleFault::Character { character });
            }
            None if open.pop() != Some(character) => return Err(ExampleFault::NothingOpen),
            None => {}
        }
    }
    match open.is_empty() {
        true => Err(ExampleFault::NothingOpen),
        false => Ok(open.into_iter().rev().collect()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_closes_brackets_leaves_none_open(input in "[\\(\\[\\{\\}\\]\\)]{1,16}") {
            if let Ok(closed) = closing(&input) {
                let whole = input.clone() + &closed;
                // Closed, nothing is left to close; one short, exactly the last is.
                prop_assert_eq!(closing(&whole), Err(ExampleFault::NothingOpen));
                let short: String = whole.chars().take(whole.chars().count() - 1).collect();
                prop_assert_eq!(closing(&short).unwrap(), whole.chars().last().unwrap().to_string());
            }
        }
    }
}
