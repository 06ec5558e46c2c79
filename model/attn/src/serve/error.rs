//! The errors that end the server, or never let it begin.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use attention_model::error::ModelError;
use thiserror::Error;

use crate::hub::HubError;

/// A reason why nothing is served.
#[derive(Debug, Error)]
pub enum ServeError {
    #[error("the network cannot be used: {0}")]
    Runtime(#[source] io::Error),
    #[error("{address} cannot be listened on: {source}; --port names another port")]
    Listen {
        address: SocketAddr,
        source: io::Error,
    },
    #[error("the system has no random numbers for a token: {0}")]
    Random(#[from] getrandom::Error),
    #[error("the file of the token cannot be used: {}: {source}", path.display())]
    TokenFile { path: PathBuf, source: io::Error },
    #[error("{} holds no token: 16 to 256 letters, digits, `-` or `_`", .0.display())]
    NoToken(PathBuf),
    #[error(
        "the certificate {} and its key {} cannot be used: {source}",
        certificate.display(),
        key.display()
    )]
    Certificate {
        certificate: PathBuf,
        key: PathBuf,
        source: io::Error,
    },
    #[error("the engine's thread cannot be started: {0}")]
    Thread(#[source] io::Error),
    #[error("the engine ended while it loaded the model")]
    Ended,
    #[error("the model is not in the cache: {0}")]
    Hub(#[from] HubError),
    #[error("the model cannot be loaded from {}: {source}", path.display())]
    Model { path: PathBuf, source: ModelError },
    #[error("models of pictures are not served yet")]
    Pictures,
    #[error(
        "the device computes this model wrongly{}; --device cpu computes it on the processor",
        difference.map_or_else(String::new, |difference| format!(", off by {difference:.1e}"))
    )]
    WrongNumbers { difference: Option<f32> },
}
