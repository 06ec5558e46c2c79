//! BLEU against the length of the source, on a slider over the bins.

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
    state::{AddressValue, Model, ViewState},
    widgets::{
        BarFigure, Bars, Expected, Plot, PlotFigure, Prompt, ScrollRegion, Slider,
        numbers::{decimal, percent},
    },
};

/// The bins between which the prompt asks what is kept: 5–8 words and 17–24.
const KEPT: [usize; 2] = [1, 4];

/// The words of a source, as a bin is called.
fn words_of(bin: &LengthBin) -> String {
    format!("{}–{}", bin.from, bin.to)
}

/// The figure, or why there is none.
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
    let last = scores.bins().len().saturating_sub(1);
    let bin = state.select(move |view| view.chapters.recurrent.bin.min(last));
    let scores = StoredValue::new(scores);
    let about = Signal::derive(move || {
        scores.with_value(|scores| {
            let bin = scores.bins().get(bin.get());
            bin.map(|bin| bin_words(i18n, bin)).unwrap_or_default()
        })
    });
    let chart = Signal::derive(move || {
        let theme = appearance.get();
        Some(scores.with_value(|scores| bars(scores, bin.get(), theme, name)))
    });
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        scores.with_value(|scores| plot(i18n, scores, theme, name))
    });
    view! {
        <section class="lesson-figure" data-testid="by-length">
            <div class="position-controls">
                <Slider
                    name=Signal::derive(move || t_string!(i18n, recurrent.length).to_owned())
                    test_id="length-bin"
                    range=(0, last)
                    value=bin
                    words=about
                    set=move |bin| state.update_chapters(|chapters| chapters.recurrent.bin = bin)
                />
            </div>
            <p class="lesson-reading number" data-testid="bin-words">{about}</p>
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
            <LengthTable scores bin />
        </section>
    }
}

/// What a bin holds.
fn bin_words(i18n: I18nContext<Locale>, bin: &LengthBin) -> String {
    let (words, pairs) = (words_of(bin), bin.pairs);
    match bin.is_joined {
        true => t_string!(i18n, recurrent.bin_joined, words = words, pairs = pairs).to_string(),
        false => t_string!(i18n, recurrent.bin, words = words, pairs = pairs).to_string(),
    }
}

fn bars(scores: &Scores, bin: usize, theme: Theme, name: impl Fn(Model) -> String) -> Bars {
    let score = |model| scores.of(model).get(bin).copied().unwrap_or_default() as f32;
    let highest = COMPARED.iter().flat_map(|&model| scores.of(model));
    Bars {
        names: COMPARED.iter().map(|&model| name(model)).collect(),
        // The same for all bins, so that they can be compared.
        top: highest.copied().fold(1.0, f64::max) as f32,
        marked: None,
        series: vec![Series {
            label: None,
            values: COMPARED.map(score).to_vec(),
            colors: (0..COMPARED.len())
                .map(|index| categorical(index, theme))
                .collect(),
        }],
    }
}

fn plot(
    i18n: I18nContext<Locale>,
    scores: &Scores,
    theme: Theme,
    name: impl Fn(Model) -> String,
) -> Plot {
    let curve = |(index, &model): (usize, &Model)| {
        let points = scores.bins().iter().zip(scores.of(model));
        Curve {
            label: Some(name(model)),
            points: points.map(|(bin, &bleu)| (bin.mean_words, bleu)).collect(),
            color: categorical(index, theme),
            width: 2.0,
            opacity: 1.0,
        }
    };
    let curves: Vec<Curve> = COMPARED.iter().enumerate().map(curve).collect();
    let longest = scores.bins().last().map_or(1.0, |bin| bin.mean_words);
    Plot {
        x: Axis::new(t_string!(i18n, recurrent.words), 0.0, longest.ceil()),
        y: Axis::around_curves("BLEU", &curves),
        curves,
    }
}

