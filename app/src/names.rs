//! What kinds of attention, positional encodings and tokens are called in the page's language.

use attention_trace::{AttentionKind, Token, positions::PositionalEncoding};
use leptos::prelude::*;

use crate::{
    i18n::{t_string, use_i18n},
    widgets::label,
};

/// What the kinds of attention are called in the page's language.
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

/// What tokens are called: those that stand for the start and the end of a text by name, all others by their label.
pub fn token_name() -> impl Fn(&Token) -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    move |token| {
        match token.text.as_str() {
            // Marian's decoder begins with the padding token.
            "<pad>" | "<s>" | "<bos>" | "[CLS]" => t_string!(i18n, heads.start),
            "</s>" | "<eos>" | "<|endoftext|>" | "[SEP]" => t_string!(i18n, heads.end),
            _ => label(token),
        }
        .to_owned()
    }
}

/// The positional encodings and their names in the page's language.
pub fn encoding_names() -> Signal<Vec<(PositionalEncoding, String)>> {
    let i18n = use_i18n();
    let name = move |encoding| match encoding {
        PositionalEncoding::None => t_string!(i18n, shell.encoding_none),
        PositionalEncoding::Learned => t_string!(i18n, shell.encoding_learned),
        PositionalEncoding::Sinusoidal => t_string!(i18n, shell.encoding_sinusoidal),
        PositionalEncoding::T5 => t_string!(i18n, shell.encoding_t5),
        PositionalEncoding::Rope => "RoPE",
        PositionalEncoding::Alibi => "ALiBi",
    };
    let named = move |encoding| (encoding, name(encoding).to_owned());
    Signal::derive(move || PositionalEncoding::ALL.map(named).to_vec())
}
