//! Comparison of a recurrent run with a Transformer's run on the same task, computed from the two runs of this visit.

use attention_trace::training::TrainingSettings;
use leptos::prelude::*;
use leptos_i18n::I18nContext;

use super::Shown;
use attention_core::{
    i18n::{Locale, t, t_string, use_i18n},
    training::{Run, RunNumber},
    widgets::numbers::{decimal, grouped, percent},
};

/// The share of right tokens at which a task counts as learned.
const LEARNED: f32 = 0.99;

/// The measurements of a run at its newest checkpoint.
#[derive(Clone, Debug, PartialEq)]
struct Measured {
    number: RunNumber,
    settings: TrainingSettings,
    parameters: usize,
    step: usize,
    seconds: f64,
    accuracy: f32,
    /// The step and the seconds at which the task was learned.
    learned: Option<(usize, f64)>,
}

impl Measured {
    /// Measures a run; `None` if it has made no step.
    fn of(run: &Run) -> Option<Self> {
        let newest = run.snapshots.last()?.0.as_ref();
        let measured = Measured {
            number: run.number,
            settings: run.settings.clone(),
            parameters: run.parameters,
            step: newest.step,
            seconds: newest.seconds,
            accuracy: newest.evaluation.token_accuracy,
            learned: run.reached(LEARNED),
        };
        (newest.step > 0 && newest.seconds > 0.0).then_some(measured)
    }

    fn is_recurrent(&self) -> bool {
        self.settings.shape.architecture.recurrence().is_some()
    }

    /// Returns the number of steps per second.
    fn speed(&self) -> f64 {
        self.step as f64 / self.seconds
    }
}

/// A recurrent run and a Transformer's that learn the same; nothing of other pairs.
fn pair(measured: &[(RunNumber, Measured)]) -> Option<[&Measured; 2]> {
    let [(_, one), (_, other)] = measured else {
        return None;
    };
    let pair = match (one.is_recurrent(), other.is_recurrent()) {
        (true, false) => [one, other],
        (false, true) => [other, one],
        _ => return None,
    };
    (one.settings.task == other.settings.task).then_some(pair)
}

/// Returns the progress of a run, or the step at which it had learned the task.
fn run_words(i18n: I18nContext<Locale>, run: &Measured) -> String {
    let name = match run.is_recurrent() {
        true => t_string!(i18n, training.recurrent),
        false => t_string!(i18n, training.transformer),
    };
    let parameters = grouped(run.parameters as u64);
    match run.learned {
        Some((step, seconds)) => t_string!(
            i18n,
            training.takeaway_learned,
            number = run.number,
            name = name,
            parameters = parameters,
            step = grouped(step as u64),
            seconds = format!("{seconds:.1}")
        ),
        None => t_string!(
            i18n,
            training.takeaway_so_far,
            number = run.number,
            name = name,
            parameters = parameters,
            step = grouped(run.step as u64),
            seconds = format!("{:.1}", run.seconds),
            accuracy = percent(run.accuracy, 1)
        ),
    }
}

/// Returns a sentence on the faster of the two runs, in steps per second, with the reason.
fn speed_words(i18n: I18nContext<Locale>, [recurrent, transformer]: [&Measured; 2]) -> String {
    let speeds = [recurrent, transformer].map(Measured::speed);
    let [recurrent, transformer] = speeds.map(|speed| decimal(speed as f32, 1));
    match speeds[1] >= speeds[0] {
        true => t_string!(
            i18n,
            training.transformer_faster,
            recurrent = recurrent,
            transformer = transformer
        ),
        false => t_string!(
            i18n,
            training.recurrent_faster,
            recurrent = recurrent,
            transformer = transformer
        ),
    }
}

/// The comparison in sentences; empty if no such pair is on screen.
#[component]
pub fn Takeaway() -> impl IntoView {
    let i18n = use_i18n();
    let measured = Shown::expect().each(Measured::of);
    let is_there = Memo::new(move |_| measured.with(|measured| pair(measured).is_some()));
    let words = move || {
        measured.with(|measured| {
            let pair = pair(measured)?;
            let runs = pair.map(|run| run_words(i18n, run));
            let all = runs.into_iter().chain([speed_words(i18n, pair)]);
            Some(all.map(|words| view! { <p>{words}</p> }).collect_view())
        })
    };
    view! {
        <Show when=move || is_there.get()>
            <div class="lesson-reading number" data-testid="training-takeaway">{words}</div>
            <p class="hint">{t!(i18n, training.takeaway_hedge)}</p>
        </Show>
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::training::{Architecture, Task};

    use super::*;

    fn measured(number: RunNumber, architecture: Architecture) -> (RunNumber, Measured) {
        let mut settings = TrainingSettings::default();
        settings.shape.architecture = architecture;
        let measured = Measured {
            number,
            settings,
            parameters: 1,
            step: 100,
            seconds: 4.0,
            accuracy: 0.5,
            learned: None,
        };
        (number, measured)
    }

    #[test]
    fn a_recurrent_run_is_compared_with_a_transformer_on_the_same_task() {
        let recurrent = measured(1, Architecture::LUONG);
        let transformer = measured(2, Architecture::EncoderDecoder);
        for order in [[&recurrent, &transformer], [&transformer, &recurrent]] {
            let pair = order.map(Clone::clone);
            let numbers = super::pair(&pair).map(|pair| pair.map(|run| run.number));
            assert_eq!(numbers, Some([1, 2]));
        }
        assert_eq!(pair(&[recurrent.clone(), recurrent.clone()]), None);
        assert_eq!(pair(std::slice::from_ref(&recurrent)), None);
        let mut other = transformer;
        other.1.settings.task = Task::Addition { digits: 1 };
        assert_eq!(pair(&[recurrent, other]), None);
    }

    #[test]
    fn the_speed_is_that_of_all_steps() {
        assert_eq!(measured(1, Architecture::LUONG).1.speed(), 25.0);
    }
}
