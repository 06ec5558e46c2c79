//! The pace at which long computations give way to messages.

use std::cell::Cell;

use crate::Host;

/// The time between two reports to the page, which draws no more often; giving way to messages takes as long as a token
/// of a small model.
pub const REPORT_MS: f64 = 16.0;

/// The time at which messages were last handled.
pub struct Pace<'a, H, F> {
    host: &'a H,
    at_ms: Cell<f64>,
    current: &'a F,
}

impl<'a, H: Host, F: Fn() -> bool> Pace<'a, H, F> {
    /// Begins to wait now. `current` returns true as long as the answer is still needed.
    pub fn new(host: &'a H, current: &'a F) -> Self {
        Pace {
            host,
            at_ms: Cell::new(host.now_ms()),
            current,
        }
    }

    /// Returns true if it is time to handle messages.
    pub fn is_due(&self) -> bool {
        self.host.now_ms() - self.at_ms.get() >= REPORT_MS
    }

    /// Gives way to messages, if it is time, and returns true unless a newer request arrived.
    pub async fn goes_on(&self) -> bool {
        if !self.is_due() {
            return true;
        }
        let may_go_on = self.host.give_way().await && (self.current)();
        self.at_ms.set(self.host.now_ms());
        may_go_on
    }
}
