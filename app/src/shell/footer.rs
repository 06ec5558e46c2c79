//! What the page is made of and under which licences.

use leptos::prelude::*;

use crate::{
    assets::address,
    i18n::{t, use_i18n},
};

/// The end of the page.
#[component]
pub fn Footer() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <footer class="footer">
            <a href=address("notices.txt")>{t!(i18n, shell.notices)}</a>
        </footer>
    }
}
