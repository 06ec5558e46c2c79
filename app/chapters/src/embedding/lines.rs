//! Lines of a sentence that is read word by word, as Cheng et al. 2016 draw them in their Figure 1.

use attention_figures::color::{css, ink_on, sequential};
use leptos::prelude::*;

use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    widgets::{ShareLegend, numbers::share_of_one, player::Player},
};

/// A line for each word that was read, the words before it shaded by their weights; the last one is the current.
#[component]
pub fn Lines(
    /// A row of weights for each word.
    rows: Memo<Option<Vec<Vec<f32>>>>,
    names: Signal<Vec<String>>,
    /// True if a word's row has a weight for the word itself.
    weighs_itself: bool,
    at: Memo<usize>,
    player: Player,
    /// The `data-testid` of a line and of a word.
    test_ids: [&'static str; 2],
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    // One memo, since what is drawn should not read several that change together.
    let shown = Memo::new(move |_| (rows.get(), at.get(), names.get()));
    let lines = move || {
        let (rows, at, names) = shown.get();
        let Some(rows) = rows else {
            return view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any();
        };
        let theme = appearance.get();
        let line = |(query, row): (usize, Vec<f32>)| {
            let word = |(key, name): (usize, &String)| {
                let weight = row.get(key).copied().unwrap_or(0.0);
                let color = sequential(weight, theme);
                let (is_now, is_later) = (key == query, key > query);
                let is_weighed = key < query || (is_now && weighs_itself);
                let style = match is_weighed {
                    true => format!("background: {}; color: {}", css(color), css(ink_on(color))),
                    false => String::new(),
                };
                let words = is_weighed.then(|| share_of_one(weight, 3));
                view! {
                    <span
                        class="read-word"
                        class:is-current=is_now
                        class:is-to-come=is_later
                        data-testid=test_ids[1]
                        style=style
                        title=words
                    >
                        {name.clone()}
                    </span>
                }
            };
            let is_now = query == at;
            view! {
                <li class="read-line" class:is-now=is_now data-testid=test_ids[0] aria-current=is_now.then_some("step")>
                    <button
                        type="button"
                        class="read-go"
                        aria-label=t_string!(i18n, embedding.go_to, token = query + 1)
                        on:click=move |_| player.go_to(query)
                    >
                        {query + 1}
                    </button>
                    {names.iter().enumerate().map(word).collect_view()}
                </li>
            }
        };
        let lines = rows.into_iter().enumerate().take(at + 1).map(line);
        view! { <ol class="read-lines">{lines.collect_view()}</ol> }.into_any()
    };
    view! {
        <ShareLegend name=Signal::derive(move || t_string!(i18n, heads.weight).to_owned()) />
        <div lang="en">{lines}</div>
    }
}
