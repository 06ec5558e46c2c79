//! Optimizers, which turn gradients into steps.

mod flat;
mod record;

use attention_trace::training::OptimizerKind;
use burn::optim::{
    AdamWConfig, GradientsParams, ModuleOptimizer, SgdConfig, momentum::MomentumConfig,
};
use burn::prelude::*;
use burn::tensor::Bytes;

use super::error::{WatchError, unread};
use super::learner::Learner;
use crate::training::loss::adam;

pub use flat::{FlatOptimizer, Gathered};

/// The share of the velocity that SGD keeps at each step.
const MOMENTUM: f64 = 0.9;

/// An optimizer with its state. Both kinds compute the same and write the same, so that a run can be continued from the
/// checkpoint of either.
#[allow(clippy::large_enum_variant, reason = "there is one of it in a run")]
pub enum Optimizer {
    /// burn's own, which updates one parameter after another. Its state can only be read synchronously, as on the CPU.
    ByParameter(ModuleOptimizer),
    /// A single update of all parameters together: on a GPU each operation is a launch, whatever its size.
    Flat(FlatOptimizer),
}

impl Optimizer {
    /// Creates an optimizer with empty state, for the CPU.
    pub fn by_parameter(kind: OptimizerKind) -> Self {
        Optimizer::ByParameter(match kind {
            OptimizerKind::Adam => adam().init(),
            OptimizerKind::AdamW => adam_w().init(),
            OptimizerKind::Sgd => sgd().init(),
        })
    }

    /// Creates an optimizer with empty state, for a GPU.
    pub fn flat(kind: OptimizerKind) -> Self {
        Optimizer::Flat(FlatOptimizer::new(kind))
    }

    /// Restores the state that an earlier optimizer wrote, on `device`.
    ///
    /// # Errors
    /// If the bytes are not such a state.
    pub fn remembering(self, bytes: &[u8], device: &Device) -> Result<Self, WatchError> {
        let bytes = Bytes::from_bytes_vec(bytes.to_vec());
        Ok(match self {
            Optimizer::ByParameter(optimizer) => Optimizer::ByParameter(
                optimizer
                    .from_bytes(bytes)
                    .map_err(|error| WatchError::Checkpoint(error.to_string()))?,
            ),
            Optimizer::Flat(optimizer) => Optimizer::Flat(optimizer.remembering(bytes, device)?),
        })
    }

    /// Returns the model after a step at `rate`.
    ///
    /// # Errors
    /// If its state is of another model.
    pub fn step(
        &mut self,
        rate: f64,
        model: Learner,
        gradients: GradientsParams,
    ) -> Result<Learner, WatchError> {
        match self {
            Optimizer::ByParameter(optimizer) => Ok(optimizer.step(rate, model, gradients)),
            Optimizer::Flat(optimizer) => optimizer.step(rate, model, &gradients),
        }
    }

    /// Returns its state, in the format that [`remembering`](Self::remembering) reads.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn to_bytes(&self) -> Result<Vec<u8>, WatchError> {
        match self {
            Optimizer::ByParameter(optimizer) => {
                Ok(optimizer.into_bytes().map_err(unread)?.to_vec())
            }
            Optimizer::Flat(optimizer) => optimizer.to_bytes().await,
        }
    }
}

fn adam_w() -> AdamWConfig {
    AdamWConfig::new()
        .with_beta_2(0.98)
        .with_epsilon(1e-9)
        .with_weight_decay(0.01)
}

/// Creates SGD without dampening, PyTorch's default.
fn sgd() -> SgdConfig {
    let momentum = MomentumConfig::new()
        .with_momentum(MOMENTUM)
        .with_dampening(0.0);
    SgdConfig::new().with_momentum(Some(momentum))
}
