//! The chapters of the tab "Learn", in a folder each; what a chapter says is in `chapters` beside the translations.

#![recursion_limit = "512"]

mod alignment;
mod chapter;
mod compare;
mod derived;
mod embedding;
mod explanation;
mod follow;
mod forcing;
mod hand;
mod heads;
mod image;
mod judging;
mod kit;
mod layers;
mod lens;
mod masks;
mod norms;
mod order;
mod patching;
mod positions;
mod recurrent;
mod roles;
mod scale;
mod scores;
mod search;
mod sizes;
mod source;
mod start;
mod tools;
mod topic;
mod training;
mod universal;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use self::{
    chapter::{Chapter, Part},
    compare::parameters::{Compare, Compared},
    follow::parameters::{Follow, FollowSource},
    kit::{AfterChapter, BeforeChapter},
    positions::parameters::Encodings,
    recurrent::parameters::RecurrentView,
    roles::parameters::RolesLab,
    start::parameters::{Screen, Start},
    tools::{ChapterTool, TOOLS, ToolFigures, provide_windows},
    topic::Topic,
    training::kept::show_kept,
    training::parameters::Training,
};

use self::{
    alignment::parameters::AlignmentView, chapter::Content, derived::parameters::DerivedView,
    embedding::parameters::EmbeddingLab, explanation::parameters::Explanation,
    forcing::parameters::Forcing, hand::parameters::Hand, heads::parameters::Heads,
    image::parameters::ImageLab, judging::parameters::Judging, layers::parameters::LayersLab,
    lens::parameters::LensView, masks::parameters::Masks, norms::parameters::Norms,
    order::parameters::WordOrder, patching::parameters::PatchingView, scale::parameters::Scale,
    scores::parameters::Scores, search::parameters::SearchLab, sizes::parameters::Sizes,
    universal::parameters::UniversalView,
};

use attention_core::state::{FirstOnce, Parameters, Registry};

/// The registry, and the code of each of its chapters at the same place.
macro_rules! chapters {
    ($($chapter:ty,)+) => {
        /// The chapters, in the order in which they are read.
        pub static CHAPTERS: &[Chapter] = &[$(Chapter::of::<$chapter>(),)+];
        static CONTENTS: &[Content] = &[$(Content::of::<$chapter>(),)+];
    };
}

chapters! {
    Start,
    Follow,
    Hand,
    Scale,
    Scores,
    Heads,
    Masks,
    WordOrder,
    Encodings,
    Norms,
    Sizes,
    Forcing,
    SearchLab,
    Judging,
    Training,
    LayersLab,
    RecurrentView,
    EmbeddingLab,
    ImageLab,
    UniversalView,
    RolesLab,
    LensView,
    PatchingView,
    Explanation,
    DerivedView,
    Compare,
    AlignmentView,
}

/// Makes the chapters' parameters known to addresses. Call it before the first address is read.
pub fn install() {
    attention_core::state::install(Registry {
        kinds: CHAPTERS.iter().flat_map(Chapter::kinds).collect(),
        first: Start::CHAPTER,
        first_once: Some(FirstOnce {
            chapter: Follow::CHAPTER,
            is_meant: |fragment| {
                let follow: Option<FollowSource> = fragment.choice("follow");
                fragment.index("stage").is_some() || follow.is_some()
            },
            is_shown: |chapters| {
                chapters.stage != 0 || *chapters.of::<Follow>() != Follow::default()
            },
        }),
        former_tabs: &[("positions", positions::open_former_tab)],
    });
}
