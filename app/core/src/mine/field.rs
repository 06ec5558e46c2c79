//! A field for files from the visitor's disk.

use leptos::prelude::*;
use web_sys::HtmlInputElement;

use super::{Picked, picked};
use crate::i18n::{t_string, use_i18n};

/// A field that accepts a folder, or files. `read` is called with what was chosen.
#[component]
pub fn FileField(
    /// True if a folder is chosen.
    is_folder: bool,
    /// The name of the field, if it asks for other files than a model's.
    #[prop(optional, into)]
    name: Option<Signal<String>>,
    /// The `data-testid` of the field.
    test_id: &'static str,
    read: impl Fn(Vec<Picked>) + Copy + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let take = move |field: HtmlInputElement| {
        let files = field.files().map(|files| picked(&files));
        // The same files may be chosen again, once they have been put right.
        field.set_value("");
        if let Some(files) = files.filter(|files| !files.is_empty()) {
            read(files);
        }
    };
    view! {
        <label class="plain-button file-field">
            {move || match (name, is_folder) {
                (Some(name), _) => name.get(),
                (None, true) => t_string!(i18n, models.choose_folder).to_owned(),
                (None, false) => t_string!(i18n, models.choose_files).to_owned(),
            }}
            <input
                type="file"
                class="visually-hidden"
                data-testid=test_id
                multiple
                prop:webkitdirectory=is_folder
                on:change:target=move |event| take(event.target())
            />
        </label>
    }
}
