//! A window over the keys, with and without the first tokens: the surprise at each token of the text, and what is written.

use attention_core::{
    appearance::Appearance,
    edits::edit_words,
    engine::Live,
    i18n::{Locale, t, t_string, use_i18n},
    state::{GivenWindow, ViewState},
    widgets::{PlotFigure, Select, Slider, numbers::decimal},
};
use attention_trace::AttentionKind;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    parameters::LongTexts,
    passes::{Named, mean_of},
    written::WrittenFigure,
};

/// Returns the names of the three ways of seeing keys: all, the window alone, the window and the first tokens.
pub fn ways(i18n: I18nContext<Locale>, asked: LongTexts) -> [String; 3] {
    let LongTexts { keys, first, .. } = asked;
    [
        t_string!(i18n, long.all_keys).to_owned(),
        t_string!(i18n, long.window_of, count = keys).to_string(),
        t_string!(i18n, long.window_and_first, count = keys, first = first).to_string(),
    ]
}

/// The plot, its controls and the means.
#[component]
pub fn WindowsFigure() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let wanted = ViewState::expect().select(|view| *view.chapters.of::<LongTexts>());
    let named = Named::new();
    let passes = [
        named.surprises(|_| Some(vec![])),
        named.surprises(move |trace| {
            let wanted = wanted.get();
            Some(wanted.in_layers_of(wanted.alone(), trace))
        }),
        named.surprises(move |trace| {
            let wanted = wanted.get();
            Some(wanted.in_layers_of(wanted.kept(), trace))
        }),
    ];
    let plot = Signal::derive(move || {
        let labels = [t_string!(i18n, long.place), t_string!(i18n, long.surprise)];
        named.plot(ways(i18n, wanted.get()), passes, labels, appearance.get())
    });
    let words = move || {
        let [all, alone, kept] = passes.map(mean_of);
        Some(t_string!(
            i18n,
            long.window_means,
            all = decimal(all?, 3),
            alone = decimal(alone?, 3),
            kept = decimal(kept?, 3)
        ))
    };
    view! {
        <section class="lesson-figure">
            <GivenAlready />
            <PlotFigure
                title=Signal::derive(move || t_string!(i18n, long.windows).to_owned())
                text=Signal::derive(move || t_string!(i18n, long.windows_text).to_owned())
                test_id="windows"
                plot
            >
                <WindowControls />
            </PlotFigure>
            <p class="lesson-reading number" role="status" data-testid="window-means">{words}</p>
            <WrittenFigure named />
        </section>
    }
}

/// Says that the result on screen was computed under a window that was given, and takes that back.
#[component]
fn GivenAlready() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let given = ViewState::expect().select(|view| view.edits.window());
    let words = edit_words();
    let notice = move |given: GivenWindow| {
        view! {
            <p class="notice" data-testid="window-given">
                {move || t_string!(i18n, long.given, edit = words(&given.into())).to_string()} " "
                <button
                    type="button"
                    class="link-button"
                    data-testid="window-back"
                    on:click=move |_| live.edit(|edits| edits.remove(&given.into()))
                >
                    {t!(i18n, long.take_back)}
                </button>
            </p>
        }
    };
    move || given.get().map(notice)
}

/// The controls of the window, of the first tokens and of the layers.
#[component]
fn WindowControls() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let keys = state.select(|view| view.chapters.of::<LongTexts>().keys);
    let first = state.select(|view| view.chapters.of::<LongTexts>().first);
    let layer = state.select(|view| view.chapters.of::<LongTexts>().layer);
    let live = Live::expect();
    let layers = Memo::new(move |_| {
        let trace = live.trace();
        trace.map_or(0, |trace| {
            trace.meta.spec.layers(AttentionKind::DecoderSelf)
        })
    });
    let options = Signal::derive(move || {
        let one = |index: usize| t_string!(i18n, long.layer, layer = index + 1).to_string();
        let all = t_string!(i18n, long.every_layer).to_owned();
        std::iter::once(all)
            .chain((0..layers.get()).map(one))
            .collect()
    });
    view! {
        <div class="position-controls">
            <Slider
                name=Signal::derive(move || t_string!(i18n, long.keys).to_owned())
                test_id="window-keys"
                range=LongTexts::KEYS
                value=keys
                words=Signal::derive(move || keys.get().to_string())
                set=move |keys| {
                    state.update_chapters(|chapters| chapters.of_mut::<LongTexts>().keys = keys)
                }
            />
            <Slider
                name=Signal::derive(move || t_string!(i18n, long.first).to_owned())
                test_id="window-first"
                range=LongTexts::FIRST
                value=first
                words=Signal::derive(move || first.get().to_string())
                set=move |first| {
                    state.update_chapters(|chapters| chapters.of_mut::<LongTexts>().first = first)
                }
            />
            <Select
                name=Signal::derive(move || t_string!(i18n, long.in_layers).to_owned())
                test_id="window-layer"
                options
                chosen=Signal::derive(move || layer.get().map_or(0, |layer| (layer + 1).min(layers.get())))
                choose=move |index: usize| {
                    let layer = index.checked_sub(1);
                    state.update_chapters(|chapters| chapters.of_mut::<LongTexts>().layer = layer)
                }
            />
        </div>
    }
}
