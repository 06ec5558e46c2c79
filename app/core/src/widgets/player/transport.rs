//! The controls of the player.

use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Player, timeline::Action};
use crate::{
    i18n::{t, t_string, use_i18n},
    state::{AddressValue, flat},
    widgets::Segmented,
};

#[derive(Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Speed {
    #[serde(rename = "½×")]
    Half,
    #[serde(rename = "1×")]
    Normal,
    #[serde(rename = "2×")]
    Double,
}

impl AddressValue for Speed {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

impl Speed {
    fn factor(self) -> f64 {
        match self {
            Speed::Half => 0.5,
            Speed::Normal => 1.0,
            Speed::Double => 2.0,
        }
    }
}

/// Play, step, scrub, speed.
#[component]
pub fn Transport(
    /// The player that the controls move.
    player: Player,
    /// The accessible name of the controls.
    #[prop(into)]
    label: Signal<String>,
    /// The player's position in words.
    #[prop(into)]
    words: Signal<String>,
    /// True if the player listens to the page's keys and shows hints for them; one player at a time does.
    #[prop(default = true)]
    has_keys: bool,
    /// True if the steps are shown beside it, so that it needs no scrubber, and shows its speed while it plays.
    #[prop(default = false)]
    is_compact: bool,
) -> impl IntoView {
    let i18n = use_i18n();
    let playing = move || player.timeline().playing;
    view! {
        <div
            class="transport"
            role="group"
            aria-label=label
            aria-describedby=has_keys.then_some("player-keys")
        >
            <div class="transport-buttons">
                <StepButton player action=Action::Back />
                <button
                    type="button"
                    class="transport-button transport-play"
                    data-testid="play"
                    aria-label=move || if playing() {
                        t_string!(i18n, player.pause)
                    } else {
                        t_string!(i18n, player.play)
                    }
                    on:click=move |_| player.apply(Action::Toggle)
                >
                    <svg viewBox="0 0 24 24" aria-hidden="true">
                        <path d=move || if playing() {
                            "M6 4h4v16H6zM14 4h4v16h-4z"
                        } else {
                            "M7 4l13 8-13 8z"
                        } />
                    </svg>
                </button>
                <StepButton player action=Action::Forward />
            </div>
            {match is_compact {
                true => view! {
                    <p class="scrubber-words" data-testid="step-of" role="status">{words}</p>
                    <Show when=playing>
                        <SpeedChoice player />
                    </Show>
                }
                .into_any(),
                false => view! {
                    <Scrubber player label words />
                    <SpeedChoice player />
                }
                .into_any(),
            }}
            {has_keys.then(|| view! {
                <p class="hint transport-keys" id="player-keys">{t!(i18n, player.keys)}</p>
            })}
        </div>
    }
}

#[component]
fn StepButton(player: Player, action: Action) -> impl IntoView {
    let i18n = use_i18n();
    let is_back = action == Action::Back;
    let at_the_end = move || {
        let timeline = player.timeline();
        if is_back {
            timeline.step == 0
        } else {
            timeline.is_at_end()
        }
    };
    let (path, direction, test_id) = if is_back {
        ("M5 4h3v16H5zM20 4v16L9 12z", "back", "step-back")
    } else {
        ("M16 4h3v16h-3zM4 4l11 8-11 8z", "forward", "step-forward")
    };
    view! {
        <button
            type="button"
            class="transport-button"
            data-testid=test_id
            // For what moves the player of a figure that it only sees.
            data-step=direction
            // Not `disabled`: a button that loses the focus under the finger loses its user.
            aria-disabled=move || at_the_end().to_string()
            aria-label=move || if is_back {
                t_string!(i18n, player.back)
            } else {
                t_string!(i18n, player.forward)
            }
            on:click=move |_| player.apply(action)
        >
            <svg viewBox="0 0 24 24" aria-hidden="true"><path d=path /></svg>
        </button>
    }
}

#[component]
fn Scrubber(player: Player, label: Signal<String>, words: Signal<String>) -> impl IntoView {
    view! {
        <label class="scrubber">
            <span class="scrubber-words" data-testid="step-of" role="status">{words}</span>
            <input
                type="range"
                min="1"
                max=move || player.timeline().count
                prop:value=move || player.timeline().step + 1
                data-testid="scrubber"
                aria-label=label
                aria-valuetext=words
                on:input:target=move |event| {
                    if let Ok(step) = event.target().value().parse::<usize>() {
                        player.apply(Action::Scrub(step.saturating_sub(1)));
                    }
                }
            />
        </label>
    }
}

#[component]
fn SpeedChoice(player: Player) -> impl IntoView {
    let i18n = use_i18n();
    let speed = Signal::derive(move || {
        let factor = player.speed();
        Speed::values()
            .iter()
            .map(|&(speed, _)| speed)
            .find(|speed| speed.factor() == factor)
            .unwrap_or(Speed::Normal)
    });
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, player.speed).to_owned())
            options=Signal::derive(|| {
                Speed::values().into_iter().map(|(speed, name)| (speed, name.to_owned())).collect()
            })
            value=speed
            choose=move |speed: Speed| player.set_speed(speed.factor())
        />
    }
}
