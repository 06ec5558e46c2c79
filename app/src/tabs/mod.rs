//! The parts of the page, a folder each, and the download of their code.

mod chunks;
mod decoding;
mod heads;
mod learn;

pub use self::chunks::{Chunks, Piece, Stage};
