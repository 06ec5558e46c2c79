//! The index of chapters, part by part. If there is no room beside the chapter, it is a bar with the current chapter,
//! which opens the index.

use attention_chapters::{Chapter, Part};
use attention_core::{
    i18n::{t_string, use_i18n},
    navigation::ViewLink,
};
use leptos::prelude::*;

use super::done::Done;

#[component]
pub fn ChapterIndex(open: Memo<&'static Chapter>, done: Done) -> impl IntoView {
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
fn Bar(open: Memo<&'static Chapter>, unfolded: RwSignal<bool>) -> impl IntoView {
    let place = move || {
        let (place, count) = open.get().place();
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
            <span class="chapter-bar-part">{move || open.get().part.title()}</span>
            <span aria-hidden="true">"›"</span>
            <span class="chapter-bar-title">{move || open.get().title()}</span>
            <span class="number">{place}</span>
            <span aria-hidden="true">"▾"</span>
        </button>
    }
}

#[component]
fn PartList(part: Part, open: Memo<&'static Chapter>, done: Done) -> impl IntoView {
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

/// A chapter, its reading time, and a mark if it was read.
#[component]
fn Entry(chapter: &'static Chapter, open: Memo<&'static Chapter>, done: Done) -> impl IntoView {
    let i18n = use_i18n();
    let is_done = Memo::new(move |_| done.is_done(chapter));
    view! {
        <li class="chapter-entry">
            <ViewLink
                change=move |view| chapter.open(view)
                class="chapter-link"
                current=Signal::derive(move || open.get() == chapter)
                test_id=chapter.name
            >
                {move || chapter.title()}
            </ViewLink>
            <span class="chapter-aside" title=move || t_string!(i18n, chapters.minutes_hint)>
                <Show
                    when=move || is_done.get()
                    fallback=move || t_string!(i18n, chapters.minutes, minutes = chapter.minutes)
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
