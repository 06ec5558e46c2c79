//! Sampling from the table: the probabilities that are drawn from, one sequence step by step, and many of them counted.

use crate::search::parameters::SearchLab;
use std::{cmp::Reverse, collections::BTreeMap};

use attention_figures::{bars::Series, color::categorical};
use attention_trace::search::{Draw, Sample, Sampler, filtered};
use leptos::prelude::*;

use super::context::{NAMES, SearchContext, probability, written};
use attention_core::{
    appearance::Appearance,
    i18n::{t, t_string, use_i18n},
    state::ViewState,
    widgets::{
        BarFigure, Bars, ScrollRegion, Slider,
        numbers::{decimal, percent, share_of_one},
    },
};

/// The number of sequences in the list of the most frequent ones.
const FIRST: usize = 8;

/// A sequence that was drawn.
#[derive(Clone, Debug, PartialEq)]
struct Drawn {
    tokens: Vec<usize>,
    /// The probability of drawing the sequence.
    probability: f64,
    /// The number of times that the sequence was drawn.
    times: usize,
}

/// Counts the sequences of the samples, the most frequent first.
fn counted(samples: &[Sample]) -> Vec<Drawn> {
    let mut found: BTreeMap<Vec<usize>, Drawn> = BTreeMap::new();
    for sample in samples {
        let tokens = sample.tokens();
        let drawn = found.entry(tokens.clone()).or_insert_with(|| Drawn {
            tokens,
            probability: sample.probability(),
            times: 0,
        });
        drawn.times += 1;
    }
    let mut found: Vec<Drawn> = found.into_values().collect();
    found.sort_by_key(|drawn| Reverse(drawn.times));
    found
}

/// The controls, the first step's probabilities before and after the filters, and the sequences drawn.
#[component]
pub fn DrawnView() -> impl IntoView {
    let context = SearchContext::expect();
    let samples = Memo::new(move |_| {
        let (how, seed, draws) = context
            .lab
            .with(|lab| (lab.sampling(), lab.seed, lab.draws));
        let mut sampler = Sampler::new(how, seed);
        context.model.with(|model| {
            let draw = |_| sampler.sample(model);
            (0..draws).map(draw).collect::<Vec<Sample>>()
        })
    });
    view! {
        <Controls />
        <FirstStep />
        <FirstSequence samples />
        <Frequencies samples />
    }
}

/// Controls for temperature, top-k, top-p, the number of sequences, and the seed.
#[component]
fn Controls() -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let select = move |part: fn(&SearchLab) -> usize| {
        state.select(move |view| part(view.chapters.of::<SearchLab>()))
    };
    let temperature = select(|lab| lab.temperature);
    let top_k = select(|lab| lab.top_k);
    let top_p = select(|lab| lab.top_p);
    let draws = select(|lab| lab.draws);
    let seed = state.select(|view| view.chapters.of::<SearchLab>().seed);
    let top_k_words = move || match top_k.get() {
        all if all == NAMES.len() => t_string!(i18n, search.all_tokens).to_owned(),
        some => some.to_string(),
    };
    let update = move |change: &dyn Fn(&mut SearchLab)| {
        state.update_chapters(|chapters| change(chapters.of_mut::<SearchLab>()))
    };
    view! {
        <div class="position-controls">
            <Slider
                name=Signal::derive(move || t_string!(i18n, search.temperature).to_owned())
                test_id="search-t"
                range=SearchLab::TEMPERATURES
                step=5
                value=temperature
                words=Signal::derive(move || decimal(temperature.get() as f32 / 100.0, 2))
                set=move |value| update(&|lab| lab.temperature = value)
            />
            <Slider
                name=Signal::derive(|| "top-k".to_owned())
                test_id="search-top-k"
                range=SearchLab::TOP_K
                value=top_k
                words=Signal::derive(top_k_words)
                set=move |value| update(&|lab| lab.top_k = value)
            />
            <Slider
                name=Signal::derive(|| "top-p".to_owned())
                test_id="search-top-p"
                range=SearchLab::TOP_P
                step=5
                value=top_p
                words=Signal::derive(move || decimal(top_p.get() as f32 / 100.0, 2))
                set=move |value| update(&|lab| lab.top_p = value)
            />
            <Slider
                name=Signal::derive(move || t_string!(i18n, search.draws).to_owned())
                test_id="search-draws"
                range=SearchLab::DRAWS
                value=draws
                words=Signal::derive(move || draws.get().to_string())
                set=move |value| update(&|lab| lab.draws = value)
            />
            <label class="number-field">
                <span>{t!(i18n, search.seed)}</span>
                <input
                    type="number"
                    class="number"
                    data-testid="search-seed"
                    min="0"
                    max=u32::MAX
                    step="1"
                    prop:value=move || seed.get().to_string()
                    on:change:target=move |event| {
                        if let Ok(typed) = event.target().value().parse() {
                            update(&|lab| lab.seed = typed);
                        }
                        // What is no seed is discarded: the field shows the one in effect again.
                        event.target().set_value(&seed.get_untracked().to_string());
                    }
                />
            </label>
            <button
                type="button"
                class="plain-button"
                data-testid="search-draw-again"
                on:click=move |_| update(&|lab| lab.seed = lab.seed.wrapping_add(1))
            >
                {t!(i18n, search.draw_again)}
            </button>
        </div>
    }
}

