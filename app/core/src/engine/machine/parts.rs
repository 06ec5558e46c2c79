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
    /// The request that it comes with, once it is asked for; others may come with the same.
    id: RequestId,
    excerpt: Excerpt,
    state: State,
}

/// The state of a part.
#[derive(Clone, Debug)]
enum State {
    /// To be asked for.
    Wanted {
        /// Whether it failed before.
        again: bool,
    },
    /// On its way.
    Asked {
        /// Whether it failed before.
        again: bool,
    },
    /// Loaded.
    Here(Arc<Array>),
    /// The model has no such thing.
    Absent,
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
            .any(|part| matches!(part.state, State::Wanted { .. } | State::Asked { .. }))
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

    fn remove(&mut self, excerpt: &Excerpt) {
        self.held.retain(|part| part.excerpt != *excerpt);
    }

    /// What comes with a request, in the order in which it was asked for.
    fn of(&mut self, id: RequestId) -> impl Iterator<Item = &mut Part> {
        let held = self.held.iter_mut();
        held.filter(move |part| part.id == id && matches!(part.state, State::Asked { .. }))
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
            _ => None,
        }
    }

    /// Whether a model that made the result on screen can be asked for parts of it.
    pub fn has_parts(&self) -> bool {
        self.shown_run.is_some()
    }

    /// Asks for a part of the result on screen, unless it is here or on its way or does not exist; it is kept until it is
    /// released.
    pub(super) fn want(&mut self, excerpt: Excerpt) -> Vec<Command> {
        self.parts.on_screen.push(excerpt.clone());
        match self.parts.find(&excerpt).map(|part| &part.state) {
            Some(State::Failed) => {
                self.parts.remove(&excerpt);
                self.queue(excerpt, false)
            }
            Some(_) => Vec::new(),
            None => self.queue(excerpt, false),
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

    pub(super) fn received(
        &mut self,
        id: RequestId,
        arrays: Vec<Option<Arc<Array>>>,
    ) -> Vec<Command> {
        let asked: Vec<_> = self.parts.of(id).collect();
        for (part, array) in asked.into_iter().zip(arrays) {
            part.state = array.map_or(State::Absent, State::Here);
        }
        self.parts.make_room();
        // Those that the answer does not contain.
        self.part_failed(id, Failure::NotReady)
    }

    /// Parts could not be had: each is asked for once more, and then it is a problem; not where no figure needs it any
    /// more.
    pub(super) fn part_failed(&mut self, id: RequestId, failure: Failure) -> Vec<Command> {
        let Parts { held, on_screen } = &mut self.parts;
        let is_lost = |part: &Part| part.id == id && matches!(part.state, State::Asked { .. });
        held.retain(|part| !is_lost(part) || on_screen.contains(&part.excerpt));
        let mut is_wanted = false;
        for part in self.parts.of(id) {
            if let State::Asked { again: false } = part.state {
                part.state = State::Wanted { again: true };
                is_wanted = true;
            } else {
                part.state = State::Failed;
                self.problem = Some(Problem::Part(failure.clone()));
            }
        }
        match is_wanted {
            true => vec![Command::Gather],
            false => Vec::new(),
        }
    }

    /// Has a part asked for, together with all others that are wanted at this moment.
    fn queue(&mut self, excerpt: Excerpt, again: bool) -> Vec<Command> {
        if self.shown_run.is_none() {
            return Vec::new();
        }
        let is_wanted = |part: &Part| matches!(part.state, State::Wanted { .. });
        let is_gathering = self.parts.held.iter().any(is_wanted);
        self.parts.held.push_back(Part {
            id: 0,
            excerpt,
            state: State::Wanted { again },
        });
        match is_gathering {
            true => Vec::new(),
            false => vec![Command::Gather],
        }
    }

    /// Asks for all that is wanted, in one request.
    pub(super) fn ask(&mut self) -> Vec<Command> {
        let Some(run) = self.shown_run else {
            return Vec::new();
        };
        let id = self.next_id();
        let mut excerpts = vec![];
        for part in &mut self.parts.held {
            if let State::Wanted { again } = part.state {
                part.id = id;
                part.state = State::Asked { again };
                excerpts.push(part.excerpt.clone());
            }
        }
        match excerpts.is_empty() {
            true => Vec::new(),
            false => vec![Command::Fetch {
                worker: self.worker,
                id,
                run,
                excerpts,
            }],
        }
    }
}
