//! Transformers in burn whose every attention weight can be read.
//!
//! Two families, in Hugging Face's checkpoint layout: [`marian`] (encoder–decoder) and [`llama`]
//! (decoder-only). A forward pass records what its caller names and returns it as host data, an
//! [`attention_trace::Trace`].

pub mod attention;
pub mod checkpoint;
pub mod decoding;
pub mod device;
pub mod error;
#[cfg(feature = "cli")]
pub mod evaluation;
pub mod inference;
pub mod kernels;
#[cfg(feature = "lessons")]
pub mod lessons;
pub mod llama;
pub mod marian;
pub mod pass;
pub mod tokenizer;
#[cfg(feature = "cli")]
pub mod training;
pub mod verification;
mod weights;
