//! The results of a model for a fixed input.

use attention_trace::{Quantities, Quantity, Search};
use burn::prelude::*;

use super::difference::{largest, relative, worst};
use crate::decoding::{Bounds, NextToken, Rules, search};
use crate::error::ModelError;
use crate::inference::{Decoder, forward};
use crate::sequence::SequenceModel;
use crate::tap::Tap;

/// Numbers of tokens, taken modulo the size of the vocabulary. There are enough that kernels that compute eight rows at
/// once have a remainder.
const TOKENS: [u32; 11] = [5, 9, 3, 12, 7, 1, 15, 4, 11, 8, 6];
/// A beam narrow enough for the kernels of few rows.
const BEAM: Search = Search::Beam {
    width: 3,
    length_penalty: 0.0,
};
/// The number of tokens that the search appends.
const STEPS: usize = 4;

/// A pass over all tokens at once.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The number of tokens that were read.
    pub tokens: usize,
    /// The attention weights of all heads, `tokens` per row.
    pub weights: Vec<f32>,
    /// The logits after every token.
    pub logits: Vec<f32>,
}

impl Pass {
    /// Runs the pass of `model`, which is on `device`.
    pub async fn of(model: &dyn SequenceModel, device: &Device) -> Result<Self, ModelError> {
        let tokens = tokens(model);
        let mut tap = Tap::recording(Quantities::of(&[Quantity::Pattern]));
        let sides = (
            model.spec().encoder.map(|_| tokens.as_slice()),
            model.spec().decoder.map(|_| tokens.as_slice()),
        );
        let logits = forward(model, sides, device, &mut tap);
        let logits = logits.map(|logits| logits.flatten(0, 1));
        let (arrays, mut also) = tap.read(logits.into_iter().collect()).await?;
        Ok(Pass {
            tokens: tokens.len(),
            weights: arrays.into_values().flat_map(|array| array.data).collect(),
            logits: also.pop().unwrap_or_default(),
        })
    }
}

/// A pass, and a beam search with a cache.
#[derive(Clone, Debug)]
pub struct Observation {
    pass: Pass,
    steps: Vec<Step>,
}

/// A request of the search to the model, and the answer.
#[derive(Clone, Debug, Default)]
struct Step {
    /// The sequences that the search continued.
    parents: Vec<usize>,
    /// The token appended to each, or the tokens at the start.
    tokens: Vec<u32>,
    /// The logits of each sequence in turn.
    logits: Vec<f32>,
}

impl Observation {
    /// Observes `model`, which is on `device`.
    pub async fn of(model: &dyn SequenceModel, device: &Device) -> Result<Self, ModelError> {
        let pass = Pass::of(model, device).await?;
        let tokens = tokens(model);
        let spec = model.spec();
        let (source, start) = match model.control().start {
            Some(start) => (Some(tokens.as_slice()), vec![start]),
            None => (None, tokens.clone()),
        };
        let steps = match spec.decoder {
            Some(_) => {
                let room = spec.room(start.len());
                steps(Decoder::new(model, source, &[], device), start, room).await?
            }
            None => vec![],
        };
        Ok(Observation { pass, steps })
    }

    /// Returns the largest difference in attention weights and logits from `expected`; infinite if a number is NaN.
    pub fn difference(&self, expected: &Self) -> f32 {
        let weights = largest(&self.pass.weights, &expected.pass.weights);
        let logits = relative(&self.pass.logits, &expected.pass.logits);
        // The first step with other tokens comes after logits that are wrong, or that are right and put two
        // tokens on a par: then there is nothing more to compare.
        self.steps
            .iter()
            .zip(&expected.steps)
            .take_while(|(found, expected)| {
                (&found.parents, &found.tokens) == (&expected.parents, &expected.tokens)
            })
            .map(|(found, expected)| relative(&found.logits, &expected.logits))
            .fold(worst(weights, logits), worst)
    }
}

async fn steps<M: NextToken>(
    model: M,
    start: Vec<u32>,
    room: usize,
) -> Result<Vec<Step>, ModelError> {
    let bounds = Bounds {
        start,
        prefix: vec![],
        // No token ends the search before its time.
        rules: Rules::default(),
        max_new_tokens: room.clamp(1, STEPS),
    };
    let mut recorder = Recorder {
        model,
        parents: vec![],
        steps: vec![],
    };
    search(&mut recorder, BEAM, &bounds, async |_| true).await?;
    Ok(recorder.steps)
}

