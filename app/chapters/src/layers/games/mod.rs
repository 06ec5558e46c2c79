//! Three games that measure the visitor's attention, after the lectures: the sum of the black cards, an 8 among digits
//! that look like it, and the passes of one of two teams.

mod cards;
mod eight;
mod passes;
mod round;

use crate::layers::parameters::{Game, LayersLab};
use attention_protocol::OrLogged;
use leptos::prelude::*;

use self::{cards::CardsGame, eight::EightGame, passes::PassesGame};
use super::words::lab;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::Segmented,
};

/// The choice of the game, the game, and the way to the next round.
#[component]
pub fn AttentionGames() -> impl IntoView {
    let i18n = use_i18n();
    let (state, lab) = (ViewState::expect(), lab());
    let game = Memo::new(move |_| lab.with(|lab| (lab.game, lab.round)));
    view! {
        <section class="lesson-figure" data-testid="games">
            <div class="position-controls">
                <Segmented
                    label=Signal::derive(move || t_string!(i18n, layers.game).to_owned())
                    options=Signal::derive(move || vec![
                        (Game::Cards, t_string!(i18n, layers.game_cards).to_owned()),
                        (Game::Eight, t_string!(i18n, layers.game_eight).to_owned()),
                        (Game::Passes, t_string!(i18n, layers.game_passes).to_owned()),
                    ])
                    value=Signal::derive(move || game.get().0)
                    choose=move |game| state.update_chapters(|chapters| {
                        chapters.of_mut::<LayersLab>().game = game;
                    })
                />
                <button
                    type="button"
                    class="plain-button"
                    data-testid="next-round"
                    on:click=move |_| state.update_chapters(|chapters| {
                        let lab = chapters.of_mut::<LayersLab>();
                        lab.round = lab.round.wrapping_add(1);
                    })
                >
                    {t!(i18n, layers.next_round)}
                </button>
            </div>
            // Another round begins anew.
            {move || {
                let (game, round) = game.get();
                match game {
                    Game::Cards => view! { <CardsGame round /> }.into_any(),
                    Game::Eight => view! { <EightGame round /> }.into_any(),
                    Game::Passes => view! { <PassesGame round /> }.into_any(),
                }
            }}
        </section>
    }
}

/// A button that begins a game.
#[component]
fn Start(begin: impl Fn() + 'static) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <button type="button" class="plain-button" data-testid="start-game" on:click=move |_| begin()>
            {t!(i18n, layers.start_game)}
        </button>
    }
}

/// A form for a whole number.
#[component]
fn Ask(
    #[prop(into)] name: Signal<String>,
    test_id: &'static str,
    answer: impl Fn(usize) + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    let field = NodeRef::<leptos::html::Input>::new();
    // An effect because focus lies outside the reactive graph: the button that was pressed is gone.
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            field.focus().or_logged("moving the focus");
        }
    });
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        let typed = field.get_untracked().map(|field| field.value());
        if let Some(Ok(number)) = typed.map(|typed| typed.trim().parse()) {
            answer(number);
        }
    };
    view! {
        <form class="game-form" on:submit=submit>
            <label class="number-field">
                <span>{name}</span>
                <input
                    type="number"
                    class="number"
                    style="--digits: 3"
                    min="0"
                    max="999"
                    data-testid=test_id
                    node_ref=field
                />
            </label>
            <button type="submit" class="plain-button">{t!(i18n, layers.answer_game)}</button>
        </form>
    }
}

/// Returns the time in seconds since the page was opened; 0 where there is no clock.
fn now_s() -> f64 {
    let clock = web_sys::window().and_then(|window| window.performance());
    clock.map_or(0.0, |clock| clock.now() / 1000.0)
}
