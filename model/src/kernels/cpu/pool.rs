//! Threads that share the work of loops.
//!
//! A pass consists of some hundred loops of ten to some hundred microseconds. A pool that lets its threads sleep
//! between loops, as rayon's does, spends as much time on waking them; these threads poll for the next loop for a while
//! first.

use std::cell::UnsafeCell;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// The number of times that a spinning thread polls for a loop before it sleeps: about a tenth of a millisecond, longer
/// than the pause between two loops of a pass.
const SPINS: usize = 1 << 16;
/// A flag in [`Pool::inside`]: no thread may enter.
const CLOSED: usize = 1 << 31;

static POOL: Pool = Pool::new();

/// Threads that share loops, the one that asks for them among them.
pub fn threads() -> usize {
    1 + POOL.helpers.load(Ordering::Relaxed)
}

/// Lends the calling thread, which never returns, to loops of other threads; calls `counted` as soon as
/// [`threads`] counts it.
pub fn help(counted: impl FnOnce()) -> ! {
    POOL.helpers.fetch_add(1, Ordering::Relaxed);
    counted();
    let mut seen = 0;
    loop {
        seen = POOL.next_loop(seen);
        POOL.help();
    }
}

/// Reports that a helper died, perhaps in the middle of a loop, which then never ends: its leader panics instead of
/// waiting for good.
pub fn helper_died() {
    POOL.broken.store(true, Ordering::Relaxed);
}

/// Calls `work` with every number below `count`, in any order, on all threads. Runs on the calling thread alone inside
/// of `work`, or while another thread's loop runs.
pub fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    if POOL.led.swap(true, Ordering::Acquire) {
        (0..count).for_each(work);
        return;
    }
    // SAFETY: no thread calls it after `lead`, which waits for those that do.
    #[allow(unsafe_code)]
    let work = unsafe {
        std::mem::transmute::<&(dyn Fn(usize) + Sync), &'static (dyn Fn(usize) + Sync)>(work)
    };
    POOL.lead(Loop { work, count });
}

/// A loop's body and the number of calls.
#[derive(Clone, Copy)]
struct Loop {
    work: &'static (dyn Fn(usize) + Sync),
    count: usize,
}

struct Pool {
    helpers: AtomicUsize,
    /// True while a loop runs.
    led: AtomicBool,
    /// The loop; written while `inside` is closed and empty.
    current: UnsafeCell<Loop>,
    /// Number of the loop.
    number: AtomicU32,
    /// The first number that no thread has taken.
    next: AtomicUsize,
    /// The number of helpers in the loop, and [`CLOSED`].
    inside: AtomicUsize,
    /// True if a helper died.
    broken: AtomicBool,
    sleepers: AtomicUsize,
    /// Held between the decision to sleep and the sleep, so that no wake-up is lost.
    sleep_lock: Mutex<()>,
    woken: Condvar,
}

// SAFETY: `current` is the only part that is not, and its comment says when it is written.
#[allow(unsafe_code)]
unsafe impl Sync for Pool {}

impl Pool {
    const fn new() -> Self {
        Self {
            helpers: AtomicUsize::new(0),
            led: AtomicBool::new(false),
            current: UnsafeCell::new(Loop {
                work: &|_| {},
                count: 0,
            }),
            number: AtomicU32::new(0),
            next: AtomicUsize::new(0),
            inside: AtomicUsize::new(CLOSED),
            broken: AtomicBool::new(false),
            sleepers: AtomicUsize::new(0),
            sleep_lock: Mutex::new(()),
            woken: Condvar::new(),
        }
    }

    /// Runs a loop and returns when no thread is in it; the caller must have set `led`.
    fn lead(&self, current: Loop) {
        // SAFETY: whoever enters while it is closed leaves without looking.
        #[allow(unsafe_code)]
        unsafe {
            *self.current.get() = current;
        }
        self.next.store(0, Ordering::Relaxed);
        self.inside.fetch_and(!CLOSED, Ordering::Release);
        self.number.fetch_add(1, Ordering::SeqCst);
        if self.sleepers.load(Ordering::SeqCst) > 0 {
            let sleep_lock = self.sleep_lock.lock();
            let sleep_lock = sleep_lock.unwrap_or_else(PoisonError::into_inner);
            drop(sleep_lock);
            self.woken.notify_all();
        }
        let leader = Leader(self);
        self.take_part();
        drop(leader);
    }

