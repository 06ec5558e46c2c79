//! The training loop: seeded, resumable, reporting loss.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use burn::optim::{GradientsAccumulator, GradientsParams, ModuleOptimizer};
use burn::prelude::*;
use burn::store::ModuleSnapshot;
use burn::tensor::activation::log_softmax;
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};

use super::batch::{Batch, Encoded};
use super::checkpoint::Checkpoints;
use super::corpus::LONG_TEST_ENTRY;
use super::data::Data;
use super::deal::deal;
use super::files::{TOKENIZER, WEIGHTS, read, write};
use super::loss::{adam, padding, ponder, predict, surprise};
use super::origin::Origin;
use super::task::TASK_ENTRY;
use super::{ModelRecipe, Recipe, TrainError};
use crate::bert::Bert;
use crate::error::ModelError;
use crate::gpt2::{self, Gpt2};
use crate::gru::GruSeq2Seq;
use crate::llama::{self, Llama};
use crate::marian::{self, Marian};
use crate::sequence::SequenceModel;
use crate::tap::Tap;
use crate::universal::Universal;
use crate::weights::{self, Layout, Precision};

/// The files of a checkpoint: its progress, the weights in full precision, and the state of Adam.
const PROGRESS: &str = "progress.json";
const MODEL: &str = "model.bpk";
const OPTIMIZER: &str = "optimizer.bpk";

/// The directories, the device and the limits of a run.
pub struct TrainOptions {
    /// Directory of the files the recipe names, if it names any.
    pub data: Option<PathBuf>,
    /// Directory of a model whose tokenizer and weights the run starts from, not from random ones.
    pub from: Option<PathBuf>,
    /// Directory of the trained model; checkpoints go to `run/` inside it.
    pub out: PathBuf,
    /// The device that computes the run.
    pub device: Device,
    /// Threads that each compute a part of every batch.
    pub workers: usize,
    /// The time after which the run stops, leaving a checkpoint to continue from.
    pub time_limit: Option<Duration>,
}

/// A model that can be trained on batches.
trait Trainable: SequenceModel + Module + ModuleSnapshot {
    /// Returns this model with the weights of a `model.safetensors` of the same sizes.
    fn filled(self, weights: &[u8]) -> Result<Self, ModelError> {
        weights::load(self, &weights, &Layout::PATHS)
    }

    /// Dropout rate in training.
    fn dropout(&self) -> f64;
}

impl Trainable for Marian {
    fn filled(self, weights: &[u8]) -> Result<Self, ModelError> {
        weights::load(self, &weights, &marian::LAYOUT)
    }

    fn dropout(&self) -> f64 {
        self.config().dropout
    }
}

impl Trainable for GruSeq2Seq {
    /// Takes the parameters that both models share, if the other has a different attention.
    fn filled(self, weights: &[u8]) -> Result<Self, ModelError> {
        weights::load(self, &weights, &Layout::WITHOUT_ATTENTION)
    }

    fn dropout(&self) -> f64 {
        self.config().dropout
    }
}

impl Trainable for Llama {
    /// Averages the other model's keys and values, if this one has fewer heads of them.
    fn filled(self, weights: &[u8]) -> Result<Self, ModelError> {
        let config = self.config();
        let (heads, width) = (config.key_value_heads(), config.head_dim());
        let averaged = weights::average_key_values(weights, heads, width)?;
        weights::load(self, &averaged.as_slice(), &llama::LAYOUT)
    }

    fn dropout(&self) -> f64 {
        self.config().dropout
    }
}

impl Trainable for Gpt2 {
    fn filled(self, weights: &[u8]) -> Result<Self, ModelError> {
        weights::load(self, &weights, &gpt2::LAYOUT)
    }

    fn dropout(&self) -> f64 {
        0.0
    }
}

impl Trainable for Bert {
    fn filled(self, weights: &[u8]) -> Result<Self, ModelError> {
        let layout = self.layout();
        weights::load(self, &weights, &layout)
    }

    fn dropout(&self) -> f64 {
        0.0
    }
}

impl Trainable for Universal {
    fn dropout(&self) -> f64 {
        self.config().dropout
    }
}

