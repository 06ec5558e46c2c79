//! Parameters of chapter "judging".

use std::convert::identity;

use attention_core::state::{AddressValue, Entry, Parameters, flat};
use attention_trace::judging::{ORDERS, Tokenization};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A direction in which a text's probability is factored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// Each token is conditioned on those before it.
    #[default]
    LeftToRight,
    /// Each token is conditioned on those after it.
    RightToLeft,
}

impl AddressValue for Direction {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// State of the chapter's figures.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Judging {
    /// The text that a candidate is compared with.
    #[serde(rename = "judged-reference")]
    pub reference: String,
    /// Further references, [`MORE`](Self::MORE) at most.
    #[serde(
        rename = "*more",
        serialize_with = "write_more",
        deserialize_with = "read_more"
    )]
    pub more: Vec<String>,
    /// The text to evaluate.
    #[serde(rename = "judged-candidate")]
    pub candidate: String,
    /// The unit that all these texts are cut into.
    #[serde(rename = "judged-by", with = "flat::choice")]
    pub tokenization: Tokenization,
    /// The number of tokens of each n-gram in the list.
    #[serde(rename = "judged-n")]
    pub n: usize,
    /// The two texts that a model reads; `None` stands for the model's own example.
    #[serde(
        rename = "*read",
        serialize_with = "write_texts",
        deserialize_with = "read_texts"
    )]
    pub read: [Option<String>; 2],
    /// The direction in which the factors are written.
    #[serde(rename = "factors")]
    pub direction: Direction,
    /// The sequence of tokens from the table of chapter "search" whose factors are shown in both orders.
    #[serde(rename = "factored")]
    pub sequence: [usize; Judging::SEQUENCE],
}

impl Default for Judging {
    fn default() -> Self {
        Judging {
            reference: "ABCDEF".to_owned(),
            more: Vec::new(),
            candidate: "ABBCD".to_owned(),
            tokenization: Tokenization::Characters,
            n: 1,
            read: [None, None],
            direction: Direction::LeftToRight,
            // A C B eos, the most probable one of the lecture's table.
            sequence: [0, 2, 1, 3],
        }
    }
}

impl Judging {
    /// The fewest and the most tokens of an n-gram.
    pub const N: (usize, usize) = (1, ORDERS);
    /// The number of tokens in the sequence whose factors are shown in both orders.
    pub const SEQUENCE: usize = 4;
    /// The first and the last token of the table.
    const TOKENS: (usize, usize) = (0, 3);
    /// The most references beside the first.
    pub const MORE: usize = 2;

    /// Resets the texts and the tokenization to the lecture's letters.
    pub fn use_lecture(&mut self) {
        let lecture = Judging::default();
        self.reference = lecture.reference;
        self.more = lecture.more;
        self.candidate = lecture.candidate;
        self.tokenization = lecture.tokenization;
    }

    /// True if the texts are the lecture's letters.
    pub fn is_lecture(&self) -> bool {
        let mut lecture = self.clone();
        lecture.use_lecture();
        *self == lecture
    }
}

impl Parameters for Judging {
    const CHAPTER: &'static str = "judging";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("judged-n").within(Self::N.0 as f64, Self::N.1 as f64),
        Entry::named("factored").each_within(Self::TOKENS.0 as f64, Self::TOKENS.1 as f64),
    ];
}

/// The entries of further references: a second one needs the first.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Further {
    #[serde(rename = "judged-reference-2")]
    first: Option<String>,
    #[serde(rename = "judged-reference-3")]
    second: Option<String>,
}

/// The entries of the texts that a model reads.
#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Texts {
    #[serde(rename = "read-first")]
    first: Option<String>,
    #[serde(rename = "read-second")]
    second: Option<String>,
}

fn write_more<S: Serializer>(more: &[String], to: S) -> Result<S::Ok, S::Error> {
    let [first, second] = [0, 1].map(|place| more.get(place).cloned());
    Further { first, second }.serialize(to)
}

fn read_more<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let Further { first, second } = Further::deserialize(from)?;
    Ok([first, second].into_iter().map_while(identity).collect())
}

fn write_texts<S: Serializer>(texts: &[Option<String>; 2], to: S) -> Result<S::Ok, S::Error> {
    let [first, second] = texts.clone();
    Texts { first, second }.serialize(to)
}

fn read_texts<'de, D: Deserializer<'de>>(from: D) -> Result<[Option<String>; 2], D::Error> {
    let Texts { first, second } = Texts::deserialize(from)?;
    Ok([first, second])
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn judging()(
            (reference, candidate) in any::<(String, String)>(),
            more in prop::collection::vec(any::<String>(), 0..=Judging::MORE),
            tokenization in choice::<Tokenization>(),
            n in Judging::N.0..=Judging::N.1,
            read in any::<[Option<String>; 2]>(),
            direction in choice::<Direction>(),
            sequence in prop::array::uniform4(0usize..4),
        ) -> Judging {
            Judging { reference, more, candidate, tokenization, n, read, direction, sequence }
        }
    }

    #[test]
    fn an_empty_text_is_not_the_lectures() {
        let judging = |address: &str| {
            crate::testing::view(address)
                .chapters
                .of::<Judging>()
                .clone()
        };
        let empty = judging("judged-candidate=&read-first=");
        assert_eq!(empty.candidate, "");
        assert_eq!(empty.reference, "ABCDEF");
        assert_eq!(empty.read, [Some(String::new()), None]);
        // There is no third reference without a second; an empty one is there.
        assert!(judging("judged-reference-3=A").more.is_empty());
        assert_eq!(judging("judged-reference-2=").more, [""]);
        assert_eq!(judging("judged-n=5&judged-by=bytes"), Judging::default());
    }

    #[test]
    fn the_lectures_letters_come_back_and_the_rest_stays() {
        let mut judging = Judging {
            candidate: "ABC".to_owned(),
            tokenization: Tokenization::Words,
            n: 3,
            ..Judging::default()
        };
        assert!(!judging.is_lecture());
        judging.use_lecture();
        assert!(judging.is_lecture());
        assert_eq!((judging.candidate.as_str(), judging.n), ("ABBCD", 3));
    }
}
