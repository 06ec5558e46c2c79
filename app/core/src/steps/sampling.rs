//! Settings of sampling; a change draws the tokens again at once.

use leptos::prelude::*;

use crate::{
    engine::Live,
    i18n::{t, t_string, use_i18n},
    state::{SamplingChoice, ViewState},
    widgets::{NumberField, Slider, numbers::decimal},
};

/// The temperature, top-k, top-p and seed of the model on screen, while it samples its tokens.
#[component]
pub fn SamplingNumbers() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let choice = state.select(|view| SamplingChoice::of(view.search).unwrap_or_default());
    let of = move |part: fn(&SamplingChoice) -> u32| Signal::derive(move || choice.with(part));
    let change = move |change: &dyn Fn(&mut SamplingChoice)| {
        let mut choice = choice.get_untracked();
        change(&mut choice);
        state.set_search(choice.search());
        live.run();
    };
    let slider = |bounds: (u32, u32)| (bounds.0 as usize, bounds.1 as usize);
    let (temperature, top_p) = (of(|choice| choice.temperature), of(|choice| choice.top_p));
    let hundredths =
        |value: Signal<u32>| Signal::derive(move || decimal(value.get() as f32 / 100.0, 2));
    let top_k = of(|choice| choice.top_k);
    let seed = of(|choice| choice.seed);
    view! {
        <Slider
            name=Signal::derive(move || t_string!(i18n, search.temperature).to_owned())
            test_id="live-temperature"
            range=slider(SamplingChoice::TEMPERATURES)
            step=5
            value=Signal::derive(move || temperature.get() as usize)
            words=hundredths(temperature)
            set=move |value| change(&|choice| choice.temperature = value as u32)
        />
        <NumberField
            name=Signal::derive(move || t_string!(i18n, search.top_k_or_all).to_owned())
            test_id="live-top-k"
            bounds=(SamplingChoice::TOP_K.0.into(), SamplingChoice::TOP_K.1.into())
            value=Signal::derive(move || u64::from(top_k.get()))
            set=move |value| change(&|choice| choice.top_k = value as u32)
        />
        <Slider
            name=Signal::derive(|| "top-p".to_owned())
            test_id="live-top-p"
            range=slider(SamplingChoice::TOP_P)
            step=5
            value=Signal::derive(move || top_p.get() as usize)
            words=hundredths(top_p)
            set=move |value| change(&|choice| choice.top_p = value as u32)
        />
        <NumberField
            name=Signal::derive(move || t_string!(i18n, search.seed).to_owned())
            test_id="live-seed"
            bounds=(0, u32::MAX.into())
            value=Signal::derive(move || u64::from(seed.get()))
            set=move |value| change(&|choice| choice.seed = value as u32)
        />
        <button
            type="button"
            class="plain-button"
            data-testid="live-draw-again"
            on:click=move |_| change(&|choice| choice.seed = choice.seed.wrapping_add(1))
        >
            {t!(i18n, search.draw_again)}
        </button>
    }
}
