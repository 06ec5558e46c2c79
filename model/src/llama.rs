//! The decoder-only Transformer of [LLaMA](https://arxiv.org/abs/2302.13971) in the layout of
//! Hugging Face's [`LlamaForCausalLM`](https://huggingface.co/docs/transformers/model_doc/llama)
//! checkpoints: pre-norm with RMSNorm, rotary positions (RoPE), SwiGLU.
//!
//! Field names are the checkpoint's, so a parameter's path here is its name there.

use attention_trace::Quantity;
use attention_trace::positions::rotations;
use burn::nn::{
    Embedding, EmbeddingConfig, Initializer, Linear, LinearConfig, RmsNorm, RmsNormConfig,
};
use burn::prelude::*;
use serde::{Deserialize, Serialize};

use crate::attention::{KeyValueCache, Mask, attend, split_heads};
use crate::error::ModelError;
use crate::kernels::{linear, linear_transposed, rms_norm, rotate, swiglu};
use crate::limits::{LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_sizes, check_tokens};
use crate::pass::{Pass, Path};

/// `config.json` of a Llama checkpoint; the fields that shape the model.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LlamaConfig {
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Inner width of the feed-forward networks.
    pub intermediate_size: usize,
    /// Layers.
    pub num_hidden_layers: usize,
    /// Query heads of each layer.
    pub num_attention_heads: usize,
    /// Key and value heads of each layer; fewer than query heads in grouped-query attention.
    #[serde(default)]
    pub num_key_value_heads: Option<usize>,
    /// Width of a head, where it is not `hidden_size / num_attention_heads`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head_dim: Option<usize>,
    /// RMSNorm's ε.
    pub rms_norm_eps: f64,
    /// RoPE's base.
    #[serde(default = "rope_theta")]
    pub rope_theta: f32,
    /// RoPE's parameters as newer checkpoints write them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_parameters: Option<RopeParameters>,
    /// RoPE's scaling as older checkpoints write it; none is implemented.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_scaling: Option<serde_json::Value>,
    /// Longest sequence, in tokens.
    pub max_position_embeddings: usize,
    /// Whether the output matrix is the embedding table.
    #[serde(default)]
    pub tie_word_embeddings: bool,
    /// What a sequence starts with.
    pub bos_token_id: u32,
    /// End of sentence.
    pub eos_token_id: u32,
    /// Dropout rate in training.
    #[serde(default)]
    pub dropout: f64,
}

fn rope_theta() -> f32 {
    10_000.0
}

/// RoPE's parameters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RopeParameters {
    /// RoPE's base.
    pub rope_theta: f32,
    /// The variant; only `default` is implemented.
    pub rope_type: String,
}

impl LlamaConfig {
    /// RoPE's base.
    pub fn theta(&self) -> f32 {
        self.rope_parameters
            .as_ref()
            .map_or(self.rope_theta, |parameters| parameters.rope_theta)
    }

    /// Width of a head.
    pub fn head_dim(&self) -> usize {
        self.head_dim
            .unwrap_or(self.hidden_size / self.num_attention_heads.max(1))
    }

    fn key_value_heads(&self) -> usize {
        self.num_key_value_heads.unwrap_or(self.num_attention_heads)
    }

    /// A new model with random weights, `N(0, 0.02²)`.
    ///
    /// # Errors
    /// If the sizes do not fit each other or a RoPE variant is asked for.
    pub fn init(&self, device: &Device) -> Result<Llama, ModelError> {
        self.validate()?;
        let (hidden, inner, d_k) = (self.hidden_size, self.intermediate_size, self.head_dim());
        let normal = Initializer::Normal {
            mean: 0.0,
            std: 0.02,
        };
        let linear = |input, output| {
            LinearConfig::new(input, output)
                .with_bias(false)
                .with_initializer(normal.clone())
                .init(device)
        };
        let norm = || {
            RmsNormConfig::new(hidden)
                .with_epsilon(self.rms_norm_eps)
                .init(device)
        };
        let layer = || LlamaLayer {
            input_layernorm: norm(),
            self_attn: LlamaAttention {
                q_proj: linear(hidden, self.num_attention_heads * d_k),
                k_proj: linear(hidden, self.key_value_heads() * d_k),
                v_proj: linear(hidden, self.key_value_heads() * d_k),
                o_proj: linear(self.num_attention_heads * d_k, hidden),
                heads: self.num_attention_heads,
                key_value_heads: self.key_value_heads(),
            },
            post_attention_layernorm: norm(),
            mlp: LlamaMlp {
                gate_proj: linear(hidden, inner),
                up_proj: linear(hidden, inner),
                down_proj: linear(inner, hidden),
            },
        };
        Ok(Llama {
            model: LlamaModel {
                embed_tokens: EmbeddingConfig::new(self.vocab_size, hidden)
                    .with_initializer(normal.clone())
                    .init(device),
                layers: (0..self.num_hidden_layers).map(|_| layer()).collect(),
                norm: norm(),
            },
            lm_head: (!self.tie_word_embeddings).then(|| linear(hidden, self.vocab_size)),
            config: self.clone(),
        })
    }

