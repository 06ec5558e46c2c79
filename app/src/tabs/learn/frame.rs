//! The frame of every chapter: the index, the title, the way to the next.

use leptos::{html, prelude::*};
use web_sys::Element;

use crate::{
    class::RouteList,
    kit::{AfterChapter, BeforeChapter},
};
use attention_chapters::{CHAPTERS, Chapter};
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    selection::Lacking,
    state::ViewState,
    texts::provide_text,
    widgets::{Answers, matrix::Windows},
};

/// The "Learn" tab.
#[component]
pub fn LearnView() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let open = state.select(Chapter::open_in);
    provide_text(move || format!("chapters/{}", open.get().name));
    provide_reading();
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
    let index = NodeRef::<html::Nav>::new();
    // An effect because how far the index is scrolled lies outside the reactive graph.
    Effect::new(move |_| {
        open.track();
        if let Some(index) = index.get() {
            request_animation_frame(move || show_open(&index));
        }
    });
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
            <nav class="chapter-index" node_ref=index aria-label=move || t_string!(i18n, chapters.index)>
                <ol>
                    {CHAPTERS
                        .iter()
                        .map(|chapter| view! { <li><IndexLink chapter open /></li> })
                        .collect_view()}
                </ol>
                <RouteList />
            </nav>
            <article node_ref=article class="chapter" data-testid="chapter" data-chapter=move || open.get().name>
                <h2 class="chapter-title">{move || (open.get().title)()}</h2>
                {move || {
                    let (chapter, can_be_shown) = shown.get();
                    match can_be_shown {
                        true => view! { <Contents chapter /> }.into_any(),
                        false => view! { <Lacking needs=chapter.needs /> }.into_any(),
                    }
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

/// Scrolls the index to the open chapter where the index is a strip that is wider than the screen.
fn show_open(index: &Element) {
    // Fails only for a selector that the browser does not know.
    let Ok(Some(link)) = index.query_selector("[aria-current]") else {
        return;
    };
    let (strip, link) = (
        index.get_bounding_client_rect(),
        link.get_bounding_client_rect(),
    );
    let off_middle = link.left() + link.width() / 2.0 - (strip.left() + strip.width() / 2.0);
    index.set_scroll_left(index.scroll_left() + off_middle.round() as i32);
}

/// A chapter between its tests. Each part is a closure of its own, so that the texts they provide stay apart.
#[component]
fn Contents(chapter: &'static Chapter) -> impl IntoView {
    view! {
        {move || view! { <BeforeChapter chapter /> }}
        {move || (chapter.show)()}
        {move || view! { <AfterChapter chapter /> }}
    }
}

/// Keeps in the view which answers are shown, what was predicted, and where the windows of large matrices begin.
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
    Windows::provide(
        state.select(|view| view.chapters.reading.windows.clone()),
        move |axis, start| {
            state.update_chapters(|chapters| chapters.reading.set_window(axis, start));
        },
    );
}

#[component]
fn IndexLink(chapter: &'static Chapter, open: Memo<&'static Chapter>) -> impl IntoView {
    view! {
        <ViewLink
            change=move |view| chapter.open(view)
            class="chapter-link"
            current=Signal::derive(move || open.get() == chapter)
            test_id=chapter.name
        >
            {chapter.title}
        </ViewLink>
    }
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
            <span>{chapter.title}</span>
        </ViewLink>
    }
}
