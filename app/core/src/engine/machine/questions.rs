//! The queue of questions: those that figures need, those sent to the worker, and their answers.
//!
//! Kinds of questions differ in their [`Policy`](super::super::question::Policy) alone.

use std::sync::Arc;

use attention_protocol::{Failure, Partial, RequestId, TextQuestion};
use attention_trace::Openings;

use super::{
    super::{
        data::{Command, Job, Phase, Problem},
        question::{Answer, Known, Question},
    },
    Engine,
};

/// The questions that figures need, with their requests and answers.
#[derive(Clone, Debug, Default)]
pub(super) struct Questions {
    /// The questions and their states, oldest first.
    held: Vec<Held>,
    /// The requests that are on their way.
    asked: Vec<Asked>,
}

#[derive(Clone, Debug)]
pub(super) struct Held {
    question: Question,
    /// The number of figures that need it now.
    needed: usize,
    state: State,
    /// The part that came before the answer is whole. It stays when the question is asked again, until more comes.
    partial: Option<Arc<Partial>>,
    /// True if the question failed and is asked once more automatically.
    is_retried: bool,
}

#[derive(Clone, Debug)]
enum State {
    /// Not answered. One that is gathered is asked as soon as a figure wants it anew.
    Open,
    /// To be gathered into the next request.
    Due,
    /// Sent to the worker.
    Asked,
    /// Answered or refused by the worker.
    Answered(Result<Arc<Answer>, Failure>),
}

/// A request that is on its way.
#[derive(Clone, Debug)]
struct Asked {
    worker: u32,
    id: RequestId,
    /// The run whose result was on screen.
    run: Option<RequestId>,
    /// Several where they were gathered.
    questions: Vec<Question>,
    /// True if the visitor stopped the request.
    is_stopped: bool,
}

impl Asked {
    fn is_gathered(&self) -> bool {
        self.questions.iter().any(|it| it.policy().is_gathered)
    }

    fn is_of_shown(&self) -> bool {
        self.questions.iter().any(Question::is_of_shown)
    }

    fn is_stoppable(&self) -> bool {
        self.questions.iter().any(|it| it.policy().is_stoppable)
    }
}

impl Questions {
    fn find(&self, question: &Question) -> Option<&Held> {
        self.held.iter().find(|held| held.question == *question)
    }

    fn find_mut(&mut self, question: &Question) -> Option<&mut Held> {
        self.held.iter_mut().find(|held| held.question == *question)
    }

    /// Adds a figure's need for a question. A question that failed or was stopped before is asked again.
    pub(super) fn want(&mut self, question: Question) -> &mut Held {
        let index = self.held.iter().position(|it| it.question == question);
        let mut held = match index {
            Some(index) => self.held.remove(index),
            None => Held {
                question,
                needed: 0,
                state: State::Open,
                partial: None,
                is_retried: false,
            },
        };
        held.needed += 1;
        if matches!(held.state, State::Answered(Err(_))) {
            held.state = State::Open;
            held.is_retried = false;
        }
        // The age of what is gathered is that of its answer.
        let is_renewed = held.question.policy().is_gathered && matches!(held.state, State::Open);
        let place = index.filter(|_| !is_renewed).unwrap_or(self.held.len());
        self.held.insert(place, held);
        &mut self.held[place]
    }

    /// Removes a figure's need for a question.
    pub(super) fn leave(&mut self, question: &Question) {
        if let Some(held) = self.find_mut(question) {
            held.needed = held.needed.saturating_sub(1);
        }
        self.make_room();
    }

    /// Drops answers that no figure needs, the oldest first, until the others fit into their spare bytes.
    fn make_room(&mut self) {
        let spare = |held: &Held| match &held.state {
            State::Answered(Ok(answer)) if held.needed == 0 => answer.bytes(),
            _ => 0,
        };
        let mut bytes: usize = self.held.iter().map(spare).sum();
        self.held.retain(|held| {
            let own = spare(held);
            let room = held.question.policy().spare_bytes;
            let is_kept = held.needed > 0 || room > 0 && (own == 0 || bytes <= room);
            bytes -= if is_kept { 0 } else { own };
            is_kept
        });
    }

