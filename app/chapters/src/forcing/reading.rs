//! The probabilities of the tokens of a text, given or written by the model, as plain data.

use attention_trace::{ForcedToken, Step, Token};

/// A token of a text with its probability after those before it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadToken {
    pub token: Token,
    /// The `ln p` of the token.
    pub log_probability: f32,
    /// The rank of the token by probability, from 1; `None` beyond the tokens that were reported.
    pub rank: Option<usize>,
    /// The most probable token and its `ln p`.
    pub best: Option<(Token, f32)>,
}

impl ReadToken {
    /// `−ln p`, in nats: what the token adds to the loss.
    pub fn loss(&self) -> f32 {
        // Not the negative, which of a certain token would be −0.
        0.0 - self.log_probability
    }

    /// True if the model would have written another token.
    pub fn is_another(&self) -> bool {
        self.rank != Some(1)
    }
}

impl From<&ForcedToken> for ReadToken {
    fn from(forced: &ForcedToken) -> Self {
        ReadToken {
            token: forced.given.token.clone(),
            log_probability: forced.given.log_probability,
            rank: Some(forced.rank),
            best: Some((forced.best.token.clone(), forced.best.log_probability)),
        }
    }
}

impl From<&Step> for ReadToken {
    fn from(step: &Step) -> Self {
        let chosen = &step.chosen;
        let mut candidates = step.candidates.iter();
        let place = candidates.position(|candidate| candidate.token.id == chosen.token.id);
        let best = step.candidates.first();
        ReadToken {
            token: chosen.token.clone(),
            log_probability: chosen.log_probability,
            rank: place.map(|place| place + 1),
            best: best.map(|best| (best.token.clone(), best.log_probability)),
        }
    }
}

/// Sums over the tokens of a text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Totals {
    /// Number of tokens, the end included where there is one.
    pub tokens: usize,
    /// `Σ ln p`, the log-likelihood of the text.
    pub log_likelihood: f32,
}

impl Totals {
    /// Returns the totals of a text; `None` for a text without tokens.
    pub fn of(text: &[ReadToken]) -> Option<Self> {
        let log_likelihood = text.iter().map(|token| token.log_probability).sum();
        (!text.is_empty()).then_some(Totals {
            tokens: text.len(),
            log_likelihood,
        })
    }

    /// The mean of `−ln p`, in nats a token.
    pub fn loss(self) -> f32 {
        0.0 - self.log_likelihood / self.tokens as f32
    }

    /// `e` to the power of the loss.
    pub fn perplexity(self) -> f32 {
        self.loss().exp()
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::Candidate;
    use proptest::prelude::*;

    use super::*;

    fn candidate(id: u32, log_probability: f32) -> Candidate {
        Candidate {
            token: Token {
                id,
                text: id.to_string(),
                unknown: false,
            },
            logit: 0.0,
            log_probability,
        }
    }

    fn read(log_probability: f32) -> ReadToken {
        ReadToken::from(&ForcedToken {
            given: candidate(3, log_probability),
            rank: 2,
            best: candidate(4, -0.1),
        })
    }

    #[test]
    fn a_given_token_has_its_rank_and_what_would_have_been_written() {
        let token = read(-2.0);
        assert_eq!((token.rank, token.loss()), (Some(2), 2.0));
        assert_eq!(token.best.as_ref().unwrap().0.id, 4);
        assert!(token.is_another());
        assert!(read(0.0).loss().is_sign_positive());
    }

    #[test]
    fn a_written_token_has_its_place_among_the_candidates() {
        let step = |chosen| Step {
            row: 0,
            chosen: candidate(chosen, -1.0),
            forced: false,
            candidates: vec![candidate(7, -0.5), candidate(8, -1.0)],
        };
        assert_eq!(ReadToken::from(&step(7)).rank, Some(1));
        assert_eq!(ReadToken::from(&step(8)).rank, Some(2));
        assert_eq!(ReadToken::from(&step(9)).rank, None);
        assert!(!ReadToken::from(&step(7)).is_another());
    }

    #[test]
    fn a_text_of_four_evenly_probable_choices_has_perplexity_four() {
        let text = vec![read(0.25f32.ln()); 3];
        let totals = Totals::of(&text).unwrap();
        assert_eq!(totals.tokens, 3);
        assert!((totals.log_likelihood - 3.0 * 0.25f32.ln()).abs() < 1e-6);
        assert!((totals.perplexity() - 4.0).abs() < 1e-5);
        assert_eq!(Totals::of(&[]), None);
    }

    proptest! {
        #[test]
        fn the_loss_is_the_mean_of_the_tokens_losses(logs in prop::collection::vec(-30f32..0.0, 1..20)) {
            let text: Vec<_> = logs.iter().map(|&log| read(log)).collect();
            let totals = Totals::of(&text).unwrap();
            let mean = text.iter().map(ReadToken::loss).sum::<f32>() / text.len() as f32;
            prop_assert!((totals.loss() - mean).abs() < 1e-3);
            prop_assert!(totals.perplexity() >= 1.0);
        }
    }
}
