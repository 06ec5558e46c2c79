//! The chapters of the tab "Learn", in a folder each; what a chapter says is in `chapters` beside the translations.

#![recursion_limit = "512"]

mod alignment;
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
mod start;
mod tools;
mod training;
mod universal;

pub use self::tools::{ChapterTool, TOOLS, ToolFigures, provide_windows};

use leptos::prelude::*;

use attention_core::{
    i18n::{t_string, use_i18n},
    selection::Needs,
    state::{Tab, View},
};

/// A group of chapters; the parts stand in the order in which they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// For those who know what a vector is and no more.
    Start,
    /// The computation of one layer, from tokens to the residual stream.
    Steps,
    /// Decoding, evaluation and training.
    Writing,
    /// Models before the Transformer, and other uses of attention.
    Beside,
    /// Measurements and interventions that test a claim about a head.
    Claims,
}

impl Part {
    /// All of them, in the order in which they are read.
    pub const ALL: [Self; 5] = [
        Self::Start,
        Self::Steps,
        Self::Writing,
        Self::Beside,
        Self::Claims,
    ];

    /// The title in the page's language; subscribes to its change.
    pub fn title(self) -> String {
        let i18n = use_i18n();
        match self {
            Self::Start => t_string!(i18n, chapters.part_start),
            Self::Steps => t_string!(i18n, chapters.part_steps),
            Self::Writing => t_string!(i18n, chapters.part_writing),
            Self::Beside => t_string!(i18n, chapters.part_beside),
            Self::Claims => t_string!(i18n, chapters.part_claims),
        }
        .to_owned()
    }

    /// Its chapters, in the order in which they are read.
    pub fn chapters(self) -> impl Iterator<Item = &'static Chapter> {
        CHAPTERS.iter().filter(move |chapter| chapter.part == self)
    }
}

/// A chapter.
#[derive(Debug)]
pub struct Chapter {
    /// Its name in the address and of its texts.
    pub name: &'static str,
    /// The part that it belongs to.
    pub part: Part,
    /// What it is called in the page's language; subscribes to its change.
    pub title: fn() -> String,
    /// What it is about; of a model that lacks it, the chapter says so.
    pub needs: Needs,
    /// Reading time at a hundred words a minute, which leaves time for the figures.
    pub minutes: u32,
    /// Shows it.
    pub show: fn() -> AnyView,
}

/// The registry, part by part: each chapter's module, which is also its name, its component, what it needs of a model, and
/// how many minutes it takes.
macro_rules! chapters {
    ($($part:ident { $($name:ident: $component:ident needs $needs:ident takes $minutes:literal,)+ })+) => {
        /// The chapters, in the order in which they are read.
        pub static CHAPTERS: &[Chapter] = &[$($(
            Chapter {
                name: stringify!($name),
                part: Part::$part,
                title: || t_string!(use_i18n(), chapters.$name).to_owned(),
                needs: Needs::$needs,
                minutes: $minutes,
                show: || self::$name::$component().into_any(),
            },
        )+)+];
    };
}

chapters! {
    Start {
        start: StartChapter needs SelfAttention takes 13,
    }
    Steps {
        follow: FollowChapter needs SelfAttention takes 23,
        hand: HandChapter needs SelfAttention takes 10,
        scale: ScaleChapter needs SelfAttention takes 5,
        scores: ScoresChapter needs SelfAttention takes 5,
        heads: HeadsChapter needs SelfAttention takes 5,
        masks: MasksChapter needs SelfAttention takes 5,
        order: OrderChapter needs SelfAttention takes 5,
        positions: PositionsChapter needs Positions takes 16,
        norms: NormsChapter needs Layers takes 5,
        sizes: SizesChapter needs Layers takes 7,
    }
    Writing {
        forcing: ForcingChapter needs Nothing takes 4,
        search: SearchChapter needs Nothing takes 8,
        judging: JudgingChapter needs Nothing takes 14,
        training: TrainingChapter needs Nothing takes 6,
    }
    Beside {
        layers: LayersChapter needs SelfAttention takes 11,
        recurrent: RecurrentChapter needs Nothing takes 14,
        embedding: EmbeddingChapter needs Nothing takes 9,
        image: ImageChapter needs Nothing takes 7,
        universal: UniversalChapter needs Nothing takes 8,
    }
    Claims {
        roles: RolesChapter needs Attention takes 6,
        lens: LensChapter needs Layers takes 8,
        patching: PatchingChapter needs Layers takes 6,
        explanation: ExplanationChapter needs Attention takes 6,
        derived: DerivedChapter needs Attention takes 6,
        compare: CompareChapter needs Attention takes 3,
        alignment: AlignmentChapter needs Attention takes 6,
    }
}

