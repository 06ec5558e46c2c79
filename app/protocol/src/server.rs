//! The messages that only a page has that asks a server, and not a worker of its own.

use serde::{Deserialize, Serialize};

/// The code with which a server closes the connection of a visitor who lacks the token.
pub const WRONG_TOKEN: u16 = 4401;

/// The code with which a server closes the connection of a visitor for whom it has no place.
pub const NO_PLACE: u16 = 4503;

/// The first message to the worker that relays to a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connect {
    /// The address of the server's socket.
    pub url: String,
    /// The token that the server asks for.
    pub token: String,
}

/// The end of a connection, as the browser reports it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closed {
    /// The code of the end, by RFC 6455; 1006 if the connection broke, or was never made.
    pub code: u16,
    /// The reason that the server gave; empty if it gave none.
    pub reason: String,
}

/// The identity of a server's model.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedModel {
    /// The name of its directory or file.
    pub name: String,
    /// The SHA-256 digest of its weights' file, in hexadecimal; of the index if there are several files.
    pub weights: String,
}
