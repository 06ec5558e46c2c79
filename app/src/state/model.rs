//! The models that answer.

use attention_trace::positions::PositionalEncoding;

use super::{
    sentences::{sentences, spaced},
    trained::TrainedId,
};

/// A model that is served with the page, or was trained on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// French and Chinese to English, encoder–decoder.
    Translator,
    /// English to one of these, encoder–decoder.
    FromEnglish(Target),
    /// English sentences, decoder-only with RoPE.
    Sentences,
    /// One of the six position models, which name the letter three places back and differ in how they know positions.
    Positions(PositionalEncoding),
    /// Trained on this page, and kept in this browser if it is kept at all.
    Trained(TrainedId),
}

impl Model {
    /// Its directory, relative to the page; a model that was trained here is on no server.
    pub fn directory(self) -> Option<&'static str> {
        Some(match self {
            Model::Trained(_) => return None,
            Model::Translator => "models/translator/",
            Model::FromEnglish(_) => "models/from-english/",
            Model::Sentences => "models/sentences/",
            Model::Positions(PositionalEncoding::None) => "models/positions/none/",
            Model::Positions(PositionalEncoding::Learned) => "models/positions/learned/",
            Model::Positions(PositionalEncoding::Sinusoidal) => "models/positions/sinusoidal/",
            Model::Positions(PositionalEncoding::T5) => "models/positions/t5/",
            Model::Positions(PositionalEncoding::Rope) => "models/positions/rope/",
            Model::Positions(PositionalEncoding::Alibi) => "models/positions/alibi/",
        })
    }

    /// How it knows positions; RoPE stands for one that was trained here, whose settings say it.
    pub fn way_to_know_positions(self) -> PositionalEncoding {
        match self {
            Model::Translator | Model::FromEnglish(_) => PositionalEncoding::Sinusoidal,
            Model::Sentences | Model::Trained(_) => PositionalEncoding::Rope,
            Model::Positions(encoding) => encoding,
        }
    }

    /// Whether the visitor may choose how target tokens are searched for.
    pub fn searches(self) -> bool {
        matches!(
            self,
            Model::Translator | Model::FromEnglish(_) | Model::Trained(_)
        )
    }

    /// What it reads one at a time: a translator a text's sentences, any other model all of it.
    pub fn sentences(self, text: &str) -> Vec<String> {
        match self {
            Model::Translator | Model::FromEnglish(_) => sentences(text),
            Model::Sentences | Model::Positions(_) | Model::Trained(_) => vec![spaced(text)],
        }
    }

    /// The token before the text that tells the model what is wanted of it.
    pub fn prefix(self) -> Option<&'static str> {
        match self {
            Model::FromEnglish(Target::French) => Some(">>fra<<"),
            Model::FromEnglish(Target::Chinese) => Some(">>cmn<<"),
            Model::Translator | Model::Sentences | Model::Positions(_) | Model::Trained(_) => None,
        }
    }

    /// Sentences to begin with, the lectures' among them; of one that was trained here, its task makes them.
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
            Model::Sentences => &[
                "The FBI is chasing a criminal on the run .",
                "The animal didn't cross the street because it was too tired.",
                "I don't know what",
            ],
            // One that is shorter than the longest they learned from, 32 letters, and one that is longer.
            Model::Positions(_) => &[
                "the quick brown fox jumps",
                "the quick brown fox jumps over the lazy dog while five boxing wizards watch it",
            ],
            Model::Trained(_) => &[],
        }
    }

    /// The text a visitor finds in the input.
    pub fn first_text(self) -> &'static str {
        self.examples().first().copied().unwrap_or_default()
    }

    /// The most tokens a run may append.
    pub fn max_new_tokens(self) -> usize {
        match self {
            Model::Translator | Model::FromEnglish(_) => 64,
            Model::Sentences => 16,
            Model::Trained(_) => 32,
            Model::Positions(_) => 8,
        }
    }
}

/// A language that English is translated into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// French.
    French,
    /// Chinese.
    Chinese,
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::state::AddressValue;

    #[test]
    fn every_model_is_served_with_the_page() {
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets");
        for (model, word) in Model::VALUES {
            let directory = model.directory().unwrap();
            for file in ["config.json", "tokenizer.json", "model.safetensors"] {
                let path = assets.join(directory).join(file);
                assert!(path.exists(), "{word}: {}", path.display());
            }
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
}
