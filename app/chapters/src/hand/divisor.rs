//! The switch between scaled and unscaled scores.

use crate::hand::parameters::Hand;
use leptos::prelude::*;

use super::context::HandContext;
use attention_core::{
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{Check, numbers::decimal},
};

/// A switch that divides the scores by `√d_k`, with the value of `d_k`.
#[component]
pub fn Divisor() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let hand = HandContext::expect().hand;
    let (low, high) = Hand::KEY_WIDTHS;
    let width = Memo::new(move |_| hand.with(Hand::key_width));
    let scaled = Memo::new(move |_| hand.with(|hand| hand.scaled));
    let root = move || {
        let width = width.get();
        format!("√{width} = {}", decimal((width as f32).sqrt(), 3))
    };
    view! {
        <Check
            name=Signal::derive(move || t_string!(i18n, hand.divide).to_owned())
            test_id="hand-scaled"
            on=scaled
            set=move |scaled| state.update_chapters(|chapters| chapters.of_mut::<Hand>().scaled = scaled)
        />
        <label class="number-field">
            <span>{t!(i18n, hand.width)}</span>
            <input
                type="number"
                class="number"
                data-testid="hand-width"
                min=low
                max=high
                step="1"
                disabled=move || !scaled.get()
                prop:value=move || width.get().to_string()
                on:change:target=move |event| {
                    if let Ok(typed) = event.target().value().parse::<f64>() {
                        let width = (typed.round() as usize).clamp(low, high);
                        state.update_chapters(|chapters| chapters.of_mut::<Hand>().key_width = Some(width));
                    }
                    // Input that is not a number is discarded: the field shows the current width again.
                    event.target().set_value(&width.get_untracked().to_string());
                }
            />
            <output class="number" data-testid="hand-root">{root}</output>
        </label>
    }
}
