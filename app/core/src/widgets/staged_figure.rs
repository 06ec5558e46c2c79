//! A picture that is drawn step by step by a player.

use attention_figures::{Theme, export::Content, staged::Staged};
use leptos::{html, prelude::*};

use super::{
    FigureButton, Taken,
    drawing::drawing_width,
    player::{Player, Transport},
};
use crate::appearance::Appearance;

/// Shows a picture at the step of its player, with the player's controls above it.
#[component]
pub fn StagedFigure(
    /// The `data-testid` of the element.
    test_id: &'static str,
    /// The name of the figure and of its player's controls.
    #[prop(into)]
    name: Signal<String>,
    player: Player,
    /// The step in words, which are also what a screen reader says of the picture.
    #[prop(into)]
    words: Signal<String>,
    /// True if the player listens to the page's keys; one player of a page does.
    #[prop(default = true)]
    has_keys: bool,
    /// Draws the picture for a width in CSS pixels; `None` until its numbers are there.
    draw: impl Fn(f64) -> Option<Staged> + Send + Sync + 'static,
) -> impl IntoView {
    let appearance = Appearance::expect();
    let room = NodeRef::<html::Div>::new();
    let width = drawing_width(room, appearance);
    let picture = Memo::new(move |_| draw(width.get()));
    let step = Memo::new(move |_| player.timeline().step);
    let svg = move |theme: Theme| {
        picture.with(|picture| {
            let picture = picture.as_ref();
            picture.map_or_else(String::new, |picture| picture.svg(step.get(), theme))
        })
    };
    let take = move || {
        let content = Content::Staged(picture.get()?, step.get());
        Some(Taken::new(name.get(), content))
    };
    view! {
        <figure class="staged-figure" data-testid=test_id data-step=move || step.get() + 1>
            <figcaption class="figure-name">
                <span class="panel-title">{name}</span>
                <FigureButton name take />
            </figcaption>
            <Transport player label=name words has_keys />
            <div
                class="staged-field"
                node_ref=room
                role="img"
                aria-label=words
                inner_html=move || svg(appearance.get())
            ></div>
        </figure>
    }
}
