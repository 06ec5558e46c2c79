//! Drawing the next token: the probabilities that are left after temperature, top-k and top-p, and draws from them.

use rand::{RngExt, SeedableRng, rngs::Xoshiro256PlusPlus};
use serde::{Deserialize, Serialize};

use super::table::TableModel;

/// The settings by which tokens are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// The divisor of the logits; positive.
    pub temperature: f64,
    /// The number of most probable tokens that are kept, with those as probable as the last of them; 0 for all.
    pub top_k: usize,
    /// The probability that the most probable tokens must reach together; the fewest that reach it are kept, at least
    /// one (Holtzman et al. 2019, nucleus sampling).
    pub top_p: f64,
}

impl Default for Sampling {
    /// The model's own probabilities.
    fn default() -> Self {
        Sampling {
            temperature: 1.0,
            top_k: 0,
            top_p: 1.0,
        }
    }
}

impl Sampling {
    /// True if tokens can be drawn with these settings: a positive temperature, and `top_p` from 0 to 1.
    pub fn is_sensible(self) -> bool {
        self.temperature.is_finite() && self.temperature > 0.0 && (0.0..=1.0).contains(&self.top_p)
    }
}

/// Returns the probabilities that a token is drawn from, `[tokens]`: the model's after temperature, top-k and top-p, in
/// this order; after each step they sum to one.
pub fn filtered(row: &[f64], how: Sampling) -> Vec<f64> {
    let mut left = tempered(row, how.temperature);
    if how.top_k > 0 {
        keep_top_k(&mut left, how.top_k);
    }
    keep_top_p(&mut left, how.top_p);
    left
}

/// Returns `softmax(ln p / τ)`; impossible tokens stay impossible.
fn tempered(row: &[f64], temperature: f64) -> Vec<f64> {
    let most = row.iter().copied().fold(0.0, f64::max);
    // Relative to the largest, so that no power vanishes altogether.
    let power = |p: &f64| (p / most).powf(1.0 / temperature);
    let mut powers: Vec<f64> = row.iter().map(power).collect();
    normalise(&mut powers);
    powers
}

/// Drops tokens less probable than the `count`-th.
fn keep_top_k(row: &mut [f64], count: usize) {
    let mut sorted = row.to_vec();
    sorted.sort_by(|a, b| b.total_cmp(a));
    let Some(&least) = sorted.get(count.saturating_sub(1)) else {
        return;
    };
    for probability in row.iter_mut().filter(|probability| **probability < least) {
        *probability = 0.0;
    }
    normalise(row);
}

/// Drops each token that is not needed for `share`: those before it, the most probable first, have it already.
fn keep_top_p(row: &mut [f64], share: f64) {
    /// The tolerance for sums of probabilities.
    const ROUNDING: f64 = 1e-9;
    let mut order: Vec<usize> = (0..row.len()).collect();
    order.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
    let mut before = 0.0;
    for (place, token) in order.into_iter().enumerate() {
        let probability = row[token];
        if place > 0 && before >= share - ROUNDING {
            row[token] = 0.0;
        }
        before += probability;
    }
    normalise(row);
}

fn normalise(row: &mut [f64]) {
    let sum: f64 = row.iter().sum();
    row.iter_mut().for_each(|probability| *probability /= sum);
}

/// The draw of one token.
#[derive(Clone, Debug, PartialEq)]
pub struct Draw {
    /// The model's probabilities, `[tokens]`.
    pub model: Vec<f64>,
    /// The probabilities that it was drawn from, `[tokens]`.
    pub drawn_from: Vec<f64>,
    /// The random number, from 0 up to 1.
    pub uniform: f64,
    /// The token: the first at which the probabilities sum to more than the random number.
    pub token: usize,
}

/// A sequence that was drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// The draws of its tokens, in order.
    pub draws: Vec<Draw>,
}

impl Sample {
    /// Returns the tokens of the sequence.
    pub fn tokens(&self) -> Vec<usize> {
        self.draws.iter().map(|draw| draw.token).collect()
    }

    /// The probability with which it is drawn.
    pub fn probability(&self) -> f64 {
        let draws = self.draws.iter();
        draws.map(|draw| draw.drawn_from[draw.token]).product()
    }
}

