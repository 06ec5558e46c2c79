//! The sizes: of a well-known model, or as the visitor types them.

use crate::sizes::parameters::{Architecture, Sizes};
use attention_trace::config::{ConfigError, Known};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::SizesSelection;
use attention_core::{
    i18n::{Locale, t_string, use_i18n},
    state::{AddressValue, ViewState},
    widgets::{Check, Segmented},
};

/// A size that is a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Layers,
    Heads,
    Groups,
    Width,
    Inner,
    Vocabulary,
    Learned,
}

impl Field {
    const ALL: [Field; 7] = [
        Field::Layers,
        Field::Heads,
        Field::Groups,
        Field::Width,
        Field::Inner,
        Field::Vocabulary,
        Field::Learned,
    ];

    /// True if an architecture lets the visitor choose this size.
    fn is_in(self, architecture: Architecture) -> bool {
        match self {
            Field::Groups => {
                matches!(
                    architecture,
                    Architecture::DecoderOnly | Architecture::Qwen3
                )
            }
            Field::Learned => !matches!(
                architecture,
                Architecture::EncoderDecoder | Architecture::Qwen3
            ),
            _ => true,
        }
    }

    fn test_id(self) -> &'static str {
        match self {
            Field::Layers => "sizes-layers",
            Field::Heads => "sizes-heads",
            Field::Groups => "sizes-groups",
            Field::Width => "sizes-width",
            Field::Inner => "sizes-inner",
            Field::Vocabulary => "sizes-vocabulary",
            Field::Learned => "sizes-learned",
        }
    }

    fn of(self, sizes: &Sizes) -> usize {
        match self {
            Field::Layers => sizes.layers,
            Field::Heads => sizes.heads,
            Field::Groups => sizes.groups,
            Field::Width => sizes.width,
            Field::Inner => sizes.inner,
            Field::Vocabulary => sizes.vocabulary,
            Field::Learned => sizes.learned,
        }
    }

    fn set(self, sizes: &mut Sizes, value: usize) {
        match self {
            Field::Layers => sizes.layers = value,
            Field::Heads => sizes.set_heads(value),
            Field::Groups => sizes.groups = value,
            Field::Width => sizes.width = value,
            Field::Inner => sizes.inner = value,
            Field::Vocabulary => sizes.vocabulary = value,
            Field::Learned => sizes.learned = value,
        }
    }

    fn name(self, i18n: I18nContext<Locale>, architecture: Architecture) -> String {
        match self {
            Field::Layers if architecture == Architecture::EncoderDecoder => {
                t_string!(i18n, sizes.layers_each)
            }
            Field::Layers => t_string!(i18n, sizes.layers),
            Field::Heads => t_string!(i18n, sizes.heads),
            Field::Groups => t_string!(i18n, sizes.groups),
            Field::Width => t_string!(i18n, sizes.width),
            Field::Inner => t_string!(i18n, sizes.inner),
            Field::Vocabulary => t_string!(i18n, sizes.vocabulary),
            Field::Learned if matches!(architecture, Architecture::Gpt2 | Architecture::Bert) => {
                t_string!(i18n, sizes.learned_always)
            }
            Field::Learned => t_string!(i18n, sizes.learned),
        }
        .to_owned()
    }

    /// The field that a configuration calls by this name.
    fn in_config(name: &str) -> Option<Field> {
        Some(match name {
            "encoder_layers" | "decoder_layers" | "num_hidden_layers" | "n_layer" => Field::Layers,
            "encoder_attention_heads"
            | "decoder_attention_heads"
            | "num_attention_heads"
            | "n_head" => Field::Heads,
            "num_key_value_heads" => Field::Groups,
            "d_model" | "hidden_size" | "n_embd" => Field::Width,
            "encoder_ffn_dim" | "decoder_ffn_dim" | "intermediate_size" | "n_inner" => Field::Inner,
            "vocab_size" => Field::Vocabulary,
            "max_position_embeddings" | "n_positions" => Field::Learned,
            _ => return None,
        })
    }
}

/// Models to begin with, and a field for every size.
#[component]
pub fn Form(selection: SizesSelection) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let architecture = Memo::new(move |_| selection.sizes.get().architecture);
    let tied = Memo::new(move |_| selection.sizes.get().tied);
    let problem = move || {
        let error = selection.config.get().err()?;
        Some(in_words(i18n, architecture.get(), &error))
    };
    view! {
        <div class="lesson-figure" data-testid="sizes-form">
            <Presets selection />
            <Segmented
                label=Signal::derive(move || t_string!(i18n, sizes.architecture).to_owned())
                options=Signal::derive(move || vec![
                    (Architecture::EncoderDecoder, t_string!(i18n, sizes.encoder_decoder).to_owned()),
                    (Architecture::DecoderOnly, t_string!(i18n, sizes.decoder_only).to_owned()),
                    (Architecture::Qwen3, t_string!(i18n, sizes.decoder_qwen3).to_owned()),
                    (Architecture::Gpt2, t_string!(i18n, sizes.decoder_gpt2).to_owned()),
                    (Architecture::Bert, t_string!(i18n, sizes.encoder_bert).to_owned()),
                ])
                value=architecture
                choose=move |architecture| state.update_chapters(|chapters| {
                    chapters.of_mut::<Sizes>().set_architecture(architecture);
                })
            />
            <div class="size-fields">
                {Field::ALL.map(|field| view! { <NumberField selection field architecture /> }).collect_view()}
                <Show when=move || architecture.get() != Architecture::EncoderDecoder>
                    <Check
                        name=Signal::derive(move || t_string!(i18n, sizes.tied).to_owned())
                        test_id="sizes-tied"
                        on=tied
                        set=move |tied| state.update_chapters(|chapters| chapters.of_mut::<Sizes>().tied = tied)
                    />
                </Show>
            </div>
            <p class="size-problem" role="status" data-testid="sizes-problem">{problem}</p>
        </div>
    }
}

