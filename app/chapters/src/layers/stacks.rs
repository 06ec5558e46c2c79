//! The three stacks, computed step by step by one player.

use crate::layers::parameters::LayersLab;
use attention_trace::layers::{LayerStack, SequenceLayer};
use leptos::prelude::*;

use super::{controls::StackControls, panel::Panel, words::lab};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::player::{Player, Transport},
};

/// The stack of a kind of layer that the chapter shows.
pub fn stack_of(lab: &LayersLab, layer: SequenceLayer) -> LayerStack {
    LayerStack {
        layer,
        convolutions: lab.convolutions(),
        bidirectional: lab.bidirectional,
        tokens: lab.tokens,
        layers: lab.layers,
    }
}

/// The steps that the slowest of the stacks takes.
pub fn most_ticks(lab: &LayersLab) -> usize {
    let ticks = SequenceLayer::ALL.map(|layer| stack_of(lab, layer).ticks());
    ticks.into_iter().max().unwrap_or(0)
}

/// Controls, player and the stacks.
#[component]
pub fn StacksFigure() -> impl IntoView {
    let i18n = use_i18n();
    let (state, lab) = (ViewState::expect(), lab());
    let stage = state.select(|view| view.chapters.stage);
    // Before the first step the inputs are there.
    let player = Player::new(
        move || stage.get(),
        move || lab.with(most_ticks) + 1,
        move |stage| state.update_chapters(|chapters| chapters.stage = stage),
    );
    state.compare_count("stage", move || player.timeline().count);
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let step = Memo::new(move |_| player.timeline().step);
    let words = Signal::derive(move || {
        let count = lab.with(most_ticks);
        t_string!(i18n, layers.step_of, step = step.get(), count = count)
    });
    view! {
        <section class="lesson-figure" data-testid="stacks">
            <StackControls />
            <Transport
                player
                label=Signal::derive(move || t_string!(i18n, layers.playing).to_owned())
                words
            />
            <div class="lattice-panels">
                {SequenceLayer::ALL.map(|layer| view! { <Panel layer step /> })}
            </div>
            <p class="hint">{t!(i18n, layers.panel_hint)}</p>
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recurrent_stack_takes_the_most_steps() {
        let lab = LayersLab::default();
        assert_eq!(most_ticks(&lab), lab.tokens + lab.layers - 1);
        let both = LayersLab {
            bidirectional: true,
            ..lab
        };
        assert_eq!(most_ticks(&both), lab.tokens * lab.layers);
    }
}
