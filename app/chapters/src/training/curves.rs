//! Loss and accuracy over the steps of the runs on screen.

use attention_figures::{
    color::{Rgb, categorical},
    plot::{Axis, Curve},
};
use attention_trace::training::{Evaluation, StepReport};
use leptos::prelude::*;

use super::Shown;
use attention_core::{
    appearance::Appearance,
    i18n::{t_string, use_i18n},
    training::Run,
    widgets::{Check, Plot, PlotFigure},
};

/// The most points of a curve: about one for each pixel that it has on a phone.
const MOST_POINTS: usize = 320;

/// Points of a curve: a step, and the value at it.
type Points = Vec<(f64, f64)>;

/// Returns one value of the evaluation at each checkpoint of a run.
fn measured(run: &Run, value: fn(&Evaluation) -> f32) -> Points {
    let evaluations = run.snapshots.iter().map(|shot| &shot.0.evaluation);
    let points =
        evaluations.map(|evaluation| (evaluation.step as f64, f64::from(value(evaluation))));
    points.collect()
}

/// Returns the means of the loss over intervals of steps, at most [`MOST_POINTS`] points.
fn means(steps: &[StepReport]) -> Points {
    let size = steps.len().div_ceil(MOST_POINTS).max(1);
    let mean = |chunk: &[StepReport]| {
        let losses = chunk.iter().map(|report| f64::from(report.loss));
        let last = chunk.last()?;
        Some((last.step as f64, losses.sum::<f64>() / chunk.len() as f64))
    };
    steps.chunks(size).filter_map(mean).collect()
}

/// The horizontal axis: as long as the longest curve is by now, in powers of two, so that it does not move at each step.
fn axis_of_steps(label: &str, curves: &[Curve]) -> Axis {
    let ends = curves.iter().filter_map(|curve| curve.points.last());
    let steps = ends.map(|(step, _)| *step as usize).max().unwrap_or(0);
    Axis::new(label, 0.0, steps.next_power_of_two().max(64) as f64)
}

fn curve(label: String, points: Points, color: Rgb) -> Curve {
    Curve {
        label: Some(label),
        points,
        color,
        width: 2.0,
        opacity: 1.0,
    }
}

/// A curve beside another one of the same colour.
fn thin(curve: Curve) -> Curve {
    Curve {
        width: 1.0,
        opacity: 0.6,
        ..curve
    }
}

/// The loss on batches, thin, and on examples that are not learned from.
#[component]
pub fn LossCurves() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let appearance = Appearance::expect();
    let losses = shown.each(|run| {
        let held_out = measured(run, |evaluation| evaluation.loss);
        Some((means(&run.steps), held_out))
    });
    let is_logarithmic = shown.view(|training| training.is_logarithmic);
    let plot = Signal::derive(move || {
        let (theme, is_logarithmic) = (appearance.get(), is_logarithmic.get());
        let height = |loss: f64| if is_logarithmic { loss.log10() } else { loss };
        let scaled = |points: &Points| -> Points {
            let points = points.iter();
            points.map(|&(step, loss)| (step, height(loss))).collect()
        };
        let mut curves = Vec::new();
        for (index, (number, (batches, held_out))) in losses.get().iter().enumerate() {
            let color = categorical(index, theme);
            let name = t_string!(i18n, training.batch_loss, number = *number);
            curves.push(thin(curve(name, scaled(batches), color)));
            let name = t_string!(i18n, training.held_out_loss, number = *number);
            curves.push(curve(name, scaled(held_out), color));
        }
        let label = match is_logarithmic {
            true => t_string!(i18n, training.log_loss),
            false => t_string!(i18n, training.loss_in_nats),
        };
        Plot {
            x: axis_of_steps(t_string!(i18n, training.step), &curves),
            y: Axis::around_curves(label, &curves),
            curves,
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, training.loss).to_owned())
            text=Signal::derive(move || t_string!(i18n, training.loss_text).to_owned())
            test_id="training-loss"
            plot
        >
            <Check
                name=Signal::derive(move || t_string!(i18n, training.logarithmic).to_owned())
                test_id="training-log"
                on=is_logarithmic
                set=move |on| shown.update(|training| training.is_logarithmic = on)
            />
        </PlotFigure>
    }
}

/// The shares of tokens and of whole answers that are right.
#[component]
pub fn AccuracyCurves() -> impl IntoView {
    let i18n = use_i18n();
    let shown = Shown::expect();
    let appearance = Appearance::expect();
    let shares = shown.each(|run| {
        let tokens = measured(run, |evaluation| evaluation.token_accuracy);
        let answers = measured(run, |evaluation| evaluation.sequence_accuracy);
        Some((tokens, answers))
    });
    let plot = Signal::derive(move || {
        let theme = appearance.get();
        let mut curves = Vec::new();
        for (index, (number, (tokens, answers))) in shares.get().into_iter().enumerate() {
            let color = categorical(index, theme);
            let name = t_string!(i18n, training.right_tokens, number = number);
            curves.push(curve(name, tokens, color));
            let name = t_string!(i18n, training.right_answers, number = number);
            curves.push(thin(curve(name, answers, color)));
        }
        Plot {
            x: axis_of_steps(t_string!(i18n, training.step), &curves),
            y: Axis::new(t_string!(i18n, training.accuracy), 0.0, 1.0),
            curves,
        }
    });
    view! {
        <PlotFigure
            title=Signal::derive(move || t_string!(i18n, training.accuracy).to_owned())
            text=Signal::derive(move || t_string!(i18n, training.accuracy_text).to_owned())
            test_id="training-accuracy"
            plot
        />
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn steps(losses: &[f32]) -> Vec<StepReport> {
        let report = |(place, &loss)| StepReport {
            step: place + 1,
            loss,
            accuracy: 0.0,
            learning_rate: 0.1,
        };
        losses.iter().enumerate().map(report).collect()
    }

    #[test]
    fn few_steps_are_drawn_as_they_are() {
        assert_eq!(means(&steps(&[2.0, 1.0])), [(1.0, 2.0), (2.0, 1.0)]);
        assert!(means(&[]).is_empty());
    }

    proptest! {
        #[test]
        fn many_steps_are_drawn_in_means(count in 1usize..5_000, loss in 0.0f32..9.0) {
            let drawn = means(&steps(&vec![loss; count]));
            prop_assert!(drawn.len() <= MOST_POINTS);
            prop_assert_eq!(drawn.last().unwrap().0, count as f64);
            for (_, mean) in drawn {
                prop_assert!((mean - f64::from(loss)).abs() < 1e-6);
            }
        }
    }
}
