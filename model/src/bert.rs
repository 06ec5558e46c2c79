//! The encoder of [BERT](https://arxiv.org/abs/1810.04805), with the head that guesses masked words or without it, in the
//! layout of Hugging Face's [`BertForMaskedLM`](https://huggingface.co/docs/transformers/model_doc/bert) checkpoints:
//! post-norm with LayerNorm, learned positions, and a vector for each of two texts that are read together. Those of
//! [RoBERTa](https://arxiv.org/abs/1907.11692) differ by the row that positions count from, those of
//! [DistilBERT](https://arxiv.org/abs/1910.01108) by the lack of segments, and both by the names of their parameters.
//!
//! Field names are those of BERT's checkpoints, so a parameter's path here is nearly its name there.

mod layouts;

pub use attention_trace::config::{BertConfig, DistilBertConfig, EncoderConvention};
use attention_trace::{
    Block, ModelSpec, Nonlinearity, Parameter, Quantity, Stack, Sublayer, Weight,
};
use burn::module::Param;
use burn::nn::{
    Embedding, EmbeddingConfig, Initializer, LayerNorm, LayerNormConfig, Linear, LinearConfig,
};
use burn::prelude::*;
#[cfg(feature = "train")]
use serde_json::{Value, json};

use crate::attention::{Mask, attend, tap_heads};
use crate::error::ModelError;
use crate::family::{Family, Loaded, Published};
use crate::kernels::{layer_norm, linear, linear_transposed};
use crate::sequence::{Control, Memory, SequenceModel, Source, State};
use crate::sublayers::{activate, add_and_norm, feed_forward, places_without};
use crate::tap::Tap;
#[cfg(feature = "cli")]
use crate::weights::Layout;
use crate::weights::{self, FileNames};
#[cfg(feature = "train")]
use crate::{
    family::merge,
    weights::{Precision, Saved},
};

/// The `model_type`s of the checkpoints of BERT and its relatives, and the function that loads them.
pub const FAMILY: Family = Family {
    model_types: &["bert", "roberta", "xlm-roberta", "camembert"],
    places_layers: false,
    load: |published, device| load(published.config()?, published, device),
};

/// The `model_type` of DistilBERT's checkpoints and the function that loads them.
pub const DISTILBERT: Family = Family {
    model_types: &["distilbert"],
    places_layers: false,
    load: |published, device| {
        let config: DistilBertConfig = published.config()?;
        load(config.bert()?, published, device)
    },
};

/// Builds the model that the files of a checkpoint describe: without a head if the weights have none.
fn load(config: BertConfig, published: &Published<'_>, device: &Device) -> Loaded {
    published.check_vocabulary(config.vocab_size)?;
    let files = layouts::files(config.convention);
    let own = weights::own(published.weights, &files.layout)?;
    let names = weights::names(published.weights)?;
    let config = BertConfig {
        has_head: names.iter().any(|name| name.starts_with(files.head)),
        tie_word_embeddings: config.tie_word_embeddings && !own.contains(files.unembedding),
        ..config
    };
    let model = Bert {
        unused: layouts::other_heads(&names),
        ..Bert::new(&config, device)?
    };
    let model = weights::load(model, published.weights, &files.layout)?;
    Ok(Box::new(model))
}

/// The embedding table of words, and the output matrix if the two are separate.
const TABLE: &str = "bert.embeddings.word_embeddings.weight";
const HEAD: &str = "cls.predictions.decoder.weight";

/// The whole model, from tokens to states, and to logits if it has a head.
#[derive(Module, Debug)]
pub struct Bert {
    bert: BertModel,
    cls: Option<BertHeads>,
    #[module(skip)]
    config: BertConfig,
    /// The names of tensors in the file that belong to heads for other purposes.
    #[module(skip)]
    unused: Vec<String>,
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
    token_type_embeddings: Option<Embedding>,
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

