//! Parameters by part, and the cost of a forward pass.

mod form;
mod kit;
mod operations;
pub mod parameters;
mod prompts;
mod questions;
mod shares;
mod zoo;

use crate::{kit::Kit, needs::Needs, page::Define, sizes::parameters::Sizes, topic::Topic};
use attention_trace::config::{ConfigError, Known, ModelConfig};
use leptos::prelude::*;

use self::{
    form::Form,
    operations::OperationsSection,
    prompts::{CrossoverPrompt, GroupsPrompt, VocabularyPrompt},
    shares::ParametersSection,
    zoo::Zoo,
};
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{Model, View, ViewState},
    widgets::Prose,
};

/// The selected sizes, and the configuration they make, if they make one.
#[derive(Clone, Copy)]
pub struct SizesSelection {
    /// The sizes in the view.
    pub sizes: Memo<Sizes>,
    /// The configuration for the sizes, or the reason why there is none.
    pub config: Memo<Result<ModelConfig, ConfigError>>,
}

impl SizesSelection {
    fn of_view() -> Self {
        let sizes = ViewState::expect().select(|view| *view.chapters.of::<Sizes>());
        let config = Memo::new(move |_| {
            let config = sizes.get().config();
            config.validate().map(|()| config)
        });
        SizesSelection { sizes, config }
    }

    /// Returns the configuration, if it is valid for a model.
    pub fn valid(self) -> Option<ModelConfig> {
        // The form shows the fault.
        self.config.get().ok()
    }
}

impl Define for Sizes {
    const NEEDS: Needs = Needs::Layers;
    const MINUTES: u32 = 10;

    fn topic(_view: &View) -> Topic {
        Topic::Whole
    }

    fn title() -> String {
        t_string!(use_i18n(), sizes.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        SizesChapter().into_any()
    }
}

#[component]
pub fn SizesChapter() -> impl IntoView {
    let selection = SizesSelection::of_view();
    view! {
        <Prose part="intro" />
        <Form selection />
        <OnScreen />
        <Prose part="parameters" />
        <ParametersSection selection />
        <Prose part="counted" />
        <VocabularyPrompt />
        <GroupsPrompt />
        <Prose part="operations" />
        <OperationsSection selection />
        <CrossoverPrompt selection />
        <Prose part="results" />
        <Prose part="zoo" />
        <Zoo />
    }
}

/// Returns the preset with the sizes of a served model: the one with as many weights.
fn preset(model: Model) -> Option<Known> {
    let weights = model.as_served()?.parameters;
    let has_as_many = |preset: &Known| preset.config().parameters().total() == weights;
    Known::ALL.into_iter().find(has_as_many)
}

/// A link to the sizes of the model on screen, with as many tokens as its sentence has.
#[component]
fn OnScreen() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let model = ViewState::expect().select(|view| view.model);
    let tokens = Memo::new(move |_| live.trace().map(|trace| trace.meta.target.len()));
    let change = move |view: &mut View| {
        if let Some(preset) = preset(view.model) {
            let tokens = tokens.get().unwrap_or(view.chapters.of::<Sizes>().tokens);
            *view.chapters.of_mut::<Sizes>() = Sizes::of(&preset.config(), tokens);
        }
    };
    move || {
        preset(model.get()).map(|_| {
            view! {
                <ViewLink change class="own-sentence" test_id="sizes-on-screen">
                    {t!(i18n, sizes.on_screen)}
                </ViewLink>
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn served_models_with_the_sizes_of_a_preset_find_it() {
        let of = |name: &str| preset(name.parse().unwrap());
        assert_eq!(of("translator"), Some(Known::Translator));
        assert_eq!(of("to-chinese"), Some(Known::Translator));
        assert_eq!(of("sentences"), Some(Known::Sentences));
        for other in ["universal", "recurrent-luong", "positions-rope", "mine"] {
            assert_eq!(of(other), None, "{other}");
        }
    }
}
