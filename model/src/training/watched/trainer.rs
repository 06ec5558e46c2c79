//! A training run: its steps, and the current state of the model.

use attention_trace::ModelSpec;
use attention_trace::training::{
    Evaluation, Example, Observation, StepReport, TrainingFault, TrainingSettings,
};
use burn::optim::GradientsParams;
use burn::prelude::*;
use burn::tensor::activation::log_softmax;
use serde_json::json;

use super::check::{Placed, Trial, check};
use super::encode::Encoder;
use super::error::WatchError;
use super::examples::Examples;
use super::learner::Learner;
use super::observe::{evaluate, observe};
use super::optimizer::Optimizer;
use super::read::read_numbers;
use super::tokenizer::tokenizer_json;
use crate::family::merge;
use crate::sequence::SequenceModel;
use crate::tap::Tap;
use crate::training::batch::{Batch, Encoded};
use crate::training::loss::{padding, predict, surprise};
use crate::weights::Precision;

/// The entry of `config.json` for the settings of the training.
const TRAINING_ENTRY: &str = "training";

/// A run at its current step.
pub struct Trainer {
    settings: TrainingSettings,
    encoder: Encoder,
    examples: Examples,
    examined: Vec<Encoded>,
    watched: Encoded,
    model: Learner,
    optimizer: Optimizer,
    device: Device,
    /// A model of the same sizes in the CPU's memory, which the weights are read into; `None` if the model is there
    /// already.
    mold: Option<Learner>,
    step: usize,
}

/// A saved state to continue from.
pub struct State<'a> {
    /// The number of steps made.
    pub step: usize,
    /// `model.safetensors`, in full precision.
    pub weights: &'a [u8],
    /// The optimizer's state; empty to start with a new one.
    pub optimizer: &'a [u8],
}

/// A trained model in the published format, and the state to continue from.
pub struct Trained {
    /// The contents of `config.json`.
    pub config: String,
    /// The contents of `tokenizer.json`.
    pub tokenizer: String,
    /// `model.safetensors`, in full precision.
    pub weights: Vec<u8>,
    /// The state of the optimizer.
    pub optimizer: Vec<u8>,
}

impl Trainer {
    /// Creates a run on the CPU, at its beginning or at the saved state.
    ///
    /// # Errors
    /// If the settings are wrong, or the state is that of another model.
    pub fn new(settings: TrainingSettings, from: Option<State<'_>>) -> Result<Self, WatchError> {
        let device = crate::device::cpu().autodiff();
        let mut trainer = Self::begun(settings, device)?;
        if let Some(state) = from {
            trainer.go_on_from(&state)?;
        }
        Ok(trainer)
    }

    /// Creates the same run on another device: weights and examples for a seed are those of the CPU. The device is
    /// checked first: it must compute the first step and an evaluation as the CPU does.
    ///
    /// # Errors
    /// If the settings are wrong, the state is that of another model, or the device fails or computes something else.
    pub async fn on_device(
        settings: TrainingSettings,
        from: Option<State<'_>>,
        device: &Device,
    ) -> Result<Self, WatchError> {
        let cpu = crate::device::cpu().autodiff();
        let mut trainer = Self::begun(settings, cpu.clone())?;
        let device = device.clone().autodiff();
        let kind = trainer.settings.optimizer.kind;
        let model = trainer.model.clone().fork(&device);
        let batch = trainer.examples_of_step(1)?;
        let found = Placed {
            model: &model,
            device: &device,
        };
        let reference = Placed {
            model: &trainer.model,
            device: &cpu,
        };
        let trial = Trial {
            batch: &batch,
            examined: &trainer.examined,
            optimizer: kind,
        };
        check(found, reference, trial).await?;
        trainer.optimizer = Optimizer::flat(kind);
        trainer.mold = Some(trainer.model.valid());
        trainer.model = model;
        trainer.device = device;
        if let Some(state) = from {
            trainer.go_on_from(&state)?;
        }
        Ok(trainer)
    }

    /// Creates a run at its beginning.
    fn begun(settings: TrainingSettings, device: Device) -> Result<Self, WatchError> {
        settings.check()?;
        let vocabulary = settings.vocabulary()?;
        let config = settings.config(vocabulary.len());
        let model = Learner::new(&config, settings.seed, &device)?;
        let task = settings.task.clone();
        let encoder = Encoder::new(task, settings.shape.architecture, vocabulary);
        let examples = Examples::new(&settings.task, settings.seed)?;
        let examined = encoded(&encoder, &examples.examined)?;
        // A long example shows more.
        let longest = examined.iter().max_by_key(|example| example.input.len());
        let watched = longest.ok_or(TrainingFault::NoExamples)?.clone();
        Ok(Trainer {
            watched,
            optimizer: Optimizer::by_parameter(settings.optimizer.kind),
            settings,
            encoder,
            examples,
            examined,
            model,
            device,
            mold: None,
            step: 0,
        })
    }

    fn go_on_from(&mut self, state: &State<'_>) -> Result<(), WatchError> {
        let model = self.model.clone().filled(state.weights);
        self.model = model.map_err(|error| WatchError::Checkpoint(error.to_string()))?;
        if !state.optimizer.is_empty() {
            let optimizer = match &self.optimizer {
                Optimizer::ByParameter(_) => Optimizer::by_parameter(self.settings.optimizer.kind),
                Optimizer::Flat(_) => Optimizer::flat(self.settings.optimizer.kind),
            };
            let device = self.device.clone().inner();
            self.optimizer = optimizer.remembering(state.optimizer, &device)?;
        }
        self.step = state.step;
        Ok(())
    }

