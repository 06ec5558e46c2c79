//! Searching for the target, token by token, with a key/value cache.

use attention_trace::Search;

use crate::error::ModelError;
use crate::kernels::log_sum_exp;

/// A model that predicts what follows the sequences it has read.
pub trait NextToken {
    /// Reads the tokens that one sequence starts with, all at once, and returns the logits of what
    /// follows.
    fn begin(&mut self, tokens: &[u32]) -> impl Future<Output = Result<Vec<f32>, ModelError>>;

    /// Reads one more token of each sequence and returns the logits of what follows,
    /// `[sequences][vocabulary]`.
    fn step(&mut self, tokens: &[u32]) -> impl Future<Output = Result<Vec<Vec<f32>>, ModelError>>;

    /// Goes on with the sequences at `parents`, in that order, some perhaps more than once.
    fn select(&mut self, parents: &[usize]);
}

/// Where a search starts and ends.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Read before anything is searched for; never empty.
    pub start: Vec<u32>,
    /// Appended before the search begins; counts as part of the result.
    pub prefix: Vec<u32>,
    /// Ends a sequence.
    pub end: u32,
    /// Never appended.
    pub banned: Vec<u32>,
    /// The most tokens to append, the prefix included.
    pub max_new_tokens: usize,
}

/// A sequence of appended tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The tokens, prefix included.
    pub tokens: Vec<u32>,
    /// `Σ log p` over them.
    pub log_probability: f32,
    /// `log_probability / L^α`.
    pub score: f32,
}

/// Beam search; greedy search is a beam of one.
///
/// Prefixes are ranked by `Σ log p`, finished sequences by `(1/L^α) Σ log p` with `L` their length,
/// the end token counted. Returns at most as many sequences as the beam is wide, best first.
/// `watch` sees the best tokens after every step and says whether to go on.
///
/// # Errors
/// [`ModelError::Cancelled`] if `watch` says no, and whatever the model reports.
pub async fn search<M: NextToken>(
    model: &mut M,
    search: Search,
    bounds: &Bounds,
    mut watch: impl AsyncFnMut(&[u32]) -> bool,
) -> Result<Vec<Sequence>, ModelError> {
    let (width, penalty) = match search {
        Search::Greedy => (1, 0.0),
        Search::Beam {
            width,
            length_penalty,
        } => (width.max(1), length_penalty),
    };
    let (logits, prefix) = read_prefix(model, bounds).await?;
    let finished = |beam: &Beam| Sequence {
        score: beam.log_probability / (beam.tokens.len().max(1) as f32).powf(penalty),
        tokens: beam.tokens.clone(),
        log_probability: beam.log_probability,
    };
    if prefix.tokens.last() == Some(&bounds.end) || prefix.tokens.len() >= bounds.max_new_tokens {
        return Ok(vec![finished(&prefix)]);
    }
    let mut done: Vec<Sequence> = vec![];
    let mut beams = vec![prefix];
    let mut logits = vec![logits];
    loop {
        let mut parents = vec![];
        let mut next = vec![];
        let candidates = expand(&beams, &logits, &bounds.banned, 2 * width);
        for (rank, (parent, beam)) in candidates.into_iter().enumerate() {
            if beam.tokens.last() == Some(&bounds.end) {
                // An end outside the beam is dropped like any other token there; in greedy search,
                // one that is second best.
                if rank < width {
                    done.push(finished(&beam));
                }
            } else if next.len() < width {
                parents.push(parent);
                next.push(beam);
            }
        }
        sort_by_score(&mut done);
        done.truncate(width);
        let Some(best) = next.first() else { break };
        let shown = if done.len() >= width {
            &done[0].tokens
        } else {
            &best.tokens
        };
        if !watch(shown).await {
            return Err(ModelError::Cancelled);
        }
        // No live prefix can rise above its own `Σ log p` over its present length.
        let beaten = done.len() >= width && done[width - 1].score >= finished(best).score;
        if beaten {
            break;
        }
        if best.tokens.len() >= bounds.max_new_tokens {
            done.extend(next.iter().map(finished));
            sort_by_score(&mut done);
            done.truncate(width);
            break;
        }
        model.select(&parents);
        let tokens: Vec<u32> = next
            .iter()
            .filter_map(|beam| beam.tokens.last().copied())
            .collect();
        logits = model.step(&tokens).await?;
        beams = next;
    }
    Ok(done)
}

