//! The values of choices in the address and in `data-` attributes.

use std::{fmt, str::FromStr};

use attention_trace::{AttentionKind, positions::PositionalEncoding};

use super::{
    mine::MineId,
    model::{Model, Recurrent, Target},
    trained::{NotAnId, TrainedId},
    view::{DeviceChoice, ImportanceOf, Representation, Tab, Theme},
};

/// The prefix of the name of a model that was trained on this page.
const TRAINED: &str = "trained-";
/// The name of a model from the visitor's disk, without an id.
const MINE: &str = "mine";
/// The prefix of the name of a model from the visitor's disk.
const OF_MINE: &str = "mine-";

/// A choice among few, each with a value in the address.
pub trait AddressValue: Copy + PartialEq + 'static {
    /// All choices with their values.
    const VALUES: &'static [(Self, &'static str)];

    /// Names of choices in addresses from earlier versions of the page.
    const EARLIER: &'static [(Self, &'static str)] = &[];

    /// Returns the choice's value in the address.
    fn address_value(self) -> &'static str {
        Self::VALUES
            .iter()
            .find(|(choice, _)| *choice == self)
            .map_or("", |(_, word)| word)
    }

    /// Returns the choice that has this value.
    fn from_address_value(word: &str) -> Option<Self> {
        let known = Self::VALUES.iter().chain(Self::EARLIER);
        let mut known = known.filter(|(_, known)| *known == word);
        known.next().map(|(choice, _)| *choice)
    }
}

/// The models that are served with the page; [`Display`](fmt::Display) and [`FromStr`] spell the others too.
impl AddressValue for Model {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Model::Translator, "translator"),
        (Model::FromEnglish(Target::French), "to-french"),
        (Model::FromEnglish(Target::Chinese), "to-chinese"),
        (Model::Sentences, "sentences"),
        (Model::Recurrent(Recurrent::Fixed), "recurrent-fixed"),
        (Model::Recurrent(Recurrent::Bahdanau), "recurrent-bahdanau"),
        (Model::Recurrent(Recurrent::Luong), "recurrent-luong"),
        (Model::Recurrent(Recurrent::Chinese), "recurrent-chinese"),
        (Model::Universal, "universal"),
        (Model::Positions(PositionalEncoding::None), "positions-none"),
        (
            Model::Positions(PositionalEncoding::Learned),
            "positions-learned",
        ),
        (
            Model::Positions(PositionalEncoding::Sinusoidal),
            "positions-sinusoidal",
        ),
        (Model::Positions(PositionalEncoding::T5), "positions-t5"),
        (Model::Positions(PositionalEncoding::Rope), "positions-rope"),
        (
            Model::Positions(PositionalEncoding::Alibi),
            "positions-alibi",
        ),
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

    const EARLIER: &'static [(Self, &'static str)] = &[
        (Model::Positions(PositionalEncoding::None), "recall-none"),
        (
            Model::Positions(PositionalEncoding::Learned),
            "recall-learned",
        ),
        (
            Model::Positions(PositionalEncoding::Sinusoidal),
            "recall-sinusoidal",
        ),
        (Model::Positions(PositionalEncoding::T5), "recall-t5"),
        (Model::Positions(PositionalEncoding::Rope), "recall-rope"),
        (Model::Positions(PositionalEncoding::Alibi), "recall-alibi"),
    ];

    /// Returns the name of a model that is served with the page; for another, its origin.
    fn address_value(self) -> &'static str {
        let served = Self::VALUES.iter().find(|(model, _)| *model == self);
        match (served, self) {
            (Some((_, word)), _) => word,
            (None, Model::Mine(_)) => MINE,
            (None, _) => "trained",
        }
    }
}

impl AddressValue for ImportanceOf {
    const VALUES: &'static [(Self, &'static str)] = &[
        (ImportanceOf::Text, "text"),
        (ImportanceOf::Sentences, "sentences"),
    ];
}

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Model::Trained(id) => write!(f, "{TRAINED}{id}"),
            Model::Mine(Some(id)) => write!(f, "{OF_MINE}{id}"),
            Model::Mine(None) => f.write_str(MINE),
            served => f.write_str(served.address_value()),
        }
    }
}

impl FromStr for Model {
    type Err = NotAnId;

    fn from_str(text: &str) -> Result<Self, NotAnId> {
        if let Some(id) = text.strip_prefix(TRAINED) {
            return id.parse::<TrainedId>().map(Model::Trained);
        }
        if text == MINE {
            return Ok(Model::Mine(None));
        }
        match text.strip_prefix(OF_MINE) {
            Some(id) => id
                .parse::<MineId>()
                .map(|id| Model::Mine(Some(id)))
                .map_err(|_| NotAnId),
            None => Model::from_address_value(text).ok_or(NotAnId),
        }
    }
}

impl AddressValue for Recurrent {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Recurrent::Fixed, "fixed"),
        (Recurrent::Bahdanau, "bahdanau"),
        (Recurrent::Luong, "luong"),
        (Recurrent::Chinese, "chinese"),
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
        (Tab::Explore, "explore"),
        (Tab::Learn, "learn"),
        (Tab::Teach, "teach"),
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
        (Representation::NextWord, "next"),
        (Representation::Claim, "claim"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_names_of_models_are_still_read_and_written_no_more() {
        let earlier = Model::from_address_value("recall-rope");
        assert_eq!(earlier, Some(Model::Positions(PositionalEncoding::Rope)));
        for (model, word) in Model::EARLIER {
            assert_eq!(Model::from_address_value(word), Some(*model));
            assert_ne!(model.address_value(), *word);
        }
        assert_eq!(Model::EARLIER.len(), PositionalEncoding::ALL.len());
    }
}
