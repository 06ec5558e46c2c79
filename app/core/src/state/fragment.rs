//! A [`View`] as the fragment of an address, which browsers keep to themselves: no server sees it. Layers, heads, steps
//! and places are counted from 1 there, as on the page; [`counting`](super::counting) says which, and how an address
//! that counts from 0 is told.

use std::str::FromStr;

use attention_figures::map_window::Aim;
use attention_trace::{AttentionKind, Search};
use form_urlencoded::Serializer;
use leptos_i18n::Locale as _;

pub(super) use super::reader::Reader;
use super::{
    chapters::Chapters,
    claims::EvidenceList,
    class::Class,
    counting::{Counted, FROM_ONE, MARK},
    faults::{AddressFault, FaultKind},
    positions::Positions,
    reader::LAST,
    roles::RolesShown,
    sampling::SamplingChoice,
    values::AddressValue,
    view::{Cell, Closeup, HeadPlace, Representation, Tab, View},
};

/// A close-up of the chosen head, in the place of a point of the map.
const CLOSE_HEAD: &str = "head";
/// The same of its block.
const CLOSE_BLOCK: &str = "block";
/// The kind of a head or a cell that an address names without its kind.
const OF_NAMED_HEAD: AttentionKind = AttentionKind::Cross;
/// A tab that there was once; its figures are in the chapter on positions.
const POSITIONS_TAB: &str = "positions";
/// The two tabs of which one was made.
const HEADS_TAB: &str = "heads";
const DECODING_TAB: &str = "decoding";
/// Bytes of the longest fragment that is read. Browsers refuse addresses of 1 to 2 MB, and the page makes none as long.
pub const LONGEST_FRAGMENT: usize = 1 << 20;
/// Largest beam width the page offers.
pub const MAX_BEAM_WIDTH: usize = 8;
/// Largest exponent of the length penalty the page offers.
pub const MAX_LENGTH_PENALTY: f32 = 2.0;
/// The length penalty's exponent where an address names a beam alone.
pub const LENGTH_PENALTY: f32 = 0.75;

/// What names a head in an address, or something of a head's map.
const OF_A_HEAD: [&str; 6] = ["kind", "layer", "head", "with", "cell", "rows"];
/// Layer and head that an address means that names one of them, or something of a head's map, without saying both: the
/// page's first head when addresses left it out.
const FORMER_HEAD: [usize; 2] = [1, 3];

impl View {
    /// The view as a fragment, without `#`, in the form of a query; fields at their default are left out.
    pub fn to_fragment(&self) -> String {
        self.written(Writer::new())
    }

    /// [`to_fragment`](Self::to_fragment) with the fields at their default, for comparing views entry by entry.
    pub fn to_complete_fragment(&self) -> String {
        self.written(Writer {
            keeps_defaults: true,
            ..Writer::new()
        })
    }

    fn written(&self, mut fragment: Writer) -> String {
        let standard = View::standard(self.model);
        fragment.number("model", self.model, View::default().model);
        if let super::Model::Mine(_) = self.model {
            fragment.text("folder", &self.folder, "");
        }
        fragment.text("text", &self.text, &standard.text);
        fragment.number("sentence", self.sentence, standard.sentence);
        fragment.search(self.search);
        fragment.list("prefix", &self.prefix);
        fragment.text("off", &self.off.to_string(), "");
        fragment.choice("off-by", self.off_by, standard.off_by);
        if let Some(reweighed) = self.reweighed {
            fragment.text("reweighed", &reweighed.to_string(), "");
        }
        fragment.text("weights", &self.weights.to_string(), "");
        fragment.number("importance", u8::from(self.importance), 0);
        fragment.choice("importance-of", self.importance_of, standard.importance_of);
        self.roles.write(&mut fragment);
        if let Some(least) = self.game {
            fragment.list("game", &[least]);
        }
        fragment.choice("tab", self.tab, standard.tab);
        if let Some(kind) = self.kind {
            let unsaid = match self.names_head(&standard) {
                true => OF_NAMED_HEAD.address_value(),
                false => "",
            };
            fragment.text("kind", kind.address_value(), unsaid);
        }
        // Both or neither: one alone, or what belongs to a head without one, is of an address made before.
        if self.kind.is_some() || self.names_head(&standard) {
            fragment.text("layer", &self.layer.to_string(), "");
            fragment.text("head", &self.head.to_string(), "");
        }
        fragment.list("with", &flat(&self.more_heads));
        if let Some(Cell { query: row, key }) = self.cell {
            fragment.list("cell", &[row, key]);
        }
        fragment.list("rows", &self.rows);
        match self.closeup {
            None => {}
            Some(Closeup::Head) => fragment.text("map", CLOSE_HEAD, ""),
            Some(Closeup::Block) => fragment.text("map", CLOSE_BLOCK, ""),
            Some(Closeup::At { zoom, centre }) => {
                fragment.list("map", &[zoom, centre[0], centre[1]]);
            }
        }
        if let Some(Aim { row, column, cell }) = self.window {
            fragment.list("window", &[row, column, cell]);
        }
        fragment.choice("show", self.representation, standard.representation);
        fragment.choice("tool", self.tool, standard.tool);
        fragment.number("normalised", u8::from(self.normalised), 0);
        fragment.number("step", self.step, standard.step);
        self.positions.write(&mut fragment);
        self.chapters.write(&mut fragment);
        self.class.write(&mut fragment);
        if let Some(language) = self.language {
            fragment.text("lang", language.as_str(), "");
        }
        fragment.choice("theme", self.theme, standard.theme);
        fragment.number("large", u8::from(self.large), 0);
        fragment.choice("device", self.device, standard.device);
        self.evidence.write(&mut fragment);
        fragment.finish()
    }

