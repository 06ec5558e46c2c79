//! How choices are spelt in the address bar and in `data-` attributes.

use attention_trace::{AttentionKind, positions::PositionalEncoding};

use super::view::{DeviceChoice, Language, Model, Representation, Tab, Theme};

/// A choice among few, each with a word for the address bar.
pub trait AddressValue: Copy + PartialEq + 'static {
    /// Every choice and its word.
    const VALUES: &'static [(Self, &'static str)];

    /// The choice's word.
    fn address_value(self) -> &'static str {
        Self::VALUES
            .iter()
            .find(|(choice, _)| *choice == self)
            .map_or("", |(_, word)| word)
    }

    /// The choice of that word.
    fn from_address_value(word: &str) -> Option<Self> {
        Self::VALUES
            .iter()
            .find(|(_, known)| *known == word)
            .map(|(choice, _)| *choice)
    }
}

impl AddressValue for Model {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Model::Translator, "translator"),
        (Model::Sentences, "sentences"),
        (Model::Recall(PositionalEncoding::None), "recall-none"),
        (Model::Recall(PositionalEncoding::Learned), "recall-learned"),
        (
            Model::Recall(PositionalEncoding::Sinusoidal),
            "recall-sinusoidal",
        ),
        (Model::Recall(PositionalEncoding::T5), "recall-t5"),
        (Model::Recall(PositionalEncoding::Rope), "recall-rope"),
        (Model::Recall(PositionalEncoding::Alibi), "recall-alibi"),
    ];
}

impl AddressValue for PositionalEncoding {
    const VALUES: &'static [(Self, &'static str)] = &[
        (PositionalEncoding::None, "none"),
        (PositionalEncoding::Learned, "learned"),
        (PositionalEncoding::Sinusoidal, "sinusoidal"),
        (PositionalEncoding::T5, "t5"),
        (PositionalEncoding::Rope, "rope"),
        (PositionalEncoding::Alibi, "alibi"),
    ];
}

impl AddressValue for Tab {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Tab::Heads, "heads"),
        (Tab::Decoding, "decoding"),
        (Tab::Positions, "positions"),
        (Tab::Learn, "learn"),
    ];
}

impl AddressValue for AttentionKind {
    const VALUES: &'static [(Self, &'static str)] = &[
        (AttentionKind::EncoderSelf, "encoder"),
        (AttentionKind::DecoderSelf, "decoder"),
        (AttentionKind::Cross, "cross"),
    ];
}

impl AddressValue for Representation {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Representation::Heatmap, "heatmap"),
        (Representation::Lines, "lines"),
        (Representation::Sentence, "sentence"),
    ];
}

impl AddressValue for Language {
    const VALUES: &'static [(Self, &'static str)] =
        &[(Language::English, "en"), (Language::Chinese, "zh")];
}

impl AddressValue for Theme {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Theme::Auto, "auto"),
        (Theme::Light, "light"),
        (Theme::Dark, "dark"),
    ];
}

impl AddressValue for DeviceChoice {
    const VALUES: &'static [(Self, &'static str)] = &[
        (DeviceChoice::Auto, "auto"),
        (DeviceChoice::Cpu, "cpu"),
        (DeviceChoice::WebGpu, "webgpu"),
        (DeviceChoice::WebGpuSoftware, "webgpu-software"),
    ];
}
