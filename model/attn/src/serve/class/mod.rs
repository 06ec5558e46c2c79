//! A class: members follow the view of who leads, and their predictions reach who leads. Nobody is named, and nothing is
//! kept when the program ends.

mod members;

use std::sync::{Arc, Mutex, PoisonError};

use attention_protocol::class::{ClassRequest, LONGEST_ANSWER_BYTES, LONGEST_VIEW_BYTES};
use attention_protocol::frame::from_frame;
use axum::extract::ws::WebSocket;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::{Dropped, NO_MESSAGE, close, exchange};
use super::http::WITHOUT_PLACE;
use super::outbox::outbox;
use super::token::Token;
use members::{Id, Members};

/// The bytes of the largest frame of a member: the longest view, each byte of it escaped.
pub const MOST_FRAME_BYTES: usize = 8 * LONGEST_VIEW_BYTES;

/// The class of a server.
#[derive(Clone)]
pub struct Class(Arc<State>);

struct State {
    lead: Token,
    places: Arc<Semaphore>,
    most_queued_bytes: usize,
    members: Mutex<Members>,
}

impl Class {
    /// Creates an empty class with so many places. Who has the token `lead` leads it; so many bytes may wait for a member.
    pub fn new(lead: Token, places: usize, most_queued_bytes: usize) -> Self {
        Class(Arc::new(State {
            lead,
            places: Arc::new(Semaphore::new(places)),
            most_queued_bytes,
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
    let (outbox, mut waiting) = outbox(class.0.most_queued_bytes);
    let id = class.with(|members| members.enter(outbox));
    let hear = |bytes: &[u8]| hear(bytes, &class, id);
    let exchanged = exchange(&mut socket, &mut waiting, hear).await;
    class.with(|members| members.leave(id));
    drop(place);
    if let Err(dropped) = exchanged {
        tracing::warn!(
            member = id,
            reason = dropped.reason,
            "dropped from the class"
        );
        close(&mut socket, dropped).await;
    }
}

fn hear(bytes: &[u8], class: &Class, id: Id) -> Result<(), Dropped> {
    let frame = from_frame::<ClassRequest>(bytes).map_err(|_| NO_MESSAGE)?;
    match frame.body {
        ClassRequest::Join { member, lead } if member.len() <= LONGEST_ANSWER_BYTES => {
            let leads = class.0.lead.is(&lead);
            match class.with(|members| members.join(id, member, leads)) {
                true => Ok(()),
                false => Err(WITHOUT_PLACE),
            }
        }
        ClassRequest::Show { fragment } if fragment.len() <= LONGEST_VIEW_BYTES => {
            class.with(|members| members.show(id, fragment));
            Ok(())
        }
        ClassRequest::Answer { question, answer }
            if question.len() <= LONGEST_ANSWER_BYTES && answer.len() <= LONGEST_ANSWER_BYTES =>
        {
            class.with(|members| members.answer(id, question, answer));
            Ok(())
        }
        _ => Err(NO_MESSAGE),
    }
}
