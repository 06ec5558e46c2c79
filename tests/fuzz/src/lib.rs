//! Tests of readers with damaged and arbitrary bytes: each returns a value or an error, and none panics.
//!
//! Every test here is a fuzz target of [bolero](https://docs.rs/bolero): as an ordinary test it takes a bounded number
//! of random inputs. `docs/fuzzing.md` describes how to run more.
#![cfg(test)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test"
)]
#![expect(
    clippy::let_underscore_must_use,
    reason = "a reader may refuse its input; it may not panic"
)]

mod checkpoint;
mod configuration;
mod damage;
mod generation;
mod gguf;
mod message;
mod picture;
mod pytorch;
mod tiny;
mod tokenizer;
mod trace;
