//! Transformers in burn whose every attention weight can be read.
//!
//! Checkpoints in Hugging Face's layout, of several [families]. All are a [`sequence::SequenceModel`] to those who
//! run them. A forward pass records what its caller names, as host data ([`attention_trace::Trace`]), and makes the
//! changes that its caller asks for.

pub mod attention;
pub mod bert;
pub mod checkpoint;
pub mod decoding;
pub mod device;
pub mod embedding;
pub mod error;
#[cfg(feature = "cli")]
pub mod evaluation;
pub mod families;
#[cfg(feature = "tokenizers")]
pub mod files;
pub mod generation;
pub mod gpt2;
#[cfg(any(feature = "lessons", feature = "train"))]
pub mod gradients;
pub mod gru;
pub mod image;
pub mod inference;
pub mod kernels;
#[cfg(feature = "lessons")]
pub mod lessons;
pub mod llama;
pub mod marian;
mod relative_bias;
pub mod sequence;
mod sublayers;
pub mod t5;
pub mod tap;
pub mod tokenizer;
#[cfg(feature = "train")]
pub mod training;
pub mod universal;
pub mod verification;
pub mod weights;