    /// The view that a fragment (with or without `#`) spells. Whatever cannot be understood is at
    /// its default.
    pub fn from_fragment(fragment: &str) -> View {
        View::from_address(fragment).0
    }

    /// [`from_fragment`](Self::from_fragment), and what cannot be understood. What only the model or its result can tell,
    /// such as whether there is such a layer, [`View::lacking`] says.
    pub fn from_address(fragment: &str) -> (View, Vec<AddressFault>) {
        if fragment.len() > LONGEST_FRAGMENT {
            return (View::default(), vec![too_long(fragment)]);
        }
        let reader = Reader::new(fragment);
        let view = View::read(&reader);
        (view, reader.faults())
    }

    fn read(reader: &Reader) -> View {
        let (tab, former) = reader.tab().unwrap_or((View::default().tab, None));
        let mut view = View::read_fields(reader, tab);
        match former {
            Some(FormerTab::Positions) => {
                let way = view.model.way_to_know_positions();
                view.open_positions(way);
            }
            Some(FormerTab::Decoding) => view.representation = Representation::NextWord,
            None => {}
        }
        view
    }

    fn read_fields(reader: &Reader, tab: Tab) -> View {
        let standard = View::standard(reader.number("model").unwrap_or(View::default().model));
        let unsaid = match reader.names_head() {
            true => FORMER_HEAD,
            false => [standard.layer, standard.head],
        };
        View {
            folder: match (reader.text("folder"), standard.model) {
                (Some(folder), super::Model::Mine(_)) => folder.to_owned(),
                _ => String::new(),
            },
            text: reader.text("text").unwrap_or(&standard.text).to_owned(),
            sentence: reader.number("sentence").unwrap_or(standard.sentence),
            search: reader.search().unwrap_or(standard.search),
            prefix: reader.list("prefix").unwrap_or_default(),
            off: reader.parts("off").into_iter().collect(),
            off_by: reader.choice("off-by").unwrap_or(standard.off_by),
            reweighed: reader.number("reweighed"),
            weights: reader.parts("weights").into_iter().collect(),
            importance: reader.flag("importance").unwrap_or_default(),
            importance_of: reader
                .choice("importance-of")
                .unwrap_or(standard.importance_of),
            roles: RolesShown::read(reader),
            game: reader.within("game", (1, 100)),
            tab,
            kind: reader.kind(),
            layer: reader.number("layer").unwrap_or(unsaid[0]),
            head: reader.number("head").unwrap_or(unsaid[1]),
            more_heads: reader.places("with"),
            cell: reader.cell(),
            rows: reader.list("rows").unwrap_or_default(),
            closeup: reader.closeup(),
            window: reader.window(),
            representation: reader.choice("show").unwrap_or(standard.representation),
            tool: reader.choice("tool").unwrap_or(standard.tool),
            evidence: EvidenceList::read(reader),
            normalised: reader.flag("normalised").unwrap_or_default(),
            step: reader.number("step").unwrap_or(standard.step),
            positions: Positions::read(reader),
            chapters: Chapters::read(reader),
            class: Class::read(reader),
            language: reader.number("lang"),
            theme: reader.choice("theme").unwrap_or(standard.theme),
            large: reader.flag("large").unwrap_or_default(),
            device: reader.choice("device").unwrap_or(standard.device),
            model: standard.model,
        }
    }

