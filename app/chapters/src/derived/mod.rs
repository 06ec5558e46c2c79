//! Beyond the raw weights: rollout, flow, gradients and the length of what weights carry, beside the weights themselves.

mod context;
mod kit;
mod maps;
pub mod parameters;

use crate::{derived::parameters::DerivedView, kit::Kit, needs::Needs, page::Define, topic::Topic};
use attention_trace::{AttentionKind, derived::Objective};
use leptos::prelude::*;

use self::{context::DerivedContext, maps::DerivedMaps};
use attention_core::{
    i18n::{t, t_string, use_i18n},
    names::token_name,
    navigation::FindingLink,
    selection::{HeadControls, WhenLive, chosen_head},
    state::{View, ViewState},
    steps::Steps,
    widgets::{Prose, Segmented, numbers::decimal, player::Transport},
};

/// The head that gives the end token much weight and takes little from there.
const SHORT_END: &str = "v=2&tab=learn&chapter=derived&model=translator&text=Je+suis+%C3%A9tudiant.&kind=cross&layer=2&head=8";
/// The head in which the end token's vector is the longest.
const LONG_END: &str = "v=2&tab=learn&chapter=derived&model=translator&text=Je+suis+%C3%A9tudiant.&kind=encoder&layer=3&head=7";

impl Define for DerivedView {
    const NEEDS: Needs = Needs::Attention;
    const MINUTES: u32 = 6;

    fn topic(_view: &View) -> Topic {
        Topic::Head
    }

    fn title() -> String {
        t_string!(use_i18n(), derived.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        DerivedChapter().into_any()
    }
}

#[component]
pub fn DerivedChapter() -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <Prose part="intro" />
        <DerivedFigures />
        <Prose part="found" />
        <p class="position-controls">
            <FindingLink link=SHORT_END test_id="derived-short-end">
                {t!(i18n, derived.short_end)}
            </FindingLink>
            <FindingLink link=LONG_END test_id="derived-long-end">
                {t!(i18n, derived.long_end)}
            </FindingLink>
        </p>
    }
}

/// The head, the output whose gradient is asked for, and the maps.
#[component]
pub fn DerivedFigures() -> impl IntoView {
    view! {
        <WhenLive>
            <Figures />
        </WhenLive>
    }
}

#[component]
fn Figures() -> impl IntoView {
    let context = DerivedContext::provide();
    let chosen = chosen_head();
    // What is followed is another thing in each kind of attention.
    let followed = Signal::derive(move || match context.kind() {
        Some(AttentionKind::Cross) => "through-cross",
        Some(AttentionKind::DecoderSelf) => "through-decoder",
        Some(AttentionKind::EncoderSelf) | None => "through-encoder",
    });
    view! {
        <section class="lesson-figure is-wide" data-testid="derived">
            <HeadControls chosen />
            <OutputChoice />
            <Prose part=followed is_caption=true />
            <DerivedMaps />
        </section>
    }
}

/// The output whose gradient is shown: the step's token, its logit or log p.
#[component]
fn OutputChoice() -> impl IntoView {
    let i18n = use_i18n();
    let (state, steps) = (ViewState::expect(), Steps::expect());
    let context = DerivedContext::expect();
    let has_steps = Memo::new(move |_| steps.has_steps());
    let of = state.select(|view| view.chapters.of::<DerivedView>().of);
    let words = Signal::derive(move || {
        let timeline = steps.timeline();
        let (step, count) = (timeline.step + 1, timeline.count);
        t_string!(i18n, decoding.step_of, step = step, count = count)
    });
    let name = token_name();
    let output = move || {
        let token = context
            .place
            .with(|place| Some(name(&place.as_ref()?.output.as_ref()?.1)))?;
        let value = context.gradient.answer.get().map(|answer| answer.value);
        let value = value.map_or_else(|| "…".to_owned(), |value| decimal(value, 3));
        Some(match of.get() {
            Objective::Logit => t_string!(i18n, derived.output_logit, token = token, value = value),
            Objective::LogProbability => {
                t_string!(i18n, derived.output_log_p, token = token, value = value)
            }
        })
    };
    view! {
        <Show when=move || has_steps.get()>
            <Transport
                player=steps.player()
                label=Signal::derive(move || t_string!(i18n, decoding.scrub).to_owned())
                words
                has_keys=false
            />
        </Show>
        <div class="position-controls">
            <Segmented
                label=Signal::derive(move || t_string!(i18n, derived.gradient_of).to_owned())
                options=Signal::derive(move || vec![
                    (Objective::Logit, t_string!(i18n, derived.of_logit).to_owned()),
                    (Objective::LogProbability, t_string!(i18n, derived.of_log_p).to_owned()),
                ])
                value=of
                choose=move |of| state.update_chapters(|chapters| chapters.of_mut::<DerivedView>().of = of)
            />
            <p class="hint" role="status" data-testid="derived-output">{output}</p>
        </div>
    }
}
