//! The encoder of [ModernBERT](https://arxiv.org/abs/2412.13663), with the head that guesses masked words or without it, in
//! the layout of Hugging Face's [`ModernBertForMaskedLM`](https://huggingface.co/docs/transformers/model_doc/modernbert)
//! checkpoints: pre-norm with LayerNorm, but none before the first layer's attention; rotary positions; windows to both
//! sides in most layers; GeGLU; one matrix that computes queries, keys and values.
//!
//! Field names are the checkpoint's but for capitals, so a parameter's path here is nearly its name there.

pub use attention_trace::config::ModernBertConfig;
use attention_trace::config::Rope;
use attention_trace::{
    Block, ModelSpec, Nonlinearity, Parameter, Quantity, Stack, Sublayer, Weight,
};
use burn::module::Param;
use burn::nn::{
    Embedding, EmbeddingConfig, Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig,
};
use burn::prelude::*;

use crate::attention::{Mask, attend, tap_heads};
use crate::error::ModelError;
use crate::family::Family;
use crate::kernels::{layer_norm, linear, linear_transposed};
use crate::rotation::Rotation;
use crate::sequence::{Control, Memory, SequenceModel, Source, State};
use crate::sublayers::activate;
use crate::tap::Tap;
use crate::weights::{self, FileNames, Layout};

/// The `model_type` of ModernBERT's checkpoints and the function that loads them.
pub const FAMILY: Family = Family {
    model_types: &["modernbert"],
    places_layers: false,
    load: |published, device| {
        let config: ModernBertConfig = published.config()?;
        published.check_vocabulary(config.vocab_size)?;
        let own = weights::own(published.weights, &LAYOUT)?;
        let names = weights::names(published.weights)?;
        let begins = |start: &str| names.iter().any(|name| name.starts_with(start));
        // A classifier has the head's layer too.
        let has_head = begins("head.") && !begins("classifier.");
        let config = ModernBertConfig {
            has_head,
            tie_word_embeddings: config.tie_word_embeddings && !own.contains(HEAD),
            ..config
        };
        let unused = match has_head {
            true => vec![],
            false => names
                .into_iter()
                .filter(|name| is_other_head(name))
                .collect(),
        };
        let model = ModernBert {
            unused,
            ..ModernBert::new(&config, device)?
        };
        let layout = if has_head { &LAYOUT } else { &HEADLESS };
        Ok(Box::new(weights::load(model, published.weights, layout)?))
    },
};

/// The embedding table, and the output matrix if the two are separate.
const TABLE: &str = "model.embeddings.tok_embeddings.weight";
const HEAD: &str = "decoder.weight";

/// The files of a model with the head that guesses masked words.
const LAYOUT: Layout = Layout {
    model: Some("ModernBertForMaskedLM"),
    base: "model.",
    tied: &[TABLE, HEAD],
    names: |path| {
        let names = [(".wqkv.", ".Wqkv."), (".wi.", ".Wi."), (".wo.", ".Wo.")];
        let name = names.iter().fold(path.to_owned(), |path, (ours, name)| {
            path.replace(ours, name)
        });
        vec![name]
    },
    may_be_absent: |_| false,
    ..Layout::PATHS
};

/// The files of a model without it.
const HEADLESS: Layout = Layout {
    is_extra: is_other_head,
    ..LAYOUT
};

/// Returns true for the tensors of a classifier.
fn is_other_head(name: &str) -> bool {
    let name = name.strip_prefix(LAYOUT.base).unwrap_or(name);
    name.starts_with("classifier.") || name.starts_with("head.")
}

/// The whole model, from tokens to states, and to logits if it has a head.
#[derive(Module, Debug)]
pub struct ModernBert {
    model: ModernBertModel,
    head: Option<ModernBertHead>,
    decoder: Option<ModernBertDecoder>,
    #[module(skip)]
    config: ModernBertConfig,
    /// The names of tensors in the file that belong to heads for other purposes.
    #[module(skip)]
    unused: Vec<String>,
}

#[derive(Module, Debug)]
struct ModernBertModel {
    embeddings: ModernBertEmbeddings,
    layers: Vec<ModernBertLayer>,
    final_norm: LayerNorm,
}

#[derive(Module, Debug)]
struct ModernBertEmbeddings {
    tok_embeddings: Embedding,
    norm: LayerNorm,
}

#[derive(Module, Debug)]
struct ModernBertLayer {
    attn_norm: Option<LayerNorm>,
    attn: ModernBertAttention,
    mlp_norm: LayerNorm,
    mlp: ModernBertMlp,
    #[module(skip)]
    epsilon: f64,
}

#[derive(Module, Debug)]
struct ModernBertAttention {
    /// The matrices of queries, keys and values, in this order.
    wqkv: Linear,
    wo: Linear,
    heads: usize,
}

