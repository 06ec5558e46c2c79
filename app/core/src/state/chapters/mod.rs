//! What the chapters show, as plain data.

mod alignment;
mod compare;
mod derived;
mod embedding;
mod explanation;
mod forcing;
mod hand;
mod heads;
mod image;
mod judging;
mod layers;
mod lens;
mod masks;
mod order;
mod patching;
mod positions;
mod quiz;
mod reading;
mod recurrent;
mod roles;
mod scale;
mod scores;
mod search;
mod sizes;
mod start;
mod training;
mod universal;

pub use self::{
    alignment::{AlignedHeads, AlignedRow, AlignmentView},
    compare::{Compare, Compared},
    derived::DerivedView,
    embedding::{EmbeddingLab, Hops, Shading},
    explanation::{Explanation, Replaced, Where},
    forcing::Forcing,
    hand::{Hand, HandCell, HandMatrix},
    heads::Heads,
    image::{ImageLab, PictureTool},
    judging::{Direction, Judging},
    layers::{Against, LayersLab},
    lens::LensView,
    masks::{Mask, Masks},
    order::WordOrder,
    patching::{KeptPatch, PatchingView},
    positions::{Encodings, Score},
    quiz::{MOST_QUESTIONS, Quiz, Sitting},
    reading::Reading,
    recurrent::RecurrentView,
    roles::RolesLab,
    scale::Scale,
    scores::{Read, Scores},
    search::{Count, Method, SearchLab},
    sizes::{Architecture, Sizes},
    start::{Screen, Start},
    training::{Lesson, Maps, Training, number_mut, settings_from, spelled_settings, switched},
    universal::UniversalView,
};
use super::{
    fragment::{Reader, Writer},
    values::AddressValue,
};

/// Everything that decides what the chapters show. A chapter with more than a stage to remember adds
/// a field with a struct of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Chapters {
    /// The name of the open chapter; one that there is not means the first. The page's registry of chapters has their
    /// names.
    pub open: String,
    /// The stage of the open chapter's figure, from 0; too large a number means the last.
    pub stage: usize,
    /// What is unfolded in the open chapter.
    pub reading: Reading,
    /// The chapters' tests.
    pub quiz: Quiz,
    /// Where the numbers of chapter "follow" come from.
    pub follow: FollowSource,
    /// What chapter "start" shows.
    pub start: Start,
    /// What chapter "hand" shows.
    pub hand: Hand,
    /// What chapter "heads" shows.
    pub heads: Heads,
    /// What chapter "masks" shows.
    pub masks: Masks,
    /// What chapter "forcing" shows.
    pub forcing: Forcing,
    /// What chapter "search" shows.
    pub search: SearchLab,
    /// What chapter "judging" shows.
    pub judging: Judging,
    /// What chapter "layers" shows.
    pub layers: LayersLab,
    /// What chapter "recurrent" shows.
    pub recurrent: RecurrentView,
    /// What chapter "embedding" shows.
    pub embedding: EmbeddingLab,
    /// What chapter "image" shows.
    pub image: ImageLab,
    /// What chapter "lens" shows.
    pub lens: LensView,
    /// What chapter "patching" shows.
    pub patching: PatchingView,
    /// What chapter "explanation" shows.
    pub explanation: Explanation,
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
    /// What chapter "training" trains and shows.
    pub training: Training,
    /// What chapter "universal" shows.
    pub universal: UniversalView,
    /// What chapter "derived" shows.
    pub derived: DerivedView,
    /// What chapter "alignment" shows.
    pub alignment: AlignmentView,
    /// What chapter "compare" shows.
    pub compare: Compare,
    /// What chapter "roles" shows.
    pub roles: RolesLab,
}

