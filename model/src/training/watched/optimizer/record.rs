//! The state of optimizers in burn's format: arrays and numbers under the numbers of the parameters.

use std::collections::BTreeMap;

use burn::prelude::*;
use burn::store::burn_pack::{self, Reader, Scalar, Writer};
use burn::tensor::{Bytes, DType};

use super::super::error::{WatchError, unread};

// What burn's optimizers call what they write (`RecordState` of their states).
const TIME: &str = "momentum.time";
/// Adam's mean of gradients.
pub const FIRST_MOMENT: &str = "momentum.moment_1";
/// Adam's mean of their squares.
pub const SECOND_MOMENT: &str = "momentum.moment_2";
/// SGD's velocity, the momentum's state.
pub const VELOCITY: &str = "momentum.velocity";
const RANK: &str = "__rank";

/// A parameter's position among all of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The number of the parameter.
    pub id: u64,
    /// The shape of the parameter.
    pub shape: Vec<usize>,
}

impl Part {
    /// Returns the number of values in it.
    pub fn length(&self) -> usize {
        self.shape.iter().product()
    }
}

/// Writes the state of concatenated parameters: arrays of `[weights]` by name, and the number of steps, if it is
/// counted.
///
/// # Errors
/// If it cannot be written.
pub fn written(
    parts: &[Part],
    arrays: &[(&str, Vec<f32>)],
    time: Option<usize>,
) -> Result<Vec<u8>, WatchError> {
    let mut tensors = vec![];
    for (name, values) in arrays {
        let mut rest = values.as_slice();
        for part in parts {
            let (own, after) = rest.split_at(part.length());
            let bytes = own.iter().flat_map(|value| value.to_le_bytes()).collect();
            tensors.push(burn_pack::Tensor::new(
                format!("{}.{name}", part.id),
                DType::F32,
                part.shape.clone(),
                Some(part.id),
                Bytes::from_bytes_vec(bytes),
            ));
            rest = after;
        }
    }
    let mut writer = Writer::new(tensors);
    for part in parts {
        let rank = Scalar::from(part.shape.len());
        writer = writer.with_scalar(&format!("{}.{RANK}", part.id), rank);
        if let Some(time) = time {
            writer = writer.with_scalar(&format!("{}.{TIME}", part.id), Scalar::from(time));
        }
    }
    Ok(writer.into_bytes().map_err(unread)?.to_vec())
}

/// The state that an optimizer wrote.
pub struct Stored {
    /// The parameters, in the order of their numbers, which is the model's order.
    pub parts: Vec<Part>,
    tensors: BTreeMap<String, burn_pack::Tensor>,
    scalars: BTreeMap<String, Scalar>,
}

impl Stored {
    /// Reads the state from bytes.
    ///
    /// # Errors
    /// If the bytes are not such a record.
    pub fn read(bytes: Bytes) -> Result<Self, WatchError> {
        let reader = Reader::from_bytes(bytes).map_err(|error| broken(&error))?;
        let scalars = reader.scalars().clone();
        let tensors = reader.into_tensors().map_err(|error| broken(&error))?;
        let shapes: BTreeMap<u64, Vec<usize>> = tensors
            .iter()
            .filter_map(|tensor| Some((tensor.param_id?, tensor.shape.to_vec())))
            .collect();
        let part = |(id, shape)| Part { id, shape };
        Ok(Stored {
            parts: shapes.into_iter().map(part).collect(),
            tensors: tensors
                .into_iter()
                .map(|tensor| (tensor.name.clone(), tensor))
                .collect(),
            scalars,
        })
    }

    /// Returns the number of steps made, the same for all parameters.
    ///
    /// # Errors
    /// If it is not.
    pub fn time(&self) -> Result<usize, WatchError> {
        let of = |part: &Part| {
            let time = self.scalars.get(&format!("{}.{TIME}", part.id));
            time.and_then(|time| usize::try_from(*time).ok())
        };
        let mut times = self.parts.iter().map(of);
        let first = times.next().flatten();
        match first.filter(|first| times.all(|time| time == Some(*first))) {
            Some(time) => Ok(time),
            None => Err(broken(&"the optimizer's parameters made different steps")),
        }
    }

    /// Returns one quantity of all parameters, concatenated, on `device`.
    ///
    /// # Errors
    /// If a parameter lacks it.
    pub fn tensor(&mut self, name: &str, device: &Device) -> Result<Tensor<1>, WatchError> {
        let mut values: Vec<f32> = vec![];
        for part in &self.parts {
            let tensor = self.tensors.remove(&format!("{}.{name}", part.id));
            let tensor = tensor.filter(|tensor| tensor.dtype == DType::F32);
            let tensor = tensor.ok_or_else(|| broken(&"the optimizer remembers something else"))?;
            let bytes = tensor.into_bytes().map_err(|error| broken(&error))?;
            let (numbers, _) = bytes.as_chunks::<4>();
            values.extend(numbers.iter().map(|number| f32::from_le_bytes(*number)));
        }
        let count = values.len();
        Ok(Tensor::from_data(TensorData::new(values, [count]), device))
    }
}

fn broken(error: &dyn std::fmt::Display) -> WatchError {
    WatchError::Checkpoint(error.to_string())
}
