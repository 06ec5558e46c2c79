//! The decoder-only Transformer of [LLaMA](https://arxiv.org/abs/2302.13971) in the layout of
//! Hugging Face's [`LlamaForCausalLM`](https://huggingface.co/docs/transformers/model_doc/llama)
//! checkpoints: pre-norm with RMSNorm, rotary positions (RoPE), SwiGLU.
//!
//! Other ways to know positions can stand in RoPE's place ([`PositionalEncoding`]), everything else
//! being equal. Field names are the checkpoint's, so a parameter's path here is its name there.
//!
//! [`PositionalEncoding`]: attention_trace::positions::PositionalEncoding

mod init;
mod positions;

use attention_trace::Quantity;
pub use attention_trace::config::{LlamaConfig, RopeParameters};
use burn::nn::{Embedding, Linear, RmsNorm};
use burn::prelude::*;

use self::positions::PassPositions;
use crate::attention::{KeyValueCache, Scoring, attend, split_heads};
use crate::kernels::{linear, linear_transposed, rms_norm, swiglu};
use crate::pass::{Pass, Path};

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

/// What decoding remembers between steps.
#[derive(Clone, Debug)]
pub struct LlamaCache {
    layers: Vec<KeyValueCache>,
}

impl LlamaCache {
    /// Keeps the sequences at `indices`.
    pub fn select(&mut self, indices: &Tensor<1, Int>) {
        for layer in &mut self.layers {
            layer.select(indices);
        }
    }

    /// Number of sequences held.
    pub fn sequences(&self) -> usize {
        self.layers.first().map_or(0, KeyValueCache::sequences)
    }

    fn positions(&self) -> usize {
        self.layers.first().map_or(0, KeyValueCache::positions)
    }
}

impl Llama {
    /// The configuration the model was built from.
    pub fn config(&self) -> &LlamaConfig {
        &self.config
    }

    /// An empty cache.
    pub fn cache(&self) -> LlamaCache {
        LlamaCache {
            layers: vec![Default::default(); self.config.num_hidden_layers],
        }
    }

    /// Runs the model on the tokens that follow those in `cache`, and extends it.
    ///
    /// # Shapes
    /// - tokens: `[batch, new]`
    /// - out: `[batch, new, hidden_size]`, normalised
    pub fn forward(
        &self,
        tokens: Tensor<2, Int>,
        cache: &mut LlamaCache,
        pass: &mut Pass,
    ) -> Tensor<3> {
        const STACK: &str = "model";
        let [_, new] = tokens.dims();
        let device = tokens.device();
        let cached = cache.positions();
        let positions = PassPositions::new(self, cached, new, &device, pass);
        let mut x = positions.add(self.model.embed_tokens.forward(tokens), pass, STACK);
        pass.record(Quantity::Residual, STACK, "embeddings", &x);
        x = pass.dropout(x);
        for (index, layer) in self.model.layers.iter().enumerate() {
            let path = Path::layer(STACK, index);
            x = layer.forward(x, &positions, &mut cache.layers[index], pass, path);
        }
        let x = rms_norm(x, &self.model.norm);
        pass.record(Quantity::Norms, STACK, "norm.output", &x);
        x
    }

    /// Final states to logits.
    ///
    /// # Shapes
    /// - states: `[rows, hidden_size]`
    /// - out: `[rows, vocabulary]`
    pub fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        match &self.lm_head {
            Some(head) => linear(states.unsqueeze(), head).squeeze_dim(0),
            None => linear_transposed(states, self.model.embed_tokens.weight.val()),
        }
    }
}

#[derive(Module, Debug)]
struct LlamaAttention {
    q_proj: Linear,
    k_proj: Linear,
    v_proj: Linear,
    o_proj: Linear,
    heads: usize,
    key_value_heads: usize,
}

impl LlamaAttention {
    fn forward(
        &self,
        x: Tensor<3>,
        positions: &PassPositions,
        cache: &mut KeyValueCache,
        pass: &mut Pass,
        path: Path<'_>,
    ) -> Tensor<3> {
        let query = linear(x.clone(), &self.q_proj);
        let key = linear(x.clone(), &self.k_proj);
        let value = linear(x, &self.v_proj);
        let (heads, groups) = (self.heads, self.key_value_heads);
        let d_k = query.dims()[2] / heads;
        let split = |x: &Tensor<3>| split_heads(x.clone(), d_k, heads);
        let (query, key) = match &positions.rotation {
            Some(rotation) => {
                let unrotated = Quantity::Unrotated;
                pass.record_with(unrotated, path, "unrotated_query", || split(&query));
                pass.record_with(unrotated, path, "unrotated_key", || split(&key));
                (rotation.apply(query, heads), rotation.apply(key, groups))
            }
            None => (query, key),
        };
        let (key, value) = cache.append(key, value);
        let scoring = Scoring {
            bias: positions.bias.clone(),
            mask: positions.mask(),
        };
        let attended = attend(query, key, value, heads, scoring, pass, path);
        let output = linear(attended, &self.o_proj);
        pass.record(Quantity::Attended, path, "output", &output);
        output
    }
}

#[derive(Module, Debug)]
struct LlamaMlp {
    gate_proj: Linear,
    up_proj: Linear,
    down_proj: Linear,
}

impl LlamaMlp {
    /// SwiGLU: `W_down(silu(W_gate x) ⊙ W_up x)`.
    fn forward(&self, x: Tensor<3>, pass: &mut Pass, path: Path<'_>) -> Tensor<3> {
        let gate = linear(x.clone(), &self.gate_proj);
        pass.record(Quantity::Hidden, path, "gate", &gate);
        let up = linear(x, &self.up_proj);
        pass.record(Quantity::Hidden, path, "up", &up);
        let hidden = swiglu(gate, up);
        pass.record(Quantity::Hidden, path, "hidden", &hidden);
        let output = linear(hidden, &self.down_proj);
        pass.record(Quantity::FeedForward, path, "output", &output);
        output
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
    /// `[batch, new, hidden_size]` to the same.
    fn forward(
        &self,
        x: Tensor<3>,
        positions: &PassPositions,
        cache: &mut KeyValueCache,
        pass: &mut Pass,
        path: Path<'_>,
    ) -> Tensor<3> {
        let normed = rms_norm(x.clone(), &self.input_layernorm);
        pass.record(Quantity::Norms, path, "input_layernorm.output", &normed);
        let attended =
            self.self_attn
                .forward(normed, positions, cache, pass, path.module("self_attn"));
        let x = x + pass.dropout(attended);
        pass.record(Quantity::Residual, path, "attention_residual", &x);

        let normed = rms_norm(x.clone(), &self.post_attention_layernorm);
        pass.record(
            Quantity::Norms,
            path,
            "post_attention_layernorm.output",
            &normed,
        );
        let output = self.mlp.forward(normed, pass, path.module("mlp"));
        let x = x + pass.dropout(output);
        pass.record(Quantity::Residual, path, "residual", &x);
        x
    }
}
