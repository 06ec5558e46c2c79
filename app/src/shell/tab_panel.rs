//! A tab's content, whose code may have to be downloaded first.

use leptos::prelude::*;

use crate::tabs::Chunks;
use attention_core::{state::Tab, widgets::staged};

/// The content of the tab, or the state of its download.
#[component]
pub fn TabPanel(tab: Tab) -> impl IntoView {
    let chunks = Chunks::expect();
    chunks.fetch(tab);
    move || staged(chunks.of(tab), move || chunks.fetch(tab))
}
