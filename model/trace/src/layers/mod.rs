//! Three layers that make a sequence of vectors into another: a recurrent one, a convolution, self-attention. What they
//! cost, what has to wait for what, and how far a signal travels.
//!
//! The orders of growth are those of table 1 of "Attention Is All You Need" (Vaswani et al. 2017); here they are
//! counted exactly, constants included.

mod cost;
mod reach;
mod stack;

pub use cost::{LayerSize, Operations, SequenceLayer};
pub use reach::{Convolutions, local_weights};
pub use stack::{LayerStack, StackCell};
