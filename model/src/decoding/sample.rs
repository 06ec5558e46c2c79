//! Drawing the target, token by token.

use attention_trace::{
    DrawnToken, Odds,
    search::{Draw, Sampler, Sampling},
};

use super::{Allowed, Bounds, NextToken, Progress, Sequence, log_softmax, one, read_prefix, top};
use crate::error::ModelError;

/// The number of tokens whose odds each draw keeps, besides the drawn one.
const ODDS: usize = 10;

/// Draws one sequence. Its `log_probability` is the model's, regardless of temperature and other settings of the draw.
pub async fn sample<M: NextToken>(
    model: &mut M,
    (how, seed): (Sampling, u32),
    bounds: &Bounds,
    mut watch: impl AsyncFnMut(Progress<'_>) -> bool,
) -> Result<Sequence, ModelError> {
    if !how.is_sensible() {
        return Err(ModelError::Sampling(how.temperature, how.top_p));
    }
    let mut sampler = Sampler::new(how, seed);
    let (mut logits, mut drawn) = read_prefix(model, bounds).await?;
    while !bounds.is_complete(&drawn.tokens) {
        let log_probabilities = log_softmax(&logits);
        let position = 1 + drawn.tokens.len();
        let nothing = || ModelError::NothingAllowed(position);
        let (token, log_probability, by) = match bounds.allowed(&drawn.tokens) {
            Allowed::Only(tokens) => {
                let row = evenly(&tokens, log_probabilities.len()).ok_or_else(nothing)?;
                // Of a single one there is nothing to draw.
                let by = (tokens.len() > 1).then(|| recorded(&sampler.draw(&row)));
                let token = by.as_ref().map_or(tokens[0], |by| by.token);
                (token, 0.0, by)
            }
            Allowed::AllBut(forbidden) => {
                let row = without(&log_probabilities, &forbidden).ok_or_else(nothing)?;
                let by = recorded(&sampler.draw(&row));
                (by.token, log_probabilities[by.token as usize], Some(by))
            }
        };
        drawn = drawn.with(token, log_probability);
        let progress = Progress {
            best: &drawn.tokens,
            considered: &[],
            drawn: by.as_ref(),
        };
        if !watch(progress).await {
            return Err(ModelError::Cancelled);
        }
        if !bounds.is_complete(&drawn.tokens) {
            logits = one(model.step(&[token]).await?)?;
        }
    }
    Ok(drawn.finished(0.0))
}

/// Returns the model's probabilities, with 0 for the forbidden tokens; `None` if all are forbidden.
fn without(log_probabilities: &[f32], forbidden: &[u32]) -> Option<Vec<f64>> {
    let probabilities = log_probabilities.iter();
    let mut row: Vec<f64> = probabilities.map(|&log_p| f64::from(log_p).exp()).collect();
    for &token in forbidden {
        if let Some(probability) = row.get_mut(token as usize) {
            *probability = 0.0;
        }
    }
    row.iter()
        .any(|&probability| probability > 0.0)
        .then_some(row)
}

/// Returns the uniform distribution over these tokens, of a vocabulary of that size; `None` if there are no tokens or
/// the vocabulary lacks one.
fn evenly(tokens: &[u32], vocabulary: usize) -> Option<Vec<f64>> {
    let mut row = vec![0.0; vocabulary];
    for &token in tokens {
        *row.get_mut(token as usize)? = 1.0 / tokens.len() as f64;
    }
    (!tokens.is_empty()).then_some(row)
}

/// Reduces a draw from thousands of tokens to the part that is kept.
fn recorded(draw: &Draw) -> DrawnToken<u32> {
    let model: Vec<f32> = draw.model.iter().map(|&p| p as f32).collect();
    let mut tokens: Vec<usize> = top(&model, ODDS)
        .into_iter()
        .map(|(token, _)| token as usize)
        .collect();
    if !tokens.contains(&draw.token) {
        tokens.push(draw.token);
    }
    let odds = tokens.into_iter().map(|token| Odds {
        token: token as u32,
        model: draw.model[token],
        drawn_from: draw.drawn_from[token],
    });
    DrawnToken {
        token: draw.token as u32,
        uniform: draw.uniform,
        before: draw.drawn_from[..draw.token].iter().sum(),
        left: draw.drawn_from.iter().filter(|&&p| p > 0.0).count(),
        odds: odds.collect(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use attention_trace::Search;
    use proptest::prelude::*;

    use super::super::tests::{EOS, bounds, run, table};
    use super::*;

    fn drawing(how: Sampling, seed: u32) -> Search {
        Search::Sampling { how, seed }
    }

    /// Draws a sequence, and returns the draw of each of its tokens.
    fn drawn(how: Sampling, seed: u32, bounds: &Bounds) -> (Sequence, Vec<DrawnToken<u32>>) {
        let mut draws = vec![];
        let watch = async |progress: Progress<'_>| {
            draws.extend(progress.drawn.cloned());
            true
        };
        let mut table = table();
        let found = sample(&mut table, (how, seed), bounds, watch);
        (pollster::block_on(found).unwrap(), draws)
    }

    #[test]
    fn one_token_left_is_greedy_search() {
        let how = Sampling {
            top_k: 1,
            ..Sampling::default()
        };
        let greedy = run(Search::Greedy, &[]);
        assert_eq!(run(drawing(how, 7), &[]), greedy);
        assert_eq!(run(drawing(how, 8), &[0, 2]), run(Search::Greedy, &[0, 2]));
    }

    #[test]
    fn the_lectures_sequences_are_drawn_as_often_as_they_are_probable() {
        let count = 8000;
        let mut found: BTreeMap<Vec<u32>, f64> = BTreeMap::new();
        for seed in 0..count {
            let drawn = run(drawing(Sampling::default(), seed), &[]).remove(0);
            *found.entry(drawn.tokens).or_default() += 1.0 / f64::from(count);
        }
        assert!((found[&vec![0, EOS]] - 0.10).abs() < 0.015);
        assert!((found[&vec![0, 1, 2, EOS]] - 0.048).abs() < 0.012);
        assert!((found[&vec![0, 2, 1, EOS]] - 0.054).abs() < 0.012);
    }

    #[test]
    fn a_seed_draws_the_same_again_and_the_probability_is_the_models() {
        let how = Sampling {
            temperature: 2.0,
            ..Sampling::default()
        };
        let draw = |seed| run(drawing(how, seed), &[]);
        assert_eq!(draw(3), draw(3));
        assert!((0..20).any(|seed| draw(seed) != draw(3)));
        let (sequence, draws) = drawn(how, 3, &bounds(&[]));
        let odds = draws.iter().map(|draw| {
            let own = draw.odds.iter().find(|odds| odds.token == draw.token);
            own.unwrap().model.ln() as f32
        });
        assert!((odds.sum::<f32>() - sequence.log_probability).abs() < 1e-5);
    }

    #[test]
    fn a_forced_beginning_is_not_drawn_and_a_banned_token_never() {
        let (sequence, draws) = drawn(Sampling::default(), 1, &bounds(&[0, 2]));
        assert_eq!(sequence.tokens[..2], [0, 2]);
        assert_eq!(draws.len(), sequence.tokens.len() - 2);
        let mut bounds = bounds(&[]);
        bounds.rules.suppressed = vec![0, 1];
        for seed in 0..50 {
            let (sequence, draws) = drawn(Sampling::default(), seed, &bounds);
            assert!(!sequence.tokens.iter().any(|token| [0, 1].contains(token)));
            // Of A .5, B .2, C .2, eos .1 the last two are left.
            assert_eq!(draws[0].left, 2);
            assert!((draws[0].odds[0].drawn_from - 2.0 / 3.0).abs() < 1e-6);
        }
    }

    #[test]
    fn an_end_that_the_limit_forces_is_not_drawn() {
        let mut bounds = bounds(&[]);
        bounds.rules.min_new_tokens = Some(4);
        bounds.rules.forced_last = vec![EOS];
        let (sequence, draws) = drawn(Sampling::default(), 5, &bounds);
        assert_eq!((sequence.tokens.len(), draws.len()), (4, 3));
        assert_eq!(sequence.tokens[3], EOS);
    }

    #[test]
    fn numbers_that_leave_nothing_to_draw_from_are_refused() {
        for (temperature, top_p) in [(0.0, 1.0), (-1.0, 1.0), (f64::NAN, 1.0), (1.0, 1.5)] {
            let how = Sampling {
                temperature,
                top_k: 0,
                top_p,
            };
            let (mut table, bounds) = (table(), bounds(&[]));
            let found = sample(&mut table, (how, 1), &bounds, async |_| true);
            let refused = pollster::block_on(found);
            assert!(matches!(refused, Err(ModelError::Sampling(..))));
        }
    }

    proptest! {
        #[test]
        fn the_random_number_lies_where_the_drawn_token_does(
            seed in any::<u32>(), temperature in 0.1f64..3.0, top_k in 0usize..5, top_p in 0.0f64..=1.0
        ) {
            let how = Sampling { temperature, top_k, top_p };
            for draw in drawn(how, seed, &bounds(&[])).1 {
                let own = draw.odds.iter().find(|odds| odds.token == draw.token).unwrap();
                prop_assert!(own.drawn_from > 0.0);
                prop_assert!(draw.before <= draw.uniform + 1e-12);
                prop_assert!(draw.uniform < draw.before + own.drawn_from + 1e-12);
                prop_assert_eq!(draw.left, draw.odds.iter().filter(|odds| odds.drawn_from > 0.0).count());
            }
        }
    }
}
