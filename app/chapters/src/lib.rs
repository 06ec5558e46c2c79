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
mod training;
mod universal;

use leptos::prelude::*;

use attention_core::{
    i18n::{t_string, use_i18n},
    selection::Needs,
    state::{Tab, View},
};

/// A chapter.
#[derive(Debug)]
pub struct Chapter {
    /// Its name in the address and of its texts.
    pub name: &'static str,
    /// What it is called in the page's language; subscribes to its change.
    pub title: fn() -> String,
    /// What it is about; of a model that lacks it, the chapter says so.
    pub needs: Needs,
    /// Shows it.
    pub show: fn() -> AnyView,
}

/// The registry: each chapter's module, which is also its name, its component, and what it needs of a model.
macro_rules! chapters {
    ($($name:ident: $component:ident needs $needs:ident,)+) => {
        /// The chapters, in the order in which they are read.
        pub static CHAPTERS: &[Chapter] = &[$(
            Chapter {
                name: stringify!($name),
                title: || t_string!(use_i18n(), chapters.$name).to_owned(),
                needs: Needs::$needs,
                show: || self::$name::$component().into_any(),
            },
        )+];
    };
}

chapters! {
    start: StartChapter needs SelfAttention,
    follow: FollowChapter needs SelfAttention,
    hand: HandChapter needs SelfAttention,
    scale: ScaleChapter needs SelfAttention,
    scores: ScoresChapter needs SelfAttention,
    heads: HeadsChapter needs SelfAttention,
    roles: RolesChapter needs Attention,
    layers: LayersChapter needs SelfAttention,
    recurrent: RecurrentChapter needs Nothing,
    embedding: EmbeddingChapter needs Nothing,
    image: ImageChapter needs Nothing,
    masks: MasksChapter needs SelfAttention,
    forcing: ForcingChapter needs Nothing,
    search: SearchChapter needs Nothing,
    judging: JudgingChapter needs Nothing,
    order: OrderChapter needs SelfAttention,
    positions: PositionsChapter needs Positions,
    norms: NormsChapter needs Layers,
    lens: LensChapter needs Layers,
    patching: PatchingChapter needs Layers,
    explanation: ExplanationChapter needs Attention,
    derived: DerivedChapter needs Attention,
    alignment: AlignmentChapter needs Attention,
    compare: CompareChapter needs Attention,
    universal: UniversalChapter needs Nothing,
    sizes: SizesChapter needs Layers,
    training: TrainingChapter needs Nothing,
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
    fn every_chapter_has_a_text() {
        let texts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/locales/en/chapters");
        for Chapter { name, .. } in CHAPTERS {
            assert!(texts.join(name).with_extension("md").is_file(), "{name}");
        }
    }
}
