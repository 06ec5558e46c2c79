//! The encoder–decoder Transformer of [Attention Is All You Need](https://arxiv.org/abs/1706.03762)
//! in the layout of [Marian](https://huggingface.co/docs/transformers/model_doc/marian) checkpoints:
//! post-norm, sinusoidal positions, embeddings shared by encoder, decoder and output.
//!
//! Field names are the checkpoint's, so a parameter's path here is its name there.

use attention_trace::Quantity;
pub use attention_trace::config::{Activation, MarianConfig};
use attention_trace::positions::{SinusoidalLayout, sinusoidal};
use burn::module::Param;
use burn::nn::{
    Embedding, EmbeddingConfig, Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig,
};
use burn::prelude::*;
use burn::tensor::activation::{gelu, relu, silu};

use crate::attention::{KeyValueCache, Mask, attend};
use crate::error::ModelError;
use crate::kernels::{layer_norm, linear, linear_transposed};
use crate::pass::{Pass, Path};

/// The ε of every layer normalisation: PyTorch's default, which Marian keeps.
const NORM_EPSILON: f64 = 1e-5;

/// Applies a feed-forward network's non-linearity.
fn activate(activation: Activation, x: Tensor<3>) -> Tensor<3> {
    match activation {
        Activation::Relu => relu(x),
        Activation::Swish => silu(x),
        Activation::Gelu => gelu(x),
    }
}

#[derive(Clone, Copy)]
struct LayerSizes {
    d_model: usize,
    heads: usize,
    ffn: usize,
    activation: Activation,
}

impl LayerSizes {
    fn linear(&self, input: usize, output: usize, device: &Device) -> Linear {
        let mut linear = LinearConfig::new(input, output)
            .with_initializer(Initializer::XavierUniform { gain: 1.0 })
            .init(device);
        linear.bias = Some(Initializer::Zeros.init([output], device));
        linear
    }

    fn attention(&self, device: &Device) -> MarianAttention {
        let projection = || self.linear(self.d_model, self.d_model, device);
        MarianAttention {
            q_proj: projection(),
            k_proj: projection(),
            v_proj: projection(),
            out_proj: projection(),
            heads: self.heads,
        }
    }

    fn norm(&self, device: &Device) -> LayerNorm {
        LayerNormConfig::new(self.d_model)
            .with_epsilon(NORM_EPSILON)
            .init(device)
    }

    fn feed_forward(&self, device: &Device) -> (Linear, Linear) {
        (
            self.linear(self.d_model, self.ffn, device),
            self.linear(self.ffn, self.d_model, device),
        )
    }

    fn encoder(&self, device: &Device) -> MarianEncoderLayer {
        let (fc1, fc2) = self.feed_forward(device);
        MarianEncoderLayer {
            self_attn: self.attention(device),
            self_attn_layer_norm: self.norm(device),
            fc1,
            fc2,
            final_layer_norm: self.norm(device),
            activation: self.activation,
        }
    }

    fn decoder(&self, device: &Device) -> MarianDecoderLayer {
        let (fc1, fc2) = self.feed_forward(device);
        MarianDecoderLayer {
            self_attn: self.attention(device),
            self_attn_layer_norm: self.norm(device),
            encoder_attn: self.attention(device),
            encoder_attn_layer_norm: self.norm(device),
            fc1,
            fc2,
            final_layer_norm: self.norm(device),
            activation: self.activation,
        }
    }
}

/// The whole model, from tokens to logits.
#[derive(Module, Debug)]
pub struct Marian {
    model: MarianModel,
    final_logits_bias: Param<Tensor<2>>,
    #[module(skip)]
    config: MarianConfig,
}

#[derive(Module, Debug)]
struct MarianModel {
    shared: Embedding,
    encoder: MarianEncoder,
    decoder: MarianDecoder,
}

#[derive(Module, Debug)]
struct MarianEncoder {
    layers: Vec<MarianEncoderLayer>,
}

#[derive(Module, Debug)]
struct MarianDecoder {
    layers: Vec<MarianDecoderLayer>,
}

/// What the encoder hands to the decoder.
#[derive(Clone, Debug)]
pub struct Memory {
    /// `[batch, source, d_model]`
    pub states: Tensor<3>,
    /// `[batch, 1, 1, source]`, true at padding.
    pub padding: Option<Tensor<4, Bool>>,
}

/// What decoding remembers between steps.
#[derive(Clone, Debug)]
pub struct MarianCache {
    layers: Vec<(KeyValueCache, KeyValueCache)>,
}

impl MarianCache {
    /// Keeps the sequences at `indices`.
    pub fn select(&mut self, indices: &Tensor<1, Int>) {
        for (own, cross) in &mut self.layers {
            own.select(indices);
            cross.select(indices);
        }
    }

    /// Number of sequences held.
    pub fn sequences(&self) -> usize {
        self.layers.first().map_or(0, |(own, _)| own.sequences())
    }

    fn positions(&self) -> usize {
        self.layers.first().map_or(0, |(own, _)| own.positions())
    }
}

