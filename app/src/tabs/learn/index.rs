//! The index of chapters and their pages, part by part. If there is no room beside the chapter, it is a bar with the current chapter,
//! which opens the index.

use attention_chapters::{Chapter, Page, Part};
use attention_core::{
    i18n::{t_string, use_i18n},
    navigation::ViewLink,
};
use leptos::prelude::*;

use super::done::Done;

#[component]
pub fn ChapterIndex(open: Memo<&'static Page>, done: Done) -> impl IntoView {
    let i18n = use_i18n();
    let unfolded = RwSignal::new(false);
    // An effect because another chapter, however it was opened, folds the list.
    Effect::new(move |_| {
        open.track();
        unfolded.set(false);
    });
    view! {
        <nav
            class="chapter-index"
            class:is-unfolded=unfolded
            aria-label=move || t_string!(i18n, chapters.index)
            on:keydown=move |event| {
                if event.key() == "Escape" {
                    unfolded.set(false);
                }
            }
        >
            <Bar open unfolded />
            <div class="chapter-list" id=LIST>
                {Part::ALL
                    .into_iter()
                    .map(|part| view! { <PartList part open done /> })
                    .collect_view()}
            </div>
        </nav>
    }
}

/// The identifier of the list that the bar opens.
const LIST: &str = "chapter-list";

/// The bar with the current part, the chapter, and its place in the part.
#[component]
fn Bar(open: Memo<&'static Page>, unfolded: RwSignal<bool>) -> impl IntoView {
    let place = move || {
        let (place, count) = Chapter::of(open.get()).place();
        format!("{place}/{count}")
    };
    view! {
        <button
            type="button"
            class="chapter-bar"
            data-testid="chapter-bar"
            aria-expanded=move || unfolded.get().to_string()
            aria-controls=LIST
            on:click=move |_| unfolded.update(|unfolded| *unfolded = !*unfolded)
        >
            <span class="chapter-bar-part">{move || Chapter::of(open.get()).part.title()}</span>
            <span aria-hidden="true">"›"</span>
            <span class="chapter-bar-title">{move || open.get().title()}</span>
            <span class="number">{place}</span>
            <span aria-hidden="true">"▾"</span>
        </button>
    }
}

#[component]
fn PartList(part: Part, open: Memo<&'static Page>, done: Done) -> impl IntoView {
    let id = format!("chapters-{part:?}");
    view! {
        <div class="chapter-group">
            <p class="chapter-group-name" id=id.clone()>{move || part.title()}</p>
            <ol aria-labelledby=id>
                {part
                    .chapters()
                    .map(|chapter| view! { <Entry chapter open done /> })
                    .collect_view()}
            </ol>
        </div>
    }
}

/// A chapter, its reading time, a mark if it was read, and its pages if it has several.
#[component]
fn Entry(chapter: &'static Chapter, open: Memo<&'static Page>, done: Done) -> impl IntoView {
    let i18n = use_i18n();
    let is_done = Memo::new(move |_| done.is_chapter_done(chapter));
    let pages = chapter.pages();
    let contents = match chapter.has_pages() {
        true => view! {
            <span class="chapter-link is-divided">{move || chapter.title()}</span>
            <ul class="chapter-index-pages">
                {pages.map(|page| view! { <li><PageLink page open class="chapter-page-link" /></li> }).collect_view()}
            </ul>
        }
        .into_any(),
        false => pages
            .map(|page| view! { <PageLink page open class="chapter-link" /> })
            .collect_view()
            .into_any(),
    };
    view! {
        <li class="chapter-entry">
            {contents}
            <span class="chapter-aside" title=move || t_string!(i18n, chapters.minutes_hint)>
                <Show
                    when=move || is_done.get()
                    fallback=move || t_string!(i18n, chapters.minutes, minutes = chapter.minutes())
                >
                    <span
                        role="img"
                        class="chapter-read"
                        data-testid="chapter-read"
                        aria-label=move || t_string!(i18n, chapters.done)
                    >
                        "✓"
                    </span>
                </Show>
            </span>
        </li>
    }
}

#[component]
fn PageLink(page: &'static Page, open: Memo<&'static Page>, class: &'static str) -> impl IntoView {
    view! {
        <ViewLink
            change=move |view| page.open(view)
            class
            current=Signal::derive(move || open.get() == page)
            test_id=page.name
        >
            {move || page.title()}
        </ViewLink>
    }
}
