//! The encoder of [BERT](https://arxiv.org/abs/1810.04805) with the head that guesses masked words, in the layout of
//! Hugging Face's [`BertForMaskedLM`](https://huggingface.co/docs/transformers/model_doc/bert) checkpoints: post-norm
//! with LayerNorm, learned positions, and a vector for each of two texts that are read together.
//!
//! Field names are the checkpoint's, so a parameter's path here is nearly its name there.

pub use attention_trace::config::BertConfig;
use attention_trace::config::Nonlinearity;
use attention_trace::{Block, ModelSpec, Parameter, Quantity, Stack, Sublayer, Weight};
use burn::module::Param;
use burn::nn::{
    Embedding, EmbeddingConfig, Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig,
};
use burn::prelude::*;

use crate::attention::{Mask, attend, tap_heads};
use crate::error::ModelError;
use crate::families::Family;
use crate::kernels::{layer_norm, linear, linear_transposed};
use crate::sequence::{Control, Memory, SequenceModel, Source, State};
use crate::sublayers::{activate, add_and_norm, feed_forward};
use crate::tap::Tap;
use crate::weights::{self, Layout};

/// The `model_type` of BERT's checkpoints and the function that loads them.
pub const FAMILY: Family = Family {
    model_types: &["bert"],
    load: |published, device| {
        let config: BertConfig = published.config()?;
        published.check_vocabulary(config.vocab_size)?;
        let own = weights::own(published.weights, &LAYOUT)?;
        let config = BertConfig {
            tie_word_embeddings: config.tie_word_embeddings && !own.contains(HEAD),
            ..config
        };
        let model = Bert::new(&config, device)?;
        Ok(Box::new(weights::load(model, published.weights, &LAYOUT)?))
    },
};

const LAYOUT: Layout = Layout {
    model: Some("BertForMaskedLM"),
    base: "bert.",
    tied: &[TABLE, HEAD],
    names,
    is_extra,
    may_be_absent: |_| false,
    ..Layout::PATHS
};

/// The embedding table of words, and the output matrix if the two are separate.
const TABLE: &str = "bert.embeddings.word_embeddings.weight";
const HEAD: &str = "cls.predictions.decoder.weight";

/// `self` cannot be a field name in Rust, and the first published files use other names for a norm's parameters. Of the
/// two names of the logits' bias, that of the layer that adds it comes first.
fn names(path: &str) -> Vec<String> {
    if ["cls.predictions.bias", "cls.predictions.decoder.bias"].contains(&path) {
        return ["cls.predictions.decoder.bias", "cls.predictions.bias"]
            .map(str::to_owned)
            .into();
    }
    let name = path
        .replace(".own.", ".self.")
        .replace("layer_norm", "LayerNorm");
    let older = name
        .replace("LayerNorm.weight", "LayerNorm.gamma")
        .replace("LayerNorm.bias", "LayerNorm.beta");
    let older = (older != name).then_some(older);
    [name].into_iter().chain(older).collect()
}

/// Returns true for heads of other purposes and for tensors that are computed or tied.
fn is_extra(name: &str) -> bool {
    let prefixes = ["bert.pooler.", "cls.seq_relationship."];
    prefixes.iter().any(|prefix| name.starts_with(prefix)) || name == "bert.embeddings.position_ids"
}

/// The whole model, from tokens to logits.
#[derive(Module, Debug)]
pub struct Bert {
    bert: BertModel,
    cls: BertHeads,
    #[module(skip)]
    config: BertConfig,
}

#[derive(Module, Debug)]
struct BertModel {
    embeddings: BertEmbeddings,
    encoder: BertEncoder,
}

#[derive(Module, Debug)]
struct BertEmbeddings {
    word_embeddings: Embedding,
    position_embeddings: Embedding,
    token_type_embeddings: Embedding,
    layer_norm: LayerNorm,
}

#[derive(Module, Debug)]
struct BertEncoder {
    layer: Vec<BertLayer>,
}

#[derive(Module, Debug)]
struct BertLayer {
    attention: BertAttention,
    intermediate: BertIntermediate,
    output: BertOutput,
    #[module(skip)]
    nonlinearity: Nonlinearity,
    #[module(skip)]
    epsilon: f64,
}

#[derive(Module, Debug)]
struct BertAttention {
    own: BertSelfAttention,
    output: BertOutput,
}

#[derive(Module, Debug)]
struct BertSelfAttention {
    query: Linear,
    key: Linear,
    value: Linear,
    heads: usize,
}

#[derive(Module, Debug)]
struct BertIntermediate {
    dense: Linear,
}

/// A linear layer and the normalisation that follows it.
#[derive(Module, Debug)]
struct BertOutput {
    dense: Linear,
    layer_norm: LayerNorm,
}

#[derive(Module, Debug)]
struct BertHeads {
    predictions: BertPredictions,
}

#[derive(Module, Debug)]
struct BertPredictions {
    transform: BertOutput,
    /// The bias of logits that are made with the embedding table.
    bias: Option<Param<Tensor<1>>>,
    /// The output matrix, if it is separate from the embedding table.
    decoder: Option<Linear>,
}