/// Draws one sequence after the other, the same for the same seed on every machine (xoshiro256++).
#[derive(Clone, Debug)]
pub struct Sampler {
    how: Sampling,
    generator: Xoshiro256PlusPlus,
}

impl Sampler {
    /// Creates a sampler with its settings and seed.
    pub fn new(how: Sampling, seed: u32) -> Self {
        let generator = Xoshiro256PlusPlus::seed_from_u64(u64::from(seed));
        Sampler { how, generator }
    }

    /// Draws a sequence up to its end, or to the last step.
    pub fn sample(&mut self, model: &TableModel) -> Sample {
        let mut sample = Sample::default();
        let mut tokens = vec![];
        while !model.is_over(&tokens)
            && let Some(row) = model.row(&tokens)
        {
            let draw = self.draw(row);
            tokens.push(draw.token);
            sample.draws.push(draw);
        }
        sample
    }

    /// Draws one token from the model's probabilities, `[tokens]`; those of them that may not be drawn are 0.
    pub fn draw(&mut self, row: &[f64]) -> Draw {
        let drawn_from = filtered(row, self.how);
        let uniform: f64 = self.generator.random();
        Draw {
            model: row.to_vec(),
            token: drawn(&drawn_from, uniform),
            drawn_from,
            uniform,
        }
    }
}

