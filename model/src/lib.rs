//! Transformers in burn with access to every attention weight.
//!
//! The checkpoints are in Hugging Face's layout, from several [families]. All of them implement
//! [`sequence::SequenceModel`]. A forward pass records the arrays that its caller names, as host data
//! ([`attention_trace::Trace`]), and makes the edits that its caller requests.

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
