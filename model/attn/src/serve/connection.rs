//! The connection to one page: frames in, frames out, and signs of life.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, WebSocket, close_code};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::outbox::Waiting;

/// The time between two signs of life.
const BETWEEN: Duration = Duration::from_secs(20);

/// The longest silence of a page, and the longest time that a frame takes to be sent.
const SILENCE: Duration = Duration::from_secs(60);

/// The reason why a connection ends, other than that the page ended it.
pub struct Dropped {
    pub code: u16,
    /// Sent to the page; never has what the page sent.
    pub reason: &'static str,
}

pub const NO_MESSAGE: Dropped = Dropped {
    code: close_code::PROTOCOL,
    reason: "not a message of this protocol",
};
const TOO_SLOW: Dropped = Dropped {
    code: close_code::POLICY,
    reason: "too much waits to be received",
};
const SILENT: Dropped = Dropped {
    code: close_code::POLICY,
    reason: "no sign of life",
};

/// The result of one step.
enum Step {
    GoesOn,
    Left,
}

/// Sends what waits and hears what comes, until the page leaves.
///
/// # Errors
/// The reason why the page is dropped: what `hear` returns, or that the page is too slow or silent.
pub async fn exchange(
    socket: &mut WebSocket,
    waiting: &mut Waiting,
    hear: impl Fn(&[u8]) -> Result<(), Dropped>,
) -> Result<(), Dropped> {
    let mut signs = interval(BETWEEN);
    signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut silent = Duration::ZERO;
    let full = waiting.full();
    loop {
        let step = tokio::select! {
            received = socket.recv() => {
                silent = Duration::ZERO;
                match received {
                    Some(Ok(Message::Binary(bytes))) => {
                        hear(&bytes)?;
                        Step::GoesOn
                    }
                    Some(Ok(Message::Text(_))) => return Err(NO_MESSAGE),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => Step::GoesOn,
                    // The page has closed the connection, or it is broken.
                    Some(Ok(Message::Close(_)) | Err(_)) | None => Step::Left,
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

/// Closes a connection, and says why.
pub async fn close(socket: &mut WebSocket, Dropped { code, reason }: Dropped) {
    let reason = reason.into();
    let close = socket.send(Message::Close(Some(CloseFrame { code, reason })));
    // A page that is slow may not receive the reason either.
    drop(timeout(Duration::from_secs(1), close).await);
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
        // The page has left.
        Err(_) => Step::Left,
    })
}

async fn sign(socket: &mut WebSocket) -> Step {
    match timeout(SILENCE, socket.send(Message::Ping(Bytes::new()))).await {
        Ok(Ok(())) => Step::GoesOn,
        // The page has left, or receives nothing.
        Ok(Err(_)) | Err(_) => Step::Left,
    }
}
