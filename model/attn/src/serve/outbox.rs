//! The frames that wait for a visitor, bounded by their bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// The engine's side: what it puts in is sent to the visitor.
#[derive(Clone)]
pub struct Outbox {
    frames: UnboundedSender<Vec<u8>>,
    state: Arc<State>,
}

/// The network's side of an outbox.
pub struct Waiting {
    frames: UnboundedReceiver<Vec<u8>>,
    state: Arc<State>,
}

/// Tells when too much waits.
pub struct Full(Arc<State>);

struct State {
    bytes: AtomicUsize,
    most_bytes: usize,
    is_full: AtomicBool,
    full: Notify,
}

/// Creates both sides for one visitor.
pub fn outbox(most_bytes: usize) -> (Outbox, Waiting) {
    let (sender, receiver) = unbounded_channel();
    let state = Arc::new(State {
        bytes: AtomicUsize::new(0),
        most_bytes,
        is_full: AtomicBool::new(false),
        full: Notify::new(),
    });
    let outbox = Outbox {
        frames: sender,
        state: Arc::clone(&state),
    };
    let waiting = Waiting {
        frames: receiver,
        state,
    };
    (outbox, waiting)
}

impl Outbox {
    /// Adds a frame. If too many bytes wait, this one and all later ones are left out, and the visitor is dropped.
    pub fn put(&self, frame: Vec<u8>) {
        if self.state.is_full.load(SeqCst) {
            return;
        }
        let before = self.state.bytes.fetch_add(frame.len(), SeqCst);
        // A single frame may be larger: a visitor who receives it was not slow.
        if before > 0 && before + frame.len() > self.state.most_bytes {
            self.state.is_full.store(true, SeqCst);
            self.state.full.notify_one();
            return;
        }
        // The visitor may have left meanwhile.
        drop(self.frames.send(frame));
    }
}

impl Waiting {
    /// Returns the next frame. It counts as one that waits until [`Self::sent`].
    pub async fn next(&mut self) -> Option<Vec<u8>> {
        self.frames.recv().await
    }

    /// Notes that a frame of so many bytes was sent.
    pub fn sent(&self, bytes: usize) {
        self.state.bytes.fetch_sub(bytes, SeqCst);
    }

    /// Returns what tells when too much waits.
    pub fn full(&self) -> Full {
        Full(Arc::clone(&self.state))
    }
}

impl Full {
    /// Waits until too much waits.
    pub async fn wait(&self) {
        self.0.full.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use pollster::block_on;

    use super::*;

    #[test]
    fn a_visitor_who_receives_is_never_dropped() {
        let (outbox, mut waiting) = outbox(4);
        for _ in 0..9 {
            outbox.put(vec![0; 4]);
            let frame = block_on(waiting.next()).unwrap();
            waiting.sent(frame.len());
        }
        assert!(!waiting.state.is_full.load(SeqCst));
    }

    #[test]
    fn what_is_too_much_is_left_out() {
        let (outbox, mut waiting) = outbox(4);
        outbox.put(vec![0; 9]);
        outbox.put(vec![1]);
        outbox.put(vec![2]);
        block_on(waiting.full().wait());
        drop(outbox);
        assert_eq!(block_on(waiting.next()), Some(vec![0; 9]));
        assert_eq!(block_on(waiting.next()), None);
    }
}
