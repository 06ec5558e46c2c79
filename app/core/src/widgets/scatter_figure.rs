//! Dots on the page, as wide as their place allows.

use attention_figures::{
    export::{Content, Dots},
    scatter::{self, Dot, scatter},
};
use leptos::{html, prelude::*};

use super::{
    FigureButton, Taken,
    drawing::{drawing_width, drawn},
};
use crate::{appearance::Appearance, i18n::use_i18n};

/// Height in CSS pixels.
const HEIGHT: f64 = 320.0;

/// Shows a scatter plot.
#[component]
pub fn ScatterFigure(
    /// The accessible name of the figure.
    #[prop(into)]
    name: Signal<String>,
    /// The `data-testid` of the element.
    test_id: &'static str,
    /// The names of the horizontal and the vertical axis.
    #[prop(into)]
    axes: Signal<[String; 2]>,
    #[prop(into)] dots: Signal<Vec<Dot>>,
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
    let take = move || {
        let content = Content::Dots(Dots {
            axes: axes.get(),
            dots: dots.get(),
            names: Vec::new(),
        });
        Some(Taken::new(name.get(), content))
    };
    view! {
        <div class="figure-beside">
            <div
                class="scatter-figure"
                node_ref=room
                role="img"
                aria-label=name
                data-testid=test_id
                inner_html=drawing
            ></div>
            <FigureButton name take />
        </div>
    }
}
