//! The frame of every chapter: its title, its tests, the link to the next.

use leptos::{html, prelude::*};

use super::{arrange::keep_arranged, beside::keep_beside, done::Done, index::ChapterIndex};
use attention_chapters::{
    AfterChapter, BeforeChapter, Chapter, Exercise, Lacking, PAGES, Page, provide_windows,
};
use attention_core::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::ViewState,
    texts::{provide_snippets, provide_text},
    widgets::{Answers, Check},
};

/// The content of the "Learn" tab.
#[component]
pub fn LearnView() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let open = state.select(Page::open_in);
    provide_text(move || format!("chapters/{}", open.get().name));
    provide_snippets();
    provide_reading();
    let done = Done::read();
    let live = Live::expect();
    // One memo, so that no page is made for a model that it cannot show.
    let shown = Memo::new(move |_| {
        let page = open.get();
        let trace = live.trace();
        let can_be_shown = trace.is_none_or(|trace| page.needs.are_met_by(&trace.meta.spec));
        (page, can_be_shown)
    });
    let named = state.select(|view| view.chapters.open.clone());
    state.note_missing("chapter", move || {
        named.with(|named| PAGES.iter().all(|page| page.name != named))
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
                    let (page, can_be_shown) = shown.get();
                    match can_be_shown {
                        true => view! { <Contents page /> }.into_any(),
                        false => view! { <Lacking needs=page.needs /> }.into_any(),
                    }
                }}
                <Check
                    name=Signal::derive(move || t_string!(i18n, chapters.mark_done).to_owned())
                    test_id="chapter-done"
                    on=Signal::derive(move || done.is_done(open.get()))
                    set=move |is_done| done.set(open.get_untracked(), is_done)
                />
                <nav class="chapter-turn" aria-label=move || t_string!(i18n, chapters.turn)>
                    {move || open.get().neighbour(-1).map(|page| view! {
                        <TurnLink page forward=false />
                    })}
                    {move || open.get().neighbour(1).map(|page| view! {
                        <TurnLink page forward=true />
                    })}
                </nav>
            </article>
        </div>
    }
}

/// The chapter's part, its place in the part and the page's reading time, above the title; then the chapter's pages.
#[component]
fn ChapterHead(open: Memo<&'static Page>) -> impl IntoView {
    let i18n = use_i18n();
    let chapter = Memo::new(move |_| Chapter::of(open.get()));
    let place = move || {
        let (place, count) = chapter.get().place();
        t_string!(i18n, chapters.place, place = place, count = count)
    };
    view! {
        <header class="chapter-head">
            <p class="chapter-part">
                <span class="chapter-where">{move || chapter.get().part.title()} " · " {place} " · "</span>
                <span title=move || t_string!(i18n, chapters.minutes_hint)>
                    {move || t_string!(i18n, chapters.minutes, minutes = open.get().minutes)}
                </span>
            </p>
            <h2 class="chapter-title">{move || open.get().title()}</h2>
            <Show when=move || chapter.get().has_pages()>
                <nav class="chapter-pages" data-testid="chapter-pages" aria-label=move || chapter.get().title()>
                    <span class="hint" aria-hidden="true">{move || chapter.get().title()}</span>
                    <PageLinks chapter=chapter.get() open />
                </nav>
            </Show>
        </header>
    }
}

/// Links to the pages of a chapter.
#[component]
fn PageLinks(chapter: &'static Chapter, open: Memo<&'static Page>) -> impl IntoView {
    let link = |page: &'static Page| {
        view! {
            <ViewLink
                change=move |view| page.open(view)
                class="chapter-page"
                current=Signal::derive(move || open.get() == page)
                test_id="chapter-page"
            >
                {move || page.title()}
            </ViewLink>
        }
    };
    chapter.pages().map(link).collect_view()
}

/// A page between its tests. Each part is a closure of its own, so that the contexts they provide stay separate.
#[component]
fn Contents(page: &'static Page) -> impl IntoView {
    view! {
        {move || view! { <BeforeChapter kit=page.kit() /> }}
        {move || page.show()}
        {move || view! { <Exercise chapter=page.name /> }}
        {move || view! { <AfterChapter kit=page.kit() /> }}
        {move || (!page.kit().has_test()).then(|| view! { <TestElsewhere page /> })}
    }
}

/// A link to the page of the chapter that has its test; nothing if none has.
#[component]
fn TestElsewhere(page: &'static Page) -> impl IntoView {
    let i18n = use_i18n();
    let tested = Chapter::of(page)
        .pages()
        .find(|page| page.kit().has_test())?;
    Some(view! {
        <ViewLink change=move |view| tested.open(view) class="link-button" test_id="test-elsewhere">
            {move || t_string!(i18n, chapters.test_elsewhere, page = tested.title())}
        </ViewLink>
    })
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
fn TurnLink(page: &'static Page, forward: bool) -> impl IntoView {
    let i18n = use_i18n();
    let (class, test_id) = if forward {
        ("chapter-next", "next-chapter")
    } else {
        ("chapter-previous", "previous-chapter")
    };
    view! {
        <ViewLink change=move |view| page.open(view) class test_id>
            <span class="hint">
                {move || if forward {
                    t!(i18n, chapters.next).into_any()
                } else {
                    t!(i18n, chapters.previous).into_any()
                }}
            </span>
            <span>{move || page.title()}</span>
        </ViewLink>
    }
}
