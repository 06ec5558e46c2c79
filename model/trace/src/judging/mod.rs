//! Ways of judging a text: by the n-grams it shares with a reference (BLEU, ROUGE), and by the
//! probability that a model gives it (perplexity).
//!
//! The program that scores checkpoints and the page count with the same functions; the page shows every count on the
//! way.

mod bleu;
mod chain;
mod chinese;
mod overlap;
mod rouge;
mod tokenization;

pub use self::{
    bleu::{Bleu, ORDERS, SmoothedBleu, Weights, brevity},
    chain::{Chain, bits},
    chinese::chinese_words,
    overlap::{Gram, Overlap, grams},
    rouge::{longest_common, rouge_l, rouge_l_best, rouge_n},
    tokenization::Tokenization,
};

#[cfg(test)]
mod fixtures;
