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

mod checkpoint;
mod configuration;
mod damage;
mod generation;
mod message;
mod tiny;
mod tokenizer;
mod trace;