    /// Whether its address has a head, or something of a head's map, besides the kind.
    fn names_head(&self, standard: &View) -> bool {
        (self.layer, self.head) != (standard.layer, standard.head)
            || !self.more_heads.is_empty()
            || self.cell.is_some()
            || !self.rows.is_empty()
    }

    /// The default view of `model`.
    fn standard(model: super::Model) -> View {
        View {
            model,
            text: model.first_text().to_owned(),
            ..View::default()
        }
    }
}

/// A tab that there was once, in whose place something else is shown.
enum FormerTab {
    Positions,
    Decoding,
}

/// A fragment that is not read at all, by its beginning.
fn too_long(fragment: &str) -> AddressFault {
    let name: String = fragment.chars().take(AddressFault::QUOTED).collect();
    AddressFault {
        name,
        value: String::new(),
        kind: FaultKind::TooLong {
            bytes: fragment.len(),
        },
    }
}

/// Layer and head of each, one after the other.
pub(super) fn flat(heads: &[HeadPlace]) -> Vec<usize> {
    let pairs = heads.iter().map(|place| [place.layer, place.head]);
    pairs.flatten().collect()
}

/// A fragment being written; values at their default are left out.
pub(super) struct Writer {
    entries: Serializer<'static, String>,
    /// True if any entry counts.
    counts: bool,
    /// True if values at their default are written too.
    keeps_defaults: bool,
}

impl Writer {
    pub fn new() -> Self {
        Writer {
            entries: Serializer::new(String::new()),
            counts: false,
            keeps_defaults: false,
        }
    }

    /// The fragment, with its mark where it counts.
    pub fn finish(mut self) -> String {
        let entries = self.entries.finish();
        match self.counts {
            true => format!("{MARK}={FROM_ONE}&{entries}"),
            false => entries,
        }
    }

    pub fn text(&mut self, name: &str, value: &str, standard: &str) {
        if value != standard || self.keeps_defaults {
            self.append(name, value);
        }
    }

    /// A text that is written though it be empty, if it is there.
    pub fn optional_text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.append(name, value);
        }
    }

    fn append(&mut self, name: &str, value: &str) {
        match Counted::of(name) {
            Some(counted) => {
                self.counts = true;
                self.entries.append_pair(name, &counted.one_based(value));
            }
            None => {
                self.entries.append_pair(name, value);
            }
        }
    }

    pub fn choice<T: AddressValue>(&mut self, name: &str, value: T, standard: T) {
        self.text(name, value.address_value(), standard.address_value());
    }

    pub fn number<T: ToString>(&mut self, name: &str, value: T, standard: T) {
        self.text(name, &value.to_string(), &standard.to_string());
    }

    /// An index, where `usize::MAX` means the last there is.
    pub fn index(&mut self, name: &str, value: usize, standard: usize) {
        match value {
            usize::MAX => self.append(name, LAST),
            value => self.number(name, value, standard),
        }
    }

    pub fn list<T: ToString>(&mut self, name: &str, values: &[T]) {
        let values: Vec<_> = values.iter().map(ToString::to_string).collect();
        self.text(name, &values.join("."), "");
    }

    fn search(&mut self, search: Search) {
        if let Search::Beam {
            width,
            length_penalty,
        } = search
        {
            self.append("beam", &width.to_string());
            self.number("alpha", length_penalty, LENGTH_PENALTY);
        }
        if let Some(sampling) = SamplingChoice::of(search) {
            self.list("sampling", &sampling.numbers());
        }
    }
}

impl Reader {
    /// The kind of the chosen head, if one was chosen.
    fn kind(&self) -> Option<AttentionKind> {
        let kind = self.choice("kind");
        self.names_head().then(|| kind.unwrap_or(OF_NAMED_HEAD))
    }

    /// Whether something is of a head, or names it.
    fn names_head(&self) -> bool {
        OF_A_HEAD.iter().any(|name| self.get(name).is_some())
    }

