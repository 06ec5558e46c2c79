//! Parameters of chapter "judging".

use attention_core::state::{AddressValue, Parameters, Reader, Writer};
use attention_trace::judging::{ORDERS, Tokenization};

/// In which order the factors of a text's probability are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Direction {
    /// Each token after those before it.
    #[default]
    LeftToRight,
    /// Each token after those that follow it in the text.
    RightToLeft,
}

impl AddressValue for Direction {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Direction::LeftToRight, "left-to-right"),
        (Direction::RightToLeft, "right-to-left"),
    ];
}

/// State of the chapter's figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judging {
    /// The text that a candidate is compared with.
    pub reference: String,
    /// Further references, [`MORE`](Self::MORE) at most.
    pub more: Vec<String>,
    /// The text that is judged.
    pub candidate: String,
    /// What counts as a token of both.
    pub tokenization: Tokenization,
    /// The tokens of the n-grams that are listed.
    pub n: usize,
    /// The two texts that a model reads; `None` stands for those that suit the model.
    pub read: [Option<String>; 2],
    /// The order of the factors.
    pub direction: Direction,
    /// The sequence of chapter "search"'s table whose factors are shown in both orders.
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
    /// Tokens of the sequence whose factors are shown in both orders.
    pub const SEQUENCE: usize = 4;
    /// The first and the last token of the table.
    const TOKENS: (usize, usize) = (0, 3);
    /// The most references beside the first.
    pub const MORE: usize = Self::FURTHER.len();
    /// What these are called in the address.
    const FURTHER: [&str; 2] = ["judged-reference-2", "judged-reference-3"];
    /// What the texts that a model reads are called in the address.
    const READ: [&str; 2] = ["read-first", "read-second"];

    /// The lecture's letters again.
    pub fn use_lecture(&mut self) {
        let lecture = Judging::default();
        self.reference = lecture.reference;
        self.more = lecture.more;
        self.candidate = lecture.candidate;
        self.tokenization = lecture.tokenization;
    }

    /// Whether the texts are the lecture's letters.
    pub fn is_lecture(&self) -> bool {
        let mut lecture = self.clone();
        lecture.use_lecture();
        *self == lecture
    }
}

impl Parameters for Judging {
    const CHAPTER: &'static str = "judging";

    fn write(&self, fragment: &mut Writer) {
        let standard = Judging::default();
        fragment.text("judged-reference", &self.reference, &standard.reference);
        for (name, text) in Self::FURTHER.into_iter().zip(&self.more) {
            fragment.optional_text(name, Some(text.as_str()));
        }
        fragment.text("judged-candidate", &self.candidate, &standard.candidate);
        fragment.choice("judged-by", self.tokenization, standard.tokenization);
        fragment.number("judged-n", self.n, standard.n);
        for (name, text) in Self::READ.into_iter().zip(&self.read) {
            fragment.optional_text(name, text.as_deref());
        }
        fragment.choice("factors", self.direction, standard.direction);
        if self.sequence != standard.sequence {
            fragment.list("factored", &self.sequence);
        }
    }

    fn read(fragment: &Reader) -> Self {
        let standard = Judging::default();
        let text = |name, standard| fragment.text(name).map_or(standard, str::to_owned);
        Judging {
            reference: text("judged-reference", standard.reference),
            more: Self::FURTHER
                .iter()
                .map_while(|name| fragment.text(name).map(str::to_owned))
                .collect(),
            candidate: text("judged-candidate", standard.candidate),
            tokenization: fragment
                .choice("judged-by")
                .unwrap_or(standard.tokenization),
            n: fragment.within("judged-n", Self::N).unwrap_or(standard.n),
            read: Self::READ.map(|name| fragment.text(name).map(str::to_owned)),
            direction: fragment.choice("factors").unwrap_or(standard.direction),
            sequence: fragment
                .array("factored", Self::TOKENS)
                .unwrap_or(standard.sequence),
        }
    }
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
