//! The state of the page as plain data.

use attention_figures::map_window::Aim;
use attention_trace::{AttentionKind, Search, Stack, positions::PositionalEncoding};

use super::{
    chapters::{Chapters, Forcing},
    off::HeadsOff,
    positions::Positions,
    sentences::{sentences, spaced, verses},
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
    /// Heads that are switched off, for whatever text; those that the model lacks change nothing.
    pub off: HeadsOff,
    /// Whether the map shows what each head matters to the text.
    pub importance: bool,
    /// Which part of the page is open.
    pub tab: Tab,
    /// Kind of the chosen head; `None` as long as no head was chosen. [`kind`](Self::kind) says which it is then.
    pub kind: Option<AttentionKind>,
    /// Layer of the chosen head, from 0; too large a number means the last.
    pub layer: usize,
    /// The chosen head, from 0; too large a number means the last.
    pub head: usize,
    /// Further heads of that kind: where there are any, the mean over all of them is shown.
    pub more_heads: Vec<HeadPlace>,
    /// The cell of the map that is locked by a click.
    pub cell: Option<Cell>,
    /// The queries whose rows are read together, if there are several.
    pub rows: Vec<usize>,
    /// What part of the model's map is in sight, where it is not all of it.
    pub closeup: Option<Closeup>,
    /// The part of a large map that the visitor went to.
    pub window: Option<Aim>,
    /// How the chosen head is drawn.
    pub representation: Representation,
    /// Whether each map's largest weight, not 1, takes the end of the colour scale.
    pub normalised: bool,
    /// The decoding time step that is shown, from 0.
    pub step: usize,
    /// What the figures of sinusoids and of RoPE's decay show.
    pub positions: Positions,
    /// What the chapters show.
    pub chapters: Chapters,
    /// The page's language; the browser's preference where none was chosen.
    pub language: Option<Locale>,
    /// Light or dark.
    pub theme: Theme,
    /// Whether type is as large as a projector needs it.
    pub large: bool,
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
            off: HeadsOff::default(),
            importance: false,
            tab: Tab::Heads,
            kind: None,
            // The head of the translator that aligns words most plainly.
            layer: 1,
            head: 3,
            more_heads: Vec::new(),
            cell: None,
            rows: Vec::new(),
            closeup: None,
            window: None,
            representation: Representation::Heatmap,
            normalised: false,
            step: 0,
            positions: Positions::default(),
            chapters: Chapters::default(),
            language: None,
            theme: Theme::Auto,
            large: false,
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
        self.more_heads.clear();
        self.closeup = None;
    }

    /// Kind of the head in sight; a model that lacks the kind shows its first. Where no head was chosen, chapters begin
    /// with self-attention, and everything else shows the translator's alignment.
    pub fn kind(&self) -> AttentionKind {
        self.kind.unwrap_or(match self.tab {
            Tab::Learn => AttentionKind::EncoderSelf,
            Tab::Heads | Tab::Decoding => AttentionKind::Cross,
        })
    }

    /// Chooses the kind in sight, which depends on the tab until then. A part of the map was of the map's own kind.
    fn keep_kind(&mut self) {
        if self.kind.is_none() && self.tab == Tab::Learn {
            self.window = None;
        }
        self.kind = Some(self.kind());
    }

    /// Opens the chapter on positions at a way to know them.
    pub fn open_positions(&mut self, way: PositionalEncoding) {
        self.tab = Tab::Learn;
        self.chapters.open("positions");
        self.chapters.encodings.encoding = way;
    }

    /// Opens the map at the head in sight.
    pub fn open_map(&mut self) {
        if self.tab == Tab::Learn {
            self.keep_kind();
        }
        self.tab = Tab::Heads;
    }

    /// Goes to another sentence of the text; what belonged to the last one is forgotten.
    pub fn use_sentence(&mut self, sentence: usize) {
        self.sentence = sentence;
        self.chapters.forcing = Forcing::default();
        self.prefix.clear();
        self.use_cell(None);
        self.window = None;
        self.step = 0;
    }

    /// Changes the text; what belonged to the old sentence is forgotten.
    pub fn use_text(&mut self, text: String) {
        self.text = text;
        self.sentence = 0;
        self.prefix.clear();
        self.use_cell(None);
        self.window = None;
        self.step = 0;
        self.chapters.order.places.clear();
        self.chapters.reading.pairs = None;
        self.chapters.forcing = Forcing::default();
    }

    /// Changes the kind of attention; cell, rows and the part of the map belong to other axes, and further heads are of
    /// the old kind.
    pub fn use_kind(&mut self, kind: AttentionKind) {
        self.kind = Some(kind);
        self.more_heads.clear();
        self.use_cell(None);
        self.window = None;
    }

    /// Chooses heads of the kind in sight, the first to stand for them; nothing changes where there are none.
    pub fn use_heads(&mut self, heads: &[HeadPlace]) {
        if let [first, more @ ..] = heads {
            self.keep_kind();
            (self.layer, self.head) = (first.layer, first.head);
            self.more_heads = more.to_vec();
        }
    }

    /// Locks a cell of the head in sight, which is chosen with it, or lets go of it; its row alone is read.
    pub fn use_cell(&mut self, cell: Option<Cell>) {
        if cell.is_some() {
            self.keep_kind();
        }
        self.cell = cell;
        self.rows.clear();
    }

    /// Reads several rows of the head in sight together, which is chosen with them; a locked cell in another row is let
    /// go.
    pub fn use_rows(&mut self, rows: Vec<usize>) {
        if !rows.is_empty() {
            self.keep_kind();
        }
        self.cell = self.cell.filter(|cell| rows.contains(&cell.query));
        self.rows = rows;
    }

    /// Goes to a decoding step: where the rows are what the model writes, the step's own is read alone.
    pub fn use_step(&mut self, step: usize) {
        if self.step != step && self.kind().stack() == Stack::Decoder {
            self.rows.clear();
        }
        self.step = step;
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
    /// Names the character two places back in a line of verse, learned from lines of five: again one of six.
    Poems(PositionalEncoding),
}

