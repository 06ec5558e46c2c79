//! What the chapters show, as plain data.

use super::{
    encodings::Encodings,
    fragment::{Reader, Writer},
    lessons::{Scale, Scores},
    order::WordOrder,
    sizes::Sizes,
    values::AddressValue,
};

/// A chapter of the "Learn" tab.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Chapter {
    /// One head, from token to the layer's output.
    #[default]
    Follow,
    /// Why scores are divided by √d_k, and why e^x.
    Scale,
    /// Ways to score a key against a query.
    Scores,
    /// What attention does not know: order.
    Order,
    /// Positional encodings and what they do to a model.
    Positions,
    /// Normalisation, the residual stream, the feed-forward network.
    Norms,
    /// Where the parameters are.
    Sizes,
}

/// The chapters there are, in the order in which they are read.
impl AddressValue for Chapter {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Chapter::Follow, "follow"),
        (Chapter::Scale, "scale"),
        (Chapter::Scores, "scores"),
        (Chapter::Order, "order"),
        (Chapter::Positions, "positions"),
        (Chapter::Norms, "norms"),
        (Chapter::Sizes, "sizes"),
    ];
}

impl Chapter {
    /// The chapter `by` places further on, if there is one.
    pub fn neighbour(self, by: isize) -> Option<Chapter> {
        let chapters = Self::VALUES.iter().map(|&(chapter, _)| chapter);
        let place = chapters.clone().position(|chapter| chapter == self)?;
        let place = place.checked_add_signed(by)?;
        chapters.into_iter().nth(place)
    }
}

/// Everything that decides what the chapters show. A chapter with more than a stage to remember adds
/// a field with a struct of its own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chapters {
    /// The chapter that is open.
    pub open: Chapter,
    /// The stage of the open chapter's figure, from 0; too large a number means the last.
    pub stage: usize,
    /// Whose numbers chapter "follow" shows.
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

/// Whose numbers chapter "follow" shows.
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

impl Chapters {
    /// Opens a chapter at its first stage.
    pub fn open(&mut self, chapter: Chapter) {
        self.open = chapter;
        self.stage = 0;
    }

    /// Writes what differs from the default.
    pub(super) fn write(&self, fragment: &mut Writer) {
        let standard = Chapters::default();
        fragment.choice("chapter", self.open, standard.open);
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
            open: fragment.choice("chapter").unwrap_or(standard.open),
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
            open in choice::<Chapter>(),
            stage in any::<usize>(),
            follow in choice::<FollowSource>(),
            norm in choice::<Norm>(),
            scale in crate::state::lessons::tests::scale(),
            scores in crate::state::lessons::tests::scores(),
            order in crate::state::order::tests::order(),
            encodings in crate::state::encodings::tests::encodings(),
            sizes in crate::state::sizes::tests::sizes(),
        ) -> Chapters {
            Chapters { open, stage, follow, norm, scale, scores, order, encodings, sizes }
        }
    }

    #[test]
    fn neighbours_are_those_of_the_list() {
        for pair in Chapter::VALUES.windows(2) {
            assert_eq!(pair[0].0.neighbour(1), Some(pair[1].0));
            assert_eq!(pair[1].0.neighbour(-1), Some(pair[0].0));
        }
        assert_eq!(Chapter::VALUES[0].0.neighbour(-1), None);
    }

    #[test]
    fn a_chapter_opens_at_its_first_stage() {
        let mut chapters = Chapters {
            stage: 7,
            ..Chapters::default()
        };
        chapters.open(Chapter::Follow);
        assert_eq!(chapters.stage, 0);
    }
}
