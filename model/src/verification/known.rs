//! Tiny models whose weights are the same everywhere.

use attention_trace::config::{Activation, LlamaConfig, MarianConfig};
use burn::module::{Module, ModuleMapper, Param};
use burn::prelude::*;

use crate::error::ModelError;
use crate::llama::Llama;
use crate::marian::Marian;
use crate::sequence::SequenceModel;

/// A function that creates a model on a device.
type Make = fn(&Device) -> Result<Box<dyn SequenceModel>, ModelError>;

/// A constructor for each tested architecture.
pub const MODELS: [Make; 2] = [
    |device| marian(POSITIONS, device),
    |device| llama(POSITIONS, device),
];

const POSITIONS: usize = 16;
/// A size that is not a multiple of a kernel's block, and needs more than one workgroup.
const VOCABULARY: usize = 301;
/// Odd multiples of four, since our kernels need multiples of four.
const WIDTH: usize = 20;
const INNER: usize = 268;

fn marian(positions: usize, device: &Device) -> Result<Box<dyn SequenceModel>, ModelError> {
    let config = MarianConfig {
        vocab_size: VOCABULARY,
        d_model: WIDTH,
        encoder_layers: 1,
        decoder_layers: 1,
        encoder_attention_heads: 1,
        decoder_attention_heads: 5,
        encoder_ffn_dim: INNER,
        decoder_ffn_dim: INNER,
        activation_function: Activation::Swish,
        max_position_embeddings: positions,
        dropout: 0.0,
        ..MarianConfig::default()
    };
    let model = Marian::new(&config, device)?;
    Ok(Box::new(seeded(model)))
}

fn llama(positions: usize, device: &Device) -> Result<Box<dyn SequenceModel>, ModelError> {
    let config = LlamaConfig {
        vocab_size: VOCABULARY,
        hidden_size: WIDTH,
        intermediate_size: INNER,
        num_hidden_layers: 1,
        num_attention_heads: 4,
        num_key_value_heads: Some(2),
        head_dim: Some(12),
        max_position_embeddings: positions,
        tie_word_embeddings: true,
        dropout: 0.0,
        ..LlamaConfig::default()
    };
    let model = Llama::new(&config, device)?;
    Ok(Box::new(seeded(model)))
}

#[cfg(test)]
pub fn with_positions(
    positions: usize,
    device: &Device,
) -> Result<[Box<dyn SequenceModel>; 2], ModelError> {
    Ok([marian(positions, device)?, llama(positions, device)?])
}

/// Returns the same model with weights that depend only on its names and shapes.
fn seeded<M: Module>(model: M) -> M {
    model.map(&mut Seeds(SEED))
}

/// The seed of the weights, chosen so that the search of each model has no near tie, as a test checks.
const SEED: u64 = 1;

/// Fills parameters in the order of the walk: matrices around zero, so that scores and logits have magnitudes of
/// several units, and gains and biases around one.
struct Seeds(u64);

impl ModuleMapper for Seeds {
    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        self.0 += 1;
        let shape = param.lazy_shape();
        let mut values = noise(shape.num_elements(), self.0);
        for value in &mut values {
            *value *= 0.5;
            if D == 1 {
                *value += 1.0;
            }
        }
        let tensor = Tensor::from_data(TensorData::new(values, shape), &param.lazy_device());
        let id = param.id;
        param.transform_for_load(tensor, id)
    }
}

/// Returns `count` numbers in [−1, 1) that look random and are the same on every platform: SplitMix64 (Steele et al.
/// 2014).
pub fn noise(count: usize, seed: u64) -> Vec<f32> {
    const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
    (0..count as u64)
        .map(|index| {
            let mut bits = GOLDEN.wrapping_mul((seed << 32) + index + 1);
            bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            bits ^= bits >> 31;
            (bits >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect()
}
