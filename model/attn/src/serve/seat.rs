//! A visitor's place at the engine: the engine's host for one page.

use std::rc::Rc;
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use attention_chat::Date;
use attention_engine::Host;
use attention_protocol::frame::to_frame;
use attention_protocol::{Reply, RequestId};

use super::Visitor;
use super::metrics::Metrics;
use super::outbox::Outbox;
use super::turns::Turns;

/// The way from the engine to one visitor.
pub struct Seat {
    pub visitor: Visitor,
    pub outbox: Outbox,
    pub turns: Rc<Turns>,
    pub metrics: Arc<Metrics>,
    pub began: Instant,
}

impl Host for Seat {
    fn now_ms(&self) -> f64 {
        self.began.elapsed().as_secs_f64() * 1000.0
    }

    fn post(&self, id: RequestId, reply: Reply, buffer: Option<&[u8]>) {
        match to_frame(id, &reply, buffer.unwrap_or_default()) {
            Ok(frame) => self.outbox.put(frame),
            // The error of a reply says nothing of its text.
            Err(_) => self.log_error("a reply cannot be written"),
        }
    }

    async fn give_way(&self) -> bool {
        self.turns.pass(self.visitor).await;
        true
    }

    fn today(&self) -> Date {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        // A clock before 1970 was never set.
        Date::of_unix_seconds(now.map_or(0, |since| since.as_secs()))
    }

    fn log_error(&self, text: &str) {
        tracing::error!(visitor = self.visitor, "{text}");
    }

    fn ran(&self, tokens: usize, decode_ms: f64) {
        self.metrics.runs_total.add(1);
        self.metrics.tokens_total.add(tokens as u64);
        self.metrics.decoding_us.add((decode_ms * 1000.0) as u64);
        tracing::info!(visitor = self.visitor, tokens, decode_ms, "ran");
    }
}
