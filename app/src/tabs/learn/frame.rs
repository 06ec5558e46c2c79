//! The frame of every chapter: the index, the title, the way to the next.

use leptos::prelude::*;

use super::text::provide_text;
use crate::{
    chapters::{
        follow::FollowChapter, norms::NormsChapter, order::OrderChapter,
        positions::PositionsChapter, scale::ScaleChapter, scores::ScoresChapter,
        sizes::SizesChapter,
    },
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{AddressValue, Chapter, Tab, View, ViewState},
};

/// The "Learn" tab.
#[component]
pub fn LearnView() -> impl IntoView {
    let i18n = use_i18n();
    let open = ViewState::expect().select(|view| view.chapters.open);
    provide_text(open);
    view! {
        <div class="learn">
            <nav class="chapter-index" aria-label=move || t_string!(i18n, chapters.index)>
                <ol>
                    {Chapter::VALUES
                        .iter()
                        .map(|&(chapter, _)| view! { <li><IndexLink chapter open /></li> })
                        .collect_view()}
                </ol>
            </nav>
            <article class="chapter" data-testid="chapter" data-chapter=move || open.get().address_value()>
                <h2 class="chapter-title">{move || title(open.get())}</h2>
                {move || match open.get() {
                    Chapter::Follow => view! { <FollowChapter /> }.into_any(),
                    Chapter::Scale => view! { <ScaleChapter /> }.into_any(),
                    Chapter::Scores => view! { <ScoresChapter /> }.into_any(),
                    Chapter::Order => view! { <OrderChapter /> }.into_any(),
                    Chapter::Positions => view! { <PositionsChapter /> }.into_any(),
                    Chapter::Norms => view! { <NormsChapter /> }.into_any(),
                    Chapter::Sizes => view! { <SizesChapter /> }.into_any(),
                }}
                <nav class="chapter-turn" aria-label=move || t_string!(i18n, chapters.turn)>
                    {move || open.get().neighbour(-1).map(|chapter| view! {
                        <TurnLink chapter forward=false />
                    })}
                    {move || open.get().neighbour(1).map(|chapter| view! {
                        <TurnLink chapter forward=true />
                    })}
                </nav>
            </article>
        </div>
    }
}

/// A chapter's name in the page's language; subscribes to its change.
fn title(chapter: Chapter) -> String {
    let i18n = use_i18n();
    match chapter {
        Chapter::Follow => t_string!(i18n, chapters.follow),
        Chapter::Scale => t_string!(i18n, chapters.scale),
        Chapter::Scores => t_string!(i18n, chapters.scores),
        Chapter::Order => t_string!(i18n, chapters.order),
        Chapter::Positions => t_string!(i18n, chapters.positions),
        Chapter::Norms => t_string!(i18n, chapters.norms),
        Chapter::Sizes => t_string!(i18n, chapters.sizes),
    }
    .to_owned()
}

/// Opens a chapter in a view.
fn opened(chapter: Chapter) -> impl Fn(&mut View) + Copy + Send + Sync {
    move |view| {
        view.tab = Tab::Learn;
        view.chapters.open(chapter);
    }
}

#[component]
fn IndexLink(chapter: Chapter, open: Memo<Chapter>) -> impl IntoView {
    view! {
        <ViewLink
            change=opened(chapter)
            class="chapter-link"
            current=Signal::derive(move || open.get() == chapter)
            test_id=chapter.address_value()
        >
            {move || title(chapter)}
        </ViewLink>
    }
}

#[component]
fn TurnLink(chapter: Chapter, forward: bool) -> impl IntoView {
    let i18n = use_i18n();
    let (class, test_id) = if forward {
        ("chapter-next", "next-chapter")
    } else {
        ("chapter-previous", "previous-chapter")
    };
    view! {
        <ViewLink change=opened(chapter) class test_id>
            <span class="hint">
                {move || if forward {
                    t!(i18n, chapters.next).into_any()
                } else {
                    t!(i18n, chapters.previous).into_any()
                }}
            </span>
            <span>{move || title(chapter)}</span>
        </ViewLink>
    }
}
