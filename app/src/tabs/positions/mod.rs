//! Positional encodings: the sinusoidal one that is added, and RoPE, which rotates.

mod encoding;
mod head_rope;
mod head_rope_data;
mod random;
mod random_rope;

use leptos::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};

use self::encoding::SinusoidalSection;
pub use self::{
    encoding::{SinusoidalFigures, encoding_in_sight},
    head_rope::HeadRope,
    random_rope::RandomRope,
};
use crate::i18n::{t, use_i18n};

/// Returns what shows the tab. In the chunk of views that the first picture does not need.
///
/// # Errors
/// If the chunk cannot be downloaded; calling again tries again.
#[wasm_split(views, fallible)]
pub fn positions() -> Result<fn() -> AnyView, SplitLoaderError> {
    Ok(|| view! { <PositionsView /> }.into_any())
}

/// The positions tab.
#[component]
fn PositionsView() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <div class="positions">
            <SinusoidalSection />
            <section class="position-section" aria-labelledby="rope-title">
                <h2 class="section-title" id="rope-title">{t!(i18n, positions.rope)}</h2>
                <p class="section-text">{t!(i18n, positions.rope_text)}</p>
                <div class="position-figures">
                    <RandomRope />
                    <HeadRope />
                </div>
            </section>
        </div>
    }
}
