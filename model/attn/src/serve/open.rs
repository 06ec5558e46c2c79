//! The requests of a visitor that are not answered yet, bounded by their bytes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// The bytes that the smallest request counts for: its answer takes time and memory too.
const LEAST_BYTES: usize = 16 << 10;

/// The bytes of all open requests of a visitor.
const MOST_BYTES: usize = 8 << 20;

/// The count of one visitor's open requests.
#[derive(Default)]
pub struct OpenRequests(Arc<AtomicUsize>);

/// A request that counts as open until this is dropped.
pub struct Open {
    bytes: usize,
    all: Arc<AtomicUsize>,
}

impl OpenRequests {
    /// Counts a request of so many bytes; `None` if too many are open.
    pub fn add(&self, bytes: usize) -> Option<Open> {
        let bytes = bytes.max(LEAST_BYTES);
        let all = Arc::clone(&self.0);
        let open = Open { bytes, all };
        let before = open.all.fetch_add(bytes, SeqCst);
        (before + bytes <= MOST_BYTES).then_some(open)
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.all.fetch_sub(self.bytes, SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answered_requests_make_room_for_others() {
        let requests = OpenRequests::default();
        let most = MOST_BYTES / LEAST_BYTES;
        let mut open: Vec<Open> = (0..most).map(|_| requests.add(1).unwrap()).collect();
        assert!(requests.add(1).is_none());
        open.pop();
        assert!(requests.add(LEAST_BYTES + 1).is_none());
        open.push(requests.add(1).unwrap());
        open.clear();
        assert!(requests.add(MOST_BYTES).is_some());
    }
}
