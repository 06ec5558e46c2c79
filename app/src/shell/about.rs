//! What the page is, which keys it knows, what it is made of and under which licences.

use leptos::prelude::*;

use crate::{
    assets::address,
    i18n::{t, t_string, use_i18n},
    widgets::Popover,
};

/// A question mark that opens a few words about the page.
#[component]
pub fn About() -> impl IntoView {
    let i18n = use_i18n();
    let name = move || {
        view! { <span role="img" aria-label=move || t_string!(i18n, shell.about)>"?"</span> }
    };
    view! {
        <Popover class="plain-button" test_id="about" name>
            <div class="about">
                <p>{t!(i18n, shell.tagline)}</p>
                <p class="hint">{t!(i18n, shell.about_keys)}</p>
                <p class="hint">{t!(i18n, heads.map_keys)}</p>
                <p><a href=address("notices.txt")>{t!(i18n, shell.notices)}</a></p>
            </div>
        </Popover>
    }
}
