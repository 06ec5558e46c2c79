//! The frame of a chapter for learners: a test before and after it, a summary, misconceptions, references.

pub mod derivation;
pub mod evidence;
pub mod gathered;
mod kits;
pub mod questions;
mod test;
pub mod trial;
pub mod words;

pub use self::kits::{Kit, Misconception, mistake};
pub(crate) use self::questions::question;

use leptos::prelude::*;

use self::{gathered::Gathered, test::Test};
use attention_core::{
    i18n::{t, use_i18n},
    navigation::ViewLink,
    selection::{Kinds, SelfAttention},
    state::{Sitting, View, ViewState},
    texts::provide_text,
    widgets::Prose,
};

/// The test before a chapter; nothing where its words are not known before it.
#[component]
pub fn BeforeChapter(kit: &'static Kit) -> impl IntoView {
    (kit.is_asked_before && kit.has_test()).then(|| view! { <Before kit /> })
}

/// The summary, the misconceptions, the test and the references after a chapter.
#[component]
pub fn AfterChapter(kit: &'static Kit) -> impl IntoView {
    let i18n = use_i18n();
    provide_kit(kit);
    let misconception = |misconception: &'static Misconception| {
        view! {
            <li class="misconception">
                <Prose part=misconception.part />
                <ViewLink
                    change=move |view: &mut View| *view = view.at_link(misconception.link)
                    class="own-sentence"
                    test_id="see-misconception"
                >
                    {t!(i18n, kits.see)}
                </ViewLink>
            </li>
        }
    };
    view! {
        <section class="kit" data-testid="kit">
            <h3>{t!(i18n, kits.summary)}</h3>
            <Prose part="intro" />
            <h3>{t!(i18n, kits.misconceptions)}</h3>
            <ul class="misconceptions">{kit.misconceptions.iter().map(misconception).collect_view()}</ul>
            {kit.has_test().then(|| view! { <Test kit sitting=Sitting::After /> })}
            <h3>{t!(i18n, kits.references)}</h3>
            <Prose part="references" />
        </section>
    }
}

#[component]
fn Before(kit: &'static Kit) -> impl IntoView {
    provide_kit(kit);
    view! {
        <section class="kit">
            <Test kit sitting=Sitting::Before />
        </section>
    }
}

/// Provides the kit's text, and the head and the token that its questions are about.
fn provide_kit(kit: &'static Kit) {
    provide_text(move || format!("kits/{}", kit.chapter));
    SelfAttention::provide(Kinds::OfSelf);
}

/// Gathers what a test needs at a sitting while it is open.
fn gathered_for(kit: &'static Kit, sitting: Sitting, is_open: Signal<bool>) -> Gathered {
    // A test that is taken once is about what is in sight.
    let sitting = match kit.is_asked_before {
        true => sitting,
        false => Sitting::Before,
    };
    Gathered::new(sitting, move || match is_open.get() {
        true => kit.questions,
        false => &[],
    })
}

/// The scores of a chapter's test before and after it.
fn scores(kit: &'static Kit) -> Memo<[Option<u32>; 2]> {
    ViewState::expect().select(move |view| {
        Sitting::ALL.map(|sitting| {
            let right = view.chapters.quiz.right(kit.chapter, sitting);
            right.map(u8::count_ones)
        })
    })
}
