//! The three layers timed on the visitor's machine, point by point.

use crate::layers::parameters::{Against, LayersLab};
use attention_figures::{
    color::{Rgb, categorical},
    plot::{Axis, Curve},
};
use attention_protocol::{
    OrLogged,
    lessons::{Answer, Question},
};
use attention_trace::lessons::{Timed, TimedPoint};
use leptos::{html, prelude::*};
use leptos_i18n::I18nContext;

use super::{
    points::{AT_TOKENS, AT_WIDTH, Measurement, Series, is_on, place},
    timed_tables::{FitTable, TimesTable},
    words::{lab, layer_name},
};
use attention_core::{
    appearance::Appearance,
    i18n::{Locale, t, t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    state::ViewState,
    widgets::{Plot, PlotFigure, Segmented},
};

/// The number of points of a fitted curve; a straight line needs two, a quadratic one more.
const FITTED_POINTS: usize = 32;

pub fn series_name(i18n: I18nContext<Locale>, series: Series) -> String {
    match series {
        Series::Whole(layer) => layer_name(i18n, layer).to_owned(),
        Series::Mixing => t_string!(i18n, layers.mixing).to_owned(),
    }
}

/// Buttons, progress, plot and tables.
#[component]
pub fn TimedLayers() -> impl IntoView {
    let i18n = use_i18n();
    let (state, lab) = (ViewState::expect(), lab());
    let measurement = RwSignal::new(Measurement::default());
    let wanted = Memo::new(move |_| measurement.with(Measurement::wanted));
    let asked = Lessons::expect().ask(
        move || wanted.get().map(Question::TimeLayer),
        |answer| match answer {
            Answer::Timed(timed) => Some(*timed),
            _ => None,
        },
    );
    // An effect because an answer goes when the next one comes: what was measured stays.
    Effect::new(move |_| {
        if let Some(timed) = asked.answer.get() {
            measurement.update(|measurement| measurement.take(timed));
        }
    });
    let against = Memo::new(move |_| lab.with(|lab| lab.against));
    let has_some =
        Memo::new(move |_| measurement.with(|measurement| !measurement.measured.is_empty()));
    view! {
        <section class="lesson-figure" data-testid="timed-layers">
            <Controls measurement />
            <Progress measurement asked />
            <Segmented
                label=Signal::derive(move || t_string!(i18n, layers.against).to_owned())
                options=Signal::derive(move || vec![
                    (Against::Tokens, t_string!(i18n, layers.against_n, d = AT_WIDTH)),
                    (Against::Width, t_string!(i18n, layers.against_d, n = AT_TOKENS)),
                ])
                value=against
                choose=move |against| {
                    state.update_chapters(|chapters| chapters.of_mut::<LayersLab>().against = against);
                }
            />
            <Show
                when=move || has_some.get()
                fallback=move || view! { <p class="hint">{t!(i18n, layers.nothing_timed)}</p> }
            >
                <TimesPlot measurement against />
                <TimesTable measurement against />
                <FitTable measurement />
            </Show>
        </section>
    }
}

/// Buttons to start, stop and resume the measurement.
#[component]
fn Controls(measurement: RwSignal<Measurement>) -> impl IntoView {
    let i18n = use_i18n();
    let lab = lab();
    let measure = NodeRef::<html::Button>::new();
    let is_running = Memo::new(move |_| measurement.with(|measurement| measurement.is_running));
    let can_go_on = Memo::new(move |_| measurement.with(Measurement::is_incomplete));
    let start = move |_| {
        let kernel = lab.with_untracked(|lab| lab.kernel);
        measurement.update(|measurement| measurement.start(kernel));
    };
    let run = move |is_running: bool| {
        measurement.update(|measurement| measurement.is_running = is_running);
    };
    view! {
        <div class="position-controls">
            <button
                type="button"
                class="plain-button"
                data-testid="time-layers"
                node_ref=measure
                aria-disabled=move || is_running.get().to_string()
                on:click=move |event| {
                    if !is_running.get_untracked() {
                        start(event);
                    }
                }
            >
                {t!(i18n, layers.measure)}
            </button>
            <Show when=move || is_running.get()>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="cancel-timing"
                    on:click=move |_| {
                        run(false);
                        focus(measure);
                    }
                >
                    {t!(i18n, layers.cancel)}
                </button>
            </Show>
            <Show when=move || can_go_on.get()>
                <button
                    type="button"
                    class="plain-button"
                    data-testid="resume-timing"
                    on:click=move |_| {
                        run(true);
                        focus(measure);
                    }
                >
                    {t!(i18n, layers.go_on)}
                </button>
            </Show>
        </div>
    }
}

/// Moves the focus to a button, for use after the focused one disappears.
fn focus(button: NodeRef<html::Button>) {
    if let Some(button) = button.get_untracked() {
        button.focus().or_logged("moving the focus");
    }
}

/// The progress of the measurement, or the reason why it stopped.
#[component]
fn Progress(measurement: RwSignal<Measurement>, asked: Asked<Timed>) -> impl IntoView {
    let i18n = use_i18n();
    let words = move || {
        let measurement = measurement.read();
        let (done, count) = (measurement.measured.len(), measurement.points.len());
        match measurement.wanted() {
            Some(TimedPoint {
                layer,
                tokens,
                width,
                ..
            }) => t_string!(
                i18n,
                layers.timing,
                point = done + 1,
                count = count,
                layer = layer_name(i18n, layer),
                n = tokens,
                d = width
            ),
            None if count > 0 => t_string!(i18n, layers.timed, done = done, count = count),
            None => String::new(),
        }
    };
    let has_problem = move || asked.problem.read().is_some();
    view! {
        <p class="lesson-reading number" role="status" data-testid="timing-progress">{words}</p>
        <Show when=has_problem>
            <LessonNotice asked />
        </Show>
    }
}

/// The times as curves, and the fitted terms.
#[component]
fn TimesPlot(measurement: RwSignal<Measurement>, against: Memo<Against>) -> impl IntoView {
    let i18n = use_i18n();
    let appearance = Appearance::expect();
    let plot = Signal::derive(move || {
        let (theme, against) = (appearance.get(), against.get());
        let curves = measurement.with(|measurement| {
            let of = |(index, series): (usize, Series)| {
                let color = categorical(index, theme);
                let name = series_name(i18n, series);
                let measured = curve(series, against, &measurement.measured, name, color);
                let fitted = fitted(series, against, &measurement.measured, color);
                [Some(measured), fitted]
            };
            let series = Series::ALL.into_iter().enumerate();
            series.flat_map(of).flatten().collect::<Vec<_>>()
        });
        let label = match against {
            Against::Tokens => t_string!(i18n, layers.axis_n),
            Against::Width => t_string!(i18n, layers.axis_d),
        };
        Plot {
            x: Axis::new(label, 0.0, last(against) as f64),
            y: Axis::around_curves(t_string!(i18n, layers.milliseconds), &curves),
            curves,
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, layers.times).to_owned())
            text=Signal::derive(move || t_string!(i18n, layers.times_text).to_owned())
            test_id="times-plot"
            plot
        />
    }
}

/// Returns the end of an axis.
fn last(against: Against) -> usize {
    let places = match against {
        Against::Tokens => super::points::TOKENS,
        Against::Width => super::points::WIDTHS,
    };
    places.into_iter().max().unwrap_or(1)
}

/// The medians of a series along an axis.
fn curve(series: Series, against: Against, measured: &[Timed], name: String, color: Rgb) -> Curve {
    let on_axis = measured.iter().filter(|timed| is_on(against, timed.point));
    let mut points: Vec<(f64, f64)> = on_axis
        .filter_map(|timed| {
            let x = place(against, timed.point) as f64;
            Some((x, series.spread(timed)?.median_ms))
        })
        .collect();
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    Curve {
        label: Some(name),
        points,
        color,
        width: 2.0,
        opacity: 1.0,
    }
}

/// Returns the fitted term of a series over the range of the axis.
fn fitted(series: Series, against: Against, measured: &[Timed], color: Rgb) -> Option<Curve> {
    let fit = series.fit(measured)?;
    let example = measured
        .iter()
        .find(|timed| is_on(against, timed.point) && series.spread(timed).is_some())?;
    let milliseconds = |x: usize| {
        let point = match against {
            Against::Tokens => TimedPoint {
                tokens: x,
                ..example.point
            },
            Against::Width => TimedPoint {
                width: x,
                ..example.point
            },
        };
        series.operations(point) as f64 * fit.nanoseconds / 1e6
    };
    let end = last(against);
    let places = (0..=FITTED_POINTS).map(|place| place * end / FITTED_POINTS);
    let curve = Curve {
        label: None,
        points: places.map(|x| (x as f64, milliseconds(x))).collect(),
        color,
        width: 1.0,
        opacity: 1.0,
    };
    Some(curve.faint())
}

#[cfg(test)]
mod tests {
    use attention_trace::{layers::SequenceLayer, lessons::Spread};

    use super::*;

    fn timed(layer: SequenceLayer, tokens: usize, median_ms: f64) -> Timed {
        let spread = Spread {
            median_ms,
            least_ms: median_ms,
            most_ms: median_ms,
            repeats: 7,
            passes: 1,
        };
        Timed {
            point: TimedPoint {
                layer,
                tokens,
                width: AT_WIDTH,
                kernel: 3,
            },
            whole: spread,
            mixing: (layer == SequenceLayer::SelfAttention).then_some(spread),
        }
    }

    #[test]
    fn a_curve_has_the_points_of_its_axis_from_left_to_right() {
        let recurrent = SequenceLayer::Recurrent;
        let measured = [
            timed(recurrent, 128, 2.0),
            timed(SequenceLayer::SelfAttention, 64, 9.0),
            timed(recurrent, 64, 1.0),
        ];
        let of = |series, against| curve(series, against, &measured, String::new(), [0; 3]).points;
        let series = Series::Whole(recurrent);
        assert_eq!(of(series, Against::Tokens), [(64.0, 1.0), (128.0, 2.0)]);
        assert_eq!(of(series, Against::Width), [(64.0, 2.0)]);
        assert_eq!(of(Series::Mixing, Against::Tokens), [(64.0, 9.0)]);
        assert!(of(Series::Whole(SequenceLayer::Convolution), Against::Tokens).is_empty());
    }

    #[test]
    fn the_fitted_term_passes_through_a_single_point() {
        let measured = [timed(SequenceLayer::Recurrent, 256, 4.0)];
        let series = Series::Whole(SequenceLayer::Recurrent);
        let fitted = fitted(series, Against::Tokens, &measured, [0; 3]).unwrap();
        let (_, there) = fitted.points.iter().find(|(x, _)| *x == 256.0).unwrap();
        assert!((there - 4.0).abs() < 1e-9);
        assert_eq!(fitted.points[0], (0.0, 0.0));
        assert_eq!(fitted.label, None);
    }
}