impl Marian {
    /// A new model with random weights: Xavier for projections, `N(0, d_model^-½)` for embeddings.
    ///
    /// # Errors
    /// If the sizes do not fit each other.
    pub fn new(config: &MarianConfig, device: &Device) -> Result<Self, ModelError> {
        config.validate()?;
        let encoder = LayerSizes {
            d_model: config.d_model,
            heads: config.encoder_attention_heads,
            ffn: config.encoder_ffn_dim,
            activation: config.activation_function,
        };
        let decoder = LayerSizes {
            heads: config.decoder_attention_heads,
            ffn: config.decoder_ffn_dim,
            ..encoder
        };
        let deviation = (config.d_model as f64).powf(-0.5);
        Ok(Marian {
            model: MarianModel {
                shared: EmbeddingConfig::new(config.vocab_size, config.d_model)
                    .with_initializer(Initializer::Normal {
                        mean: 0.0,
                        std: deviation,
                    })
                    .init(device),
                encoder: MarianEncoder {
                    layers: (0..config.encoder_layers)
                        .map(|_| encoder.encoder(device))
                        .collect(),
                },
                decoder: MarianDecoder {
                    layers: (0..config.decoder_layers)
                        .map(|_| decoder.decoder(device))
                        .collect(),
                },
            },
            final_logits_bias: Initializer::Zeros
                .init([1, config.vocab_size], device)
                .no_grad(),
            config: config.clone(),
        })
    }

    /// The configuration the model was built from.
    pub fn config(&self) -> &MarianConfig {
        &self.config
    }

    /// An empty cache.
    pub fn cache(&self) -> MarianCache {
        MarianCache {
            layers: vec![Default::default(); self.config().decoder_layers],
        }
    }

    /// Runs the encoder.
    ///
    /// # Shapes
    /// - tokens: `[batch, source]`
    /// - padding: `[batch, source]`, true at padding; `None` where there is none
    pub fn encode(
        &self,
        tokens: Tensor<2, Int>,
        padding: Option<Tensor<2, Bool>>,
        pass: &mut Pass,
    ) -> Memory {
        const STACK: &str = "model.encoder";
        let [batch, source] = tokens.dims();
        let padding = padding.map(|padding| padding.reshape([batch, 1, 1, source]));
        let mut x = self.embed(tokens, 0, STACK, pass);
        for (index, layer) in self.model.encoder.layers.iter().enumerate() {
            x = layer.forward(x, padding.clone(), pass, Path::layer(STACK, index));
        }
        Memory { states: x, padding }
    }

    /// Runs the decoder on the tokens that follow those in `cache`, and extends it.
    ///
    /// # Shapes
    /// - tokens: `[batch, new]`
    /// - out: `[batch, new, d_model]`
    pub fn decode(
        &self,
        tokens: Tensor<2, Int>,
        memory: &Memory,
        cache: &mut MarianCache,
        pass: &mut Pass,
    ) -> Tensor<3> {
        const STACK: &str = "model.decoder";
        let [_, new] = tokens.dims();
        let cached = cache.positions();
        let mask = (new > 1).then_some(Mask::Causal);
        let mut x = self.embed(tokens, cached, STACK, pass);
        for (index, layer) in self.model.decoder.layers.iter().enumerate() {
            let path = Path::layer(STACK, index);
            x = layer.forward(
                x,
                memory,
                mask.clone(),
                &mut cache.layers[index],
                pass,
                path,
            );
        }
        x
    }

    /// Decoder states to logits, with the embedding table as output matrix.
    ///
    /// # Shapes
    /// - states: `[rows, d_model]`
    /// - out: `[rows, vocabulary]`
    pub fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        linear_transposed(states, self.model.shared.weight.val()) + self.final_logits_bias.val()
    }

    /// Embedding plus position, `[batch, length, d_model]`.
    fn embed(
        &self,
        tokens: Tensor<2, Int>,
        start: usize,
        stack: &str,
        pass: &mut Pass,
    ) -> Tensor<3> {
        let [_, length] = tokens.dims();
        let config = self.config();
        let device = tokens.device();
        let scale = if config.scale_embedding {
            (config.d_model as f32).sqrt()
        } else {
            1.0
        };
        let positions = start..start + length;
        let rows = sinusoidal(positions, config.d_model, SinusoidalLayout::Halves);
        let positions =
            Tensor::from_data(TensorData::new(rows, [1, length, config.d_model]), &device);
        let x = self.model.shared.forward(tokens).mul_scalar(scale);
        pass.record(Quantity::TokenEmbeddings, stack, "token_embeddings", &x);
        let x = if pass.knows_positions() {
            x + positions
        } else {
            x
        };
        pass.record(Quantity::Residual, stack, "embeddings", &x);
        pass.dropout(x)
    }
}

#[derive(Module, Debug)]
struct MarianAttention {
    q_proj: Linear,
    k_proj: Linear,
    v_proj: Linear,
    out_proj: Linear,
    heads: usize,
}

impl MarianAttention {
    fn query(&self, x: Tensor<3>) -> Tensor<3> {
        linear(x, &self.q_proj)
    }

