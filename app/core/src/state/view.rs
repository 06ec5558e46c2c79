//! The state of the page as plain data.

use attention_figures::map_window::Aim;
use attention_trace::{AttentionKind, AttentionLayer, Display, Search, Stack, snippets::Library};
use serde::{Deserialize, Serialize};

use super::{
    beginning::Beginning,
    chapters::Chapters,
    claims::{EvidenceList, Tool},
    class::Class,
    conversation::Conversation,
    edits::EditList,
    head::HeadChoice,
    mine::MineId,
    model::Model,
    parameters::{Parameters, Span},
    roles::RolesShown,
    server::Server,
};
use crate::i18n::Locale;

/// Everything that determines the screen, besides the model's answer.
///
/// The address bar holds it ([`View::to_fragment`]); a field at its default is left out there.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// The model that answers.
    pub model: Model,
    /// The folder's name of a model from the visitor's disk; empty for every other model.
    pub folder: String,
    /// The text that the visitor typed.
    pub text: String,
    /// The words behind the masks of the text, in its order; an empty one behind a mask that was typed.
    pub masked: Vec<String>,
    /// The conversation that the text was written from, by the model's chat template; `None` for a plain text.
    pub conversation: Option<Conversation>,
    /// The beginnings of the text and of its translation that choose the task or the languages.
    pub beginning: Beginning,
    /// The sentence of the text on screen, from 0; a number that is too large stands for the last.
    pub sentence: usize,
    /// The search for target tokens.
    pub search: Search,
    /// The largest number of tokens that a model from the visitor writes; `None` for the usual number.
    pub most_new: Option<usize>,
    /// Target tokens that are forced before the search begins.
    pub prefix: Vec<u32>,
    /// The edits of the model's passes, for any model and text; those of parts that do not exist change nothing.
    pub edits: EditList,
    /// True if the map shows each head's importance for the text.
    pub importance: bool,
    /// The text that the importance is measured on.
    pub importance_of: ImportanceOf,
    /// The address of a file that `attn importance` wrote, relative to the page, in the place of the published one; empty
    /// for none.
    pub importance_at: String,
    /// The roles of heads that the map shows.
    pub roles: RolesShown,
    /// The game of taking out heads: the share of the text that must remain, in percent of BLEU; `None` if the game is
    /// off.
    pub game: Option<u8>,
    /// The part of the page that is open.
    pub tab: Tab,
    /// The kind of the chosen head; `None` if no head was chosen. [`kind`](Self::kind) returns the default for that
    /// case.
    pub kind: Option<AttentionKind>,
    /// The layer of the chosen head, from 0; a number that is too large stands for the last.
    pub layer: usize,
    /// The chosen head, from 0; a number that is too large stands for the last.
    pub head: usize,
    /// Further heads of that kind; if there are any, the mean over all of them is shown.
    pub more_heads: Vec<HeadPlace>,
    /// The cell of the map that is locked by a click.
    pub cell: Option<Cell>,
    /// The queries whose rows are read together, if there are several.
    pub rows: Vec<usize>,
    /// The visible part of the model's map; `None` if all of it is visible.
    pub closeup: Option<Closeup>,
    /// The part of a large map that the visitor scrolled to.
    pub window: Option<Aim>,
    /// The inspector's content: the chosen head, drawn in one of several ways, the decoding step, or a tool.
    pub representation: Representation,
    /// The tool that is open where the inspector tests a claim.
    pub tool: Tool,
    /// The results that the visitor keeps.
    pub evidence: EvidenceList,
    /// True if the colour scale of each map ends at its largest weight instead of 1.
    pub normalised: bool,
    /// The tokens that maps of attention show: words, without special tokens, without the first one.
    pub display: Display,
    /// The decoding time step that is shown, from 0.
    pub step: usize,
    pub chapters: Chapters,
    /// The lesson's route and presenter mode.
    pub class: Class,
    /// The page's language; `None` for the browser's preference.
    pub language: Option<Locale>,
    /// The colour theme, light or dark.
    pub theme: Theme,
    /// True if type is large enough for a projector.
    pub large: bool,
    /// True if formulas have the vectors of tokens as columns and not as rows.
    pub columns: bool,
    /// The library in which formulas are shown as code.
    pub library: Library,
    /// The device that the model should run on.
    pub device: DeviceChoice,
    /// The server that the address names.
    pub server: Option<Server>,
}

