//! `log p` of the text that was written without edits, with changes: those of the result on
//! screen, and, where the visitor asks for each head's importance, every head by itself.
//!
//! One pass each over the text that is known, with nothing decoded. Each is a question like those of figures; the next one
//! is derived when the worker has nothing else to do.

use std::sync::Arc;

use attention_protocol::{Failure, TextQuestion};
use attention_trace::{Edit, Trace};

use super::{
    super::{
        data::{Job, Phase, Problem},
        question::{Answer, Question},
    },
    Engine,
};
use crate::state::{Ablation, EditList, HeadChoice, NewWeights, ReadText, Reweighed, Scope};

/// The scores of one text, and the edits still to be scored.
#[derive(Clone, Debug, Default)]
pub(super) struct Scores {
    /// The run whose text it is, with nothing changed.
    of: Option<Job>,
    known: Vec<(EditList, Scored)>,
    current: Option<(EditList, Question)>,
    /// The changes that are tried on every head by itself.
    measures: Vec<Probe>,
    /// The ablation with which heads are taken out one after the other, if they are.
    prunes: Option<Ablation>,
    /// True if the visitor stopped the scoring of this text.
    is_stopped: bool,
    /// True if the scoring of this text failed.
    has_failed: bool,
}

/// The score of the text with some edits.
#[derive(Clone, Debug)]
struct Scored {
    /// `log p` of each token.
    log_p: Arc<[f32]>,
    /// True if each token is still the most probable one after those before it, so that greedy search writes the same.
    is_same_text: bool,
}

/// A change that is tried on each head by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// The head is switched off.
    Off(Ablation),
    /// Its weights are replaced.
    Reweighed(NewWeights),
}

impl Probe {
    /// That, on this head and nothing else.
    fn alone(self, head: HeadChoice) -> EditList {
        match self {
            Probe::Off(by) => EditList::without([head], by),
            Probe::Reweighed(weights) => EditList::from_iter([Reweighed {
                scope: Scope::Head(head),
                weights,
            }]),
        }
    }
}

/// The importance of each head to a text: by how much `Σ log p` of the text changes when something is done to that head
/// alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Importance {
    pub heads: usize,
    /// The heads that are known so far, each with its change.
    pub changes: Vec<(HeadChoice, f32)>,
    /// True while the measurement goes on.
    pub goes_on: bool,
}

impl Importance {
    /// The change that a head makes.
    pub fn of(&self, head: HeadChoice) -> Option<f32> {
        let mut known = self.changes.iter();
        known.find(|known| known.0 == head).map(|known| known.1)
    }

    /// The largest change, whatever its sign.
    pub fn largest(&self) -> f32 {
        let changes = self.changes.iter().map(|known| known.1.abs());
        changes.fold(f32::MIN_POSITIVE, f32::max)
    }
}

/// The number of heads that can be off before greedy search writes another text, taken out one after the other: those
/// first whose absence by itself costs the text least.
#[derive(Clone, Debug, PartialEq)]
pub struct Pruning {
    /// Heads that are known by themselves, of how many: the order is made of all of them.
    pub measured: (usize, usize),
    /// The heads that are out with the text still the same, in that order.
    pub out: Vec<HeadChoice>,
    /// True if the next head changes the text, or none is left.
    pub is_done: bool,
    /// True while the measurement goes on.
    pub goes_on: bool,
}

impl Scores {
    /// Takes heads out one after the other, or stops.
    pub(super) fn prune(&mut self, by: Option<Ablation>) {
        self.prunes = by;
        self.is_stopped = false;
        self.has_failed = false;
    }

    /// Begins or continues to try something on every head, or stops.
    pub(super) fn measure(&mut self, probe: Probe, is_wanted: bool) {
        self.measures.retain(|known| *known != probe);
        if is_wanted {
            self.measures.push(probe);
        }
        self.is_stopped = false;
        self.has_failed = false;
    }

    /// Stops for this text.
    pub(super) fn stop(&mut self) {
        self.is_stopped = true;
    }

    /// Forgets what belongs to another text.
    fn turn_to(&mut self, job: Job) {
        *self = Scores {
            of: Some(job),
            measures: std::mem::take(&mut self.measures),
            prunes: self.prunes,
            ..Scores::default()
        };
    }