    /// Returns the specification of the model.
    pub fn spec(&self) -> ModelSpec {
        self.model.sequence().spec()
    }

    /// Returns the number of weights.
    pub fn parameters(&self) -> usize {
        self.model.num_params()
    }

    /// Returns the number of steps made.
    pub fn steps_made(&self) -> usize {
        self.step
    }

    /// Returns true if all steps of the settings are made.
    pub fn is_finished(&self) -> bool {
        self.step >= self.settings.optimizer.steps
    }

    /// Makes one step of the optimizer.
    ///
    /// # Errors
    /// If the loss is not a number any more, or the device fails; the model is then what it was before the step.
    pub async fn step(&mut self) -> Result<StepReport, WatchError> {
        let step = self.step + 1;
        let plan = &self.settings.optimizer;
        let examples = self.examples_of_step(step)?;
        let batch = batch(self.model.sequence(), &examples, &self.device);
        let tokens = batch.tokens;
        let Passed { loss, right } = pass(&self.model, &batch);
        let gradients = GradientsParams::from_grads(loss.backward(), &self.model);
        let [loss, right] = read_numbers([loss.inner(), right]).await?;
        let loss = self.finite(loss)?;
        let rate = plan.schedule.rate(step, plan.steps);
        self.model = self.optimizer.step(rate, self.model.clone(), gradients)?;
        self.step = step;
        Ok(StepReport {
            step,
            loss,
            accuracy: right / tokens as f32,
            learning_rate: rate,
        })
    }

    fn examples_of_step(&self, step: usize) -> Result<Vec<Encoded>, WatchError> {
        let examples = self.examples.of_step(step, self.settings.optimizer.batch)?;
        encoded(&self.encoder, &examples)
    }

    /// Returns `loss`, if it is a number. If it is not, all later steps would fail too.
    fn finite(&self, loss: f32) -> Result<f32, WatchError> {
        let step = self.step + 1;
        match loss.is_finite() {
            true => Ok(loss),
            false => Err(WatchError::Diverged { step }),
        }
    }

    /// Evaluates the model on the examples that are held out.
    ///
    /// # Errors
    /// If the loss is not a number any more, or the device fails.
    pub async fn evaluate(&self) -> Result<Evaluation, WatchError> {
        let device = self.device.clone().inner();
        let examined = evaluate(&self.model.valid(), &self.examined, &device).await?;
        Ok(Evaluation {
            step: self.step,
            examples: self.examined.len(),
            held_out: self.examples.held_out,
            loss: self.finite(examined.loss)?,
            token_accuracy: examined.token_accuracy,
            sequence_accuracy: examined.sequence_accuracy,
        })
    }

    /// Observes this example from now on.
    ///
    /// # Errors
    /// If the vocabulary lacks a character, or the example is too long.
    pub fn watch(&mut self, example: &Example) -> Result<(), WatchError> {
        self.watched = self.encoder.encode(example)?;
        Ok(())
    }

    /// Observes the example of the task that begins with `input` from now on.
    ///
    /// # Errors
    /// If the task has no answer to it.
    pub fn watch_input(&mut self, input: &str) -> Result<(), WatchError> {
        self.watch(&self.settings.task.example(input)?)
    }

    /// Observes the watched example in the model.
    ///
    /// # Errors
    /// If the loss is not a number any more, or the device fails.
    pub async fn observe(&self) -> Result<Observation, WatchError> {
        let observed = observe(&self.model, &self.watched, &self.encoder, &self.device).await?;
        self.finite(observed.loss)?;
        Ok(observed)
    }

    /// Returns the model in the published format, and the state to continue from.
    ///
    /// # Errors
    /// If the weights cannot be read from their device.
    pub async fn trained(&self) -> Result<Trained, WatchError> {
        let model = match &self.mold {
            Some(mold) => self.model.read_into(mold.clone()).await?,
            None => self.model.valid(),
        };
        let (config, weights) = model.sequence().published(Precision::Full)?;
        let training = json!({TRAINING_ENTRY: {"step": self.step, "settings": self.settings}});
        let architecture = self.settings.shape.architecture;
        Ok(Trained {
            config: format!("{:#}\n", merge(config, training)),
            tokenizer: tokenizer_json(self.encoder.vocabulary(), architecture),
            weights,
            optimizer: self.optimizer.to_bytes().await?,
        })
    }
}

fn encoded(encoder: &Encoder, examples: &[Example]) -> Result<Vec<Encoded>, WatchError> {
    let encoded = examples.iter().map(|example| encoder.encode(example));
    Ok(encoded.collect::<Result<_, _>>()?)
}

/// Pads these examples into one batch.
pub(super) fn batch(model: &dyn SequenceModel, examples: &[Encoded], device: &Device) -> Batch {
    let examples: Vec<&Encoded> = examples.iter().collect();
    Batch::new(&examples, padding(model), device)
}

/// The results of a pass over a batch.
pub(super) struct Passed {
    /// The mean of `−log p` of the labels.
    pub loss: Tensor<1>,
    /// The number of labels predicted as most probable, without autodiff.
    right: Tensor<1>,
}

/// Runs a pass of a model in training.
pub(super) fn pass(model: &Learner, batch: &Batch) -> Passed {
    let logits = predict(model.sequence(), batch, &mut Tap::quiet());
    let right = logits.clone().detach().inner().argmax(1).squeeze_dim(1);
    let right = right.equal(batch.labels.clone().inner()).int().sum();
    Passed {
        loss: surprise(log_softmax(logits, 1), batch.labels.clone()).mean(),
        right: right.float(),
    }
}
