//! Names of models, kinds of attention, heads, norms, positional encodings and tokens in the page's language.

use attention_trace::{
    AttentionKind, AttentionLayer, NormKind, RecurrentAttention, Token,
    positions::PositionalEncoding, training::TaskKind,
};
use leptos::prelude::*;
use leptos_i18n::{I18nContext, Locale as _};

use crate::{
    i18n::{Locale, t_string, use_i18n},
    kept::{KeptModel, KeptModels},
    mine::Mine,
    state::{Model, Words},
    widgets::{label, numbers::grouped},
};

/// Returns the words about a model in the page's language.
pub fn model_words(i18n: I18nContext<Locale>, model: Model) -> &'static Words {
    let words = model.card().words;
    let language = i18n.get_locale().as_str();
    let own = words.iter().find(|(name, _)| *name == language);
    // The build fails where a language has no words.
    &own.unwrap_or(&words[0]).1
}

/// Returns a function that names models in the page's language. Variants share a name.
pub fn model_name() -> impl Fn(Model) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let (kept, mine) = (KeptModels::expect(), Mine::expect());
    move |model| {
        match model {
            Model::Trained(id) => kept.find(id).map(|model| trained_name(i18n, &model)),
            Model::Mine(id) => {
                let name = mine.find(id).map(|about| about.name);
                name.filter(|name| !name.is_empty())
            }
            Model::Served(_) => None,
        }
        .unwrap_or_else(|| model_words(i18n, model).name.to_owned())
    }
}

/// Returns a function that names the difference of a model from its variants; `None` for a model without any.
pub fn variant_name() -> impl Fn(Model) -> Option<String> + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    move |model| {
        let words = model_words(i18n, model);
        match words.variant {
            "" if model.variants().len() > 1 => Some(encoding_name(i18n, model.card().positions)),
            "" => None,
            variant => Some(variant.to_owned()),
        }
    }
}

/// Returns a function for a model's name among all others: its name and its variant.
pub fn full_model_name() -> impl Fn(Model) -> String + Copy + Send + Sync + 'static {
    let (name, variant) = (model_name(), variant_name());
    move |model| match variant(model) {
        Some(variant) => format!("{} · {variant}", name(model)),
        None => name(model),
    }
}

/// Returns the name of a model that was trained here: its task, and the settings that distinguish it from others of
/// that task.
fn trained_name(i18n: I18nContext<Locale>, model: &KeptModel) -> String {
    let task = task_name(i18n, model.settings.task.kind());
    let shape = model.settings.shape;
    let step = grouped(model.step as u64);
    match shape.architecture.recurrence() {
        Some(attention) => t_string!(
            i18n,
            shell.trained_recurrent,
            task = task,
            attention = attention_name(i18n, attention),
            step = step
        ),
        None => t_string!(
            i18n,
            shell.trained,
            task = task,
            layers = shape.layers,
            step = step
        ),
    }
}

/// Returns the name of a recurrent model by its decoder's attention to the source.
pub fn attention_name(i18n: I18nContext<Locale>, attention: RecurrentAttention) -> &'static str {
    match attention {
        RecurrentAttention::None => t_string!(i18n, shell.recurrent_fixed),
        RecurrentAttention::Bahdanau => t_string!(i18n, shell.recurrent_bahdanau),
        RecurrentAttention::Luong { .. } => t_string!(i18n, shell.recurrent_luong),
    }
}

/// Returns a function that names the kinds of attention in the page's language.
pub fn kind_name() -> impl Fn(AttentionKind) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    move |kind| {
        match kind {
            AttentionKind::EncoderSelf => t_string!(i18n, heads.encoder_self),
            AttentionKind::DecoderSelf => t_string!(i18n, heads.decoder_self),
            AttentionKind::Cross => t_string!(i18n, heads.cross),
        }
        .to_owned()
    }
}

/// Returns a function that abbreviates the kinds of attention for narrow columns, which already name the stack.
pub fn short_kind_name() -> impl Fn(AttentionKind) -> &'static str + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    move |kind| match kind {
        AttentionKind::EncoderSelf => t_string!(i18n, heads.encoder_self_short),
        AttentionKind::DecoderSelf => t_string!(i18n, heads.decoder_self_short),
        AttentionKind::Cross => t_string!(i18n, heads.cross),
    }
}

