//! Characters that the models of verse name at each place of a line, as plain data.

use attention_trace::ForcedToken;

use attention_core::{engine::Forced, widgets::label};

/// The number of places back to the character that the model must name.
pub const BACK: usize = 2;
/// The number of characters in the lines that the models learned from.
pub const LONGEST_VERSE: usize = 5;

/// A character that the model read.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub character: String,
    /// True if the model has no token for the character.
    pub is_unknown: bool,
    /// The character to be named and the model's name; `None` if there is none to name.
    pub named: Option<Named>,
}

/// A character to be named, and the one that the model names.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// The character to be named.
    pub sought: String,
    pub found: String,
    /// True if the named character is the right one.
    pub is_right: bool,
}

/// Returns the characters of a line with the model's names. Each character and the end were predicted from the
/// characters before; the prediction after a character is the model's name there.
pub fn places(line: &[ForcedToken]) -> Vec<Place> {
    let characters = line.len().saturating_sub(1);
    let place = |index: usize| {
        let token = &line[index].given.token;
        let sought = index
            .checked_sub(BACK)
            .map(|index| &line[index].given.token);
        let found = &line[index + 1].best.token;
        let named = sought.filter(|sought| !sought.unknown).map(|sought| Named {
            sought: label(sought),
            found: label(found),
            is_right: found.id == sought.id,
        });
        Place {
            character: label(token),
            is_unknown: token.unknown,
            named,
        }
    };
    (0..characters).map(place).collect()
}

/// Returns the number of rightly named characters, and the number of all characters to be named.
fn count(places: &[Place]) -> (usize, usize) {
    let named = places.iter().filter_map(|place| place.named.as_ref());
    let right = named.clone().filter(|named| named.is_right).count();
    (right, named.count())
}

/// The places that training reached, and those after them.
fn split(places: &[Place]) -> (&[Place], &[Place]) {
    places.split_at(places.len().min(LONGEST_VERSE))
}

/// Returns the counts over all lines: right and all within the trained length, right and all beyond; `None` while a
/// line has no answer.
pub fn summary(lines: &[Option<Forced>]) -> Option<(usize, usize, usize, usize)> {
    let mut sum = (0, 0, 0, 0);
    for line in lines {
        let Ok(line) = line.as_ref()? else { continue };
        let places = places(line);
        let (inside, beyond) = split(&places);
        let ((right, all), (right_beyond, all_beyond)) = (count(inside), count(beyond));
        sum = (
            sum.0 + right,
            sum.1 + all,
            sum.2 + right_beyond,
            sum.3 + all_beyond,
        );
    }
    (!lines.is_empty()).then_some(sum)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use attention_core::state::{Model, Task};
    use attention_protocol::Failure;
    use attention_trace::{Candidate, Token, positions::PositionalEncoding};

    use super::*;

    /// Returns a line as it was read, with the model's name at each character; `?` is a character without a token.
    fn line(characters: &str, named: &str) -> Vec<ForcedToken> {
        let candidate = |character: char| Candidate {
            token: Token {
                id: character as u32,
                text: character.to_string(),
                unknown: character == '?',
            },
            logit: 0.0,
            log_probability: 0.0,
        };
        let best = std::iter::once('.').chain(named.chars());
        characters
            .chars()
            .chain(['⊣'])
            .zip(best)
            .map(|(given, best)| ForcedToken {
                given: candidate(given),
                rank: 1,
                best: candidate(best),
            })
            .collect()
    }

    #[test]
    fn a_character_is_right_where_the_one_two_back_is_named() {
        let places = places(&line("风急天高猿啸哀", "..风急天天猿"));
        assert_eq!(places.len(), 7);
        assert_eq!(places[1].named, None);
        let right: Vec<_> = places
            .iter()
            .filter_map(|place| place.named.as_ref())
            .collect();
        assert_eq!((right[0].sought.as_str(), right[0].is_right), ("风", true));
        assert_eq!(
            (right[3].sought.as_str(), right[3].found.as_str()),
            ("高", "天")
        );
        let (inside, beyond) = split(&places);
        assert_eq!((count(inside), count(beyond)), ((3, 3), (1, 2)));
    }

    #[test]
    fn a_character_without_a_token_is_not_asked_for() {
        let places = places(&line("风?天高猿", "..风高天"));
        assert!(places[1].is_unknown);
        assert_eq!(places[3].named, None);
        assert_eq!(count(&places), (2, 2));
    }

    #[test]
    fn a_summary_waits_for_every_line_and_leaves_out_those_that_failed() {
        let read = |characters: &str, named: &str| -> Option<Forced> {
            Some(Ok(Arc::from(line(characters, named))))
        };
        let five = read("风劲角弓鸣", "..风劲角");
        let seven = read("风急天高猿啸哀", "..风急天猿高");
        assert_eq!(summary(&[]), None);
        assert_eq!(summary(&[five.clone(), None]), None);
        let failed = Some(Err(Failure::EmptyInput));
        assert_eq!(summary(&[five, failed, seven]), Some((6, 6, 0, 2)));
    }

    #[test]
    fn the_models_learned_what_is_asked_here() {
        for encoding in PositionalEncoding::ALL {
            let directory = Model::with_positions(Task::Verse, encoding)
                .directory()
                .unwrap();
            let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
            let config = std::fs::read(root.join(directory).join("config.json")).unwrap();
            let config: serde_json::Value = serde_json::from_slice(&config).unwrap();
            let task = &config["task"];
            assert_eq!(
                (&task["shortest"], &task["longest"]),
                (&5.into(), &5.into())
            );
            assert_eq!(task["longest"], LONGEST_VERSE);
            assert_eq!(task["back"], BACK);
        }
    }
}
