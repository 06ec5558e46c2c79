//! BLEU against the length of the source, and the share of it that each model keeps from one length to another.

use crate::recurrent::parameters::RecurrentView;
use attention_figures::{
    bars::Series,
    color::{Theme, categorical},
    plot::{Axis, Curve},
};
use attention_trace::LengthBin;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::{
    scores::{COMPARED, Fetched, Scores, known},
    written::compared_name,
};
use attention_core::{
    appearance::Appearance,
    i18n::{Locale, t, t_string, use_i18n},
    state::{AddressValue, Model, View, ViewState},
    widgets::{
        BarFigure, Bars, Expected, Plot, PlotFigure, Prompt, ScrollRegion, Slider,
        numbers::{decimal, percent},
    },
};

/// The words of a source, as a bin is called.
fn words_of(bin: &LengthBin) -> String {
    format!("{}–{}", bin.from, bin.to)
}

/// The figure, or the reason why there is none.
#[component]
pub fn Lengths(scores: ReadSignal<Fetched>) -> impl IntoView {
    let i18n = use_i18n();
    move || match scores.get() {
        None => view! { <p class="hint">{t!(i18n, chapters.waiting)}</p> }.into_any(),
        Some(Err(reason)) => view! {
            <p class="notice problem" role="alert">
                {t!(i18n, encodings.missing_scores, reason = reason)}
            </p>
        }
        .into_any(),
        Some(Ok(scores)) => view! { <Measured scores /> }.into_any(),
    }
}

#[component]
fn Measured(scores: Scores) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let state = ViewState::expect();
    let name = compared_name();
    let count = scores.bins().len();
    for name in ["length-bin", "length-other"] {
        state.compare_count(name, move || count);
    }
    let bins = state.select(move |view| chosen_bins(view, count));
    let scores = StoredValue::new(scores);
    let chart = Signal::derive(move || {
        let theme = appearance.get();
        Some(scores.with_value(|scores| bars(scores, bins.get(), theme, name)))
    });
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        scores.with_value(|scores| plot(i18n, scores, theme, name))
    });
    view! {
        <section class="lesson-figure" data-testid="by-length">
            <div class="position-controls">
                <BinSlider scores bins index=0 />
                <BinSlider scores bins index=1 />
            </div>
            <h3 class="panel-title">{t!(i18n, recurrent.bleu)}</h3>
            <BarFigure
                name=Signal::derive(move || t_string!(i18n, recurrent.bleu).to_owned())
                test_id="bin-bars"
                chart
            />
            <PlotFigure
                title=Signal::derive(move || t_string!(i18n, recurrent.by_length).to_owned())
                text=Signal::derive(move || t_string!(i18n, recurrent.by_length_text).to_owned())
                test_id="length-plot"
                plot
            />
            <LengthTable scores bins />
        </section>
    }
}

/// Returns the two bins to compare, out of this many; an address with a bin that does not exist means the last.
fn chosen_bins(view: &View, count: usize) -> [usize; 2] {
    let RecurrentView { bin, other_bin, .. } = *view.chapters.of::<RecurrentView>();
    [bin, other_bin].map(|bin| bin.min(count.saturating_sub(1)))
}

/// The slider that chooses one of the two bins.
#[component]
fn BinSlider(
    scores: StoredValue<Scores>,
    bins: Memo<[usize; 2]>,
    /// The index of the bin, 0 or 1.
    index: usize,
) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    let last = scores.with_value(|scores| scores.bins().len().saturating_sub(1));
    let value = Memo::new(move |_| bins.get()[index]);
    let name = move || match index {
        0 => t_string!(i18n, recurrent.length_from),
        _ => t_string!(i18n, recurrent.length_to),
    };
    let about = Signal::derive(move || {
        scores.with_value(|scores| {
            let bin = scores.bins().get(value.get());
            bin.map(|bin| bin_words(i18n, bin, scores.pairs_of(value.get())))
                .unwrap_or_default()
        })
    });
    let set = move |bin| {
        state.update_chapters(|chapters| match index {
            0 => chapters.of_mut::<RecurrentView>().bin = bin,
            _ => chapters.of_mut::<RecurrentView>().other_bin = bin,
        });
    };
    view! {
        <Slider
            name=Signal::derive(move || name().to_owned())
            test_id=["length-bin", "length-other"][index.min(1)]
            range=(0, last)
            value
            words=about
            set
        />
    }
}

