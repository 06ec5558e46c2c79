//! The queue of requests to the lessons' worker and the answers to them: the state and its transitions,
//! without a browser.

use std::{collections::BTreeMap, sync::Arc};

use attention_protocol::{
    RequestId,
    lessons::{Answer, LessonFailure, LessonReply, Question},
};

/// Identifies a figure that asks questions; each has one question at a time.
pub type ClientId = u32;

/// The state of the worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Life {
    /// No question was asked yet, or the worker crashed.
    #[default]
    Off,
    /// The worker is loading.
    Starting,
    /// The worker answers questions.
    Running,
}

/// A reason why no answers come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LessonProblem {
    /// The worker does not start, or crashed.
    Died(String),
    /// The worker cannot compute with these numbers, lacks the model, or is of another version than the page.
    Failed(LessonFailure),
}

/// A figure's question, and the newest answer to it.
#[derive(Clone, Debug, Default, PartialEq)]
struct Slot {
    wanted: Option<Question>,
    /// The pending request and its question.
    sent: Option<(RequestId, Question)>,
    /// The newest answer, with the question it answers.
    answer: Option<(Question, Arc<Answer>)>,
    failure: Option<LessonFailure>,
}

/// An event that changes the queue.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A figure has a new question, or none any more.
    Ask(ClientId, Option<Question>),
    /// A figure has left the page.
    Leave(ClientId),
    /// The worker sent a reply.
    Reply(RequestId, LessonReply),
    /// The worker does not start, or crashed.
    Died(String),
    /// The visitor asks for another try.
    Retry,
}

/// An action to take in the browser.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Start the worker, in place of the one before.
    Start,
    /// End the worker that runs.
    Stop,
    /// Send the worker a question.
    Send(RequestId, Question),
}

/// The questions of all figures, with the answers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RequestQueue {
    life: Life,
    died: Option<String>,
    last_id: RequestId,
    slots: BTreeMap<ClientId, Slot>,
}

impl RequestQueue {
    /// Updates the queue for an event, and returns the actions to take.
    pub fn apply(&mut self, event: Event) -> Vec<Command> {
        match event {
            Event::Ask(client, question) => return self.ask(client, question),
            Event::Leave(client) => {
                self.slots.remove(&client);
            }
            Event::Reply(_, LessonReply::Booted) => self.life = Life::Running,
            Event::Reply(id, reply) => self.take(id, reply),
            Event::Died(reason) => {
                self.life = Life::Off;
                self.died = Some(reason);
                for slot in self.slots.values_mut() {
                    slot.sent = None;
                }
                return vec![Command::Stop];
            }
            Event::Retry => {
                self.died = None;
                self.life = Life::Starting;
                for slot in self.slots.values_mut() {
                    slot.failure = None;
                    slot.sent = None;
                }
                return vec![Command::Start];
            }
        }
        self.send()
    }

    /// Returns the newest answer to a figure, which may answer its previous question.
    pub fn answer(&self, client: ClientId) -> Option<Arc<Answer>> {
        let (_, answer) = self.slots.get(&client)?.answer.as_ref()?;
        Some(answer.clone())
    }

    /// Returns the reason why a figure gets no answers, if there is one.
    pub fn problem(&self, client: ClientId) -> Option<LessonProblem> {
        if let Some(reason) = &self.died {
            return Some(LessonProblem::Died(reason.clone()));
        }
        let failure = self.slots.get(&client)?.failure.clone()?;
        Some(LessonProblem::Failed(failure))
    }

    fn ask(&mut self, client: ClientId, question: Option<Question>) -> Vec<Command> {
        let slot = self.slots.entry(client).or_default();
        if question.is_none() {
            slot.answer = None;
        }
        slot.wanted = question;
        slot.failure = None;
        let must_start = slot.wanted.is_some() && self.life == Life::Off && self.died.is_none();
        if must_start {
            self.life = Life::Starting;
            return vec![Command::Start];
        }
        self.send()
    }

    fn take(&mut self, id: RequestId, reply: LessonReply) {
        let awaits = |slot: &&mut Slot| slot.sent.as_ref().is_some_and(|(sent, _)| *sent == id);
        let Some(slot) = self.slots.values_mut().find(awaits) else {
            return;
        };
        let Some((_, question)) = slot.sent.take() else {
            return;
        };
        if slot.wanted.is_none() {
            return;
        }
        match reply {
            // Even if a newer question waits: a dragged point should move on screen.
            LessonReply::Answered(answer) => slot.answer = Some((question, Arc::new(answer))),
            LessonReply::Failed(failure) => {
                if slot.wanted.as_ref() == Some(&question) {
                    slot.failure = Some(failure);
                }
            }
            LessonReply::Booted => {}
        }
    }