/// The parts of a new model.
struct Parts<'a> {
    config: &'a BertConfig,
    device: &'a Device,
}

impl Parts<'_> {
    fn normal(&self) -> Initializer {
        Initializer::Normal {
            mean: 0.0,
            std: self.config.initializer_range,
        }
    }

    fn linear(&self, input: usize, output: usize) -> Linear {
        LinearConfig::new(input, output)
            .with_initializer(self.normal())
            .init(self.device)
    }

    fn norm(&self) -> LayerNorm {
        LayerNormConfig::new(self.config.hidden_size)
            .with_epsilon(self.config.layer_norm_eps)
            .init(self.device)
    }

    fn table(&self, rows: usize) -> Embedding {
        EmbeddingConfig::new(rows, self.config.hidden_size)
            .with_initializer(self.normal())
            .init(self.device)
    }

    fn output(&self, input: usize) -> BertOutput {
        BertOutput {
            dense: self.linear(input, self.config.hidden_size),
            layer_norm: self.norm(),
        }
    }

    fn layer(&self) -> BertLayer {
        let BertConfig {
            hidden_size: width,
            intermediate_size: inner,
            ..
        } = *self.config;
        let projection = || self.linear(width, width);
        BertLayer {
            attention: BertAttention {
                own: BertSelfAttention {
                    query: projection(),
                    key: projection(),
                    value: projection(),
                    heads: self.config.num_attention_heads,
                },
                output: self.output(width),
            },
            intermediate: BertIntermediate {
                dense: self.linear(width, inner),
            },
            output: self.output(inner),
            nonlinearity: self.config.hidden_act,
            epsilon: self.config.layer_norm_eps,
        }
    }
}

impl Bert {
    /// Creates a new model with random weights, normally distributed around zero.
    ///
    /// # Errors
    /// If the sizes do not fit each other.
    pub fn new(config: &BertConfig, device: &Device) -> Result<Self, ModelError> {
        config.validate()?;
        let parts = Parts { config, device };
        let is_tied = config.tie_word_embeddings;
        let layers = 0..config.num_hidden_layers;
        Ok(Bert {
            bert: BertModel {
                embeddings: BertEmbeddings {
                    word_embeddings: parts.table(config.vocab_size),
                    position_embeddings: parts.table(config.max_position_embeddings),
                    token_type_embeddings: parts.table(config.type_vocab_size),
                    layer_norm: parts.norm(),
                },
                encoder: BertEncoder {
                    layer: layers.map(|_| parts.layer()).collect(),
                },
            },
            cls: BertHeads {
                predictions: BertPredictions {
                    transform: parts.output(config.hidden_size),
                    bias: is_tied.then(|| Initializer::Zeros.init([config.vocab_size], device)),
                    decoder: (!is_tied)
                        .then(|| parts.linear(config.hidden_size, config.vocab_size)),
                },
            },
            config: config.clone(),
        })
    }

    /// Word, position and segment added and normalised, `[batch, source, hidden_size]`.
    fn embed(
        &self,
        tokens: Tensor<2, Int>,
        segments: Option<Tensor<2, Int>>,
        tap: &mut Tap,
    ) -> Tensor<3> {
        const STACK: Block = Block::Stack(Stack::Encoder);
        let [_, length] = tokens.dims();
        let embeddings = &self.bert.embeddings;
        let segments = segments.unwrap_or_else(|| tokens.zeros_like());
        let x = embeddings.word_embeddings.forward(tokens);
        let x = tap.at(STACK.at(Quantity::TokenEmbedding), x);
        let x = x + embeddings.token_type_embeddings.forward(segments);
        let x = if tap.knows_positions() {
            let positions = embeddings.position_embeddings.weight.val();
            x + positions.narrow(0, 0, length).unsqueeze::<3>()
        } else {
            x
        };
        let x = layer_norm(x, &embeddings.layer_norm, self.config.layer_norm_eps);
        tap.at(STACK.at(Quantity::Embedding), x)
    }
}

impl SequenceModel for Bert {
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
        let memory = source.map(|source| {
            let mask = source.mask();
            tap.enter(Stack::Encoder, 0);
            let mut x = self.embed(source.tokens, source.segments, tap);
            for (index, layer) in self.bert.encoder.layer.iter().enumerate() {
                x = layer.forward(x, mask.clone(), tap, index);
            }
            Memory { states: x, mask }
        });
        State::new(memory, 0)
    }

    fn advance(&self, _tokens: Tensor<2, Int>, _state: &mut State, _tap: &mut Tap) -> Tensor<3> {
        unreachable!("BERT reads no target")
    }

    /// Computes logits with the head that guesses masked words.
    fn logits(&self, states: Tensor<2>) -> Tensor<2> {
        let BertPredictions {
            transform,
            bias,
            decoder,
        } = &self.cls.predictions;
        let epsilon = self.config.layer_norm_eps;
        let x = linear(states.unsqueeze(), &transform.dense);
        let x = activate(self.config.hidden_act, x);
        let x = layer_norm(x, &transform.layer_norm, epsilon);
        if let Some(decoder) = decoder {
            return linear(x, decoder).squeeze_dim(0);
        }
        let table = self.bert.embeddings.word_embeddings.weight.val();
        let logits = linear_transposed(x.squeeze_dim(0), table);
        match bias {
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
                format!("bert.encoder.layer.{layer}.{path}")
            }
            _ => return None,
        };
        weights::parameter(self, &path)
    }

    fn weights(&self) -> usize {
        self.num_params()
    }
}