    /// Reopens the questions about the result that has left the screen.
    pub(super) fn forget_result(&mut self) {
        self.reopen(|held| held.question.is_of_shown());
    }

    /// Drops the requests to a worker that has ended, and reopens their questions.
    pub(super) fn give_up(&mut self) {
        self.asked.clear();
        self.reopen(|held| matches!(held.state, State::Due | State::Asked));
    }

    fn reopen(&mut self, is_open: impl Fn(&Held) -> bool) {
        self.held.retain(|held| held.needed > 0 || !is_open(held));
        for held in self.held.iter_mut().filter(|held| is_open(held)) {
            held.state = State::Open;
            held.is_retried = false;
        }
    }

    fn is_gathering(&self) -> bool {
        let is_due = |held: &Held| matches!(held.state, State::Due);
        self.held.iter().any(is_due)
    }

    /// Returns true if a worker was asked for something, or is about to be.
    pub(super) fn are_awaited(&self, worker: u32) -> bool {
        self.is_gathering() || self.asked.iter().any(|asked| asked.worker == worker)
    }

    /// Returns true if a request asked a worker a question.
    pub(super) fn are_asked(&self, worker: u32, id: RequestId) -> bool {
        let is_it = |asked: &Asked| asked.worker == worker && asked.id == id;
        self.asked.iter().any(is_it)
    }

    fn take_asked(&mut self, worker: u32, id: RequestId) -> Option<Asked> {
        let is_it = |asked: &Asked| asked.worker == worker && asked.id == id;
        let index = self.asked.iter().position(is_it)?;
        Some(self.asked.remove(index))
    }

    /// Returns the request that a worker is busy with, of those that are asked one by one.
    fn asked_alone(&mut self, worker: u32) -> Option<&mut Asked> {
        let mut asked = self.asked.iter_mut();
        asked.find(|asked| asked.worker == worker && !asked.is_gathered())
    }
}

impl Engine {
    /// Returns the state of a question's answer.
    pub fn known(&self, question: &Question) -> Known {
        let held = self.questions.find(question);
        held.map_or_else(Known::default, |held| Known {
            partial: held.partial.clone(),
            end: match &held.state {
                State::Answered(answer) => Some(answer.clone()),
                State::Open | State::Due | State::Asked => None,
            },
        })
    }

    /// Returns true if a model that made the result on screen can be asked for parts of it.
    pub fn has_parts(&self) -> bool {
        self.shown_run.is_some()
    }

    /// Adds a figure's need for a question, and gathers it if its kind is gathered.
    pub(super) fn want(&mut self, question: Question) -> Vec<Command> {
        let is_gathering = self.questions.is_gathering();
        let is_gathered = question.policy().is_gathered && self.shown_run.is_some();
        let held = self.questions.want(question);
        if !is_gathered || !matches!(held.state, State::Open) {
            return Vec::new();
        }
        held.state = State::Due;
        match is_gathering {
            true => Vec::new(),
            false => vec![Command::Gather],
        }
    }

    /// Removes a figure's need for a question. If no other figure needs it, the worker stops computing it if it can.
    pub(super) fn leave(&mut self, question: &Question) -> Vec<Command> {
        self.questions.leave(question);
        let is_needed = self.questions.find(question).is_some();
        let asked = self.questions.asked_alone(self.worker);
        match asked.is_some_and(|asked| !is_needed && asked.questions.contains(question)) {
            true => self.cancel_asked(),
            false => Vec::new(),
        }
    }

    /// Stops the computation of a stoppable answer; the part that is known stays.
    pub(super) fn stop_asked(&mut self) -> Vec<Command> {
        match self.questions.asked_alone(self.worker) {
            Some(asked) => {
                asked.is_stopped = true;
                self.cancel_asked()
            }
            None => Vec::new(),
        }
    }

