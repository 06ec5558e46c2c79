//! A single update of all parameters together: they are concatenated, and so is the optimizer's state.

use std::collections::BTreeMap;

use attention_trace::training::OptimizerKind;
use burn::module::{ModuleMapper, ModuleVisitor, Param};
use burn::optim::{
    Adam, AdamState, AdamW, AdamWState, AdaptiveMomentumState, GradientsParams,
    Optimizer as BurnOptimizer,
};
use burn::prelude::*;
use burn::tensor::Bytes;

use super::super::error::WatchError;
use super::super::learner::Learner;
use super::super::read::read;
use super::record::{FIRST_MOMENT, Part, SECOND_MOMENT, Stored, VELOCITY, written};
use super::{MOMENTUM, adam_w};
use crate::training::loss::adam;

/// An optimizer on concatenated parameters.
#[derive(Clone)]
pub struct FlatOptimizer {
    rule: Rule,
    memory: Option<(Vec<Part>, Memory)>,
}

/// A rule that turns gradients into steps, element by element.
#[derive(Clone)]
enum Rule {
    Adam(Adam),
    AdamW(AdamW),
    /// Stochastic gradient descent with momentum.
    Sgd,
}

/// The optimizer's state for all parameters, `[weights]` each.
#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "there is one of it in a run")]
enum Memory {
    Moments(AdaptiveMomentumState<1>),
    Velocity(Tensor<1>),
}

/// The parameters that have gradients, concatenated, `[weights]` each, without autodiff.
pub struct Gathered {
    parts: Vec<Part>,
    /// The values of the parameters.
    pub values: Tensor<1>,
    /// The gradients of the parameters.
    pub gradients: Tensor<1>,
}

impl Gathered {
    /// Gathers those of a model; `None` if no parameter has a gradient.
    pub fn of(model: &Learner, gradients: &GradientsParams) -> Option<Self> {
        let mut gatherer = Gatherer {
            gradients,
            parts: vec![],
            values: vec![],
            found: vec![],
        };
        model.visit(&mut gatherer);
        (!gatherer.parts.is_empty()).then(|| Gathered {
            parts: gatherer.parts,
            values: Tensor::cat(gatherer.values, 0),
            gradients: Tensor::cat(gatherer.found, 0),
        })
    }

    /// Returns the same parameters with other gradients, `[weights]`.
    pub fn with_gradients(&self, gradients: Tensor<1>) -> Self {
        Gathered {
            parts: self.parts.clone(),
            values: self.values.clone(),
            gradients,
        }
    }
}

struct Gatherer<'a> {
    gradients: &'a GradientsParams,
    parts: Vec<Part>,
    values: Vec<Tensor<1>>,
    found: Vec<Tensor<1>>,
}

impl ModuleVisitor for Gatherer<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let Some(gradient) = self.gradients.get::<D>(param.id) else {
            return;
        };
        let value = param.val().inner();
        let part = Part {
            id: param.id.val(),
            shape: value.dims().to_vec(),
        };
        let length = part.length();
        self.values.push(value.reshape([length]));
        self.found.push(gradient.inner().reshape([length]));
        self.parts.push(part);
    }
}

/// Distributes new values among the parameters.
struct Distributor {
    places: BTreeMap<u64, usize>,
    values: Tensor<1>,
}

impl ModuleMapper for Distributor {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let Some(&place) = self.places.get(&param.id.val()) else {
            return param;
        };
        let values = self.values.clone();
        param.map(|old| {
            let shape = old.dims();
            let own = values.narrow(0, place, shape.iter().product());
            Tensor::from_inner(own.reshape(shape)).require_grad()
        })
    }
}

impl FlatOptimizer {
    /// Creates an optimizer with empty state.
    pub fn new(kind: OptimizerKind) -> Self {
        FlatOptimizer {
            rule: match kind {
                OptimizerKind::Adam => Rule::Adam(adam().build()),
                OptimizerKind::AdamW => Rule::AdamW(adam_w().build()),
                OptimizerKind::Sgd => Rule::Sgd,
            },
            memory: None,
        }
    }