impl Bert {
    /// Returns the name of a parameter that is outside all layers.
    fn table(&self, weight: Weight) -> Option<&'static str> {
        let is_untied = self.cls.predictions.decoder.is_some();
        Some(match weight {
            Weight::WUnembed if is_untied => HEAD,
            Weight::TokenTable | Weight::WUnembed => TABLE,
            Weight::PositionTable => "bert.embeddings.position_embeddings.weight",
            Weight::SegmentTable => "bert.embeddings.token_type_embeddings.weight",
            Weight::EmbeddingNormGain => "bert.embeddings.layer_norm.weight",
            Weight::EmbeddingNormBias => "bert.embeddings.layer_norm.bias",
            Weight::BUnembed if is_untied => "cls.predictions.decoder.bias",
            Weight::BUnembed => "cls.predictions.bias",
            _ => return None,
        })
    }
}

/// Returns the name of a parameter within a layer.
fn of_layer(sublayer: Sublayer, weight: Weight) -> Option<&'static str> {
    Some(match (sublayer, weight) {
        (Sublayer::SelfAttention, Weight::WQ) => "attention.own.query.weight",
        (Sublayer::SelfAttention, Weight::BQ) => "attention.own.query.bias",
        (Sublayer::SelfAttention, Weight::WK) => "attention.own.key.weight",
        (Sublayer::SelfAttention, Weight::BK) => "attention.own.key.bias",
        (Sublayer::SelfAttention, Weight::WV) => "attention.own.value.weight",
        (Sublayer::SelfAttention, Weight::BV) => "attention.own.value.bias",
        (Sublayer::SelfAttention, Weight::WO) => "attention.output.dense.weight",
        (Sublayer::SelfAttention, Weight::BO) => "attention.output.dense.bias",
        (Sublayer::SelfAttention, Weight::NormGain) => "attention.output.layer_norm.weight",
        (Sublayer::SelfAttention, Weight::NormBias) => "attention.output.layer_norm.bias",
        (Sublayer::FeedForward, Weight::WIn) => "intermediate.dense.weight",
        (Sublayer::FeedForward, Weight::BIn) => "intermediate.dense.bias",
        (Sublayer::FeedForward, Weight::WOut) => "output.dense.weight",
        (Sublayer::FeedForward, Weight::BOut) => "output.dense.bias",
        (Sublayer::FeedForward, Weight::NormGain) => "output.layer_norm.weight",
        (Sublayer::FeedForward, Weight::NormBias) => "output.layer_norm.bias",
        _ => return None,
    })
}

impl BertLayer {
    /// Maps `[batch, source, hidden_size]` to the same shape.
    fn forward(&self, x: Tensor<3>, mask: Option<Mask>, tap: &mut Tap, layer: usize) -> Tensor<3> {
        let block = |sublayer| Block::Sublayer(Stack::Encoder, layer, sublayer);
        let own = block(Sublayer::SelfAttention);
        let BertAttention {
            own: attention,
            output,
        } = &self.attention;
        let z = attention.forward(x.clone(), mask, tap, own);
        let out = tap.at(own.at(Quantity::Out), linear(z, &output.dense));
        let out = tap.dropout(out);
        let x = add_and_norm(x, out, (&output.layer_norm, self.epsilon), tap, own);

        let mlp = block(Sublayer::FeedForward);
        let layers = (&self.intermediate.dense, &self.output.dense);
        let out = feed_forward(x.clone(), layers, self.nonlinearity, tap, mlp);
        add_and_norm(x, out, (&self.output.layer_norm, self.epsilon), tap, mlp)
    }
}

impl BertSelfAttention {
    /// Computes the concatenated outputs of the heads, `[batch, source, hidden_size]` to the same.
    fn forward(&self, x: Tensor<3>, mask: Option<Mask>, tap: &mut Tap, block: Block) -> Tensor<3> {
        let [_, _, width] = x.dims();
        let (heads, d_k) = (self.heads, width / self.heads);
        let mut project = |quantity, layer| {
            let projected = linear(x.clone(), layer);
            tap_heads(tap, block.at(quantity), projected, d_k, heads)
        };
        let query = project(Quantity::Query, &self.query);
        let key = project(Quantity::Key, &self.key);
        let value = project(Quantity::Value, &self.value);
        attend([query, key, value], heads, mask, tap, block)
    }
}
