//! A model with one layer that learns to recall pairs.

use std::f64::consts::PI;

use attention_trace::lessons::{
    RECALL_KEYS, RECALL_PAIRS, RECALL_STEPS, RECALL_VALUES, RecallRun, RecallScore, RecallTask,
    Recalled,
};
use burn::module::Param;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer};
use burn::prelude::*;
use burn::tensor::activation::{log_softmax, sigmoid};
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_distr::{Distribution, StandardNormal};

use super::super::{LessonError, fits, values};
use super::read::{Pairs, read};

/// The width of the tables of keys and values.
const TABLE_WIDTH: usize = 32;

/// The number of examples in a step.
const BATCH: usize = 32;

/// The number of examples that a measurement reads for each number of pairs.
const MEASURED: usize = 64;

/// The initial learning rate; it falls to 0 along half a cosine.
const RATE: f64 = 1e-2;

/// The widths of queries, keys and values that are trained.
const WIDTHS: std::ops::RangeInclusive<usize> = 1..=64;

/// The learned weights of a model that reads each pair as two vectors, one of its key and one of its value.
#[derive(Module, Debug)]
struct RecallModel {
    /// A vector for each key, `[keys, t]`.
    key_table: Param<Tensor<2>>,
    /// A vector for each value, `[values, t]`.
    value_table: Param<Tensor<2>>,
    /// The projections to queries, keys and values, `[t, d]`.
    query: Param<Tensor<2>>,
    key: Param<Tensor<2>>,
    value: Param<Tensor<2>>,
    /// The projection to `β` before its sigmoid, `[t, 1]`.
    strength: Param<Tensor<2>>,
    /// The projection to logits, `[d, values]`.
    output: Param<Tensor<2>>,
}

/// Examples with the same number of pairs. The key of each pair is also a query.
struct Examples {
    /// The keys, `[batch * n]`.
    keys: Tensor<1, Int>,
    /// The values that are shown with them, `[batch * n]`.
    values: Tensor<1, Int>,
    /// The values that were shown last with the same keys, `[batch * n]`.
    answers: Tensor<1, Int>,
    /// The number of pairs, `n`.
    pairs: usize,
}

/// A model in training.
pub struct RecallTrainer {
    run: RecallRun,
    step: usize,
    loss: f32,
    milliseconds: f64,
    model: RecallModel,
    optimizer: ModuleOptimizer,
    generator: Xoshiro256PlusPlus,
    device: Device,
}

impl RecallTrainer {
    /// Creates a model that has learned nothing.
    ///
    /// # Errors
    /// If the width is 0 or larger than a lesson needs.
    pub fn new(run: RecallRun) -> Result<Self, LessonError> {
        let shape = [TABLE_WIDTH, run.width];
        fits(
            WIDTHS.contains(&run.width),
            "a projection",
            &shape,
            "[32, d from 1 to 64]",
        )?;
        let device = crate::device::cpu().autodiff();
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(run.seed);
        Ok(RecallTrainer {
            run,
            step: 0,
            loss: (RECALL_VALUES as f32).ln(),
            milliseconds: 0.0,
            model: RecallModel::drawn(run.width, &mut generator, &device),
            optimizer: AdamConfig::new().init(),
            generator,
            device,
        })
    }

    /// Returns the settings of the model.
    pub fn run(&self) -> RecallRun {
        self.run
    }

    /// Returns the number of steps so far.
    pub fn step(&self) -> usize {
        self.step
    }

    /// Trains up to a step, timed by a clock in milliseconds; steps that were made are not repeated.
    ///
    /// # Errors
    /// If the loss is not a number any more, or the device fails.
    pub fn advance(&mut self, until: usize, clock_ms: impl Fn() -> f64) -> Result<(), LessonError> {
        let began = clock_ms();
        while self.step < until.min(RECALL_STEPS) {
            let pairs = self
                .generator
                .random_range(1..=RECALL_PAIRS[RECALL_PAIRS.len() - 1]);
            let examples = Examples::drawn(
                self.run.task,
                [BATCH, pairs],
                &mut self.generator,
                &self.device,
            );
            let predicted = self.model.log_probabilities(self.run, &examples);
            let loss = -predicted
                .gather(1, examples.answers.unsqueeze_dim(1))
                .mean();
            let gradients = GradientsParams::from_grads(loss.backward(), &self.model);
            self.loss = values(loss.inner())?[0];
            if !self.loss.is_finite() {
                return Err(LessonError::NotFinite("the loss"));
            }
            let progress = self.step as f64 / RECALL_STEPS as f64;
            let rate = RATE * 0.5 * (1.0 + (PI * progress).cos());
            self.model = self.optimizer.step(rate, self.model.clone(), gradients);
            self.step += 1;
        }
        self.milliseconds += clock_ms() - began;
        Ok(())
    }

