//! The models of the page in this browser.

use leptos::prelude::*;

use attention_core::{
    i18n::{t, t_string, use_i18n},
    offline::{Kept, OfflineModels},
    widgets::numbers::megabytes,
};

/// The models in this browser, and the way to have them all.
#[component]
pub fn KeepModels() -> impl IntoView {
    let i18n = use_i18n();
    let models = OfflineModels::start();
    on_cleanup(move || models.stop());
    let words = move || match models.kept() {
        Kept::Unknown => String::new(),
        Kept::All => t_string!(i18n, take.all_kept).to_owned(),
        Kept::Missing { bytes } => t_string!(i18n, take.missing, size = megabytes(bytes)),
        Kept::Downloading {
            done_bytes,
            total_bytes,
        } => {
            let (done, total) = (megabytes(done_bytes), megabytes(total_bytes));
            t_string!(i18n, take.keeping, done = done, total = total)
        }
        Kept::Failed(error) => {
            let reason = error.to_string();
            t_string!(i18n, take.not_kept, reason = reason)
        }
    };
    let is_busy = Memo::new(move |_| matches!(models.kept(), Kept::Downloading { .. }));
    let may_begin =
        Memo::new(move |_| matches!(models.kept(), Kept::Missing { .. } | Kept::Failed(_)));
    view! {
        <p class="hint" role="status" data-testid="offline-models">{words}</p>
        <Show when=move || may_begin.get()>
            <button
                type="button"
                class="plain-button"
                data-testid="keep-models"
                on:click=move |_| models.download()
            >
                {t!(i18n, take.keep)}
            </button>
        </Show>
        <Show when=move || is_busy.get()>
            <button
                type="button"
                class="plain-button"
                data-testid="stop-keeping"
                on:click=move |_| models.stop()
            >
                {t!(i18n, take.stop)}
            </button>
        </Show>
    }
}
