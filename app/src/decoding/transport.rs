//! The player's controls.

use leptos::prelude::*;

use super::{context::DecodingContext, timeline::Action};
use crate::{
    i18n::{t, t_string, use_i18n},
    shell::Segmented,
    state::Word,
};

/// How fast the player goes on.
#[derive(Clone, Copy, PartialEq)]
enum Speed {
    Half,
    Normal,
    Double,
}

impl Word for Speed {
    const WORDS: &'static [(Self, &'static str)] = &[
        (Speed::Half, "½×"),
        (Speed::Normal, "1×"),
        (Speed::Double, "2×"),
    ];
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
pub fn Transport() -> impl IntoView {
    let i18n = use_i18n();
    let context = DecodingContext::expect();
    let playing = move || context.timeline().playing;
    view! {
        <div
            class="transport"
            role="group"
            aria-label=move || t_string!(i18n, decoding.player)
            aria-describedby="player-keys"
        >
            <div class="transport-buttons">
                <StepButton action=Action::Back />
                <button
                    type="button"
                    class="transport-button transport-play"
                    data-testid="play"
                    aria-label=move || if playing() {
                        t_string!(i18n, decoding.pause)
                    } else {
                        t_string!(i18n, decoding.play)
                    }
                    on:click=move |_| context.apply(Action::Toggle)
                >
                    <svg viewBox="0 0 24 24" aria-hidden="true">
                        <path d=move || if playing() {
                            "M6 4h4v16H6zM14 4h4v16h-4z"
                        } else {
                            "M7 4l13 8-13 8z"
                        } />
                    </svg>
                </button>
                <StepButton action=Action::Forward />
            </div>
            <Scrubber />
            <SpeedChoice />
            <p class="hint transport-keys" id="player-keys">{t!(i18n, decoding.keys)}</p>
        </div>
    }
}

#[component]
fn StepButton(action: Action) -> impl IntoView {
    let i18n = use_i18n();
    let context = DecodingContext::expect();
    let is_back = action == Action::Back;
    let at_the_end = move || {
        let timeline = context.timeline();
        if is_back {
            timeline.step == 0
        } else {
            timeline.is_at_end()
        }
    };
    let (path, test_id) = if is_back {
        ("M5 4h3v16H5zM20 4v16L9 12z", "step-back")
    } else {
        ("M16 4h3v16h-3zM4 4l11 8-11 8z", "step-forward")
    };
    view! {
        <button
            type="button"
            class="transport-button"
            data-testid=test_id
            // Not `disabled`: a button that loses the focus under the finger loses its user.
            aria-disabled=move || at_the_end().to_string()
            aria-label=move || if is_back {
                t_string!(i18n, decoding.back)
            } else {
                t_string!(i18n, decoding.forward)
            }
            on:click=move |_| context.apply(action)
        >
            <svg viewBox="0 0 24 24" aria-hidden="true"><path d=path /></svg>
        </button>
    }
}

#[component]
fn Scrubber() -> impl IntoView {
    let i18n = use_i18n();
    let context = DecodingContext::expect();
    let words = move || {
        let timeline = context.timeline();
        t_string!(
            i18n,
            decoding.step_of,
            step = timeline.step + 1,
            count = timeline.count
        )
    };
    view! {
        <label class="scrubber">
            <span class="scrubber-words" data-testid="step-of" role="status">{words}</span>
            <input
                type="range"
                min="1"
                max=move || context.timeline().count
                prop:value=move || context.timeline().step + 1
                data-testid="scrubber"
                aria-label=move || t_string!(i18n, decoding.scrub)
                aria-valuetext=words
                on:input:target=move |event| {
                    if let Ok(step) = event.target().value().parse::<usize>() {
                        context.apply(Action::Scrub(step.saturating_sub(1)));
                    }
                }
            />
        </label>
    }
}

#[component]
fn SpeedChoice() -> impl IntoView {
    let i18n = use_i18n();
    let context = DecodingContext::expect();
    let speed = Signal::derive(move || {
        let factor = context.speed();
        Speed::WORDS
            .iter()
            .map(|&(speed, _)| speed)
            .find(|speed| speed.factor() == factor)
            .unwrap_or(Speed::Normal)
    });
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, decoding.speed).to_owned())
            options=Signal::derive(|| {
                Speed::WORDS.iter().map(|&(speed, name)| (speed, name.to_owned())).collect()
            })
            value=speed
            choose=move |speed: Speed| context.set_speed(speed.factor())
        />
    }
}
