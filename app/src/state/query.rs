//! A [`View`] as the query part of an address.

use std::str::FromStr;

use attention_trace::Search;
use form_urlencoded::Serializer;

use super::{
    chapters::Chapters,
    positions::Positions,
    view::{Cell, View},
    words::Word,
};

/// Largest beam width the page offers.
pub const MAX_BEAM_WIDTH: usize = 8;
/// Largest exponent of the length penalty the page offers.
pub const MAX_LENGTH_PENALTY: f32 = 2.0;
/// The length penalty's exponent where an address names a beam alone.
pub const LENGTH_PENALTY: f32 = 0.75;

impl View {
    /// The view as a query, without `?`; fields at their default are left out.
    pub fn to_query(&self) -> String {
        let standard = View::standard(self.model);
        let mut query = Writer(Serializer::new(String::new()));
        query.word("model", self.model, View::default().model);
        query.text("text", &self.text, &standard.text);
        query.search(self.search);
        query.list("prefix", &self.prefix);
        query.word("tab", self.tab, standard.tab);
        query.word("kind", self.kind, standard.kind);
        query.number("layer", self.layer, standard.layer);
        query.number("head", self.head, standard.head);
        if let Some(Cell { query: row, key }) = self.cell {
            query.list("cell", &[row, key]);
        }
        query.word("show", self.representation, standard.representation);
        query.number("normalised", u8::from(self.normalised), 0);
        query.number("step", self.step, standard.step);
        self.positions.write(&mut query);
        self.chapters.write(&mut query);
        if let Some(language) = self.language {
            query.text("lang", language.word(), "");
        }
        query.word("theme", self.theme, standard.theme);
        query.word("device", self.device, standard.device);
        query.0.finish()
    }

    /// The view that a query (with or without `?`) spells. Whatever cannot be understood is at
    /// its default.
    pub fn from_query(query: &str) -> View {
        let reader = Reader::new(query);
        let standard = View::standard(reader.word("model").unwrap_or(View::default().model));
        View {
            text: reader.get("text").unwrap_or(&standard.text).to_owned(),
            search: reader.search().unwrap_or(standard.search),
            prefix: reader.list("prefix").unwrap_or_default(),
            tab: reader.word("tab").unwrap_or(standard.tab),
            kind: reader.word("kind").unwrap_or(standard.kind),
            layer: reader.number("layer").unwrap_or(standard.layer),
            head: reader.number("head").unwrap_or(standard.head),
            cell: reader.cell(),
            representation: reader.word("show").unwrap_or(standard.representation),
            normalised: reader.number("normalised") == Some(1u8),
            step: reader.number("step").unwrap_or(standard.step),
            positions: Positions::read(&reader),
            chapters: Chapters::read(&reader),
            language: reader.word("lang"),
            theme: reader.word("theme").unwrap_or(standard.theme),
            device: reader.word("device").unwrap_or(standard.device),
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

/// A query being written; values at their default are left out.
pub(super) struct Writer(Serializer<'static, String>);

impl Writer {
    fn text(&mut self, name: &str, value: &str, standard: &str) {
        if value != standard {
            self.0.append_pair(name, value);
        }
    }

    pub fn word<T: Word>(&mut self, name: &str, value: T, standard: T) {
        self.text(name, value.word(), standard.word());
    }

    pub fn number<T: ToString>(&mut self, name: &str, value: T, standard: T) {
        self.text(name, &value.to_string(), &standard.to_string());
    }

    fn list<T: ToString>(&mut self, name: &str, values: &[T]) {
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

/// A query being read.
pub(super) struct Reader(Vec<(String, String)>);

impl Reader {
    pub fn new(query: &str) -> Self {
        let query = query.strip_prefix('?').unwrap_or(query);
        Reader(
            form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
        )
    }

    fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(known, _)| known == name)?;
        Some(value)
    }

    pub fn word<T: Word>(&self, name: &str) -> Option<T> {
        T::from_word(self.get(name)?)
    }

    pub fn number<T: FromStr>(&self, name: &str) -> Option<T> {
        self.get(name)?.parse().ok()
    }

    fn list<T: FromStr>(&self, name: &str) -> Option<Vec<T>> {
        self.get(name)?
            .split('.')
            .map(|part| part.parse().ok())
            .collect()
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
    use crate::state::{DeviceChoice, Language, Model, Representation, Tab, Theme};

    fn choice<T: Word + std::fmt::Debug>() -> impl Strategy<Value = T> {
        (0..T::WORDS.len()).prop_map(|index| T::WORDS[index].0)
    }

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
            (model, text, search, prefix) in (choice::<Model>(), any::<String>(), search(), any::<Vec<u32>>()),
            (tab, kind, layer, head) in (choice::<Tab>(), choice(), any::<usize>(), any::<usize>()),
            cell in proptest::option::of(any::<(usize, usize)>()),
            (representation, normalised, step) in (choice::<Representation>(), any::<bool>(), any::<usize>()),
            positions in crate::state::positions::tests::positions(),
            chapters in crate::state::chapters::tests::chapters(),
            language in proptest::option::of(choice::<Language>()),
            (theme, device) in (choice::<Theme>(), choice::<DeviceChoice>()),
        ) -> View {
            let cell = cell.map(|(query, key)| Cell { query, key });
            View {
                model, text, search, prefix, tab, kind, layer, head, cell, representation,
                normalised, step, positions, chapters, language, theme, device,
            }
        }
    }

    proptest! {
        #[test]
        fn a_view_survives_the_address(view in views()) {
            prop_assert_eq!(View::from_query(&view.to_query()), view);
        }

        #[test]
        fn any_query_is_a_view(query in any::<String>()) {
            let view = View::from_query(&query);
            prop_assert_eq!(View::from_query(&view.to_query()), view);
        }
    }

    #[test]
    fn defaults_are_left_out() {
        assert_eq!(View::default().to_query(), "");
        let sentences = View::from_query("model=sentences");
        assert_eq!(sentences.text, Model::Sentences.first_text());
        assert_eq!(sentences.to_query(), "model=sentences");
    }

    #[test]
    fn junk_is_ignored_field_by_field() {
        let view = View::from_query(
            "?tab=nope&layer=-1&head=2&cell=1.x&beam=999&prefix=3.4.&theme=dark&x=y&%ff&normalised=7",
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
        assert_eq!(View::from_query("text=").text, "");
        assert_eq!(View::from_query("").text, Model::Translator.first_text());
    }
}