struct Beam {
    tokens: Vec<u32>,
    log_probability: f32,
}

/// Reads the start and the forced prefix; the logits of what follows and what the prefix costs.
async fn read_prefix<M: NextToken>(
    model: &mut M,
    bounds: &Bounds,
) -> Result<(Vec<f32>, Beam), ModelError> {
    let mut logits = model.begin(&bounds.start).await?;
    let mut beam = Beam {
        tokens: vec![],
        log_probability: 0.0,
    };
    for &token in &bounds.prefix {
        let log_probability =
            *log_softmax(&logits)
                .get(token as usize)
                .ok_or_else(|| ModelError::ForcedToken {
                    token,
                    vocabulary: logits.len(),
                })?;
        beam.log_probability += log_probability;
        beam.tokens.push(token);
        if token == bounds.end || beam.tokens.len() >= bounds.max_new_tokens {
            break;
        }
        logits = one(model.step(&[token]).await?)?;
    }
    Ok((logits, beam))
}

/// The logits of the only sequence.
pub(crate) fn one(logits: Vec<Vec<f32>>) -> Result<Vec<f32>, ModelError> {
    logits
        .into_iter()
        .next()
        .ok_or_else(|| ModelError::Device("the model returned no logits".into()))
}

/// The `count` most probable continuations of all `beams`, best first, each with its parent.
fn expand(beams: &[Beam], logits: &[Vec<f32>], banned: &[u32], count: usize) -> Vec<(usize, Beam)> {
    let mut candidates: Vec<(f32, usize, u32)> = vec![];
    for (parent, (beam, logits)) in beams.iter().zip(logits).enumerate() {
        let log_probabilities = log_softmax(logits);
        let best = top(&log_probabilities, count + banned.len());
        candidates.extend(
            best.into_iter()
                .filter(|(token, _)| !banned.contains(token))
                .map(|(token, log_p)| (beam.log_probability + log_p, parent, token)),
        );
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0));
    candidates.truncate(count);
    candidates
        .into_iter()
        .map(|(log_probability, parent, token)| {
            let tokens = [beams[parent].tokens.as_slice(), &[token]].concat();
            (
                parent,
                Beam {
                    tokens,
                    log_probability,
                },
            )
        })
        .collect()
}

fn sort_by_score(sequences: &mut [Sequence]) {
    sequences.sort_by(|a, b| b.score.total_cmp(&a.score));
}

/// `log softmax`, stable for large logits.
pub fn log_softmax(logits: &[f32]) -> Vec<f32> {
    let log_sum = log_sum_exp(logits);
    logits.iter().map(|logit| logit - log_sum).collect()
}

