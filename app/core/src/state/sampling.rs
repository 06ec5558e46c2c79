//! Settings of sampling as whole numbers, as the page offers them and the address spells them.

use attention_trace::{Search, search::Sampling};

/// The settings by which the model on screen samples its tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplingChoice {
    /// The temperature, in hundredths.
    pub temperature: u32,
    /// The largest number of tokens to draw from; 0 for all.
    pub top_k: u32,
    /// The smallest share of probability that these tokens have together, in hundredths.
    pub top_p: u32,
    /// The seed of the random numbers.
    pub seed: u32,
}

impl Default for SamplingChoice {
    /// Samples from the model's own probabilities.
    fn default() -> Self {
        SamplingChoice {
            temperature: 100,
            top_k: 0,
            top_p: 100,
            seed: 1,
        }
    }
}

impl SamplingChoice {
    /// The lowest and the highest temperature, in hundredths.
    pub const TEMPERATURES: (u32, u32) = (5, 300);
    /// The fewest and the most tokens that are drawn from; 0 for all.
    pub const TOP_K: (u32, u32) = (0, 1000);
    /// The smallest and the largest share, in hundredths.
    pub const TOP_P: (u32, u32) = (5, 100);

    /// Returns the search that is requested from the model.
    pub fn search(self) -> Search {
        Search::Sampling {
            how: Sampling {
                temperature: f64::from(self.temperature) / 100.0,
                top_k: self.top_k as usize,
                top_p: f64::from(self.top_p) / 100.0,
            },
            seed: self.seed,
        }
    }

    /// Returns the choice behind a search; `None` if it is not sampling.
    pub fn of(search: Search) -> Option<Self> {
        let Search::Sampling { how, seed } = search else {
            return None;
        };
        let hundredths = |value: f64| (value * 100.0).round() as u32;
        Some(SamplingChoice {
            temperature: hundredths(how.temperature),
            top_k: how.top_k as u32,
            top_p: hundredths(how.top_p),
            seed,
        })
    }

    /// Returns the numbers in the order of the filters, the seed last.
    pub(super) fn numbers(self) -> [u32; 4] {
        [self.temperature, self.top_k, self.top_p, self.seed]
    }

    /// Creates a choice from such numbers; `None` if one is out of bounds.
    pub(super) fn from_numbers(numbers: &[u32]) -> Option<Self> {
        let &[temperature, top_k, top_p, seed] = numbers else {
            return None;
        };
        let is_within = |value: u32, (low, high): (u32, u32)| (low..=high).contains(&value);
        let is_sensible = is_within(temperature, Self::TEMPERATURES)
            && is_within(top_k, Self::TOP_K)
            && is_within(top_p, Self::TOP_P);
        is_sensible.then_some(SamplingChoice {
            temperature,
            top_k,
            top_p,
            seed,
        })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::View;

    prop_compose! {
        pub fn sampling()(
            temperature in SamplingChoice::TEMPERATURES.0..=SamplingChoice::TEMPERATURES.1,
            top_k in SamplingChoice::TOP_K.0..=SamplingChoice::TOP_K.1,
            top_p in SamplingChoice::TOP_P.0..=SamplingChoice::TOP_P.1,
            seed in any::<u32>(),
        ) -> SamplingChoice {
            SamplingChoice { temperature, top_k, top_p, seed }
        }
    }

    proptest! {
        #[test]
        fn a_choice_is_found_again_in_its_search(choice in sampling()) {
            prop_assert_eq!(SamplingChoice::of(choice.search()), Some(choice));
            prop_assert_eq!(SamplingChoice::from_numbers(&choice.numbers()), Some(choice));
        }
    }

    #[test]
    fn an_address_says_how_tokens_are_drawn() {
        let search = |address: &str| View::from_fragment(address).search;
        let sampling = search("sampling=80.40.95.7");
        let expected = Sampling {
            temperature: 0.8,
            top_k: 40,
            top_p: 0.95,
        };
        assert_eq!(
            sampling,
            Search::Sampling {
                how: expected,
                seed: 7
            }
        );
        for broken in ["80.40.95", "4.40.95.7", "80.40.4.7", "80.x.95.7", ""] {
            assert_eq!(search(&format!("sampling={broken}")), Search::Greedy);
        }
    }
}
