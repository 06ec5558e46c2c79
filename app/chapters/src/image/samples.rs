//! The choice among the test pictures.

use crate::image::parameters::ImageLab;
use attention_trace::lessons::LabelledPicture;
use leptos::prelude::*;

use super::{choice::drawn, context::ImageContext};
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::ViewState,
};

/// A button for each test picture; a notice while they are loading, and a button to retry if that fails.
#[component]
pub fn Samples() -> impl IntoView {
    let i18n = use_i18n();
    let context = ImageContext::expect();
    ViewState::expect().compare_count("picture", move || {
        context.samples.with(|samples| match samples {
            Some(Ok(pictures)) => pictures.len(),
            _ => 0,
        })
    });
    move || {
        context.samples.with(|samples| match samples {
            None => view! { <p class="hint" role="status">{t!(i18n, image.fetching)}</p> }.into_any(),
            Some(Ok(pictures)) => {
                let pictures = pictures.iter().cloned().enumerate();
                view! {
                    <div class="samples" role="group" aria-label=move || t_string!(i18n, image.samples)>
                        {pictures.map(|(place, sample)| view! { <Sample place sample /> }).collect_view()}
                    </div>
                }
                .into_any()
            }
            Some(Err(reason)) => {
                let reason = reason.clone();
                view! {
                    <div class="notice problem" role="alert" data-testid="pictures-missing">
                        <p class="notice-text">
                            {move || t_string!(i18n, image.missing, reason = reason.clone())}
                        </p>
                        <button type="button" class="plain-button" on:click=move |_| context.fetch()>
                            {t!(i18n, lessons.retry)}
                        </button>
                    </div>
                }
                .into_any()
            }
        })
    }
}

#[component]
fn Sample(place: usize, sample: LabelledPicture) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let context = ImageContext::expect();
    let appearance = Appearance::expect();
    let LabelledPicture {
        place: number,
        digit,
        picture,
    } = sample;
    let is_chosen = move || {
        context
            .sample()
            .is_some_and(|chosen| chosen.place == number)
    };
    let drawing = move || drawn(&picture, None, None, appearance.get());
    view! {
        <button
            type="button"
            class="sample"
            data-choice=place.to_string()
            aria-pressed=move || is_chosen().to_string()
            aria-label=move || t_string!(i18n, image.sample, number = number + 1, digit = digit)
            on:click=move |_| state.update_chapters(|chapters| {
                chapters.of_mut::<ImageLab>().sample = place;
                chapters.of_mut::<ImageLab>().drawn = None;
            })
            inner_html=drawing
        ></button>
    }
}
