//! The model in training.

use std::sync::{Mutex, PoisonError};

use attention_trace::training::LearnerConfig;
use burn::module::{ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::prelude::*;

use super::error::WatchError;
use super::read::read;
use crate::error::ModelError;
use crate::gru::GruSeq2Seq;
use crate::llama::{self, Llama};
use crate::marian::{self, Marian};
use crate::sequence::SequenceModel;
use crate::weights::{self, Layout};

/// A model of one of the families that can be trained.
#[derive(Module, Debug)]
#[allow(clippy::large_enum_variant, reason = "there is one of it in a run")]
pub enum Learner {
    /// A decoder-only Transformer, as Llama's.
    Llama(Llama),
    /// A Transformer encoder–decoder, as Marian's.
    Marian(Marian),
    /// A recurrent encoder–decoder of GRUs.
    Gru(GruSeq2Seq),
}

/// Held while weights are drawn: burn has one generator for all code that runs on the CPU.
static DRAWING: Mutex<()> = Mutex::new(());

impl Learner {
    /// Creates a new model with weights drawn from `seed`.
    ///
    /// # Errors
    /// If the sizes do not fit each other.
    pub fn new(config: &LearnerConfig, seed: u32, device: &Device) -> Result<Self, ModelError> {
        let _guard = DRAWING.lock().unwrap_or_else(PoisonError::into_inner);
        device.seed(seed.into());
        let learner = match config {
            LearnerConfig::Llama(config) => Learner::Llama(Llama::new(config, device)?),
            LearnerConfig::Marian(config) => Learner::Marian(Marian::new(config, device)?),
            LearnerConfig::Gru(config) => Learner::Gru(GruSeq2Seq::new(config, device)?),
        };
        Ok(learner.map(&mut Numbered::default()))
    }

    /// Returns this model with the weights of a `model.safetensors` of the same sizes.
    ///
    /// # Errors
    /// If they are of another model.
    pub fn filled(self, weights: &[u8]) -> Result<Self, ModelError> {
        Ok(match self {
            Learner::Llama(model) => {
                Learner::Llama(weights::load(model, &weights, &llama::LAYOUT)?)
            }
            Learner::Marian(model) => {
                Learner::Marian(weights::load(model, &weights, &marian::LAYOUT)?)
            }
            Learner::Gru(model) => Learner::Gru(weights::load(model, &weights, &Layout::PATHS)?),
        })
    }

    /// Copies the model into the CPU's memory, where `mold` is one of the same sizes.
    ///
    /// # Errors
    /// If the weights cannot be read from their device.
    pub async fn read_into(&self, mold: Self) -> Result<Self, WatchError> {
        let mut weights = Weights(vec![]);
        self.visit(&mut weights);
        let mut filler = Filler(read(weights.0).await?.into_iter());
        Ok(mold.map(&mut filler))
    }

    /// Returns the model by the interface of all sequence models.
    pub fn sequence(&self) -> &dyn SequenceModel {
        match self {
            Learner::Llama(model) => model,
            Learner::Marian(model) => model,
            Learner::Gru(model) => model,
        }
    }
}

/// Draws the weights of a new module in order, and numbers them accordingly: an optimizer keeps its state under these
/// numbers, which burn would otherwise draw at random; so the state fits the same weights of a module made later.
#[derive(Default)]
struct Numbered(u64);

impl ModuleMapper for Numbered {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        self.0 += 1;
        let tensor = param.val();
        param.transform_for_load(tensor, ParamId::from(self.0))
    }
}

/// All weights in order, flattened, without autodiff.
struct Weights(Vec<Tensor<1>>);

impl ModuleVisitor for Weights {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let value = param.val().inner();
        let count = value.dims().iter().product::<usize>();
        self.0.push(value.reshape([count]));
    }
}

/// Replaces the values of weights, in order.
struct Filler(std::vec::IntoIter<Vec<f32>>);

impl ModuleMapper for Filler {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(values) = self.0.next() else {
            return param;
        };
        param.map(|old| Tensor::from_data(TensorData::new(values, old.dims()), &old.device()))
    }
}
