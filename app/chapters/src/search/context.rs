//! The table that the chapter searches in, and the notation of its sequences.

use crate::search::parameters::SearchLab;
use attention_protocol::OrLogged;
use attention_trace::search::{
    BeamTree, Cost, Ending, Exhaustive, Path, TableFault, TableModel, exhaustive, greedy,
};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use attention_core::{
    i18n::{Locale, t_string},
    state::ViewState,
    widgets::numbers::share_of_one,
};

/// The names of the table's tokens, the same in every language.
pub const NAMES: [&str; 4] = ["A", "B", "C", "eos"];

/// The context of the chapter: the table and the searches in it.
#[derive(Clone, Copy)]
pub struct SearchContext {
    /// The state of the chapter's figures.
    pub lab: Memo<SearchLab>,
    /// The table; while the one that was typed is no model, the last that was.
    pub model: Memo<TableModel>,
    /// The fault in the table that was typed.
    pub fault: Memo<Option<TableFault>>,
    pub greedy: Memo<BeamTree>,
    /// All sequences with as many tokens as there are steps.
    pub all: Memo<Option<Exhaustive>>,
    /// All sequences up to their end.
    pub ended: Memo<Option<Exhaustive>>,
}

impl SearchContext {
    /// Makes the context and provides it to the components below.
    pub fn provide() {
        let state = ViewState::expect();
        let lab = state.select(|view| view.chapters.of::<SearchLab>().clone());
        let table = Memo::new(move |_| lab.with(SearchLab::model));
        let model = Memo::new(move |last: Option<&TableModel>| match table.get() {
            Ok(model) => model,
            Err(_) => last.cloned().unwrap_or_default(),
        });
        let all = move |ending| {
            Memo::new(move |_| {
                model.with(|model| exhaustive(model, ending).or_logged("finding all sequences"))
            })
        };
        provide_context(SearchContext {
            lab,
            model,
            fault: Memo::new(move |_| table.get().err()),
            greedy: Memo::new(move |_| model.with(|model| greedy(model, &[]))),
            all: all(Ending::AllSteps),
            ended: all(Ending::End),
        });
    }

    /// The context that the chapter provided.
    ///
    /// # Panics
    /// Outside the chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns the path that greedy search finds.
    pub fn greedy_path(self) -> Path {
        self.greedy
            .with(|tree| tree.results.first().map(|&best| tree.path(best)))
            .unwrap_or_default()
    }

    /// Returns the most probable of all sequences with as many tokens as there are steps.
    pub fn best_path(self) -> Option<Path> {
        self.all.with(|all| all.as_ref()?.found.first().cloned())
    }
}

/// A sequence as it is written: `A C B eos`.
pub fn written(tokens: &[usize]) -> String {
    let names = tokens.iter().filter_map(|&token| NAMES.get(token));
    names.copied().collect::<Vec<_>>().join(" ")
}

/// Writes a probability as a product: `0.5 × 0.3 × 0.6 × 0.6`.
pub fn product(path: &Path) -> String {
    let factors = path.probabilities.iter().map(|&p| short(p));
    factors.collect::<Vec<_>>().join(" × ")
}

/// A number of the table, without zeros at its end.
pub fn short(value: f64) -> String {
    let hundredths = (value * 100.0).round() / 100.0;
    hundredths.to_string()
}

/// Formats a probability with four decimals, or with three if the fourth is zero.
pub fn probability(value: f64) -> String {
    let text = share_of_one(value as f32, 4);
    match text.strip_suffix('0') {
        Some(shorter) => shorter.to_owned(),
        None => text,
    }
}

pub fn cost_in_words(i18n: I18nContext<Locale>, cost: Cost) -> String {
    t_string!(
        i18n,
        search.looked_at,
        rows = cost.rows,
        probabilities = cost.probabilities
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequence_and_its_product_are_written_as_in_the_lecture() {
        let path = Path {
            tokens: vec![0, 2, 1, 3],
            probabilities: vec![0.5, 0.3, 0.6, 0.6],
        };
        assert_eq!(written(&path.tokens), "A C B eos");
        assert_eq!(product(&path), "0.5 × 0.3 × 0.6 × 0.6");
        assert_eq!(probability(path.probability()), "0.054");
        assert_eq!(probability(0.0036), "0.0036");
        assert_eq!(probability(0.1), "0.100");
        assert_eq!(short(0.0), "0");
    }
}
