//! "Show as code": the program of a formula in several libraries, with the sizes of the pass on screen.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use attention_trace::snippets::{Library, Sizes};
use leptos::prelude::*;

use super::{CopyButton, Segmented};
use crate::i18n::{t, t_string, use_i18n};

/// Programs with places for sizes, by name and library, or why they could not be fetched.
pub type Programs = Result<Arc<HashMap<String, BTreeMap<Library, String>>>, String>;

/// The programs of formulas, and the visitor's choices. A context: without it, formulas have no programs.
#[derive(Clone, Copy)]
pub struct Snippets {
    /// `None` until they are fetched.
    pub programs: Signal<Option<Programs>>,
    /// Fetches the programs, unless they are here or on their way.
    pub fetch: Callback<()>,
    /// The library that is shown.
    pub library: Signal<Library>,
    /// Called with the visitor's choice.
    pub choose: Callback<Library>,
    /// The sizes of the pass on screen.
    pub sizes: Signal<Sizes>,
    /// The names of the programs that are unfolded, with [`PREFIX`].
    pub shown: Signal<Vec<String>>,
    /// Called with a name and whether its program is unfolded.
    pub show: Callback<(String, bool)>,
}

/// The beginning of a program's name among the unfolded parts of a chapter.
pub const PREFIX: &str = "code-";

/// The disclosure of a formula's program; nothing without [`Snippets`].
#[component]
pub(super) fn Snippet(
    /// The name of the program.
    name: String,
) -> impl IntoView {
    let i18n = use_i18n();
    let snippets = use_context::<Snippets>()?;
    let key = format!("{PREFIX}{name}");
    let is_shown = {
        let key = key.clone();
        Memo::new(move |_| snippets.shown.read().contains(&key))
    };
    // The browser opens and closes it; here it is told when an address says so.
    let told = move |open: bool| {
        if open != is_shown.get_untracked() {
            snippets.show.run((key.clone(), open));
        }
    };
    // An effect because the server lies outside the reactive graph.
    Effect::new(move |_| {
        if is_shown.get() {
            snippets.fetch.run(());
        }
    });
    let test_name = name.clone();
    Some(view! {
        <details
            class="snippet"
            data-testid="snippet"
            data-snippet=test_name
            prop:open=move || is_shown.get()
            on:toggle:target=move |event| told(event.target().open())
        >
            <summary>{t!(i18n, chapters.code)}</summary>
            {move || is_shown.get().then(|| view! { <Program name=name.clone() snippets /> })}
        </details>
    })
}

#[component]
fn Program(name: String, snippets: Snippets) -> impl IntoView {
    let i18n = use_i18n();
    let program = Memo::new(move |_| {
        let programs = snippets.programs.read();
        let template = match programs.as_ref()? {
            Ok(programs) => programs.get(&name)?.get(&snippets.library.get())?,
            Err(reason) => return Some(Err(reason.clone())),
        };
        Some(Ok(snippets.sizes.get().fill(template)))
    });
    let libraries = || {
        Library::ALL
            .map(|library| (library, library.name().to_owned()))
            .to_vec()
    };
    let sizes = move || {
        let Sizes {
            tokens,
            width,
            heads,
            head_width,
        } = snippets.sizes.get();
        t_string!(
            i18n,
            chapters.code_sizes,
            n = tokens,
            d = width,
            h = heads,
            k = head_width
        )
    };
    view! {
        <div class="snippet-head">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, chapters.code_library).to_owned())
                options=Signal::derive(libraries)
                value=snippets.library
                choose=move |library| snippets.choose.run(library)
            />
            <CopyButton
                test_id="copy-snippet"
                // The failure is said in place of the program.
                text=move || program.get_untracked().and_then(Result::ok).unwrap_or_default()
                name=Signal::derive(move || t_string!(i18n, chapters.code_copy).to_owned())
                copied=Signal::derive(move || t_string!(i18n, shell.answer_copied).to_owned())
                refused=Signal::derive(move || t_string!(i18n, shell.answer_not_copied).to_owned())
            />
        </div>
        {move || match program.get() {
            None => view! { <p class="hint" role="status">{t!(i18n, chapters.waiting)}</p> }.into_any(),
            Some(Err(reason)) => view! {
                <p class="notice problem" role="alert">
                    {t!(i18n, chapters.code_missing, reason = reason)}
                </p>
            }
            .into_any(),
            Some(Ok(program)) => view! {
                <pre
                    class="snippet-code"
                    data-testid="snippet-code"
                    tabindex="0"
                    role="region"
                    translate="no"
                    aria-label=move || t_string!(i18n, chapters.code_in, name = snippets.library.get().name())
                >
                    <code>{marked(&program, snippets.library.get_untracked())}</code>
                </pre>
            }
            .into_any(),
        }}
        <p class="hint">{sizes}</p>
    }
}

/// A program with its comments in elements of their own.
fn marked(program: &str, library: Library) -> Vec<AnyView> {
    let lines = program.lines().map(|line| {
        let (code, comment) = divided(line, library.comment());
        view! { {code.to_owned()}<span class="snippet-comment">{comment.to_owned()}</span>"\n" }
            .into_any()
    });
    lines.collect()
}

/// A line before its comment, and the comment; texts in programs have no such mark.
fn divided<'a>(line: &'a str, mark: &str) -> (&'a str, &'a str) {
    line.split_at(
        line.find(mark)
            .filter(|&at| {
                line[..at]
                    .chars()
                    .next_back()
                    .is_none_or(char::is_whitespace)
            })
            .unwrap_or(line.len()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_begins_a_line_or_follows_a_space() {
        assert_eq!(divided("a = 1  # 7 × 64", "#"), ("a = 1  ", "# 7 × 64"));
        assert_eq!(divided("# all", "#"), ("", "# all"));
        assert_eq!(divided("i = n // 2", "#"), ("i = n // 2", ""));
        assert_eq!(divided("let a = 1; // 7", "//"), ("let a = 1; ", "// 7"));
    }
}
