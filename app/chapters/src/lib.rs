//! The chapters of the tab "Learn". Each page of them has a folder: figures, parameters, test, and in `en` and `zh` its texts
//! and strings. A new one is its folder, its `mod` and its place in the course.

#![recursion_limit = "512"]

mod alignment;
pub mod census;
mod chapter;
mod compare;
mod derived;
mod embedding;
mod exercise;
mod explanation;
mod flash;
mod follow;
mod forcing;
mod hand;
mod head_map;
mod heads;
mod image;
mod induction;
mod judging;
mod kinds;
mod kit;
mod layers;
mod lens;
mod long;
mod masks;
mod memory;
mod needs;
mod norms;
mod order;
mod page;
mod patching;
mod positions;
mod recall;
mod recurrent;
mod roles;
mod scale;
mod scores;
mod search;
mod series;
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
    exercise::Exercise,
    follow::parameters::{Follow, FollowSource},
    kit::{AfterChapter, BeforeChapter, evidence},
    needs::{Lacking, Needs, TranslatorLink, has_what_is_needed},
    page::{Page, topic_of},
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

/// The course: its chapters, their pages as one list, and the code of each page at the same place.
macro_rules! course {
    ($($part:ident: { $([$($page:ty),+],)+ })+) => {
        /// The chapters, in the order in which they are read.
        pub static CHAPTERS: &[Chapter] = &[$($(
            Chapter::new(Part::$part, &[$(<$page as Parameters>::CHAPTER),+]),
        )+)+];
        /// The pages of all chapters, in the order in which they are read.
        pub static PAGES: &[Page] = &[$($($(Page::of::<$page>(),)+)+)+];
        static CONTENTS: &[page::Content] = &[$($($(page::Content::of::<$page>(),)+)+)+];
    };
}

course! {
    Steps: {
        [start::parameters::Start],
        [hand::parameters::Hand],
        [follow::parameters::Follow],
        [scale::parameters::Scale],
        [heads::parameters::Heads],
        [order::parameters::WordOrder, positions::parameters::Encodings],
        [masks::parameters::Masks],
        [norms::parameters::Norms],
        [search::parameters::SearchLab, judging::parameters::Judging],
        [forcing::parameters::Forcing, training::parameters::Training],
    }
    Origins: {
        [recurrent::parameters::RecurrentView, scores::parameters::Scores],
        [layers::parameters::LayersLab, universal::parameters::UniversalView],
        [embedding::parameters::EmbeddingLab],
    }
    Claims: {
        [roles::parameters::RolesLab, alignment::parameters::AlignmentView],
        [explanation::parameters::Explanation, derived::parameters::DerivedView, compare::parameters::Compare],
        [lens::parameters::LensView],
        [patching::parameters::PatchingView],
    }
    Today: {
        [sizes::parameters::Sizes, kinds::parameters::Kinds],
        [memory::parameters::KeptView, flash::parameters::Flash, recall::parameters::RecallView],
        [long::parameters::LongTexts],
        [induction::parameters::InductionView],
        [image::parameters::ImageLab],
    }
}

/// Makes the chapters' parameters known to addresses. Call it before the first address is read.
pub fn install() {
    attention_core::state::install(Registry {
        kinds: PAGES.iter().flat_map(Page::kinds).collect(),
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
