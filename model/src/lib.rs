//! Transformers in burn with access to every attention weight.
//!
//! The checkpoints are in Hugging Face's layout, from several [families]. All of them implement
//! [`sequence::SequenceModel`]. A forward pass records the arrays that its caller names, as host data
//! ([`attention_trace::Trace`]), and makes the edits that its caller requests.
//!
//! A [`Checkpoint`](checkpoint::Checkpoint) is the entry point. This one was trained to name the letter three places back, and
//! a head of its last layer attends there:
//!
//! ```
//! use std::path::Path;
//!
//! use attention_model::{checkpoint::Checkpoint, device, inference::RunOptions};
//! use attention_trace::{Quantities, Quantity, Search};
//! use pollster::block_on;
//!
//! let device = device::cpu();
//! let checkpoint = Checkpoint::open(Path::new("../assets/models/positions/rope"), &device)?;
//! let options = RunOptions {
//!     search: Search::Greedy,
//!     prefix: vec![],
//!     max_new_tokens: 0,
//!     quantities: Quantities::of(&[Quantity::Pattern]),
//!     edits: vec![],
//! };
//! let trace = block_on(checkpoint.trace("abcdefgh", &[], &options, &device))?;
//!
//! let weights = trace.array("decoder.1.self.pattern".parse()?).ok_or("not recorded")?;
//! assert_eq!(weights.shape, [4, 9, 9]); // heads, queries, keys; a start token precedes the letters
//! let (head, query) = (0, 8);
//! let row = weights.row(&[head, query]).ok_or("no such row")?;
//! assert!(row[query - 3] > 0.9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

#[cfg(all(feature = "fusion", feature = "webgpu"))]
compile_error!("the kernels of the feature `webgpu` need burn without its `fusion`");

pub mod attention;
pub mod bert;
pub mod checkpoint;
pub mod decoding;
pub mod device;
#[cfg(feature = "cli")]
pub mod digest;
pub mod embedding;
pub mod error;
#[cfg(feature = "cli")]
pub mod evaluation;
pub mod families;
pub mod family;
#[cfg(feature = "tokenizers")]
pub mod files;
pub mod generation;
pub mod gpt2;
pub mod gpt_neox;
#[cfg(any(feature = "lessons", feature = "train"))]
pub mod gradients;
pub mod gru;
pub mod image;
pub mod inference;
pub mod kernels;
mod layers;
#[cfg(feature = "lessons")]
pub mod lessons;
pub mod llama;
pub mod lstmn;
pub mod marian;
pub mod modernbert;
pub mod picture;
pub mod placement;
mod relative_bias;
pub mod roles;
mod rotation;
pub mod sequence;
mod sublayers;
pub mod t5;
pub mod tap;
pub mod tokenizer;
#[cfg(feature = "train")]
pub mod training;
pub mod universal;
pub mod verification;
pub mod vit;
pub mod weights;
pub mod window;
