//! The sizes of an encoder in ModernBERT's layout, with the head that guesses masked words or without it.

use serde::{Deserialize, Serialize};

use super::count::{Operations, Parameters, Part, matrix};
use super::error::{
    ConfigError, LARGEST_TABLE, MOST_HEADS, MOST_LAYERS, WIDEST, check_base, check_epsilon,
    check_even, check_heads, check_scale, check_sizes, check_tokens,
};
use super::llama::LayerType;
use super::rope::RopeParameters;
use crate::{LayerAttention, Nonlinearity};

/// `config.json` of a checkpoint of ModernBERT; the fields that shape the model, with the defaults of `transformers`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ModernBertConfig {
    /// True if the checkpoint has the head that gives the logits of masked words: a fact of its tensors, which
    /// `config.json` does not give.
    #[serde(skip)]
    pub has_head: bool,
    /// Rows of the embedding table.
    pub vocab_size: usize,
    /// Width of the residual stream.
    pub hidden_size: usize,
    /// Inner width of the feed-forward networks.
    pub intermediate_size: usize,
    /// The number of layers.
    pub num_hidden_layers: usize,
    /// Heads of each layer.
    pub num_attention_heads: usize,
    /// The non-linearity of the feed-forward networks' gates.
    pub hidden_activation: Nonlinearity,
    /// The non-linearity of the head that guesses words.
    pub classifier_activation: Nonlinearity,
    /// Longest sequence, in tokens.
    pub max_position_embeddings: usize,
    /// The ε of every layer normalisation.
    pub norm_eps: f64,
    /// True if normalisations have a bias.
    pub norm_bias: bool,
    /// True if the projections of attention have a bias.
    pub attention_bias: bool,
    /// True if the feed-forward networks' matrices have a bias.
    pub mlp_bias: bool,
    /// True if the layer of the head that guesses words has a bias.
    pub classifier_bias: bool,
    /// True if a bias is added to the logits.
    pub decoder_bias: bool,
    /// The keys that a query sees in a layer with a window, those before it and those after it together.
    pub local_attention: usize,
    /// The attention of each layer, as `transformers` 5 writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub layer_types: Option<Vec<LayerType>>,
    /// Every so many layers one has no window, beginning with the first, where `layer_types` does not say so.
    pub global_attn_every_n_layers: usize,
    /// RoPE's parameters by the type of layer, as `transformers` 5 writes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rope_parameters: Option<Box<RopeParameters>>,
    /// RoPE's scaling as older checkpoints write it; not implemented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rope_scaling: Option<Box<RopeParameters>>,
    /// The base of RoPE in layers without a window, where `rope_parameters` does not give it.
    pub global_rope_theta: f32,
    /// The base of RoPE in layers with a window, where `rope_parameters` does not give it.
    pub local_rope_theta: f32,
    /// Standard deviation of a new model's weights.
    pub initializer_range: f64,
    /// True if the output matrix is the embedding table.
    pub tie_word_embeddings: bool,
    /// The id of the padding token.
    pub pad_token_id: Option<u32>,
}

/// The base model of [ModernBERT](https://arxiv.org/abs/2412.13663).
impl Default for ModernBertConfig {
    fn default() -> Self {
        ModernBertConfig {
            has_head: true,
            vocab_size: 50_368,
            hidden_size: 768,
            intermediate_size: 1152,
            num_hidden_layers: 22,
            num_attention_heads: 12,
            hidden_activation: Nonlinearity::Gelu,
            classifier_activation: Nonlinearity::Gelu,
            max_position_embeddings: 8192,
            norm_eps: 1e-5,
            norm_bias: false,
            attention_bias: false,
            mlp_bias: false,
            classifier_bias: false,
            decoder_bias: true,
            local_attention: 128,
            layer_types: None,
            global_attn_every_n_layers: 3,
            rope_parameters: None,
            rope_scaling: None,
            global_rope_theta: 160_000.0,
            local_rope_theta: 10_000.0,
            initializer_range: 0.02,
            tie_word_embeddings: true,
            pad_token_id: Some(50_283),
        }
    }
}

impl ModernBertConfig {
    /// Width of a head.
    pub fn head_dim(&self) -> usize {
        self.hidden_size / self.num_attention_heads.max(1)
    }

