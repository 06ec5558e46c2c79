//! The state of the page as plain data.

use attention_trace::{AttentionKind, Search, positions::PositionalEncoding};

use super::{
    chapters::Chapters,
    positions::Positions,
    sentences::{sentences, spaced},
};
use crate::i18n::Locale;

/// Everything that decides what is on screen, besides the model's answer.
///
/// The address bar holds it ([`View::to_fragment`]); a field at its default is left out there.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The model that answers.
    pub model: Model,
    /// What the visitor typed.
    pub text: String,
    /// Which of the text's sentences is on screen, from 0; too large a number means the last.
    pub sentence: usize,
    /// How target tokens are searched for.
    pub search: Search,
    /// Target tokens that are forced before the search begins.
    pub prefix: Vec<u32>,
    /// Which part of the page is open.
    pub tab: Tab,
    /// Kind of the chosen head; a model that lacks the kind shows its first.
    pub kind: AttentionKind,
    /// Layer of the chosen head, from 0; too large a number means the last.
    pub layer: usize,
    /// The chosen head, from 0; too large a number means the last.
    pub head: usize,
    /// The cell of the map that is locked by a click.
    pub cell: Option<Cell>,
    /// How the chosen head is drawn.
    pub representation: Representation,
    /// Whether each map's largest weight, not 1, takes the end of the colour scale.
    pub normalised: bool,
    /// The decoding time step that is shown, from 0.
    pub step: usize,
    /// What the positions tab shows.
    pub positions: Positions,
    /// What the chapters show.
    pub chapters: Chapters,
    /// The page's language; the browser's preference where none was chosen.
    pub language: Option<Locale>,
    /// Light or dark.
    pub theme: Theme,
    /// What the model should run on.
    pub device: DeviceChoice,
}

impl Default for View {
    fn default() -> Self {
        View {
            model: Model::Translator,
            text: Model::Translator.first_text().to_owned(),
            sentence: 0,
            search: Search::Greedy,
            prefix: Vec::new(),
            tab: Tab::Heads,
            kind: AttentionKind::Cross,
            // The head of the translator that aligns words most plainly.
            layer: 1,
            head: 3,
            cell: None,
            representation: Representation::Heatmap,
            normalised: false,
            step: 0,
            positions: Positions::default(),
            chapters: Chapters::default(),
            language: None,
            theme: Theme::Auto,
            device: DeviceChoice::Auto,
        }
    }
}

impl View {
    /// Changes the model; the text becomes that model's first example, and what belonged to the
    /// old sentence is forgotten.
    pub fn use_model(&mut self, model: Model) {
        self.use_text(model.first_text().to_owned());
        self.model = model;
    }

    /// Goes to another sentence of the text; what belonged to the last one is forgotten.
    pub fn use_sentence(&mut self, sentence: usize) {
        self.sentence = sentence;
        self.prefix.clear();
        self.cell = None;
        self.step = 0;
    }

    /// Changes the text; what belonged to the old sentence is forgotten.
    pub fn use_text(&mut self, text: String) {
        self.text = text;
        self.sentence = 0;
        self.prefix.clear();
        self.cell = None;
        self.step = 0;
        self.chapters.order.places.clear();
    }
}

/// A trained model that is served with the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// French and Chinese to English, encoder–decoder.
    Translator,
    /// English to one of these, encoder–decoder.
    FromEnglish(Target),
    /// English sentences, decoder-only with RoPE.
    Sentences,
    /// Names the letter three places back: one of six that differ in how they know positions.
    Recall(PositionalEncoding),
}

impl Model {
    /// Its directory, relative to the page.
    pub fn directory(self) -> &'static str {
        match self {
            Model::Translator => "models/translator/",
            Model::FromEnglish(_) => "models/from-english/",
            Model::Sentences => "models/sentences/",
            Model::Recall(PositionalEncoding::None) => "models/positions/none/",
            Model::Recall(PositionalEncoding::Learned) => "models/positions/learned/",
            Model::Recall(PositionalEncoding::Sinusoidal) => "models/positions/sinusoidal/",
            Model::Recall(PositionalEncoding::T5) => "models/positions/t5/",
            Model::Recall(PositionalEncoding::Rope) => "models/positions/rope/",
            Model::Recall(PositionalEncoding::Alibi) => "models/positions/alibi/",
        }
    }

    /// Whether the visitor may choose how target tokens are searched for.
    pub fn searches(self) -> bool {
        matches!(self, Model::Translator | Model::FromEnglish(_))
    }

    /// What it reads one at a time: a translator a text's sentences, any other model all of it.
    pub fn sentences(self, text: &str) -> Vec<String> {
        match self.searches() {
            true => sentences(text),
            false => vec![spaced(text)],
        }
    }

    /// The token before the text that tells the model what is wanted of it.
    pub fn prefix(self) -> Option<&'static str> {
        match self {
            Model::FromEnglish(Target::French) => Some(">>fra<<"),
            Model::FromEnglish(Target::Chinese) => Some(">>cmn<<"),
            Model::Translator | Model::Sentences | Model::Recall(_) => None,
        }
    }

    /// Sentences to begin with, the lectures' among them.
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
            Model::Recall(_) => &[
                "the quick brown fox jumps",
                "the quick brown fox jumps over the lazy dog while five boxing wizards watch it",
            ],
        }
    }

    /// The text a visitor finds in the input.
    pub fn first_text(self) -> &'static str {
        self.examples()[0]
    }

    /// The most tokens a run may append.
    pub fn max_new_tokens(self) -> usize {
        match self {
            Model::Translator | Model::FromEnglish(_) => 64,
            Model::Sentences => 16,
            Model::Recall(_) => 8,
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

/// A part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tab {
    /// Every head of every layer.
    Heads,
    /// Decoding, one time step after another.
    Decoding,
    /// Positional encodings.
    Positions,
    /// Chapters to learn from.
    Learn,
}

/// One entry of an attention map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Position of the query: the map's row.
    pub query: usize,
    /// Position of the key: the map's column.
    pub key: usize,
}

/// A way to draw one head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Representation {
    /// A cell per pair of tokens.
    Heatmap,
    /// Two columns of tokens, lines between them.
    Lines,
    /// The sentence, shaded.
    Sentence,
}

/// A colour theme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// What the system prefers.
    Auto,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// What the visitor wants the model to run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceChoice {
    /// WebGPU where there is a real adapter, else the CPU.
    Auto,
    /// WebAssembly on the CPU.
    Cpu,
    /// WebGPU on a real adapter.
    WebGpu,
    /// WebGPU, on a software adapter if there is no other.
    WebGpuSoftware,
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
            for file in ["config.json", "tokenizer.json", "model.safetensors"] {
                let path = assets.join(model.directory()).join(file);
                assert!(path.exists(), "{word}: {}", path.display());
            }
        }
    }

    #[test]
    fn the_six_meet_a_text_of_their_lengths_and_a_longer_one() {
        let letters = |text: &str| text.chars().filter(|c| c.is_ascii_lowercase()).count();
        let [shorter, longer] = Model::Recall(PositionalEncoding::Rope).examples() else {
            panic!("two examples")
        };
        assert!(letters(shorter) < 32 && letters(longer) > 32);
    }
}
