//! The models that the page can show.

use attention_trace::positions::PositionalEncoding;

use super::{
    mine::MineId,
    sentences::{sentences, spaced, verses},
    trained::TrainedId,
};

/// A model that is served with the page, was trained on it, or is read from the visitor's disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// French and Chinese to English, encoder–decoder.
    Translator,
    /// English to French or Chinese, encoder–decoder.
    FromEnglish(Target),
    /// English sentences, decoder-only with RoPE.
    Sentences,
    /// French to English, or English to Chinese, as before the Transformer: GRUs, with one vector between them or with
    /// attention.
    Recurrent(Recurrent),
    /// French to English with one block of each stack, used up to four times, with halting per position.
    Universal,
    /// One of the six position models, which name the letter three places back and differ in their positional encoding.
    Positions(PositionalEncoding),
    /// One of six models of verse, which name the character two places back in a line and learned from lines of five.
    Poems(PositionalEncoding),
    /// A model that was trained on this page, and is kept at most in this browser.
    Trained(TrainedId),
    /// A model from the visitor's disk; `None` if an address names none in particular.
    Mine(Option<MineId>),
}

impl Model {
    /// The number of letters in the longest training sequence of the position models; a test compares their
    /// configurations.
    pub const LONGEST_LETTERS: usize = 32;
    /// The number of characters in the lines that the models of verse learned from.
    pub const LONGEST_VERSE: usize = 5;

