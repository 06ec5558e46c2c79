//! The decoder-only Transformer of [LLaMA](https://arxiv.org/abs/2302.13971) in the layout of
//! Hugging Face's [`LlamaForCausalLM`](https://huggingface.co/docs/transformers/model_doc/llama)
//! checkpoints: pre-norm with RMSNorm, rotary positions (RoPE), SwiGLU. Those of
//! [Qwen2](https://arxiv.org/abs/2407.10671) and [Qwen3](https://arxiv.org/abs/2505.09388) differ by biases, and by
//! norms of queries and keys; [Mistral](https://arxiv.org/abs/2310.06825) by a sliding window, and
//! [SmolLM3](https://huggingface.co/blog/smollm3) by layers without RoPE; [OLMo 2](https://arxiv.org/abs/2501.00656) by
//! norms of the sub-layers' outputs; [Gemma 2](https://arxiv.org/abs/2408.00118) and
//! [Gemma 3](https://arxiv.org/abs/2503.19786) by all of these but the biases, scaled embeddings, GeGLU and soft-capping;
//! [Phi-3](https://arxiv.org/abs/2404.14219) by RoPE of a part of each head, and LongRoPE.
//!
//! Other encodings of positions can replace RoPE ([`PositionalEncoding`]), everything else being equal. Field names are
//! the checkpoint's, so a parameter's path here is its name there.
//!
//! [`PositionalEncoding`]: attention_trace::positions::PositionalEncoding

mod fused;
mod init;
mod positions;

use attention_trace::config::Convention;
pub use attention_trace::config::{LlamaConfig, RopeParameters};
#[cfg(feature = "train")]
use attention_trace::positions::PositionalEncoding;
use attention_trace::{
    Block, ModelSpec, Nonlinearity, NormPlacement, Parameter, Quantity, Stack, Sublayer, Weight,
};
use burn::nn::{self, RmsNorm};
use burn::prelude::*;
#[cfg(feature = "train")]
use serde_json::{Value, json};

use self::positions::{LayerPositions, PassPositions, from_the_beginning};
use crate::attention::{KeyValueCache, Scale, Scoring, attend, soft_cap, tap_heads};
use crate::decoding::Rules;
use crate::family::Family;
use crate::kernels::{rms_norm, swiglu};
use crate::layers::{AsStored, Embedding, Linear, Matrix};
use crate::placement::Moves;
use crate::sequence::{Control, SequenceModel, Source, State};
use crate::sublayers::activate;
use crate::tap::Tap;
use crate::weights::{self, FileNames, Layout, Opened};
#[cfg(feature = "train")]
use crate::{error::ModelError, family::merge, weights::Precision};

/// The `model_type` of Llama's checkpoints and the function that loads them.
pub const FAMILY: Family = Family {
    model_types: &[
        "llama",
        "qwen2",
        "qwen3",
        "mistral",
        "smollm3",
        "olmo2",
        "gemma2",
        "gemma3_text",
        "phi3",
    ],
    places_layers: true,
    load: |published, main| {
        let config: LlamaConfig = published.config()?;
        // Gemma's is `hidden_activation`; what `hidden_act` says there has no effect.
        if !config.convention.is_gemma() {
            published.check_implemented(&[("hidden_act", "silu".into())])?;
        }
        published.check_vocabulary(config.vocab_size)?;
        let is_tied = match published.has_entry("tie_word_embeddings") {
            true => config.tie_word_embeddings,
            false => config.convention.ties_tables(),
        };
        config.validate()?;
        let file = fused::unfused(Opened::new(published.weights)?, &config)?;
        let own = file.own(&LAYOUT)?;
        let config = LlamaConfig {
            tie_word_embeddings: is_tied && !own.contains(HEAD),
            ..config
        };
        let layers = published
            .devices
            .of_layers(config.num_hidden_layers, |layer, device| {
                file.layer_bytes_on(layer, device)
            });
        let model = Llama::placed(&config, main, &layers)?;
        let model = file.load_as_stored(model, &LAYOUT)?;
        Ok(Box::new(match config.convention.is_gemma() {
            true => model.with_shifted_gains(),
            false => model,
        }))
    },
};

