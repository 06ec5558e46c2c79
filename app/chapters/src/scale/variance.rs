//! The variance of q·k against the width, for random vectors and for a head's own.

use crate::scale::parameters::Scale;
use attention_figures::{
    Theme,
    color::categorical,
    plot::{Axis, Curve},
};
use attention_protocol::lessons::{Answer, Question, RandomProducts};
use attention_trace::{Quantity, lessons::ProductVariance};
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use attention_core::{
    appearance::Appearance,
    i18n::{Locale, t, t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    selection::{HeadControls, MOST_TOKENS, chosen_head, first_rows, recorded},
    state::ViewState,
    widgets::{Plot, PlotFigure, Prose},
};

/// The number of random pairs of a query and a key.
const PAIRS: usize = 2048;
/// The width of the vectors.
const WIDTH: usize = 64;

/// The variance of random products, as drawn by the view's seed.
pub fn random_variance() -> Asked<ProductVariance> {
    let seed = ViewState::expect().select(|view| view.chapters.of::<Scale>().seed);
    let question = move || {
        Some(Question::RandomProducts(RandomProducts {
            pairs: PAIRS,
            width: WIDTH,
            seed: seed.get().into(),
        }))
    };
    Lessons::expect().ask(question, products)
}

fn products(answer: &Answer) -> Option<ProductVariance> {
    match answer {
        Answer::Products(variance) => Some(variance.clone()),
        _ => None,
    }
}

/// The curves of random vectors.
#[component]
pub fn RandomVariance(variance: Asked<ProductVariance>) -> impl IntoView {
    let i18n = use_i18n();
    let state = ViewState::expect();
    view! {
        <VarianceFigure
            title=Signal::derive(move || t_string!(i18n, scale.random).to_owned())
            text=Signal::derive(move || t_string!(i18n, scale.random_text, pairs = PAIRS))
            test_id="random-variance"
            variance
        >
            <div class="position-controls">
                <button
                    type="button"
                    class="plain-button"
                    data-testid="scale-draw-again"
                    on:click=move |_| state.update_chapters(|chapters| {
                        let scale = chapters.of_mut::<Scale>();
                        scale.seed = scale.seed.wrapping_add(1);
                    })
                >
                    {t!(i18n, positions.draw_again)}
                </button>
            </div>
            <LessonNotice asked=variance />
        </VarianceFigure>
    }
}

/// The curves of a head's queries and keys on the sentence on screen.
#[component]
pub fn HeadVariance() -> impl IntoView {
    let i18n = use_i18n();
    let chosen = chosen_head();
    let (query, key) = (
        recorded(chosen, Quantity::Query),
        recorded(chosen, Quantity::Key),
    );
    let question = move || {
        Some(Question::Products {
            query: first_rows(&query.get()?.0, MOST_TOKENS)?,
            key: first_rows(&key.get()?.0, MOST_TOKENS)?,
        })
    };
    let variance = Lessons::expect().ask(question, products);
    let is_recorded = Memo::new(move |_| query.with(Option::is_some));
    move || match is_recorded.get() {
        true => view! {
            <VarianceFigure
                title=Signal::derive(move || t_string!(i18n, scale.head).to_owned())
                text=Signal::derive(String::new)
                test_id="head-variance"
                variance
            >
                <Prose part="variance-head" />
                <HeadControls chosen />
                <LessonNotice asked=variance />
            </VarianceFigure>
        }
        .into_any(),
        false => view! {
            <figure class="plot-figure" data-testid="head-variance">
                <h3 class="panel-title">{t!(i18n, scale.head)}</h3>
                <Prose part="variance-head" />
                <p class="hint">{t!(i18n, lessons.not_recorded)}</p>
            </figure>
        }
        .into_any(),
    }
}

#[component]
fn VarianceFigure(
    title: Signal<String>,
    text: Signal<String>,
    test_id: &'static str,
    variance: Asked<ProductVariance>,
    children: Children,
) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let plot = Signal::derive(move || {
        variance
            .answer
            .with(|variance| plot(i18n, appearance.get(), variance.as_ref()))
    });
    view! { <PlotFigure title text test_id plot>{children()}</PlotFigure> }
}

fn plot(i18n: I18nContext<Locale>, theme: Theme, variance: Option<&ProductVariance>) -> Plot {
    let curve = |name: &str, values: &[f32], index| Curve {
        points: from_one(values),
        ..Curve::counted(name, &[], categorical(index, theme))
    };
    let curves = variance.map_or_else(Vec::new, |variance| {
        vec![
            curve(t_string!(i18n, scale.unscaled), &variance.unscaled, 1),
            curve(t_string!(i18n, scale.scaled), &variance.scaled, 0),
        ]
    });
    let width = variance.map_or(WIDTH, |variance| variance.unscaled.len());
    Plot {
        x: Axis::new(t_string!(i18n, scale.components), 0.0, width.max(2) as f64),
        y: Axis::around_curves(t_string!(i18n, scale.variance), &curves),
        curves,
    }
}

/// Returns points with `x` counting 1, 2, 3, …
pub fn from_one(values: &[f32]) -> Vec<(f64, f64)> {
    let values = values.iter().enumerate();
    values
        .map(|(index, &y)| (index as f64 + 1.0, f64::from(y)))
        .collect()
}
