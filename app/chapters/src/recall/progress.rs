//! Models that learn to recall, as plain data: what was trained, and what is to be trained next.

use attention_trace::lessons::{RECALL_STEPS, RecallRun, RecallTask, RecallWay, Recalled};

use super::parameters::RecallView;

/// The number of steps that are asked for at a time.
pub const PART: usize = 25;

/// The settings that the models of a comparison share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    pub task: RecallTask,
    pub width: usize,
    pub seed: u64,
}

impl Comparison {
    /// Returns the comparison of a view.
    pub fn of(view: &RecallView) -> Self {
        Comparison {
            task: view.learned.task(),
            width: view.width.number(),
            seed: view.seed as u64,
        }
    }

    /// Returns the model that reads in a way.
    pub fn run(self, way: RecallWay) -> RecallRun {
        RecallRun {
            way,
            task: self.task,
            width: self.width,
            seed: self.seed,
        }
    }
}

/// Models of all comparisons so far, and the comparison that is being trained.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    models: Vec<Recalled>,
    /// The comparison that is being trained.
    pub running: Option<Comparison>,
}

impl Progress {
    /// Returns the newest model of these settings.
    pub fn model(&self, run: RecallRun) -> Option<&Recalled> {
        self.models.iter().find(|model| model.run == run)
    }

    /// Returns the models of a comparison, in the order of the ways; those that have not begun are left out.
    pub fn models(&self, comparison: Comparison) -> Vec<Recalled> {
        let runs = RecallWay::ALL.map(|way| comparison.run(way)).into_iter();
        runs.filter_map(|run| self.model(run).cloned()).collect()
    }

    fn step(&self, run: RecallRun) -> usize {
        self.model(run).map_or(0, |model| model.step)
    }

    /// Returns the way that is trained next in a comparison, with its number of steps so far.
    pub fn next(&self, comparison: Comparison) -> Option<(RecallWay, usize)> {
        let ways = RecallWay::ALL.into_iter();
        let steps = |way| (way, self.step(comparison.run(way)));
        ways.map(steps).find(|(_, step)| *step < RECALL_STEPS)
    }

    /// Returns the model to ask for, and its number of steps.
    pub fn wanted(&self) -> Option<(RecallRun, usize)> {
        let comparison = self.running?;
        let (way, step) = self.next(comparison)?;
        Some((comparison.run(way), (step + PART).min(RECALL_STEPS)))
    }

    /// Takes a model in place of an earlier one of the same settings, and ends the comparison after its last.
    pub fn take(&mut self, model: Recalled) {
        match self.models.iter_mut().find(|other| other.run == model.run) {
            Some(other) if other.step < model.step => *other = model,
            Some(_) => {}
            None => self.models.push(model),
        }
        if self.wanted().is_none() {
            self.running = None;
        }
    }

    /// Begins a comparison: continues one that was stopped, and repeats one that ended.
    pub fn start(&mut self, comparison: Comparison) {
        if self.next(comparison).is_none() {
            self.models
                .retain(|model| comparison.run(model.run.way) != model.run);
        }
        self.running = Some(comparison);
    }

    /// Returns the steps of a comparison so far, of all its models.
    pub fn steps(&self, comparison: Comparison) -> usize {
        let runs = RecallWay::ALL.map(|way| comparison.run(way));
        runs.into_iter().map(|run| self.step(run)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comparison(width: usize) -> Comparison {
        Comparison {
            task: RecallTask::Once,
            width,
            seed: 1,
        }
    }

    fn model(run: RecallRun, step: usize) -> Recalled {
        Recalled {
            run,
            step,
            loss: 1.0,
            milliseconds: 1.0,
            scores: vec![],
        }
    }

    #[test]
    fn one_way_after_the_other_is_trained_in_parts() {
        let mut progress = Progress::default();
        assert_eq!(progress.wanted(), None);
        progress.start(comparison(8));
        let mut parts = 0;
        while let Some((run, steps)) = progress.wanted() {
            progress.take(model(run, steps));
            parts += 1;
        }
        assert_eq!(parts, RecallWay::ALL.len() * RECALL_STEPS / PART);
        assert_eq!(progress.running, None);
        assert_eq!(progress.steps(comparison(8)), 4 * RECALL_STEPS);
        assert_eq!(progress.models(comparison(8)).len(), 4);
        assert!(progress.models(comparison(16)).is_empty());
    }

    #[test]
    fn what_was_stopped_goes_on_and_what_ended_begins_again() {
        let mut progress = Progress::default();
        progress.start(comparison(8));
        let (run, steps) = progress.wanted().unwrap();
        progress.take(model(run, steps));
        progress.running = None;
        progress.start(comparison(8));
        assert_eq!(progress.wanted(), Some((run, 2 * PART)));
        // What arrives late does not set a model back.
        progress.take(model(run, 2 * PART));
        progress.take(model(run, PART));
        assert_eq!(progress.model(run).unwrap().step, 2 * PART);
        for way in RecallWay::ALL {
            progress.take(model(comparison(8).run(way), RECALL_STEPS));
        }
        assert_eq!(progress.running, None);
        progress.start(comparison(8));
        assert_eq!(progress.wanted(), Some((run, PART)));
    }
}
