//! The decoder-only Transformer of [LLaMA](https://arxiv.org/abs/2302.13971) in the layout of
//! Hugging Face's [`LlamaForCausalLM`](https://huggingface.co/docs/transformers/model_doc/llama)
//! checkpoints: pre-norm with RMSNorm, rotary positions (RoPE), SwiGLU. Those of
//! [Qwen2](https://arxiv.org/abs/2407.10671) and [Qwen3](https://arxiv.org/abs/2505.09388) differ by biases, and by
//! norms of queries and keys.
//!
//! Other encodings of positions can replace RoPE ([`PositionalEncoding`]), everything else being equal. Field names are
//! the checkpoint's, so a parameter's path here is its name there.
//!
//! [`PositionalEncoding`]: attention_trace::positions::PositionalEncoding

mod init;
mod positions;

#[cfg(feature = "train")]
use attention_trace::config::Convention;
pub use attention_trace::config::{LlamaConfig, RopeParameters};
#[cfg(feature = "train")]
use attention_trace::positions::PositionalEncoding;
use attention_trace::{Block, ModelSpec, Parameter, Quantity, Stack, Sublayer, Weight};
use burn::nn::{Embedding, Linear, RmsNorm};
use burn::prelude::*;
#[cfg(feature = "train")]
use serde_json::{Value, json};

use self::positions::PassPositions;
use crate::attention::{KeyValueCache, Scoring, attend, tap_heads};
use crate::decoding::Rules;
use crate::families::Family;
use crate::kernels::{linear, linear_transposed, rms_norm, swiglu};
use crate::sequence::{Control, SequenceModel, Source, State};
use crate::tap::Tap;
use crate::weights::{self, Layout};
#[cfg(feature = "train")]
use crate::{error::ModelError, families::merge, weights::Precision};

/// The `model_type` of Llama's checkpoints and the function that loads them.
pub const FAMILY: Family = Family {
    model_types: &["llama", "qwen2", "qwen3"],
    load: |published, device| {
        published.check_implemented(&[("hidden_act", "silu".into())])?;
        let config: LlamaConfig = published.config()?;
        published.check_vocabulary(config.vocab_size)?;
        let own = weights::own(published.weights, &LAYOUT)?;
        let config = LlamaConfig {
            tie_word_embeddings: config.tie_word_embeddings && !own.contains(HEAD),
            ..config
        };
        let model = Llama::new(&config, device)?;
        Ok(Box::new(weights::load(model, published.weights, &LAYOUT)?))
    },
};

/// The layout of the files of Llama's checkpoints, and of similar ones.
pub(crate) const LAYOUT: Layout = Layout {
    model: Some("LlamaForCausalLM, Qwen2ForCausalLM or Qwen3ForCausalLM"),
    base: "model.",
    tied: &[TABLE, HEAD],
    ..Layout::PATHS
};

/// The whole model, from tokens to logits.
#[derive(Module, Debug)]
pub struct Llama {
    model: LlamaModel,
    lm_head: Option<Linear>,
    #[module(skip)]
    config: LlamaConfig,
}

#[derive(Module, Debug)]
struct LlamaModel {
    embed_tokens: Embedding,
    embed_positions: Option<Embedding>,
    relative_attention_bias: Option<Embedding>,
    layers: Vec<LlamaLayer>,
    norm: RmsNorm,
}

impl Llama {
    /// Returns the configuration the model was built from.
    pub fn config(&self) -> &LlamaConfig {
        &self.config
    }

    /// Returns the `config.json` to publish with the weights.
    #[cfg(feature = "train")]
    fn config_json(&self, precision: Precision) -> Result<Value, ModelError> {
        let config = &self.config;
        let architecture = match (config.positions, config.convention) {
            (PositionalEncoding::Rope, Convention::Llama) => "LlamaForCausalLM",
            (PositionalEncoding::Rope, Convention::Qwen2) => "Qwen2ForCausalLM",
            (PositionalEncoding::Rope, Convention::Qwen3) => "Qwen3ForCausalLM",
            // Programs that know Llama alone would rotate where this model does not.
            _ => "LlamaWithoutRope",
        };
        Ok(merge(
            serde_json::to_value(config)?,
            json!({
                "model_type": config.convention.model_type(),
                "architectures": [architecture],
                "hidden_act": "silu",
                "attention_bias": config.attention_bias,
                "mlp_bias": config.mlp_bias,
                "use_cache": true,
                "dtype": precision.name()
            }),
        ))
    }
}

impl SequenceModel for Llama {
    fn spec(&self) -> ModelSpec {
        self.config.spec()
    }

    fn control(&self) -> Control {
        Control {
            rules: Rules {
                end_tokens: self.config.eos_token_id.as_slice().to_vec(),
                forced_last: self.config.forced_eos_token_id.as_slice().to_vec(),
                ..Rules::default()
            },
            ..Control::default()
        }
    }