    /// Returns the number of keys up to its own, and from its own on, that a query of the layer sees; `None` if it sees
    /// all of them.
    pub fn window(&self, layer: usize) -> Option<usize> {
        let types = self.layer_types.as_ref();
        let slides = match types.and_then(|types| types.get(layer)) {
            Some(kind) => *kind == LayerType::SlidingAttention,
            None => !layer.is_multiple_of(self.global_attn_every_n_layers),
        };
        slides.then(|| self.local_attention / 2 + 1)
    }

    /// Returns the base of RoPE in layers without a window, and in those with one.
    pub fn thetas(&self) -> [f32; 2] {
        let given = self.rope_parameters.as_deref();
        let of = |parameters: Option<&RopeParameters>| parameters.and_then(|it| it.rope_theta);
        let all = given.and_then(|given| given.full_attention.as_deref());
        let local = given.and_then(|given| given.sliding_attention.as_deref());
        [
            of(all).unwrap_or(self.global_rope_theta),
            of(local).unwrap_or(self.local_rope_theta),
        ]
    }

    /// Returns the base of RoPE in a layer.
    pub fn theta(&self, layer: usize) -> f32 {
        let [all, local] = self.thetas();
        match self.window(layer) {
            Some(_) => local,
            None => all,
        }
    }

    /// Returns the self-attention of each layer.
    pub fn layer_attention(&self) -> Vec<LayerAttention> {
        let [all, local] = self.thetas();
        let layers = (0..self.num_hidden_layers).map(|layer| LayerAttention {
            window: self.window(layer),
            rope_theta: (all != local).then(|| self.theta(layer)),
            normalises: layer > 0,
            ..LayerAttention::default()
        });
        layers.collect()
    }

    /// Checks that a model can be built.
    ///
    /// # Errors
    /// The first size that is out of reason or does not fit the others, or what is not implemented.
    pub fn validate(&self) -> Result<(), ConfigError> {
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
            ("num_hidden_layers", self.num_hidden_layers, MOST_LAYERS),
            ("local_attention", self.local_attention, LARGEST_TABLE),
            (
                "global_attn_every_n_layers",
                self.global_attn_every_n_layers,
                usize::MAX,
            ),
        ])?;
        check_tokens(
            &[("pad_token_id", self.pad_token_id.as_slice())],
            self.vocab_size,
        )?;
        let layers = self.num_hidden_layers;
        let types = self.layer_types.as_ref().map_or(layers, Vec::len);
        if types != layers {
            return Err(ConfigError::Entries {
                name: "layer_types",
                entries: types,
                layers,
            });
        }
        check_heads(self.hidden_size, self.num_attention_heads)?;
        check_even("head_dim", self.head_dim())?;
        self.check_rope()?;
        check_scale("initializer_range", self.initializer_range)?;
        check_epsilon("norm_eps", self.norm_eps)
    }

    /// Refuses RoPE that reaches beyond its training.
    fn check_rope(&self) -> Result<(), ConfigError> {
        let given = self.rope_parameters.as_deref();
        let nested = given.into_iter().flat_map(|given| {
            [&given.full_attention, &given.sliding_attention]
                .into_iter()
                .filter_map(|parameters| parameters.as_deref())
        });
        let mut all = nested.chain(self.rope_scaling.as_deref());
        if let Some(other) = all.find(|parameters| parameters.way() != DEFAULT) {
            return Err(ConfigError::Unsupported {
                name: "rope_type",
                value: other.way().to_owned(),
                implemented: DEFAULT,
            });
        }
        let names = ["global_rope_theta", "local_rope_theta"];
        let mut bases = names.into_iter().zip(self.thetas());
        bases.try_for_each(|(name, base)| check_base(name, base))
    }

    /// The parameters of a model of these sizes, with the head that guesses masked words if there is one.
    pub fn parameters(&self) -> Parameters {
        let (d, inner) = (self.hidden_size, self.intermediate_size);
        let table = matrix(self.vocab_size, d);
        let bias = |is_there: bool, width: usize| if is_there { width as u64 } else { 0 };
        let norm = d as u64 + bias(self.norm_bias, d);
        let attention = 4 * (matrix(d, d) + bias(self.attention_bias, d));
        let feed_forward = 3 * matrix(d, inner) + bias(self.mlp_bias, 2 * inner + d);
        let layer = Parameters::default()
            .and(Part::Attention, attention)
            .and(Part::FeedForward, feed_forward)
            .and(Part::Norms, 2 * norm);
        // The first layer's attention has no norm; the embeddings and the output have one.
        let encoder = layer
            .times(self.num_hidden_layers)
            .and(Part::Embedding, table)
            .and(Part::Norms, norm);
        if !self.has_head {
            return encoder;
        }
        encoder
            .and(Part::Norms, norm)
            .and(Part::Output, matrix(d, d) + bias(self.classifier_bias, d))
            .and(Part::Output, bias(self.decoder_bias, self.vocab_size))
            .and(
                Part::Output,
                if self.tie_word_embeddings { 0 } else { table },
            )
    }

    /// The operations of a forward pass over `tokens`, with logits for each of them if there is a head. Windows save
    /// nothing.
    pub fn operations(&self, tokens: usize) -> Operations {
        let (d, layers) = (self.hidden_size, self.num_hidden_layers as u64);
        let inner = matrix(d, self.intermediate_size);
        Operations {
            projections: Operations::product(tokens, 4 * matrix(d, d) * layers),
            feed_forward: Operations::product(tokens, 3 * inner * layers),
            output: match self.has_head {
                true => Operations::product(tokens, matrix(d, d + self.vocab_size)),
                false => 0.0,
            },
            scores: Operations::attention(tokens, d) * layers as f64,
        }
    }
}

