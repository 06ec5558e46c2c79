//! Threads that each take the next piece of work, and results in the order of the work.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use thiserror::Error;

/// The error of a worker thread that panicked.
#[derive(Debug, Error)]
#[error("a worker thread panicked; its message is above")]
pub struct WorkerDied;

/// The pieces of work that are under way for each worker: one is computed, one waits.
const PIECES: usize = 2;

/// Calls `work` on `workers` threads for every piece that `next` returns, and `done` with each result, in the order of
/// the pieces. At most two pieces for each worker are in memory.
///
/// # Errors
/// The first error of `next` or `done`, or that a worker died.
pub fn in_order<Piece: Send, Done: Send, E: From<WorkerDied>>(
    workers: usize,
    next: impl FnMut() -> Result<Option<Piece>, E>,
    work: impl Fn(Piece) -> Done + Sync,
    done: impl FnMut(Done) -> Result<(), E>,
) -> Result<(), E> {
    let workers = workers.max(1);
    let (given, taken) = sync_channel(PIECES * workers);
    let taken = Mutex::new(taken);
    let (finished, results) = channel();
    thread::scope(|scope| {
        let threads: Vec<_> = (0..workers)
            .map(|_| {
                let (taken, work, finished) = (&taken, &work, finished.clone());
                scope.spawn(move || take(taken, finished, work))
            })
            .collect();
        drop(finished);
        // Both ends of channels are dropped there, so that the workers end.
        let ended = hand_out(PIECES * workers, (given, results), next, done);
        let joined: Vec<_> = threads.into_iter().map(|thread| thread.join()).collect();
        match joined.iter().all(Result::is_ok) {
            true => ended,
            false => Err(WorkerDied.into()),
        }
    })
}

/// Hands out pieces, `most` at a time, until all results are done.
fn hand_out<Piece, Done, E: From<WorkerDied>>(
    most: usize,
    (given, results): (SyncSender<Numbered<Piece>>, Results<Done>),
    mut next: impl FnMut() -> Result<Option<Piece>, E>,
    mut done: impl FnMut(Done) -> Result<(), E>,
) -> Result<(), E> {
    let mut waiting = BTreeMap::new();
    let (mut handed_out, mut merged, mut has_more) = (0, 0, true);
    loop {
        while has_more && handed_out - merged < most {
            let Some(piece) = next()? else {
                has_more = false;
                break;
            };
            given.send((handed_out, piece)).map_err(|_| WorkerDied)?;
            handed_out += 1;
        }
        if merged == handed_out {
            return Ok(());
        }
        let result = results.recv().map_err(|_| WorkerDied)?;
        let (number, result) = result.ok_or(WorkerDied)?;
        waiting.insert(number, result);
        while let Some(result) = waiting.remove(&merged) {
            done(result)?;
            merged += 1;
        }
    }
}

/// A piece of work, or its result, with the number of the piece.
type Numbered<T> = (usize, T);
/// The workers' end of a channel of results; `None` is a worker that died.
type Finished<Done> = Sender<Option<Numbered<Done>>>;
/// The other end of that channel.
type Results<Done> = Receiver<Option<Numbered<Done>>>;

/// Works until there are no more pieces, or nobody waits for results.
fn take<Piece, Done>(
    pieces: &Mutex<Receiver<Numbered<Piece>>>,
    finished: Finished<Done>,
    work: &impl Fn(Piece) -> Done,
) {
    let finished = Alarm(finished);
    loop {
        // No worker panics while it holds the lock.
        let piece = pieces.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, piece)) = piece else { return };
        let result = work(piece);
        if finished.0.send(Some((number, result))).is_err() {
            return;
        }
    }
}

/// Reports the death of the thread that drops it.
struct Alarm<Done>(Finished<Done>);

impl<Done> Drop for Alarm<Done> {
    fn drop(&mut self) {
        if thread::panicking() {
            #[expect(
                clippy::unused_result_ok,
                reason = "nobody waits after another error, which has ended the run"
            )]
            self.0.send(None).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[derive(Debug, PartialEq)]
    enum Fault {
        Died,
        Ended(usize),
    }

    impl From<WorkerDied> for Fault {
        fn from(_: WorkerDied) -> Self {
            Fault::Died
        }
    }

    fn numbers(count: usize) -> impl FnMut() -> Result<Option<usize>, Fault> {
        let mut numbers = 0..count;
        move || Ok(numbers.next())
    }

    #[test]
    fn results_come_in_order_from_any_number_of_workers() {
        for workers in [1, 2, 5] {
            let mut found = vec![];
            let work = |number: usize| {
                // Earlier pieces take longer.
                thread::sleep(Duration::from_micros(2000 - 100 * number as u64));
                number * number
            };
            let ended = in_order(workers, numbers(20), work, |square| {
                found.push(square);
                Ok(())
            });
            assert_eq!(ended, Ok(()));
            assert_eq!(
                found,
                (0..20).map(|number| number * number).collect::<Vec<_>>()
            );
        }
    }

    #[test]
    fn the_first_error_ends_the_run() {
        let mut done = 0;
        let ended = in_order(
            3,
            numbers(1000),
            |number| number,
            |number| {
                done += 1;
                match number {
                    7 => Err(Fault::Ended(number)),
                    _ => Ok(()),
                }
            },
        );
        assert_eq!((ended, done), (Err(Fault::Ended(7)), 8));
    }

    #[test]
    fn a_worker_that_panics_ends_the_run() {
        let work = |number: usize| assert_ne!(number, 5, "this worker dies");
        assert_eq!(in_order(2, numbers(50), work, Ok), Err(Fault::Died));
    }
}
