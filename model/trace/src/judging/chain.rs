//! The chain rule: the probability of a text as the product of the model's probabilities of each token after those
//! before it.

/// The factors `p(x_t | x_<t)` of a text, as logarithms.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// `−log₂ p(x_t | x_<t)` of each token: its length in bits.
    pub bits: Vec<f64>,
    /// `log₂ p(x_1 … x_t)`: the product of the factors up to each token, as a logarithm.
    pub products: Vec<f64>,
}

impl Chain {
    /// Returns the chain of a text whose factors are given as `ln p`; `None` for a text without tokens.
    pub fn of(log_probabilities: &[f32]) -> Option<Self> {
        let bits: Vec<f64> = log_probabilities.iter().map(|&log| bits(log)).collect();
        let products = bits.iter().scan(0.0, |product, bits| {
            *product -= bits;
            Some(*product)
        });
        let products: Vec<f64> = products.collect();
        (!bits.is_empty()).then_some(Chain { bits, products })
    }

    /// `log₂ p` of the whole text.
    pub fn log2(&self) -> f64 {
        self.products.last().copied().unwrap_or(0.0)
    }

    /// `2^{−(1/T) Σ log₂ p}`, the inverse of the geometric mean of the factors: among how many equally probable tokens
    /// the model chooses on average.
    pub fn perplexity(&self) -> f64 {
        (-self.log2() / self.bits.len() as f64).exp2()
    }
}

/// `−log₂ p` of a probability that is given as `ln p`.
pub fn bits(log_probability: f32) -> f64 {
    // Not the negative, which of a certain token would be −0.
    0.0 - f64::from(log_probability) * std::f64::consts::LOG2_E
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(probabilities: &[f32]) -> Chain {
        let logs: Vec<f32> = probabilities.iter().map(|p| p.ln()).collect();
        Chain::of(&logs).unwrap()
    }

    #[test]
    fn factors_multiply_and_their_bits_add_up() {
        let chain = of(&[0.5, 0.25, 0.5]);
        for (found, expected) in chain.bits.iter().zip([1.0, 2.0, 1.0]) {
            assert!((found - expected).abs() < 1e-6);
        }
        assert!((chain.products[1] + 3.0).abs() < 1e-6);
        assert!((chain.log2().exp2() - 0.0625).abs() < 1e-6);
        // 4 bits over 3 tokens.
        assert!((chain.perplexity() - 2f64.powf(4.0 / 3.0)).abs() < 1e-6);
    }

    #[test]
    fn a_model_that_guesses_among_v_tokens_has_perplexity_v() {
        assert!((of(&[1.0 / 4000.0; 5]).perplexity() - 4000.0).abs() < 0.01);
    }

    #[test]
    fn a_certain_token_takes_no_bits() {
        let chain = of(&[1.0]);
        assert_eq!(
            (chain.perplexity(), chain.bits[0].is_sign_positive()),
            (1.0, true)
        );
        assert_eq!(Chain::of(&[]), None);
    }

    proptest! {
        #[test]
        fn perplexity_is_the_same_in_bits_and_in_nats(logs in prop::collection::vec(-20f32..0.0, 1..20)) {
            let chain = Chain::of(&logs).unwrap();
            let mean = logs.iter().map(|&log| f64::from(log)).sum::<f64>() / logs.len() as f64;
            prop_assert!((chain.perplexity().ln() + mean).abs() < 1e-6);
            prop_assert!(chain.perplexity() >= 1.0);
        }
    }
}