/// RoPE as in training.
const DEFAULT: &str = "default";

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn config(entries: Value) -> ModernBertConfig {
        serde_json::from_value(entries).unwrap()
    }

    /// `ModernBertForMaskedLM` with the configurations of the base and the large model, and `ModernBertModel`.
    #[test]
    fn published_models_have_the_parameters_of_transformers() {
        let base = ModernBertConfig::default();
        assert_eq!(base.validate(), Ok(()));
        assert_eq!(base.parameters().total(), 149_655_232);
        let headless = ModernBertConfig {
            has_head: false,
            ..base.clone()
        };
        assert_eq!(headless.parameters().total(), 149_014_272);
        assert_eq!(headless.operations(10).output, 0.0);
        let large = ModernBertConfig {
            hidden_size: 1024,
            intermediate_size: 2624,
            num_hidden_layers: 28,
            num_attention_heads: 16,
            ..base
        };
        assert_eq!(large.parameters().total(), 395_881_664);
    }

    #[test]
    fn both_forms_of_the_layers_are_read() {
        let older = config(json!({
            "num_hidden_layers": 4, "global_attn_every_n_layers": 2, "local_attention": 6, "global_rope_theta": 1e5,
        }));
        let newer = config(json!({
            "num_hidden_layers": 4, "local_attention": 7,
            "layer_types": ["full_attention", "sliding_attention", "full_attention", "sliding_attention"],
            "rope_parameters": {
                "full_attention": {"rope_type": "default", "rope_theta": 1e5}, "sliding_attention": {"rope_theta": 1e4},
            },
        }));
        for config in [older, newer] {
            assert_eq!(config.validate(), Ok(()));
            let windows = [0, 1, 2, 3].map(|layer| config.window(layer));
            assert_eq!(windows, [None, Some(4), None, Some(4)]);
            assert_eq!([0, 1].map(|layer| config.theta(layer)), [1e5, 1e4]);
            let layers = config.layer_attention();
            assert!(!layers[0].normalises && layers[1].normalises);
            assert_eq!(layers[3].rope_theta, Some(1e4));
        }
    }

    #[test]
    fn what_is_not_implemented_is_refused_by_name() {
        for (entries, words) in [
            (
                json!({"rope_scaling": {"rope_type": "linear", "factor": 2.0}}),
                "rope_type is linear",
            ),
            (
                json!({"rope_parameters": {"sliding_attention": {"rope_type": "yarn"}}}),
                "rope_type is yarn",
            ),
            (json!({"local_rope_theta": 0.5}), "local_rope_theta is 0.5"),
            (
                json!({"global_attn_every_n_layers": 0}),
                "global_attn_every_n_layers is 0",
            ),
            (json!({"local_attention": 0}), "local_attention is 0"),
            (
                json!({"layer_types": ["full_attention"]}),
                "layer_types has 1 entries",
            ),
            (
                json!({"num_attention_heads": 256}),
                "head_dim 3 must be even",
            ),
        ] {
            let refused = config(entries).validate().unwrap_err().to_string();
            assert!(refused.contains(words), "{refused}");
        }
    }
}
