//! The served models in their groups: the input, output, purpose, size and scores of each.

use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    ModelsSheet,
    catalogue::{Facts, GROUPS, Group, Measure, Variants, facts},
};
use attention_core::{
    assets::saving::download_bytes,
    i18n::{Locale, t, t_string, use_i18n},
    names::{encoding_name, model_name, recurrent_name},
    state::{Model, Recurrent, Target, ViewState},
    widgets::numbers::{grouped, megabytes},
};

/// All groups of served models.
#[component]
pub fn Entries() -> impl IntoView {
    let i18n = use_i18n();
    let group = move |&(group, entries): &(Group, &'static [Variants])| {
        let name = move || match group {
            Group::Translators => t_string!(i18n, models.translators),
            Group::LanguageModels => t_string!(i18n, models.language_models),
            Group::PositionsAndVerse => t_string!(i18n, models.positions_and_verse),
            Group::Before => t_string!(i18n, models.before),
        };
        let entries = entries
            .iter()
            .map(|variants| view! { <Entry variants=variants /> });
        view! {
            <section class="models-group">
                <h3>{name}</h3>
                <div class="models-entries">{entries.collect_view()}</div>
            </section>
        }
    };
    GROUPS.iter().map(group).collect_view()
}

/// One model, or several that differ in one respect.
#[component]
fn Entry(variants: Variants) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let chosen = state.select(|view| view.model);
    let is_chosen = Memo::new(move |_| variants.contains(&chosen.get()));
    // What is said of several depends on which of them is in use.
    let shown = Memo::new(move |_| match is_chosen.get() {
        true => chosen.get(),
        false => variants.first().copied().unwrap_or(Model::Translator),
    });
    let name = model_name();
    let is_one = variants.len() == 1;
    let buttons = variants
        .iter()
        .map(|&model| view! { <Choice model is_one /> });
    let buttons = buttons.collect_view();
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
            <p>{move || reads_and_writes(i18n, shown.get())}</p>
            <p class="models-good">{move || good_for(i18n, shown.get())}</p>
            {move || facts(shown.get()).map(|facts| known(i18n, shown.get(), facts))}
            <Example shown />
        </article>
    }
}

/// The button that chooses a model: with its whole name, or with its difference from the others of its entry.
#[component]
fn Choice(model: Model, is_one: bool) -> impl IntoView {
    let i18n = use_i18n();
    let sheet = ModelsSheet::expect();
    let chosen = ViewState::expect().select(|view| view.model);
    let name = model_name();
    let words = move || match model {
        _ if is_one => name(model),
        Model::FromEnglish(Target::French) => t_string!(i18n, shell.french).to_owned(),
        Model::FromEnglish(Target::Chinese) => t_string!(i18n, shell.chinese).to_owned(),
        Model::Recurrent(kind) => recurrent_name(i18n, kind),
        Model::Positions(encoding) | Model::Poems(encoding) => encoding_name(i18n, encoding),
        model => name(model),
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

/// Chooses a model. Between models of one entry, the text is kept if both read its language, so that they can be
/// compared on one text.
fn choose(state: ViewState, model: Model) {
    match (state.get_untracked().model, model) {
        (Model::Recurrent(_), Model::Recurrent(_)) => state.set_compared(model),
        (Model::FromEnglish(_), Model::FromEnglish(_))
        | (Model::Positions(_), Model::Positions(_))
        | (Model::Poems(_), Model::Poems(_)) => state.set_sibling(model),
        _ => state.set_model(model),
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
fn known(i18n: I18nContext<Locale>, model: Model, facts: Facts) -> impl IntoView {
    // Unknown where there is no manifest.
    let bytes = model.directory().map_or(0, download_bytes);
    let scores = facts.scores.iter();
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
                <dd>{grouped(facts.parameters)}</dd>
            </div>
            <div>
                <dt>{t!(i18n, models.licence)}</dt>
                <dd>{facts.licence}</dd>
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
        Measure::SixthCharacter => t_string!(i18n, models.sixth_character, score = score),
    }
}

fn reads_and_writes(i18n: I18nContext<Locale>, model: Model) -> &'static str {
    match model {
        Model::Translator => t_string!(i18n, models.io_translator),
        Model::FromEnglish(Target::French) => t_string!(i18n, models.io_to_french),
        Model::FromEnglish(Target::Chinese) | Model::Recurrent(Recurrent::Chinese) => {
            t_string!(i18n, models.io_to_chinese)
        }
        Model::Universal | Model::Recurrent(_) => t_string!(i18n, models.io_from_french),
        Model::Sentences => t_string!(i18n, models.io_sentences),
        Model::Positions(_) => t_string!(i18n, models.io_positions),
        Model::Poems(_) => t_string!(i18n, models.io_poems),
        Model::Trained(_) => t_string!(i18n, shell.trained_hint),
        Model::Mine(_) => t_string!(i18n, models.mine_hint),
    }
}

fn good_for(i18n: I18nContext<Locale>, model: Model) -> &'static str {
    match model {
        Model::Translator => t_string!(i18n, models.good_translator),
        Model::FromEnglish(_) => t_string!(i18n, models.good_from_english),
        Model::Universal => t_string!(i18n, models.good_universal),
        Model::Sentences => t_string!(i18n, models.good_sentences),
        Model::Positions(_) => t_string!(i18n, models.good_positions),
        Model::Poems(_) => t_string!(i18n, models.good_poems),
        Model::Recurrent(_) => t_string!(i18n, models.good_recurrent),
        Model::Trained(_) | Model::Mine(_) => t_string!(i18n, models.good_mine),
    }
}
