//! Names of the layers, and the format of times in the chapter.

use crate::layers::parameters::LayersLab;
use attention_trace::layers::SequenceLayer;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use attention_core::{
    i18n::{Locale, t_string},
    state::ViewState,
    widgets::numbers::significant,
};

/// Returns the state of the chapter's figures.
pub fn lab() -> Memo<LayersLab> {
    ViewState::expect().select(|view| *view.chapters.of::<LayersLab>())
}

pub fn layer_name(i18n: I18nContext<Locale>, layer: SequenceLayer) -> &'static str {
    match layer {
        SequenceLayer::Recurrent => t_string!(i18n, layers.recurrent),
        SequenceLayer::Convolution => t_string!(i18n, layers.convolution),
        SequenceLayer::SelfAttention => t_string!(i18n, layers.self_attention),
    }
}

/// A layer's word in `data-layer`.
pub fn layer_word(layer: SequenceLayer) -> &'static str {
    match layer {
        SequenceLayer::Recurrent => "recurrent",
        SequenceLayer::Convolution => "convolution",
        SequenceLayer::SelfAttention => "self-attention",
    }
}

/// Formats a time without its unit.
pub fn time(value: f64) -> String {
    significant(value as f32)
}