/// Returns the first of [`TOKENS`], as many as leave room for a search; of a model of pictures, the tokens of the one
/// that it reads next.
fn tokens(model: &dyn SequenceModel) -> Vec<u32> {
    let spec = model.spec();
    if let Some(pictures) = model.pictures() {
        let grid = pictures.gallery().grid();
        return (0..grid.map_or(0, |grid| grid.tokens() as u32)).collect();
    }
    let count = spec.room(STEPS).clamp(1, TOKENS.len());
    TOKENS[..count]
        .iter()
        .map(|token| token % spec.vocabulary as u32)
        .collect()
}

/// A model that records every answer.
struct Recorder<M> {
    model: M,
    parents: Vec<usize>,
    steps: Vec<Step>,
}

impl<M: NextToken> Recorder<M> {
    fn record(&mut self, tokens: &[u32], logits: Vec<f32>) {
        self.steps.push(Step {
            parents: std::mem::take(&mut self.parents),
            tokens: tokens.to_vec(),
            logits,
        });
    }
}

impl<M: NextToken> NextToken for Recorder<M> {
    async fn begin(&mut self, tokens: &[u32]) -> Result<Vec<f32>, ModelError> {
        let logits = self.model.begin(tokens).await?;
        self.record(tokens, logits.clone());
        Ok(logits)
    }

    async fn step(&mut self, tokens: &[u32]) -> Result<Vec<Vec<f32>>, ModelError> {
        let logits = self.model.step(tokens).await?;
        self.record(tokens, logits.concat());
        Ok(logits)
    }

    fn select(&mut self, parents: &[usize]) {
        self.parents = parents.to_vec();
        self.model.select(parents);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{TOLERANCE, known};
    use super::*;
    use crate::decoding::top;

    fn observations() -> Vec<(Box<dyn SequenceModel>, Observation)> {
        let device = Device::flex();
        known::MODELS
            .map(|model| {
                let model = model(&device).unwrap();
                let observation = pollster::block_on(Observation::of(&*model, &device)).unwrap();
                (model, observation)
            })
            .into()
    }

    #[test]
    fn the_search_runs_on_few_rows_selects_and_has_no_near_tie() {
        for (_, Observation { steps, .. }) in observations() {
            assert_eq!(steps.len(), STEPS);
            assert_eq!(steps[1].parents, [0, 0, 0]);
            let is_reordered = |step: &Step| step.parents != [0, 1, 2];
            assert!(steps[2..].iter().any(is_reordered), "{steps:?}");
            // Were two candidates on a par, a right device might go on with another one, since it rounds
            // otherwise, and the steps after that would not be compared.
            for step in &steps {
                let vocabulary = step.logits.len() / step.tokens.len();
                for row in step.logits.chunks(vocabulary) {
                    for pair in top(row, 8).windows(2) {
                        assert!(pair[0].1 - pair[1].1 > 1e-4, "{pair:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_wrong_number_anywhere_is_found() {
        for (_, right) in observations() {
            assert_eq!(right.difference(&right), 0.0);
            let wrong = |change: &dyn Fn(&mut Observation)| {
                let mut wrong = right.clone();
                change(&mut wrong);
                wrong.difference(&right)
            };
            assert!(wrong(&|wrong| wrong.pass.weights[0] += 0.01) > TOLERANCE);
            assert!(wrong(&|wrong| wrong.pass.logits[0] += 1.0) > TOLERANCE);
            for step in 0..STEPS {
                let nan = |wrong: &mut Observation| wrong.steps[step].logits[7] = f32::NAN;
                assert_eq!(wrong(&nan), f32::INFINITY);
                assert!(wrong(&|wrong| wrong.steps[step].logits[7] += 1.0) > TOLERANCE);
            }
        }
    }

    #[test]
    fn a_model_of_few_positions_is_asked_for_no_more() {
        let device = Device::flex();
        for positions in 1..=TOKENS.len() + STEPS {
            for model in known::with_positions(positions, &device).unwrap() {
                assert!(tokens(&*model).len() <= positions);
                pollster::block_on(Observation::of(&*model, &device)).unwrap();
            }
        }
    }
}
