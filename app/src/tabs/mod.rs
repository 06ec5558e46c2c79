//! The parts of the page, a folder each, and the download of their code.

mod chunks;
mod explore;
mod learn;
mod teach;

pub use self::chunks::Chunks;
