//! The example sentences of a model.

use leptos::prelude::*;

use attention_core::{
    engine::Live,
    i18n::{Locale, t_string, use_i18n},
    kept::KeptModels,
    state::{Model, ViewState},
};

/// The examples of the chosen model: a click runs one.
#[component]
pub fn Examples() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let state = ViewState::expect();
    let model = state.select(|view| view.model);
    let kept = KeptModels::expect();
    let texts = move || match model.get() {
        Model::Trained(id) => kept
            .find(id)
            .map(|model| vec![model.text])
            .unwrap_or_default(),
        model => ordered(model.card().examples, i18n.get_locale()),
    };
    let chip = move |text: String| {
        let example = text.clone();
        view! {
            <button
                type="button"
                class="text-entry"
                data-testid="example"
                data-closes
                on:click=move |_| {
                    state.set_text(example.clone());
                    live.run();
                }
            >
                {text}
            </button>
        }
    };
    view! {
        <div class="examples" role="group" aria-label=move || t_string!(i18n, shell.examples)>
            {move || texts().into_iter().map(chip).collect_view()}
        </div>
    }
}

/// Returns the examples in their order for a reader of that language: on the Chinese page those in Chinese come first.
fn ordered(examples: &[&str], language: Locale) -> Vec<String> {
    let is_foreign = |text: &&str| match language {
        Locale::en => false,
        Locale::zh => !text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)),
    };
    let mut examples = examples.to_vec();
    examples.sort_by_key(is_foreign);
    examples.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chinese_page_begins_with_chinese_where_the_model_reads_it() {
        let examples = Model::default().card().examples;
        assert_eq!(ordered(examples, Locale::en), examples);
        let chinese = ordered(examples, Locale::zh);
        assert_eq!(chinese.first().map(String::as_str), Some("我是学生。"));
        assert_eq!(chinese.len(), examples.len());
        let english = "sentences".parse::<Model>().unwrap().card().examples;
        assert_eq!(ordered(english, Locale::zh), english);
    }
}