fn bin_words(i18n: I18nContext<Locale>, bin: &LengthBin, pairs: String) -> String {
    let words = words_of(bin);
    match bin.is_joined {
        true => t_string!(i18n, recurrent.bin_joined, words = words, pairs = pairs).to_string(),
        false => t_string!(i18n, recurrent.bin, words = words, pairs = pairs).to_string(),
    }
}

fn bars(scores: &Scores, bins: [usize; 2], theme: Theme, name: impl Fn(Model) -> String) -> Bars {
    let all = COMPARED.iter().flat_map(|&model| scores.of(model));
    let highest = all.map(|score| score.bleu);
    let series = |(index, bin): (usize, usize)| {
        let score = |model| scores.of(model).get(bin).map_or(0.0, |score| score.bleu) as f32;
        Series {
            label: scores.bins().get(bin).map(words_of),
            values: COMPARED.iter().copied().map(score).collect(),
            colors: vec![categorical(index, theme)],
        }
    };
    Bars {
        names: COMPARED.iter().map(|&model| name(model)).collect(),
        // The same for all bins, so that they can be compared.
        top: highest.fold(1.0, f64::max) as f32,
        marked: None,
        series: bins.into_iter().enumerate().map(series).collect(),
    }
}

fn plot(
    i18n: I18nContext<Locale>,
    scores: &Scores,
    theme: Theme,
    name: impl Fn(Model) -> String,
) -> Plot {
    let curve = |(index, &model): (usize, &Model)| {
        let points = scores.of(model).iter();
        Curve {
            label: Some(name(model)),
            points: points.map(|score| (score.mean_words, score.bleu)).collect(),
            color: categorical(index, theme),
            width: 2.0,
            opacity: 1.0,
        }
    };
    let curves: Vec<Curve> = COMPARED.iter().enumerate().map(curve).collect();
    let points = curves.iter().flat_map(|curve| &curve.points);
    let longest = points.map(|&(words, _)| words).fold(1.0, f64::max);
    Plot {
        x: Axis::new(t_string!(i18n, recurrent.words), 0.0, longest.ceil()),
        y: Axis::around_curves("BLEU", &curves),
        curves,
    }
}

/// The table of all scores, and the share kept between the two bins.
#[component]
fn LengthTable(scores: StoredValue<Scores>, bins: Memo<[usize; 2]>) -> impl IntoView {
    let i18n = use_i18n();
    let name = compared_name();
    let caption = Signal::derive(move || t_string!(i18n, recurrent.by_length).to_owned());
    let heads = move || {
        scores.with_value(|scores| {
            let head = |(index, held): (usize, &LengthBin)| {
                let joined = held.is_joined;
                view! {
                    <th scope="col" class:chosen=move || bins.get().contains(&index)>
                        {words_of(held)}
                        {joined.then(|| view! { <br /> {t!(i18n, recurrent.joined)} })}
                    </th>
                }
            };
            scores.bins().iter().enumerate().map(head).collect_view()
        })
    };
    let counts = scores.with_value(|scores| {
        (0..scores.bins().len())
            .map(|bin| view! { <td class="number">{scores.pairs_of(bin)}</td> })
            .collect_view()
    });
    let row = move |model: Model| {
        let cells = scores.with_value(|scores| {
            let scores = scores.of(model).iter();
            scores
                .map(|score| view! { <td class="number">{decimal(score.bleu as f32, 1)}</td> })
                .collect_view()
        });
        let kept = move || scores.with_value(|scores| kept_share(scores, model, bins.get()));
        view! {
            <tr data-model=model.address_value()>
                <th scope="row">{move || name(model)}</th>
                {cells}
                <td class="number" data-testid="kept">{kept}</td>
            </tr>
        }
    };
    let kept_head = move || {
        scores.with_value(|scores| {
            let [from, to] = bins.get().map(|bin| scores.bins().get(bin).map(words_of));
            Some(t_string!(i18n, recurrent.kept, from = from?, to = to?).to_string())
        })
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="length-table" name=caption>
            <table aria-label=caption>
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, recurrent.words)}</th>
                        {heads}
                        <th scope="col">{kept_head}</th>
                    </tr>
                </thead>
                <tbody>
                    <tr><th scope="row">{t!(i18n, recurrent.pairs)}</th>{counts}<td></td></tr>
                    {COMPARED.iter().copied().map(row).collect_view()}
                </tbody>
            </table>
        </ScrollRegion>
    }
}