/// Returns a function that names a head by layer, number and kind.
pub fn head_name() -> impl Fn(AttentionLayer, usize) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let kind = kind_name();
    move |attention, head| {
        t_string!(
            i18n,
            heads.full_name,
            layer = attention.layer + 1,
            head = head + 1,
            kind = kind(attention.kind)
        )
    }
}

/// Returns the name of a normalisation, the same in every language.
pub fn norm_name(kind: NormKind) -> &'static str {
    match kind {
        NormKind::LayerNorm => "LayerNorm",
        NormKind::RmsNorm => "RMSNorm",
    }
}

/// Returns a function that names tokens: the marks of a text's start and end in words, all others by their label.
pub fn token_name() -> impl Fn(&Token) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    move |token| name_of(i18n, token)
}

/// Returns the name of a token where no context provides the language.
pub fn name_of(i18n: I18nContext<Locale>, token: &Token) -> String {
    match token.text.as_str() {
        // Marian's decoder begins with the padding token.
        "<pad>" | "<s>" | "<bos>" | "[CLS]" => t_string!(i18n, heads.start).to_owned(),
        "</s>" | "<eos>" | "<|endoftext|>" | "[SEP]" => t_string!(i18n, heads.end).to_owned(),
        // Characters that were not found in what was typed, or a word that the model does not know to write.
        "<unk>" | "[UNK]" if token.unknown => t_string!(i18n, heads.unknown).to_owned(),
        _ => label(token),
    }
}

/// Returns a function that describes a token in a tooltip: its piece in the tokenizer, or the reason why the model does
/// not know it.
pub fn token_title() -> impl Fn(&Token) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    move |token| match token.unknown {
        true => t_string!(i18n, heads.unknown_token).to_owned(),
        false => token.text.clone(),
    }
}

/// Returns a function that renders tokens as elements; one that the model does not know is marked, with the reason.
/// They are rebuilt with each result, so they do not follow the language themselves; the component that shows them
/// does.
pub fn token_label() -> impl Fn(&Token) -> AnyView + Copy + Send + Sync + 'static {
    let (name, title) = (token_name(), token_title());
    move |token| {
        view! {
            <span class="token" class:unknown=token.unknown title=title(token)>
                {name(token)}
            </span>
        }
        .into_any()
    }
}

/// Returns the name of a training task.
pub fn task_name(i18n: I18nContext<Locale>, kind: TaskKind) -> String {
    match kind {
        TaskKind::Back => t_string!(i18n, training.task_back),
        TaskKind::Repeat => t_string!(i18n, training.task_repeat),
        TaskKind::Copy => t_string!(i18n, training.task_copy),
        TaskKind::Reverse => t_string!(i18n, training.task_reverse),
        TaskKind::Sort => t_string!(i18n, training.task_sort),
        TaskKind::Addition => t_string!(i18n, training.task_addition),
        TaskKind::Brackets => t_string!(i18n, training.task_brackets),
        TaskKind::Numerals => t_string!(i18n, training.task_numerals),
        TaskKind::Lines => t_string!(i18n, training.task_lines),
        TaskKind::Pairs => t_string!(i18n, training.task_pairs),
    }
    .to_owned()
}

pub fn encoding_name(i18n: I18nContext<Locale>, encoding: PositionalEncoding) -> String {
    match encoding {
        PositionalEncoding::None => t_string!(i18n, shell.encoding_none),
        PositionalEncoding::Learned => t_string!(i18n, shell.encoding_learned),
        PositionalEncoding::Sinusoidal => t_string!(i18n, shell.encoding_sinusoidal),
        PositionalEncoding::T5 => t_string!(i18n, shell.encoding_t5),
        PositionalEncoding::Rope => "RoPE",
        PositionalEncoding::Alibi => "ALiBi",
    }
    .to_owned()
}

/// The positional encodings and their names in the page's language.
pub fn encoding_names() -> Signal<Vec<(PositionalEncoding, String)>> {
    let i18n = use_i18n();
    let named = move |encoding| (encoding, encoding_name(i18n, encoding));
    Signal::derive(move || PositionalEncoding::ALL.map(named).to_vec())
}
