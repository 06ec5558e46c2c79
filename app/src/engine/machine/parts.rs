//! Parts of the result on screen that were too large to come with it.

use std::{collections::VecDeque, sync::Arc};

use attention_protocol::{Failure, RequestId};
use attention_trace::{Array, Excerpt};

use super::{
    super::data::{Command, Problem},
    Engine,
};

/// The most that parts may take that are not on screen; the oldest make room.
const MOST_BYTES: usize = 32 << 20;

/// What was asked for and what has come.
#[derive(Clone, Debug, Default)]
pub(super) struct Parts {
    /// Oldest first.
    held: VecDeque<Part>,
    /// What figures need now, once for each figure.
    on_screen: Vec<Excerpt>,
}

#[derive(Clone, Debug)]
struct Part {
    id: RequestId,
    excerpt: Excerpt,
    state: State,
}

/// How far a part is.
#[derive(Clone, Debug)]
enum State {
    /// On its way.
    Asked {
        /// Whether it failed before.
        again: bool,
    },
    /// Loaded.
    Here(Arc<Array>),
    /// It could not be had, twice.
    Failed,
}

impl Parts {
    /// Forgets what belongs to a result that is on screen no more.
    pub(super) fn forget(&mut self) {
        self.held.clear();
    }

    /// Forgets what is on its way from a worker that has ended.
    pub(super) fn give_up(&mut self) {
        self.held
            .retain(|part| matches!(part.state, State::Here(_)));
    }

    /// Whether any part is on its way.
    pub(super) fn are_awaited(&self) -> bool {
        self.held
            .iter()
            .any(|part| matches!(part.state, State::Asked { .. }))
    }

    /// Whether a request was for a part that is on its way.
    pub(super) fn is_awaited(&self, id: RequestId) -> bool {
        self.held
            .iter()
            .any(|part| part.id == id && matches!(part.state, State::Asked { .. }))
    }

    fn find(&self, excerpt: &Excerpt) -> Option<&Part> {
        self.held.iter().find(|part| part.excerpt == *excerpt)
    }

    fn take(&mut self, id: RequestId) -> Option<Part> {
        let index = self.held.iter().position(|part| part.id == id)?;
        self.held.remove(index)
    }

    fn receive(&mut self, id: RequestId, array: Arc<Array>) {
        if let Some(part) = self.held.iter_mut().find(|part| part.id == id) {
            part.state = State::Here(array);
        }
        self.make_room();
    }

    fn make_room(&mut self) {
        let Self { held, on_screen } = self;
        let spare = |part: &Part| match &part.state {
            State::Here(array) if !on_screen.contains(&part.excerpt) => array.bytes().len(),
            _ => 0,
        };
        let mut excess = held
            .iter()
            .map(spare)
            .sum::<usize>()
            .saturating_sub(MOST_BYTES);
        held.retain(|part| {
            let goes = excess > 0 && spare(part) > 0;
            excess = excess.saturating_sub(if goes { spare(part) } else { 0 });
            !goes
        });
    }
}

impl Engine {
    /// A part of the result on screen, once it has come.
    pub fn part(&self, excerpt: &Excerpt) -> Option<Arc<Array>> {
        match &self.parts.find(excerpt)?.state {
            State::Here(array) => Some(array.clone()),
            State::Asked { .. } | State::Failed => None,
        }
    }

    /// Whether a model that made the result on screen can be asked for parts of it.
    pub fn has_parts(&self) -> bool {
        self.shown_run.is_some()
    }

    /// Asks for a part of the result on screen, unless it is here or on its way, or nobody has it; it stays until it is
    /// left.
    pub(super) fn want(&mut self, excerpt: Excerpt) -> Vec<Command> {
        self.parts.on_screen.push(excerpt.clone());
        match self.parts.find(&excerpt) {
            Some(&Part {
                id,
                state: State::Failed,
                ..
            }) => {
                self.parts.take(id);
                self.ask(excerpt, false)
            }
            Some(_) => Vec::new(),
            None => self.ask(excerpt, false),
        }
    }

    /// A part is not needed any more; it stays only as long as there is room.
    pub(super) fn leave(&mut self, excerpt: &Excerpt) {
        let on_screen = &mut self.parts.on_screen;
        if let Some(index) = on_screen.iter().position(|wanted| wanted == excerpt) {
            on_screen.swap_remove(index);
        }
        self.parts.make_room();
    }

    pub(super) fn received(&mut self, id: RequestId, array: Arc<Array>) {
        self.parts.receive(id, array);
    }

    /// A part could not be had: it is asked for once more, and then it is a problem. Where nobody needs it any more, it
    /// is neither.
    pub(super) fn part_failed(&mut self, id: RequestId, failure: Failure) -> Vec<Command> {
        let Some(part) = self.parts.take(id) else {
            return Vec::new();
        };
        if !self.parts.on_screen.contains(&part.excerpt) {
            return Vec::new();
        }
        if let State::Asked { again: false } = part.state {
            return self.ask(part.excerpt, true);
        }
        self.problem = Some(Problem::Part(failure));
        self.parts.held.push_back(Part {
            state: State::Failed,
            ..part
        });
        Vec::new()
    }

    fn ask(&mut self, excerpt: Excerpt, again: bool) -> Vec<Command> {
        let Some(run) = self.shown_run else {
            return Vec::new();
        };
        let id = self.next_id();
        self.parts.held.push_back(Part {
            id,
            excerpt: excerpt.clone(),
            state: State::Asked { again },
        });
        let worker = self.worker;
        vec![Command::Fetch {
            worker,
            id,
            run,
            excerpt,
        }]
    }
}
