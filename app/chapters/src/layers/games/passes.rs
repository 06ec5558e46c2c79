//! The passes of the white team are to be counted, while a star crosses the scene, as a gorilla did in the experiment of
//! Simons and Chabris (1999).

use leptos::prelude::*;

use super::{
    Ask,
    round::{PASSES, PLAYERS, STAR, Scene, passes, white_passes},
};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    widgets::player::{Player, Transport},
};

/// The size of the scene.
const SIZE: (f64, f64) = (480.0, 240.0);
/// The places of the white players and of the black ones.
const PLACES: [[(f64, f64); PLAYERS]; 2] = [
    [(70.0, 70.0), (240.0, 190.0), (400.0, 80.0)],
    [(120.0, 180.0), (250.0, 50.0), (350.0, 170.0)],
];

/// Returns the place of the star at a step; `None` before it comes and after it has gone.
fn star(step: usize) -> Option<(f64, f64)> {
    STAR.contains(&step).then(|| {
        let part = (step - STAR.start) as f64 / (STAR.len() - 1) as f64;
        (20.0 + part * (SIZE.0 - 40.0), 120.0)
    })
}

#[component]
pub fn PassesGame(
    /// The number of the round, from which the passes are drawn.
    round: u32,
) -> impl IntoView {
    let i18n = use_i18n();
    let scenes = passes(round);
    let right = white_passes(&scenes);
    let scenes = StoredValue::new(scenes);
    let step = RwSignal::new(0usize);
    let said = RwSignal::new(None::<usize>);
    let player = Player::new(move || step.get(), || PASSES + 1, move |to| step.set(to));
    let now = Memo::new(move |_| player.timeline().step);
    let scene = Memo::new(move |_| scenes.with_value(|scenes| scenes.get(now.get()).copied()));
    let is_over = move || now.get() == PASSES;
    let players = |team: usize| {
        let class = if team == 0 { "is-white" } else { "is-black" };
        let player = move |(x, y): (f64, f64)| view! { <circle class=class cx=x cy=y r="22" /> };
        PLACES[team].map(player).collect_view()
    };
    let ball = move |team: usize| {
        let place = move || {
            let Scene { white, black } = scene.get().unwrap_or(Scene { white: 0, black: 0 });
            let (x, y) = PLACES[team][if team == 0 { white } else { black }];
            format!("transform: translate({}px, {}px)", x + 16.0, y + 14.0)
        };
        view! { <circle class="game-ball" class:is-dark={team == 1} style=place r="9" /> }
    };
    let has_star = move || {
        let (x, y) = star(now.get())?;
        Some(view! { <text class="game-star" x=x y=y>"★"</text> })
    };
    let verdict = move || {
        let said = said.get()?;
        Some(match said == right {
            true => t_string!(i18n, layers.passes_right, count = right),
            false => t_string!(i18n, layers.passes_wrong, said = said, count = right),
        })
    };
    view! {
        <p>{t!(i18n, layers.passes_task)}</p>
        <Transport
            player
            label=Signal::derive(move || t_string!(i18n, layers.passes_playing).to_owned())
            words=Signal::derive(move || format!("{} / {PASSES}", now.get()))
        />
        <svg
            class="game-scene"
            role="img"
            aria-label=move || {
                let Scene { white, black } = scene.get().unwrap_or(Scene { white: 0, black: 0 });
                t_string!(i18n, layers.passes_scene, white = white + 1, black = black + 1)
            }
            viewBox=format!("0 0 {} {}", SIZE.0, SIZE.1)
            data-testid="scene"
        >
            {has_star}
            {players(0)}
            {players(1)}
            {ball(0)}
            {ball(1)}
        </svg>
        <Show when=move || is_over() && said.get().is_none()>
            <Ask
                name=Signal::derive(move || t_string!(i18n, layers.ask_passes).to_owned())
                test_id="passes-count"
                answer=move |count| said.set(Some(count))
            />
        </Show>
        <p role="status" data-testid="passes-verdict">{verdict}</p>
        <Show when=move || said.get().is_some()>
            <p>{t!(i18n, layers.passes_star)}</p>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_star_crosses_the_whole_scene_and_goes() {
        assert_eq!(star(STAR.start), Some((20.0, 120.0)));
        assert_eq!(star(STAR.end - 1), Some((460.0, 120.0)));
        assert_eq!((star(STAR.start - 1), star(STAR.end)), (None, None));
    }
}
