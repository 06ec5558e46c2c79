//! Runs of training, each in a worker of its own. They last as long as the page is open, in any part of it.

mod run;
mod runs;
mod worker;

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    time::Duration,
};

use leptos::prelude::*;

pub use self::{
    run::{Phase, Run, RunNumber, RunProblem, Shot},
    runs::{Event, MOST_RUNS, Runs},
};
use self::{runs::Command, worker::TrainerWorker};
use crate::assets::deployment;

thread_local! {
    /// The runs, global to the page: the code of the training chapter is downloaded after the page has created its
    /// contexts.
    static RUNS: ArcRwSignal<Runs> = ArcRwSignal::new(Runs::default());
    static WORKERS: RefCell<HashMap<RunNumber, TrainerWorker>> = RefCell::new(HashMap::new());
    /// True while a tick is scheduled.
    static TICKS: Cell<bool> = const { Cell::new(false) };
}

/// The time between two ticks. A timer rather than a clock, so that time in which the machine was asleep does not
/// count.
const TICK: Duration = Duration::from_secs(1);

/// The training runs of this visit.
#[derive(Clone, Copy)]
pub struct TrainingRuns(RwSignal<Runs>);

impl TrainingRuns {
    /// Returns the runs, for use in a component.
    pub fn of_page() -> Self {
        TrainingRuns(RUNS.with(ArcRwSignal::clone).into())
    }

    /// Returns a part of the runs that notifies only when that part changes.
    pub fn select<T>(self, part: impl Fn(&Runs) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| self.0.with(&part))
    }

    pub fn of_run<T>(
        self,
        number: impl Fn() -> Option<RunNumber> + Send + Sync + 'static,
        part: impl Fn(&Run) -> Option<T> + Send + Sync + 'static,
    ) -> Memo<Option<T>>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        let number = Memo::new(move |_| number());
        Memo::new(move |_| {
            let number = number.get()?;
            self.0.with(|runs| part(runs.get(number)?))
        })
    }

    /// Returns a part of several runs, with the run's number; runs without the part are left out.
    pub fn of_runs<T>(
        self,
        numbers: Memo<Vec<RunNumber>>,
        part: impl Fn(&Run) -> Option<T> + Send + Sync + 'static,
    ) -> Memo<Vec<(RunNumber, T)>>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| {
            let numbers = numbers.get().into_iter();
            self.0.with(|runs| {
                let part = |number| Some((number, part(runs.get(number)?)?));
                numbers.filter_map(part).collect()
            })
        })
    }

    /// Returns the number of the run that is started next.
    pub fn next_number(self) -> RunNumber {
        self.0.with_untracked(Runs::next_number)
    }

    /// Applies an action of the visitor.
    pub fn tell(self, event: Event) {
        tell(event);
    }
}

fn tell(event: Event) {
    if matches!(event, Event::Died(..)) {
        deployment::look();
    }
    let runs = RUNS.with(ArcRwSignal::clone);
    let commands = runs.try_update(|runs| runs.apply(event));
    for command in commands.unwrap_or_default() {
        execute(command);
    }
    watch();
}

/// Schedules the next tick if a worker is to make steps until then.
fn watch() {
    let runs = RUNS.with(ArcRwSignal::clone);
    if runs.with_untracked(Runs::are_watched) && !TICKS.replace(true) {
        let tick = || {
            TICKS.set(false);
            tell(Event::Tick);
        };
        set_timeout(tick, TICK);
    }
}

fn execute(command: Command) {
    match command {
        Command::Spawn(run, device) => match TrainerWorker::start(run, device, tell) {
            Ok(worker) => WORKERS.with_borrow_mut(|workers| {
                workers.insert(run, worker);
            }),
            Err(reason) => tell(Event::Died(run, reason)),
        },
        Command::Kill(run) => WORKERS.with_borrow_mut(|workers| {
            workers.remove(&run);
        }),
        Command::Send(run, request, buffer) => {
            let sent = WORKERS.with_borrow(|workers| {
                let worker = workers.get(&run)?;
                Some(worker.post(request, buffer.as_deref()))
            });
            if let Some(Err(reason)) = sent {
                tell(Event::Died(run, reason));
            }
        }
    }
}
