//! The chosen memory, the toy or a head's, and the weights that every score function gives it.

use crate::{scores::parameters::Scores, source::DataSource};
use attention_protocol::lessons::{Answer, Question};
use attention_trace::{
    Array, Quantity,
    lessons::{Attended, Memory, ScoreFunction, ScoreParameters},
};
use leptos::prelude::*;

use super::toy;
use attention_core::{
    engine::{Live, Part},
    i18n::{t, t_string, use_i18n},
    lessons::{Asked, LessonNotice, Lessons},
    selection::{Chosen, HeadControls, chosen_head, first_rows, names, recorded},
    state::ViewState,
    widgets::{Prose, numbers::apart},
};

/// The number of hidden units for the functions that a head's model would have learned.
const HIDDEN: usize = 8;

/// The memory that the chapter's figures share, and its scores.
#[derive(Clone, Copy)]
pub struct ScoresSelection {
    pub source: Memo<DataSource>,
    /// The state of the chapter in the view.
    pub view: Memo<Scores>,
    /// The memory; `None` if the head's vectors are not recorded.
    pub memory: Memo<Option<Memory>>,
    /// The names of the keys.
    pub names: Memo<Vec<String>>,
    /// The results of the score functions on it.
    pub asked: Asked<Vec<Attended>>,
    /// The head, if the memory is a head's.
    chosen: Memo<Option<Chosen>>,
}

impl ScoresSelection {
    pub fn of_view() -> Self {
        let view = ViewState::expect().select(|view| *view.chapters.of::<Scores>());
        let source = Memo::new(move |_| view.get().source);
        let chosen = chosen_head();
        let of_head = head_memory(chosen);
        let memory = Memo::new(move |_| match source.get() {
            DataSource::Lecture => Some(toy::memory(view.get().point(), view.get().read)),
            DataSource::Head => of_head.get(),
        });
        let key_names = head_names(chosen);
        ScoresSelection {
            source,
            view,
            memory,
            names: Memo::new(move |_| match source.get() {
                DataSource::Lecture => toy::names('k'),
                DataSource::Head => key_names.get().unwrap_or_default(),
            }),
            asked: ask(source, memory, move || (view.get().draws, view.get().seed)),
            chosen,
        }
    }

    /// Returns one function's result on the memory; `None` while names and answer come from different memories.
    pub fn attended(self, function: ScoreFunction) -> Option<Attended> {
        let count = self.names.with(Vec::len);
        self.asked.answer.with(|made| {
            let made = find(made.as_ref()?, function)?;
            (made.weights.len() == count).then(|| made.clone())
        })
    }

    /// The chosen function's result on it.
    pub fn read(self) -> Option<Attended> {
        self.attended(self.view.get().function)
    }
}

/// Finds the result of a function.
pub fn find(made: &[Attended], function: ScoreFunction) -> Option<&Attended> {
    made.iter().find(|made| made.function == function)
}

/// Asks for the results of all score functions on a memory.
pub fn ask(
    source: Memo<DataSource>,
    memory: Memo<Option<Memory>>,
    draws: impl Fn() -> (usize, u32) + Send + Sync + 'static,
) -> Asked<Vec<Attended>> {
    let question = move || {
        let (draws, seed) = draws();
        Some(Question::Attend {
            memory: memory.get()?,
            parameters: match source.get() {
                DataSource::Lecture => toy::parameters(),
                DataSource::Head => ScoreParameters::Random {
                    hidden: HIDDEN,
                    seed: 1,
                },
            },
            draws,
            seed: seed.into(),
        })
    };
    Lessons::expect().ask(question, |answer| match answer {
        Answer::Attended(made) => Some(made.clone()),
        _ => None,
    })
}

/// Returns the head's selected query, the keys it may attend to and their values; if the pass recorded no values, the
/// keys are read themselves.
fn head_memory(chosen: Memo<Option<Chosen>>) -> Memo<Option<Memory>> {
    let (query, key) = (
        recorded(chosen, Quantity::Query),
        recorded(chosen, Quantity::Key),
    );
    let value = recorded(chosen, Quantity::Value);
    Memo::new(move |_| {
        let (chosen, key) = (chosen.get()?, key.get()?);
        let visible = chosen.visible_keys(*key.0.shape.first()?);
        let keys = first_rows(&key.0, visible)?;
        let values = value
            .get()
            .and_then(|value: Part| first_rows(&value.0, visible));
        Some(Memory {
            query: query.get()?.0.row(&[chosen.query])?.to_vec(),
            values: values
                .filter(|values| values.shape[0] == keys.shape[0])
                .unwrap_or_else(|| keys.clone()),
            keys,
        })
    })
}

fn head_names(chosen: Memo<Option<Chosen>>) -> Memo<Option<Vec<String>>> {
    let live = Live::expect();
    Memo::new(move |_| {
        let (chosen, trace) = (chosen.get()?, live.trace()?);
        let (_, keys) = trace.meta.axes(chosen.head.attention.kind);
        Some(names(keys, chosen.visible_keys(keys.len())))
    })
}

/// The choice of a head as the memory, and the largest difference of its weights from those of the forward pass.
#[component]
pub fn HeadMemory(selection: ScoresSelection) -> impl IntoView {
    let i18n = use_i18n();
    let chosen = selection.chosen;
    let weights = recorded(chosen, Quantity::Pattern);
    let difference = move || {
        let scaled = selection.attended(ScoreFunction::ScaledDot)?;
        let recorded = weights.get()?;
        largest_difference(&scaled.weights, &recorded.0, chosen.get()?.query)
    };
    view! {
        <div class="lesson-figure" data-testid="head-memory">
            <Prose part="memory-head" />
            <HeadControls chosen with_query=true />
            {move || match selection.memory.with(Option::is_some) {
                true => view! { <LessonNotice asked=selection.asked /> }.into_any(),
                false => view! { <p class="hint">{t!(i18n, lessons.not_recorded)}</p> }.into_any(),
            }}
            <p class="lesson-reading" data-testid="same-as-pass">
                {move || difference().map(|difference| t_string!(
                    i18n, scores.same_as_pass, difference = apart(difference)
                ))}
            </p>
        </div>
    }
}

/// Returns the largest difference between weights and the recorded ones of a query.
fn largest_difference(weights: &[f32], recorded: &Array, query: usize) -> Option<f32> {
    let recorded = recorded.row(&[query])?.get(..weights.len())?;
    let differences = weights.iter().zip(recorded).map(|(a, b)| (a - b).abs());
    Some(differences.fold(0.0, f32::max))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_compared_with_the_row_of_their_query() {
        let recorded = Array {
            shape: vec![2, 3],
            data: vec![1.0, 0.0, 0.0, 0.5, 0.25, 0.25],
        };
        assert_eq!(largest_difference(&[0.5, 0.5], &recorded, 1), Some(0.25));
        assert_eq!(largest_difference(&[0.5; 4], &recorded, 1), None);
        assert_eq!(largest_difference(&[0.5], &recorded, 2), None);
    }
}