/// The largest number of new tokens that a visitor may ask for: each has a step, and a row in every map.
pub const MOST_NEW_TOKENS: usize = 512;

impl Tab {
    /// The number of tabs.
    pub const COUNT: usize = 3;
}

impl Default for View {
    fn default() -> Self {
        View {
            model: Model::default(),
            folder: String::new(),
            text: Model::default().first_text().to_owned(),
            masked: Vec::new(),
            conversation: None,
            beginning: Beginning::default(),
            sentence: 0,
            search: Search::Greedy,
            most_new: None,
            prefix: Vec::new(),
            edits: EditList::default(),
            importance: false,
            importance_of: ImportanceOf::default(),
            importance_at: String::new(),
            roles: RolesShown::default(),
            game: None,
            tab: Tab::Explore,
            kind: None,
            layer: HeadPlace::first(AttentionKind::Cross).layer,
            head: HeadPlace::first(AttentionKind::Cross).head,
            more_heads: Vec::new(),
            cell: None,
            rows: Vec::new(),
            closeup: None,
            window: None,
            representation: Representation::Heatmap,
            tool: Tool::default(),
            evidence: EvidenceList::default(),
            normalised: false,
            display: Display::default(),
            step: 0,
            chapters: Chapters::default(),
            class: Class::default(),
            language: None,
            theme: Theme::Auto,
            large: false,
            columns: false,
            library: Library::NumPy,
            device: DeviceChoice::Auto,
            server: None,
        }
    }
}

impl View {
    /// Returns the name or address of the server that the view names, with its port.
    pub fn server_host(&self) -> Option<&str> {
        self.server.as_ref().map(Server::host)
    }

    /// Changes the model; the text becomes that model's first example, and everything tied to the old sentence is
    /// reset.
    pub fn use_model(&mut self, model: Model) {
        self.use_text(model.first_text().to_owned());
        self.chapters.leave(Span::Model);
        self.model = model;
        self.beginning = Beginning::default();
        self.most_new = None;
        self.folder.clear();
        self.more_heads.clear();
        self.closeup = None;
    }

    /// Changes the model to one from the visitor's disk, in a folder of that name. A text that was typed for another
    /// such model stays.
    pub fn use_mine(&mut self, id: MineId, folder: &str) {
        let model = Model::Mine(Some(id));
        match self.model {
            Model::Mine(_) => {
                if self.model != model {
                    self.beginning = Beginning::default();
                    self.prefix.clear();
                    self.step = 0;
                    self.closeup = None;
                }
                self.model = model;
            }
            _ => self.use_model(model),
        }
        self.folder = folder.to_owned();
    }

    /// Asks for a recorded pass over a text as it is, with nothing changed or forced.
    pub fn use_recorded(&mut self, text: &str) {
        if self.text != text {
            self.use_text(text.to_owned());
        }
        self.search = Search::Greedy;
        self.beginning = Beginning::default();
        self.prefix.clear();
        self.edits = EditList::default();
    }

    /// Returns the largest number of tokens that the model writes.
    pub fn most_new(&self) -> usize {
        let usual = self.model.card().most_new_tokens;
        self.most_new.unwrap_or(usual)
    }

    /// Returns the kind of the head in sight; a model that lacks the kind shows its first. If no head was chosen,
    /// chapters begin with self-attention, and everything else shows the translator's alignment.
    pub fn kind(&self) -> AttentionKind {
        self.kind.unwrap_or(match self.tab {
            Tab::Learn => AttentionKind::EncoderSelf,
            Tab::Explore | Tab::Teach => AttentionKind::Cross,
        })
    }