#[derive(Module, Debug)]
struct ModernBertMlp {
    /// The layer whose output enters the non-linearity, and the one whose output it multiplies.
    wi: Linear,
    wo: Linear,
    #[module(skip)]
    nonlinearity: Nonlinearity,
}

/// The layer between the last states and the output matrix.
#[derive(Module, Debug)]
struct ModernBertHead {
    dense: Linear,
    norm: LayerNorm,
}

/// The output matrix, a row for each token, if it is separate from the embedding table, and the bias of the logits.
#[derive(Module, Debug)]
struct ModernBertDecoder {
    weight: Option<Param<Tensor<2>>>,
    bias: Option<Param<Tensor<1>>>,
}

/// The parts of a new model.
struct Parts<'a> {
    config: &'a ModernBertConfig,
    device: &'a Device,
}

impl Parts<'_> {
    fn normal(&self) -> Initializer {
        Initializer::Normal {
            mean: 0.0,
            std: self.config.initializer_range,
        }
    }

    fn linear(&self, input: usize, output: usize, bias: bool) -> Linear {
        LinearConfig::new(input, output)
            .with_bias(bias)
            .with_initializer(self.normal())
            .init(self.device)
    }

    fn norm(&self) -> LayerNorm {
        LayerNormConfig::new(self.config.hidden_size)
            .with_epsilon(self.config.norm_eps)
            .with_bias(self.config.norm_bias)
            .init(self.device)
    }

    fn layer(&self, has_first_norm: bool) -> ModernBertLayer {
        let ModernBertConfig {
            hidden_size: width,
            intermediate_size: inner,
            attention_bias,
            mlp_bias,
            ..
        } = *self.config;
        ModernBertLayer {
            attn_norm: has_first_norm.then(|| self.norm()),
            attn: ModernBertAttention {
                wqkv: self.linear(width, 3 * width, attention_bias),
                wo: self.linear(width, width, attention_bias),
                heads: self.config.num_attention_heads,
            },
            mlp_norm: self.norm(),
            mlp: ModernBertMlp {
                wi: self.linear(width, 2 * inner, mlp_bias),
                wo: self.linear(inner, width, mlp_bias),
                nonlinearity: self.config.hidden_activation,
            },
            epsilon: self.config.norm_eps,
        }
    }

    fn head(&self) -> ModernBertHead {
        let width = self.config.hidden_size;
        ModernBertHead {
            dense: self.linear(width, width, self.config.classifier_bias),
            norm: self.norm(),
        }
    }

    fn decoder(&self) -> ModernBertDecoder {
        let ModernBertConfig {
            hidden_size: width,
            vocab_size: rows,
            ..
        } = *self.config;
        let is_own = !self.config.tie_word_embeddings;
        ModernBertDecoder {
            weight: is_own.then(|| self.normal().init([rows, width], self.device)),
            bias: self
                .config
                .decoder_bias
                .then(|| Initializer::Zeros.init([rows], self.device)),
        }
    }
}

impl ModernBert {
    /// Creates a new model with random weights, normally distributed around zero.
    ///
    /// # Errors
    /// If the sizes do not fit each other.
    pub fn new(config: &ModernBertConfig, device: &Device) -> Result<Self, ModelError> {
        config.validate()?;
        let parts = Parts { config, device };
        let layers = 0..config.num_hidden_layers;
        Ok(ModernBert {
            model: ModernBertModel {
                embeddings: ModernBertEmbeddings {
                    tok_embeddings: EmbeddingConfig::new(config.vocab_size, config.hidden_size)
                        .with_initializer(parts.normal())
                        .init(device),
                    norm: parts.norm(),
                },
                layers: layers.map(|layer| parts.layer(layer > 0)).collect(),
                final_norm: parts.norm(),
            },
            head: config.has_head.then(|| parts.head()),
            decoder: config.has_head.then(|| parts.decoder()),
            config: config.clone(),
            unused: vec![],
        })
    }

    fn norm(&self, x: Tensor<3>, norm: &LayerNorm) -> Tensor<3> {
        layer_norm(x, norm, self.config.norm_eps)
    }
}

impl SequenceModel for ModernBert {
    fn spec(&self) -> ModelSpec {
        self.config.spec()
    }

    fn control(&self) -> Control {
        Control {
            padding: self.config.pad_token_id,
            ..Control::default()
        }
    }

