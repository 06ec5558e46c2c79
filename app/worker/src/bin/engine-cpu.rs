//! The module of an engine on the CPU. It does nothing by itself: its script calls [`attention_worker::listen`].

// In a browser there is nothing to do at the start. Elsewhere a program without a `main` cannot be linked.
#![cfg_attr(target_family = "wasm", no_main)]

use attention_worker as _;

#[cfg(not(target_family = "wasm"))]
fn main() {}
