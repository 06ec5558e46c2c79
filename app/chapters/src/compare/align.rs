//! Alignment of the tokens of two texts.
//!
//! Tokens of equal text are partners, in the order of both texts and as many as there can be. Between two such pairs,
//! tokens stand in each other's place if both sides have as many. All others have no partner.

use std::borrow::Cow;

use attention_core::widgets::label;
use attention_trace::{Pair, Token, align};

/// A relation between the tokens at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The same text on both sides.
    Same,
    /// Other texts, each in the other's place.
    Replaced,
    /// One side has nothing there.
    Alone,
}

/// A place on an axis that both sides share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The token of the left side.
    pub left: Option<usize>,
    /// The token of the right side.
    pub right: Option<usize>,
    /// The relation of the tokens.
    pub fit: Fit,
}

impl Place {
    /// Both tokens, if they are partners.
    pub fn both(self) -> Option<(usize, usize)> {
        self.left.zip(self.right)
    }
}

/// The places of an axis with the tokens of both sides.
pub fn places(left: &[Token], right: &[Token]) -> Vec<Place> {
    let texts = |tokens: &[Token]| {
        tokens
            .iter()
            .map(text)
            .map(Cow::into_owned)
            .collect::<Vec<_>>()
    };
    aligned(&texts(left), &texts(right))
}

/// Returns the text by which a token is compared, without the marks of a tokenizer. The tokens for the start and the
/// end of a text are equal in all models, and equal to no word.
fn text(token: &Token) -> Cow<'static, str> {
    const START: &str = "\u{2}";
    const END: &str = "\u{3}";
    match token.text.as_str() {
        "<pad>" | "<s>" | "<bos>" | "[CLS]" => START.into(),
        "</s>" | "<eos>" | "<|endoftext|>" | "[SEP]" => END.into(),
        _ => label(token).into(),
    }
}

fn aligned<T: PartialEq>(left: &[T], right: &[T]) -> Vec<Place> {
    let pairs = align(left, right);
    // What lies between two tokens that are the same.
    let stretches = pairs.chunk_by(|one, other| one.is_same == other.is_same);
    let places = stretches.flat_map(|stretch| match stretch {
        [first, ..] if !first.is_same => between(stretch),
        same => same.iter().map(|pair| place(pair, Fit::Same)).collect(),
    });
    places.collect()
}

fn place(pair: &Pair, fit: Fit) -> Place {
    Place {
        left: pair.before,
        right: pair.after,
        fit,
    }
}

/// Places where the sides differ: one for each pair where both have as many, else one for each token.
fn between(pairs: &[Pair]) -> Vec<Place> {
    if pairs
        .iter()
        .all(|pair| pair.before.is_some() && pair.after.is_some())
    {
        return pairs
            .iter()
            .map(|pair| place(pair, Fit::Replaced))
            .collect();
    }
    let alone = |left, right| Place {
        left,
        right,
        fit: Fit::Alone,
    };
    let lefts = pairs.iter().filter_map(|pair| pair.before);
    let rights = pairs.iter().filter_map(|pair| pair.after);
    let lefts = lefts.map(|left| alone(Some(left), None));
    lefts
        .chain(rights.map(|right| alone(None, Some(right))))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The places as words: `a`, `b→c` for what is in another's place, `-d` and `+e` for what has no partner.
    fn spelled(left: &'static str, right: &'static str) -> String {
        let words = |text: &'static str| text.split_whitespace().collect::<Vec<_>>();
        let (left, right) = (words(left), words(right));
        let places = aligned(&left, &right).into_iter();
        let places = places.map(|place| match (place.left, place.right, place.fit) {
            (Some(one), Some(_), Fit::Same) => left[one].to_owned(),
            (Some(one), Some(other), Fit::Replaced) => format!("{}→{}", left[one], right[other]),
            (Some(one), None, Fit::Alone) => format!("-{}", left[one]),
            (None, Some(other), Fit::Alone) => format!("+{}", right[other]),
            _ => "?".to_owned(),
        });
        places.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn one_word_stands_in_the_place_of_one_other() {
        assert_eq!(
            spelled("it was too tired .", "it was too wide ."),
            "it was too tired→wide ."
        );
        assert_eq!(spelled("a b", "c d"), "a→c b→d");
    }

    #[test]
    fn one_word_and_two_are_no_partners() {
        assert_eq!(
            spelled("I am a student .", "I am stu dent ."),
            "I am a→stu student→dent ."
        );
        assert_eq!(
            spelled("a étudiant .", "a étu diant ."),
            "a -étudiant +étu +diant ."
        );
        assert_eq!(spelled("a b", "a x b"), "a +x b");
        assert_eq!(spelled("", "a"), "+a");
        assert_eq!(spelled("", ""), "");
    }

    #[test]
    fn starts_and_ends_are_alike_in_all_models_and_no_words() {
        let token = |text: &str| Token {
            id: 0,
            text: text.to_owned(),
            unknown: false,
        };
        let fits = |left: &[&str], right: &[&str]| -> Vec<Fit> {
            let tokens = |texts: &[&str]| texts.iter().map(|text| token(text)).collect::<Vec<_>>();
            let places = places(&tokens(left), &tokens(right));
            places.into_iter().map(|place| place.fit).collect()
        };
        assert_eq!(
            fits(
                &["<pad>", "▁the", "▁end", "</s>"],
                &["<s>", "▁the", "▁end", "<|endoftext|>"]
            ),
            [Fit::Same; 4]
        );
        assert_eq!(fits(&["</s>"], &["end"]), [Fit::Replaced]);
    }

    fn texts() -> impl Strategy<Value = (Vec<u8>, Vec<u8>)> {
        let text = || prop::collection::vec(0..4u8, 0..12);
        (text(), text())
    }

    proptest! {
        #[test]
        fn every_token_has_one_place_and_keeps_its_order((left, right) in texts()) {
            let places = aligned(&left, &right);
            let lefts: Vec<usize> = places.iter().filter_map(|place| place.left).collect();
            let rights: Vec<usize> = places.iter().filter_map(|place| place.right).collect();
            prop_assert!(lefts.into_iter().eq(0..left.len()));
            prop_assert!(rights.into_iter().eq(0..right.len()));
        }

        #[test]
        fn a_place_is_what_it_is_said_to_be((left, right) in texts()) {
            for place in aligned(&left, &right) {
                match (place.both(), place.fit) {
                    (Some((one, other)), Fit::Same) => prop_assert_eq!(left[one], right[other]),
                    (Some((one, other)), Fit::Replaced) => prop_assert_ne!(left[one], right[other]),
                    (None, Fit::Alone) => prop_assert!(place.left.is_some() != place.right.is_some()),
                    _ => prop_assert!(false, "{:?}", place),
                }
            }
        }

        #[test]
        fn the_other_way_round_as_many_are_the_same((left, right) in texts()) {
            let same = |places: Vec<Place>| places.iter().filter(|place| place.fit == Fit::Same).count();
            prop_assert_eq!(same(aligned(&left, &right)), same(aligned(&right, &left)));
            prop_assert_eq!(same(aligned(&left, &left)), left.len());
        }
    }
}