impl Model {
    /// Letters of the longest sequence that the models of letters learned from; a test compares their configurations.
    pub const LONGEST_LETTERS: usize = 32;
    /// Characters of the lines that the models of verse learned from.
    pub const LONGEST_VERSE: usize = 5;

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
            Model::Poems(PositionalEncoding::None) => "models/poems/none/",
            Model::Poems(PositionalEncoding::Learned) => "models/poems/learned/",
            Model::Poems(PositionalEncoding::Sinusoidal) => "models/poems/sinusoidal/",
            Model::Poems(PositionalEncoding::T5) => "models/poems/t5/",
            Model::Poems(PositionalEncoding::Rope) => "models/poems/rope/",
            Model::Poems(PositionalEncoding::Alibi) => "models/poems/alibi/",
        }
    }

    /// How it knows positions.
    pub fn way_to_know_positions(self) -> PositionalEncoding {
        match self {
            Model::Translator | Model::FromEnglish(_) => PositionalEncoding::Sinusoidal,
            Model::Sentences => PositionalEncoding::Rope,
            Model::Recall(encoding) | Model::Poems(encoding) => encoding,
        }
    }

    /// Whether the visitor may choose how target tokens are searched for.
    pub fn searches(self) -> bool {
        matches!(self, Model::Translator | Model::FromEnglish(_))
    }

    /// What it reads one at a time: a translator a text's sentences, the models of verse its lines, any other model all
    /// of it.
    pub fn sentences(self, text: &str) -> Vec<String> {
        match self {
            Model::Translator | Model::FromEnglish(_) => sentences(text),
            Model::Poems(_) => verses(text),
            Model::Sentences | Model::Recall(_) => vec![spaced(text)],
        }
    }

    /// Of a model that learned from random characters, how many the longest of its sequences had.
    pub fn longest_trained(self) -> Option<usize> {
        match self {
            Model::Recall(_) => Some(Self::LONGEST_LETTERS),
            Model::Poems(_) => Some(Self::LONGEST_VERSE),
            Model::Translator | Model::FromEnglish(_) | Model::Sentences => None,
        }
    }

    /// The token before the text that tells the model what is wanted of it.
    pub fn prefix(self) -> Option<&'static str> {
        match self {
            Model::FromEnglish(Target::French) => Some(">>fra<<"),
            Model::FromEnglish(Target::Chinese) => Some(">>cmn<<"),
            Model::Translator | Model::Sentences | Model::Recall(_) | Model::Poems(_) => None,
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
            // The lecture's couplets, of five characters a line and of seven, and lines of the same characters.
            Model::Poems(_) => &[
                "风劲角弓鸣，将军猎渭城。风急天高猿啸哀，渚清沙白鸟飞回。",
                "月白风清，山高月白，猿啸山月，鸟飞云天高",
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
            Model::Poems(_) => 2,
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
    /// Chapters to learn from.
    Learn,
}

/// Where a head is among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadPlace {
    /// Its layer, from 0.
    pub layer: usize,
    /// Its number in the layer, from 0.
    pub head: usize,
}

