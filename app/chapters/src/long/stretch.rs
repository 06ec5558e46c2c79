//! RoPE beyond its training length: the surprise at each place as trained, and stretched in four ways.

use attention_core::{
    appearance::Appearance,
    engine::Live,
    i18n::{t, t_string, use_i18n},
    navigation::ViewLink,
    state::{Model, Task, View, ViewState},
    widgets::{Plot, PlotFigure, Slider, numbers::decimal},
};
use attention_figures::{color::categorical, plot::Curve};
use attention_trace::{
    Edit, ModelSpec,
    positions::{PositionalEncoding, RopeScaling},
};
use leptos::prelude::*;

use crate::positions::scaling_name;

use super::{parameters::LongTexts, passes::Named, surprise::mean};

/// The text that is offered: letters without a pattern, four times as many as the model of letters was trained with.
const LETTERS: &str = "wowojcxwjdbcyxbopvbyqsthsrvqrifgkuackzuldjsxutjvclkamqccvvcejtst\
                       agaacqlmmsuicyuxhkrzrysoymybzkdsaamyivjxklubpykwqxjufgpxntmoddku";

/// The name of a way, as its authors write it.
fn name(scaling: RopeScaling) -> &'static str {
    match scaling {
        RopeScaling::None => "RoPE",
        scaling => scaling_name(scaling),
    }
}

/// Shows a text of letters that is four times as long as any in training.
fn with_letters(view: &mut View) {
    let model = Model::with_positions(Task::Letters, PositionalEncoding::Rope);
    if view.model != model {
        view.use_model(model);
    }
    view.text = LETTERS.to_owned();
}

/// Returns the number of positions that the model was trained with: by its card, or by its own limit.
fn trained(card: Option<usize>, spec: &ModelSpec, tokens: usize) -> usize {
    card.or(spec.max_tokens).unwrap_or(tokens)
}

/// The plot, or the way to a model with RoPE.
#[component]
pub fn StretchFigure() -> impl IntoView {
    let i18n = use_i18n();
    let live = Live::expect();
    let rotates = Memo::new(move |_| {
        live.trace()
            .is_some_and(|trace| trace.meta.spec.positions.encoding == PositionalEncoding::Rope)
    });
    let state = ViewState::expect();
    let is_long = state.select(|view| {
        let card = view.model.card();
        card.task == Task::Letters && view.text.chars().count() >= LETTERS.len()
    });
    view! {
        <section class="lesson-figure">
            <Show when=move || !(rotates.get() && is_long.get())>
                <p>
                    <ViewLink change=with_letters class="link-button" test_id="long-letters">
                        {t!(i18n, long.with_letters, count = || LETTERS.len())}
                    </ViewLink>
                </p>
            </Show>
            <Show
                when=move || rotates.get()
                fallback=move || view! { <p class="hint">{t!(i18n, long.no_rope)}</p> }
            >
                <Stretched />
            </Show>
        </section>
    }
}

#[component]
fn Stretched() -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let state = ViewState::expect();
    let factor = state.select(|view| view.chapters.of::<LongTexts>().factor);
    let card = state.select(|view| view.model.card().longest_trained);
    let named = Named::new();
    let live = Live::expect();
    let trained_at = Memo::new(move |_| {
        let trace = live.trace()?;
        let meta = &trace.meta;
        Some(trained(card.get(), &meta.spec, meta.target.len()))
    });
    let passes = RopeScaling::ALL.map(|scaling| {
        named.surprises(move |_| {
            Some(match scaling {
                RopeScaling::None => vec![],
                scaling => vec![Edit::StretchRope {
                    scaling,
                    factor: factor.get() as f32,
                    trained: trained_at.get()?,
                }],
            })
        })
    });
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let names = RopeScaling::ALL.map(|way| name(way).to_owned());
        let labels = [t_string!(i18n, long.place), t_string!(i18n, long.surprise)];
        let Plot { x, y, curves } = named.plot(names, passes, labels, theme);
        let end = trained_at.get().map(|trained| trained as f64 + 0.5);
        let end = end.filter(|end| *end < x.to).map(|end| Curve {
            points: vec![(end, y.from), (end, y.to)],
            ..Curve::counted("", &[], categorical(0, theme)).faint()
        });
        Plot {
            x,
            y,
            curves: end.into_iter().chain(curves).collect(),
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, long.stretched).to_owned())
            text=Signal::derive(move || {
                let trained = trained_at.get().unwrap_or_default();
                t_string!(i18n, long.stretched_text, trained = trained).to_string()
            })
            test_id="stretched"
            plot
        >
            <div class="position-controls">
                <Slider
                    name=Signal::derive(move || t_string!(i18n, long.factor).to_owned())
                    test_id="stretch-factor"
                    range=LongTexts::FACTORS
                    value=factor
                    words=Signal::derive(move || factor.get().to_string())
                    set=move |factor| {
                        state.update_chapters(|all| all.of_mut::<LongTexts>().factor = factor)
                    }
                />
            </div>
        </PlotFigure>
        <Means named passes trained_at />
    }
}

/// The means of every way, within the training length and beyond it.
#[component]
fn Means(
    named: Named,
    passes: [Memo<Option<Vec<f32>>>; 5],
    trained_at: Memo<Option<usize>>,
) -> impl IntoView {
    let i18n = use_i18n();
    let row = move |(way, pass): (RopeScaling, Memo<Option<Vec<f32>>>)| {
        let mean_within = move |is_within: bool| {
            let trained = trained_at.get()?;
            let values = pass.get()?;
            let sought = named.sought.read();
            let places = sought.iter().zip(values);
            let chosen: Vec<f32> = places
                .filter(|(sought, _)| (sought.row < trained) == is_within)
                .map(|(_, value)| value)
                .collect();
            Some(mean(&chosen).map_or_else(|| "–".to_owned(), |mean| decimal(mean, 3)))
        };
        view! {
            <tr data-way=name(way)>
                <th scope="row">{name(way)}</th>
                <td class="number">{move || mean_within(true)}</td>
                <td class="number">{move || mean_within(false)}</td>
            </tr>
        }
    };
    view! {
        <div class="lesson-table">
            <table data-testid="stretch-means">
                <thead>
                    <tr>
                        <th scope="col">{t!(i18n, long.way)}</th>
                        <th scope="col">{t!(i18n, long.mean_within)}</th>
                        <th scope="col">{t!(i18n, long.mean_beyond)}</th>
                    </tr>
                </thead>
                <tbody>
                    {RopeScaling::ALL.into_iter().zip(passes).map(row).collect_view()}
                </tbody>
            </table>
        </div>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_offered_text_has_128_letters() {
        assert_eq!(LETTERS.len(), 128);
        assert!(LETTERS.bytes().all(|letter| letter.is_ascii_lowercase()));
    }

    #[test]
    fn the_card_says_how_long_the_texts_of_training_were() {
        let spec = attention_trace::config::LlamaConfig::default().spec();
        assert_eq!(trained(Some(32), &spec, 100), 32);
        assert_eq!(trained(None, &spec, 100), spec.max_tokens.unwrap_or(100));
    }
}
