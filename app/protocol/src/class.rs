//! The messages of a class: members follow the view of who leads, and their predictions reach who leads.

use serde::{Deserialize, Serialize};

use crate::Closed;

/// The bytes of the longest view that is shown to a class.
pub const LONGEST_VIEW_BYTES: usize = 64 << 10;

/// The bytes of the longest question and of the longest answer.
pub const LONGEST_ANSWER_BYTES: usize = 128;

/// A request of a member's page to the server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassRequest {
    /// Join the class, before anything else. Answered by [`ClassReply::Joined`].
    Join {
        /// A random text that the page keeps until it is closed: a member who comes again is the same one.
        member: String,
        /// The token of who leads; empty for those who follow.
        lead: String,
    },
    /// Show a view to those who follow. From who leads alone.
    Show {
        /// The view as a fragment, complete.
        fragment: String,
    },
    /// Store a member's prediction; a later one replaces it, and an empty one deletes it.
    Answer {
        /// The chapter and the name of the question.
        question: String,
        /// The prediction as it was typed or chosen.
        answer: String,
    },
}

/// A reply of the server to a member's page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClassReply {
    /// The server listens to the member.
    Booted,
    /// The member is in the class.
    Joined {
        /// True if the member leads; false for a token of another class.
        leads: bool,
    },
    /// The view of who leads.
    Show {
        /// The view as a fragment, complete.
        fragment: String,
    },
    /// The number of those who follow at present. To who leads alone.
    Following {
        /// The number of members.
        members: usize,
    },
    /// A member's prediction. To who leads alone.
    Answered {
        /// The number of the member, in the order of joining, from 1.
        member: usize,
        /// The chapter and the name of the question.
        question: String,
        /// The prediction; empty if it was deleted.
        answer: String,
    },
    /// The connection to the server is closed. Sent by the worker that relays to it.
    Closed(Closed),
}
