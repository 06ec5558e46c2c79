//! A [`View`] as the fragment of an address, which browsers keep to themselves: no server sees it.

use std::str::FromStr;

use attention_trace::Search;
use form_urlencoded::Serializer;
use leptos_i18n::Locale as _;

use super::{
    chapters::Chapters,
    positions::Positions,
    values::AddressValue,
    view::{Cell, View},
};

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
        fragment.choice("model", self.model, View::default().model);
        fragment.text("text", &self.text, &standard.text);
        fragment.number("sentence", self.sentence, standard.sentence);
        fragment.search(self.search);
        fragment.list("prefix", &self.prefix);
        fragment.choice("tab", self.tab, standard.tab);
        fragment.choice("kind", self.kind, standard.kind);
        fragment.number("layer", self.layer, standard.layer);
        fragment.number("head", self.head, standard.head);
        if let Some(Cell { query: row, key }) = self.cell {
            fragment.list("cell", &[row, key]);
        }
        fragment.choice("show", self.representation, standard.representation);
        fragment.number("normalised", u8::from(self.normalised), 0);
        fragment.number("step", self.step, standard.step);
        self.positions.write(&mut fragment);
        self.chapters.write(&mut fragment);
        if let Some(language) = self.language {
            fragment.text("lang", language.as_str(), "");
        }
        fragment.choice("theme", self.theme, standard.theme);
        fragment.choice("device", self.device, standard.device);
        fragment.0.finish()
    }

    /// The view that a fragment (with or without `#`) spells. Whatever cannot be understood is at
    /// its default.
    pub fn from_fragment(fragment: &str) -> View {
        let reader = Reader::new(fragment);
        let standard = View::standard(reader.choice("model").unwrap_or(View::default().model));
        View {
            text: reader.get("text").unwrap_or(&standard.text).to_owned(),
            sentence: reader.number("sentence").unwrap_or(standard.sentence),
            search: reader.search().unwrap_or(standard.search),
            prefix: reader.list("prefix").unwrap_or_default(),
            tab: reader.choice("tab").unwrap_or(standard.tab),
            kind: reader.choice("kind").unwrap_or(standard.kind),
            layer: reader.number("layer").unwrap_or(standard.layer),
            head: reader.number("head").unwrap_or(standard.head),
            cell: reader.cell(),
            representation: reader.choice("show").unwrap_or(standard.representation),
            normalised: reader.number("normalised") == Some(1u8),
            step: reader.number("step").unwrap_or(standard.step),
            positions: Positions::read(&reader),
            chapters: Chapters::read(&reader),
            language: reader.get("lang").and_then(|name| name.parse().ok()),
            theme: reader.choice("theme").unwrap_or(standard.theme),
            device: reader.choice("device").unwrap_or(standard.device),
            model: standard.model,
        }
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

/// A fragment being written; values at their default are left out.
pub(super) struct Writer(Serializer<'static, String>);

impl Writer {
    pub fn text(&mut self, name: &str, value: &str, standard: &str) {
        if value != standard {
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

    fn cell(&self) -> Option<Cell> {
        let &[query, key] = self.list("cell")?.as_slice() else {
            return None;
        };
        Some(Cell { query, key })
    }

    fn search(&self) -> Option<Search> {
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
    use crate::state::{DeviceChoice, Model, Representation, Tab, Theme};

    fn search() -> impl Strategy<Value = Search> {
        prop_oneof![
            Just(Search::Greedy),
            (2..=MAX_BEAM_WIDTH, 0.0..=MAX_LENGTH_PENALTY).prop_map(|(width, length_penalty)| {
                Search::Beam {
                    width,
                    length_penalty,
                }
            }),
        ]
    }

    prop_compose! {
        fn views()(
            (model, text, sentence, search, prefix) in
                (choice::<Model>(), any::<String>(), any::<usize>(), search(), any::<Vec<u32>>()),
            (tab, kind, layer, head) in (choice::<Tab>(), choice(), any::<usize>(), any::<usize>()),
            cell in proptest::option::of(any::<(usize, usize)>()),
            (representation, normalised, step) in (choice::<Representation>(), any::<bool>(), any::<usize>()),
            positions in crate::state::positions::tests::positions(),
            chapters in crate::state::chapters::tests::chapters(),
            language in proptest::option::of(prop::sample::select(Locale::get_all())),
            (theme, device) in (choice::<Theme>(), choice::<DeviceChoice>()),
        ) -> View {
            let cell = cell.map(|(query, key)| Cell { query, key });
            View {
                model, text, sentence, search, prefix, tab, kind, layer, head, cell, representation,
                normalised, step, positions, chapters, language, theme, device,
            }
        }
    }

    /// Known names with values of every sort, and strings that mean nothing.
    fn fragments() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "((model|text|beam|alpha|prefix|tab|layer|cell|step|lang|sizes-n|m|words|scale-row)=[a-z0-9.%+-]{0,12}&){0,8}",
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
    fn junk_is_ignored_field_by_field() {
        let view = View::from_fragment(
            "#tab=nope&layer=-1&head=2&cell=1.x&beam=999&prefix=3.4.&theme=dark&x=y&%ff&normalised=7",
        );
        let expected = View {
            head: 2,
            theme: Theme::Dark,
            ..View::default()
        };
        assert_eq!(view, expected);
    }

    #[test]
    fn an_empty_text_is_not_the_default_text() {
        assert_eq!(View::from_fragment("text=").text, "");
        assert_eq!(View::from_fragment("").text, Model::Translator.first_text());
    }
}