    fn start(&self, _source: Option<Source>, _tap: &mut Tap) -> State {
        State::new(None, self.config.num_hidden_layers)
    }

    fn advance(&self, tokens: Tensor<2, Int>, state: &mut State, tap: &mut Tap) -> Tensor<3> {
        const STACK: Block = Block::Stack(Stack::Decoder);
        let [_, new] = tokens.dims();
        let device = tokens.device();
        tap.enter(Stack::Decoder, state.position);
        let positions = PassPositions::new(self, state.position, new, &device, tap);
        let x = positions.add(self.model.embed_tokens.forward(tokens), tap, STACK);
        let x = tap.at(STACK.at(Quantity::Embedding), x);
        let mut x = tap.dropout(x);
        for (index, layer) in self.model.layers.iter().enumerate() {
            let kept = &mut state.layers[index].own;
            x = layer.forward(x, &positions, kept, tap, index);
        }
        state.position += new;
        tap.at(STACK.at(Quantity::FinalNorm), rms_norm(x, &self.model.norm))
    }

    fn last_norm(&self, states: Tensor<2>) -> Tensor<2> {
        rms_norm(states.unsqueeze::<3>(), &self.model.norm).squeeze_dim(0)
    }

    fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        match &self.lm_head {
            Some(head) => linear(states.unsqueeze(), head).squeeze_dim(0),
            None => linear_transposed(states, self.model.embed_tokens.weight.val()),
        }
    }

    fn parameter(&self, parameter: Parameter) -> Option<Tensor<2>> {
        let name = name(parameter)?;
        let tied = || weights::parameter(self, TABLE);
        match weights::parameter(self, &name) {
            None if name == HEAD => tied(),
            found => found,
        }
    }

    fn weights(&self) -> usize {
        self.num_params()
    }

    #[cfg(feature = "train")]
    fn published(&self, precision: Precision) -> Result<(Value, Vec<u8>), ModelError> {
        let weights = weights::save_weights(self, precision)?;
        Ok((self.config_json(precision)?, weights))
    }
}

/// The name of the embedding table in the checkpoint.
const TABLE: &str = "model.embed_tokens.weight";
/// The name of the output matrix, if it is separate from the table.
const HEAD: &str = "lm_head.weight";

/// Returns the name of a parameter in the checkpoint; `None` if Llama has no such parameter.
fn name(Parameter { block, weight }: Parameter) -> Option<String> {
    let (layer, sublayer) = match (block, weight) {
        (Block::Stack(Stack::Decoder), weight) => return of_stack(weight).map(str::to_owned),
        (Block::Model, Weight::WUnembed) => return Some(HEAD.to_owned()),
        (Block::Sublayer(Stack::Decoder, layer, sublayer), _) => (layer, sublayer),
        _ => return None,
    };
    let parameter = match (sublayer, weight) {
        (Sublayer::SelfAttention, Weight::NormGain) => "input_layernorm.weight",
        (Sublayer::SelfAttention, Weight::WQ) => "self_attn.q_proj.weight",
        (Sublayer::SelfAttention, Weight::BQ) => "self_attn.q_proj.bias",
        (Sublayer::SelfAttention, Weight::WK) => "self_attn.k_proj.weight",
        (Sublayer::SelfAttention, Weight::BK) => "self_attn.k_proj.bias",
        (Sublayer::SelfAttention, Weight::WV) => "self_attn.v_proj.weight",
        (Sublayer::SelfAttention, Weight::BV) => "self_attn.v_proj.bias",
        (Sublayer::SelfAttention, Weight::QueryNormGain) => "self_attn.q_norm.weight",
        (Sublayer::SelfAttention, Weight::KeyNormGain) => "self_attn.k_norm.weight",
        (Sublayer::SelfAttention, Weight::WO) => "self_attn.o_proj.weight",
        (Sublayer::SelfAttention, Weight::BO) => "self_attn.o_proj.bias",
        (Sublayer::FeedForward, Weight::NormGain) => "post_attention_layernorm.weight",
        (Sublayer::FeedForward, Weight::WIn) => "mlp.gate_proj.weight",
        (Sublayer::FeedForward, Weight::BIn) => "mlp.gate_proj.bias",
        (Sublayer::FeedForward, Weight::WLinear) => "mlp.up_proj.weight",
        (Sublayer::FeedForward, Weight::BLinear) => "mlp.up_proj.bias",
        (Sublayer::FeedForward, Weight::WOut) => "mlp.down_proj.weight",
        (Sublayer::FeedForward, Weight::BOut) => "mlp.down_proj.bias",
        _ => return None,
    };
    Some(format!("model.layers.{layer}.{parameter}"))
}