    /// Returns its directory, relative to the page; `None` for a model that was trained here or is read from disk,
    /// which is on no server.
    pub fn directory(self) -> Option<&'static str> {
        Some(match self {
            Model::Trained(_) | Model::Mine(_) => return None,
            Model::Translator => "models/translator/",
            Model::FromEnglish(_) => "models/from-english/",
            Model::Sentences => "models/sentences/",
            Model::Universal => "models/universal/",
            Model::Recurrent(Recurrent::Fixed) => "models/recurrent/fixed/",
            Model::Recurrent(Recurrent::Bahdanau) => "models/recurrent/bahdanau/",
            Model::Recurrent(Recurrent::Luong) => "models/recurrent/luong/",
            Model::Recurrent(Recurrent::Chinese) => "models/recurrent/bahdanau-chinese/",
            Model::Positions(PositionalEncoding::None) => "models/positions/none/",
            Model::Positions(PositionalEncoding::Learned) => "models/positions/learned/",
            Model::Positions(PositionalEncoding::Sinusoidal) => "models/positions/sinusoidal/",
            Model::Positions(PositionalEncoding::T5) => "models/positions/t5/",
            Model::Positions(PositionalEncoding::Rope) => "models/positions/rope/",
            Model::Positions(PositionalEncoding::Alibi) => "models/positions/alibi/",
            Model::Poems(PositionalEncoding::None) => "models/poems/none/",
            Model::Poems(PositionalEncoding::Learned) => "models/poems/learned/",
            Model::Poems(PositionalEncoding::Sinusoidal) => "models/poems/sinusoidal/",
            Model::Poems(PositionalEncoding::T5) => "models/poems/t5/",
            Model::Poems(PositionalEncoding::Rope) => "models/poems/rope/",
            Model::Poems(PositionalEncoding::Alibi) => "models/poems/alibi/",
        })
    }

    /// Returns its positional encoding; RoPE also stands for a model that was trained here or is read from disk, whose
    /// configuration names the actual one.
    pub fn way_to_know_positions(self) -> PositionalEncoding {
        match self {
            Model::Translator | Model::FromEnglish(_) | Model::Universal => {
                PositionalEncoding::Sinusoidal
            }
            Model::Sentences | Model::Trained(_) | Model::Mine(_) => PositionalEncoding::Rope,
            Model::Recurrent(_) => PositionalEncoding::None,
            Model::Positions(encoding) | Model::Poems(encoding) => encoding,
        }
    }

    /// True if the visitor may choose the search for target tokens.
    pub fn searches(self) -> bool {
        matches!(
            self,
            Model::Translator
                | Model::FromEnglish(_)
                | Model::Sentences
                | Model::Recurrent(_)
                | Model::Universal
                | Model::Trained(_)
                | Model::Mine(_)
        )
    }

    /// Splits a text into the units that the model reads one at a time: sentences for a translator, lines for the
    /// models of verse, the whole text for any other model.
    pub fn sentences(self, text: &str) -> Vec<String> {
        match self {
            Model::Translator | Model::FromEnglish(_) | Model::Recurrent(_) | Model::Universal => {
                sentences(text)
            }
            Model::Poems(_) => verses(text),
            Model::Sentences | Model::Positions(_) | Model::Trained(_) | Model::Mine(_) => {
                vec![spaced(text)]
            }
        }
    }

    /// Returns the length of the longest training sequence of a model that learned from random characters; `None` for
    /// other models.
    pub fn longest_trained(self) -> Option<usize> {
        match self {
            Model::Positions(_) => Some(Self::LONGEST_LETTERS),
            Model::Poems(_) => Some(Self::LONGEST_VERSE),
            Model::Translator
            | Model::FromEnglish(_)
            | Model::Sentences
            | Model::Recurrent(_)
            | Model::Universal
            | Model::Trained(_)
            | Model::Mine(_) => None,
        }
    }

    /// Returns the token before the text that selects the target language, if the model needs one.
    pub fn prefix(self) -> Option<&'static str> {
        match self {
            Model::FromEnglish(Target::French) => Some(">>fra<<"),
            Model::FromEnglish(Target::Chinese) => Some(">>cmn<<"),
            Model::Translator
            | Model::Sentences
            | Model::Recurrent(_)
            | Model::Universal
            | Model::Positions(_)
            | Model::Poems(_)
            | Model::Trained(_)
            | Model::Mine(_) => None,
        }
    }

    /// Returns example sentences, some from the lectures; those of a model that was trained here come from its task.
    pub fn examples(self) -> &'static [&'static str] {
        match self {
            Model::Translator => &[
                "Je suis étudiant",
                "Où est la bibliothèque ?",
                "Je ne sais pas ce que tu veux.",
                "我是学生。",
                "你喜欢这本书吗？",
                "今天天下三分",
            ],
            Model::FromEnglish(_) => &[
                "I don't know what you want.",
                "Hello, how are you today?",
                "Where is the library?",
                "She reads the book on the train.",
            ],
            Model::Recurrent(Recurrent::Chinese) => &[
                "Where is the library?",
                "Today the empire is divided in three.",
                "What are you doing today?",
            ],
            // The last one is what one vector loses.
            Model::Recurrent(_) => &[
                "Où est la bibliothèque ?",
                "Je ne sais pas ce que tu veux.",
                "Je pense que nous devrions attendre ici jusqu'à ce que la pluie s'arrête.",
            ],
            Model::Universal => &[
                "Je ne sais pas ce que tu veux.",
                "Où est la bibliothèque ?",
                "Je suis étudiant",
            ],
            // Beginnings, which the model goes on with, before the lectures' sentences, after which it has nothing to add.
            Model::Sentences => &[
                "She told me that",
                "The boy went to the",
                "I don't know what",
                "The FBI is chasing a criminal on the run .",
                "The animal didn't cross the street because it was too tired.",
            ],
            // One that is shorter than the longest they learned from, 32 letters, and one that is longer.
            Model::Positions(_) => &[
                "the quick brown fox jumps",
                "the quick brown fox jumps over the lazy dog while five boxing wizards watch it",
            ],
            // The lecture's couplets, of five characters a line and of seven, and lines of the same characters.
            Model::Poems(_) => &[
                "风劲角弓鸣，将军猎渭城。风急天高猿啸哀，渚清沙白鸟飞回。",
                "月白风清，山高月白，猿啸山月，鸟飞云天高",
            ],
            // Beginnings of English texts: most language models that are published read English.
            Model::Mine(_) => &[
                "The capital of France is",
                "Once upon a time",
                "She lost her keys, so she",
            ],
            Model::Trained(_) => &[],
        }
    }

    /// Returns pairs of sentences for patching: their difference determines a word of the model's output.
    pub fn pairs(self) -> &'static [[&'static str; 2]] {
        match self {
            Model::Translator => &[
                ["Je suis étudiant", "Je suis médecin"],
                ["Elle est française", "Il est français"],
                ["我喜欢狗。", "我喜欢猫。"],
            ],
            Model::Universal => &[
                ["Je suis étudiant", "Je suis médecin"],
                ["Elle est française", "Il est français"],
            ],
            Model::FromEnglish(_) => &[
                ["I like dogs.", "I like cats."],
                ["She reads the book.", "He reads the book."],
            ],
            Model::Sentences => &[
                ["She lost", "He lost"],
                ["The books on the table", "The book on the table"],
            ],
            Model::Positions(_) => &[["the quick brown fox jumps", "the quick brown fox jokes"]],
            Model::Poems(_) => &[["月白风清", "月白山清"]],
            Model::Mine(_) => &[
                ["The capital of France is", "The capital of Italy is"],
                ["She lost", "He lost"],
            ],
            Model::Recurrent(_) | Model::Trained(_) => &[],
        }
    }

    /// Returns the text that is in the input at first.
    pub fn first_text(self) -> &'static str {
        self.examples().first().copied().unwrap_or_default()
    }

    /// Returns the largest number of tokens that a run may append.
    pub fn max_new_tokens(self) -> usize {
        match self {
            Model::Translator | Model::FromEnglish(_) | Model::Recurrent(_) | Model::Universal => {
                64
            }
            Model::Sentences => 16,
            Model::Trained(_) | Model::Mine(_) => 32,
            Model::Positions(_) => 8,
            Model::Poems(_) => 2,
        }
    }
}