    /// Enters the loop, if it still runs.
    fn help(&self) {
        let inside = self.inside.fetch_add(1, Ordering::Acquire);
        let helper = Helper(self);
        if inside & CLOSED == 0 {
            self.take_part();
        }
        drop(helper);
    }

    fn take_part(&self) {
        // SAFETY: it is not written while a thread is inside, or before the leader leaves.
        #[allow(unsafe_code)]
        let Loop { work, count } = unsafe { *self.current.get() };
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                break;
            }
            work(index);
        }
    }

    /// Waits for a loop other than that of the number `seen`, and returns its number.
    fn next_loop(&self, seen: u32) -> u32 {
        for _ in 0..SPINS {
            let number = self.number.load(Ordering::SeqCst);
            if number != seen {
                return number;
            }
            std::hint::spin_loop();
        }
        let sleep_lock = self
            .sleep_lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        let same = |_: &mut ()| self.number.load(Ordering::SeqCst) == seen;
        let sleep_lock = self.woken.wait_while(sleep_lock, same);
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        drop(sleep_lock);
        self.number.load(Ordering::SeqCst)
    }
}

/// Closes the loop, waits until all helpers have left and lets the next one lead, even if its body panics.
struct Leader<'a>(&'a Pool);

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        self.0.inside.fetch_or(CLOSED, Ordering::Relaxed);
        while self.0.inside.load(Ordering::Acquire) != CLOSED {
            let broken = self.0.broken.load(Ordering::Relaxed);
            assert!(!broken, "a thread died in the middle of a pass");
            std::hint::spin_loop();
        }
        self.0.led.store(false, Ordering::Release);
    }
}

/// Leaves the loop, even if its body panics.
struct Helper<'a>(&'a Pool);

impl Drop for Helper<'_> {
    fn drop(&mut self) {
        self.0.inside.fetch_sub(1, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    fn with_helpers() {
        static STARTED: std::sync::Once = std::sync::Once::new();
        STARTED.call_once(|| {
            let (sender, receiver) = std::sync::mpsc::channel();
            for _ in 0..3 {
                let sender = sender.clone();
                std::thread::spawn(move || help(|| sender.send(()).unwrap()));
                receiver.recv().unwrap();
            }
        });
        assert_eq!(threads(), 4);
    }

    /// Checks that every number is visited once, also while other loops run.
    fn check(count: usize) {
        let calls: Vec<AtomicU64> = (0..count).map(|_| AtomicU64::new(0)).collect();
        for_each(count, &|index| {
            calls[index].fetch_add(1, Ordering::Relaxed);
        });
        assert!(calls.iter().all(|calls| calls.load(Ordering::Relaxed) == 1));
    }

    #[test]
    fn every_number_is_called_once_loop_after_loop() {
        with_helpers();
        for round in 0..20_000 {
            check(round % 9);
        }
    }

    #[test]
    fn threads_that_sleep_are_woken() {
        with_helpers();
        for _ in 0..20 {
            std::thread::sleep(std::time::Duration::from_millis(5));
            check(100);
        }
    }

    #[test]
    fn loops_inside_of_loops_and_beside_them_are_whole() {
        with_helpers();
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        for_each(5, &|_| check(7));
                    }
                });
            }
        });
    }

    #[test]
    fn a_loop_whose_helper_died_fails_instead_of_waiting() {
        let pool = Pool::new();
        let work = Loop {
            work: &|_| {},
            count: 1,
        };
        // A helper that trapped never leaves.
        pool.inside.fetch_add(1, Ordering::Relaxed);
        pool.broken.store(true, Ordering::Relaxed);
        let led = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pool.lead(work)));
        assert!(led.is_err());
    }

    #[test]
    fn helpers_take_their_share() {
        with_helpers();
        let leader = std::thread::current().id();
        let mut helped = false;
        for _ in 0..1000 {
            let others = AtomicU64::new(0);
            for_each(64, &|_| {
                if std::thread::current().id() == leader {
                    std::thread::sleep(std::time::Duration::from_micros(100));
                } else {
                    others.fetch_add(1, Ordering::Relaxed);
                }
            });
            helped |= others.load(Ordering::Relaxed) > 0;
        }
        assert!(helped);
    }
}