    fn heads(&self) -> BertHeads {
        let BertConfig {
            hidden_size: width,
            vocab_size: rows,
            tie_word_embeddings: is_tied,
            ..
        } = *self.config;
        BertHeads {
            predictions: BertPredictions {
                transform: self.output(width),
                bias: is_tied.then(|| Initializer::Zeros.init([rows], self.device)),
                decoder: (!is_tied).then(|| self.linear(width, rows)),
            },
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
        let layers = 0..config.num_hidden_layers;
        let has_segments = config.type_vocab_size > 0;
        Ok(Bert {
            bert: BertModel {
                embeddings: BertEmbeddings {
                    word_embeddings: parts.table(config.vocab_size),
                    position_embeddings: parts.table(config.max_position_embeddings),
                    token_type_embeddings: has_segments
                        .then(|| parts.table(config.type_vocab_size)),
                    layer_norm: parts.norm(),
                },
                encoder: BertEncoder {
                    layer: layers.map(|_| parts.layer()).collect(),
                },
            },
            cls: config.has_head.then(|| parts.heads()),
            config: config.clone(),
            unused: vec![],
        })
    }

    /// Returns the names and the layout of the parameters in files of its convention.
    #[cfg(feature = "cli")]
    pub(crate) fn layout(&self) -> Layout {
        layouts::files(self.config.convention).layout
    }

    /// Word, position and segment added and normalised, `[batch, source, hidden_size]`.
    fn embed(
        &self,
        tokens: Tensor<2, Int>,
        segments: Option<Tensor<2, Int>>,
        tap: &mut Tap,
    ) -> Tensor<3> {
        const STACK: Block = Block::Stack(Stack::Encoder);
        let embeddings = &self.bert.embeddings;
        let x = embeddings.word_embeddings.forward(tokens.clone());
        let x = tap.at(STACK.at(Quantity::TokenEmbedding), x);
        let x = match &embeddings.token_type_embeddings {
            Some(table) => x + table.forward(segments.unwrap_or_else(|| tokens.zeros_like())),
            None => x,
        };
        let x = if tap.knows_positions() {
            x + self.positions(tokens)
        } else {
            x
        };
        let x = layer_norm(x, &embeddings.layer_norm, self.config.layer_norm_eps);
        tap.at(STACK.at(Quantity::Embedding), x)
    }

    /// Returns the rows of the position table for these tokens, in a shape that expands to
    /// `[batch, source, hidden_size]`.
    fn positions(&self, tokens: Tensor<2, Int>) -> Tensor<3> {
        let table = &self.bert.embeddings.position_embeddings;
        let [_, length] = tokens.dims();
        match self.config.first_position() {
            0 => table.weight.val().narrow(0, 0, length).unsqueeze::<3>(),
            first => {
                // Padding is not counted, and has the row before the first.
                let places = places_without(tokens, self.config.padding());
                table.forward(places + (first as i64 - 1))
            }
        }
    }
}

impl SequenceModel for Bert {
    fn spec(&self) -> ModelSpec {
        self.config.spec()
    }

    fn control(&self) -> Control {
        Control {
            padding: Some(self.config.padding()),
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
        let Some(BertHeads { predictions }) = &self.cls else {
            unreachable!("a model without a head makes no logits")
        };
        let BertPredictions {
            transform,
            bias,
            decoder,
        } = predictions;
        let epsilon = self.config.layer_norm_eps;
        let x = linear(states.unsqueeze(), &transform.dense);
        let x = activate(self.config.head_activation(), x);
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
        let found = weights::parameter(self, &path)?;
        Some(match weight {
            Weight::PositionTable => {
                let first = self.config.first_position();
                found.narrow(0, first, self.config.max_tokens())
            }
            _ => found,
        })
    }

    #[cfg(feature = "train")]
    fn published(&self, precision: Precision) -> Result<(Value, Vec<u8>), ModelError> {
        if self.config.convention != EncoderConvention::Bert || !self.config.has_head {
            return Err(ModelError::Unsupported(
                "of BERT's relatives, only a masked model in BERT's own layout is written"
                    .to_owned(),
            ));
        }
        let saved = Saved {
            renamed: &[(r"\.own\.", ".self."), ("layer_norm", "LayerNorm")],
            rows_are_inputs: false,
        };
        let weights = weights::save_weights_as(self, precision, saved)?;
        let more = json!({
            "architectures": ["BertForMaskedLM"],
            "hidden_dropout_prob": 0.0,
            "attention_probs_dropout_prob": 0.0,
            "dtype": precision.name(),
        });
        Ok((merge(serde_json::to_value(&self.config)?, more), weights))
    }

    fn weights(&self) -> usize {
        self.num_params()
    }

    fn file_names(&self) -> FileNames {
        let files = layouts::files(self.config.convention);
        FileNames::of(self, &files.layout)
    }

    fn notes(&self) -> Vec<String> {
        match self.unused.as_slice() {
            [] => vec![],
            names => vec![format!("model.safetensors: not used: {}", names.join(", "))],
        }
    }
}

impl Bert {
    /// Returns the path of a parameter that is outside all layers.
    fn table(&self, weight: Weight) -> Option<&'static str> {
        let is_untied = match &self.cls {
            Some(heads) => heads.predictions.decoder.is_some(),
            None if matches!(weight, Weight::WUnembed | Weight::BUnembed) => return None,
            None => false,
        };
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
