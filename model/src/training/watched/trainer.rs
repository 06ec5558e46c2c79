//! A run: its steps, and the model it has come to.

use attention_trace::ModelSpec;
use attention_trace::training::{
    Evaluation, Example, Observation, OptimizerKind, StepReport, TrainingFault, TrainingSettings,
};
use burn::optim::{
    AdamWConfig, GradientsParams, ModuleOptimizer, SgdConfig, momentum::MomentumConfig,
};
use burn::prelude::*;
use burn::tensor::Bytes;
use burn::tensor::activation::log_softmax;
use serde_json::json;

use super::encode::Encoder;
use super::error::{WatchError, unread};
use super::examples::Examples;
use super::learner::Learner;
use super::observe::{evaluate, observe};
use super::tokenizer::tokenizer_json;
use crate::families::merge;
use crate::sequence::SequenceModel;
use crate::tap::Tap;
use crate::training::batch::{Batch, Encoded};
use crate::training::loss::{adam, padding, predict, surprise};
use crate::weights::Precision;

/// The entry of `config.json` that says how a model was trained.
const TRAINING_ENTRY: &str = "training";

/// A run at the step it has come to.
pub struct Trainer {
    settings: TrainingSettings,
    encoder: Encoder,
    examples: Examples,
    examined: Vec<Encoded>,
    watched: Encoded,
    model: Learner,
    optimizer: ModuleOptimizer,
    device: Device,
    step: usize,
}

/// A state to go on from.
pub struct State<'a> {
    /// Steps made.
    pub step: usize,
    /// `model.safetensors`, in full precision.
    pub weights: &'a [u8],
    /// What the optimizer remembers; nothing where that is to begin anew.
    pub optimizer: &'a [u8],
}

/// A trained model as others read it, and what training goes on from.
pub struct Trained {
    /// `config.json`
    pub config: String,
    /// `tokenizer.json`
    pub tokenizer: String,
    /// `model.safetensors`, in full precision.
    pub weights: Vec<u8>,
    /// What the optimizer remembers.
    pub optimizer: Vec<u8>,
}

impl Trainer {
    /// A run at its beginning, or at the state that it goes on from.
    ///
    /// # Errors
    /// If the settings are wrong, or the state is that of another model.
    pub fn new(settings: TrainingSettings, from: Option<State<'_>>) -> Result<Self, WatchError> {
        settings.check()?;
        let vocabulary = settings.vocabulary()?;
        let device = crate::device::cpu().autodiff();
        let config = settings.config(vocabulary.len());
        let mut model = Learner::new(&config, settings.seed, &device)?;
        let mut optimizer = optimizer(settings.optimizer.kind);
        let mut step = 0;
        if let Some(state) = from {
            let broken = |error: &dyn std::fmt::Display| WatchError::Checkpoint(error.to_string());
            model = model
                .filled(state.weights)
                .map_err(|error| broken(&error))?;
            if !state.optimizer.is_empty() {
                let bytes = Bytes::from_bytes_vec(state.optimizer.to_vec());
                optimizer = optimizer
                    .from_bytes(bytes)
                    .map_err(|error| broken(&error))?;
            }
            step = state.step;
        }
        let task = settings.task.clone();
        let encoder = Encoder::new(task, settings.shape.architecture, vocabulary);
        let examples = Examples::new(&settings.task, settings.seed)?;
        let examined = encoded(&encoder, &examples.examined)?;
        // A long example shows more.
        let longest = examined.iter().max_by_key(|example| example.input.len());
        let watched = longest.ok_or(TrainingFault::NoExamples)?.clone();
        Ok(Trainer {
            watched,
            settings,
            encoder,
            examples,
            examined,
            model,
            optimizer,
            device,
            step,
        })
    }

    /// What the model is.
    pub fn spec(&self) -> ModelSpec {
        self.model.sequence().spec()
    }

    /// Number of weights.
    pub fn parameters(&self) -> usize {
        self.model.num_params()
    }

    /// Steps made.
    pub fn steps_made(&self) -> usize {
        self.step
    }