impl Default for Chapters {
    fn default() -> Self {
        Chapters {
            open: Chapters::FIRST.to_owned(),
            stage: 0,
            reading: Reading::default(),
            quiz: Quiz::default(),
            follow: FollowSource::default(),
            start: Start::default(),
            hand: Hand::default(),
            heads: Heads::default(),
            masks: Masks::default(),
            forcing: Forcing::default(),
            search: SearchLab::default(),
            judging: Judging::default(),
            layers: LayersLab::default(),
            recurrent: RecurrentView::default(),
            embedding: EmbeddingLab::default(),
            image: ImageLab::default(),
            lens: LensView::default(),
            patching: PatchingView::default(),
            explanation: Explanation::default(),
            norm: Norm::default(),
            scale: Scale::default(),
            scores: Scores::default(),
            order: WordOrder::default(),
            encodings: Encodings::default(),
            sizes: Sizes::default(),
            training: Training::default(),
            universal: UniversalView::default(),
            derived: DerivedView::default(),
            alignment: AlignmentView::default(),
            compare: Compare::default(),
            roles: RolesLab::default(),
        }
    }
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
    /// The chapter that is open where an address names none.
    const FIRST: &str = "start";
    /// The chapter that was, before there was that one.
    const FIRST_ONCE: &str = "follow";

    /// Opens a chapter at its first stage, with nothing unfolded.
    pub fn open(&mut self, name: &str) {
        name.clone_into(&mut self.open);
        self.stage = 0;
        self.reading = Reading::default();
        self.quiz.forget_answers();
    }

    /// Writes what differs from the default.
    pub(super) fn write(&self, fragment: &mut Writer) {
        let standard = Chapters::default();
        // Where no chapter is named, a stage or a source means the chapter that was first once.
        let says_more = self.stage != standard.stage || self.follow != standard.follow;
        let unnamed = if says_more {
            Self::FIRST_ONCE
        } else {
            Self::FIRST
        };
        fragment.text("chapter", &self.open, unnamed);
        fragment.index("stage", self.stage, standard.stage);
        self.reading.write(fragment);
        self.quiz.write(fragment);
        fragment.choice("follow", self.follow, standard.follow);
        fragment.choice("norm", self.norm, standard.norm);
        self.start.write(fragment);
        self.hand.write(fragment);
        self.heads.write(fragment);
        self.masks.write(fragment);
        self.forcing.write(fragment);
        self.search.write(fragment);
        self.judging.write(fragment);
        self.layers.write(fragment);
        self.recurrent.write(fragment);
        self.embedding.write(fragment);
        self.image.write(fragment);
        self.lens.write(fragment);
        self.patching.write(fragment);
        self.explanation.write(fragment);
        self.scale.write(fragment);
        self.scores.write(fragment);
        self.order.write(fragment);
        self.encodings.write(fragment);
        self.sizes.write(fragment);
        self.training.write(fragment);
        self.universal.write(fragment);
        self.derived.write(fragment);
        self.alignment.write(fragment);
        self.compare.write(fragment);
        self.roles.write(fragment);
    }

    /// Reads what [`write`](Self::write) wrote; whatever is missing or unknown is at its default.
    pub(super) fn read(fragment: &Reader) -> Self {
        let standard = Chapters::default();
        let stage = fragment.index("stage");
        let follow = fragment.choice("follow");
        let unnamed = match stage.is_some() || follow.is_some() {
            true => Self::FIRST_ONCE,
            false => Self::FIRST,
        };
        Chapters {
            open: fragment.get("chapter").unwrap_or(unnamed).to_owned(),
            stage: stage.unwrap_or(standard.stage),
            reading: Reading::read(fragment),
            quiz: Quiz::read(fragment),
            follow: follow.unwrap_or(standard.follow),
            start: Start::read(fragment),
            hand: Hand::read(fragment),
            heads: Heads::read(fragment),
            masks: Masks::read(fragment),
            forcing: Forcing::read(fragment),
            search: SearchLab::read(fragment),
            judging: Judging::read(fragment),
            layers: LayersLab::read(fragment),
            recurrent: RecurrentView::read(fragment),
            embedding: EmbeddingLab::read(fragment),
            image: ImageLab::read(fragment),
            lens: LensView::read(fragment),
            patching: PatchingView::read(fragment),
            explanation: Explanation::read(fragment),
            norm: fragment.choice("norm").unwrap_or(standard.norm),
            scale: Scale::read(fragment),
            scores: Scores::read(fragment),
            order: WordOrder::read(fragment),
            encodings: Encodings::read(fragment),
            sizes: Sizes::read(fragment),
            training: Training::read(fragment),
            universal: UniversalView::read(fragment),
            derived: DerivedView::read(fragment),
            alignment: AlignmentView::read(fragment),
            compare: Compare::read(fragment),
            roles: RolesLab::read(fragment),
        }
    }
}