    fn cell(&self) -> Option<Cell> {
        let [query, key] = self.tuple("cell")?;
        Some(Cell { query, key })
    }

    fn closeup(&self) -> Option<Closeup> {
        match self.get("map")? {
            CLOSE_HEAD => Some(Closeup::Head),
            CLOSE_BLOCK => Some(Closeup::Block),
            _ => {
                let [zoom, x, y] = self.tuple("map")?;
                Some(Closeup::At {
                    zoom,
                    centre: [x, y],
                })
            }
        }
    }

    fn window(&self) -> Option<Aim> {
        let [row, column, cell] = self.tuple("window")?;
        Some(Aim { row, column, cell })
    }

    /// The open tab, and which it was where there is none of that name any more.
    fn tab(&self) -> Option<(Tab, Option<FormerTab>)> {
        self.parsed("tab", |word| match word {
            POSITIONS_TAB => Some((Tab::Learn, Some(FormerTab::Positions))),
            DECODING_TAB => Some((Tab::Explore, Some(FormerTab::Decoding))),
            HEADS_TAB => Some((Tab::Explore, None)),
            word => Some((Tab::from_address_value(word)?, None)),
        })
    }

    /// The inverse of [`flat`]; a layer without a head is left out.
    pub(super) fn places(&self, name: &str) -> Vec<HeadPlace> {
        self.groups(name, |[layer, head]| {
            Some(HeadPlace {
                layer: layer.parse().ok()?,
                head: head.parse().ok()?,
            })
        })
    }

    /// The parts of a list of heads or weights.
    pub(super) fn parts<T: FromStr>(&self, name: &str) -> Vec<T> {
        self.elements(name, &['-', ','], |part| part.parse().ok())
    }