/// Runs a recipe to its end or its time limit, going on from the last checkpoint in `out`.
///
/// # Errors
/// If data, recipe or checkpoint cannot be used, or are not those that the run began with, or the loss
/// diverges.
pub fn train(recipe: &Recipe, options: &TrainOptions) -> Result<(), TrainError> {
    recipe.check()?;
    let checkpoints = Checkpoints::open(options.out.join("run"))?;
    if let Some(from) = &options.from {
        copy_tokenizer(from, &options.out)?;
    }
    let (vocabulary, data) = Data::of(recipe, options.data.as_deref(), &options.out)?;
    let device = options.device.clone().autodiff();
    device.seed(recipe.seed);
    match &recipe.model {
        ModelRecipe::Marian(config) => {
            let mut config = config.clone();
            config.vocab_size = vocabulary;
            let model = Marian::new(&config, &device)?;
            Run::new(recipe, options, device, model, data, checkpoints)?.finish()
        }
        ModelRecipe::Llama(config) => {
            let mut config = config.clone();
            config.vocab_size = vocabulary;
            let model = Llama::new(&config, &device)?;
            Run::new(recipe, options, device, model, data, checkpoints)?.finish()
        }
        ModelRecipe::Gpt2(config) => {
            let mut config = config.clone();
            config.vocab_size = vocabulary;
            let model = Gpt2::new(&config, &device)?;
            Run::new(recipe, options, device, model, data, checkpoints)?.finish()
        }
        ModelRecipe::Bert(config) => {
            let mut config = config.clone();
            config.vocab_size = vocabulary;
            // A fact of a file's tensors, which no recipe names.
            config.has_head = true;
            let model = Bert::new(&config, &device)?;
            Run::new(recipe, options, device, model, data, checkpoints)?.finish()
        }
        ModelRecipe::Gru(config) => {
            let mut config = config.clone();
            config.vocab_size = vocabulary;
            let model = GruSeq2Seq::new(&config, &device)?;
            Run::new(recipe, options, device, model, data, checkpoints)?.finish()
        }
        ModelRecipe::Universal(config) => {
            let mut config = config.clone();
            config.vocab_size = vocabulary;
            let model = Universal::new(&config, &device)?;
            Run::new(recipe, options, device, model, data, checkpoints)?.finish()
        }
    }
}

/// Copies the tokenizer of the model that the run starts from.
fn copy_tokenizer(from: &Path, out: &Path) -> Result<(), TrainError> {
    let copy = out.join(TOKENIZER);
    if copy.exists() {
        return Ok(());
    }
    write(&copy, &read(&from.join(TOKENIZER))?)
}

/// The progress of a run, and its origin.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Progress {
    origin: Origin,
    step: usize,
    seconds: f64,
    history: Vec<Report>,
}

/// Loss at a checkpoint, in nats a token.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Report {
    step: usize,
    train_loss: f32,
    validation: Vec<(String, f32)>,
}

struct Run<'a, M> {
    recipe: &'a Recipe,
    options: &'a TrainOptions,
    device: Device,
    model: M,
    optimizer: ModuleOptimizer,
    data: Data,
    checkpoints: Checkpoints,
    progress: Progress,
}

impl<'a, M: Trainable> Run<'a, M> {
    /// Creates a run at its beginning, or at its last checkpoint.
    fn new(
        recipe: &'a Recipe,
        options: &'a TrainOptions,
        device: Device,
        model: M,
        data: Data,
        checkpoints: Checkpoints,
    ) -> Result<Self, TrainError> {
        let origin = Origin::of(recipe, options)?;
        let optimizer = adam().init();
        let mut run = Run {
            recipe,
            options,
            device,
            model,
            optimizer,
            data,
            checkpoints,
            progress: Progress {
                origin,
                step: 0,
                seconds: 0.0,
                history: vec![],
            },
        };
        match (run.checkpoints.newest()?, &options.from) {
            (Some(directory), _) => run = run.resumed(&directory)?,
            (None, Some(from)) => run.model = run.model.filled(&read(&from.join(WEIGHTS))?)?,
            (None, None) => {}
        }
        Ok(run)
    }

    /// Returns the run at its checkpoint in `directory`.
    fn resumed(mut self, directory: &Path) -> Result<Self, TrainError> {
        let bytes = read(&directory.join(PROGRESS))?;
        let progress: Progress = serde_json::from_slice(&bytes).map_err(checkpoint)?;
        progress.origin.check(&self.progress.origin, directory)?;
        self.progress = progress;
        let (model, optimizer) = (directory.join(MODEL), directory.join(OPTIMIZER));
        self.model = self.model.try_load_file(model).map_err(checkpoint)?;
        self.optimizer = self.optimizer.load(optimizer).map_err(checkpoint)?;
        eprintln!("going on from step {}", self.progress.step);
        Ok(self)
    }