/// Returns the name of a parameter that is outside all layers.
fn of_stack(weight: Weight) -> Option<&'static str> {
    Some(match weight {
        Weight::TokenTable => "model.embed_tokens.weight",
        Weight::PositionTable => "model.embed_positions.weight",
        Weight::BiasTable => "model.relative_attention_bias.weight",
        Weight::NormGain => "model.norm.weight",
        _ => return None,
    })
}

#[derive(Module, Debug)]
struct LlamaAttention {
    q_proj: Linear,
    k_proj: Linear,
    v_proj: Linear,
    o_proj: Linear,
    q_norm: Option<RmsNorm>,
    k_norm: Option<RmsNorm>,
    heads: usize,
    key_value_heads: usize,
}

impl LlamaAttention {
    fn forward(
        &self,
        x: Tensor<3>,
        positions: &PassPositions,
        cache: &mut KeyValueCache,
        tap: &mut Tap,
        block: Block,
    ) -> Tensor<3> {
        let query = linear(x.clone(), &self.q_proj);
        let key = linear(x.clone(), &self.k_proj);
        let value = linear(x, &self.v_proj);
        let (heads, groups) = (self.heads, self.key_value_heads);
        let d_k = query.dims()[2] / heads;
        let mut by_heads = |quantity, x| tap_heads(tap, block.at(quantity), x, d_k, heads);
        let query = match &self.q_norm {
            Some(norm) => norm_heads(by_heads(Quantity::QueryBeforeNorm, query), norm),
            None => query,
        };
        let key = match &self.k_norm {
            Some(norm) => norm_heads(by_heads(Quantity::KeyBeforeNorm, key), norm),
            None => key,
        };
        let (query, key) = match &positions.rotation {
            Some(rotation) => {
                let query = by_heads(Quantity::QueryBeforeRope, query);
                let key = by_heads(Quantity::KeyBeforeRope, key);
                (rotation.apply(query, heads), rotation.apply(key, groups))
            }
            None => (query, key),
        };
        let query = by_heads(Quantity::Query, query);
        let key = by_heads(Quantity::Key, key);
        let value = by_heads(Quantity::Value, value);
        let [key, value] = cache.append([key, value]);
        let scoring = Scoring {
            is_scaled: true,
            bias: positions.bias.clone(),
            mask: positions.mask(),
        };
        let z = attend([query, key, value], heads, scoring, tap, block);
        tap.at(block.at(Quantity::Out), linear(z, &self.o_proj))
    }
}

/// Normalises every head separately with the same gain, `[batch, new, heads * d_k]` to the same.
fn norm_heads(x: Tensor<3>, norm: &RmsNorm) -> Tensor<3> {
    let [batch, new, width] = x.dims();
    let [d_k] = norm.gamma.dims();
    let heads = x.reshape([batch, new * width / d_k, d_k]);
    rms_norm(heads, norm).reshape([batch, new, width])
}

#[derive(Module, Debug)]
struct LlamaMlp {
    gate_proj: Linear,
    up_proj: Linear,
    down_proj: Linear,
}

impl LlamaMlp {
    /// SwiGLU: `W_down(silu(W_gate x) ⊙ W_up x)`.
    fn forward(&self, x: Tensor<3>, tap: &mut Tap, block: Block) -> Tensor<3> {
        let gate = tap.at(block.at(Quantity::Pre), linear(x.clone(), &self.gate_proj));
        let up = tap.at(block.at(Quantity::PreLinear), linear(x, &self.up_proj));
        let post = tap.at(block.at(Quantity::Post), swiglu(gate, up));
        tap.at(block.at(Quantity::Out), linear(post, &self.down_proj))
    }
}

#[derive(Module, Debug)]
struct LlamaLayer {
    input_layernorm: RmsNorm,
    self_attn: LlamaAttention,
    post_attention_layernorm: RmsNorm,
    mlp: LlamaMlp,
}

impl LlamaLayer {
    /// Maps `[batch, new, hidden_size]` to the same shape.
    fn forward(
        &self,
        x: Tensor<3>,
        positions: &PassPositions,
        cache: &mut KeyValueCache,
        tap: &mut Tap,
        layer: usize,
    ) -> Tensor<3> {
        let block = |sublayer| Block::Sublayer(Stack::Decoder, layer, sublayer);
        let own = block(Sublayer::SelfAttention);
        let normed = rms_norm(x.clone(), &self.input_layernorm);
        let normed = tap.at(own.at(Quantity::Norm), normed);
        let output = self.self_attn.forward(normed, positions, cache, tap, own);
        let x = x + tap.dropout(output);
        let x = tap.at(own.at(Quantity::Residual), x);

        let mlp = block(Sublayer::FeedForward);
        let normed = rms_norm(x.clone(), &self.post_attention_layernorm);
        let normed = tap.at(mlp.at(Quantity::Norm), normed);
        let output = self.mlp.forward(normed, tap, mlp);
        let x = x + tap.dropout(output);
        tap.at(mlp.at(Quantity::Residual), x)
    }
}