    /// Returns the model after a step at `rate`.
    ///
    /// # Errors
    /// If the state is of another model.
    pub fn step(
        &mut self,
        rate: f64,
        model: Learner,
        gradients: &GradientsParams,
    ) -> Result<Learner, WatchError> {
        let Some(gathered) = Gathered::of(&model, gradients) else {
            return Ok(model);
        };
        let values = self.advance(rate, &gathered)?;
        let mut place = 0;
        let places = gathered.parts.iter().map(|part| {
            let own = place;
            place += part.length();
            (part.id, own)
        });
        let places = places.collect();
        Ok(model.map(&mut Distributor { places, values }))
    }

    /// Returns the parameters after a step at `rate`, and updates the state.
    ///
    /// # Errors
    /// If the state is of another model.
    pub fn advance(&mut self, rate: f64, gathered: &Gathered) -> Result<Tensor<1>, WatchError> {
        let memory = match self.memory.take() {
            Some((parts, memory)) if parts == gathered.parts => Some(memory),
            Some(_) => {
                let reason = "the optimizer's memory is of a model of other sizes";
                return Err(WatchError::Checkpoint(reason.to_owned()));
            }
            None => None,
        };
        let (values, gradients) = (gathered.values.clone(), gathered.gradients.clone());
        let (values, memory) = self.rule.step(rate, values, gradients, memory);
        self.memory = memory.map(|memory| (gathered.parts.clone(), memory));
        Ok(values)
    }

    /// Returns its state in the format of burn's optimizers.
    ///
    /// # Errors
    /// If the device fails.
    pub async fn to_bytes(&self) -> Result<Vec<u8>, WatchError> {
        let Some((parts, memory)) = &self.memory else {
            return Ok(vec![]);
        };
        let (names, tensors, time): (&[&str], _, _) = match memory {
            Memory::Moments(moments) => (
                &[FIRST_MOMENT, SECOND_MOMENT],
                vec![moments.moment_1.clone(), moments.moment_2.clone()],
                Some(moments.time),
            ),
            Memory::Velocity(velocity) => (&[VELOCITY], vec![velocity.clone()], None),
        };
        let read = read(tensors).await?;
        let arrays: Vec<_> = names.iter().copied().zip(read).collect();
        written(parts, &arrays, time)
    }

    /// Restores the state of an earlier optimizer, a flat one or burn's own.
    ///
    /// # Errors
    /// If the bytes are not such a state.
    pub fn remembering(self, bytes: Bytes, device: &Device) -> Result<Self, WatchError> {
        let mut stored = Stored::read(bytes)?;
        // As it is before the first step.
        if stored.parts.is_empty() {
            return Ok(self);
        }
        let memory = match self.rule {
            Rule::Adam(_) | Rule::AdamW(_) => Memory::Moments(AdaptiveMomentumState {
                time: stored.time()?,
                moment_1: stored.tensor(FIRST_MOMENT, device)?,
                moment_2: stored.tensor(SECOND_MOMENT, device)?,
                max_moment_2: None,
            }),
            Rule::Sgd => Memory::Velocity(stored.tensor(VELOCITY, device)?),
        };
        Ok(FlatOptimizer {
            memory: Some((stored.parts, memory)),
            ..self
        })
    }
}

impl Rule {
    fn step(
        &self,
        rate: f64,
        values: Tensor<1>,
        gradients: Tensor<1>,
        memory: Option<Memory>,
    ) -> (Tensor<1>, Option<Memory>) {
        let moments = |memory| match memory {
            Some(Memory::Moments(moments)) => Some(moments),
            _ => None,
        };
        match self {
            Rule::Adam(adam) => {
                let state = moments(memory).map(AdamState::new);
                let (values, state) = adam.step(rate, values, gradients, state);
                (values, state.map(|state| Memory::Moments(state.momentum)))
            }
            Rule::AdamW(adam) => {
                let state = moments(memory).map(AdamWState::new);
                let (values, state) = adam.step(rate, values, gradients, state);
                (values, state.map(|state| Memory::Moments(state.momentum)))
            }
            Rule::Sgd => {
                let velocity = match memory {
                    Some(Memory::Velocity(velocity)) => {
                        gradients + velocity.mul_scalar(MOMENTUM as f32)
                    }
                    _ => gradients,
                };
                let step = velocity.clone().mul_scalar(rate);
                (values - step, Some(Memory::Velocity(velocity)))
            }
        }
    }
}