    fn finish(mut self) -> Result<(), TrainError> {
        let plan = &self.recipe.optimization;
        let began = Instant::now();
        let earlier = self.progress.seconds;
        let train = std::mem::take(&mut self.data.train);
        let bar = progress_bar(plan.steps);
        let mut loss_sum = LossSum::default();
        eprintln!(
            "{} parameters, {} examples an epoch",
            self.model.num_params(),
            train.len()
        );
        let mut epoch = 0;
        let mut first = 0;
        while self.progress.step < plan.steps {
            let batches = deal(
                &train,
                plan.batch_tokens,
                self.recipe.seed.wrapping_add(epoch),
            );
            for (index, members) in batches.iter().enumerate() {
                if first + index < self.progress.step {
                    continue;
                }
                let seed = self.recipe.seed ^ ((self.progress.step as u64) << 24);
                let examples = self.asked(&train, members, seed);
                let examples: Vec<&Encoded> = examples.iter().map(AsRef::as_ref).collect();
                let tokens = examples.iter().map(|example| example.predicted()).sum();
                loss_sum.add(self.step(&examples)?, tokens);
                bar.set_position(self.progress.step as u64);
                bar.set_message(format!("epoch {epoch}, loss {:.3}", loss_sum.mean()));
                self.progress.seconds = earlier + began.elapsed().as_secs_f64();
                let over = self
                    .options
                    .time_limit
                    .is_some_and(|limit| began.elapsed() > limit);
                if self.progress.step.is_multiple_of(plan.checkpoint_every)
                    || self.progress.step == plan.steps
                    || over
                {
                    self.checkpoint(std::mem::take(&mut loss_sum).mean(), &bar)?;
                }
                if over || self.progress.step == plan.steps {
                    return Ok(());
                }
            }
            first += batches.len();
            epoch += 1;
        }
        Ok(())
    }

    /// Returns examples with what is to be predicted in them: the labels that they have, or words that the seed draws.
    fn asked<'e>(
        &self,
        examples: &'e [Encoded],
        members: &[usize],
        seed: u64,
    ) -> Vec<Cow<'e, Encoded>> {
        let members = members.iter();
        match &self.data.masking {
            None => members.map(|&i| Cow::Borrowed(&examples[i])).collect(),
            Some(masking) => members
                .map(|&i| Cow::Owned(masking.hide(&examples[i], seed.wrapping_add(i as u64))))
                .collect(),
        }
    }

    /// Makes one step of the optimizer; returns the loss in nats per token, label smoothing and ponder cost included.
    ///
    /// The batch is cut into one shard per worker thread; the gradient is that of the whole batch.
    fn step(&mut self, examples: &[&Encoded]) -> Result<f32, TrainError> {
        let step = self.progress.step + 1;
        let plan = &self.recipe.optimization;
        let tokens: usize = examples.iter().map(|example| example.predicted()).sum();
        let shard = examples.len().div_ceil(self.options.workers.max(1));
        let results = std::thread::scope(|scope| {
            let workers: Vec<_> = examples
                .chunks(shard)
                .enumerate()
                .map(|(index, examples)| {
                    let model = self.model.clone().fork(&self.device);
                    // Dropout depends on step and shard alone, so that a resumed run repeats what
                    // it would have done.
                    let seed = self.recipe.seed ^ ((step as u64) << 8) ^ index as u64;
                    let device = &self.device;
                    let smoothing = plan.label_smoothing;
                    scope
                        .spawn(move || gradients(&model, examples, tokens, smoothing, seed, device))
                })
                .collect();
            workers
                .into_iter()
                .map(|worker| worker.join())
                .collect::<Result<Vec<_>, _>>()
        });
        let results = results.map_err(|_| TrainError::Worker)?;
        let mut accumulator = GradientsAccumulator::new();
        let mut loss = 0.0;
        for (shard_loss, gradients) in results {
            loss += shard_loss;
            accumulator.accumulate(&self.model, gradients);
        }
        if !loss.is_finite() {
            return Err(TrainError::Diverged { step, loss });
        }
        let rate = plan.schedule.rate(step, plan.steps);
        self.model = self
            .optimizer
            .step(rate, self.model.clone(), accumulator.grads());
        self.progress.step = step;
        Ok(loss)
    }

    /// Writes the state to continue from and the published model, and reports the loss.
    fn checkpoint(&mut self, train_loss: f32, bar: &ProgressBar) -> Result<(), TrainError> {
        let model = self.model.valid();
        let validation: Vec<(String, f32)> = self
            .data
            .validation
            .iter()
            .map(|(language, examples)| (language.clone(), self.validation_loss(&model, examples)))
            .collect();
        let losses: String = validation
            .iter()
            .map(|(l, loss)| format!(" {l} {loss:.3}"))
            .collect();
        let (step, seconds) = (self.progress.step, self.progress.seconds);
        bar.suspend(|| {
            eprintln!("step {step}, {seconds:.0} s: train {train_loss:.3}, validation{losses}")
        });
        self.progress.history.push(Report {
            step: self.progress.step,
            train_loss,
            validation,
        });
        // Before the state to go on from: a run that is at its end has published its last model.
        self.publish(&model)?;
        self.checkpoints.write(step, |directory| {
            let progress = serde_json::to_vec(&self.progress).map_err(checkpoint)?;
            write(&directory.join(PROGRESS), &progress)?;
            let (model, optimizer) = (directory.join(MODEL), directory.join(OPTIMIZER));
            self.model.clone().save_file(model).map_err(checkpoint)?;
            self.optimizer.save(optimizer).map_err(checkpoint)
        })
    }

    /// Writes the model in the published format.
    fn publish(&self, model: &M) -> Result<(), TrainError> {
        let (mut config, weights) = model.published(Precision::Half)?;
        write(&self.options.out.join(WEIGHTS), &weights)?;
        if let Some(task) = &self.recipe.task {
            config[TASK_ENTRY] = serde_json::to_value(task).map_err(checkpoint)?;
        }
        // All sources have the same, as the recipe's check says.
        if let Some(long) = self.recipe.data.first().and_then(|source| source.long_test) {
            config[LONG_TEST_ENTRY] = serde_json::to_value(long).map_err(checkpoint)?;
        }
        let config = serde_json::to_vec_pretty(&config).map_err(checkpoint)?;
        write(&self.options.out.join("config.json"), &config)
    }

    /// Mean negative log-likelihood, in nats a token.
    fn validation_loss(&self, model: &M, examples: &[Encoded]) -> f32 {
        let device = self.device.clone().without_autodiff();
        let mut sum = LossSum::default();
        for members in deal(examples, self.recipe.optimization.batch_tokens, 0) {
            // The same words are hidden each time.
            let members = self.asked(examples, &members, 0);
            let members: Vec<&Encoded> = members.iter().map(AsRef::as_ref).collect();
            let batch = Batch::new(&members, padding(model), &device);
            let log_probabilities = log_softmax(predict(model, &batch, &mut Tap::quiet()), 1);
            let nll = surprise(log_probabilities, batch.labels.clone()).mean();
            sum.add(nll.into_scalar(), batch.tokens);
        }
        sum.mean()
    }
}