    /// Measures the model on examples of a generator of their own.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measured(&self) -> Result<Recalled, LessonError> {
        let model = self.model.valid();
        let device = self.device.clone().inner();
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(!self.run.seed);
        let score = |pairs| {
            let examples =
                Examples::drawn(self.run.task, [MEASURED, pairs], &mut generator, &device);
            model.score(self.run, examples)
        };
        Ok(Recalled {
            run: self.run,
            step: self.step,
            loss: self.loss,
            milliseconds: self.milliseconds,
            scores: RECALL_PAIRS
                .into_iter()
                .map(score)
                .collect::<Result<_, _>>()?,
        })
    }
}

impl RecallModel {
    fn drawn(width: usize, generator: &mut Xoshiro256PlusPlus, device: &Device) -> Self {
        let mut draw = |rows: usize, columns: usize, deviation: f32| {
            let normal = StandardNormal.sample_iter(&mut *generator);
            let drawn: Vec<f32> = normal.take(rows * columns).collect();
            let drawn = Tensor::<2>::from_data(TensorData::new(drawn, [rows, columns]), device);
            Param::from_tensor(drawn.mul_scalar(deviation))
        };
        // Glorot and Bengio 2010.
        let between = |rows: usize, columns: usize| (2.0 / (rows + columns) as f32).sqrt();
        let projection = between(TABLE_WIDTH, width);
        RecallModel {
            key_table: draw(RECALL_KEYS, TABLE_WIDTH, 1.0),
            value_table: draw(RECALL_VALUES, TABLE_WIDTH, 1.0),
            query: draw(TABLE_WIDTH, width, projection),
            key: draw(TABLE_WIDTH, width, projection),
            value: draw(TABLE_WIDTH, width, projection),
            strength: draw(TABLE_WIDTH, 1, between(TABLE_WIDTH, 1)),
            output: draw(width, RECALL_VALUES, between(width, RECALL_VALUES)),
        }
    }

    /// Returns `log p` of every value for each key of the examples, `[batch * n, values]`.
    fn log_probabilities(&self, run: RecallRun, examples: &Examples) -> Tensor<2> {
        let rows = |vectors: Tensor<2>| {
            let [count, width] = vectors.dims();
            vectors.reshape([count / examples.pairs, examples.pairs, width])
        };
        let keys = self.key_table.val().select(0, examples.keys.clone());
        let shown = self.value_table.val().select(0, examples.values.clone());
        let project =
            |vectors: &Tensor<2>, by: &Param<Tensor<2>>| rows(vectors.clone().matmul(by.val()));
        let pairs = Pairs {
            keys: project(&keys, &self.key),
            values: project(&shown, &self.value),
            strengths: sigmoid(project(&keys, &self.strength)),
        };
        let read = read(run.way, project(&keys, &self.query), pairs);
        log_softmax(read.flatten::<2>(0, 1).matmul(self.output.val()), 1)
    }

    fn score(&self, run: RecallRun, examples: Examples) -> Result<RecallScore, LessonError> {
        let predicted = self.log_probabilities(run, &examples);
        let right = examples.answers.unsqueeze_dim::<2>(1);
        let named = predicted.clone().argmax(1).equal(right.clone());
        let mean = |tensor: Tensor<1>| Ok::<f32, LessonError>(values(tensor)?[0]);
        Ok(RecallScore {
            pairs: examples.pairs,
            accuracy: mean(named.float().mean())?,
            probability: mean(predicted.gather(1, right).exp().mean())?,
        })
    }
}

impl Examples {
    /// Draws so many examples with so many pairs.
    fn drawn(
        task: RecallTask,
        [count, pairs]: [usize; 2],
        generator: &mut Xoshiro256PlusPlus,
        device: &Device,
    ) -> Self {
        let (mut keys, mut values, mut answers) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..count {
            let shown = drawn_keys(task, pairs, generator);
            let with: Vec<i32> = (0..pairs)
                .map(|_| generator.random_range(0..RECALL_VALUES as i32))
                .collect();
            answers.extend(shown.iter().map(|key| last_value(&shown, &with, *key)));
            keys.extend(shown);
            values.extend(with);
        }
        let tensor = |numbers: Vec<i32>| Tensor::<1, Int>::from_data(&numbers[..], device);
        Examples {
            keys: tensor(keys),
            values: tensor(values),
            answers: tensor(answers),
            pairs,
        }
    }
}

