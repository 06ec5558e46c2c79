//! Searching for the target, token by token, with a key/value cache.

mod rules;
mod sample;
mod step;

use attention_trace::{Considered, DrawnToken, Search, search::Fate};

use self::step::{Beam, Step, continuations};
use crate::error::ModelError;
use crate::kernels::log_sum_exp;

pub use self::rules::{Position, Rules};

/// A model that predicts the next token of the sequences it has read.
pub trait NextToken {
    /// Reads the first tokens of one sequence, all at once, and returns the logits of the next token.
    fn begin(&mut self, tokens: &[u32]) -> impl Future<Output = Result<Vec<f32>, ModelError>>;

    /// Reads one more token of each sequence and returns the logits of the next, `[sequences][vocabulary]`.
    fn step(&mut self, tokens: &[u32]) -> impl Future<Output = Result<Vec<Vec<f32>>, ModelError>>;

    /// Continues with the sequences at `parents`, in that order; some may occur more than once.
    fn select(&mut self, parents: &[usize]);
}

/// The start, the limit and the rules of a search.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// Read before anything is searched for; never empty.
    pub start: Vec<u32>,
    /// Appended before the search begins; counts as part of the result.
    pub prefix: Vec<u32>,
    /// The tokens that end a sequence, and those that may be appended.
    pub rules: Rules,
    /// The most tokens to append, the prefix included.
    pub max_new_tokens: usize,
}

impl Bounds {
    /// Returns true if nothing may follow these tokens.
    fn is_complete(&self, appended: &[u32]) -> bool {
        let ends = appended.last().is_some_and(|&last| self.rules.is_end(last));
        ends || appended.len() >= self.max_new_tokens
    }

    /// Returns the tokens that are allowed after these.
    fn allowed(&self, appended: &[u32]) -> Allowed {
        let before = [self.start.as_slice(), appended].concat();
        let position = Position {
            before: &before,
            written: appended.len(),
            is_last: appended.len() + 1 == self.max_new_tokens,
        };
        match self.rules.forced(position) {
            Some(tokens) => Allowed::Only(tokens),
            None => Allowed::AllBut(self.rules.forbidden(position)),
        }
    }
}

/// The tokens that may be at a position.
enum Allowed {
    /// Only these tokens; the model has no choice.
    Only(Vec<u32>),
    /// All tokens except these.
    AllBut(Vec<u32>),
}

/// A sequence of appended tokens.
#[derive(Clone, Debug, PartialEq)]
pub struct Sequence {
    /// The tokens, prefix included.
    pub tokens: Vec<u32>,
    /// `Σ log p` over the tokens; a token forced by [`Rules`] involves no choice and adds nothing, as in
    /// `transformers`.
    pub log_probability: f32,
    /// The rank of a finished sequence, `log_probability / L^α`.
    pub score: f32,
}

/// The state of a search after a step.
#[derive(Clone, Copy, Debug)]
pub struct Progress<'a> {
    /// The best tokens so far.
    pub best: &'a [u32],
    /// The beginnings that this step looked at, most probable first. Parents are numbered over all steps.
    pub considered: &'a [Considered<u32>],
    /// The draw of this step's token, if sampling drew it.
    pub drawn: Option<&'a DrawnToken<u32>>,
}