    /// Whether all steps are made that were asked for.
    pub fn is_finished(&self) -> bool {
        self.step >= self.settings.optimizer.steps
    }

    /// One step of the optimizer.
    ///
    /// # Errors
    /// If the loss is no number any more; the model is then what it was before the step.
    pub fn step(&mut self) -> Result<StepReport, WatchError> {
        let step = self.step + 1;
        let plan = &self.settings.optimizer;
        let examples = self.examples.of_step(step, plan.batch)?;
        let examples = encoded(&self.encoder, &examples)?;
        let batch = batch(self.model.sequence(), &examples, &self.device);
        let logits = predict(self.model.sequence(), &batch, &mut Tap::quiet());
        let right = logits.clone().detach().inner().argmax(1).squeeze_dim(1);
        let right = right.equal(batch.labels.clone().inner()).int().sum();
        let loss = surprise(log_softmax(logits, 1), batch.labels).mean();
        let gradients = GradientsParams::from_grads(loss.backward(), &self.model);
        let loss: f32 = self.finite(loss.into_scalar())?;
        let rate = plan.schedule.rate(step, plan.steps);
        self.model = self.optimizer.step(rate, self.model.clone(), gradients);
        self.step = step;
        let right: i32 = right.into_scalar();
        Ok(StepReport {
            step,
            loss,
            accuracy: right as f32 / batch.tokens as f32,
            learning_rate: rate,
        })
    }

    /// `loss`, if it is a number. Where it is none, no step from here on has one.
    fn finite(&self, loss: f32) -> Result<f32, WatchError> {
        let step = self.step + 1;
        match loss.is_finite() {
            true => Ok(loss),
            false => Err(WatchError::Diverged { step }),
        }
    }

    /// How well the model does on the examples that are held out.
    ///
    /// # Errors
    /// If the loss is no number any more, or the device fails.
    pub fn evaluate(&self) -> Result<Evaluation, WatchError> {
        let examined = evaluate(&self.model.valid(), &self.examined)?;
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

    /// The watched example as the model sees it.
    ///
    /// # Errors
    /// If the loss is no number any more, or the device fails.
    pub fn observe(&self) -> Result<Observation, WatchError> {
        let observed = observe(&self.model, &self.watched, &self.encoder, &self.device)?;
        self.finite(observed.loss)?;
        Ok(observed)
    }

    /// The model as others read it, and what training goes on from.
    ///
    /// # Errors
    /// If the weights cannot be read from their device.
    pub fn trained(&self) -> Result<Trained, WatchError> {
        let (config, weights) = self.model.valid().sequence().published(Precision::Full)?;
        let training = json!({TRAINING_ENTRY: {"step": self.step, "settings": self.settings}});
        let architecture = self.settings.shape.architecture;
        Ok(Trained {
            config: format!("{:#}\n", merge(config, training)),
            tokenizer: tokenizer_json(self.encoder.vocabulary(), architecture),
            weights,
            optimizer: self.optimizer.into_bytes().map_err(unread)?.to_vec(),
        })
    }
}

fn optimizer(kind: OptimizerKind) -> ModuleOptimizer {
    match kind {
        OptimizerKind::Adam => adam().init(),
        OptimizerKind::AdamW => AdamWConfig::new()
            .with_beta_2(0.98)
            .with_epsilon(1e-9)
            .with_weight_decay(0.01)
            .init(),
        // Without dampening, as PyTorch's default is.
        OptimizerKind::Sgd => SgdConfig::new()
            .with_momentum(Some(MomentumConfig::new().with_dampening(0.0)))
            .init(),
    }
}

fn encoded(encoder: &Encoder, examples: &[Example]) -> Result<Vec<Encoded>, WatchError> {
    let encoded = examples.iter().map(|example| encoder.encode(example));
    Ok(encoded.collect::<Result<_, _>>()?)
}

/// All of these in one batch.
pub(super) fn batch(model: &dyn SequenceModel, examples: &[Encoded], device: &Device) -> Batch {
    let examples: Vec<&Encoded> = examples.iter().collect();
    Batch::new(&examples, padding(model), device)
}