    /// Sends the newest question of each figure that has no pending one.
    fn send(&mut self) -> Vec<Command> {
        if self.life != Life::Running {
            return Vec::new();
        }
        let mut commands = Vec::new();
        for slot in self.slots.values_mut() {
            let answered = slot.answer.as_ref().map(|(question, _)| question);
            let Some(wanted) = &slot.wanted else { continue };
            if slot.sent.is_some() || slot.failure.is_some() || answered == Some(wanted) {
                continue;
            }
            self.last_id += 1;
            slot.sent = Some((self.last_id, wanted.clone()));
            commands.push(Command::Send(self.last_id, wanted.clone()));
        }
        commands
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(score: f32) -> Question {
        Question::Normalise {
            scores: vec![score],
        }
    }

    fn answered() -> LessonReply {
        LessonReply::Answered(Answer::Normalised(Vec::new()))
    }

    fn running() -> RequestQueue {
        let mut queue = RequestQueue::default();
        assert_eq!(
            queue.apply(Event::Ask(1, Some(question(1.0)))),
            [Command::Start]
        );
        let sent = queue.apply(Event::Reply(0, LessonReply::Booted));
        assert_eq!(sent, [Command::Send(1, question(1.0))]);
        queue
    }

    #[test]
    fn the_worker_starts_with_the_first_question_and_once() {
        let mut queue = RequestQueue::default();
        assert_eq!(queue.apply(Event::Ask(1, None)), []);
        assert_eq!(
            queue.apply(Event::Ask(1, Some(question(1.0)))),
            [Command::Start]
        );
        assert_eq!(queue.apply(Event::Ask(2, Some(question(2.0)))), []);
        let sent = queue.apply(Event::Reply(0, LessonReply::Booted));
        assert_eq!(sent.len(), 2);
    }

    #[test]
    fn of_questions_asked_in_haste_the_newest_follows() {
        let mut queue = running();
        for score in [2.0, 3.0, 4.0] {
            assert_eq!(queue.apply(Event::Ask(1, Some(question(score)))), []);
        }
        let sent = queue.apply(Event::Reply(1, answered()));
        assert_eq!(sent, [Command::Send(2, question(4.0))]);
        assert!(queue.answer(1).is_some());
        assert_eq!(queue.apply(Event::Reply(2, answered())), []);
    }

    #[test]
    fn the_same_question_again_is_not_sent_again() {
        let mut queue = running();
        queue.apply(Event::Reply(1, answered()));
        assert_eq!(queue.apply(Event::Ask(1, Some(question(1.0)))), []);
    }

    #[test]
    fn an_answer_that_nobody_waits_for_is_dropped() {
        let mut queue = running();
        queue.apply(Event::Ask(1, None));
        queue.apply(Event::Reply(1, answered()));
        assert_eq!(queue.answer(1), None);
        queue.apply(Event::Leave(1));
        assert_eq!(queue.apply(Event::Reply(1, answered())), []);
    }

    #[test]
    fn a_refused_question_says_so_until_another_is_asked() {
        let mut queue = running();
        let failure = LessonFailure::Refused("r".to_owned());
        assert_eq!(
            queue.apply(Event::Reply(1, LessonReply::Failed(failure.clone()))),
            []
        );
        assert_eq!(queue.problem(1), Some(LessonProblem::Failed(failure)));
        let sent = queue.apply(Event::Ask(1, Some(question(2.0))));
        assert_eq!(sent, [Command::Send(2, question(2.0))]);
        assert_eq!(queue.problem(1), None);
    }

    #[test]
    fn a_dead_worker_keeps_its_answers_and_is_started_again_on_request() {
        let mut queue = running();
        queue.apply(Event::Reply(1, answered()));
        assert_eq!(queue.apply(Event::Died("d".to_owned())), [Command::Stop]);
        assert_eq!(queue.problem(1), Some(LessonProblem::Died("d".to_owned())));
        assert!(queue.answer(1).is_some());
        assert_eq!(queue.apply(Event::Ask(1, Some(question(2.0)))), []);
        assert_eq!(queue.apply(Event::Retry), [Command::Start]);
        assert_eq!(queue.problem(1), None);
        let sent = queue.apply(Event::Reply(0, LessonReply::Booted));
        assert_eq!(sent, [Command::Send(2, question(2.0))]);
    }
}
