//! Bounds of what a visitor may ask for, since all share one machine.

use attention_protocol::{Question, Request};
use attention_trace::{PatchingQuestion, Search, SeriesQuestion};
use thiserror::Error;

/// The most tokens that a request may write.
const MOST_NEW_TOKENS: usize = 4096;

/// The most prefixes that beam search may keep, as on the command line.
const MOST_PREFIXES: usize = 64;

/// A reason why a request is refused.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum Excess {
    #[error("a request may write at most {MOST_NEW_TOKENS} tokens on this server")]
    Tokens,
    #[error("beam search may keep at most {MOST_PREFIXES} prefixes on this server")]
    Prefixes,
}

/// Refuses a request whose run would be longer or wider than the bounds.
///
/// # Errors
/// The bound that it exceeds.
pub fn check(request: &Request) -> Result<(), Excess> {
    match request {
        Request::Run(run) => {
            let width = match run.search {
                Search::Beam { width, .. } => width,
                Search::Greedy | Search::Sampling { .. } => 1,
            };
            match width > MOST_PREFIXES {
                true => Err(Excess::Prefixes),
                false => check_tokens(run.max_new_tokens),
            }
        }
        Request::Ask { question } => check_tokens(new_tokens(question)),
        Request::Load { .. } | Request::Open { .. } | Request::Cancel | Request::Ping => Ok(()),
    }
}

fn check_tokens(count: usize) -> Result<(), Excess> {
    match count > MOST_NEW_TOKENS {
        true => Err(Excess::Tokens),
        false => Ok(()),
    }
}

/// Returns the most tokens that are written to answer a question.
fn new_tokens(question: &Question) -> usize {
    match question {
        Question::Patching { question } => match question {
            PatchingQuestion::Runs { max_new_tokens, .. }
            | PatchingQuestion::Place { max_new_tokens, .. } => *max_new_tokens,
            PatchingQuestion::Map(_) => 0,
        },
        Question::Series { question } => match question {
            SeriesQuestion::Decoding { tokens, .. } | SeriesQuestion::Written { tokens, .. } => {
                *tokens
            }
            SeriesQuestion::Grouped { .. } => 0,
        },
        Question::Result { .. }
        | Question::Text { .. }
        | Question::Roles(_)
        | Question::Chat { .. } => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_may_write_as_many_tokens_as_a_run() {
        let asked = |tokens| {
            let text = "a".to_owned();
            let question = SeriesQuestion::Decoding { text, tokens };
            let question = Question::Series { question };
            check(&Request::Ask { question })
        };
        assert_eq!(asked(MOST_NEW_TOKENS), Ok(()));
        assert_eq!(asked(MOST_NEW_TOKENS + 1), Err(Excess::Tokens));
        let excess = asked(usize::MAX).unwrap_err().to_string();
        assert!(excess.contains("4096"), "{excess}");
    }
}