    /// Returns the layer and head in sight; a model that lacks them shows the nearest. If no head was chosen, they
    /// depend on the kind.
    pub fn place(&self) -> HeadPlace {
        match self.kind {
            Some(_) => HeadPlace {
                layer: self.layer,
                head: self.head,
            },
            None => HeadPlace::first(self.kind()),
        }
    }

    /// Chooses the kind in sight, which until then depends on the tab, and with it the head. The visible part of the
    /// map is reset if it was of another kind.
    fn keep_kind(&mut self) {
        if self.kind.is_none() && self.tab == Tab::Learn {
            self.window = None;
        }
        self.choose_kind(self.kind());
    }

    /// Chooses a kind, and its first head if no head was chosen.
    fn choose_kind(&mut self, kind: AttentionKind) {
        if self.kind.is_none() {
            let HeadPlace { layer, head } = HeadPlace::first(kind);
            (self.layer, self.head) = (layer, head);
        }
        self.kind = Some(kind);
    }

    /// Opens the chapter of these parameters at its first stage, and returns the parameters.
    pub fn open_chapter<P: Parameters>(&mut self) -> &mut P {
        self.tab = Tab::Learn;
        self.chapters.open(P::CHAPTER);
        self.chapters.of_mut()
    }

    /// Opens the map at the head in sight.
    pub fn open_map(&mut self) {
        if self.tab == Tab::Learn {
            self.keep_kind();
        }
        self.tab = Tab::Explore;
    }

    /// True if the choice of the search is in sight: if the visitor may choose it, or if one that was chosen for
    /// another model is in force.
    pub fn chooses_search(&self) -> bool {
        self.model.searches() || self.search != Search::Greedy
    }

    /// Returns to the sentence of `before`, with everything tied to it.
    pub fn come_back(&mut self, before: &View) {
        let View {
            sentence,
            prefix,
            cell,
            rows,
            window,
            step,
            chapters,
            ..
        } = before.clone();
        self.sentence = sentence;
        self.prefix = prefix;
        self.cell = cell;
        self.rows = rows;
        self.window = window;
        self.step = step;
        self.chapters.come_back(&chapters);
    }

    /// Goes to another sentence of the text; everything tied to the last one is reset.
    pub fn use_sentence(&mut self, sentence: usize) {
        self.sentence = sentence;
        self.chapters.leave(Span::Sentence);
        self.prefix.clear();
        self.use_cell(None);
        self.window = None;
        self.step = 0;
    }

    /// Chooses the task or the languages; everything tied to the tokens of the old ones is reset.
    pub fn use_beginning(&mut self, beginning: Beginning) {
        self.beginning = beginning;
        self.prefix.clear();
        self.use_cell(None);
        self.window = None;
        self.step = 0;
    }

    /// Changes the text to a plain one; everything tied to the old sentence is reset.
    pub fn use_text(&mut self, text: String) {
        self.conversation = None;
        self.use_written(text);
    }

    /// Changes the text to the one that was written from the conversation; everything tied to the old sentence is reset.
    pub fn use_written(&mut self, text: String) {
        self.text = text;
        self.masked.clear();
        self.sentence = 0;
        self.prefix.clear();
        self.use_cell(None);
        self.window = None;
        self.step = 0;
        self.chapters.leave(Span::Text);
    }

    /// Changes the kind of attention. The cell, the rows and the visible part of the map refer to other axes, and
    /// further heads are of the old kind, so they are reset.
    pub fn use_kind(&mut self, kind: AttentionKind) {
        self.choose_kind(kind);
        self.more_heads.clear();
        self.chapters.leave(Span::Axes);
        self.use_cell(None);
        self.window = None;
    }

    /// Chooses heads of the kind in sight, the first to represent them; an empty list changes nothing.
    pub fn use_heads(&mut self, heads: &[HeadPlace]) {
        if let [first, more @ ..] = heads {
            self.keep_kind();
            (self.layer, self.head) = (first.layer, first.head);
            self.more_heads = more.to_vec();
        }
    }