/// Draws the keys of an example in the order in which they are shown.
fn drawn_keys(task: RecallTask, pairs: usize, generator: &mut Xoshiro256PlusPlus) -> Vec<i32> {
    let mut all: Vec<i32> = (0..RECALL_KEYS as i32).collect();
    let different = match task {
        RecallTask::Once => pairs,
        RecallTask::Again => pairs.div_ceil(2),
    };
    let (chosen, _) = all.partial_shuffle(generator, different);
    let mut shown: Vec<i32> = chosen.iter().copied().cycle().take(pairs).collect();
    shown.shuffle(generator);
    shown
}

/// Returns the value that was shown last with a key.
fn last_value(keys: &[i32], values: &[i32], key: i32) -> i32 {
    let mut pairs = keys.iter().zip(values).rev();
    pairs
        .find(|(shown, _)| **shown == key)
        .map_or(0, |(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use attention_trace::lessons::{RecallWay, StateRule};

    use super::*;

    fn run(way: RecallWay) -> RecallRun {
        RecallRun {
            way,
            task: RecallTask::Once,
            width: 8,
            seed: 1,
        }
    }

    #[test]
    fn a_run_in_parts_is_the_run_at_once() {
        let run = run(RecallWay::State(StateRule::Delta));
        let (mut whole, mut parts) = (
            RecallTrainer::new(run).unwrap(),
            RecallTrainer::new(run).unwrap(),
        );
        whole.advance(4, || 0.0).unwrap();
        for until in [1, 3, 2, 4] {
            parts.advance(until, || 0.0).unwrap();
        }
        assert_eq!(parts.step(), 4);
        assert_eq!(whole.measured().unwrap(), parts.measured().unwrap());
    }

    #[test]
    fn a_width_that_is_no_width_is_refused() {
        let none = RecallRun {
            width: 0,
            ..run(RecallWay::Softmax)
        };
        assert!(RecallTrainer::new(none).is_err());
    }

    fn different(keys: &[i32]) -> usize {
        keys.iter().collect::<std::collections::BTreeSet<_>>().len()
    }

    #[test]
    fn keys_are_shown_once_or_twice() {
        let mut generator = Xoshiro256PlusPlus::seed_from_u64(5);
        for pairs in RECALL_PAIRS {
            let mut drawn = |task| drawn_keys(task, pairs, &mut generator);
            let (once, again) = (drawn(RecallTask::Once), drawn(RecallTask::Again));
            assert_eq!((once.len(), again.len()), (pairs, pairs));
            assert_eq!(different(&once), pairs);
            assert_eq!(different(&again), pairs.div_ceil(2));
        }
    }

    #[test]
    fn the_answer_is_the_value_shown_last() {
        assert_eq!(last_value(&[3, 5, 3, 5], &[1, 2, 7, 9], 3), 7);
        assert_eq!(last_value(&[3, 5, 4], &[1, 2, 7], 5), 2);
    }

    /// The accuracies of a trained model at 8 and at 32 pairs.
    fn trained(way: RecallWay, task: RecallTask) -> [f32; 2] {
        let mut trainer = RecallTrainer::new(RecallRun { task, ..run(way) }).unwrap();
        trainer.advance(RECALL_STEPS, || 0.0).unwrap();
        let scores = trainer.measured().unwrap().scores;
        [8, 32].map(|pairs| {
            let score = scores.iter().find(|score| score.pairs == pairs);
            score.unwrap().accuracy
        })
    }

    /// Holds the accuracies of the ways to those that the page's text names, as far as processors round alike.
    fn named(task: RecallTask, expected: [[f32; 2]; 4]) {
        for (way, expected) in RecallWay::ALL.into_iter().zip(expected) {
            for (found, expected) in trained(way, task).into_iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 0.03,
                    "{way:?}: {found}, {expected}"
                );
            }
        }
    }

    #[test]
    fn a_state_of_width_8_forgets_what_attention_recalls() {
        let expected = [[1.0, 1.0], [0.69, 0.18], [0.63, 0.19], [0.72, 0.21]];
        named(RecallTask::Once, expected);
    }

    #[test]
    fn of_keys_shown_twice_the_delta_rule_knows_the_last_value_best() {
        let expected = [[0.37, 0.34], [0.29, 0.16], [0.30, 0.15], [0.83, 0.37]];
        named(RecallTask::Again, expected);
    }
}
