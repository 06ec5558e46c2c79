//! The conversation with one visitor.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use attention_protocol::frame::{from_frame, to_frame};
use attention_protocol::{Reply, Request, RequestId};
use axum::extract::ws::{WebSocket, close_code};
use tokio::sync::OwnedSemaphorePermit;

use super::Visitor;
use super::connection::{Dropped, NO_MESSAGE, close, exchange};
use super::engine::{Command, EngineThread};
use super::http::Shared;
use super::metrics::Metrics;
use super::open::OpenRequests;
use super::outbox::{Outbox, Waiting, outbox};

/// The bytes of the largest frame that a visitor may send.
pub const MOST_FRAME_BYTES: usize = 4 << 20;

const TOO_MANY: Dropped = Dropped {
    code: close_code::POLICY,
    reason: "too many open requests",
};
const ENDED: Dropped = Dropped {
    code: close_code::ERROR,
    reason: "the engine has ended",
};

/// A visitor among the others; leaves when this is dropped.
struct Conversation {
    visitor: Visitor,
    engine: EngineThread,
    outbox: Outbox,
    requests: OpenRequests,
    metrics: Arc<Metrics>,
    _place: OwnedSemaphorePermit,
}

/// Talks with a visitor until one of both leaves.
pub async fn converse(mut socket: WebSocket, place: OwnedSemaphorePermit, shared: Arc<Shared>) {
    static NEWEST: AtomicU64 = AtomicU64::new(0);
    let (outbox, mut waiting) = outbox(shared.most_queued_bytes);
    let conversation = Conversation {
        visitor: NEWEST.fetch_add(1, Relaxed),
        engine: shared.engine.clone(),
        outbox,
        requests: OpenRequests::default(),
        metrics: Arc::clone(&shared.metrics),
        _place: place,
    };
    conversation.metrics.visitors.add(1);
    conversation.metrics.visitors_total.add(1);
    let (visitor, began) = (conversation.visitor, Instant::now());
    tracing::info!(visitor, "entered");
    if let Err(dropped) = conversation.go_on(&mut socket, &mut waiting).await {
        shared.metrics.dropped_total.add(1);
        tracing::warn!(visitor, reason = dropped.reason, "dropped");
        close(&mut socket, dropped).await;
    }
    let stayed_s = began.elapsed().as_secs();
    tracing::info!(visitor, stayed_s, "left");
}

impl Conversation {
    async fn go_on(&self, socket: &mut WebSocket, waiting: &mut Waiting) -> Result<(), Dropped> {
        let (visitor, outbox) = (self.visitor, self.outbox.clone());
        self.tell(Command::Enter { visitor, outbox })?;
        self.put(0, &Reply::Booted)?;
        exchange(socket, waiting, |bytes| self.hear(bytes)).await
    }

    /// Handles a message of the visitor.
    fn hear(&self, bytes: &[u8]) -> Result<(), Dropped> {
        let frame = from_frame::<Request>(bytes).map_err(|_| NO_MESSAGE)?;
        self.request(frame.id, frame.body, bytes.len())
    }

    fn request(&self, id: RequestId, request: Request, bytes: usize) -> Result<(), Dropped> {
        // Answered here, since the engine may be in the middle of a pass.
        if request == Request::Ping {
            return self.put(id, &Reply::Alive);
        }
        let open = self.requests.add(bytes).ok_or(TOO_MANY)?;
        self.tell(Command::Request {
            visitor: self.visitor,
            id,
            request: Box::new(request),
            open,
        })
    }

    /// Sends a reply without an array.
    fn put(&self, id: RequestId, reply: &Reply) -> Result<(), Dropped> {
        let frame = to_frame(id, reply, &[]).map_err(|_| ENDED)?;
        self.outbox.put(frame);
        Ok(())
    }

    fn tell(&self, command: Command) -> Result<(), Dropped> {
        match self.engine.send(command) {
            true => Ok(()),
            false => Err(ENDED),
        }
    }
}

impl Drop for Conversation {
    fn drop(&mut self) {
        self.metrics.visitors.sub(1);
        let visitor = self.visitor;
        // An engine that has ended has forgotten the visitor too.
        self.engine.send(Command::Leave { visitor });
    }
}