    fn start(&self, source: Option<Source>, tap: &mut Tap) -> State {
        const STACK: Block = Block::Stack(Stack::Encoder);
        let memory = source.map(|source| {
            let mask = source.mask();
            let [_, length] = source.tokens.dims();
            let device = source.tokens.device();
            tap.enter(Stack::Encoder, 0);
            let embeddings = &self.model.embeddings;
            let x = embeddings.tok_embeddings.forward(source.tokens);
            let x = tap.at(STACK.at(Quantity::TokenEmbedding), x);
            let x = tap.at(
                STACK.at(Quantity::Embedding),
                self.norm(x, &embeddings.norm),
            );
            let mut x = tap.dropout(x);
            let rotations = tap.knows_positions().then(|| {
                let rotation = |base| {
                    Rotation::new(
                        0..length,
                        &tap.rope(Rope::plain(base)),
                        self.config.head_dim(),
                        &device,
                    )
                };
                self.config.thetas().map(rotation)
            });
            for (index, layer) in self.model.layers.iter().enumerate() {
                let window = self.config.window(index);
                let rotation = rotations.as_ref().map(|[all, local]| match window {
                    Some(_) => local,
                    None => all,
                });
                let mask = Mask::around(window, mask.clone(), length);
                x = layer.forward(x, rotation, mask, tap, index);
            }
            let states = self.norm(x, &self.model.final_norm);
            let states = tap.at(STACK.at(Quantity::FinalNorm), states);
            Memory { states, mask }
        });
        State::new(memory, 0)
    }

    fn advance(&self, _tokens: Tensor<2, Int>, _state: &mut State, _tap: &mut Tap) -> Tensor<3> {
        unreachable!("ModernBERT reads no target")
    }

    fn last_norm(&self, states: Tensor<2>) -> Tensor<2> {
        let states = self.norm(states.unsqueeze::<3>(), &self.model.final_norm);
        states.squeeze_dim(0)
    }

    /// Computes logits with the head that guesses masked words.
    fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        let (Some(head), Some(decoder)) = (&self.head, &self.decoder) else {
            unreachable!("a model without a head makes no logits")
        };
        let x = linear(states.unsqueeze(), &head.dense);
        let x = activate(self.config.classifier_activation, x);
        let x = self.norm(x, &head.norm).squeeze_dim(0);
        let table = match &decoder.weight {
            Some(table) => table.val(),
            None => self.model.embeddings.tok_embeddings.weight.val(),
        };
        let logits = linear_transposed(x, table);
        match &decoder.bias {
            Some(bias) => logits + bias.val().unsqueeze(),
            None => logits,
        }
    }

    fn parameter(&self, parameter: Parameter) -> Option<Tensor<2>> {
        let Parameter { block, weight } = parameter;
        let path = match block {
            Block::Model | Block::Stack(Stack::Encoder) => self.table(weight)?.to_owned(),
            Block::Sublayer(Stack::Encoder, layer, sublayer) => {
                let path = of_layer(sublayer, weight)?;
                format!("model.layers.{layer}.{path}")
            }
            _ => return None,
        };
        let found = weights::parameter(self, &path)?;
        let third = match weight {
            Weight::WQ | Weight::BQ | Weight::WIn | Weight::BIn => 0,
            Weight::WK | Weight::BK | Weight::WLinear | Weight::BLinear => 1,
            Weight::WV | Weight::BV => 2,
            _ => return Some(found),
        };
        let height = match weight {
            Weight::WIn | Weight::BIn | Weight::WLinear | Weight::BLinear => {
                self.config.intermediate_size
            }
            _ => self.config.hidden_size,
        };
        // A bias is a matrix of one row.
        let axis = usize::from(found.dims()[0] == 1);
        Some(found.narrow(axis, third * height, height))
    }

    fn weights(&self) -> usize {
        self.num_params()
    }

    fn file_names(&self) -> FileNames {
        let layout = if self.config.has_head {
            &LAYOUT
        } else {
            &HEADLESS
        };
        FileNames::of(self, layout)
    }

    fn notes(&self) -> Vec<String> {
        match self.unused.as_slice() {
            [] => vec![],
            names => vec![format!("model.safetensors: not used: {}", names.join(", "))],
        }
    }
}

impl ModernBert {
    /// Returns the path of a parameter that is outside all layers.
    fn table(&self, weight: Weight) -> Option<&'static str> {
        let decoder = self.decoder.as_ref();
        Some(match weight {
            Weight::WUnembed if decoder?.weight.is_some() => HEAD,
            Weight::TokenTable | Weight::WUnembed => TABLE,
            Weight::EmbeddingNormGain => "model.embeddings.norm.weight",
            Weight::EmbeddingNormBias => "model.embeddings.norm.bias",
            Weight::NormGain => "model.final_norm.weight",
            Weight::NormBias => "model.final_norm.bias",
            Weight::BUnembed => "decoder.bias",
            _ => return None,
        })
    }
}