/// All of the numbers.
#[component]
fn LengthTable(scores: StoredValue<Scores>, bin: Memo<usize>) -> impl IntoView {
    let i18n = use_i18n();
    let name = compared_name();
    let caption = Signal::derive(move || t_string!(i18n, recurrent.by_length).to_owned());
    let heads = move || {
        scores.with_value(|scores| {
            let head = |(index, held): (usize, &LengthBin)| {
                let joined = held.is_joined;
                view! {
                    <th scope="col" class:chosen=move || bin.get() == index>
                        {words_of(held)}
                        {joined.then(|| view! { <br /> {t!(i18n, recurrent.joined)} })}
                    </th>
                }
            };
            scores.bins().iter().enumerate().map(head).collect_view()
        })
    };
    let counts = scores.with_value(|scores| {
        let bins = scores.bins().iter();
        bins.map(|bin| view! { <td class="number">{bin.pairs}</td> })
            .collect_view()
    });
    let row = move |model: Model| {
        let cells = scores.with_value(|scores| {
            let scores = scores.of(model).iter();
            scores
                .map(|&bleu| view! { <td class="number">{decimal(bleu as f32, 1)}</td> })
                .collect_view()
        });
        view! {
            <tr data-model=model.address_value()>
                <th scope="row">{move || name(model)}</th>
                {cells}
            </tr>
        }
    };
    view! {
        <ScrollRegion class="lesson-table" test_id="length-table" name=caption>
            <table aria-label=caption>
                <thead><tr><th scope="col">{t!(i18n, recurrent.words)}</th>{heads}</tr></thead>
                <tbody>
                    <tr><th scope="row">{t!(i18n, recurrent.pairs)}</th>{counts}</tr>
                    {COMPARED.map(row)}
                </tbody>
            </table>
        </ScrollRegion>
    }
}

/// Which of the models keeps the largest share of its BLEU.
fn keeps_most(scores: &Scores) -> Option<usize> {
    let kept = COMPARED.map(|model| scores.kept(model, KEPT));
    let best = kept.into_iter().flatten().fold(0.0, f64::max);
    kept.iter().position(|&kept| kept == Some(best))
}

/// Who loses least with length.
#[component]
pub fn LengthPrompt(scores: ReadSignal<Fetched>) -> impl IntoView {
    let i18n = use_i18n();
    let name = compared_name();
    let values = Signal::derive(move || {
        scores.with(|scores| {
            let scores = known(scores)?;
            let [from, to] = KEPT.map(|bin| scores.bins().get(bin).map(words_of));
            let share = |model| Some(percent(scores.kept(model, KEPT)? as f32, 0));
            let [fixed, bahdanau, luong, transformer] = COMPARED.map(share);
            Some(vec![
                ("from", from?),
                ("to", to?),
                ("fixed", fixed?),
                ("bahdanau", bahdanau?),
                ("luong", luong?),
                ("transformer", transformer?),
            ])
        })
    });
    let expected = Signal::derive(move || {
        let right = scores.with(|scores| keeps_most(known(scores)?))?;
        Some(Expected::OneOf {
            options: COMPARED.map(name).to_vec(),
            right: vec![right],
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
    fn the_prompt_compares_bins_of_5_to_8_and_of_17_to_24_words() {
        let scores = served();
        let bins = KEPT.map(|bin| words_of(&scores.bins()[bin]));
        assert_eq!(bins, ["5–8", "17–24"]);
        let most = keeps_most(&scores).unwrap();
        let kept = |index: usize| scores.kept(COMPARED[index], KEPT).unwrap();
        assert!((0..COMPARED.len()).all(|index| kept(index) <= kept(most)));
    }

    #[test]
    fn bars_are_those_of_the_bin_on_one_scale() {
        let scores = served();
        let [first, last] = [0, scores.bins().len() - 1]
            .map(|bin| bars(&scores, bin, Theme::Light, |_| String::new()));
        assert_eq!(first.top, last.top);
        let values = &first.series[0].values;
        assert_eq!(values[3], scores.of(Model::Translator)[0] as f32);
        assert!(last.series[0].values[0] < values[0]);
    }
}
