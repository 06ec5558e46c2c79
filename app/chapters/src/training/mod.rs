//! Training, watched: a small Transformer or recurrent model trained in the visitor's browser.

mod checkpoint;
mod controls;
mod curves;
mod fields;
mod form;
pub mod kept;
mod kit;
mod lessons;
mod map;
mod maps;
mod model;
pub mod parameters;
mod prompts;
mod questions;
mod runs;
mod takeaway;
mod watched;
mod words;

use crate::{kit::Kit, needs::Needs, page::Define, topic::Topic, training::parameters::Training};
use attention_trace::training::TrainingSettings;
use leptos::prelude::*;

use self::{
    checkpoint::{CheckpointSlider, Columns},
    curves::{AccuracyCurves, LossCurves},
    form::Form,
    kept::KeptList,
    lessons::Lessons,
    model::ModelActions,
    prompts::StartPrompt,
    runs::RunList,
    takeaway::Takeaway,
    watched::WatchedInput,
};
use attention_core::{
    i18n::{t_string, use_i18n},
    state::{View, ViewState},
    training::{Event, Run, RunNumber, Shot, TrainingRuns},
    widgets::Prose,
};

/// The runs on screen. A context of the chapter.
#[derive(Clone, Copy)]
pub struct Shown {
    /// All runs of the page.
    pub runs: TrainingRuns,
    /// The run chosen on screen.
    pub run: Memo<Option<RunNumber>>,
    /// The chosen run and the one beside it, if there is one, in the order in which they were started.
    pub columns: Memo<Vec<RunNumber>>,
    state: ViewState,
}

impl Shown {
    fn provide() -> Self {
        let (runs, state) = (TrainingRuns::of_page(), ViewState::expect());
        let asked = state.select(|view| {
            let training = view.chapters.of::<Training>();
            (training.run, training.beside)
        });
        let numbers = runs.select(|runs| -> Vec<RunNumber> {
            runs.list().iter().map(|run| run.number).collect()
        });
        let run = Memo::new(move |_| {
            let (run, _) = asked.get();
            numbers.with(|numbers| found(numbers, run).or(numbers.last().copied()))
        });
        let columns = Memo::new(move |_| {
            let (_, beside) = asked.get();
            let other = numbers.with(|numbers| found(numbers, beside));
            let mut columns: Vec<_> = run.get().into_iter().chain(other).collect();
            columns.sort_unstable();
            columns.dedup();
            columns
        });
        let shown = Shown {
            runs,
            run,
            columns,
            state,
        };
        provide_context(shown);
        shown
    }

    /// The context that the chapter provided.
    ///
    /// # Panics
    /// Outside the chapter.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Returns a part of the chapter's state in the address.
    pub fn view<T>(self, part: impl Fn(&Training) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        self.state
            .select(move |view| part(view.chapters.of::<Training>()))
    }

    /// Changes the chapter's state in the address.
    pub fn update(self, change: impl FnOnce(&mut Training)) {
        self.state
            .update_chapters(|chapters| change(chapters.of_mut::<Training>()));
    }

    /// Returns a part of each run on screen, with the run's number; runs without it are left out.
    pub fn each<T>(
        self,
        part: impl Fn(&Run) -> Option<T> + Send + Sync + 'static,
    ) -> Memo<Vec<(RunNumber, T)>>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        self.runs.of_runs(self.columns, part)
    }

    /// Returns the checkpoint of a run at the chosen step.
    pub fn snapshot(
        self,
        number: impl Fn() -> Option<RunNumber> + Send + Sync + 'static,
    ) -> Memo<Option<Shot>> {
        let step = self.view(|training| training.step);
        self.runs
            .of_run(number, move |run| run.snapshot_at(step.get()).cloned())
    }

    /// Starts runs, and shows them on screen.
    pub fn start(self, settings: Vec<TrainingSettings>) {
        let view = self.state.get_untracked();
        let Training {
            device, watched, ..
        } = view.chapters.of::<Training>().clone();
        let beside = match settings.len() {
            1 => 0,
            _ => self.runs.next_number(),
        };
        self.runs.tell(Event::Start {
            settings,
            device,
            watched,
        });
        self.update(|training| training.follow(beside));
    }
}

/// Returns a run's number if the list has it.
fn found(numbers: &[RunNumber], number: RunNumber) -> Option<RunNumber> {
    numbers.contains(&number).then_some(number)
}

impl Define for Training {
    const NEEDS: Needs = Needs::Nothing;
    const MINUTES: u32 = 6;

    fn topic(_view: &View) -> Topic {
        Topic::Whole
    }

    fn title() -> String {
        t_string!(use_i18n(), training.title).to_owned()
    }

    fn kit() -> &'static Kit {
        &kit::KIT
    }

    fn show() -> AnyView {
        TrainingChapter().into_any()
    }
}

#[component]
pub fn TrainingChapter() -> impl IntoView {
    let shown = Shown::provide();
    let has_runs = Memo::new(move |_| shown.run.get().is_some());
    view! {
        <Prose part="intro" />
        <Lessons />
        <Form />
        <RunList />
        <Prose part="trained" />
        <Show when=move || has_runs.get()>
            <LossCurves />
        </Show>
        <StartPrompt />
        <Prose part="held_out" />
        <Show when=move || has_runs.get()>
            <AccuracyCurves />
            <Takeaway />
        </Show>
        <Prose part="maps" />
        <Prose part="gradients" />
        <Show when=move || has_runs.get()>
            <div class="training-sight">
                <CheckpointSlider />
                <WatchedInput />
            </div>
            <Columns />
        </Show>
        <Prose part="model" />
        <ModelActions />
        <KeptList />
    }
}