/// The share of its BLEU that a model keeps from one bin to another, as it is written.
fn kept_share(scores: &Scores, model: Model, bins: [usize; 2]) -> Option<String> {
    Some(percent(scores.kept(model, bins)? as f32, 0))
}

/// Indices of the models whose share of BLEU from one bin to another is written with the largest number.
fn keep_most(scores: &Scores, bins: [usize; 2]) -> Vec<usize> {
    let kept = |model: &Model| scores.kept(*model, bins).unwrap_or_default();
    let kept: Vec<f64> = COMPARED.iter().map(kept).collect();
    let best = (0..kept.len()).max_by(|&one, &other| kept[one].total_cmp(&kept[other]));
    let share = |index: usize| kept_share(scores, COMPARED[index], bins);
    let Some(most) = best.and_then(share) else {
        return Vec::new();
    };
    let is_most = |&index: &usize| share(index).as_ref() == Some(&most);
    (0..kept.len()).filter(is_most).collect()
}

/// Asks for the model that loses least with length.
#[component]
pub fn LengthPrompt(scores: ReadSignal<Fetched>) -> impl IntoView {
    let i18n = use_i18n();
    let name = compared_name();
    let state = ViewState::expect();
    let count =
        Memo::new(move |_| scores.with(|scores| known(scores).map_or(0, |it| it.bins().len())));
    let bins = state.select(move |view| chosen_bins(view, count.get()));
    let values = Signal::derive(move || {
        scores.with(|scores| {
            let scores = known(scores)?;
            let [from, to] = bins.get().map(|bin| scores.bins().get(bin).map(words_of));
            let share = |model| kept_share(scores, model, bins.get());
            // In the order of the models.
            let names = ["fixed", "bahdanau", "luong", "transformer"];
            let shares = names.into_iter().zip(COMPARED.iter().copied().map(share));
            let shares = shares.map(|(name, share)| Some((name, share?)));
            let bounds = [Some(("from", from?)), Some(("to", to?))];
            bounds.into_iter().chain(shares).collect::<Option<Vec<_>>>()
        })
    });
    let expected = Signal::derive(move || {
        let [from, to] = bins.get();
        let right = scores.with(|scores| Some(keep_most(known(scores)?, [from, to])))?;
        // All keep all of it from a bin to itself, and nothing is asked.
        let is_asked = from != to && !right.is_empty();
        is_asked.then(|| Expected::OneOf {
            options: COMPARED.iter().copied().map(name).collect(),
            right,
        })
    });
    view! {
        <Prompt
            question="ask-lengths"
            answer="answer-lengths"
            values
            asks=Signal::derive(move || t_string!(i18n, recurrent.model).to_owned())
            expected
        />
    }
}

#[cfg(test)]
mod tests {
    use super::{super::scores::tests::served, *};

    #[test]
    fn what_is_kept_is_asked_between_any_two_bins() {
        let scores = served();
        let count = scores.bins().len();
        for bins in (0..count).flat_map(|from| (0..count).map(move |to| [from, to])) {
            let most = keep_most(&scores, bins);
            let kept = |index: usize| scores.kept(COMPARED[index], bins).unwrap();
            let least = most
                .iter()
                .map(|&index| kept(index))
                .fold(f64::MAX, f64::min);
            let others = (0..COMPARED.len()).filter(|index| !most.contains(index));
            assert!(!most.is_empty() && others.map(kept).all(|kept| kept < least));
        }
    }

    #[test]
    fn models_that_keep_equally_much_are_all_named() {
        assert_eq!(keep_most(&served(), [2, 2]), [0, 1, 2, 3]);
    }

    #[test]
    fn bars_are_those_of_both_bins_on_one_scale() {
        let scores = served();
        let last = scores.bins().len() - 1;
        let [near, far] =
            [[0, 1], [0, last]].map(|bins| bars(&scores, bins, Theme::Light, |_| String::new()));
        assert_eq!(near.top, far.top);
        let [first, second] = &far.series[..] else {
            panic!("two series")
        };
        assert_eq!(first.values[3], scores.of(Model::default())[0].bleu as f32);
        assert_eq!(second.values[0], scores.of(COMPARED[0])[last].bleu as f32);
        assert!(second.values[0] < first.values[0]);
    }
}
