//! The chapters of the tab "Learn". Each has a folder: figures, parameters, test, and in `en` and `zh` its texts and strings.
//! A new one is its folder, its `mod` and its line in the registry.

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
mod needs;
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
    chapter::{Chapter, Part, topic_of},
    compare::parameters::{Compare, Compared},
    follow::parameters::{Follow, FollowSource},
    kit::{AfterChapter, BeforeChapter},
    needs::{Lacking, Needs, TranslatorLink, has_what_is_needed},
    positions::parameters::Encodings,
    recurrent::parameters::RecurrentView,
    roles::parameters::RolesLab,
    start::parameters::{Screen, Start},
    tools::{ChapterTool, TOOLS, ToolFigures, provide_windows},
    topic::Topic,
    training::kept::show_kept,
    training::parameters::Training,
};

use attention_core::state::{FirstOnce, FormerTab, Parameters, Registry};

/// The registry, and the code of each of its chapters at the same place.
macro_rules! chapters {
    ($($chapter:ty,)+) => {
        /// The chapters, in the order in which they are read.
        pub static CHAPTERS: &[Chapter] = &[$(Chapter::of::<$chapter>(),)+];
        static CONTENTS: &[chapter::Content] = &[$(chapter::Content::of::<$chapter>(),)+];
    };
}

chapters! {
    start::parameters::Start,
    follow::parameters::Follow,
    hand::parameters::Hand,
    scale::parameters::Scale,
    scores::parameters::Scores,
    heads::parameters::Heads,
    masks::parameters::Masks,
    order::parameters::WordOrder,
    positions::parameters::Encodings,
    norms::parameters::Norms,
    sizes::parameters::Sizes,
    forcing::parameters::Forcing,
    search::parameters::SearchLab,
    judging::parameters::Judging,
    training::parameters::Training,
    layers::parameters::LayersLab,
    recurrent::parameters::RecurrentView,
    embedding::parameters::EmbeddingLab,
    image::parameters::ImageLab,
    universal::parameters::UniversalView,
    roles::parameters::RolesLab,
    lens::parameters::LensView,
    patching::parameters::PatchingView,
    explanation::parameters::Explanation,
    derived::parameters::DerivedView,
    compare::parameters::Compare,
    alignment::parameters::AlignmentView,
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
        former_tabs: &[FormerTab {
            name: "positions",
            open: positions::open_former_tab,
        }],
    });
}
