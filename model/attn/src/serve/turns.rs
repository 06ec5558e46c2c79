//! The turns of visitors on the one device: a request computes only while it has the turn, gives it away between tokens,
//! and gets it again when every other visitor who waits has had one.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use tokio::sync::oneshot;
use tokio::task::yield_now;

use super::Visitor;
use super::metrics::Metrics;

/// The number of a request that computes.
type Work = u64;

/// Who has the turn, and who waits.
pub struct Turns {
    has: Cell<Option<Work>>,
    newest: Cell<Work>,
    /// The visitors who wait, in the order of their turns, each with the requests that wait.
    ring: RefCell<VecDeque<(Visitor, VecDeque<Waiting>)>>,
    metrics: Arc<Metrics>,
}

struct Waiting {
    work: Work,
    begin: oneshot::Sender<()>,
}

/// A request among those that take turns. It leaves when this is dropped.
pub struct Turn {
    turns: Rc<Turns>,
    visitor: Visitor,
    work: Work,
}

impl Turns {
    /// Creates turns that nobody waits for.
    pub fn new(metrics: Arc<Metrics>) -> Rc<Self> {
        Rc::new(Turns {
            has: Cell::default(),
            newest: Cell::default(),
            ring: RefCell::default(),
            metrics,
        })
    }

    /// Waits for the first turn of a request of a visitor.
    pub async fn take(self: &Rc<Self>, visitor: Visitor) -> Turn {
        let work = self.newest.get() + 1;
        self.newest.set(work);
        let turn = Turn {
            turns: Rc::clone(self),
            visitor,
            work,
        };
        self.wait(visitor, work).await;
        turn
    }

    /// Gives the turn of a visitor's request away, and waits for the next one. Called by the request that has the turn.
    pub async fn pass(&self, visitor: Visitor) {
        // What has arrived is handled first: it may end this request, or be the request of another visitor.
        yield_now().await;
        if let Some(work) = self.has.take() {
            self.move_back(visitor);
            self.wait(visitor, work).await;
        }
    }

    /// Puts a visitor who has had a turn behind all others.
    fn move_back(&self, visitor: Visitor) {
        let mut ring = self.ring.borrow_mut();
        let place = ring.iter().position(|(known, _)| *known == visitor);
        if let Some(entry) = place.and_then(|place| ring.remove(place)) {
            ring.push_back(entry);
        }
    }

    async fn wait(&self, visitor: Visitor, work: Work) {
        let (begin, begun) = oneshot::channel();
        let waiting = Waiting { work, begin };
        {
            let mut ring = self.ring.borrow_mut();
            match ring.iter_mut().find(|(known, _)| *known == visitor) {
                Some((_, queue)) => queue.push_back(waiting),
                None => ring.push_back((visitor, VecDeque::from([waiting]))),
            }
        }
        self.begin_next();
        // The sender is kept until it is used, or until nobody waits here any more.
        drop(begun.await);
    }

    /// Gives the turn to the first request of the next visitor, if nobody has it.
    fn begin_next(&self) {
        let mut ring = self.ring.borrow_mut();
        while self.has.get().is_none()
            && let Some((visitor, mut queue)) = ring.pop_front()
        {
            // Those that were ended wait no longer.
            queue.retain(|waiting| !waiting.begin.is_closed());
            let Some(Waiting { work, begin }) = queue.pop_front() else {
                continue;
            };
            if begin.send(()).is_ok() {
                self.has.set(Some(work));
            }
            if !queue.is_empty() {
                ring.push_back((visitor, queue));
            }
        }
        self.metrics
            .waiting
            .set(ring.iter().map(|(_, queue)| queue.len()).sum());
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.turns.has.get() == Some(self.work) {
            self.turns.has.set(None);
            self.turns.move_back(self.visitor);
        }
        self.turns.begin_next();
    }
}

#[cfg(test)]
mod tests {
    use tokio::runtime;
    use tokio::task::{JoinSet, LocalSet};

    use super::*;

    /// Returns the visitors in the order of their turns; each entry is a request with its visitor and its turns.
    fn order(requests: &[(Visitor, usize)]) -> Vec<Visitor> {
        let runtime = runtime::Builder::new_current_thread().build().unwrap();
        let turns = Turns::new(Arc::default());
        let order = Rc::new(RefCell::new(vec![]));
        LocalSet::new().block_on(&runtime, async {
            let mut tasks = JoinSet::new();
            for &(visitor, count) in requests {
                let (turns, order) = (Rc::clone(&turns), Rc::clone(&order));
                tasks.spawn_local(async move {
                    let _turn = turns.take(visitor).await;
                    for _ in 1..count {
                        order.borrow_mut().push(visitor);
                        turns.pass(visitor).await;
                    }
                    order.borrow_mut().push(visitor);
                });
            }
            tasks.join_all().await;
        });
        order.take()
    }

    #[test]
    fn visitors_take_turns() {
        assert_eq!(order(&[(1, 3), (2, 3)]), [1, 2, 1, 2, 1, 2]);
        assert_eq!(order(&[(1, 1), (2, 1), (3, 1)]), [1, 2, 3]);
    }

    #[test]
    fn a_visitor_with_many_requests_gets_no_more_turns() {
        let order = order(&[(1, 2), (1, 2), (1, 2), (2, 3)]);
        let first_six = &order[..6];
        let of_second = first_six.iter().filter(|visitor| **visitor == 2).count();
        assert_eq!(of_second, 3, "{order:?}");
    }

    #[test]
    fn a_request_that_is_ended_leaves_its_turn_to_the_next() {
        let runtime = runtime::Builder::new_current_thread().build().unwrap();
        let metrics: Arc<Metrics> = Arc::default();
        let turns = Turns::new(Arc::clone(&metrics));
        LocalSet::new().block_on(&runtime, async {
            let mut tasks = JoinSet::new();
            for visitor in [1, 2] {
                let turns = Rc::clone(&turns);
                tasks.spawn_local(async move {
                    let _turn = turns.take(visitor).await;
                    std::future::pending::<()>().await;
                });
            }
            yield_now().await;
            assert_eq!(metrics.waiting.get(), 1);
            // One has the turn, the other waits for it.
            tasks.shutdown().await;
            turns.take(3).await;
        });
        assert_eq!(metrics.waiting.get(), 0);
    }
}