#[cfg(test)]
pub(super) use training::tests as training_tests;

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub fn choice<T: AddressValue + std::fmt::Debug>() -> impl Strategy<Value = T> {
        (0..T::VALUES.len()).prop_map(|index| T::VALUES[index].0)
    }

    prop_compose! {
        pub fn chapters()(
            open in "[a-z]{0,8}|start|follow",
            stage in any::<usize>(),
            (reading, quiz) in (super::reading::tests::reading(), super::quiz::tests::quiz()),
            follow in choice::<FollowSource>(),
            (start, other, masks, forcing, search, judging, layers, lens) in (
                super::start::tests::start(),
                any::<usize>(),
                super::masks::tests::masks(),
                super::forcing::tests::forcing(),
                super::search::tests::search(),
                super::judging::tests::judging(),
                super::layers::tests::layers(),
                super::lens::tests::lens(),
            ),
            (norm, recurrent, universal, patching, compare) in (
                choice::<Norm>(), super::recurrent::tests::recurrent(), super::universal::tests::universal(),
                super::patching::tests::patching(),
                super::compare::tests::compare(),
            ),
            (scale, hand, roles) in (
                super::scale::tests::scale(), super::hand::tests::hand(), super::roles::tests::roles(),
            ),
            (scores, explanation) in (super::scores::tests::scores(), super::explanation::tests::explanation()),
            (order, derived, alignment) in (
                super::order::tests::order(), super::derived::tests::derived(), super::alignment::tests::alignment(),
            ),
            encodings in super::positions::tests::encodings(),
            (sizes, training, image, embedding) in (
                super::sizes::tests::sizes(), super::training::tests::training(), super::image::tests::image(),
                super::embedding::tests::embedding(),
            ),
        ) -> Chapters {
            let heads = Heads { other };
            Chapters {
    open, stage, reading, quiz, follow, start, hand, heads, masks, forcing, search, judging, layers, embedding, image, recurrent, lens, patching, explanation, norm, scale, scores, order, encodings, sizes, training, universal, compare, derived, alignment, roles,
            }
        }
    }

    #[test]
    fn an_address_without_a_chapter_means_what_it_meant() {
        let open = |address: &str| Chapters::read(&Reader::new(address)).open;
        assert_eq!(open(""), "start");
        assert_eq!(open("kind=encoder&layer=2"), "start");
        for before in ["stage=5", "follow=thinking-machines", "follow=head"] {
            assert_eq!(open(before), "follow", "{before}");
        }
        assert_eq!(open("chapter=start&stage=5"), "start");
        assert_eq!(open("chapter=scale&stage=1"), "scale");
    }

    #[test]
    fn a_chapter_opens_at_its_first_stage() {
        let mut chapters = Chapters {
            stage: 7,
            reading: Reading {
                pairs: Some(3),
                ..Reading::default()
            },
            ..Chapters::default()
        };
        chapters.open("scale");
        assert_eq!(chapters.open, "scale");
        assert_eq!(chapters.stage, 0);
        assert_eq!(chapters.reading, Reading::default());
    }
}