    fn search(&self) -> Option<Search> {
        let width = self.within("beam", (2, MAX_BEAM_WIDTH));
        let length_penalty = self.within("alpha", (0.0, MAX_LENGTH_PENALTY));
        let sampling = self.parsed("sampling", |text| {
            let numbers: Option<Vec<u32>> = text.split('.').map(|one| one.parse().ok()).collect();
            SamplingChoice::from_numbers(&numbers?)
        });
        if let Some(sampling) = sampling {
            return Some(sampling.search());
        }
        Some(Search::Beam {
            width: width?,
            length_penalty: length_penalty.unwrap_or(LENGTH_PENALTY),
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::i18n::Locale;
    use crate::state::chapters::tests::choice;
    use crate::state::sampling::tests::sampling;
    use crate::state::{
        Ablation, DeviceChoice, HandCell, HandMatrix, HeadsOff, ImportanceOf, Model, Theme, Tool,
        WeightList,
    };

    fn search() -> impl Strategy<Value = Search> {
        prop_oneof![
            Just(Search::Greedy),
            sampling().prop_map(SamplingChoice::search),
            (2..=MAX_BEAM_WIDTH, 0.0..=MAX_LENGTH_PENALTY).prop_map(|(width, length_penalty)| {
                Search::Beam {
                    width,
                    length_penalty,
                }
            }),
        ]
    }

    prop_compose! {
        /// A chosen head, and perhaps others and places of its map, in a view without anything else.
        fn heads()(
            (kind, layer, head) in (choice::<AttentionKind>(), any::<usize>(), any::<usize>()),
            more_heads in any::<Vec<(usize, usize)>>(),
            (cell, rows) in (proptest::option::of(any::<(usize, usize)>()), any::<Vec<usize>>()),
        ) -> View {
            let place = |(layer, head)| HeadPlace { layer, head };
            View {
                kind: Some(kind),
                layer,
                head,
                more_heads: more_heads.into_iter().map(place).collect(),
                cell: cell.map(|(query, key)| Cell { query, key }),
                rows,
                ..View::default()
            }
        }
    }

    prop_compose! {
        fn views()(
            (model, folder, text, sentence, search, prefix) in
                (models(), any::<String>(), any::<String>(), any::<usize>(), search(), any::<Vec<u32>>()),
            (off, off_by, weights, importance) in (
                crate::state::off::tests::heads_off(), choice::<Ablation>(),
                crate::state::weights::tests::weight_lists(), any::<bool>(),
            ),
            (reweighed, importance_of, game, roles) in (
                proptest::option::of(crate::state::reweighed::tests::reweighed()),
                choice::<ImportanceOf>(), proptest::option::of(1u8..=100),
                crate::state::roles::tests::roles(),
            ),
            tab in choice::<Tab>(),
            head in proptest::option::of(heads().boxed()),
            closeup in proptest::option::of(closeups().boxed()),
            window in proptest::option::of(any::<[usize; 3]>()),
            (representation, normalised, step) in (choice::<Representation>(), any::<bool>(), any::<usize>()),
            (tool, evidence) in (choice::<Tool>(), crate::state::claims::tests::evidence().boxed()),
            positions in crate::state::positions::tests::positions(),
            (chapters, class) in (crate::state::chapters::tests::chapters().boxed(), crate::state::class::tests::class()),
            language in proptest::option::of(prop::sample::select(Locale::get_all())),
            (theme, large, device) in (choice::<Theme>(), any::<bool>(), choice::<DeviceChoice>()),
        ) -> View {
            let View { kind, layer, head, more_heads, cell, rows, .. } = head.unwrap_or_default();
            let window = window.map(|[row, column, cell]| Aim { row, column, cell });
            let folder = match model {
                Model::Mine(_) => folder,
                _ => String::new(),
            };
            View {
                model, folder, text, sentence, search, prefix, off, off_by, reweighed, weights, importance, importance_of, game, roles, tab, kind, layer, head, more_heads, cell, rows,
                closeup, window, representation, tool, evidence, normalised, step, positions, chapters, class, language, theme, large, device,
            }
        }
    }

    fn closeups() -> impl Strategy<Value = Closeup> {
        let at = any::<(u32, [u32; 2])>();
        prop_oneof![
            Just(Closeup::Head),
            Just(Closeup::Block),
            at.prop_map(|(zoom, centre)| Closeup::At { zoom, centre }),
        ]
    }

    fn models() -> impl Strategy<Value = Model> {
        let trained = crate::state::trained::tests::trained_id().prop_map(Model::Trained);
        let mine = proptest::option::of(crate::state::mine::tests::mine_id()).prop_map(Model::Mine);
        prop_oneof![choice::<Model>(), trained, mine]
    }

    /// Known names with values of every sort, and strings that mean nothing.
    fn fragments() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "((v|model|text|beam|alpha|prefix|off|weights|evidence|tool|tab|layer|with|cell|rows|map|window|step|lang|large|sizes-n|m|words|scale-row)=[a-z0-9.%+-]{0,12}&){0,8}",
        ]
    }

    proptest! {
        #[test]
        fn a_view_survives_the_address(view in views()) {
            prop_assert_eq!(View::from_fragment(&view.to_fragment()), view);
        }

        #[test]
        fn any_fragment_is_a_view(fragment in fragments()) {
            let view = View::from_fragment(&fragment);
            prop_assert_eq!(View::from_fragment(&view.to_fragment()), view);
        }
    }

    /// Views as the page spells them, on the heap: as they are, they fill a test's stack.
    fn spelled_views() -> BoxedStrategy<String> {
        views().prop_map(|view| view.to_fragment()).boxed()
    }

    /// Names whose values are of some kind, so that `!` is none.
    const OF_A_KIND: [&str; 65] = [
        "v",
        "model",
        "sentence",
        "beam",
        "alpha",
        "sampling",
        "prefix",
        "off",
        "off-by",
        "reweighed",
        "weights",
        "importance",
        "importance-of",
        "roles",
        "roles-of",
        "role",
        "game",
        "tab",
        "map",
        "window",
        "show",
        "tool",
        "evidence",
        "normalised",
        "step",
        "length",
        "order",
        "base",
        "seed",
        "draw",
        "stage",
        "pairs",
        "windows",
        "graded",
        "follow",
        "norm",
        "start-share",
        "hand-of",
        "hand-cells",
        "hand-unscaled",
        "heads-other",
        "mask",
        "search-table",
        "search-prefix",
        "search-all",
        "judged-n",
        "factored",
        "layers-n",
        "hops-off",
        "drawn",
        "lens-layer",
        "lens-head",
        "patch-stack",
        "patch-place",
        "patch-kept",
        "scale-row",
        "scores-by",
        "words",
        "way",
        "sizes-d",
        "sizes-tied",
        "train-task",
        "train-rate",
        "lang",
        "large",
    ];

    fn quoted(faults: &[AddressFault]) -> Vec<String> {
        faults.iter().map(AddressFault::quoted).collect()
    }

    /// Views in the addresses that the page made when it counted from 0.
    #[test]
    fn an_address_without_the_mark_counts_from_0() {
        let head = |kind: AttentionKind, layer, head| View {
            kind: Some(kind),
            layer,
            head,
            ..View::default()
        };
        let learn = |chapter: &str, change: fn(&mut View)| {
            let mut view = View {
                tab: Tab::Learn,
                ..View::default()
            };
            view.chapters.open(chapter);
            change(&mut view);
            view
        };
        let step = View {
            step: 2,
            representation: Representation::NextWord,
            ..View::default()
        };
        let cell = View {
            cell: Some(Cell { query: 3, key: 1 }),
            rows: vec![2, 3],
            more_heads: vec![HeadPlace { layer: 0, head: 2 }],
            ..head(AttentionKind::Cross, 1, 3)
        };
        let off = View {
            off: HeadsOff::from_address("encoder.0.2-cross.1.3"),
            weights: WeightList::from_address("cross.1.3.3.0.750"),
            reweighed: "permuted.7.cross.1".parse().ok(),
            ..View::default()
        };
        let old = [
            (
                "kind=cross&layer=2&head=3",
                head(AttentionKind::Cross, 2, 3),
            ),
            (
                "layer=0&head=0&kind=encoder",
                head(AttentionKind::EncoderSelf, 0, 0),
            ),
            ("show=next&step=2", step),
            ("layer=1&head=3&with=0.2&cell=3.1&rows=2.3", cell),
            (
                "off=encoder.0.2-cross.1.3&weights=cross.1.3.3.0.750&reweighed=permuted.7.cross.1",
                off,
            ),
            (
                "tab=learn&chapter=start&stage=4",
                learn("start", |view| view.chapters.stage = 4),
            ),
            (
                "tab=learn&chapter=hand&hand-query=2&hand-cells=x.1.1.250",
                learn("hand", |view| {
                    let cell = HandCell {
                        matrix: HandMatrix::Words,
                        row: 1,
                        column: 1,
                    };
                    view.chapters.hand.query = Some(2);
                    view.chapters.hand.set(cell, 250);
                }),
            ),
            (
                "tab=learn&chapter=lens&lens-layer=1&lens-position=2&lens-head=cross.2.0",
                learn("lens", |view| {
                    view.chapters.lens.layer = Some(1);
                    view.chapters.lens.position = Some(2);
                    view.chapters.lens.head = "cross.2.0".parse().ok();
                }),
            ),
            (
                "tab=learn&chapter=image&picture=14&image-cell=0",
                learn("image", |view| {
                    view.chapters.image.sample = 14;
                    view.chapters.image.cell = 0;
                }),
            ),
            (
                "tab=learn&chapter=scale&route=ninety&stop=5&figure=1",
                learn("scale", |view| {
                    "ninety".clone_into(&mut view.class.route);
                    (view.class.stop, view.class.figure) = (5, 1);
                }),
            ),
        ];
        for (address, view) in old {
            assert_eq!(View::from_fragment(address), view, "{address}");
            let new = view.to_fragment();
            assert!(new.starts_with("v=2&"), "{new}");
            assert_eq!(View::from_fragment(&new), view, "{new}");
        }
    }

    #[test]
    fn an_address_counts_from_1_as_the_page_does() {
        let view = View::from_fragment("v=2&kind=cross&layer=3&head=4&cell=1.2&step=2");
        assert_eq!((view.layer, view.head, view.step), (2, 3, 1));
        assert_eq!(view.cell, Some(Cell { query: 0, key: 1 }));
        let (view, faults) = View::from_address("v=2&layer=0&head=2&with=1.0.2.3&off=cross.0.1");
        assert_eq!(quoted(&faults), ["layer=0", "with=1.0", "off=cross.0.1"]);
        assert_eq!((view.head, view.more_heads.len()), (1, 1));
        // Of what has no number, an address needs no mark.
        let plain = View::from_fragment("tab=learn&chapter=lens").to_fragment();
        assert_eq!(plain, "tab=learn&chapter=lens");
    }

    proptest! {
        #[test]
        fn an_address_means_the_same_with_and_without_the_mark(fragment in fragments()) {
            let reader = Reader::new(&fragment);
            prop_assume!(reader.get(MARK).is_none());
            let mut counted = Serializer::new(String::new());
            counted.append_pair(MARK, FROM_ONE);
            for (name, value) in form_urlencoded::parse(fragment.trim_start_matches('#').as_bytes()) {
                let value = match Counted::of(&name) {
                    Some(counted) => counted.one_based(&value),
                    None => value.into_owned(),
                };
                counted.append_pair(&name, &value);
            }
            prop_assert_eq!(View::from_fragment(&counted.finish()), View::from_fragment(&fragment));
        }

        #[test]
        fn what_the_page_spells_is_understood(fragment in spelled_views()) {
            let (_, faults) = View::from_address(&fragment);
            prop_assert_eq!(quoted(&faults), Vec::<String>::new());
        }

        #[test]
        fn every_entry_that_means_nothing_is_listed_and_no_other_is_lost(
            fragment in spelled_views(),
            bad in prop::collection::vec(prop::sample::select(&OF_A_KIND[..]), 0..6),
            strange in proptest::option::of("zz-[a-z]{1,8}"),
        ) {
            let view = View::from_fragment(&fragment);
            let names = Reader::new(&fragment);
            let mut bad: Vec<&str> = bad.into_iter().filter(|name| names.get(name).is_none()).collect();
            bad.sort_unstable();
            bad.dedup();
            let bad = bad.into_iter().map(|name| format!("{name}=!"));
            let added: Vec<String> = bad.chain(strange.map(|name| format!("{name}=1"))).collect();
            let (read, faults) = View::from_address(&format!("{}&{fragment}", added.join("&")));
            prop_assert_eq!(quoted(&faults), added);
            prop_assert_eq!(read, view);
        }

        #[test]
        fn any_fragment_says_what_of_it_is_not_understood(fragment in fragments()) {
            let (view, faults) = View::from_address(&fragment);
            prop_assert!(quoted(&faults).iter().all(|entry| !entry.contains('\n')));
            prop_assert_eq!(View::from_fragment(&fragment), view);
        }
    }

    #[test]
    fn what_is_not_understood_is_told_by_name_and_value() {
        let address =
            "model=gpt2&layer=-1&tab=nope&off=cross.0.1-x-cross.0.2&foo=bar&step=2&step=3&lang=tlh";
        let (view, faults) = View::from_address(address);
        let expected = [
            "model=gpt2",
            "layer=-1",
            "tab=nope",
            "off=x",
            "foo=bar",
            "step=3",
            "lang=tlh",
        ];
        assert_eq!(quoted(&faults), expected);
        assert_eq!((view.off.len(), view.step), (2, 2));
        assert_eq!(faults[4].kind, FaultKind::UnknownName);
        assert_eq!(faults[0].kind, FaultKind::UnknownValue);
    }

    #[test]
    fn an_address_that_is_too_long_is_told_by_its_beginning() {
        let address = format!("text={}", "a".repeat(LONGEST_FRAGMENT));
        let (view, faults) = View::from_address(&address);
        assert_eq!(view, View::default());
        assert_eq!(
            faults[0].kind,
            FaultKind::TooLong {
                bytes: address.len()
            }
        );
        assert!(faults[0].quoted().starts_with("text=aaa"));
    }

    #[test]
    fn the_last_of_several_is_spelled_by_a_word() {
        let mut view = View::default();
        view.chapters.stage = usize::MAX;
        assert_eq!(view.to_fragment(), "v=2&chapter=start&stage=last");
        assert_eq!(View::from_fragment("chapter=start&stage=last"), view);
    }

    #[test]
    fn a_penalty_that_means_nothing_leaves_the_beam() {
        let beam = |width, length_penalty| Search::Beam {
            width,
            length_penalty,
        };
        let search = |address: &str| View::from_fragment(address).search;
        assert_eq!(search("beam=4&alpha=9"), beam(4, LENGTH_PENALTY));
        assert_eq!(search("beam=4&alpha=1"), beam(4, 1.0));
        assert_eq!(search("beam=99&alpha=1"), Search::Greedy);
    }

    #[test]
    fn defaults_are_left_out() {
        assert_eq!(View::default().to_fragment(), "");
        let sentences = View::from_fragment("model=sentences");
        assert_eq!(sentences.text, Model::Sentences.first_text());
        assert_eq!(sentences.to_fragment(), "model=sentences");
    }

    #[test]
    fn several_heads_and_rows_are_lists() {
        let view = View::from_fragment("with=0.2.2.7.1&rows=1.2.4");
        let place = |layer, head| HeadPlace { layer, head };
        assert_eq!(view.more_heads, [place(0, 2), place(2, 7)]);
        assert_eq!(view.rows, [1, 2, 4]);
        assert_eq!(
            view.to_fragment(),
            "v=2&layer=2&head=4&with=1.3.3.8&rows=2.3.5"
        );
    }

    #[test]
    fn addresses_made_when_the_first_head_was_another_keep_their_head() {
        let head = |fragment| {
            let view = View::from_fragment(fragment);
            [view.layer, view.head]
        };
        assert_eq!(head("layer=0"), [0, 3]);
        assert_eq!(head("head=5"), [1, 5]);
        for fragment in ["cell=1.2", "rows=1.2", "with=0.2", "kind=cross"] {
            assert_eq!(head(fragment), [1, 3], "{fragment}");
        }
        // Nothing of theirs was a head's.
        let View {
            layer, head: first, ..
        } = View::default();
        assert_eq!(head("tab=decoding&step=2"), [layer, first]);
    }

    #[test]
    fn junk_is_ignored_field_by_field() {
        let view = View::from_fragment(
            "#tab=nope&layer=-1&head=2&with=1.x&cell=1.x&rows=2.&large=yes&beam=999&prefix=3.4.&theme=dark&x=y&%ff&normalised=7",
        );
        let expected = View {
            // A head is named.
            kind: Some(AttentionKind::Cross),
            layer: 1,
            head: 2,
            theme: Theme::Dark,
            ..View::default()
        };
        assert_eq!(view, expected);
    }

    #[test]
    fn an_address_that_names_a_head_without_its_kind_means_cross_attention() {
        for fragment in [
            "tab=learn&layer=0",
            "tab=learn&head=5",
            "tab=learn&with=0.2",
            "tab=learn&rows=1.2",
            "tab=learn&cell=1.2&stage=4",
        ] {
            let view = View::from_fragment(fragment);
            assert_eq!(view.kind(), AttentionKind::Cross, "{fragment}");
            assert!(!view.to_fragment().contains("kind="), "{fragment}");
        }
        let chosen = View::from_fragment("tab=learn&kind=cross");
        // With its head, the kind needs not be named.
        assert_eq!(chosen.to_fragment(), "v=2&tab=learn&layer=2&head=4");
        let view = View::from_fragment("tab=learn&stage=2");
        assert_eq!(view.kind(), AttentionKind::EncoderSelf);
    }

    #[test]
    fn an_address_of_the_positions_tab_opens_the_chapter_at_what_its_model_does() {
        use attention_trace::positions::PositionalEncoding::{Alibi, Rope, Sinusoidal};
        for (model, way) in [
            ("translator", Sinusoidal),
            ("sentences", Rope),
            ("positions-alibi", Alibi),
            ("recall-alibi", Alibi),
        ] {
            let view = View::from_fragment(&format!("tab=positions&model={model}&seed=3"));
            assert_eq!(
                (view.tab, view.chapters.open.as_str()),
                (Tab::Learn, "positions")
            );
            assert_eq!(view.chapters.encodings.encoding, way);
            assert_eq!(view.positions.seed, 3);
        }
    }

    #[test]
    fn an_address_of_the_two_tabs_of_which_one_was_made_opens_what_it_showed() {
        let decoding = View::from_fragment("tab=decoding&show=lines&step=2");
        assert_eq!(
            (decoding.tab, decoding.representation),
            (Tab::Explore, Representation::NextWord)
        );
        assert_eq!(decoding.to_fragment(), "v=2&show=next&step=3");
        let heads = View::from_fragment("tab=heads&show=lines");
        assert_eq!(heads.to_fragment(), "show=lines");
    }

    #[test]
    fn heads_that_are_off_are_readable_in_the_address() {
        let view = View::from_fragment("off=cross.1.3,encoder.0.2");
        assert_eq!(view.to_fragment(), "v=2&off=encoder.1.3-cross.2.4");
    }

    #[test]
    fn an_empty_text_is_not_the_default_text() {
        assert_eq!(View::from_fragment("text=").text, "");
        assert_eq!(View::from_fragment("").text, Model::Translator.first_text());
    }
}
