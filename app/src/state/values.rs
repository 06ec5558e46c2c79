//! The values of choices in the address and in `data-` attributes.

use attention_trace::{AttentionKind, positions::PositionalEncoding};

use super::view::{DeviceChoice, Model, Representation, Tab, Target, Theme};

/// A choice among few, each with a value in the address.
pub trait AddressValue: Copy + PartialEq + 'static {
    /// Every choice and its value.
    const VALUES: &'static [(Self, &'static str)];

    /// The choice's value.
    fn address_value(self) -> &'static str {
        Self::VALUES
            .iter()
            .find(|(choice, _)| *choice == self)
            .map_or("", |(_, word)| word)
    }

    /// The choice that has this value.
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
        (Model::FromEnglish(Target::French), "to-french"),
        (Model::FromEnglish(Target::Chinese), "to-chinese"),
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
        (Model::Poems(PositionalEncoding::None), "poems-none"),
        (Model::Poems(PositionalEncoding::Learned), "poems-learned"),
        (
            Model::Poems(PositionalEncoding::Sinusoidal),
            "poems-sinusoidal",
        ),
        (Model::Poems(PositionalEncoding::T5), "poems-t5"),
        (Model::Poems(PositionalEncoding::Rope), "poems-rope"),
        (Model::Poems(PositionalEncoding::Alibi), "poems-alibi"),
    ];
}

impl AddressValue for Target {
    const VALUES: &'static [(Self, &'static str)] =
        &[(Target::French, "french"), (Target::Chinese, "chinese")];
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
