//! A [`View`] as the fragment of an address, which browsers keep to themselves: no server sees it.

use std::str::FromStr;

use attention_figures::map_window::Aim;
use attention_trace::{AttentionKind, Search};
use form_urlencoded::Serializer;
use leptos_i18n::Locale as _;

use super::{
    chapters::Chapters,
    class::Class,
    off::HeadsOff,
    positions::Positions,
    roles::RolesShown,
    sampling::SamplingChoice,
    values::AddressValue,
    view::{Cell, Closeup, HeadPlace, View},
    weights::WeightList,
};

/// The kind of a head or a cell that an address names without its kind.
const OF_NAMED_HEAD: AttentionKind = AttentionKind::Cross;
/// A tab that there was once; its figures are in the chapter on positions.
const POSITIONS_TAB: &str = "positions";
/// Largest beam width the page offers.
pub const MAX_BEAM_WIDTH: usize = 8;
/// Largest exponent of the length penalty the page offers.
pub const MAX_LENGTH_PENALTY: f32 = 2.0;
/// The length penalty's exponent where an address names a beam alone.
pub const LENGTH_PENALTY: f32 = 0.75;

impl View {
    /// The view as a fragment, without `#`, in the form of a query; fields at their default are left out.
    pub fn to_fragment(&self) -> String {
        let standard = View::standard(self.model);
        let mut fragment = Writer(Serializer::new(String::new()));
        fragment.number("model", self.model, View::default().model);
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
        fragment.number("layer", self.layer, standard.layer);
        fragment.number("head", self.head, standard.head);
        fragment.list("with", &flat(&self.more_heads));
        if let Some(Cell { query: row, key }) = self.cell {
            fragment.list("cell", &[row, key]);
        }
        fragment.list("rows", &self.rows);
        if let Some(Closeup { zoom, centre }) = self.closeup {
            fragment.list("map", &[zoom, centre[0], centre[1]]);
        }
        if let Some(Aim { row, column, cell }) = self.window {
            fragment.list("window", &[row, column, cell]);
        }
        fragment.choice("show", self.representation, standard.representation);
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
        fragment.0.finish()
    }

    /// The view that a fragment (with or without `#`) spells. Whatever cannot be understood is at
    /// its default.
    pub fn from_fragment(fragment: &str) -> View {
        let reader = Reader::new(fragment);
        let mut view = View::read(&reader);
        if reader.get("tab") == Some(POSITIONS_TAB) {
            let way = view.model.way_to_know_positions();
            view.open_positions(way);
        }
        view
    }

