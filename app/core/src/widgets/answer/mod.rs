//! Answers that are typed or chosen, and whether they are right.

mod expected;
mod field;
mod typed;

pub use self::{expected::Expected, field::AnswerField};