/// The first token at which probabilities sum to more than `uniform`; the last possible one where rounding leaves none.
fn drawn(row: &[f64], uniform: f64) -> usize {
    let mut sum = 0.0;
    let found = row.iter().position(|probability| {
        sum += probability;
        sum > uniform
    });
    found
        .or_else(|| row.iter().rposition(|&probability| probability > 0.0))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;
    use serde::Deserialize;

    use super::super::table::tests::{lecture, tables};
    use super::*;

    fn sorted(mut row: Vec<f64>) -> Vec<f64> {
        row.sort_by(f64::total_cmp);
        row
    }

    fn close(found: &[f64], expected: &[f64]) -> bool {
        let pairs = found.iter().zip(expected);
        found.len() == expected.len() && pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-9)
    }

    const ROW: [f64; 4] = [0.5, 0.2, 0.2, 0.1];

    #[test]
    fn a_temperature_is_a_power_that_is_normalised() {
        let how = |temperature| Sampling {
            temperature,
            ..Sampling::default()
        };
        assert!(close(&filtered(&ROW, how(1.0)), &ROW));
        // Squares: 0.25, 0.04, 0.04, 0.01 over 0.34.
        let squares = [25.0 / 34.0, 4.0 / 34.0, 4.0 / 34.0, 1.0 / 34.0];
        assert!(close(&filtered(&ROW, how(0.5)), &squares));
        assert!(filtered(&ROW, how(0.01))[0] > 0.999_999);
        let hot = filtered(&[0.0, 0.2, 0.2, 0.6], how(100.0));
        assert_eq!(hot[0], 0.0);
        assert!((hot[3] - 1.0 / 3.0).abs() < 0.01);
    }

    #[test]
    fn top_k_keeps_those_that_are_as_probable_as_the_last() {
        let top = |top_k| {
            let how = Sampling {
                top_k,
                ..Sampling::default()
            };
            filtered(&ROW, how)
        };
        assert!(close(&top(1), &[1.0, 0.0, 0.0, 0.0]));
        let three = [5.0 / 9.0, 2.0 / 9.0, 2.0 / 9.0, 0.0];
        assert!(close(&top(2), &three));
        assert!(close(&top(3), &three));
        assert!(close(&top(0), &ROW) && close(&top(9), &ROW));
    }

    #[test]
    fn top_p_keeps_as_few_as_have_the_share() {
        let top = |top_p| {
            let how = Sampling {
                top_p,
                ..Sampling::default()
            };
            filtered(&ROW, how)
        };
        assert!(close(&top(0.5), &[1.0, 0.0, 0.0, 0.0]));
        assert!(close(&top(0.6), &[5.0 / 7.0, 2.0 / 7.0, 0.0, 0.0]));
        // 0.5 + 0.2 + 0.2 is 0.9 up to rounding: the end is not needed.
        assert!(close(&top(0.9), &[5.0 / 9.0, 2.0 / 9.0, 2.0 / 9.0, 0.0]));
        assert!(close(&top(0.0), &[1.0, 0.0, 0.0, 0.0]));
    }

    #[test]
    fn top_p_is_taken_of_what_top_k_left() {
        let how = Sampling {
            temperature: 1.0,
            top_k: 3,
            top_p: 0.7,
        };
        // 5/9 + 2/9 = 0.78 has the share; 0.5 + 0.2 + 0.2 of the model's own would have needed all three.
        assert!(close(
            &filtered(&ROW, how),
            &[5.0 / 7.0, 2.0 / 7.0, 0.0, 0.0]
        ));
    }

    #[test]
    fn a_seed_draws_the_same_again() {
        let draw = |seed| {
            let mut sampler = Sampler::new(Sampling::default(), seed);
            let model = lecture();
            [(); 5].map(|()| sampler.sample(&model).tokens())
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn sequences_are_drawn_as_often_as_they_are_probable() {
        let mut sampler = Sampler::new(Sampling::default(), 3);
        let model = lecture();
        let count = 20_000;
        let mut found: BTreeMap<Vec<usize>, f64> = BTreeMap::new();
        for _ in 0..count {
            *found.entry(sampler.sample(&model).tokens()).or_default() += 1.0 / f64::from(count);
        }
        assert!((found[&vec![0, 3]] - 0.10).abs() < 0.01);
        assert!((found[&vec![0, 2, 1, 3]] - 0.054).abs() < 0.01);
    }

    #[test]
    fn one_token_left_is_greedy() {
        let how = Sampling {
            top_k: 1,
            ..Sampling::default()
        };
        let sample = Sampler::new(how, 9).sample(&lecture());
        assert_eq!(sample.tokens()[..1], [0]);
        assert_eq!(sample.draws[0].drawn_from, [1.0, 0.0, 0.0, 0.0]);
    }

    #[test]
    fn what_is_left_is_what_transformers_leaves() {
        #[derive(Deserialize)]
        struct Fixture {
            cases: Vec<Case>,
        }
        #[derive(Deserialize)]
        struct Case {
            row: Vec<f64>,
            temperature: f64,
            top_k: usize,
            top_p: f64,
            left: Vec<f64>,
        }
        let text = include_str!("../../../../tests/fixtures/sampling.json");
        let fixture: Fixture = serde_json::from_str(text).unwrap();
        assert_eq!(fixture.cases.len(), 240);
        for case in fixture.cases {
            let how = Sampling {
                temperature: case.temperature,
                top_k: case.top_k,
                top_p: case.top_p,
            };
            let left = filtered(&case.row, how);
            // Which of equally probable tokens top-p drops, `transformers` leaves open.
            assert!(
                close(&sorted(left), &sorted(case.left)),
                "{how:?} of {:?}",
                case.row
            );
        }
    }

    proptest! {
        #[test]
        fn what_is_drawn_from_sums_to_one_and_keeps_its_order(
            table in tables(), temperature in 0.05f64..5.0, top_k in 0usize..6, top_p in 0.0f64..=1.0
        ) {
            let row = table.row(&[]).unwrap();
            let left = filtered(row, Sampling { temperature, top_k, top_p });
            prop_assert!((left.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            for (a, &p) in row.iter().enumerate() {
                for (b, &q) in row.iter().enumerate() {
                    prop_assert!(p <= q || left[a] + 1e-12 >= left[b]);
                }
            }
        }

        #[test]
        fn what_is_drawn_was_possible(
            table in tables(), seed in any::<u32>(), top_k in 0usize..5, top_p in 0.0f64..=1.0
        ) {
            let how = Sampling { temperature: 1.0, top_k, top_p };
            let sample = Sampler::new(how, seed).sample(&table);
            prop_assert!(sample.probability() > 0.0);
            prop_assert!(table.is_over(&sample.tokens()));
            for draw in &sample.draws {
                prop_assert!((0.0..1.0).contains(&draw.uniform));
            }
        }
    }
}