/// Computes a shard's part of the loss, which is a mean over the `tokens` of the whole batch, and of its gradients.
fn gradients<M: Trainable>(
    model: &M,
    examples: &[&Encoded],
    tokens: usize,
    smoothing: f32,
    seed: u64,
    device: &Device,
) -> (f32, GradientsParams) {
    let batch = Batch::new(examples, padding(model), device);
    let mut tap = Tap::training(model.dropout(), seed);
    let logits = predict(model, &batch, &mut tap);
    let log_probabilities = log_softmax(logits, 1);
    let share = 1.0 / tokens as f32;
    let nll = surprise(log_probabilities.clone(), batch.labels.clone()).sum();
    let loss = if smoothing > 0.0 {
        let [_, vocabulary] = log_probabilities.dims();
        let uniform = -log_probabilities.sum().div_scalar(vocabulary as f32);
        nll.mul_scalar(1.0 - smoothing) + uniform.mul_scalar(smoothing)
    } else {
        nll
    };
    let loss = match ponder(model, &batch, tap) {
        Some(cost) => loss + cost,
        None => loss,
    };
    let loss = loss.mul_scalar(share);
    let gradients = GradientsParams::from_grads(loss.backward(), model);
    (loss.into_scalar(), gradients)
}

#[derive(Default)]
struct LossSum {
    loss: f64,
    tokens: usize,
}

impl LossSum {
    fn add(&mut self, loss: f32, tokens: usize) {
        self.loss += f64::from(loss) * tokens as f64;
        self.tokens += tokens;
    }

    fn mean(&self) -> f32 {
        (self.loss / self.tokens.max(1) as f64) as f32
    }
}

fn progress_bar(steps: usize) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{pos}/{len} steps {bar:30} {per_sec}, {eta} left, {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(steps as u64).with_style(style)
}

fn checkpoint(error: impl std::fmt::Display) -> TrainError {
    TrainError::Checkpoint(error.to_string())
}
