//! The served models in their groups: the input, output, purpose, size and scores of each.

use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::ModelsSheet;
use attention_core::{
    assets::saving::download_bytes,
    i18n::{Locale, t, t_string, use_i18n},
    names::{model_name, model_words, variant_name},
    state::{Group, Measure, Model, Served, ViewState},
    widgets::numbers::{grouped, megabytes},
};

/// All groups of served models.
#[component]
pub fn Entries() -> impl IntoView {
    let i18n = use_i18n();
    let group = move |group: Group| {
        let name = move || match group {
            Group::Translators => t_string!(i18n, models.translators),
            Group::LanguageModels => t_string!(i18n, models.language_models),
            Group::PositionsAndVerse => t_string!(i18n, models.positions_and_verse),
            Group::Recurrent => t_string!(i18n, models.before),
        };
        let entries = entries_of(group)
            .into_iter()
            .map(|variants| view! { <Entry variants /> });
        view! {
            <section class="models-group">
                <h3>{name}</h3>
                <div class="models-entries">{entries.collect_view()}</div>
            </section>
        }
    };
    Group::ALL.map(group).collect_view()
}

/// The entries of a group, each with its variants.
fn entries_of(group: Group) -> Vec<Vec<Model>> {
    let is_of = |model: &Model| {
        model
            .as_served()
            .is_some_and(|served| served.group == group)
    };
    let mut entries: Vec<Vec<Model>> = Vec::new();
    for model in Model::served().filter(is_of) {
        if !entries.iter().any(|variants| variants.contains(&model)) {
            entries.push(model.variants());
        }
    }
    entries
}

/// One model, or several that differ in one respect.
#[component]
fn Entry(variants: Vec<Model>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let chosen = state.select(|view| view.model);
    let first = variants.first().copied().unwrap_or_default();
    let is_one = variants.len() == 1;
    let buttons = variants
        .iter()
        .map(|&model| view! { <Choice model is_one /> });
    let buttons = buttons.collect_view();
    let is_chosen = Memo::new(move |_| variants.contains(&chosen.get()));
    // What is said of several depends on which of them is in use.
    let shown = Memo::new(move |_| match is_chosen.get() {
        true => chosen.get(),
        false => first,
    });
    let name = model_name();
    let title = match is_one {
        true => view! { <h4 class="models-name">{buttons}</h4> }.into_any(),
        false => view! {
            <h4 class="models-name">{move || name(shown.get())}</h4>
            <div class="models-variants" role="group" aria-label=move || name(shown.get())>
                {buttons}
            </div>
        }
        .into_any(),
    };
    view! {
        <article class="models-entry" class:is-chosen=is_chosen>
            {title}
            <p>{move || model_words(i18n, shown.get()).reads}</p>
            <p class="models-good">{move || model_words(i18n, shown.get()).good}</p>
            {move || shown.get().as_served().map(|served| known(i18n, served))}
            <Example shown />
        </article>
    }
}

/// The button that chooses a model: with its whole name, or with its difference from the others of its entry.
#[component]
fn Choice(model: Model, is_one: bool) -> impl IntoView {
    let sheet = ModelsSheet::expect();
    let chosen = ViewState::expect().select(|view| view.model);
    let (name, variant) = (model_name(), variant_name());
    let words = move || match is_one {
        true => name(model),
        false => variant(model).unwrap_or_else(|| name(model)),
    };
    view! {
        <button
            type="button"
            class="plain-button"
            data-testid=format!("model-{model}")
            aria-pressed=move || (chosen.get() == model).to_string()
            on:click=move |_| {
                if chosen.get_untracked() != model {
                    choose(sheet.state, model);
                }
                sheet.run();
            }
        >
            {words}
        </button>
    }
}

/// Chooses a model. Variants keep the text if they read no language or share one, so that they can be compared on one
/// text.
fn choose(state: ViewState, model: Model) {
    match model.variants().contains(&state.get_untracked().model) {
        true if model.card().reads.is_empty() => state.set_sibling(model),
        true => state.set_compared(model),
        false => state.set_model(model),
    }
}

/// A text that the model reads: a click runs it.
#[component]
fn Example(shown: Memo<Model>) -> impl IntoView {
    let i18n = use_i18n();
    let sheet = ModelsSheet::expect();
    view! {
        <p class="models-example">
            <span>{t!(i18n, models.example)}</span>
            " "
            <button
                type="button"
                class="chip"
                data-testid=move || format!("model-example-{}", shown.get())
                on:click=move |_| {
                    sheet.state.set_model(shown.get_untracked());
                    sheet.run();
                }
            >
                {move || shown.get().first_text()}
            </button>
        </p>
    }
}

/// Returns the size of the download, the number of weights, the licence and the scores.
fn known(i18n: I18nContext<Locale>, served: &'static Served) -> impl IntoView {
    // Unknown where there is no manifest.
    let bytes = download_bytes(served.directory);
    let scores = served.scores.iter();
    let scores = scores.map(|&(measure, score)| score_words(i18n, measure, score));
    view! {
        <dl class="models-facts">
            {(bytes > 0).then(|| view! {
                <div>
                    <dt>{t!(i18n, models.size)}</dt>
                    <dd>{t_string!(i18n, models.megabytes, size = megabytes(bytes))}</dd>
                </div>
            })}
            <div>
                <dt>{t!(i18n, models.weights)}</dt>
                <dd>{grouped(served.parameters)}</dd>
            </div>
            <div>
                <dt>{t!(i18n, models.licence)}</dt>
                <dd>{served.licence}</dd>
            </div>
            <div>
                <dt>{t!(i18n, models.score)}</dt>
                <dd>{scores.map(|score| view! { <span>{score}</span> }).collect_view()}</dd>
            </div>
        </dl>
    }
}

fn score_words(i18n: I18nContext<Locale>, measure: Measure, score: &'static str) -> String {
    match measure {
        Measure::FrenchEnglish => t_string!(i18n, models.bleu_french_english, score = score),
        Measure::ChineseEnglish => t_string!(i18n, models.bleu_chinese_english, score = score),
        Measure::EnglishFrench => t_string!(i18n, models.bleu_english_french, score = score),
        Measure::EnglishChinese => t_string!(i18n, models.bleu_english_chinese, score = score),
        Measure::Perplexity => t_string!(i18n, models.perplexity, score = score),
        Measure::LettersBeyond => t_string!(i18n, models.letters_beyond, score = score),
        Measure::Cells => t_string!(i18n, models.cells, score = score),
        Measure::Repeats => t_string!(i18n, models.repeats, score = score),
        Measure::SixthCharacter => t_string!(i18n, models.sixth_character, score = score),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_served_model_is_listed_once() {
        let entries = Group::ALL.into_iter().flat_map(entries_of);
        let mut listed: Vec<String> = entries.flatten().map(|model| model.to_string()).collect();
        let mut served: Vec<String> = Model::served().map(|model| model.to_string()).collect();
        listed.sort();
        served.sort();
        assert_eq!(listed, served);
    }
}
