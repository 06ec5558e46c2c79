//! The choice of greedy search, beam search or sampling.

use attention_trace::Search;
use leptos::prelude::*;
use serde::{Deserialize, Serialize};

use attention_core::{
    engine::{Live, Phase},
    i18n::{t, t_string, use_i18n},
    state::{
        AddressValue, LENGTH_PENALTY, MAX_BEAM_WIDTH, MAX_LENGTH_PENALTY, MOST_NEW_TOKENS, Model,
        SamplingChoice, View, ViewState, flat,
    },
    steps::SamplingNumbers,
    widgets::{NumberField, Segmented},
};

/// The default width of a beam.
const WIDTH: usize = 4;

/// The ways to choose tokens, without their numbers.
#[derive(Clone, Copy, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
enum Strategy {
    Greedy,
    Beam,
    Sampling,
}

impl AddressValue for Strategy {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// Returns a function for the name of the current search with its number, in the page's language.
pub fn search_name() -> impl Fn() -> String + Copy + Send + Sync + 'static {
    let i18n = use_i18n();
    let search = ViewState::expect().select(|view| view.search);
    move || match search.get() {
        Search::Greedy => t_string!(i18n, shell.greedy).to_owned(),
        Search::Beam { width, .. } => format!("{} {width}", t_string!(i18n, shell.beam)),
        Search::Sampling { .. } => t_string!(i18n, search.sampling).to_owned(),
    }
}

/// Returns a function that changes the search and runs at once.
fn change() -> impl Fn(Search) + Copy + Send + Sync + 'static {
    let (live, state) = (Live::expect(), ViewState::expect());
    move |search| {
        state.set_search(search);
        live.run();
    }
}

/// The choice of the search among target tokens; a change runs at once.
#[component]
pub fn SearchChoice() -> impl IntoView {
    let i18n = use_i18n();
    let search = ViewState::expect().select(|view| view.search);
    let change = change();
    let strategy = Signal::derive(move || match search.get() {
        Search::Greedy => Strategy::Greedy,
        Search::Beam { .. } => Strategy::Beam,
        Search::Sampling { .. } => Strategy::Sampling,
    });
    let choose = move |strategy| match strategy {
        Strategy::Greedy => change(Search::Greedy),
        Strategy::Beam => change(Search::Beam {
            width: WIDTH,
            length_penalty: LENGTH_PENALTY,
        }),
        Strategy::Sampling => change(SamplingChoice::default().search()),
    };
    view! {
        <Segmented
            label=Signal::derive(move || t_string!(i18n, shell.search).to_owned())
            options=Signal::derive(move || vec![
                (Strategy::Greedy, t_string!(i18n, shell.greedy).to_owned()),
                (Strategy::Beam, t_string!(i18n, shell.beam).to_owned()),
                (Strategy::Sampling, t_string!(i18n, search.sampling).to_owned()),
            ])
            value=strategy
            choose
        />
    }
}

/// The largest number of tokens that an opened model writes; a change runs at once.
#[component]
pub fn NewTokens() -> impl IntoView {
    let i18n = use_i18n();
    let (live, state) = (Live::expect(), ViewState::expect());
    let writes = live.select(|engine| match &engine.phase {
        Phase::Ready {
            model: Model::Mine(_),
            reply,
        } => reply.spec.generates.is_text(),
        _ => false,
    });
    let most = state.select(View::most_new);
    view! {
        <Show when=move || writes.get()>
            <NumberField
                name=Signal::derive(move || t_string!(i18n, shell.new_tokens).to_owned())
                test_id="new-tokens"
                bounds=(1, MOST_NEW_TOKENS as u64)
                value=Signal::derive(move || most.get() as u64)
                set=move |tokens| {
                    state.update(|view| view.most_new = usize::try_from(tokens).ok());
                    live.run();
                }
            />
        </Show>
    }
}

/// The fields for the numbers of the current search.
#[component]
pub fn SearchNumbers() -> impl IntoView {
    let search = ViewState::expect().select(|view| view.search);
    let change = change();
    let has_numbers = Memo::new(move |_| search.get() != Search::Greedy);
    let is_drawn = Memo::new(move |_| matches!(search.get(), Search::Sampling { .. }));
    view! {
        <Show when=move || has_numbers.get()>
            <div class="search">
                {move || match search.get() {
                    Search::Greedy | Search::Sampling { .. } => None,
                    Search::Beam { width, length_penalty } => {
                        Some(view! { <BeamNumbers width length_penalty change /> })
                    }
                }}
                <Show when=move || is_drawn.get()>
                    <SamplingNumbers />
                </Show>
            </div>
        </Show>
    }
}

#[component]
fn BeamNumbers(
    width: usize,
    length_penalty: f32,
    change: impl Fn(Search) + Copy + Send + Sync + 'static,
) -> impl IntoView {
    let i18n = use_i18n();
    view! {
        <label class="number-field">
            <span>{t!(i18n, shell.width)}</span>
            <input
                type="number"
                min="2"
                max=MAX_BEAM_WIDTH
                value=width
                data-testid="beam-width"
                on:change:target=move |event| {
                    let input = event.target();
                    let typed: usize = input.value().parse().ok().unwrap_or(WIDTH);
                    let width = typed.clamp(2, MAX_BEAM_WIDTH);
                    // What is not used is not shown either.
                    input.set_value(&width.to_string());
                    change(Search::Beam { width, length_penalty });
                }
            />
        </label>
        <label class="number-field" title=move || t_string!(i18n, shell.length_penalty)>
            <span aria-hidden="true">"α"</span>
            <span class="visually-hidden">{t!(i18n, shell.length_penalty)}</span>
            <input
                type="number"
                min="0"
                max=MAX_LENGTH_PENALTY
                step="0.05"
                value=length_penalty
                data-testid="length-penalty"
                on:change:target=move |event| {
                    let input = event.target();
                    let typed: f32 = input.value().parse().ok().unwrap_or(LENGTH_PENALTY);
                    let length_penalty = typed.clamp(0.0, MAX_LENGTH_PENALTY);
                    input.set_value(&length_penalty.to_string());
                    change(Search::Beam { width, length_penalty });
                }
            />
        </label>
    }
}
