//! A small model that classifies pictures with attention to all of a picture at once: convolutions, SAGAN's
//! self-attention between them, and a read-out that names the digit. It is not a
//! [`SequenceModel`](crate::sequence::SequenceModel): its positions are the cells of a picture, and it writes nothing.

mod attention;
#[cfg(feature = "cli")]
mod data;
#[cfg(feature = "cli")]
mod learn;

use attention_trace::Array;
use attention_trace::lessons::{Picture, SeenPicture};
use burn::nn::conv::{Conv2d, Conv2dConfig};
use burn::nn::{Linear, LinearConfig, PaddingConfig2d};
use burn::prelude::*;
use burn::tensor::activation::{relu, softmax};
use serde::{Deserialize, Serialize};

use self::attention::{Attended, ImageAttention};
use crate::error::ModelError;
use crate::weights::{self, Layout};

#[cfg(feature = "cli")]
pub use self::data::{DataError, digits};
#[cfg(feature = "cli")]
pub use self::learn::{DigitRun, LearnError, Learned, learn};

/// The `model_type` in `config.json`.
const MODEL_TYPE: &str = "digit_reader";

/// The number of digits.
const DIGITS: usize = 10;

/// The largest number of channels that a file may ask for.
const MOST_CHANNELS: usize = 256;

/// The sizes of a [`DigitReader`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DigitConfig {
    /// The constant `model_type`, `digit_reader`.
    model_type: String,
    /// Channels of the two convolutions before attention, and of attention.
    pub channels: usize,
    /// Width of queries and keys.
    pub query_size: usize,
    /// Channels of the convolution after attention.
    pub wide_channels: usize,
}

impl Default for DigitConfig {
    fn default() -> Self {
        DigitConfig {
            model_type: MODEL_TYPE.to_owned(),
            channels: 16,
            query_size: 4,
            wide_channels: 32,
        }
    }
}

impl DigitConfig {
    fn check(&self) -> Result<(), ModelError> {
        let fail = |reason: String| Err(ModelError::Unsupported(reason));
        if self.model_type != MODEL_TYPE {
            return fail(format!(
                "model_type {} is not {MODEL_TYPE}",
                self.model_type
            ));
        }
        let sizes = [self.channels, self.query_size, self.wide_channels];
        match sizes.iter().all(|size| (1..=MOST_CHANNELS).contains(size)) {
            true => Ok(()),
            false => fail(format!("channels must be between 1 and {MOST_CHANNELS}")),
        }
    }
}

/// Names the digit of a picture. Field names are the checkpoint's.
#[derive(Module, Debug)]
pub struct DigitReader {
    first: Conv2d,
    second: Conv2d,
    attention: ImageAttention,
    third: Conv2d,
    readout: Linear,
}

/// A pass over a batch of pictures.
struct Pass {
    /// The feature map that attention adds to, `[batch, channels, 8, 8]`.
    features: Tensor<4>,
    attended: Attended,
}

impl DigitReader {
    /// Creates a new model with random weights, drawn as PyTorch does for each kind of layer.
    ///
    /// # Errors
    /// If the sizes make no model.
    pub fn new(config: &DigitConfig, device: &Device) -> Result<Self, ModelError> {
        config.check()?;
        let near = |input: usize, output: usize| {
            Conv2dConfig::new([input, output], [3, 3])
                .with_padding(PaddingConfig2d::Explicit(1, 1, 1, 1))
                .init(device)
        };
        let (channels, wide) = (config.channels, config.wide_channels);
        Ok(DigitReader {
            first: near(1, channels),
            second: near(channels, channels),
            attention: ImageAttention::new(channels, config.query_size, device),
            third: near(channels, wide),
            readout: LinearConfig::new(wide, DIGITS).init(device),
        })
    }

    /// Loads the model of `config.json` and `model.safetensors`.
    ///
    /// # Errors
    /// If a file is broken, or a weight is missing or has another shape.
    pub fn load(config: &[u8], weights: &[u8], device: &Device) -> Result<Self, ModelError> {
        let config: DigitConfig = serde_json::from_slice(config)?;
        weights::load(Self::new(&config, device)?, &weights, &Layout::PATHS)
    }

    /// Runs the model on a picture: returns its attention and the probabilities of the digits, with attention and with
    /// `γ = 0`.
    ///
    /// # Errors
    /// If the device fails.
    pub fn see(&self, picture: &Picture) -> Result<SeenPicture, ModelError> {
        let device = self.readout.weight.device();
        let pass = self.pass(pictures(&[picture], &device));
        let logits = self.read_out(pass.features.clone() + pass.attended.added.clone());
        let without = self.read_out(pass.features.clone());
        Ok(SeenPicture {
            gamma: numbers(self.attention.gamma())?.into_iter().sum(),
            weights: square(pass.attended.weights)?,
            lengths: lengths(pass.features)?,
            added: lengths(pass.attended.added)?,
            probabilities: numbers(softmax(logits.clone(), 1))?,
            logits: numbers(logits)?,
            probabilities_without: numbers(softmax(without.clone(), 1))?,
            logits_without: numbers(without)?,
        })
    }