    /// The edits whose score is on its way.
    #[cfg(test)]
    pub(super) fn current(&self) -> Option<&EditList> {
        self.current.as_ref().map(|(edits, _)| edits)
    }

    fn knows(&self, edits: &EditList) -> Option<&Arc<[f32]>> {
        self.finds(edits).map(|scored| &scored.log_p)
    }

    fn finds(&self, edits: &EditList) -> Option<&Scored> {
        let known = self.known.iter().find(|(known, _)| known == edits);
        known.map(|(_, scored)| scored)
    }

    fn measures_on(&self) -> bool {
        let has_more = !self.measures.is_empty() || self.prunes.is_some();
        has_more && !self.is_stopped && !self.has_failed
    }
}

impl Engine {
    /// `log p` of each token of the text without edits, with the edits of what is on screen.
    pub fn score_with_edits(&self) -> Option<Arc<[f32]>> {
        let shown = self.shown.as_ref()?;
        let is_of_it = self.scores.of == Some(shown.job.as_ref()?.unedited());
        let scores = self.scores.knows(&shown.edits())?;
        is_of_it.then(|| scores.clone())
    }

    /// The importance of each head to the text on screen, as far as it is asked for and known.
    pub fn importance(&self, probe: Probe) -> Option<Importance> {
        let shown = self.shown.as_ref()?;
        let is_of_it = self.scores.of == Some(shown.job.as_ref()?.unedited());
        if !self.scores.measures.contains(&probe) || !is_of_it {
            return None;
        }
        let heads = HeadChoice::all(&shown.trace.meta.spec);
        let changes = self.changes_of(probe, &heads)?;
        Some(Importance {
            goes_on: changes.len() < heads.len() && self.scores.measures_on(),
            heads: heads.len(),
            changes,
        })
    }

    /// The heads that are known, each with its change of `Σ log p`.
    fn changes_of(&self, probe: Probe, heads: &[HeadChoice]) -> Option<Vec<(HeadChoice, f32)>> {
        let unedited = log_probability(self.unedited()?);
        let change = |head: &HeadChoice| {
            let scores = self.scores.knows(&probe.alone(*head))?;
            Some((*head, scores.iter().sum::<f32>() - unedited))
        };
        Some(heads.iter().filter_map(change).collect())
    }

    /// Returns the progress of taking heads out one after the other, where that is asked for with this ablation.
    pub fn pruning(&self, by: Ablation) -> Option<Pruning> {
        if self.scores.prunes != Some(by) {
            return None;
        }
        let shown = self.shown.as_ref()?;
        let is_of_it = self.scores.of == Some(shown.job.as_ref()?.unedited());
        if !is_of_it {
            return None;
        }
        let (pruning, next) = self.pruned(by)?;
        Some(Pruning {
            goes_on: !pruning.is_done && next.is_some() && self.scores.measures_on(),
            ..pruning
        })
    }

    /// The same, and what is to be scored next.
    fn pruned(&self, by: Ablation) -> Option<(Pruning, Option<EditList>)> {
        let heads = HeadChoice::all(&self.shown.as_ref()?.trace.meta.spec);
        let probe = Probe::Off(by);
        let mut order = self.changes_of(probe, &heads)?;
        let mut pruning = Pruning {
            measured: (order.len(), heads.len()),
            out: vec![],
            is_done: false,
            goes_on: false,
        };
        if order.len() < heads.len() {
            let mut all = heads.iter().map(|head| probe.alone(*head));
            let next = all.find(|edits| self.scores.knows(edits).is_none());
            return Some((pruning, next));
        }
        order.sort_by(|one, other| other.1.total_cmp(&one.1));
        let mut out = vec![];
        for (head, _) in order {
            out.push(head);
            let edits = EditList::without(out.iter().copied(), by);
            match self.scores.finds(&edits) {
                None => return Some((pruning, Some(edits))),
                Some(scored) if scored.is_same_text => pruning.out.push(head),
                Some(_) => break,
            }
        }
        pruning.is_done = true;
        Some((pruning, None))
    }

    /// Returns a job's edits, as the worker takes them; a mean is taken over the job's text as it is with nothing
    /// changed.
    pub fn edits(&self, job: &Job) -> Vec<Edit> {
        let Phase::Ready { reply, .. } = &self.phase else {
            return Vec::new();
        };
        let mut target = self.tokens_without_edits(job);
        // The last token is written, and never read.
        target.pop();
        let text = job.input();
        job.edits.edits(&reply.spec, &ReadText { text, target })
    }