/// The first step's probabilities, and those that its token is drawn from.
#[component]
fn FirstStep() -> impl IntoView {
    let i18n = use_i18n();
    let context = SearchContext::expect();
    let appearance = Appearance::expect();
    let chart = Signal::derive(move || {
        let row = context
            .model
            .with(|model| model.row(&[]).map(<[f64]>::to_vec))?;
        let left = filtered(&row, context.lab.with(SearchLab::sampling));
        let theme = appearance.get();
        let series = |label: String, values: &[f64], index| Series {
            label: Some(label),
            values: values.iter().map(|&value| value as f32).collect(),
            colors: vec![categorical(index, theme)],
        };
        Some(Bars {
            names: NAMES.map(str::to_owned).to_vec(),
            top: 1.0,
            marked: None,
            series: vec![
                series(t_string!(i18n, search.model_p).to_owned(), &row, 1),
                series(t_string!(i18n, search.drawn_p).to_owned(), &left, 0),
            ],
        })
    });
    view! {
        <BarFigure
            name=Signal::derive(move || t_string!(i18n, search.first_step).to_owned())
            test_id="drawn-from"
            height=200.0
            chart
        />
    }
}

/// The sequence that was drawn first, with the numbers that drew it.
#[component]
fn FirstSequence(samples: Memo<Vec<Sample>>) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || t_string!(i18n, search.first_sequence).to_owned());
    let row = move |(place, draw): (usize, Draw)| {
        let cells = draw.drawn_from.iter().enumerate().map(|(token, &p)| {
            view! { <td class="number" class:chosen=token == draw.token>{share_of_one(p as f32, 3)}</td> }
        });
        view! {
            <tr>
                <th scope="row">{place + 1}</th>
                {cells.collect_view()}
                <td class="number">{decimal(draw.uniform as f32, 3)}</td>
                <td>{NAMES.get(draw.token).copied()}</td>
            </tr>
        }
    };
    let draws = move || {
        let first = samples.with(|samples| samples.first().cloned());
        first.unwrap_or_default().draws.into_iter().enumerate()
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="first-sequence" name>
            <table aria-label=name>
                <caption class="hint">{name}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, search.step_number)}</th>
                        {NAMES.map(|name| view! { <th scope="col">{name}</th> }).collect_view()}
                        <th scope="col">{t!(i18n, search.uniform)}</th>
                        <th scope="col">{t!(i18n, search.drawn)}</th>
                    </tr>
                </thead>
                <tbody>{move || draws().map(row).collect_view()}</tbody>
            </table>
        </ScrollRegion>
    }
}

/// The frequencies of the sequences beside their probabilities.
#[component]
fn Frequencies(samples: Memo<Vec<Sample>>) -> impl IntoView {
    let i18n = use_i18n();
    let name = Signal::derive(move || {
        let draws = samples.with(Vec::len);
        t_string!(i18n, search.frequencies, draws = draws)
    });
    let rows = move || {
        samples.with(|samples| {
            let draws = samples.len().max(1);
            let row = |drawn: Drawn| {
                let share = drawn.times as f32 / draws as f32;
                view! {
                    <tr>
                        <th scope="row">{written(&drawn.tokens)}</th>
                        <td class="number">{probability(drawn.probability)}</td>
                        <td class="number">{drawn.times}</td>
                        <td class="number">{percent(share, 1)}</td>
                    </tr>
                }
            };
            counted(samples)
                .into_iter()
                .take(FIRST)
                .map(row)
                .collect_view()
        })
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="frequencies" name>
            <table aria-label=name>
                <caption class="hint">{name}</caption>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, search.sequence)}</th>
                        <th scope="col">{t!(i18n, search.drawn_p)}</th>
                        <th scope="col">{t!(i18n, search.times)}</th>
                        <th scope="col">{t!(i18n, search.share)}</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
        </ScrollRegion>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::search::{Sampling, TableModel};

    use super::*;

    #[test]
    fn every_draw_is_counted_once() {
        let mut sampler = Sampler::new(Sampling::default(), 5);
        let model = TableModel::default();
        let samples: Vec<Sample> = (0..300).map(|_| sampler.sample(&model)).collect();
        let found = counted(&samples);
        assert_eq!(found.iter().map(|drawn| drawn.times).sum::<usize>(), 300);
        assert!(found.windows(2).all(|pair| pair[0].times >= pair[1].times));
        let eos = found.iter().find(|drawn| drawn.tokens == [3]).unwrap();
        assert!((eos.probability - 0.1).abs() < 1e-12);
    }
}