    /// Chooses a single head, of any kind.
    pub fn use_head(&mut self, head: HeadChoice) {
        let AttentionLayer { kind, layer } = head.attention;
        if self.kind() != kind {
            self.use_kind(kind);
        }
        let head = head.head;
        self.use_heads(&[HeadPlace { layer, head }]);
    }

    /// Locks a cell of the head in sight and chooses that head, or releases the cell; only the cell's row is read.
    pub fn use_cell(&mut self, cell: Option<Cell>) {
        if cell.is_some() {
            self.keep_kind();
        }
        self.cell = cell;
        self.rows.clear();
    }

    /// Reads several rows of the head in sight together, and chooses that head; a locked cell in another row is released.
    pub fn use_rows(&mut self, rows: Vec<usize>) {
        if !rows.is_empty() {
            self.keep_kind();
        }
        self.cell = self.cell.filter(|cell| rows.contains(&cell.query));
        self.rows = rows;
    }

    /// Changes the tokens that maps of attention show. The visible part of the map refers to other axes and is reset.
    pub fn use_display(&mut self, display: Display) {
        self.display = display;
        self.window = None;
    }

    /// Opens a tool that tests a claim about the head in sight.
    pub fn open_tool(&mut self, tool: Tool) {
        self.representation = Representation::Claim;
        self.tool = tool;
    }

    /// Goes to a decoding step; if the rows are tokens that the model writes, the step's own row is read alone.
    pub fn use_step(&mut self, step: usize) {
        if self.step != step && self.kind().stack() == Stack::Decoder {
            self.rows.clear();
        }
        if self.step != step {
            self.chapters.leave(Span::Step);
        }
        self.step = step;
    }
}

/// A part of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tab {
    /// The model with every head of every layer, the chosen head, and decoding step by step.
    Explore,
    /// Chapters to learn from.
    Learn,
    /// Routes for a lesson, presentations, and material for a class.
    Teach,
}

/// The position of a head among those of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadPlace {
    /// The layer of the head, from 0.
    pub layer: usize,
    /// The number of the head in its layer, from 0.
    pub head: usize,
}

impl HeadPlace {
    /// Returns the head in sight if none was chosen. For cross-attention, it is the head that aligns the written words
    /// best, or next to best, in both translators, with alignment error rates of 0.33 and 0.26
    /// (`alignment-errors.json`). For self-attention, it is the head of the translator's encoder with the least weight
    /// on its own position: 0.15, where others have up to 0.76 (`roles.json`).
    pub const fn first(kind: AttentionKind) -> Self {
        match kind {
            AttentionKind::Cross => HeadPlace { layer: 2, head: 3 },
            AttentionKind::EncoderSelf | AttentionKind::DecoderSelf => {
                HeadPlace { layer: 0, head: 0 }
            }
        }
    }
}

/// One entry of an attention map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "[usize; 2]", into = "[usize; 2]")]
pub struct Cell {
    /// Position of the query: the map's row.
    pub query: usize,
    /// Position of the key: the map's column.
    pub key: usize,
}

impl From<[usize; 2]> for Cell {
    fn from([query, key]: [usize; 2]) -> Self {
        Cell { query, key }
    }
}

impl From<Cell> for [usize; 2] {
    fn from(Cell { query, key }: Cell) -> Self {
        [query, key]
    }
}

/// A part of the model's map, independent of the size of the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closeup {
    /// The chosen head, with room for the names of its rows and columns.
    Head,
    /// The chosen head's block, with its surroundings.
    Block,
    /// The surroundings of a point.
    At {
        /// Zoom with respect to the whole map, in thousandths.
        zoom: u32,
        /// The point in the middle, in hundred thousandths of the map's width and height.
        centre: [u32; 2],
    },
}