pub fn name(i18n: I18nContext<Locale>, preset: Known) -> String {
    match preset {
        Known::PaperBase => t_string!(i18n, sizes.paper_base),
        Known::PaperBig => t_string!(i18n, sizes.paper_big),
        Known::Translator => t_string!(i18n, sizes.translator),
        Known::Sentences => t_string!(i18n, sizes.sentences),
        Known::Gpt2Small => "GPT-2 small",
        Known::Llama2 => "Llama 2 7B",
        Known::Llama32 => "Llama 3.2 1B",
        Known::Llama3 => "Llama 3 8B",
        Known::Llama31 => "Llama 3.1 405B",
        Known::Qwen3 => "Qwen3 0.6B",
        Known::BertBase => "BERT base",
    }
    .to_owned()
}

#[component]
fn Presets(selection: SizesSelection) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let preset = Memo::new(move |_| selection.sizes.get().preset());
    let button = move |model: Known| {
        view! {
            <button
                type="button"
                class="lesson-choice"
                data-choice=model.address_value()
                aria-pressed=move || (preset.get() == Some(model)).to_string()
                on:click=move |_| state.update_chapters(|chapters| chapters.of_mut::<Sizes>().use_preset(model))
            >
                {move || name(i18n, model)}
            </button>
        }
    };
    view! {
        <div
            class="size-presets"
            role="group"
            aria-label=move || t_string!(i18n, sizes.presets).to_owned()
        >
            {Known::ALL.map(button).collect_view()}
        </div>
    }
}

#[component]
fn NumberField(
    selection: SizesSelection,
    field: Field,
    architecture: Memo<Architecture>,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let value = Memo::new(move |_| field.of(&selection.sizes.get()));
    view! {
        <Show when=move || field.is_in(architecture.get())>
            <label class="number-field size-field">
                <span>{move || field.name(i18n, architecture.get())}</span>
                <input
                    type="number"
                    class="number"
                    min="0"
                    step="1"
                    data-testid=field.test_id()
                    prop:value=move || value.get().to_string()
                    on:change:target=move |event| {
                        // Input that is not a number counts as 0: the message below says what is allowed.
                        let typed = event.target().value().parse::<f64>().ok().unwrap_or(0.0);
                        let size = typed.round() as usize;
                        state.update_chapters(|chapters| field.set(chapters.of_mut::<Sizes>(), size));
                        event.target().set_value(&value.get_untracked().to_string());
                    }
                />
            </label>
        </Show>
    }
}

/// Returns the reason why no model can be built, with a remedy.
fn in_words(i18n: I18nContext<Locale>, architecture: Architecture, error: &ConfigError) -> String {
    let named = |name: &str| {
        Field::in_config(name)
            .map_or_else(|| name.to_owned(), |field| field.name(i18n, architecture))
    };
    match *error {
        ConfigError::Size {
            name: "head_dim", ..
        } => t_string!(i18n, sizes.narrow_heads).to_owned(),
        ConfigError::Size { name, size, most } => {
            let name = named(name);
            t_string!(
                i18n,
                sizes.out_of_bounds,
                name = name,
                size = size,
                most = most
            )
        }
        ConfigError::Heads { width, heads } => {
            t_string!(i18n, sizes.uneven_heads, width = width, heads = heads)
        }
        ConfigError::Groups { heads, groups } => {
            t_string!(i18n, sizes.uneven_groups, heads = heads, groups = groups)
        }
        ConfigError::Odd {
            name: "head_dim",
            width,
        } => t_string!(i18n, sizes.odd_heads, width = width),
        ConfigError::Odd { width, .. } => t_string!(i18n, sizes.odd_width, width = width),
        // The form leaves everything else as it is in models that can be built.
        ref other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_holds_what_is_typed() {
        for (index, field) in Field::ALL.into_iter().enumerate() {
            let mut sizes = Sizes::default();
            field.set(&mut sizes, 100 + index);
            assert_eq!(field.of(&sizes), 100 + index);
        }
    }

    #[test]
    fn what_a_configuration_refuses_is_a_field() {
        for (architecture, _) in Architecture::values() {
            for field in Field::ALL {
                let mut sizes = Sizes::default();
                sizes.set_architecture(architecture);
                field.set(&mut sizes, usize::MAX);
                match sizes.config().validate() {
                    Err(ConfigError::Size { name, .. }) => {
                        let found = Field::in_config(name);
                        assert!(
                            found.is_some_and(|found| found.is_in(architecture)),
                            "{name}"
                        );
                    }
                    Err(_) => {}
                    // Where the architecture fixes the value, the typed one is ignored.
                    Ok(()) => assert!(!field.is_in(architecture), "{field:?}"),
                }
            }
        }
    }
}