/// Returns the path of a parameter, or of the one that it is a part of, within a layer.
fn of_layer(sublayer: Sublayer, weight: Weight) -> Option<&'static str> {
    Some(match (sublayer, weight) {
        (Sublayer::SelfAttention, Weight::NormGain) => "attn_norm.weight",
        (Sublayer::SelfAttention, Weight::NormBias) => "attn_norm.bias",
        (Sublayer::SelfAttention, Weight::WQ | Weight::WK | Weight::WV) => "attn.wqkv.weight",
        (Sublayer::SelfAttention, Weight::BQ | Weight::BK | Weight::BV) => "attn.wqkv.bias",
        (Sublayer::SelfAttention, Weight::WO) => "attn.wo.weight",
        (Sublayer::SelfAttention, Weight::BO) => "attn.wo.bias",
        (Sublayer::FeedForward, Weight::NormGain) => "mlp_norm.weight",
        (Sublayer::FeedForward, Weight::NormBias) => "mlp_norm.bias",
        (Sublayer::FeedForward, Weight::WIn | Weight::WLinear) => "mlp.wi.weight",
        (Sublayer::FeedForward, Weight::BIn | Weight::BLinear) => "mlp.wi.bias",
        (Sublayer::FeedForward, Weight::WOut) => "mlp.wo.weight",
        (Sublayer::FeedForward, Weight::BOut) => "mlp.wo.bias",
        _ => return None,
    })
}

impl ModernBertLayer {
    /// Maps `[batch, source, hidden_size]` to the same shape.
    fn forward(
        &self,
        x: Tensor<3>,
        rotation: Option<&Rotation>,
        mask: Option<Mask>,
        tap: &mut Tap,
        layer: usize,
    ) -> Tensor<3> {
        let block = |sublayer| Block::Sublayer(Stack::Encoder, layer, sublayer);
        let own = block(Sublayer::SelfAttention);
        let input = match &self.attn_norm {
            Some(norm) => {
                let normed = layer_norm(x.clone(), norm, self.epsilon);
                tap.at(own.at(Quantity::Norm), normed)
            }
            None => x.clone(),
        };
        let output = self.attn.forward(input, rotation, mask, tap, own);
        let x = tap.at(own.at(Quantity::Residual), x + output);

        let mlp = block(Sublayer::FeedForward);
        let input = layer_norm(x.clone(), &self.mlp_norm, self.epsilon);
        let input = tap.at(mlp.at(Quantity::Norm), input);
        let output = self.mlp.forward(input, tap, mlp);
        tap.at(mlp.at(Quantity::Residual), x + output)
    }
}

impl ModernBertAttention {
    /// Computes attention, projected back to the model's width.
    fn forward(
        &self,
        x: Tensor<3>,
        rotation: Option<&Rotation>,
        mask: Option<Mask>,
        tap: &mut Tap,
        block: Block,
    ) -> Tensor<3> {
        let [_, _, width] = x.dims();
        let (heads, d_k) = (self.heads, width / self.heads);
        let all = linear(x, &self.wqkv);
        let part = |third: usize| all.clone().narrow(2, third * width, width);
        let mut by_heads = |quantity, x| tap_heads(tap, block.at(quantity), x, d_k, heads);
        let (query, key) = match rotation {
            Some(rotation) => {
                let query = by_heads(Quantity::QueryBeforeRope, part(0));
                let key = by_heads(Quantity::KeyBeforeRope, part(1));
                (rotation.apply(query, heads), rotation.apply(key, heads))
            }
            None => (part(0), part(1)),
        };
        let query = by_heads(Quantity::Query, query);
        let key = by_heads(Quantity::Key, key);
        let value = by_heads(Quantity::Value, part(2));
        let z = attend([query, key, value], heads, mask, tap, block);
        let output = tap.at(block.at(Quantity::Out), linear(z, &self.wo));
        tap.dropout(output)
    }
}

impl ModernBertMlp {
    /// GeGLU, `W_o (φ(W_1 x) ⊙ W_2 x)` (Shazeer 2020), `[batch, source, hidden_size]` to the same.
    fn forward(&self, x: Tensor<3>, tap: &mut Tap, block: Block) -> Tensor<3> {
        let both = linear(x, &self.wi);
        let inner = both.dims()[2] / 2;
        let part = |half: usize| both.clone().narrow(2, half * inner, inner);
        let pre = tap.at(block.at(Quantity::Pre), part(0));
        let gated = tap.at(block.at(Quantity::PreLinear), part(1));
        let post = tap.at(
            block.at(Quantity::Post),
            activate(self.nonlinearity, pre) * gated,
        );
        let output = tap.at(block.at(Quantity::Out), linear(post, &self.wo));
        tap.dropout(output)
    }
}