/// The layout of the files of Llama's checkpoints, and of similar ones.
pub(crate) const LAYOUT: Layout = Layout {
    model: Some("LlamaForCausalLM, Qwen2ForCausalLM or another one in Llama's layout"),
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
    #[module(skip)]
    moves: Moves,
}

#[derive(Module, Debug)]
struct LlamaModel {
    embed_tokens: Embedding,
    embed_positions: Option<nn::Embedding>,
    relative_attention_bias: Option<nn::Embedding>,
    layers: Vec<LlamaLayer>,
    norm: RmsNorm,
}

impl AsStored for Llama {
    fn matrices(&mut self) -> Vec<Matrix<'_>> {
        let layers = self.model.layers.iter_mut();
        let matrices = layers.flat_map(|LlamaLayer { self_attn, mlp, .. }| {
            let of_attention = [
                &mut self_attn.q_proj,
                &mut self_attn.k_proj,
                &mut self_attn.v_proj,
                &mut self_attn.o_proj,
            ];
            let of_mlp = mlp
                .iter_mut()
                .flat_map(|mlp| [&mut mlp.gate_proj, &mut mlp.up_proj, &mut mlp.down_proj]);
            of_attention.into_iter().chain(of_mlp)
        });
        let matrices = matrices.chain(&mut self.lm_head).map(Linear::matrix);
        matrices.chain([self.model.embed_tokens.matrix()]).collect()
    }
}

impl Llama {
    /// Returns the configuration the model was built from.
    pub fn config(&self) -> &LlamaConfig {
        &self.config
    }

    /// Returns the model with 1 added to the gain of each norm: Gemma's files have the rest.
    fn with_shifted_gains(mut self) -> Self {
        let layers = self.model.layers.iter_mut();
        let norms = layers.flat_map(LlamaLayer::all_norms);
        for norm in norms.chain([&mut self.model.norm]) {
            norm.gamma = norm.gamma.clone().map(|gain| gain.add_scalar(1.0).detach());
        }
        self
    }

    /// Returns the `config.json` to publish with the weights.
    #[cfg(feature = "train")]
    fn config_json(&self, precision: Precision) -> Result<Value, ModelError> {
        let config = &self.config;
        let architecture = match (config.positions, config.convention) {
            // The file would need gains that are shifted back, or fused matrices.
            (_, Convention::Gemma2 | Convention::Gemma3 | Convention::Phi3) => {
                return Err(ModelError::Unsupported(format!(
                    "a model of the type {} is read, not written",
                    config.convention.model_type()
                )));
            }
            // Programs that know Llama alone look for a network in every layer.
            _ if !config.has_feed_forward() => "LlamaOfAttentionAlone",
            (PositionalEncoding::Rope, Convention::Llama) => "LlamaForCausalLM",
            (PositionalEncoding::Rope, Convention::Qwen2) => "Qwen2ForCausalLM",
            (PositionalEncoding::Rope, Convention::Qwen3) => "Qwen3ForCausalLM",
            (PositionalEncoding::Rope, Convention::Mistral) => "MistralForCausalLM",
            (PositionalEncoding::Rope, Convention::SmolLM3) => "SmolLM3ForCausalLM",
            (PositionalEncoding::Rope, Convention::Olmo2) => "Olmo2ForCausalLM",
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
        let tokens = match self.config.longrope_limit() {
            Some(limit) => from_the_beginning(tokens, state, limit),
            None => tokens,
        };
        let [_, read] = tokens.dims();
        tap.enter(Stack::Decoder, state.position);
        let mut positions = PassPositions::new(self, state.position, read, &device, tap);
        let x = self.model.embed_tokens.forward(tokens);
        let x = match self.config.embedding_factor() {
            1.0 => x,
            factor => x.mul_scalar(factor),
        };
        let x = positions.add(x, tap, STACK);
        let x = tap.at(STACK.at(Quantity::Embedding), x);
        let mut x = tap.dropout(x);
        for (index, layer) in self.model.layers.iter().enumerate() {
            if let Some(device) = self.moves.before(index) {
                (x, positions) = (x.to_device(device), positions.to_device(device));
            }
            let kept = &mut state.layers[index].own;
            x = layer.forward(x, positions.layer(index, &self.config), kept, tap, index);
        }
        if let Some(device) = self.moves.before(self.model.layers.len()) {
            x = x.to_device(device);
        }
        state.position += read;
        let x = tap.at(STACK.at(Quantity::FinalNorm), rms_norm(x, &self.model.norm));
        x.narrow(1, read - new, new)
    }

    fn last_norm(&self, states: Tensor<2>) -> Tensor<2> {
        rms_norm(states.unsqueeze::<3>(), &self.model.norm).squeeze_dim(0)
    }

    fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        let logits = match &self.lm_head {
            Some(head) => head.forward(states.unsqueeze()).squeeze_dim(0),
            None => self.model.embed_tokens.logits(states),
        };
        match self.config.logit_cap() {
            Some(cap) => soft_cap(logits, cap),
            None => logits,
        }
    }

