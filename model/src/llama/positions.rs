//! The contributions of positions to a forward pass: vectors added to the embeddings, a rotation of queries and keys,
//! or a bias on the scores.

use attention_trace::positions::{PositionalEncoding, alibi_bias, rotations_at, sinusoidal};
use attention_trace::{Block, Quantity};
use burn::prelude::*;

use super::{Llama, LlamaConfig};
use crate::attention::Mask;
use crate::kernels::rotate;
use crate::relative_bias::relative_bias;
use crate::tap::Tap;

/// The contributions of the positions `start..start + new` to a pass over them.
pub(super) struct PassPositions {
    /// True if queries must not see later keys.
    masked: bool,
    /// The vectors added to the embeddings, `[new, hidden_size]`.
    vectors: Option<Tensor<2>>,
    /// The rotation of queries and keys.
    pub rotation: Option<Rotation>,
    /// The bias added to the scaled scores, `[heads, new, start + new]`.
    pub bias: Option<Tensor<3>>,
}

impl PassPositions {
    pub fn new(
        Llama { model, config, .. }: &Llama,
        start: usize,
        new: usize,
        device: &Device,
        tap: &Tap,
    ) -> Self {
        let (queries, keys) = (start..start + new, 0..start + new);
        let mut positions = PassPositions {
            // A single new position sees all there is.
            masked: new > 1 && tap.is_causal(),
            vectors: None,
            rotation: None,
            bias: None,
        };
        if !tap.knows_positions() {
            return positions;
        }
        match config.positions {
            PositionalEncoding::None => {}
            PositionalEncoding::Rope => {
                positions.rotation = Some(Rotation::new(start, new, config, device));
            }
            PositionalEncoding::Learned => {
                let table = model.embed_positions.as_ref();
                positions.vectors = table.map(|table| table.weight.val().slice([queries]));
            }
            PositionalEncoding::Sinusoidal => {
                let width = config.hidden_size;
                let table = sinusoidal(queries, width, LlamaConfig::LAYOUT);
                let table = TensorData::new(table, [new, width]);
                positions.vectors = Some(Tensor::from_data(table, device));
            }
            PositionalEncoding::Alibi => {
                let heads = config.num_attention_heads;
                let shape = [heads, new, keys.end];
                let bias = TensorData::new(alibi_bias(heads, queries, keys), shape);
                positions.bias = Some(Tensor::from_data(bias, device));
            }
            PositionalEncoding::T5 => {
                let table = model.relative_attention_bias.as_ref();
                positions.bias = table.map(|table| {
                    relative_bias(table.weight.val(), config.buckets(), queries, keys)
                });
            }
        }
        positions
    }

    /// Adds the positions' vectors, if there are any, to the stack's embeddings, `[batch, new, hidden_size]`; the
    /// embeddings before that are then a separate place.
    pub fn add(&self, embeddings: Tensor<3>, tap: &mut Tap, stack: Block) -> Tensor<3> {
        match &self.vectors {
            Some(vectors) => {
                let embeddings = tap.at(stack.at(Quantity::TokenEmbedding), embeddings);
                embeddings + vectors.clone().unsqueeze::<3>()
            }
            None => embeddings,
        }
    }

    /// Returns the mask of the keys that queries must not see.
    pub fn mask(&self) -> Option<Mask> {
        self.masked.then_some(Mask::Causal)
    }
}

/// Cosines and sines of RoPE's angles at the positions of a pass, `[new, d_k]`.
pub(super) struct Rotation {
    cosine: Tensor<2>,
    sine: Tensor<2>,
}

impl Rotation {
    fn new(start: usize, new: usize, config: &LlamaConfig, device: &Device) -> Self {
        let d_k = config.head_dim();
        let Ok(rope) = config.rope(start + new) else {
            unreachable!("the configuration was checked when the model was made")
        };
        let (cosines, sines) = rotations_at(start..start + new, &rope.wavelengths(d_k));
        // YaRN sharpens attention by longer queries and keys.
        let factor = rope.attention_factor as f32;
        let table = |values: Vec<f32>| {
            let values: Vec<f32> = values.into_iter().map(|value| value * factor).collect();
            Tensor::from_data(TensorData::new(values, [new, d_k]), device)
        };
        Rotation {
            cosine: table(cosines),
            sine: table(sines),
        }
    }

    /// Turns each pair `(i, i + d_k/2)` of every head.
    pub fn apply(&self, x: Tensor<3>, heads: usize) -> Tensor<3> {
        rotate(x, self.cosine.clone(), self.sine.clone(), heads)
    }
}