    fn validate(&self) -> Result<(), ModelError> {
        check_sizes(&[
            ("vocab_size", self.vocab_size, LARGEST_TABLE),
            (
                "max_position_embeddings",
                self.max_position_embeddings,
                LARGEST_TABLE,
            ),
            ("hidden_size", self.hidden_size, WIDEST),
            ("intermediate_size", self.intermediate_size, WIDEST),
            ("num_attention_heads", self.num_attention_heads, MOST_HEADS),
            ("num_key_value_heads", self.key_value_heads(), MOST_HEADS),
            ("head_dim", self.head_dim(), WIDEST),
            ("num_hidden_layers", self.num_hidden_layers, MOST_LAYERS),
        ])?;
        check_tokens(
            &[
                ("bos_token_id", self.bos_token_id),
                ("eos_token_id", self.eos_token_id),
            ],
            self.vocab_size,
        )?;
        let scaled = self
            .rope_parameters
            .as_ref()
            .is_some_and(|p| p.rope_type != "default");
        if scaled
            || self
                .rope_scaling
                .as_ref()
                .is_some_and(|scaling| !scaling.is_null())
        {
            return Err(ModelError::Unsupported(
                "RoPE scaling is not implemented".into(),
            ));
        }
        let (heads, groups) = (self.num_attention_heads, self.key_value_heads());
        if !heads.is_multiple_of(groups) || !self.head_dim().is_multiple_of(2) {
            return Err(ModelError::Unsupported(format!(
                "{heads} query heads of width {} cannot share {groups} key and value heads",
                self.head_dim()
            )));
        }
        if !(0.0..1.0).contains(&self.dropout) || self.rms_norm_eps <= 0.0 {
            return Err(ModelError::Unsupported(
                "dropout must be in [0, 1) and rms_norm_eps positive".into(),
            ));
        }
        Ok(())
    }
}

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
        let mask = (new > 1).then_some(Mask::Causal);
        let rotation = Rotation::new(cached, new, &self.config, &device);
        let mut x = self.model.embed_tokens.forward(tokens);
        pass.record(Quantity::Residual, STACK, "embeddings", &x);
        x = pass.dropout(x);
        for (index, layer) in self.model.layers.iter().enumerate() {
            let path = Path::layer(STACK, index);
            x = layer.forward(
                x,
                &rotation,
                mask.clone(),
                &mut cache.layers[index],
                pass,
                path,
            );
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

/// Cosines and sines of RoPE's angles at the positions of a pass, `[new, d_k]`.
struct Rotation {
    cosine: Tensor<2>,
    sine: Tensor<2>,
}

impl Rotation {
    fn new(start: usize, new: usize, config: &LlamaConfig, device: &Device) -> Self {
        let d_k = config.head_dim();
        let (cosines, sines) = rotations(start..start + new, d_k, config.theta());
        let table = |values| Tensor::from_data(TensorData::new(values, [new, d_k]), device);
        Rotation {
            cosine: table(cosines),
            sine: table(sines),
        }
    }

    /// Turns each pair `(i, i + d_k/2)` of every head.
    fn apply(&self, x: Tensor<3>, heads: usize) -> Tensor<3> {
        rotate(x, self.cosine.clone(), self.sine.clone(), heads)
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
        rotation: &Rotation,
        mask: Option<Mask>,
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
        pass.record_with(Quantity::Unrotated, path, "unrotated_query", || {
            split(&query)
        });
        pass.record_with(Quantity::Unrotated, path, "unrotated_key", || split(&key));
        let (key, value) = cache.append(rotation.apply(key, groups), value);
        let query = rotation.apply(query, heads);
        let attended = attend(query, key, value, heads, mask, pass, path);
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
        rotation: &Rotation,
        mask: Option<Mask>,
        cache: &mut KeyValueCache,
        pass: &mut Pass,
        path: Path<'_>,
    ) -> Tensor<3> {
        let normed = rms_norm(x.clone(), &self.input_layernorm);
        pass.record(Quantity::Norms, path, "input_layernorm.output", &normed);
        let attended = self.self_attn.forward(
            normed,
            rotation,
            mask,
            cache,
            pass,
            path.module("self_attn"),
        );
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