/// One entry of an attention map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Position of the query: the map's row.
    pub query: usize,
    /// Position of the key: the map's column.
    pub key: usize,
}

/// A part of the model's map, whatever the size of the window that it is seen in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closeup {
    /// How much closer than all of the map, in thousandths.
    pub zoom: u32,
    /// The point in the middle, in hundred thousandths of the map's width and height.
    pub centre: [u32; 2],
}

impl Closeup {
    /// Of its zoom, in one.
    pub const ZOOM_UNITS: f64 = 1e3;
    /// Of its centre, in a width or a height.
    pub const CENTRE_UNITS: f64 = 1e5;
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

    /// A view with a locked cell and the rows around it.
    fn reading_together() -> View {
        View {
            cell: Some(Cell { query: 2, key: 1 }),
            rows: vec![1, 2, 3],
            ..View::default()
        }
    }

    #[test]
    fn rows_that_are_read_together_keep_a_cell_in_one_of_them() {
        let mut view = reading_together();
        view.use_rows(vec![2, 4]);
        assert_eq!(view.cell, reading_together().cell);
        view.use_rows(vec![3, 4]);
        assert_eq!(view.cell, None);
    }

    #[test]
    fn another_step_is_read_alone_where_the_model_writes_the_rows() {
        let mut view = reading_together();
        view.use_step(view.step);
        assert_eq!(view.rows, [1, 2, 3]);
        view.use_step(view.step + 1);
        assert!(view.rows.is_empty());
        let mut view = View {
            kind: Some(AttentionKind::EncoderSelf),
            ..reading_together()
        };
        view.use_step(view.step + 1);
        assert_eq!(view.rows, [1, 2, 3]);
    }

    #[test]
    fn chapters_begin_with_self_attention_until_a_head_is_chosen() {
        let on = |tab| View {
            tab,
            ..View::default()
        };
        assert_eq!(on(Tab::Heads).kind(), AttentionKind::Cross);
        assert_eq!(on(Tab::Learn).kind(), AttentionKind::EncoderSelf);

        let mut chosen = on(Tab::Heads);
        chosen.use_heads(&[HeadPlace { layer: 0, head: 2 }]);
        chosen.tab = Tab::Learn;
        assert_eq!((chosen.kind(), chosen.layer), (AttentionKind::Cross, 0));

        let mut followed = on(Tab::Learn);
        followed.use_cell(Some(Cell { query: 2, key: 1 }));
        assert_eq!(followed.kind, Some(AttentionKind::EncoderSelf));

        let mut together = on(Tab::Heads);
        together.use_rows(vec![1, 2]);
        assert_eq!(together.kind, Some(AttentionKind::Cross));
    }

    #[test]
    fn a_head_that_a_chapter_chooses_has_its_own_part_of_a_map() {
        let window = Some(Aim {
            row: 40,
            column: 0,
            cell: 20,
        });
        let places = [HeadPlace { layer: 0, head: 2 }];
        let mut on_map = View {
            window,
            ..View::default()
        };
        let mut in_chapter = View {
            tab: Tab::Learn,
            ..on_map.clone()
        };
        on_map.use_heads(&places);
        assert_eq!(on_map.window, window);
        in_chapter.use_heads(&places);
        assert_eq!(in_chapter.window, None);
    }

    #[test]
    fn the_map_opens_at_the_head_that_a_chapter_shows() {
        let mut view = View {
            tab: Tab::Learn,
            ..View::default()
        };
        view.open_map();
        assert_eq!(
            (view.tab, view.kind()),
            (Tab::Heads, AttentionKind::EncoderSelf)
        );
        let mut map = View::default();
        map.open_map();
        assert_eq!(map, View::default());
    }

    #[test]
    fn the_six_meet_a_text_of_their_lengths_and_a_longer_one() {
        let letters = |text: &str| text.chars().filter(|c| c.is_ascii_lowercase()).count();
        let [shorter, longer] = Model::Recall(PositionalEncoding::Rope).examples() else {
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
        let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets");
        let poems = Model::Poems(PositionalEncoding::Learned);
        let path = assets.join(poems.directory()).join("tokenizer.json");
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
