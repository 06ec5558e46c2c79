//! Predictions that the chapter asks of its readers.

use crate::sizes::parameters::Sizes;
use attention_trace::config::{Known, ModelConfig, Parameters, Part};
use leptos::prelude::*;

use super::SizesSelection;
use attention_core::{
    i18n::{t_string, use_i18n},
    widgets::{
        Expected, Prompt, Values,
        numbers::{grouped, prefixed},
    },
};

/// The parameters of the base model as the paper has them, in millions.
const PUBLISHED_MILLIONS: f64 = 65.0;
/// The vocabulary for which the base model has the paper's number of parameters.
const OTHER_VOCABULARY: usize = 41_000;

fn changed(preset: Known, change: impl FnOnce(&mut Sizes)) -> ModelConfig {
    let mut sizes = Sizes::of(&preset.config(), 1);
    change(&mut sizes);
    sizes.config()
}

/// Asks for the vocabulary's share of the base model.
#[component]
pub fn VocabularyPrompt() -> impl IntoView {
    let values = Signal::stored(Some(vocabulary_values()));
    let i18n = use_i18n();
    let counted = Known::PaperBase.config().parameters().total() as f64 / 1e6;
    let expected = Signal::stored(Some(Expected::Truth(counted.round() == PUBLISHED_MILLIONS)));
    view! {
        <Prompt
            question="ask-vocabulary"
            answer="answer-vocabulary"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.fits).to_owned())
            expected
        />
    }
}

fn vocabulary_values() -> Values {
    let base = Known::PaperBase.config().parameters();
    let other = changed(Known::PaperBase, |sizes| {
        sizes.vocabulary = OTHER_VOCABULARY
    })
    .parameters();
    let rest = other.total() - other.of(Part::Embedding) - other.of(Part::Output);
    vec![
        ("counted", prefixed(base.total() as f64)),
        ("embedding", prefixed(base.of(Part::Embedding) as f64)),
        ("rest", prefixed(rest as f64)),
        ("vocabulary", grouped(OTHER_VOCABULARY as u64)),
        ("other", prefixed(other.total() as f64)),
    ]
}

/// Asks for the saving by shared keys and values.
#[component]
pub fn GroupsPrompt() -> impl IntoView {
    let values = Signal::stored(Some(groups_values()));
    let i18n = use_i18n();
    let [shared, own] = with_groups_and_without();
    let saved = (own.total() - shared.total()) as f64 / 1e6;
    let expected = Signal::stored(Some(Expected::about(saved as f32, 0.1)));
    view! {
        <Prompt
            question="ask-groups"
            answer="answer-groups"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.saved).to_owned())
            expected
        />
    }
}

/// Llama 3 with shared keys and values, and with keys and values for each head.
fn with_groups_and_without() -> [Parameters; 2] {
    let own = changed(Known::Llama3, |sizes| sizes.groups = sizes.heads);
    [Known::Llama3.config(), own].map(|config| config.parameters())
}

fn groups_values() -> Values {
    let [shared, own] = with_groups_and_without();
    let saved = own.total() - shared.total();
    vec![
        ("shared", prefixed(shared.total() as f64)),
        ("own", prefixed(own.total() as f64)),
        ("saved", prefixed(saved as f64)),
        (
            "percent",
            format!("{:.0}", 100.0 * saved as f64 / own.total() as f64),
        ),
        (
            "attention_shared",
            prefixed(shared.of(Part::Attention) as f64),
        ),
        ("attention_own", prefixed(own.of(Part::Attention) as f64)),
    ]
}

/// The length at which scores cost more than everything else, of the selected model.
#[component]
pub fn CrossoverPrompt(selection: SizesSelection) -> impl IntoView {
    let values =
        Signal::derive(move || Some(crossover_values(&selection.valid()?, selection.sizes.get())));
    let i18n = use_i18n();
    let expected = Signal::derive(move || {
        let tokens = selection.sizes.get().tokens;
        let length = selection.valid()?.operations(tokens).crossover(tokens);
        Some(Expected::about(length as f32, 0.1))
    });
    view! {
        <Prompt
            question="ask-crossover"
            answer="answer-crossover"
            values
            asks=Signal::derive(move || t_string!(i18n, predictions.crossover).to_owned())
            expected
        />
    }
}

fn crossover_values(config: &ModelConfig, sizes: Sizes) -> Values {
    let operations = config.operations(sizes.tokens);
    let length = operations.crossover(sizes.tokens);
    vec![
        ("length", grouped(length.ceil() as u64)),
        ("width", grouped(sizes.width as u64)),
        ("times", format!("{:.1}", length / sizes.width as f64)),
        ("tokens", grouped(sizes.tokens as u64)),
        (
            "share",
            format!("{:.1}", 100.0 * operations.quadratic() / operations.total()),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value<'a>(values: &'a Values, name: &str) -> &'a str {
        &values.iter().find(|(found, _)| *found == name).unwrap().1
    }

    #[test]
    fn answers_are_computed() {
        let values = vocabulary_values();
        assert_eq!(value(&values, "counted"), "63.1 M");
        assert_eq!(value(&values, "other"), "65.2 M");
        let values = groups_values();
        assert_eq!(
            (value(&values, "shared"), value(&values, "own")),
            ("8.03 G", "8.84 G")
        );
        let sizes = Sizes::default();
        let values = crossover_values(&sizes.config(), sizes);
        assert_eq!(value(&values, "times"), "6.7");
    }
}
