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
    /// The values of the placeholders in the stages' texts.
    values: Signal<Option<Values>>,
    picture: impl Fn(&'static str) -> AnyView + Send + Sync + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let wanted = state.select(|view| view.chapters.stage);
    let player = Player::new(
        move || wanted.get(),
        move || stages.read().len(),
        move |stage| state.update_chapters(|chapters| chapters.stage = stage),
    );
    state.compare_count("stage", move || player.timeline().count);
    let presents = state.select(|view| view.class.present);
    player.listen_while(move || !presents.get_untracked());
    let words = Signal::derive(move || {
        let timeline = player.timeline();
        let (stage, count) = (timeline.step + 1, timeline.count);
        t_string!(i18n, chapters.stage_of, stage = stage, count = count)
    });
    let stage = Memo::new(move |_| {
        let step = player.timeline().step;
        stages.read().get(step).copied()
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
