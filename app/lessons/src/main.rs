//! The module of the lectures' worker. It does nothing by itself: its script calls [`attention_lessons::listen`].

// In a browser there is nothing to do at the start. Elsewhere a program without a `main` cannot be linked.
#![cfg_attr(target_family = "wasm", no_main)]

use attention_lessons as _;

#[cfg(not(target_family = "wasm"))]
fn main() {}