    fn read(reader: &Reader) -> View {
        let standard = View::standard(reader.number("model").unwrap_or(View::default().model));
        View {
            text: reader.get("text").unwrap_or(&standard.text).to_owned(),
            sentence: reader.number("sentence").unwrap_or(standard.sentence),
            search: reader.search().unwrap_or(standard.search),
            prefix: reader.list("prefix").unwrap_or_default(),
            off: reader
                .get("off")
                .map(HeadsOff::from_address)
                .unwrap_or_default(),
            off_by: reader.choice("off-by").unwrap_or(standard.off_by),
            reweighed: reader.number("reweighed"),
            weights: reader
                .get("weights")
                .map(WeightList::from_address)
                .unwrap_or_default(),
            importance: reader.number("importance") == Some(1u8),
            importance_of: reader
                .choice("importance-of")
                .unwrap_or(standard.importance_of),
            roles: RolesShown::read(reader),
            game: reader.within("game", (1, 100)),
            tab: reader.choice("tab").unwrap_or(standard.tab),
            kind: reader.kind(),
            layer: reader.number("layer").unwrap_or(standard.layer),
            head: reader.number("head").unwrap_or(standard.head),
            more_heads: places(&reader.list("with").unwrap_or_default()),
            cell: reader.cell(),
            rows: reader.list("rows").unwrap_or_default(),
            closeup: reader.closeup(),
            window: reader.window(),
            representation: reader.choice("show").unwrap_or(standard.representation),
            normalised: reader.number("normalised") == Some(1u8),
            step: reader.number("step").unwrap_or(standard.step),
            positions: Positions::read(reader),
            chapters: Chapters::read(reader),
            class: Class::read(reader),
            language: reader.get("lang").and_then(|name| name.parse().ok()),
            theme: reader.choice("theme").unwrap_or(standard.theme),
            large: reader.number("large") == Some(1u8),
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

/// Layer and head of each, one after the other.
pub(super) fn flat(heads: &[HeadPlace]) -> Vec<usize> {
    let pairs = heads.iter().map(|place| [place.layer, place.head]);
    pairs.flatten().collect()
}

/// The inverse of [`flat`]; a layer without a head is left out.
pub(super) fn places(numbers: &[usize]) -> Vec<HeadPlace> {
    let pairs = numbers.chunks_exact(2);
    pairs
        .map(|pair| HeadPlace {
            layer: pair[0],
            head: pair[1],
        })
        .collect()
}

/// A fragment being written; values at their default are left out.
pub(super) struct Writer(pub(super) Serializer<'static, String>);

impl Writer {
    pub fn text(&mut self, name: &str, value: &str, standard: &str) {
        if value != standard {
            self.0.append_pair(name, value);
        }
    }

    /// A text that is written though it be empty, if it is there.
    pub fn optional_text(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.0.append_pair(name, value);
        }
    }

    pub fn choice<T: AddressValue>(&mut self, name: &str, value: T, standard: T) {
        self.text(name, value.address_value(), standard.address_value());
    }

    pub fn number<T: ToString>(&mut self, name: &str, value: T, standard: T) {
        self.text(name, &value.to_string(), &standard.to_string());
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
            self.0.append_pair("beam", &width.to_string());
            self.number("alpha", length_penalty, LENGTH_PENALTY);
        }
        if let Some(sampling) = SamplingChoice::of(search) {
            self.list("sampling", &sampling.numbers());
        }
    }
}

/// A fragment being read.
pub(super) struct Reader(Vec<(String, String)>);

impl Reader {
    pub fn new(fragment: &str) -> Self {
        let fragment = fragment.strip_prefix('#').unwrap_or(fragment);
        Reader(
            form_urlencoded::parse(fragment.as_bytes())
                .into_owned()
                .collect(),
        )
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
        Some(value)
    }

    pub fn choice<T: AddressValue>(&self, name: &str) -> Option<T> {
        T::from_address_value(self.get(name)?)
    }

    pub fn number<T: FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }

    pub fn list<T: FromStr>(&self, name: &str) -> Option<Vec<T>> {
        self.get(name)?
            .split('.')
            .map(|part| part.parse().ok())
            .collect()
    }

    /// A number, if it is within bounds.
    pub fn within<T>(&self, name: &str, (low, high): (T, T)) -> Option<T>
    where
        T: FromStr + PartialOrd,
    {
        let number = self.number(name)?;
        (low..=high).contains(&number).then_some(number)
    }

    /// Exactly `N` numbers, if all are within bounds.
    pub fn array<T, const N: usize>(&self, name: &str, (low, high): (T, T)) -> Option<[T; N]>
    where
        T: FromStr + PartialOrd,
    {
        let numbers: [T; N] = self.list(name)?.try_into().ok()?;
        let bounds = low..=high;
        let inside = numbers.iter().all(|number| bounds.contains(number));
        inside.then_some(numbers)
    }

    /// The kind of the chosen head, if one was chosen.
    fn kind(&self) -> Option<AttentionKind> {
        let names_head = ["kind", "layer", "head", "with", "cell", "rows"]
            .into_iter()
            .any(|name| self.get(name).is_some());
        names_head.then(|| self.choice("kind").unwrap_or(OF_NAMED_HEAD))
    }

    fn cell(&self) -> Option<Cell> {
        let &[query, key] = self.list("cell")?.as_slice() else {
            return None;
        };
        Some(Cell { query, key })
    }

    fn closeup(&self) -> Option<Closeup> {
        let &[zoom, x, y] = self.list("map")?.as_slice() else {
            return None;
        };
        Some(Closeup {
            zoom,
            centre: [x, y],
        })
    }

    fn window(&self) -> Option<Aim> {
        let &[row, column, cell] = self.list("window")?.as_slice() else {
            return None;
        };
        Some(Aim { row, column, cell })
    }

    fn search(&self) -> Option<Search> {
        let sampling: Option<Vec<u32>> = self.list("sampling");
        if let Some(sampling) = SamplingChoice::from_numbers(&sampling.unwrap_or_default()) {
            return Some(sampling.search());
        }
        let width = self.number("beam")?;
        let length_penalty = self.number("alpha").unwrap_or(LENGTH_PENALTY);
        let sensible = (2..=MAX_BEAM_WIDTH).contains(&width)
            && (0.0..=MAX_LENGTH_PENALTY).contains(&length_penalty);
        sensible.then_some(Search::Beam {
            width,
            length_penalty,
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
    use crate::state::{Ablation, DeviceChoice, ImportanceOf, Model, Representation, Tab, Theme};

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
            (model, text, sentence, search, prefix) in
                (models(), any::<String>(), any::<usize>(), search(), any::<Vec<u32>>()),
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
            head in proptest::option::of(heads()),
            closeup in proptest::option::of(any::<(u32, [u32; 2])>()),
            window in proptest::option::of(any::<[usize; 3]>()),
            (representation, normalised, step) in (choice::<Representation>(), any::<bool>(), any::<usize>()),
            positions in crate::state::positions::tests::positions(),
            (chapters, class) in (crate::state::chapters::tests::chapters(), crate::state::class::tests::class()),
            language in proptest::option::of(prop::sample::select(Locale::get_all())),
            (theme, large, device) in (choice::<Theme>(), any::<bool>(), choice::<DeviceChoice>()),
        ) -> View {
            let View { kind, layer, head, more_heads, cell, rows, .. } = head.unwrap_or_default();
            let closeup = closeup.map(|(zoom, centre)| Closeup { zoom, centre });
            let window = window.map(|[row, column, cell]| Aim { row, column, cell });
            View {
                model, text, sentence, search, prefix, off, off_by, reweighed, weights, importance, importance_of, game, roles, tab, kind, layer, head, more_heads, cell, rows,
                closeup, window, representation, normalised, step, positions, chapters, class, language, theme, large, device,
            }
        }
    }

    fn models() -> impl Strategy<Value = Model> {
        let trained = crate::state::trained::tests::trained_id().prop_map(Model::Trained);
        prop_oneof![choice::<Model>(), trained]
    }

    /// Known names with values of every sort, and strings that mean nothing.
    fn fragments() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "((model|text|beam|alpha|prefix|off|weights|tab|layer|with|cell|rows|map|window|step|lang|large|sizes-n|m|words|scale-row)=[a-z0-9.%+-]{0,12}&){0,8}",
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
        assert_eq!(view.to_fragment(), "with=0.2.2.7&rows=1.2.4");
    }

    #[test]
    fn junk_is_ignored_field_by_field() {
        let view = View::from_fragment(
            "#tab=nope&layer=-1&head=2&with=1.x&cell=1.x&rows=2.&large=yes&beam=999&prefix=3.4.&theme=dark&x=y&%ff&normalised=7",
        );
        let expected = View {
            // A head is named.
            kind: Some(AttentionKind::Cross),
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
        assert_eq!(chosen.to_fragment(), "tab=learn&kind=cross");
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
    fn heads_that_are_off_are_readable_in_the_address() {
        let view = View::from_fragment("off=cross.1.3,encoder.0.2");
        assert_eq!(view.to_fragment(), "off=encoder.0.2-cross.1.3");
    }

    #[test]
    fn an_empty_text_is_not_the_default_text() {
        assert_eq!(View::from_fragment("text=").text, "");
        assert_eq!(View::from_fragment("").text, Model::Translator.first_text());
    }
}
