//! Positional encodings: the sinusoidal one that is added, and RoPE, which rotates.

mod encoding;
mod figure;
mod head_rope;
mod head_rope_data;
mod random;
mod random_rope;
mod table_map;
mod width;

use leptos::prelude::*;

use self::encoding::SinusoidalSection;
pub use self::{
    encoding::{SinusoidalFigures, encoding_in_sight},
    figure::{Plot, PlotFigure},
    head_rope::HeadRope,
    random_rope::RandomRope,
    table_map::{Table, TableMap},
    width::observed_width,
};
use crate::i18n::{t, use_i18n};

/// The positions tab.
#[component]
pub fn PositionsView() -> impl IntoView {
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