/// The `count` largest values and their indices, largest first; of equal ones the lower index.
pub fn top(values: &[f32], count: usize) -> Vec<(u32, f32)> {
    let mut indexed: Vec<(u32, f32)> = values
        .iter()
        .enumerate()
        .map(|(i, &v)| (i as u32, v))
        .collect();
    let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
    let count = count.min(indexed.len());
    if count > 0 && count < indexed.len() {
        indexed.select_nth_unstable_by(count - 1, order);
    }
    indexed.truncate(count);
    indexed.sort_by(order);
    indexed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The lecture's table: probabilities over A, B, C, eos that depend on the tokens so far.
    struct Table {
        read: Vec<Vec<u32>>,
    }

    const EOS: u32 = 3;
    const START: u32 = 4;

    fn probabilities(read: &[u32]) -> [f32; 5] {
        match read {
            [START] => [0.5, 0.2, 0.2, 0.1, 0.0],
            [START, 0] => [0.1, 0.4, 0.3, 0.2, 0.0],
            [START, 0, 1] => [0.2, 0.2, 0.4, 0.2, 0.0],
            [START, 0, 1, 2] => [0.0, 0.2, 0.2, 0.6, 0.0],
            [START, 0, 2] => [0.1, 0.6, 0.2, 0.1, 0.0],
            [START, 0, 2, 1] => [0.1, 0.2, 0.1, 0.6, 0.0],
            _ => [0.3, 0.3, 0.3, 0.1, 0.0],
        }
    }

    impl NextToken for Table {
        async fn begin(&mut self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
            self.read = vec![tokens.to_vec()];
            Ok(probabilities(tokens).map(f32::ln).to_vec())
        }

        async fn step(&mut self, tokens: &[u32]) -> Result<Vec<Vec<f32>>, ModelError> {
            for (read, &token) in self.read.iter_mut().zip(tokens) {
                read.push(token);
            }
            Ok(self
                .read
                .iter()
                .map(|r| probabilities(r).map(f32::ln).to_vec())
                .collect())
        }

        fn select(&mut self, parents: &[usize]) {
            self.read = parents
                .iter()
                .map(|&parent| self.read[parent].clone())
                .collect();
        }
    }

    fn run(how: Search, prefix: &[u32]) -> Vec<Sequence> {
        let bounds = Bounds {
            start: vec![START],
            prefix: prefix.to_vec(),
            end: EOS,
            banned: vec![],
            max_new_tokens: 4,
        };
        let mut table = Table { read: vec![vec![]] };
        pollster::block_on(search(&mut table, how, &bounds, async |_| true)).unwrap()
    }

    #[test]
    fn greedy_takes_the_lectures_0_048_and_a_beam_finds_its_0_054() {
        let greedy = run(Search::Greedy, &[]);
        assert_eq!(greedy[0].tokens, [0, 1, 2, EOS]);
        assert!((greedy[0].log_probability.exp() - 0.048).abs() < 1e-6);
        let beam = run(
            Search::Beam {
                width: 2,
                length_penalty: 0.75,
            },
            &[],
        );
        assert_eq!(beam[0].tokens, [0, 2, 1, EOS]);
        assert!((beam[0].log_probability.exp() - 0.054).abs() < 1e-6);
        assert!((beam[0].score - 0.054_f32.ln() / 4_f32.powf(0.75)).abs() < 1e-6);
    }

    #[test]
    fn a_forced_prefix_is_kept_and_counted() {
        let forced = run(Search::Greedy, &[0, 2]);
        assert_eq!(forced[0].tokens, [0, 2, 1, EOS]);
        assert!((forced[0].log_probability.exp() - 0.054).abs() < 1e-6);
        let ended = run(Search::Greedy, &[0, EOS]);
        assert_eq!(ended[0].tokens, [0, EOS]);
    }

    #[test]
    fn a_banned_token_is_never_chosen() {
        let bounds = Bounds {
            start: vec![START],
            prefix: vec![],
            end: EOS,
            banned: vec![0],
            max_new_tokens: 4,
        };
        let mut table = Table { read: vec![vec![]] };
        let found = pollster::block_on(search(&mut table, Search::Greedy, &bounds, async |_| true))
            .unwrap();
        assert!(!found[0].tokens.contains(&0));
    }

    #[test]
    fn saying_no_cancels() {
        let bounds = Bounds {
            start: vec![START],
            prefix: vec![],
            end: EOS,
            banned: vec![],
            max_new_tokens: 4,
        };
        let mut table = Table { read: vec![vec![]] };
        let result =
            pollster::block_on(search(&mut table, Search::Greedy, &bounds, async |_| false));
        assert!(matches!(result, Err(ModelError::Cancelled)));
    }

    proptest! {
        #[test]
        fn a_wide_beam_is_exhaustive_and_no_narrower_one_beats_it(width in 1usize..6) {
            let best = run(Search::Beam { width: 300, length_penalty: 0.0 }, &[])[0].clone();
            let found = run(Search::Beam { width, length_penalty: 0.0 }, &[])[0].clone();
            prop_assert!(found.score <= best.score + 1e-6);
        }

        #[test]
        fn log_softmax_is_normalised(logits in prop::collection::vec(-50f32..50.0, 1..40)) {
            let sum: f32 = log_softmax(&logits).iter().map(|l| l.exp()).sum();
            prop_assert!((sum - 1.0).abs() < 1e-4);
        }

        #[test]
        fn top_agrees_with_sorting(values in prop::collection::vec(-5f32..5.0, 1..40), count in 0usize..50) {
            let mut sorted = values.clone();
            sorted.sort_by(|a, b| b.total_cmp(a));
            sorted.truncate(count);
            let found: Vec<f32> = top(&values, count).into_iter().map(|(_, v)| v).collect();
            prop_assert_eq!(found, sorted);
        }
    }
}
