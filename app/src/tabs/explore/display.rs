//! The switches of what maps of attention show, and what each does to the map on screen.

use attention_trace::Display;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::context::HeadsContext;
use attention_core::{
    i18n::{Locale, t, t_string, use_i18n},
    state::ViewState,
    widgets::numbers::percent,
};

/// A switch of what maps show.
#[derive(Clone, Copy)]
enum Switch {
    Words,
    NoSpecial,
    NoSink,
}

impl Switch {
    const ALL: [Switch; 3] = [Switch::Words, Switch::NoSpecial, Switch::NoSink];

    fn of(self, display: &mut Display) -> &mut bool {
        match self {
            Switch::Words => &mut display.words,
            Switch::NoSpecial => &mut display.no_special,
            Switch::NoSink => &mut display.no_sink,
        }
    }

    fn is_on(self, mut display: Display) -> bool {
        *self.of(&mut display)
    }

    fn test_id(self) -> &'static str {
        match self {
            Switch::Words => "whole-words",
            Switch::NoSpecial => "no-special",
            Switch::NoSink => "no-sink",
        }
    }

    fn name(self, i18n: I18nContext<Locale>) -> &'static str {
        match self {
            Switch::Words => t_string!(i18n, heads.whole_words),
            Switch::NoSpecial => t_string!(i18n, heads.no_special),
            Switch::NoSink => t_string!(i18n, heads.no_sink),
        }
    }

    fn hint(self, i18n: I18nContext<Locale>) -> &'static str {
        match self {
            Switch::Words => t_string!(i18n, heads.whole_words_hint),
            Switch::NoSpecial => t_string!(i18n, heads.no_special_hint),
            Switch::NoSink => t_string!(i18n, heads.no_sink_hint),
        }
    }

    /// Returns what the switch does to the map on screen, once it is loaded.
    fn effect(self, i18n: I18nContext<Locale>, context: HeadsContext) -> Option<String> {
        let left_out = context.left_out();
        match self {
            Switch::Words => Some(t_string!(i18n, heads.whole_words_hint).to_owned()),
            Switch::NoSpecial => Some(match (left_out?.hidden, left_out?.aside) {
                (Some(share), None) => {
                    t_string!(i18n, heads.special_hidden, share = percent(share, 1)).to_string()
                }
                (Some(share), Some(_)) => t_string!(
                    i18n,
                    heads.special_hidden_of_rest,
                    share = percent(share, 1)
                )
                .to_string(),
                (None, _) => t_string!(i18n, heads.special_none).to_owned(),
            }),
            Switch::NoSink => Some(match left_out?.aside {
                Some(share) => {
                    t_string!(i18n, heads.sink_aside, share = percent(share, 1)).to_string()
                }
                None => t_string!(i18n, heads.sink_none).to_owned(),
            }),
        }
    }
}

/// The switches of what maps show, folded until one is on.
#[component]
pub fn DisplayChoice() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    // It stays unfolded when the last one is switched off, under the visitor's hand.
    let is_open = Memo::new(move |before: Option<&bool>| {
        let is_plain = context.display().is_plain();
        before == Some(&true) || !is_plain
    });
    view! {
        <details class="display-choice" data-testid="display" prop:open=is_open>
            <summary>{t!(i18n, heads.display)}</summary>
            <div class="display-switches">
                {Switch::ALL.map(|switch| view! { <Toggle switch context /> })}
            </div>
        </details>
    }
}

/// A sentence on the map for each switch that is on. It stands below the drawing, which stays in its place.
#[component]
pub fn DisplayEffects() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let effects = Switch::ALL.map(|switch| {
        let effect = Memo::new(move |_| {
            let is_on = switch.is_on(context.display());
            is_on.then(|| switch.effect(i18n, context)).flatten()
        });
        view! {
            <p
                class="hint"
                class:is-hidden=move || effect.read().is_none()
                data-testid=format!("{}-effect", switch.test_id())
            >
                {move || effect.get()}
            </p>
        }
    });
    view! { <div class="display-effects" role="status">{effects}</div> }
}

#[component]
fn Toggle(switch: Switch, context: HeadsContext) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let is_on = Memo::new(move |_| switch.is_on(context.display()));
    let hint_id = format!("{}-hint", switch.test_id());
    view! {
        <label class="toggle" title=move || switch.hint(i18n)>
            <input
                type="checkbox"
                data-testid=switch.test_id()
                aria-describedby=hint_id.clone()
                prop:checked=is_on
                on:change:target=move |event| {
                    let is_on = event.target().checked();
                    state.update_display(|display| *switch.of(display) = is_on);
                }
            />
            <span>{move || switch.name(i18n)}</span>
            <span class="visually-hidden" id=hint_id>{move || switch.hint(i18n)}</span>
        </label>
    }
}

/// The names of the switches that are on, for maps that are drawn apart from them.
#[component]
pub fn DisplayNote() -> impl IntoView {
    let i18n = use_i18n();
    let context = HeadsContext::expect();
    let names = Memo::new(move |_| {
        let display = context.display();
        let on = Switch::ALL
            .into_iter()
            .filter(|switch| switch.is_on(display));
        on.map(|switch| switch.name(i18n))
            .collect::<Vec<_>>()
            .join(" · ")
    });
    view! {
        <p class="hint" class:is-hidden=move || names.read().is_empty() data-testid="display-note">
            {names}
        </p>
    }
}