/// Runs beam search, with greedy search as a beam of one, or sampling.
///
/// Prefixes are ranked by `Σ log p`, finished sequences by `(1/L^α) Σ log p` with `L` their length, the end token
/// counted. Returns at most as many sequences as the beam is wide, best first; sampling returns the one that it drew.
/// `watch` is called with the state after every step and returns whether to go on.
///
/// # Errors
/// If the length penalty or the numbers of sampling are out of range, if the rules allow no token at a position,
/// [`ModelError::Cancelled`] if `watch` returns false, and all errors of the model.
pub async fn search<M: NextToken>(
    model: &mut M,
    search: Search,
    bounds: &Bounds,
    mut watch: impl AsyncFnMut(Progress<'_>) -> bool,
) -> Result<Vec<Sequence>, ModelError> {
    let (width, penalty) = match search {
        Search::Sampling { how, seed } => {
            let drawn = sample::sample(model, (how, seed), bounds, watch).await?;
            return Ok(vec![drawn]);
        }
        Search::Greedy => (1, 0.0),
        Search::Beam {
            width,
            length_penalty,
        } => (width.max(1), length_penalty),
    };
    if !Search::LENGTH_PENALTIES.contains(&penalty) {
        return Err(ModelError::LengthPenalty(penalty));
    }
    let (logits, prefix) = read_prefix(model, bounds).await?;
    if bounds.is_complete(&prefix.tokens) {
        return Ok(vec![prefix.finished(penalty)]);
    }
    let mut done: Vec<Sequence> = vec![];
    let mut beams = vec![prefix];
    let mut logits = vec![logits];
    let mut count = 0;
    loop {
        let candidates = continuations(&beams, &logits, width, bounds);
        let mut step = Step::of(&beams, candidates, width, &bounds.rules, count);
        if step.next.is_empty() && step.ended.is_empty() && done.is_empty() {
            return Err(ModelError::NothingAllowed(1 + written(&beams)));
        }
        done.extend(step.ended.iter().map(|beam| beam.finished(penalty)));
        rank(&mut done, width);
        let best = step.next.first();
        // No live prefix can rise above its own `Σ log p` over its present length.
        let is_beaten = best.is_none_or(|best| {
            done.len() >= width && done[width - 1].score >= best.finished(penalty).score
        });
        let is_full = best.is_some_and(|best| best.tokens.len() >= bounds.max_new_tokens);
        if is_beaten || is_full {
            step.end(match is_beaten {
                true => Fate::Pruned,
                false => Fate::Finished,
            });
        }
        let live = step.next.first().map(|best| &best.tokens);
        let found = done.first().map(|best| &best.tokens);
        let shown = match done.len() >= width {
            true => found.or(live),
            false => live.or(found),
        };
        let progress = Progress {
            best: shown.map_or(&[], Vec::as_slice),
            considered: &step.considered,
            drawn: None,
        };
        if !watch(progress).await {
            return Err(ModelError::Cancelled);
        }
        if is_beaten {
            return Ok(done);
        }
        if is_full {
            done.extend(step.next.iter().map(|beam| beam.finished(penalty)));
            rank(&mut done, width);
            return Ok(done);
        }
        count += step.considered.len();
        model.select(&step.parents);
        let tokens: Vec<u32> = step
            .next
            .iter()
            .filter_map(|beam| beam.tokens.last().copied())
            .collect();
        logits = model.step(&tokens).await?;
        beams = step.next;
    }
}

/// Returns the number of tokens in each of these prefixes.
fn written(beams: &[Beam]) -> usize {
    beams.first().map_or(0, |beam| beam.tokens.len())
}

/// Sorts finished sequences by their score and keeps the best.
fn rank(done: &mut Vec<Sequence>, width: usize) {
    done.sort_by(|a, b| b.score.total_cmp(&a.score));
    done.truncate(width);
}

/// Reads the start and the forced prefix; returns the logits of the next token and the log-probability of the prefix.
async fn read_prefix<M: NextToken>(
    model: &mut M,
    bounds: &Bounds,
) -> Result<(Vec<f32>, Beam), ModelError> {
    let mut logits = model.begin(&bounds.start).await?;
    let mut beam = Beam {
        tokens: vec![],
        log_probability: 0.0,
        node: None,
    };
    for &token in &bounds.prefix {
        let log_probability =
            *log_softmax(&logits)
                .get(token as usize)
                .ok_or(ModelError::ForcedToken {
                    token,
                    vocabulary: logits.len(),
                })?;
        beam.log_probability += log_probability;
        beam.tokens.push(token);
        if bounds.is_complete(&beam.tokens) {
            break;
        }
        logits = one(model.step(&[token]).await?)?;
    }
    Ok((logits, beam))
}

/// Returns the logits of the only sequence.
pub(crate) fn one(logits: Vec<Vec<f32>>) -> Result<Vec<f32>, ModelError> {
    logits
        .into_iter()
        .next()
        .ok_or_else(|| ModelError::Device("the model returned no logits".into()))
}

/// `log softmax`, stable for large logits.
pub fn log_softmax(logits: &[f32]) -> Vec<f32> {
    let log_sum = log_sum_exp(logits);
    logits.iter().map(|logit| logit - log_sum).collect()
}

/// Returns the `count` largest values and their indices, largest first; equal values by the lower index.
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
    use attention_trace::search::Sampling;
    use proptest::prelude::*;

    /// The lecture's table: probabilities over A, B, C, eos that depend on the tokens so far.
    pub struct Table {
        read: Vec<Vec<u32>>,
    }

    pub fn table() -> Table {
        Table { read: vec![vec![]] }
    }

    pub const EOS: u32 = 3;
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

    pub fn bounds(prefix: &[u32]) -> Bounds {
        Bounds {
            start: vec![START],
            prefix: prefix.to_vec(),
            rules: Rules {
                end_tokens: vec![EOS],
                ..Rules::default()
            },
            max_new_tokens: 4,
        }
    }

    pub fn run(how: Search, prefix: &[u32]) -> Vec<Sequence> {
        pollster::block_on(search(&mut table(), how, &bounds(prefix), async |_| true)).unwrap()
    }

    /// Returns all hypotheses that a search over the table considered.
    fn looked_at(how: Search, prefix: &[u32]) -> Vec<Considered<u32>> {
        let mut table = Table { read: vec![vec![]] };
        let mut all = vec![];
        let watch = async |progress: Progress<'_>| {
            all.extend_from_slice(progress.considered);
            true
        };
        pollster::block_on(search(&mut table, how, &bounds(prefix), watch)).unwrap();
        all
    }

    fn path(all: &[Considered<u32>], node: usize) -> Vec<u32> {
        let before = all[node].parent.map_or(vec![], |parent| path(all, parent));
        [before, vec![all[node].token]].concat()
    }

    #[test]
    fn what_a_search_looked_at_has_its_results_and_what_it_dropped() {
        let beam = Search::Beam {
            width: 2,
            length_penalty: 0.75,
        };
        let all = looked_at(beam, &[]);
        for found in run(beam, &[]) {
            let node = (0..all.len()).find(|&node| path(&all, node) == found.tokens);
            let node = &all[node.unwrap()];
            assert_eq!(node.fate, Fate::Finished);
            assert_eq!(node.log_probability, found.log_probability);
        }
        let first: Vec<Fate> = all[..4].iter().map(|node| node.fate).collect();
        assert_eq!(first, [Fate::Kept, Fate::Kept, Fate::Pruned, Fate::Pruned]);
        // Four of each step, none of which is looked at twice.
        assert_eq!(all.len(), 16);
        let kept = all.iter().filter(|node| node.fate == Fate::Kept);
        assert!(kept.clone().count() >= 6 && kept.count() < all.len());
    }

    #[test]
    fn what_was_forced_is_not_looked_at() {
        let all = looked_at(Search::Greedy, &[0, 2]);
        assert_eq!((all[0].parent, all[0].token), (None, 1));
        assert!((all[0].log_probability.exp() - 0.5 * 0.3 * 0.6).abs() < 1e-6);
        assert_eq!(path(&all, 2), [1, EOS]);
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
        let mut bounds = bounds(&[]);
        bounds.rules.suppressed = vec![0];
        let mut table = table();
        let searched = search(&mut table, Search::Greedy, &bounds, async |_| true);
        let found = pollster::block_on(searched).unwrap();
        assert!(!found[0].tokens.contains(&0));
    }

    const DRAWING: Search = Search::Sampling {
        how: Sampling {
            temperature: 1.0,
            top_k: 0,
            top_p: 1.0,
        },
        seed: 3,
    };

    fn ruled(how: Search, change: impl Fn(&mut Rules)) -> Result<Vec<Sequence>, ModelError> {
        let mut bounds = bounds(&[]);
        change(&mut bounds.rules);
        pollster::block_on(search(&mut table(), how, &bounds, async |_| true))
    }

    #[test]
    fn any_of_several_ends_ends_whatever_the_search() {
        let beam = Search::Beam {
            width: 2,
            length_penalty: 0.0,
        };
        for how in [Search::Greedy, beam, DRAWING] {
            for found in ruled(how, |rules| rules.end_tokens = vec![EOS, 1, 2]).unwrap() {
                let is_end = |token: &u32| [EOS, 1, 2].contains(token);
                let end = found.tokens.iter().position(is_end);
                let is_full = end.is_none() && found.tokens.len() == 4;
                assert!(is_full || end == Some(found.tokens.len() - 1), "{how:?}");
            }
        }
        let ended = ruled(Search::Greedy, |rules| rules.end_tokens = vec![EOS, 1]).unwrap();
        assert_eq!(ended[0].tokens, [0, 1]);
        let endless = ruled(Search::Greedy, |rules| rules.end_tokens = vec![]).unwrap();
        assert_eq!(endless[0].tokens.len(), 4);
    }

    #[test]
    fn a_forced_token_costs_nothing() {
        let found = ruled(Search::Greedy, |rules| rules.forced_first = Some(2)).unwrap();
        assert_eq!(found[0].tokens[0], 2);
        // What follows has a probability of .3 each time, up to the limit.
        assert!((found[0].log_probability.exp() - 0.3_f32.powi(3)).abs() < 1e-6);
    }

    #[test]
    fn rules_that_leave_no_token_are_refused() {
        for how in [Search::Greedy, DRAWING] {
            let nothing = ruled(how, |rules| rules.suppressed = vec![0, 1, 2, 3, 4]);
            assert!(matches!(nothing, Err(ModelError::NothingAllowed(_))));
        }
    }

    #[test]
    fn saying_no_cancels() {
        let (mut table, bounds) = (table(), bounds(&[]));
        let searched = search(&mut table, Search::Greedy, &bounds, async |_| false);
        let result = pollster::block_on(searched);
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
