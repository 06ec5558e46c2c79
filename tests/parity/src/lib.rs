//! Tests of the models against PyTorch `transformers` and against general properties of Transformers. The expected
//! numbers are in `tests/fixtures`, beside the scripts that computed them.
#![cfg(test)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a panic is a failed test"
)]

mod broken;
mod chat;
mod decoding;
mod derived;
mod digits;
mod edits;
mod encoder_decoders;
mod encodings;
mod estimates;
mod files;
mod fixture;
mod flash;
mod forced;
mod gguf;
mod induction;
mod invariants;
mod labels;
mod languages;
mod lens;
mod limit;
mod lstmn;
mod marian_files;
mod marks;
mod masked;
mod not_finite;
mod order;
mod padded;
mod parts;
mod patching;
mod positions;
mod published;
mod pytorch;
mod recurrent;
mod rules;
mod run;
mod series;
mod set_weight;
mod sizes;
mod thinking_machines;
mod tied;
mod tokens;
mod trained;
mod transformers;
mod universal;
mod vision;
