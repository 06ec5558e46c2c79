//! Checkpoints in [GGUF](https://github.com/ggml-org/ggml/blob/master/docs/gguf.md), the format of llama.cpp: the reading
//! of the file, and its translation to the files of Hugging Face's layout.
//!
//! [`Header::read`] and [`Gguf::open`] need the beginning of a file alone: [`config`](config::config) makes its
//! `config.json`, [`tokenizer`](tokenizer::tokenizer) its `tokenizer.json`, and [`Gguf::weights`] gives its tensors under
//! their names in `model.safetensors`, each at its place in the file. Quantised tensors stay as they are stored until one
//! is widened.

#![warn(missing_docs)]

mod architecture;
pub mod blocks;
mod coded;
pub mod config;
mod error;
mod factors;
mod file;
mod floats;
mod halves;
pub mod header;
mod keys;
mod names;
mod placed;
mod rope;
pub mod tokenizer;
mod weights;
#[cfg(test)]
mod written;

pub use self::architecture::Architecture;
pub use self::blocks::Encoding;
pub use self::coded::{CodedLines, Coding};
pub use self::error::GgufError;
pub use self::file::Gguf;
pub use self::floats::{Floats, Order};
pub use self::halves::{Half, HalfLines};
pub use self::header::{Header, MAGIC};
pub use self::placed::Placed;