    fn key_value(&self, x: Tensor<3>) -> (Tensor<3>, Tensor<3>) {
        (linear(x.clone(), &self.k_proj), linear(x, &self.v_proj))
    }

    /// What the heads see in the keys and values, projected back to the model's width.
    fn forward(
        &self,
        query: Tensor<3>,
        (key, value): (Tensor<3>, Tensor<3>),
        mask: Option<Mask>,
        pass: &mut Pass,
        path: Path<'_>,
    ) -> Tensor<3> {
        let attended = attend(query, key, value, self.heads, mask, pass, path);
        let output = linear(attended, &self.out_proj);
        pass.record(Quantity::Attended, path, "output", &output);
        pass.dropout(output)
    }
}

/// The position-wise feed-forward network, `[batch, length, d_model]` to the same.
fn feed_forward(
    x: Tensor<3>,
    (fc1, fc2): (&Linear, &Linear),
    activation: Activation,
    pass: &mut Pass,
    path: Path<'_>,
) -> Tensor<3> {
    let hidden = linear(x, fc1);
    pass.record(Quantity::Hidden, path, "fc1", &hidden);
    let hidden = activate(activation, hidden);
    pass.record(Quantity::Hidden, path, "activation", &hidden);
    let output = linear(hidden, fc2);
    pass.record(Quantity::FeedForward, path, "fc2", &output);
    pass.dropout(output)
}

#[derive(Module, Debug)]
struct MarianEncoderLayer {
    self_attn: MarianAttention,
    self_attn_layer_norm: LayerNorm,
    fc1: Linear,
    fc2: Linear,
    final_layer_norm: LayerNorm,
    #[module(skip)]
    activation: Activation,
}

impl MarianEncoderLayer {
    /// `[batch, source, d_model]` to the same.
    fn forward(
        &self,
        x: Tensor<3>,
        padding: Option<Tensor<4, Bool>>,
        pass: &mut Pass,
        path: Path<'_>,
    ) -> Tensor<3> {
        let attended = self.self_attn.forward(
            self.self_attn.query(x.clone()),
            self.self_attn.key_value(x.clone()),
            padding.map(Mask::Padding),
            pass,
            path.module("self_attn"),
        );
        let x = add_and_norm(
            x,
            attended,
            &self.self_attn_layer_norm,
            pass,
            path.module("self_attn_layer_norm"),
        );

        let layers = (&self.fc1, &self.fc2);
        let output = feed_forward(x.clone(), layers, self.activation, pass, path);
        add_and_norm(
            x,
            output,
            &self.final_layer_norm,
            pass,
            path.module("final_layer_norm"),
        )
    }
}

#[derive(Module, Debug)]
struct MarianDecoderLayer {
    self_attn: MarianAttention,
    self_attn_layer_norm: LayerNorm,
    encoder_attn: MarianAttention,
    encoder_attn_layer_norm: LayerNorm,
    fc1: Linear,
    fc2: Linear,
    final_layer_norm: LayerNorm,
    #[module(skip)]
    activation: Activation,
}

impl MarianDecoderLayer {
    /// `[batch, new, d_model]` to the same.
    fn forward(
        &self,
        x: Tensor<3>,
        memory: &Memory,
        mask: Option<Mask>,
        (own, cross): &mut (KeyValueCache, KeyValueCache),
        pass: &mut Pass,
        path: Path<'_>,
    ) -> Tensor<3> {
        let (key, value) = self.self_attn.key_value(x.clone());
        let attended = self.self_attn.forward(
            self.self_attn.query(x.clone()),
            own.append(key, value),
            mask,
            pass,
            path.module("self_attn"),
        );
        let x = add_and_norm(
            x,
            attended,
            &self.self_attn_layer_norm,
            pass,
            path.module("self_attn_layer_norm"),
        );

        let attended = self.encoder_attn.forward(
            self.encoder_attn.query(x.clone()),
            cross.get_or_insert_with(|| self.encoder_attn.key_value(memory.states.clone())),
            memory.padding.clone().map(Mask::Padding),
            pass,
            path.module("encoder_attn"),
        );
        let x = add_and_norm(
            x,
            attended,
            &self.encoder_attn_layer_norm,
            pass,
            path.module("encoder_attn_layer_norm"),
        );

        let layers = (&self.fc1, &self.fc2);
        let output = feed_forward(x.clone(), layers, self.activation, pass, path);
        add_and_norm(
            x,
            output,
            &self.final_layer_norm,
            pass,
            path.module("final_layer_norm"),
        )
    }
}

/// Post-norm: `LayerNorm(x + sublayer)`.
fn add_and_norm(
    x: Tensor<3>,
    sublayer: Tensor<3>,
    norm: &LayerNorm,
    pass: &mut Pass,
    path: Path<'_>,
) -> Tensor<3> {
    let sum = x + sublayer;
    pass.record(Quantity::Residual, path, "input", &sum);
    let normed = layer_norm(sum, norm, NORM_EPSILON);
    pass.record(Quantity::Norms, path, "output", &normed);
    normed
}
