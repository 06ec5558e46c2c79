//! The pickle that builds a state dict: a program for a stack machine, of which the opcodes and functions that
//! `torch.save` writes for tensors are interpreted.

mod globals;
mod machine;
mod object;
mod reader;

pub use self::machine::run;
pub use self::object::{Heap, Id, Object, Storage, View};