    fn parameter(&self, parameter: Parameter) -> Option<Tensor<2>> {
        let name = name(parameter, self.config.norm_placement())?;
        let tied = || weights::parameter(self, TABLE);
        match weights::parameter(self, &name) {
            None if name == HEAD => tied(),
            found => found,
        }
    }

    fn weights(&self) -> usize {
        self.num_params()
    }

    fn file_names(&self) -> FileNames {
        let names = FileNames::of(self, &LAYOUT);
        match self.config.convention {
            Convention::Phi3 => fused::with_fused(names),
            _ => names,
        }
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
fn name(Parameter { block, weight }: Parameter, norms: NormPlacement) -> Option<String> {
    let (layer, sublayer) = match (block, weight) {
        (Block::Stack(Stack::Decoder), weight) => return of_stack(weight).map(str::to_owned),
        (Block::Model, Weight::WUnembed) => return Some(HEAD.to_owned()),
        (Block::Sublayer(Stack::Decoder, layer, sublayer), _) => (layer, sublayer),
        _ => return None,
    };
    let is_on_output = norms.is_on_output();
    let parameter = match (sublayer, weight) {
        (Sublayer::SelfAttention, Weight::OutNormGain) if is_on_output => {
            "post_attention_layernorm.weight"
        }
        (Sublayer::FeedForward, Weight::OutNormGain) => "post_feedforward_layernorm.weight",
        (Sublayer::FeedForward, Weight::NormGain) if is_on_output => {
            "pre_feedforward_layernorm.weight"
        }
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
    #[module(skip)]
    scale: Scale,
    #[module(skip)]
    cap: Option<f32>,
}

impl LlamaAttention {
    fn forward(
        &self,
        x: Tensor<3>,
        layer: LayerPositions<'_>,
        cache: &mut KeyValueCache,
        tap: &mut Tap,
        block: Block,
    ) -> Tensor<3> {
        let query = self.q_proj.forward(x.clone());
        let key = self.k_proj.forward(x.clone());
        let value = self.v_proj.forward(x);
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
        let (query, key) = match layer.rotation {
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
            scale: self.scale,
            cap: self.cap,
            bias: layer.bias,
            mask: layer.mask,
        };
        let z = attend([query, key, value], heads, scoring, tap, block);
        tap.at(block.at(Quantity::Out), self.o_proj.forward(z))
    }
}

/// Normalises every head separately with the same gain, or all of them together with a gain as wide, `[batch, new, heads
/// * d_k]` to the same.
fn norm_heads(x: Tensor<3>, norm: &RmsNorm) -> Tensor<3> {
    let [batch, new, width] = x.dims();
    let [part] = norm.gamma.dims();
    let parts = x.reshape([batch, new * width / part, part]);
    rms_norm(parts, norm).reshape([batch, new, width])
}

#[derive(Module, Debug)]
struct LlamaMlp {
    gate_proj: Linear,
    up_proj: Linear,
    down_proj: Linear,
    #[module(skip)]
    nonlinearity: Nonlinearity,
}

impl LlamaMlp {
    /// SwiGLU, `W_down(silu(W_gate x) ⊙ W_up x)`, or the same with another non-linearity.
    fn forward(&self, x: Tensor<3>, tap: &mut Tap, block: Block) -> Tensor<3> {
        let gate = tap.at(block.at(Quantity::Pre), self.gate_proj.forward(x.clone()));
        let up = tap.at(block.at(Quantity::PreLinear), self.up_proj.forward(x));
        let post = match self.nonlinearity {
            Nonlinearity::Silu => swiglu(gate, up),
            other => activate(other, gate) * up,
        };
        let post = tap.at(block.at(Quantity::Post), post);
        tap.at(block.at(Quantity::Out), self.down_proj.forward(post))
    }
}

#[derive(Module, Debug)]
struct LlamaLayer {
    input_layernorm: Option<RmsNorm>,
    self_attn: LlamaAttention,
    /// The norm of attention's output where outputs are normalised, elsewhere that of the feed-forward network's input.
    post_attention_layernorm: Option<RmsNorm>,
    pre_feedforward_layernorm: Option<RmsNorm>,
    /// Absent in a model of attention alone.
    mlp: Option<LlamaMlp>,
    post_feedforward_layernorm: Option<RmsNorm>,
}

/// The norms of a sub-layer's input and of its output.
struct SublayerNorms<'a> {
    input: Option<&'a RmsNorm>,
    output: Option<&'a RmsNorm>,
}

impl SublayerNorms<'_> {
    fn before(&self, x: Tensor<3>, tap: &mut Tap, block: Block) -> Tensor<3> {
        match self.input {
            Some(norm) => tap.at(block.at(Quantity::Norm), rms_norm(x, norm)),
            None => x,
        }
    }

    fn after(&self, output: Tensor<3>, tap: &mut Tap, block: Block) -> Tensor<3> {
        match self.output {
            Some(norm) => tap.at(block.at(Quantity::OutNorm), rms_norm(output, norm)),
            None => output,
        }
    }
}

impl LlamaLayer {
    /// Maps `[batch, new, hidden_size]` to the same shape.
    fn forward(
        &self,
        x: Tensor<3>,
        positions: LayerPositions<'_>,
        cache: &mut KeyValueCache,
        tap: &mut Tap,
        layer: usize,
    ) -> Tensor<3> {
        let block = |sublayer| Block::Sublayer(Stack::Decoder, layer, sublayer);
        let [of_attention, of_mlp] = self.norms();
        let own = block(Sublayer::SelfAttention);
        let input = of_attention.before(x.clone(), tap, own);
        let output = self.self_attn.forward(input, positions, cache, tap, own);
        let output = of_attention.after(output, tap, own);
        let x = x + tap.dropout(output);
        let x = tap.at(own.at(Quantity::Residual), x);

        let Some(network) = &self.mlp else {
            return x;
        };
        let mlp = block(Sublayer::FeedForward);
        let input = of_mlp.before(x.clone(), tap, mlp);
        let output = network.forward(input, tap, mlp);
        let output = of_mlp.after(output, tap, mlp);
        let x = x + tap.dropout(output);
        tap.at(mlp.at(Quantity::Residual), x)
    }

    /// Returns the norms of attention and of the feed-forward network.
    fn norms(&self) -> [SublayerNorms<'_>; 2] {
        let norms = |input, output| SublayerNorms { input, output };
        let first = self.input_layernorm.as_ref();
        let middle = self.post_attention_layernorm.as_ref();
        match self.post_feedforward_layernorm.as_ref() {
            Some(last) => [
                norms(first, middle),
                norms(self.pre_feedforward_layernorm.as_ref(), Some(last)),
            ],
            None => [norms(first, None), norms(middle, None)],
        }
    }

    /// Returns all norms of the layer.
    fn all_norms(&mut self) -> impl Iterator<Item = &mut RmsNorm> {
        let of_attention = [&mut self.self_attn.q_norm, &mut self.self_attn.k_norm];
        let optional = [
            &mut self.input_layernorm,
            &mut self.post_attention_layernorm,
            &mut self.pre_feedforward_layernorm,
            &mut self.post_feedforward_layernorm,
        ];
        let all = of_attention.into_iter().chain(optional);
        all.filter_map(Option::as_mut)
    }
}
