//! The decoder-only Transformer of [LLaMA](https://arxiv.org/abs/2302.13971) in the layout of
//! Hugging Face's [`LlamaForCausalLM`](https://huggingface.co/docs/transformers/model_doc/llama)
//! checkpoints: pre-norm with RMSNorm, rotary positions (RoPE), SwiGLU.
//!
//! Field names are the checkpoint's, so a parameter's path here is its name there.

use attention_trace::Quantity;
use attention_trace::positions::angle;
use burn::nn::{
    Embedding, EmbeddingConfig, Initializer, Linear, LinearConfig, RmsNorm, RmsNormConfig,
};
use burn::prelude::*;
use burn::tensor::activation::silu;
use serde::{Deserialize, Serialize};

use crate::attention::{KeyValueCache, attend, causal_mask, concatenate_heads, split_heads};
use crate::error::ModelError;
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
        let mask = causal_mask(new, cached, &device);
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
        let x = self.model.norm.forward(x);
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
            Some(head) => head.forward(states),
            None => states.matmul(self.model.embed_tokens.weight.val().transpose()),
        }
    }
}

/// Cosines and sines of RoPE's angles at the positions of a pass, `[1, 1, new, d_k]`.
struct Rotation {
    cosine: Tensor<4>,
    sine: Tensor<4>,
}

impl Rotation {
    fn new(start: usize, new: usize, config: &LlamaConfig, device: &Device) -> Self {
        let d_k = config.head_dim();
        let table = |of: fn(f64) -> f64| {
            let values: Vec<f32> = (start..start + new)
                .flat_map(|position| {
                    (0..d_k).map(move |i| {
                        of(angle(position, i % (d_k / 2), d_k, config.theta())) as f32
                    })
                })
                .collect();
            Tensor::from_data(TensorData::new(values, [1, 1, new, d_k]), device)
        };
        Rotation {
            cosine: table(f64::cos),
            sine: table(f64::sin),
        }
    }

    /// Turns each pair `(i, i + d_k/2)` of every head.
    fn apply(&self, x: Tensor<4>) -> Tensor<4> {
        let [_, _, _, d_k] = x.dims();
        let (first, second) = (
            x.clone().narrow(3, 0, d_k / 2),
            x.clone().narrow(3, d_k / 2, d_k / 2),
        );
        let turned = Tensor::cat(vec![second.neg(), first], 3);
        x * self.cosine.clone() + turned * self.sine.clone()
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
        mask: Option<Tensor<4, Bool>>,
        cache: &mut KeyValueCache,
        pass: &mut Pass,
        path: Path<'_>,
    ) -> Tensor<3> {
        let query = split_heads(self.q_proj.forward(x.clone()), self.heads);
        let key = split_heads(self.k_proj.forward(x.clone()), self.key_value_heads);
        let value = split_heads(self.v_proj.forward(x), self.key_value_heads);
        pass.record(Quantity::Unrotated, path, "unrotated_query", &query);
        pass.record(
            Quantity::Unrotated,
            path,
            "unrotated_key",
            &self.share(key.clone()),
        );
        let (key, value) = cache.append(rotation.apply(key), value);
        let heads = attend(
            rotation.apply(query),
            self.share(key),
            self.share(value),
            mask,
            pass,
            path,
        );
        self.o_proj.forward(concatenate_heads(heads))
    }

    /// Gives every query head its group's keys or values.
    fn share(&self, x: Tensor<4>) -> Tensor<4> {
        if self.heads == self.key_value_heads {
            return x;
        }
        let [batch, groups, length, d_k] = x.dims();
        let per_group = self.heads / groups;
        x.unsqueeze_dim::<5>(2)
            .expand([batch, groups, per_group, length, d_k])
            .reshape([batch, self.heads, length, d_k])
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
    fn forward(&self, x: Tensor<3>) -> Tensor<3> {
        let gate = silu(self.gate_proj.forward(x.clone()));
        self.down_proj.forward(gate * self.up_proj.forward(x))
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
        mask: Option<Tensor<4, Bool>>,
        cache: &mut KeyValueCache,
        pass: &mut Pass,
        path: Path<'_>,
    ) -> Tensor<3> {
        let normed = self.input_layernorm.forward(x.clone());
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

        let normed = self.post_attention_layernorm.forward(x.clone());
        pass.record(
            Quantity::Norms,
            path,
            "post_attention_layernorm.output",
            &normed,
        );
        let output = self.mlp.forward(normed);
        pass.record(Quantity::FeedForward, path, "mlp.output", &output);
        let x = x + pass.dropout(output);
        pass.record(Quantity::Residual, path, "residual", &x);
        x
    }
}