    /// Computes the logits, `[batch, 10]`; with `γ = 0` if `attends` is false.
    ///
    /// # Shapes
    /// - x: `[batch, 1, 8, 8]`, from 0 to 1
    #[cfg(feature = "cli")]
    fn logits(&self, x: Tensor<4>, attends: bool) -> Tensor<2> {
        let pass = self.pass(x);
        self.read_out(match attends {
            true => pass.features + pass.attended.added,
            false => pass.features,
        })
    }

    fn pass(&self, x: Tensor<4>) -> Pass {
        let features = relu(self.second.forward(relu(self.first.forward(x))));
        Pass {
            attended: self.attention.forward(features.clone()),
            features,
        }
    }

    /// Computes the logits by a layer on the mean over all positions, which alone carries no information about
    /// positions.
    fn read_out(&self, x: Tensor<4>) -> Tensor<2> {
        let x: Tensor<3> = relu(self.third.forward(x)).flatten(2, 3);
        self.readout.forward(x.mean_dim(2).squeeze_dim::<2>(2))
    }
}

/// Pictures as the model reads them, `[batch, 1, 8, 8]`, from 0 to 1.
fn pictures(pictures: &[&Picture], device: &Device) -> Tensor<4> {
    let ink = f32::from(Picture::INK);
    let cells = pictures.iter().flat_map(|picture| picture.levels());
    let cells: Vec<f32> = cells.map(|&level| f32::from(level) / ink).collect();
    let shape = [pictures.len(), 1, Picture::SIDE, Picture::SIDE];
    Tensor::from_data(TensorData::new(cells, shape), device)
}

/// Returns the numbers of a tensor.
fn numbers<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>, ModelError> {
    let device = |error: &dyn std::fmt::Display| ModelError::Device(error.to_string());
    tensor
        .try_into_vec_as::<f32>()
        .map_err(|error| device(&error))
}

/// Returns the matrix of the first picture of a batch.
fn square(tensor: Tensor<3>) -> Result<Array, ModelError> {
    let [_, rows, columns] = tensor.dims();
    Ok(Array {
        shape: vec![rows, columns],
        data: numbers(tensor.narrow(0, 0, 1))?,
    })
}

/// Returns the length of the vector at each position, for the first picture of a batch.
fn lengths(x: Tensor<4>) -> Result<Vec<f32>, ModelError> {
    let squares = (x.clone() * x).narrow(0, 0, 1).sum_dim(1);
    numbers(squares.sqrt())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reader() -> DigitReader {
        let device = crate::device::cpu();
        DigitReader::new(&DigitConfig::default(), &device).unwrap()
    }

    fn picture() -> impl Strategy<Value = Picture> {
        proptest::collection::vec(0..=Picture::INK, Picture::CELLS)
            .prop_map(|levels| Picture::new(levels).unwrap())
    }

    #[test]
    fn attention_begins_without_a_part_in_the_answer() {
        let seen = reader().see(&Picture::blank()).unwrap();
        assert_eq!(seen.gamma, 0.0);
        assert_eq!(seen.logits, seen.logits_without);
        assert!(seen.added.iter().all(|&length| length == 0.0));
    }

    #[test]
    fn sizes_that_make_no_model_are_refused() {
        let device = crate::device::cpu();
        let refused = |config: &str| DigitReader::load(config.as_bytes(), &[], &device).is_err();
        let of = |kind: &str, channels: usize| {
            format!(
                r#"{{"model_type": "{kind}", "channels": {channels}, "query_size": 4, "wide_channels": 8}}"#
            )
        };
        assert!(refused(&of("digit_reader", 0)));
        assert!(refused(&of("digit_reader", 1000)));
        assert!(refused(&of("marian", 8)));
        assert!(refused("{}"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn weights_and_probabilities_sum_to_one(picture in picture()) {
            let seen = reader().see(&picture).unwrap();
            for row in seen.weights.data.chunks(Picture::CELLS) {
                prop_assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            }
            prop_assert!((seen.probabilities.iter().sum::<f32>() - 1.0).abs() < 1e-5);
            prop_assert_eq!(seen.weights.shape, vec![Picture::CELLS; 2]);
            prop_assert_eq!(seen.lengths.len(), Picture::CELLS);
        }
    }
}
