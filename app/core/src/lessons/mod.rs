//! The lectures' small computations, in a worker that starts when a chapter first needs it.

mod notice;
mod queue;
mod worker;

use attention_protocol::lessons::{Answer, Question};
use leptos::prelude::*;

pub use self::{notice::LessonNotice, queue::LessonProblem};
use self::{
    queue::{ClientId, Command, Event, RequestQueue},
    worker::LessonsWorker,
};
use crate::assets::deployment;

/// Numbers computed by burn for the chapters' figures. A context: take it with [`Lessons::expect`].
#[derive(Clone, Copy)]
pub struct Lessons {
    queue: RwSignal<RequestQueue>,
    worker: StoredValue<Option<LessonsWorker>, LocalStorage>,
    last_client: StoredValue<ClientId>,
}

/// A figure's request, with its answer as it arrives.
pub struct Asked<T: Send + Sync + 'static> {
    /// The newest answer; `None` until there is one.
    pub answer: Memo<Option<T>>,
    /// The reason why no answers come; `None` while all is well.
    pub problem: Memo<Option<LessonProblem>>,
}

// Derived, these would ask the same of `T`.
impl<T: Send + Sync + 'static> Copy for Asked<T> {}

impl<T: Send + Sync + 'static> Clone for Asked<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl Lessons {
    /// Provides the context; no worker is loaded before the first question.
    pub fn provide() -> Self {
        let lessons = Lessons {
            queue: RwSignal::new(RequestQueue::default()),
            worker: StoredValue::new_local(None),
            last_client: StoredValue::new(0),
        };
        provide_context(lessons);
        lessons
    }

    /// Returns the context that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// Asks a question, and asks again whenever it changes; a newer question replaces an older one that waits. `part`
    /// extracts the figure's value from the answer.
    pub fn ask<T>(
        self,
        question: impl Fn() -> Option<Question> + Send + Sync + 'static,
        part: impl Fn(&Answer) -> Option<T> + Send + Sync + 'static,
    ) -> Asked<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        let client = self.last_client.with_value(|last| last + 1);
        self.last_client.set_value(client);
        let question = Memo::new(move |_| question());
        // An effect because the worker lies outside the reactive graph.
        Effect::new(move |_| self.tell(Event::Ask(client, question.get())));
        on_cleanup(move || self.tell(Event::Leave(client)));
        Asked {
            answer: Memo::new(move |_| part(&*self.queue.with(|queue| queue.answer(client))?)),
            problem: Memo::new(move |_| self.queue.with(|queue| queue.problem(client))),
        }
    }

    /// Restarts the worker and asks all questions again.
    pub fn retry(self) {
        self.tell(Event::Retry);
    }

    fn tell(self, event: Event) {
        if matches!(event, Event::Died(_)) {
            deployment::look();
        }
        let commands = self.queue.try_update(|queue| queue.apply(event));
        for command in commands.unwrap_or_default() {
            match command {
                Command::Start => self.start(),
                Command::Stop => {
                    self.worker.try_update_value(Option::take);
                }
                Command::Send(id, question) => {
                    let sent = self.worker.try_with_value(|worker| {
                        worker.as_ref().map(|worker| worker.post(id, question))
                    });
                    if let Some(Some(Err(reason))) = sent {
                        self.tell(Event::Died(reason));
                    }
                }
            }
        }
    }

    fn start(self) {
        match LessonsWorker::start(move |event| self.tell(event)) {
            Ok(started) => {
                self.worker
                    .try_update_value(|worker| *worker = Some(started));
            }
            Err(reason) => self.tell(Event::Died(reason)),
        }
    }
}