impl Closeup {
    /// The number of units in a zoom of 1.
    pub const ZOOM_UNITS: f64 = 1e3;
    /// The number of units of the centre in a width or a height.
    pub const CENTRE_UNITS: f64 = 1e5;
}

/// Content of the inspector, beside the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Representation {
    /// A cell for each pair of tokens.
    Heatmap,
    /// Two columns of tokens, with lines between them.
    Lines,
    /// The sentence, shaded by the weights.
    Sentence,
    /// The decoding step: candidates for the next word, and the rows of attention.
    #[serde(rename = "next")]
    NextWord,
    /// The tools that test a claim about the head.
    Claim,
}

/// The text that heads are measured on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ImportanceOf {
    /// The text on screen.
    #[default]
    Text,
    /// The sentences that are published with the model, or those of the file that the view names.
    Sentences,
}

/// A colour theme of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Theme {
    /// The theme that the system prefers.
    Auto,
    /// Dark text on a light background.
    Light,
    /// Light text on a dark background.
    Dark,
}

/// The visitor's choice of a device for the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeviceChoice {
    /// WebGPU where there is a real adapter, else the CPU.
    Auto,
    /// WebAssembly on the CPU.
    Cpu,
    /// WebGPU on a real adapter.
    #[serde(rename = "webgpu")]
    WebGpu,
    /// WebGPU, on a software adapter if there is no other.
    #[serde(rename = "webgpu-software")]
    WebGpuSoftware,
    /// The server that the address names, for the model that it has; all others run in the browser.
    Server,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A view with a locked cell and the rows around it.
    fn reading_together() -> View {
        View {
            cell: Some(Cell { query: 2, key: 1 }),
            rows: vec![1, 2, 3],
            ..View::default()
        }
    }

    #[test]
    fn another_sentence_can_be_come_back_from() {
        let before = View::from_fragment("text=Oui.+Non.&cell=3.1&step=3&prefix=7&forced=Yes.");
        let mut view = before.clone();
        view.use_sentence(1);
        assert_ne!(view, before);
        view.come_back(&before);
        assert_eq!(view, before);
    }

    #[test]
    fn a_search_that_is_in_force_is_in_sight() {
        let chooses = |fragment| View::from_fragment(fragment).chooses_search();
        assert!(chooses("") && chooses("model=positions-rope&sampling=80.40.95.7"));
        assert!(chooses("model=sentences") && !chooses("model=positions-rope"));
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
        assert_eq!(on(Tab::Explore).kind(), AttentionKind::Cross);
        assert_eq!(on(Tab::Learn).kind(), AttentionKind::EncoderSelf);

        let mut chosen = on(Tab::Explore);
        chosen.use_heads(&[HeadPlace { layer: 0, head: 2 }]);
        chosen.tab = Tab::Learn;
        assert_eq!((chosen.kind(), chosen.layer), (AttentionKind::Cross, 0));

        let mut followed = on(Tab::Learn);
        followed.use_cell(Some(Cell { query: 2, key: 1 }));
        assert_eq!(followed.kind, Some(AttentionKind::EncoderSelf));

        let mut together = on(Tab::Explore);
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
    fn a_head_of_another_kind_begins_a_new_choice() {
        let mut view = View {
            tab: Tab::Learn,
            cell: Some(Cell { query: 2, key: 1 }),
            kind: Some(AttentionKind::EncoderSelf),
            ..View::default()
        };
        view.use_head("encoder.2.1".parse().unwrap());
        assert_eq!(
            (view.layer, view.head, view.cell),
            (2, 1, Some(Cell { query: 2, key: 1 }))
        );
        view.use_head("cross.0.7".parse().unwrap());
        let chosen = (view.kind(), view.layer, view.head, view.cell);
        assert_eq!(chosen, (AttentionKind::Cross, 0, 7, None));
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
            (Tab::Explore, AttentionKind::EncoderSelf)
        );
        let mut map = View::default();
        map.open_map();
        assert_eq!(map, View::default());
    }
}
