//! Signs of life, by which the page distinguishes a worker that computes from one that never answers again.

use std::cell::Cell;

use attention_engine::Host;
use attention_protocol::Reply;

use crate::browser::Browser;

/// The time between two signs of life during a pass.
const BETWEEN_MS: f64 = 1000.0;

thread_local! {
    static SAID_MS: Cell<f64> = const { Cell::new(0.0) };
}

/// Reports to the page now and then that a pass still computes.
pub fn show() {
    attention_model::device::on_cpu_progress(|| {
        let now_ms = Browser.now_ms();
        if now_ms - SAID_MS.get() >= BETWEEN_MS {
            SAID_MS.set(now_ms);
            Browser.post(0, Reply::Alive, None);
        }
    });
}
