//! What the chapters show, as plain data.

mod order;
mod positions;
mod scale;
mod scores;
mod sizes;

pub use self::{
    order::WordOrder,
    positions::{Encodings, Score},
    scale::Scale,
    scores::{Read, Scores},
    sizes::{Architecture, Sizes},
};
use super::{
    fragment::{Reader, Writer},
    values::AddressValue,
};

/// Everything that decides what the chapters show. A chapter with more than a stage to remember adds
/// a field with a struct of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chapters {
    /// The name of the open chapter; empty, or none that there is, for the first. The page's registry of chapters has
    /// their names.
    pub open: String,
    /// The stage of the open chapter's figure, from 0; too large a number means the last.
    pub stage: usize,
    /// Where the numbers of chapter "follow" come from.
    pub follow: FollowSource,
    /// The norm that chapter "norms" shows.
    pub norm: Norm,
    /// What chapter "scale" shows.
    pub scale: Scale,
    /// What chapter "scores" shows.
    pub scores: Scores,
    /// What chapter "order" shows.
    pub order: WordOrder,
    /// What chapter "positions" shows.
    pub encodings: Encodings,
    /// The model whose sizes chapter "sizes" counts.
    pub sizes: Sizes,
}

/// A normalisation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Norm {
    /// LayerNorm.
    #[default]
    Layer,
    /// RMSNorm.
    Rms,
    /// BatchNorm.
    Batch,
}

impl AddressValue for Norm {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Norm::Layer, "layer"),
        (Norm::Rms, "rms"),
        (Norm::Batch, "batch"),
    ];
}

/// Where the numbers of chapter "follow" come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FollowSource {
    /// Those of the head and the sentence on screen.
    #[default]
    Head,
    /// Those of the lecture's worked example, "Thinking Machines".
    ThinkingMachines,
}

impl AddressValue for FollowSource {
    const VALUES: &'static [(Self, &'static str)] = &[
        (FollowSource::Head, "head"),
        (FollowSource::ThinkingMachines, "thinking-machines"),
    ];
}

/// Where a figure's numbers come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataSource {
    /// The lecture's.
    #[default]
    Lecture,
    /// Those of the head and the sentence on screen.
    Head,
}

impl AddressValue for DataSource {
    const VALUES: &'static [(Self, &'static str)] =
        &[(DataSource::Lecture, "lecture"), (DataSource::Head, "head")];
}

impl Chapters {
    /// Opens a chapter at its first stage.
    pub fn open(&mut self, name: &str) {
        name.clone_into(&mut self.open);
        self.stage = 0;
    }

    /// Writes what differs from the default.
    pub(super) fn write(&self, fragment: &mut Writer) {
        let standard = Chapters::default();
        fragment.text("chapter", &self.open, &standard.open);
        fragment.number("stage", self.stage, standard.stage);
        fragment.choice("follow", self.follow, standard.follow);
        fragment.choice("norm", self.norm, standard.norm);
        self.scale.write(fragment);
        self.scores.write(fragment);
        self.order.write(fragment);
        self.encodings.write(fragment);
        self.sizes.write(fragment);
    }

    /// Reads what [`write`](Self::write) wrote; whatever is missing or unknown is at its default.
    pub(super) fn read(fragment: &Reader) -> Self {
        let standard = Chapters::default();
        Chapters {
            open: fragment.get("chapter").map_or(standard.open, str::to_owned),
            stage: fragment.number("stage").unwrap_or(standard.stage),
            follow: fragment.choice("follow").unwrap_or(standard.follow),
            norm: fragment.choice("norm").unwrap_or(standard.norm),
            scale: Scale::read(fragment),
            scores: Scores::read(fragment),
            order: WordOrder::read(fragment),
            encodings: Encodings::read(fragment),
            sizes: Sizes::read(fragment),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub fn choice<T: AddressValue + std::fmt::Debug>() -> impl Strategy<Value = T> {
        (0..T::VALUES.len()).prop_map(|index| T::VALUES[index].0)
    }

    prop_compose! {
        pub fn chapters()(
            open in "[a-z]{0,8}",
            stage in any::<usize>(),
            follow in choice::<FollowSource>(),
            norm in choice::<Norm>(),
            scale in super::scale::tests::scale(),
            scores in super::scores::tests::scores(),
            order in super::order::tests::order(),
            encodings in super::positions::tests::encodings(),
            sizes in super::sizes::tests::sizes(),
        ) -> Chapters {
            Chapters { open, stage, follow, norm, scale, scores, order, encodings, sizes }
        }
    }

    #[test]
    fn a_chapter_opens_at_its_first_stage() {
        let mut chapters = Chapters {
            stage: 7,
            ..Chapters::default()
        };
        chapters.open("scale");
        assert_eq!(chapters.open, "scale");
        assert_eq!(chapters.stage, 0);
    }
}