/// A recurrent translator, by what its decoder reads of the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recurrent {
    /// Reads one vector, the encoder's last state.
    Fixed,
    /// Reads all states of the encoder, by Bahdanau's attention.
    Bahdanau,
    /// Reads all states of the encoder, by Luong's attention.
    Luong,
    /// Reads all states of the encoder, by Bahdanau's attention; from English into Chinese, as in the lecture's
    /// example. The others translate from French into English.
    Chinese,
}

impl Recurrent {
    /// All recurrent translators, from the oldest.
    pub const ALL: [Self; 4] = [
        Recurrent::Fixed,
        Recurrent::Bahdanau,
        Recurrent::Luong,
        Recurrent::Chinese,
    ];
}

/// A language that English is translated into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// From English into French.
    French,
    /// From English into Chinese.
    Chinese,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::state::AddressValue;

    #[test]
    fn every_model_is_served_with_the_page() {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
        for (model, word) in Model::VALUES {
            let directory = model.directory().unwrap();
            for file in ["config.json", "tokenizer.json", "model.safetensors"] {
                let path = assets.join(directory).join(file);
                assert!(path.exists(), "{word}: {}", path.display());
            }
        }
    }

    #[test]
    fn what_a_model_goes_on_with_has_not_ended() {
        let first = Model::Sentences.first_text();
        assert!(first.ends_with(char::is_alphabetic), "{first}");
    }

    #[test]
    fn every_model_of_languages_lets_the_visitor_choose_the_search() {
        for (model, word) in Model::VALUES {
            let of_letters = matches!(model, Model::Positions(_) | Model::Poems(_));
            assert_eq!(model.searches(), !of_letters, "{word}");
        }
    }

    #[test]
    fn the_six_meet_a_text_of_their_lengths_and_a_longer_one() {
        let letters = |text: &str| text.chars().filter(|c| c.is_ascii_lowercase()).count();
        let [shorter, longer] = Model::Positions(PositionalEncoding::Rope).examples() else {
            panic!("two examples")
        };
        assert!(letters(shorter) < 32 && letters(longer) > 32);
    }

    #[test]
    fn the_first_poem_meets_lines_of_the_length_learned_from_and_longer_ones() {
        let poems = Model::Poems(PositionalEncoding::Learned);
        let lengths = |text: &str| -> Vec<usize> {
            let lines = poems.sentences(text);
            lines.iter().map(|line| line.chars().count()).collect()
        };
        let [couplets, own] = poems.examples() else {
            panic!("two examples")
        };
        assert_eq!(lengths(couplets), [5, 5, 7, 7]);
        assert!(lengths(own).iter().all(|&length| length <= 5));
        assert_eq!(poems.longest_trained(), Some(5));
    }

    #[test]
    fn the_models_of_verse_have_a_token_for_every_character_of_their_examples() {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
        let poems = Model::Poems(PositionalEncoding::Learned);
        let path = assets
            .join(poems.directory().unwrap())
            .join("tokenizer.json");
        let tokenizer: serde_json::Value =
            serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let vocabulary = tokenizer["model"]["vocab"].as_object().unwrap();
        for line in poems
            .examples()
            .iter()
            .flat_map(|text| poems.sentences(text))
        {
            assert!(
                line.chars()
                    .all(|c| vocabulary.contains_key(&c.to_string())),
                "{line}"
            );
        }
    }
}
