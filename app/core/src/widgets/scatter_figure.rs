//! Dots on the page, as wide as their place allows.

use attention_figures::scatter::{self, Dot, scatter};
use leptos::{html, prelude::*};

use super::drawing::{drawing_width, drawn};
use crate::{appearance::Appearance, i18n::use_i18n};

/// Height in CSS pixels.
const HEIGHT: f64 = 320.0;

/// The dots.
#[component]
pub fn ScatterFigure(
    /// What they are, for those who do not see them.
    #[prop(into)]
    name: Signal<String>,
    /// For tests.
    test_id: &'static str,
    /// What lies along the axes, from the left and from below.
    #[prop(into)]
    axes: Signal<[String; 2]>,
    /// What it shows.
    #[prop(into)]
    dots: Signal<Vec<Dot>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let room = NodeRef::<html::Div>::new();
    let width = drawing_width(room, appearance);
    let drawing = Memo::new(move |_| {
        let dots = dots.get();
        let size = [width.get(), HEIGHT];
        let frame = scatter::frame(size, axes.get(), &dots, appearance.get());
        drawn(i18n, scatter(&frame, &dots))
    });
    view! {
        <div
            class="scatter-figure"
            node_ref=room
            role="img"
            aria-label=name
            data-testid=test_id
            inner_html=drawing
        ></div>
    }
}
