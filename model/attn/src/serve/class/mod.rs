//! A class: members follow the view of who leads, and their predictions reach who leads. Nobody is named, and nothing is
//! kept when the program ends.

mod members;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use attention_protocol::class::{
    ClassReply, ClassRequest, LONGEST_ANSWER_BYTES, LONGEST_VIEW_BYTES,
};
use attention_protocol::frame::{from_frame, to_frame};
use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket, close_code};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::connection::{Dropped, close};
use super::token::Token;
use members::{Id, Members};

/// The bytes of the largest frame of a member: the longest view, each byte of it escaped.
pub const MOST_FRAME_BYTES: usize = 8 * LONGEST_VIEW_BYTES;

/// The time between two signs of life, and the longest time that a frame takes to be sent.
const BETWEEN: Duration = Duration::from_secs(20);

/// The replies that wait for a member who does not receive them, before the member is dropped.
const MOST_WAITING: usize = 4096;

const NO_MESSAGE: Dropped = Dropped {
    code: close_code::PROTOCOL,
    reason: "not a message of a class",
};
const TOO_SLOW: Dropped = Dropped {
    code: close_code::POLICY,
    reason: "too much waits to be received",
};

/// The class of a server.
#[derive(Clone)]
pub struct Class(Arc<State>);

struct State {
    lead: Token,
    places: Arc<Semaphore>,
    members: Mutex<Members>,
}

impl Class {
    /// Creates an empty class with so many places. Who has the token `lead` leads it.
    pub fn new(lead: Token, places: usize) -> Self {
        Class(Arc::new(State {
            lead,
            places: Arc::new(Semaphore::new(places)),
            members: Mutex::default(),
        }))
    }

    /// Returns the token of who leads.
    pub fn lead(&self) -> &Token {
        &self.0.lead
    }

    /// Takes a place, if there is one.
    pub fn place(&self) -> Option<OwnedSemaphorePermit> {
        // Its only error is that no place is free.
        Arc::clone(&self.0.places).try_acquire_owned().ok()
    }

    fn with<T>(&self, change: impl FnOnce(&mut Members) -> T) -> T {
        // No change leaves the members in disorder, so one that panicked left them in order too.
        let mut members = self
            .0
            .members
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        change(&mut members)
    }
}

/// Talks with a member until one of both leaves.
pub async fn attend(mut socket: WebSocket, place: OwnedSemaphorePermit, class: Class) {
    let (sender, waiting) = unbounded_channel();
    let id = class.with(|members| members.enter(sender));
    let talked = talk(&mut socket, waiting, &class, id).await;
    class.with(|members| members.leave(id));
    drop(place);
    if let Err(dropped) = talked {
        tracing::warn!(
            member = id,
            reason = dropped.reason,
            "dropped from the class"
        );
        close(&mut socket, dropped).await;
    }
}

async fn talk(
    socket: &mut WebSocket,
    mut waiting: UnboundedReceiver<ClassReply>,
    class: &Class,
    id: Id,
) -> Result<(), Dropped> {
    let mut signs = interval(BETWEEN);
    signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
    send(socket, &ClassReply::Booted).await?;
    loop {
        tokio::select! {
            received = socket.recv() => match received {
                Some(Ok(Message::Binary(bytes))) => hear(&bytes, class, id)?,
                Some(Ok(Message::Text(_))) => return Err(NO_MESSAGE),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                Some(Ok(Message::Close(_)) | Err(_)) | None => return Ok(()),
            },
            reply = waiting.recv() => {
                if waiting.len() > MOST_WAITING {
                    return Err(TOO_SLOW);
                }
                match reply {
                    Some(reply) => send(socket, &reply).await?,
                    None => return Ok(()),
                }
            }
            _ = signs.tick() => {
                let sign = socket.send(Message::Ping(Bytes::new()));
                match timeout(BETWEEN, sign).await {
                    Ok(Ok(())) => {}
                    // The member has left, or receives nothing.
                    Ok(Err(_)) | Err(_) => return Ok(()),
                }
            }
        }
    }
}

async fn send(socket: &mut WebSocket, reply: &ClassReply) -> Result<(), Dropped> {
    let frame = to_frame(0, reply, &[]).map_err(|_| NO_MESSAGE)?;
    match timeout(BETWEEN, socket.send(Message::Binary(frame.into()))).await {
        // One who has left is noticed when nothing more is received.
        Ok(Ok(()) | Err(_)) => Ok(()),
        Err(_) => Err(TOO_SLOW),
    }
}

fn hear(bytes: &[u8], class: &Class, id: Id) -> Result<(), Dropped> {
    let frame = from_frame::<ClassRequest>(bytes).map_err(|_| NO_MESSAGE)?;
    match frame.body {
        ClassRequest::Join { member, lead } if member.len() <= LONGEST_ANSWER_BYTES => {
            let leads = class.0.lead.is(&lead);
            class.with(|members| members.join(id, member, leads));
        }
        ClassRequest::Show { fragment } if fragment.len() <= LONGEST_VIEW_BYTES => {
            class.with(|members| members.show(id, fragment));
        }
        ClassRequest::Answer { question, answer }
            if question.len() <= LONGEST_ANSWER_BYTES && answer.len() <= LONGEST_ANSWER_BYTES =>
        {
            class.with(|members| members.answer(id, question, answer));
        }
        _ => return Err(NO_MESSAGE),
    }
    Ok(())
}