    /// Takes in the answer of what was asked, and follows the text on screen.
    pub(super) fn take_score(&mut self) {
        self.take_answer();
        let text = self.scored_text().map(|(job, _)| job);
        if let Some(job) = text.filter(|job| self.scores.of.as_ref() != Some(job)) {
            self.leave_score();
            self.scores.turn_to(job);
        }
    }

    fn take_answer(&mut self) {
        let Some((_, question)) = &self.scores.current else {
            return;
        };
        let Some(answer) = self.known(question).end else {
            return;
        };
        let Some(edits) = self.leave_score() else {
            return;
        };
        match answer.map(|answer| scored(&answer)) {
            Ok(Some(scored)) => self.scores.known.push((edits, scored)),
            Ok(None) => self.score_failed(Failure::NotReady),
            Err(failure) => self.score_failed(failure),
        }
    }

    /// Takes the question on its way back.
    fn leave_score(&mut self) -> Option<EditList> {
        let (edits, question) = self.scores.current.take()?;
        self.questions.leave(&question);
        Some(edits)
    }

    /// Asks for the next score in the place of one that has not been asked of the worker.
    pub(super) fn want_score(&mut self) {
        self.leave_score();
        let (Some((job, target)), Some(edits)) = (self.scored_text(), self.next_score()) else {
            return;
        };
        let job = Box::new(job.with_edits(edits.clone()));
        let question = Question::Text(job, TextQuestion::Score { target });
        self.questions.want(question.clone());
        self.scores.current = Some((edits, question));
    }

    /// The run without edits whose text can be scored, and the text's tokens.
    fn scored_text(&self) -> Option<(Job, Vec<u32>)> {
        let job = self.shown.as_ref()?.job.as_ref()?.unedited();
        let is_ready = matches!(&self.phase, Phase::Ready { model, .. } if *model == job.model);
        let target = tokens(self.unedited()?);
        (is_ready && !target.is_empty()).then_some((job, target))
    }

    /// Edits whose score is not known yet.
    fn next_score(&self) -> Option<EditList> {
        let shown = self.shown.as_ref()?;
        let edits = shown.edits();
        let is_known = |edits: &EditList| self.scores.knows(edits).is_some();
        if self.scores.has_failed {
            return None;
        }
        if !edits.is_empty() && !is_known(&edits) {
            return Some(edits);
        }
        if !self.scores.measures_on() {
            return None;
        }
        let heads = HeadChoice::all(&shown.trace.meta.spec);
        let probes = self.scores.measures.iter();
        let mut all = probes.flat_map(|probe| heads.iter().map(|head| probe.alone(*head)));
        let measured = all.find(|edits| !is_known(edits));
        measured.or_else(|| self.pruned(self.scores.prunes?)?.1)
    }

    /// The scores so far are kept; the rest is not asked for again automatically.
    fn score_failed(&mut self, failure: Failure) {
        self.scores.has_failed = true;
        self.problem = Some(Problem::Part(failure));
    }
}

/// The answer to a score; `None` where it is none.
fn scored(answer: &Answer) -> Option<Scored> {
    let Answer::Arrays(arrays) = answer else {
        return None;
    };
    let [Some(scores), Some(ranks)] = arrays.as_slice() else {
        return None;
    };
    Some(Scored {
        log_p: Arc::from(scores.data.as_slice()),
        is_same_text: ranks.data.iter().all(|rank| *rank <= 1.0),
    })
}

/// The tokens of the text that a trace shows.
pub(super) fn tokens(trace: &Trace) -> Vec<u32> {
    let steps = trace.decoding.as_ref().map(|decoding| &decoding.steps);
    let steps = steps.into_iter().flatten();
    steps.map(|step| step.chosen.token.id).collect()
}

/// `Σ log p` of those tokens in the pass that made the trace.
fn log_probability(trace: &Trace) -> f32 {
    let steps = trace.decoding.as_ref().map(|decoding| &decoding.steps);
    let steps = steps.into_iter().flatten();
    steps.map(|step| step.chosen.log_probability).sum()
}
