//! The conversation with one visitor.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use attention_protocol::frame::{from_frame, to_frame};
use attention_protocol::{Reply, Request, RequestId};
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::Visitor;
use super::engine::{Command, EngineThread};
use super::http::Shared;
use super::metrics::Metrics;
use super::open::OpenRequests;
use super::outbox::{Outbox, Waiting, outbox};

/// The bytes of the largest frame that a visitor may send.
pub const MOST_FRAME_BYTES: usize = 4 << 20;

/// The time between two signs of life.
const BETWEEN: Duration = Duration::from_secs(20);

/// The longest silence of a visitor, and the longest time that a frame takes to be sent.
const SILENCE: Duration = Duration::from_secs(60);

/// The reason why a conversation ends, other than that the visitor ended it.
pub struct Dropped {
    pub code: u16,
    /// Sent to the visitor; never has what the visitor sent.
    pub reason: &'static str,
}

const NO_MESSAGE: Dropped = Dropped {
    code: close_code::PROTOCOL,
    reason: "not a message of this protocol",
};
const TOO_SLOW: Dropped = Dropped {
    code: close_code::POLICY,
    reason: "too much waits to be received",
};
const TOO_MANY: Dropped = Dropped {
    code: close_code::POLICY,
    reason: "too many open requests",
};
const ENDED: Dropped = Dropped {
    code: close_code::ERROR,
    reason: "the engine has ended",
};
const SILENT: Dropped = Dropped {
    code: close_code::POLICY,
    reason: "no sign of life",
};

/// The result of one step of a conversation.
enum Step {
    GoesOn,
    Left,
}

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

/// Closes the connection to a visitor, and says why.
pub async fn close(socket: &mut WebSocket, Dropped { code, reason }: Dropped) {
    let reason = reason.into();
    let close = socket.send(Message::Close(Some(CloseFrame { code, reason })));
    // A visitor who is slow may not receive the reason either.
    drop(timeout(Duration::from_secs(1), close).await);
}

impl Conversation {
    async fn go_on(&self, socket: &mut WebSocket, waiting: &mut Waiting) -> Result<(), Dropped> {
        let (visitor, outbox) = (self.visitor, self.outbox.clone());
        self.tell(Command::Enter { visitor, outbox })?;
        self.put(0, &Reply::Booted)?;
        let mut signs = interval(BETWEEN);
        signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut silent = Duration::ZERO;
        let full = waiting.full();
        loop {
            let step = tokio::select! {
                received = socket.recv() => {
                    silent = Duration::ZERO;
                    match received {
                        Some(Ok(message)) => self.hear(message)?,
                        // The visitor has closed the connection, or it is broken.
                        Some(Err(_)) | None => Step::Left,
                    }
                }
                frame = waiting.next() => match frame {
                    Some(frame) => send(socket, waiting, frame).await?,
                    None => Step::Left,
                },
                () = full.wait() => return Err(TOO_SLOW),
                _ = signs.tick() => {
                    silent += BETWEEN;
                    match silent > SILENCE {
                        true => return Err(SILENT),
                        false => sign(socket).await,
                    }
                }
            };
            if let Step::Left = step {
                return Ok(());
            }
        }
    }

    /// Handles a message of the visitor.
    fn hear(&self, message: Message) -> Result<Step, Dropped> {
        match message {
            Message::Binary(bytes) => {
                let Ok(frame) = from_frame::<Request>(&bytes) else {
                    return Err(NO_MESSAGE);
                };
                self.request(frame.id, frame.body, bytes.len())?;
                Ok(Step::GoesOn)
            }
            Message::Text(_) => Err(NO_MESSAGE),
            Message::Ping(_) | Message::Pong(_) => Ok(Step::GoesOn),
            Message::Close(_) => Ok(Step::Left),
        }
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

/// Sends a frame, unless too much waits behind it or it takes too long.
async fn send(socket: &mut WebSocket, waiting: &Waiting, frame: Vec<u8>) -> Result<Step, Dropped> {
    let bytes = frame.len();
    let full = waiting.full();
    let sending = timeout(SILENCE, socket.send(Message::Binary(frame.into())));
    let sent = tokio::select! {
        sent = sending => sent.map_err(|_| TOO_SLOW)?,
        () = full.wait() => return Err(TOO_SLOW),
    };
    waiting.sent(bytes);
    Ok(match sent {
        Ok(()) => Step::GoesOn,
        // The visitor has left.
        Err(_) => Step::Left,
    })
}

async fn sign(socket: &mut WebSocket) -> Step {
    match timeout(SILENCE, socket.send(Message::Ping(Bytes::new()))).await {
        Ok(Ok(())) => Step::GoesOn,
        // The visitor has left, or receives nothing.
        Ok(Err(_)) | Err(_) => Step::Left,
    }
}