impl PartialEq for Chapter {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Chapter {
    /// The chapter that a view has open.
    pub fn open_in(view: &View) -> &'static Self {
        let name = view.chapters.open.as_str();
        let found = CHAPTERS.iter().find(|chapter| chapter.name == name);
        found.unwrap_or(&CHAPTERS[0])
    }

    /// Opens it in a view.
    pub fn open(&self, view: &mut View) {
        view.tab = Tab::Learn;
        view.chapters.open(self.name);
    }

    /// Its place in its part, from 1, and how many chapters that has.
    pub fn place(&self) -> (usize, usize) {
        let before = self.part.chapters().take_while(|chapter| *chapter != self);
        (before.count() + 1, self.part.chapters().count())
    }

    /// The chapter `by` places further on, if there is one.
    pub fn neighbour(&self, by: isize) -> Option<&'static Self> {
        let place = CHAPTERS.iter().position(|chapter| chapter == self)?;
        CHAPTERS.get(place.checked_add_signed(by)?)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn neighbours_are_those_of_the_list() {
        for pair in CHAPTERS.windows(2) {
            assert_eq!(pair[0].neighbour(1), Some(&pair[1]));
            assert_eq!(pair[1].neighbour(-1), Some(&pair[0]));
        }
        assert_eq!(CHAPTERS[0].neighbour(-1), None);
    }

    #[test]
    fn an_opened_chapter_is_open() {
        for chapter in CHAPTERS {
            let mut view = View::default();
            chapter.open(&mut view);
            assert_eq!(Chapter::open_in(&view), chapter);
        }
        let unknown = View::from_fragment("chapter=alchemy");
        assert_eq!(Chapter::open_in(&unknown), &CHAPTERS[0]);
    }

    #[test]
    fn the_first_is_open_where_an_address_names_none() {
        assert_eq!(View::default().chapters.open, CHAPTERS[0].name);
        let before = View::from_fragment("tab=learn&stage=5");
        assert_eq!(Chapter::open_in(&before).name, "follow");
    }

    #[test]
    fn parts_follow_one_another_and_have_all_chapters() {
        let by_parts = Part::ALL.into_iter().flat_map(Part::chapters);
        assert!(by_parts.eq(CHAPTERS));
        for part in Part::ALL {
            let places: Vec<_> = part.chapters().map(Chapter::place).collect();
            let count = places.len();
            let wanted: Vec<_> = (1..=count).map(|place| (place, count)).collect();
            assert_eq!(places, wanted);
        }
    }

    #[test]
    fn a_chapter_takes_a_minute_for_a_hundred_words() -> std::io::Result<()> {
        let texts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/locales/en/chapters");
        for Chapter { name, minutes, .. } in CHAPTERS {
            let text = std::fs::read_to_string(texts.join(name).with_extension("md"))?;
            let words = text.split_whitespace().count() as f64;
            let off = (words / 100.0 - f64::from(*minutes)).abs();
            assert!(off <= 1.0, "{name}: {words} words, {minutes} minutes");
        }
        Ok(())
    }
}