    fn cancel_asked(&mut self) -> Vec<Command> {
        // A run or another model that has been asked for since ends it anyway, and would itself be stopped.
        let is_idle = self.running.is_none() && matches!(self.phase, Phase::Ready { .. });
        let asked = self.questions.asked_alone(self.worker);
        if !is_idle || !asked.is_some_and(|asked| asked.is_stoppable()) {
            return Vec::new();
        }
        let (worker, id) = (self.worker, self.next_id());
        vec![Command::Cancel { worker, id }]
    }

    /// Sends all questions that are due, in one request.
    pub(super) fn gather(&mut self) -> Vec<Command> {
        let mut questions = Vec::new();
        for held in &mut self.questions.held {
            if matches!(held.state, State::Due) {
                held.state = State::Asked;
                questions.push(held.question.clone());
            }
        }
        self.send(questions)
    }

    /// Sends the next of the questions that are asked one by one, unless the worker is busy.
    pub(super) fn ask(&mut self) -> Vec<Command> {
        self.take_score();
        let is_busy = self.running.is_some() || self.waiting;
        let Phase::Ready { model, .. } = self.phase else {
            return Vec::new();
        };
        if is_busy || self.questions.asked_alone(self.worker).is_some() {
            return Vec::new();
        }
        self.want_score();
        let has_result = self.shown_run.is_some();
        let is_next = |held: &&mut Held| {
            let can_be_asked = match &held.question {
                Question::Shown(_) => has_result,
                Question::Text(job, _) => job.model == model,
                Question::Patching(of, _)
                | Question::Series(of, _)
                | Question::Roles(of, _)
                | Question::Chat(of, _) => *of == model,
            };
            let is_open = !matches!(held.state, State::Answered(_));
            let is_alone = !held.question.policy().is_gathered;
            can_be_asked && is_open && is_alone && held.needed > 0
        };
        let open = self.questions.held.iter_mut().filter(is_next);
        let Some(held) = open.min_by_key(|held| held.question.policy().turn) else {
            return Vec::new();
        };
        held.state = State::Asked;
        let question = held.question.clone();
        self.send(vec![question])
    }

    fn send(&mut self, questions: Vec<Question>) -> Vec<Command> {
        let gathered = questions.iter().cloned().reduce(|mut all, question| {
            all.gather(question);
            all
        });
        let Some(question) = gathered.and_then(|question| self.worded(question)) else {
            return Vec::new();
        };
        let (worker, id) = (self.worker, self.next_id());
        self.questions.asked.push(Asked {
            worker,
            id,
            run: self.shown_run,
            questions,
            is_stopped: false,
        });
        vec![Command::Ask {
            worker,
            id,
            question,
        }]
    }

    /// Returns a question in the form of the protocol; `None` if there is no result or model to ask.
    fn worded(&self, question: Question) -> Option<attention_protocol::Question> {
        Some(match question {
            Question::Shown(question) => attention_protocol::Question::Result {
                run: self.shown_run?,
                question,
            },
            Question::Text(job, question) => {
                let Phase::Ready { reply, .. } = &self.phase else {
                    return None;
                };
                attention_protocol::Question::Text {
                    text: job.input(),
                    edits: self.edits(&job.fitting(&reply.spec)),
                    question: in_language(question, &job, &reply.openings),
                }
            }
            Question::Patching(_, question) => attention_protocol::Question::Patching { question },
            Question::Series(_, question) => attention_protocol::Question::Series { question },
            Question::Roles(_, turn) => attention_protocol::Question::Roles(turn),
            Question::Chat(_, turns) => attention_protocol::Question::Chat { turns },
        })
    }

    /// Keeps a part of an answer that is still being computed, if a figure needs it.
    pub(super) fn partly_answered(&mut self, id: RequestId, partial: Partial) {
        let mut asked = self.questions.asked.iter();
        let asked = asked.find(|asked| asked.worker == self.worker && asked.id == id);
        let Some(question) = asked.and_then(|asked| asked.questions.first()).cloned() else {
            return;
        };
        let Some(held) = self.questions.find_mut(&question) else {
            return;
        };
        match &mut held.partial {
            Some(known) => Arc::make_mut(known).extend(partial),
            None => held.partial = Some(Arc::new(partial)),
        }
    }

