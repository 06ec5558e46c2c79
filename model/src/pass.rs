//! The context of one forward pass: what it records, and in training the randomness of dropout.

use std::collections::BTreeMap;

use attention_trace::{Array, Quantities, Quantity};
use burn::tensor::{Tensor, TensorData, Transaction};
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

use crate::error::ModelError;

/// One forward pass: the tensors it records, still on the device, and its dropout.
#[derive(Default)]
pub struct Pass {
    wanted: Wanted,
    names: Vec<(String, Vec<usize>)>,
    tensors: Vec<Tensor<1>>,
    dropout: Option<Dropout>,
    blind: Blind,
}

/// What an experiment takes from a pass of what would tell it the order of its tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blind {
    /// Whether positions are unknown.
    pub to_positions: bool,
    /// Whether a decoder-only model's queries see later keys too.
    pub to_causality: bool,
}

/// What a pass records.
enum Wanted {
    /// Every array of these quantities.
    Quantities(Quantities),
    /// The array of this name alone.
    Array(String),
}

impl Default for Wanted {
    fn default() -> Self {
        Wanted::Quantities(Quantities::NONE)
    }
}

impl Pass {
    /// A pass over a single sequence that records the `wanted` quantities, and pays for no others.
    pub fn recording(wanted: Quantities) -> Self {
        Pass {
            wanted: Wanted::Quantities(wanted),
            ..Default::default()
        }
    }

    /// A pass over a single sequence that records the one array of that name, if there is one.
    pub fn recording_array(name: impl Into<String>) -> Self {
        Pass {
            wanted: Wanted::Array(name.into()),
            ..Default::default()
        }
    }

    /// The same pass without what tells a model the order of its tokens.
    pub fn blind(self, blind: Blind) -> Self {
        Pass { blind, ..self }
    }

    /// Whether the model knows positions, in its own way.
    pub fn knows_positions(&self) -> bool {
        !self.blind.to_positions
    }

    /// Whether a decoder-only model's queries see no later keys.
    pub fn is_causal(&self) -> bool {
        !self.blind.to_causality
    }

    /// A pass that records nothing.
    pub fn quiet() -> Self {
        Self::default()
    }

    /// A training pass: values are dropped with probability `rate`, which ones `seed` decides.
    pub fn training(rate: f64, seed: u64) -> Self {
        let dropout = (rate > 0.0).then(|| Dropout {
            rate,
            rng: SmallRng::seed_from_u64(seed),
        });
        Pass {
            dropout,
            ..Default::default()
        }
    }

    /// Dropout (Srivastava et al. 2014) in a training pass; elsewhere `x` itself.
    pub fn dropout<const D: usize>(&mut self, x: Tensor<D>) -> Tensor<D> {
        match &mut self.dropout {
            Some(dropout) => dropout.apply(x),
            None => x,
        }
    }

    /// Whether an array of `quantity` may be kept, for work done only to be recorded.
    pub fn wants(&self, quantity: Quantity) -> bool {
        match &self.wanted {
            Wanted::Quantities(wanted) => wanted.contains(quantity),
            Wanted::Array(_) => true,
        }
    }

    /// Keeps `tensor` (`[1, …]`: the batch axis is dropped) as `path.name` if `quantity` is wanted.
    pub fn record<const D: usize>(
        &mut self,
        quantity: Quantity,
        path: impl std::fmt::Display,
        name: &str,
        tensor: &Tensor<D>,
    ) {
        self.record_with(quantity, path, name, || tensor.clone());
    }

    /// [`record`](Self::record) of a tensor that is made only to be recorded.
    pub fn record_with<const D: usize>(
        &mut self,
        quantity: Quantity,
        path: impl std::fmt::Display,
        name: &str,
        make: impl FnOnce() -> Tensor<D>,
    ) {
        if !self.wants(quantity) {
            return;
        }
        let name = format!("{path}.{name}");
        if matches!(&self.wanted, Wanted::Array(wanted) if *wanted != name) {
            return;
        }
        let tensor = make();
        let dims = tensor.dims();
        debug_assert_eq!(dims[0], 1, "a trace is of one sequence");
        let count = dims.iter().product::<usize>();
        self.names.push((name, dims[1..].to_vec()));
        self.tensors.push(tensor.reshape([count]));
    }

    /// Reads everything recorded, and `also` with it, in one transaction.
    ///
    /// # Errors
    /// If the device fails while the tensors are read.
    pub async fn read(
        self,
        also: Vec<Tensor<1>>,
    ) -> Result<(BTreeMap<String, Array>, Vec<Vec<f32>>), ModelError> {
        let recorded = self.tensors.len();
        if recorded + also.len() == 0 {
            return Ok(Default::default());
        }
        let transaction = self
            .tensors
            .into_iter()
            .chain(also)
            .fold(Transaction::default(), |transaction, tensor| {
                transaction.register(tensor)
            });
        let mut values = transaction
            .execute_async()
            .await
            .map_err(|error| ModelError::Device(error.to_string()))?
            .into_iter()
            .map(|data| {
                data.try_into_vec::<f32>()
                    .map_err(|error| ModelError::Device(format!("{error:?}")))
            })
            .collect::<Result<Vec<_>, _>>()?;
        let also = values.split_off(recorded);
        let arrays = self
            .names
            .into_iter()
            .zip(values)
            .map(|((name, shape), data)| (name, Array { shape, data }))
            .collect();
        Ok((arrays, also))
    }
}

/// Drops values at random, the same ones for the same seed on every device and thread, which
/// burn's own dropout, drawing from one generator per device, does not promise.
struct Dropout {
    rate: f64,
    rng: SmallRng,
}

impl Dropout {
    fn apply<const D: usize>(&mut self, x: Tensor<D>) -> Tensor<D> {
        // Sixteen random bits decide a value's fate: four values a draw.
        let threshold = (self.rate * f64::from(1 << 16)).round() as u64;
        let kept = (1.0 / (1.0 - self.rate)) as f32;
        let count = x.shape().num_elements();
        let mut mask = Vec::with_capacity(count + 3);
        while mask.len() < count {
            let bits = self.rng.next_u64();
            mask.extend([0, 16, 32, 48].map(|shift| {
                if (bits >> shift) & 0xffff < threshold {
                    0.0
                } else {
                    kept
                }
            }));
        }
        mask.truncate(count);
        let mask = Tensor::from_data(TensorData::new(mask, x.shape()), &x.device());
        x * mask
    }
}

/// Where in a checkpoint a layer stands, as `model.encoder.layers.0`.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    stack: &'a str,
    layer: usize,
    module: &'a str,
}

impl<'a> Path<'a> {
    /// Layer number `layer` of `stack`.
    pub fn layer(stack: &'a str, layer: usize) -> Self {
        Path {
            stack,
            layer,
            module: "",
        }
    }

    /// A module inside that layer.
    pub fn module(self, module: &'a str) -> Self {
        Path { module, ..self }
    }
}

impl std::fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.layers.{}", self.stack, self.layer)?;
        if !self.module.is_empty() {
            write!(f, ".{}", self.module)?;
        }
        Ok(())
    }
}
