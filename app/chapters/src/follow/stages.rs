//! A figure in stages: a player moves through them, and each says what it is about.

use leptos::prelude::*;

use attention_core::{
    i18n::{t_string, use_i18n},
    state::ViewState,
    widgets::{
        Prose, Values,
        inspector::{Inspected, Inspector},
        player::{Player, Transport},
    },
};

/// The stages of a chapter's figure. A stage is named by the part of the text that explains it, its
/// formula included.
#[component]
pub fn Stages(
    /// The part of the text that the first stage begins with, where it is seen on that stage alone.
    #[prop(optional)]
    opening: Option<&'static str>,
    /// The stages there are.
    #[prop(into)]
    stages: Signal<Vec<&'static str>>,
    /// The places of the stages that the player goes through; without it, all.
    #[prop(optional, into)]
    shown: Option<Signal<Vec<usize>>>,
    /// The values of the placeholders in the stages' texts.
    values: Signal<Option<Values>>,
    picture: impl Fn(&'static str) -> AnyView + Send + Sync + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let wanted = state.select(|view| view.chapters.stage);
    let shown = Memo::new(move |_| match shown {
        Some(shown) => shown.get(),
        None => (0..stages.read().len()).collect(),
    });
    let player = Player::new(
        move || step_of(&shown.read(), wanted.get()),
        move || shown.read().len(),
        move |step| {
            let stage = shown.with_untracked(|shown| shown.get(step).copied());
            state.update_chapters(|chapters| chapters.stage = stage.unwrap_or(step));
        },
    );
    state.compare_count("stage", move || stages.read().len());
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let words = Signal::derive(move || {
        let timeline = player.timeline();
        let (stage, count) = (timeline.step + 1, timeline.count);
        t_string!(i18n, chapters.stage_of, stage = stage, count = count)
    });
    let stage = Memo::new(move |_| {
        let place = shown.read().get(player.timeline().step).copied();
        stages.read().get(place?).copied()
    });
    let inspector = Inspector::default();
    view! {
        <div
            class="stages"
            data-testid="stages"
            data-stage=move || stage.get()
        >
            <Transport
                player
                label=Signal::derive(move || t_string!(i18n, chapters.stage).to_owned())
                words
            />
            <Inspected inspector>
                {move || stage.get().map(|stage| {
                    // The inspected cell belongs to the previous picture.
                    inspector.clear();
                    view! {
                        <div class="stage">
                            <div class="stage-text">
                                {opening
                                    .filter(|_| stages.with_untracked(|all| all.first() == Some(&stage)))
                                    .map(|part| view! { <Prose part /> })}
                                <Prose part=stage values />
                            </div>
                            <div class="stage-picture">{picture(stage)}</div>
                        </div>
                    }
                })}
            </Inspected>
        </div>
    }
}

/// Returns the step that shows a stage: the last one that is not after it.
fn step_of(shown: &[usize], stage: usize) -> usize {
    let before = shown.iter().take_while(|&&place| place <= stage).count();
    before.saturating_sub(1)
}

#[cfg(test)]
mod tests {
    use super::step_of;

    #[test]
    fn a_stage_that_is_folded_is_at_the_step_before_it() {
        let shown = [0, 2, 5];
        let steps = [0, 1, 2, 4, 5, 9].map(|stage| step_of(&shown, stage));
        assert_eq!(steps, [0, 0, 1, 1, 2, 2]);
        assert_eq!(step_of(&[], 3), 0);
        assert!((0..5).all(|stage| step_of(&[0, 1, 2, 3, 4], stage) == stage));
    }
}
