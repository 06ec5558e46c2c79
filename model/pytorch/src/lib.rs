//! Checkpoints that `torch.save` wrote (`pytorch_model.bin`), read without executing them.
//!
//! Such a file is a zip archive. Its record `data.pkl` is a pickle, a program that builds the state dict; every storage
//! is a record of its own, uncompressed. [`Index::read`] interprets the pickle, of whose functions it knows those that
//! rebuild tensors, and gives the place of every tensor in the file. The values stay where they are.
//!
//! A [`Source`] is a file in memory, or one whose parts are read when they are needed. Of the file, the archive's
//! directory, the pickle and the headers of records are read.

#![warn(missing_docs)]

mod archive;
mod dtype;
mod error;
mod index;
mod pickle;
mod source;
mod state_dict;
mod tensor;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod written;

pub use self::archive::MAGIC;
pub use self::dtype::Dtype;
pub use self::error::PytorchError;
pub use self::index::{Index, TensorValues};
pub use self::source::Source;
pub use self::tensor::{DeclaredTensor, TensorInfo};
