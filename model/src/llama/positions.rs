//! The contributions of positions to a forward pass: vectors added to the embeddings, a rotation of queries and keys,
//! or a bias on the scores.

use attention_trace::config::Rope;
use attention_trace::positions::{PositionalEncoding, alibi_bias, sinusoidal};
use attention_trace::{Block, Quantity};
use burn::prelude::*;

use super::{Llama, LlamaConfig};
use crate::attention::Mask;
use crate::relative_bias::relative_bias;
use crate::rotation::Rotation;
use crate::sequence::State;
use crate::tap::Tap;
use crate::window::Later;

/// The contributions of the positions `start..start + new` to a pass over them.
pub(super) struct PassPositions {
    /// True if queries must not see later keys.
    causal: bool,
    /// The number of positions that are read.
    new: usize,
    /// The number of keys.
    keys: usize,
    /// The vectors added to the embeddings, `[new, hidden_size]`.
    vectors: Option<Tensor<2>>,
    /// The rotation of queries and keys.
    rotation: Option<Rotation>,
    /// The rotation in layers with a window, where it is another one.
    local_rotation: Option<Rotation>,
    /// The bias added to the scaled scores, `[heads, new, start + new]`.
    bias: Option<Tensor<3>>,
}

/// The contributions of positions to one layer.
pub(super) struct LayerPositions<'a> {
    /// The rotation of queries and keys.
    pub rotation: Option<&'a Rotation>,
    /// The bias added to the scaled scores, `[heads, new, start + new]`.
    pub bias: Option<Tensor<3>>,
    /// The keys that queries must not see.
    pub mask: Option<Mask>,
}

/// Returns the tokens to read next. If the text grows beyond `limit` tokens with them, those that were read before come
/// first, and the state is that before all of them: LongRoPE then turns every position otherwise.
pub(super) fn from_the_beginning(
    tokens: Tensor<2, Int>,
    state: &mut State,
    limit: usize,
) -> Tensor<2, Int> {
    let all = match state.read.take() {
        Some(before) => Tensor::cat(vec![before, tokens.clone()], 1),
        None => tokens.clone(),
    };
    let [_, new] = tokens.dims();
    let (before, after) = (state.position, state.position + new);
    if after <= limit {
        state.read = Some(all);
        return tokens;
    }
    match (1..=limit).contains(&before) {
        true => {
            *state = state.restarted();
            all
        }
        false => tokens,
    }
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
            causal: tap.is_causal(),
            new,
            keys: keys.end,
            vectors: None,
            rotation: None,
            local_rotation: None,
            bias: None,
        };
        if !tap.knows_positions() {
            return positions;
        }
        match config.positions {
            PositionalEncoding::None => {}
            PositionalEncoding::Rope => {
                let (Ok(rope), Ok(local)) = (config.rope(keys.end), config.local_rope(keys.end))
                else {
                    unreachable!("the configuration was checked when the model was made")
                };
                let rotation = |rope: Rope| {
                    let rope = tap.rope(rope);
                    Rotation::new(queries.clone(), &rope, config.rotary_width(), device)
                };
                positions.rotation = Some(rotation(rope));
                positions.local_rotation = local.map(rotation);
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

    /// Returns the contributions to layers on a device; the vectors have been added before the first layer.
    pub fn to_device(&self, device: &Device) -> Self {
        let rotation = |rotation: &Option<Rotation>| {
            let rotation = rotation.as_ref();
            rotation.map(|rotation| rotation.to_device(device))
        };
        PassPositions {
            vectors: None,
            rotation: rotation(&self.rotation),
            local_rotation: rotation(&self.local_rotation),
            bias: self.bias.clone().map(|bias| bias.to_device(device)),
            ..*self
        }
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

    /// Returns the contributions to a layer.
    pub fn layer(&self, layer: usize, config: &LlamaConfig) -> LayerPositions<'_> {
        let window = config.window(layer);
        let local = self.local_rotation.as_ref().filter(|_| window.is_some());
        let rotation = local.or(self.rotation.as_ref());
        LayerPositions {
            rotation: rotation.filter(|_| config.rotates(layer)),
            bias: self.bias.clone(),
            mask: self.mask(window),
        }
    }

    /// Returns the mask of the keys that queries must not see in a layer with this window.
    fn mask(&self, window: Option<usize>) -> Option<Mask> {
        match window.filter(|&width| width < self.keys) {
            Some(width) => Some(Mask::Window {
                width,
                later: match self.causal {
                    true => Later::Hidden,
                    false => Later::Seen,
                },
            }),
            // A single new position sees all there is.
            None => (self.causal && self.new > 1).then_some(Mask::Causal),
        }
    }
}
