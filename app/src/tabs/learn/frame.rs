//! The frame of every chapter: its title, its tests, the link to the next.

use leptos::{html, prelude::*};

use super::{arrange::keep_arranged, beside::keep_beside, done::Done, index::ChapterIndex};
use attention_chapters::{
    AfterChapter, BeforeChapter, CHAPTERS, Chapter, Lacking, provide_windows,
};
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::ViewState,
    texts::provide_text,
    widgets::{Answers, Check},
};

/// The content of the "Learn" tab.
#[component]
pub fn LearnView() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let open = state.select(Chapter::open_in);
    provide_text(move || format!("chapters/{}", open.get().name));
    provide_reading();
    let done = Done::read();
    let live = Live::expect();
    // One memo, so that no chapter is made for a model that it cannot show.
    let shown = Memo::new(move |_| {
        let chapter = open.get();
        let trace = live.trace();
        let can_be_shown = trace.is_none_or(|trace| chapter.needs.are_met_by(&trace.meta.spec));
        (chapter, can_be_shown)
    });
    let named = state.select(|view| view.chapters.open.clone());
    state.note_missing("chapter", move || {
        named.with(|named| CHAPTERS.iter().all(|chapter| chapter.name != named))
    });
    let article = NodeRef::<html::Article>::new();
    keep_arranged(article);
    keep_beside(article);
    // An effect because the window's scroll lies outside the reactive graph. The first chapter is where the page is.
    Effect::new(move |before: Option<&'static str>| {
        let name = open.get().name;
        if before.is_some_and(|before| before != name)
            && let Some(article) = article.get_untracked()
        {
            article.scroll_into_view();
        }
        name
    });
    view! {
        <div class="learn">
            <ChapterIndex open done />
            <article node_ref=article class="chapter" data-testid="chapter" data-chapter=move || open.get().name>
                <ChapterHead open />
                {move || {
                    let (chapter, can_be_shown) = shown.get();
                    match can_be_shown {
                        true => view! { <Contents chapter /> }.into_any(),
                        false => view! { <Lacking needs=chapter.needs /> }.into_any(),
                    }
                }}
                <Check
                    name=Signal::derive(move || t_string!(i18n, chapters.mark_done).to_owned())
                    test_id="chapter-done"
                    on=Signal::derive(move || done.is_done(open.get()))
                    set=move |is_done| done.set(open.get_untracked(), is_done)
                />
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

/// The chapter's part, its place in the part and its reading time, above the title.
#[component]
fn ChapterHead(open: Memo<&'static Chapter>) -> impl IntoView {
    let i18n = use_i18n();
    let place = move || {
        let (place, count) = open.get().place();
        t_string!(i18n, chapters.place, place = place, count = count)
    };
    view! {
        <header class="chapter-head">
            <p class="chapter-part">
                {move || open.get().part.title()} " · " {place} " · "
                <span title=move || t_string!(i18n, chapters.minutes_hint)>
                    {move || t_string!(i18n, chapters.minutes, minutes = open.get().minutes)}
                </span>
            </p>
            <h2 class="chapter-title">{move || open.get().title()}</h2>
        </header>
    }
}

/// A chapter between its tests. Each part is a closure of its own, so that the contexts they provide stay separate.
#[component]
fn Contents(chapter: &'static Chapter) -> impl IntoView {
    view! {
        {move || view! { <BeforeChapter kit=chapter.kit() /> }}
        {move || chapter.show()}
        {move || view! { <AfterChapter kit=chapter.kit() /> }}
    }
}

/// Stores in the view the open answers, the predictions, and the first cells of the windows on large matrices.
fn provide_reading() {
    let state = ViewState::expect();
    Answers::provide(
        state.select(|view| view.chapters.reading.answers.clone()),
        move |question, shown| {
            state.update_chapters(|chapters| chapters.reading.set_answer(question, shown));
        },
        state.select(|view| view.chapters.reading.predictions.clone()),
        move |question, prediction| {
            state.update_chapters(|chapters| chapters.reading.predict(question, prediction));
        },
    );
    provide_windows();
}

#[component]
fn TurnLink(chapter: &'static Chapter, forward: bool) -> impl IntoView {
    let i18n = use_i18n();
    let (class, test_id) = if forward {
        ("chapter-next", "next-chapter")
    } else {
        ("chapter-previous", "previous-chapter")
    };
    view! {
        <ViewLink change=move |view| chapter.open(view) class test_id>
            <span class="hint">
                {move || if forward {
                    t!(i18n, chapters.next).into_any()
                } else {
                    t!(i18n, chapters.previous).into_any()
                }}
            </span>
            <span>{move || chapter.title()}</span>
        </ViewLink>
    }
}