    /// Keeps the answer to a request if figures need it. A question that a run ended, not the visitor, is asked again.
    pub(super) fn question_answered(
        &mut self,
        id: RequestId,
        answer: Result<Answer, Failure>,
    ) -> Vec<Command> {
        let Some(asked) = self.questions.take_asked(self.worker, id) else {
            return Vec::new();
        };
        if asked.is_of_shown() && asked.run != self.shown_run {
            return Vec::new();
        }
        if asked.is_stoppable() && !asked.is_stopped && matches!(answer, Err(Failure::Cancelled)) {
            return Vec::new();
        }
        let (answers, failure) = match answer {
            Ok(answer) if asked.is_gathered() => (answer.split(), Failure::NotReady),
            Ok(answer) => (vec![answer], Failure::NotReady),
            Err(failure) => (Vec::new(), failure),
        };
        let mut answers = answers.into_iter();
        let mut is_due = false;
        for question in &asked.questions {
            match answers.next() {
                Some(answer) => self.keep(question, answer),
                None => is_due |= self.question_failed(question, &failure),
            }
        }
        self.questions.make_room();
        match is_due {
            true => vec![Command::Gather],
            false => Vec::new(),
        }
    }

    fn keep(&mut self, question: &Question, answer: Answer) {
        if let Some(held) = self.questions.find_mut(question) {
            held.state = State::Answered(Ok(Arc::new(answer)));
        }
    }

    /// Notes the failure of a question that a figure needs; returns true if it is to be gathered once more.
    fn question_failed(&mut self, question: &Question, failure: &Failure) -> bool {
        let Questions { held, .. } = &mut self.questions;
        held.retain(|held| held.needed > 0 || held.question != *question);
        let Some(held) = self.questions.find_mut(question) else {
            return false;
        };
        let is_retried = question.policy().is_retried;
        if is_retried && !held.is_retried {
            held.is_retried = true;
            held.state = State::Due;
            return true;
        }
        held.state = State::Answered(Err(failure.clone()));
        if is_retried {
            self.problem = Some(Problem::Part(failure.clone()));
        }
        false
    }
}

/// Returns the question with the language in front of a target that the visitor wrote, if one is chosen.
fn in_language(question: TextQuestion, job: &Job, openings: &Openings) -> TextQuestion {
    let mut languages = openings.target.iter();
    let chosen = languages.find(|opening| Some(opening.token.id) == job.beginning.target);
    match (question, chosen) {
        (TextQuestion::Force { target }, Some(language)) => TextQuestion::Force {
            target: format!("{} {target}", language.token.text),
        },
        (question, _) => question,
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{TargetOpening, Token};

    use super::*;
    use crate::state::View;

    #[test]
    fn a_target_of_the_visitor_is_in_the_chosen_language() {
        let openings = Openings {
            source: vec![],
            target: vec![TargetOpening {
                token: Token {
                    id: 7,
                    text: "fra_Latn".to_owned(),
                    unknown: false,
                },
                language: "fra_Latn".to_owned(),
            }],
        };
        let forced = |target: Option<u32>, question| {
            let mut view = View::from_fragment("model=mine");
            view.beginning.target = target;
            in_language(question, &Job::from(&view), &openings)
        };
        let force = |target: &str| TextQuestion::Force {
            target: target.to_owned(),
        };
        assert_eq!(forced(Some(7), force("thé")), force("fra_Latn thé"));
        assert_eq!(forced(Some(9), force("thé")), force("thé"));
        assert_eq!(forced(None, force("thé")), force("thé"));
        let score = TextQuestion::Score { target: vec![7] };
        assert_eq!(forced(Some(7), score.clone()), score);
    }
}
