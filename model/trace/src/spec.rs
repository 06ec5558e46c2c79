//! Specifications of models as facts, which a page reads instead of the name of an architecture.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use strum::VariantArray;

use crate::positions::{Buckets, Direction, PositionalEncoding, SinusoidalLayout, sinusoidal};
use crate::site::{AttentionKind, AttentionLayer, Block, Stack, Sublayer};
use crate::{
    AlignmentScore, Halting, Nonlinearity, Quantity, RecurrenceSpec, RecurrentAttention, ReuseSpec,
    Site,
};

/// A model's architecture and sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ModelSpec {
    /// `model_type` of the checkpoint's `config.json`: to be shown, never to be asked.
    pub model_type: String,
    /// Width of the residual stream.
    pub width: usize,
    /// Rows of the embedding table, and logits; of a model of pictures, the number of classes.
    pub vocabulary: usize,
    /// Rows of the encoder's table, if source and target have separate vocabularies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source_vocabulary: Option<usize>,
    /// The most tokens of a sequence; `None` if positions are encoded by distance alone, or not at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<usize>,
    /// The stack that reads the source; absent from a decoder-only model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoder: Option<StackSpec>,
    /// The stack that writes the target; absent from a model that writes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decoder: Option<StackSpec>,
    /// The factor that token embeddings are multiplied by.
    pub embedding_factor: f32,
    /// Segments that the tokens of a source are of, each with a vector that is added to the embeddings, as in BERT; 0
    /// where there are none.
    #[serde(default)]
    pub segments: usize,
    /// True if the sum of embeddings is normalised before it enters the first layer.
    #[serde(default)]
    pub embedding_norm: bool,
    /// The encoding of positions.
    pub positions: PositionSpec,
    /// True if scores are divided by `√d_k`, or by the divisor of the layer ([`LayerAttention::divisor`]).
    pub scales_scores: bool,
    /// The number `c` of soft-capped scores, `c·tanh(s/c)` in place of each scaled score `s`, as in Gemma 2.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score_cap: Option<f32>,
    /// The same number for the logits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logit_cap: Option<f32>,
    /// True if a layer (a matrix, a non-linearity, a normalisation) is between the last stack and the matrix that makes
    /// logits, as in BERT.
    #[serde(default)]
    pub output_layer: bool,
    /// The factor of the last stack's output before that matrix: `1/√d` in T5's first version.
    #[serde(default = "one")]
    pub output_factor: f32,
    /// True if a bias is added to the logits.
    pub output_bias: bool,
    /// The facts of its recurrence, if its stacks are recurrent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<RecurrenceSpec>,
    /// The facts of its reuse, if its layers are depths of one block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reuse: Option<ReuseSpec>,
    /// The facts of its patches, if it reads a picture in place of a text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patches: Option<PatchSpec>,
    /// The kind of output that the model generates.
    pub generates: Generates,
}

/// The patches that a model of pictures reads as tokens, after a class token and registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchSpec {
    /// The edge of a patch in pixels.
    pub size_px: usize,
    /// The number of registers, which are tokens without a place in the picture.
    pub registers: usize,
}

fn one() -> f32 {
    1.0
}

/// The kind of output that a model generates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Generates {
    /// A text out of another one.
    TextFromText,
    /// The continuation of a text.
    Continuation,
    /// The words that are masked in a text.
    MaskedWords,
    /// The class of a picture.
    Labels,
    /// No output: states alone.
    Nothing,
}

impl Generates {
    /// True if the model writes a text, token by token.
    pub fn is_text(self) -> bool {
        matches!(self, Generates::TextFromText | Generates::Continuation)
    }

    /// True if the model makes logits of words, a row for each token.
    pub fn is_words(self) -> bool {
        self.is_text() || self == Generates::MaskedWords
    }
}

/// A stack of equal layers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackSpec {
    /// The number of layers.
    pub layers: usize,
    /// Query heads of each attention.
    pub heads: usize,
    /// Heads of keys and values; each serves a group of query heads.
    pub key_value_heads: usize,
    /// Width of a head, `d_k`.
    pub head_width: usize,
    /// True if positions see no later ones.
    pub causal: bool,
    /// True if its layers attend to the encoder's output.
    pub cross_attention: bool,
    /// True if queries and keys are normalised head by head, before RoPE rotates them, as in Qwen3.
    #[serde(default)]
    pub head_norm: bool,
    /// True if queries and keys are normalised over all heads together, before RoPE rotates them, as in OLMo 2.
    #[serde(default)]
    pub whole_norm: bool,
    /// The self-attention of each layer, where layers differ from each other or from the usual; empty elsewhere.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub layer_attention: Vec<LayerAttention>,
    /// True if the feed-forward network of a layer reads the same residual stream as its attention, as in GPT-NeoX.
    #[serde(default)]
    pub parallel: bool,
    /// The normalisations of the stack; a recurrent stack has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub norm: Option<NormSpec>,
    /// The feed-forward networks of the stack; a recurrent stack and one of attention alone have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feed_forward: Option<FeedForwardSpec>,
}

/// The self-attention of one layer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LayerAttention {
    /// The number of keys up to its own that a query sees, and from its own on in a stack that sees later keys; `None` if
    /// it sees all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<usize>,
    /// False if RoPE rotates no queries and keys here, although it does in other layers ("NoPE").
    #[serde(default = "yes")]
    pub rotates: bool,
    /// RoPE's base, where it differs between layers and alone determines the angles, as in Gemma 3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_theta: Option<f32>,
    /// The number that scores are divided by, where it is not `√d_k`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub divisor: Option<f32>,
    /// False if the input is not normalised, although that of other layers is, as in ModernBERT's first one.
    #[serde(default = "yes")]
    pub normalises: bool,
}

fn yes() -> bool {
    true
}

/// Attention to all keys, with the positions of the model.
impl Default for LayerAttention {
    fn default() -> Self {
        LayerAttention {
            window: None,
            rotates: true,
            rope_theta: None,
            divisor: None,
            normalises: true,
        }
    }
}

impl StackSpec {
    /// Returns the facts of a layer's self-attention.
    pub fn attention_in(&self, layer: usize) -> LayerAttention {
        self.layer_attention.get(layer).copied().unwrap_or_default()
    }

    /// Returns the keys, of the first `keys`, that a query of a layer's self-attention sees.
    pub fn seen(&self, layer: usize, query: usize, keys: usize) -> Range<usize> {
        let window = self.attention_in(layer).window;
        let end = match (self.causal, window) {
            (true, _) => keys.min(query + 1),
            (false, Some(window)) => keys.min(query.saturating_add(window)),
            (false, None) => keys,
        };
        let first = window.map_or(0, |window| (query + 1).saturating_sub(window));
        first.min(end)..end
    }
}

/// The normalisations of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NormSpec {
    /// The kind of the normalisations.
    pub kind: NormKind,
    /// The placement of the normalisations.
    pub placement: NormPlacement,
    /// True if there is a normalisation at the stack's end.
    pub is_last: bool,
}

/// The formula of a normalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NormKind {
    /// Mean 0, variance 1, then a gain and a bias (Ba et al. 2016).
    LayerNorm,
    /// Divided by the root mean square, then a gain (Zhang & Sennrich 2019).
    RmsNorm,
}

/// The placement of a sub-layer's normalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NormPlacement {
    /// On the input of the sub-layer.
    Pre,
    /// On the sum of the sub-layer's output and the residual stream.
    Post,
    /// On the output of the sub-layer, before it is added to the residual stream, as in OLMo 2.
    Output,
    /// On the input of the sub-layer and on its output, as in Gemma 2.
    Both,
}

impl NormPlacement {
    /// True if sub-layers read normalised copies of the residual stream.
    pub fn is_on_input(self) -> bool {
        matches!(self, NormPlacement::Pre | NormPlacement::Both)
    }

    /// True if the output of a sub-layer is normalised before it is added.
    pub fn is_on_output(self) -> bool {
        matches!(self, NormPlacement::Output | NormPlacement::Both)
    }
}

/// The feed-forward networks of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeedForwardSpec {
    /// The width of the inner layer.
    pub width: usize,
    /// The non-linearity between the products.
    pub activation: Nonlinearity,
    /// True if a gate multiplies a second product.
    pub gated: bool,
    /// True if biases are added to the products.
    pub biased: bool,
}

/// A model's encoding of positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionSpec {
    /// The way of encoding positions.
    pub encoding: PositionalEncoding,
    /// The layout of sines and cosines in the columns, for sinusoidal positions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<SinusoidalLayout>,
    /// The position whose sinusoids the first token has: the row after the padding token's in M2M-100, 0 elsewhere.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub first: usize,
    /// RoPE's base, where it alone determines the angles: RoPE is not stretched, rotates all dimensions of a head, and is
    /// the same in all layers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rope_theta: Option<f32>,
    /// The number of a head's dimensions that RoPE rotates, the first ones, where it does not rotate all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotary_width: Option<usize>,
    /// The buckets of distances that share a bias, for T5's positions, in a decoder; see [`ModelSpec::buckets`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buckets: Option<Buckets>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

impl PositionSpec {
    /// Returns the vectors that are added to tokens at `positions`, `[positions, width]` row-major, if these are sinusoids.
    ///
    /// # Panics
    /// If `width` is odd.
    pub fn sinusoids(&self, positions: Range<usize>, width: usize) -> Option<Vec<f32>> {
        let layout = self.layout?;
        let positions = self.first + positions.start..self.first + positions.end;
        Some(sinusoidal(positions, width, layout))
    }
}

impl From<PositionalEncoding> for PositionSpec {
    fn from(encoding: PositionalEncoding) -> Self {
        PositionSpec {
            encoding,
            layout: None,
            first: 0,
            rope_theta: None,
            rotary_width: None,
            buckets: None,
        }
    }
}

impl ModelSpec {
    /// Returns the facts of a stack, if the model has it.
    pub fn stack(&self, stack: Stack) -> Option<&StackSpec> {
        match stack {
            Stack::Encoder => self.encoder.as_ref(),
            Stack::Decoder => self.decoder.as_ref(),
        }
    }

    /// The stack that attention of this kind takes its queries from, if the model has such attention.
    pub fn attention(&self, kind: AttentionKind) -> Option<&StackSpec> {
        self.stack(kind.stack()).filter(|stack| match kind {
            AttentionKind::Cross => stack.cross_attention,
            AttentionKind::EncoderSelf | AttentionKind::DecoderSelf => self.recurrence.is_none(),
        })
    }

    /// The kinds of attention the model has, in the order of its computation.
    pub fn kinds(&self) -> Vec<AttentionKind> {
        let kinds = AttentionKind::ALL.into_iter();
        kinds
            .filter(|&kind| self.attention(kind).is_some())
            .collect()
    }

    /// Returns the keys, of the first `keys`, that a query of an attention sees.
    pub fn seen(&self, attention: AttentionLayer, query: usize, keys: usize) -> Range<usize> {
        let AttentionLayer { kind, layer } = attention;
        match self.attention(kind) {
            Some(stack) if kind != AttentionKind::Cross => stack.seen(layer, query, keys),
            _ => 0..keys,
        }
    }

    /// Layers with attention of this kind.
    pub fn layers(&self, kind: AttentionKind) -> usize {
        self.attention(kind).map_or(0, |stack| stack.layers)
    }

    /// Query heads of each layer's attention of this kind.
    pub fn heads(&self, kind: AttentionKind) -> usize {
        self.attention(kind).map_or(0, |stack| stack.heads)
    }

    /// Returns the buckets of distances that share a bias in a stack's self-attention, if the model uses T5's
    /// positions: in an encoder half of the buckets are for keys after the query.
    pub fn buckets(&self, stack: Stack) -> Option<Buckets> {
        let direction = match self.stack(stack)?.causal {
            true => Direction::Causal,
            false => Direction::Both,
        };
        let buckets = self.positions.buckets?;
        Some(Buckets {
            direction,
            ..buckets
        })
    }

    /// Returns the number of tokens that can still be appended to a sequence of `tokens` tokens.
    pub fn room(&self, tokens: usize) -> usize {
        self.max_tokens
            .map_or(usize::MAX, |limit| limit.saturating_sub(tokens))
    }

    /// Returns the halting that lets positions use fewer depths than there are, if there is any.
    pub fn halting(&self) -> Option<Halting> {
        self.reuse.and_then(|reuse| reuse.halting)
    }

    /// True if the model reads a picture in place of a text.
    pub fn reads_pictures(&self) -> bool {
        self.patches.is_some()
    }

    /// True if the model reads a source apart from the text that it writes.
    pub fn reads_source(&self) -> bool {
        self.encoder.is_some()
    }

    /// The stack that makes the logits.
    pub fn last_stack(&self) -> Stack {
        match self.decoder {
            Some(_) => Stack::Decoder,
            None => Stack::Encoder,
        }
    }

    /// True if the vectors of tokens are not yet what enters the first layer: those of positions are added, or the sum is
    /// normalised.
    pub fn embeds_in_steps(&self) -> bool {
        self.positions.encoding.adds_vectors() || self.embedding_norm
    }

    /// True if a pass of the model computes the array of this place.
    pub fn has(&self, site: Site) -> bool {
        let Some(stack) = site.block.stack() else {
            return site == Site::LOGITS && self.generates.is_words();
        };
        let Some(spec) = self.stack(stack) else {
            return false;
        };
        match (site.block, site.quantity) {
            (Block::Stack(_), Quantity::TokenEmbedding) => self.embeds_in_steps(),
            (Block::Stack(_), Quantity::Embedding) => true,
            (Block::Stack(_), Quantity::FinalNorm) => spec.norm.is_some_and(|norm| norm.is_last),
            (Block::Stack(_), Quantity::State) => {
                self.recurrence.is_some() || self.halting().is_some()
            }
            (Block::Stack(Stack::Decoder), Quantity::Readout) => self.recurrence.is_some(),
            (Block::Sublayer(_, layer, sublayer), quantity) => {
                let is_there = layer < spec.layers && self.sublayers(stack).any(|s| s == sublayer);
                is_there
                    && match self.recurrence {
                        Some(RecurrenceSpec { attention, .. }) => aligns(attention, quantity),
                        None => {
                            self.computes(spec, (layer, sublayer), quantity)
                                || self.reuses(layer, sublayer, quantity)
                        }
                    }
            }
            _ => false,
        }
    }

    /// True if the model computes the quantity because its layers are depths of one block.
    fn reuses(&self, depth: usize, sublayer: Sublayer, quantity: Quantity) -> bool {
        match (sublayer, quantity) {
            (Sublayer::SelfAttention, Quantity::Embedding) => depth > 0 && self.reuse.is_some(),
            (
                Sublayer::FeedForward,
                Quantity::Halting | Quantity::DepthWeight | Quantity::State,
            ) => self.halting().is_some(),
            _ => false,
        }
    }

    fn computes(
        &self,
        stack: &StackSpec,
        (layer, sublayer): (usize, Sublayer),
        quantity: Quantity,
    ) -> bool {
        let is_mlp = sublayer == Sublayer::FeedForward;
        let is_own = sublayer == Sublayer::SelfAttention;
        let positions = self.positions.encoding;
        match quantity {
            Quantity::Out | Quantity::Residual => true,
            Quantity::Norm => {
                let placement = stack.norm.map(|norm| norm.placement);
                let is_left_out = is_own && !stack.attention_in(layer).normalises;
                placement != Some(NormPlacement::Output) && !is_left_out
            }
            Quantity::OutNorm => stack.norm.is_some_and(|norm| norm.placement.is_on_output()),
            Quantity::Pre | Quantity::Post => is_mlp,
            Quantity::PreLinear => {
                is_mlp && stack.feed_forward.is_some_and(|network| network.gated)
            }
            Quantity::QueryBeforeNorm | Quantity::KeyBeforeNorm => {
                is_own && (stack.head_norm || stack.whole_norm)
            }
            Quantity::QueryBeforeRope | Quantity::KeyBeforeRope => {
                let rotates = stack.attention_in(layer).rotates;
                is_own && rotates && positions == PositionalEncoding::Rope
            }
            Quantity::PositionBias => is_own && positions.biases_scores(),
            Quantity::Query
            | Quantity::Key
            | Quantity::Value
            | Quantity::Scores
            | Quantity::ScaledScores
            | Quantity::MaskedScores
            | Quantity::Pattern
            | Quantity::Z => !is_mlp,
            Quantity::TokenEmbedding
            | Quantity::Embedding
            | Quantity::FinalNorm
            | Quantity::Thumbnail
            | Quantity::Center
            | Quantity::State
            | Quantity::Readout
            | Quantity::Halting
            | Quantity::DepthWeight
            | Quantity::Logits => false,
        }
    }

    /// Every array that a pass of the model computes, in order.
    pub fn sites(&self) -> impl Iterator<Item = Site> + '_ {
        let of_stack = |stack: Stack| {
            let layers = 0..self.stack(stack).map_or(0, |stack| stack.layers);
            let sublayers = layers.flat_map(move |layer| {
                let sublayers = Sublayer::VARIANTS.iter();
                sublayers.map(move |&sublayer| Block::Sublayer(stack, layer, sublayer))
            });
            [Block::Stack(stack)].into_iter().chain(sublayers)
        };
        let blocks = Stack::VARIANTS.iter().copied().flat_map(of_stack);
        let blocks = blocks.chain([Block::Model]);
        blocks
            .flat_map(|block| Quantity::VARIANTS.iter().map(move |&q| block.at(q)))
            .filter(|&site| self.has(site))
    }

    /// The sub-layers of a stack's layers, in order.
    pub fn sublayers(&self, stack: Stack) -> impl Iterator<Item = Sublayer> + use<> {
        let facts = self.stack(stack);
        let has_cross = facts.is_some_and(|stack| stack.cross_attention);
        let has_network = facts.is_some_and(|stack| stack.feed_forward.is_some());
        let is_recurrent = self.recurrence.is_some();
        let all = Sublayer::VARIANTS.iter().copied();
        all.filter(move |&sublayer| match sublayer {
            Sublayer::CrossAttention => has_cross,
            Sublayer::SelfAttention => !is_recurrent,
            Sublayer::FeedForward => !is_recurrent && has_network,
        })
    }
}

/// True if such attention of a recurrent decoder computes the quantity. Only scores that are products have queries and
/// keys.
fn aligns(attention: RecurrentAttention, quantity: Quantity) -> bool {
    let score = attention.score();
    match quantity {
        Quantity::Query | Quantity::Key => {
            matches!(score, Some(AlignmentScore::Dot | AlignmentScore::General))
        }
        Quantity::Center => attention.window().is_some(),
        Quantity::Value
        | Quantity::Scores
        | Quantity::MaskedScores
        | Quantity::Pattern
        | Quantity::Z => score.is_some(),
        _ => false,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn stack(placement: NormPlacement) -> StackSpec {
        StackSpec {
            layers: 3,
            heads: 2,
            key_value_heads: 2,
            head_width: 2,
            causal: false,
            cross_attention: false,
            head_norm: false,
            whole_norm: false,
            layer_attention: vec![],
            parallel: false,
            norm: Some(NormSpec {
                kind: NormKind::LayerNorm,
                placement,
                is_last: placement == NormPlacement::Pre,
            }),
            feed_forward: Some(FeedForwardSpec {
                width: 8,
                activation: Nonlinearity::Relu,
                gated: false,
                biased: true,
            }),
        }
    }

    /// An encoder and a decoder that normalise after adding.
    pub(crate) fn encoder_decoder() -> ModelSpec {
        let encoder = stack(NormPlacement::Post);
        ModelSpec {
            model_type: "marian".into(),
            width: 4,
            vocabulary: 9,
            source_vocabulary: None,
            max_tokens: Some(16),
            decoder: Some(StackSpec {
                causal: true,
                cross_attention: true,
                ..encoder.clone()
            }),
            encoder: Some(encoder),
            embedding_factor: 2.0,
            segments: 0,
            embedding_norm: false,
            positions: PositionalEncoding::Sinusoidal.into(),
            scales_scores: true,
            score_cap: None,
            logit_cap: None,
            output_layer: false,
            output_factor: 1.0,
            output_bias: true,
            recurrence: None,
            reuse: None,
            patches: None,
            generates: Generates::TextFromText,
        }
    }

    /// A decoder that normalises first.
    pub(crate) fn decoder_only() -> ModelSpec {
        ModelSpec {
            encoder: None,
            decoder: Some(StackSpec {
                causal: true,
                ..stack(NormPlacement::Pre)
            }),
            positions: PositionalEncoding::Rope.into(),
            generates: Generates::Continuation,
            ..encoder_decoder()
        }
    }

    #[test]
    fn there_is_room_without_end_where_there_is_no_limit() {
        let limited = encoder_decoder();
        assert_eq!((limited.room(10), limited.room(17)), (6, 0));
        let unlimited = ModelSpec {
            max_tokens: None,
            ..encoder_decoder()
        };
        assert_eq!(unlimited.room(1 << 20), usize::MAX);
        let json = serde_json::to_string(&unlimited).unwrap();
        assert_eq!(serde_json::from_str::<ModelSpec>(&json).unwrap(), unlimited);
    }

    #[test]
    fn a_window_hides_the_keys_before_it() {
        let mut stack = StackSpec {
            causal: true,
            ..stack(NormPlacement::Pre)
        };
        assert_eq!(stack.seen(0, 4, 9), 0..5);
        stack.layer_attention = vec![LayerAttention {
            window: Some(3),
            ..LayerAttention::default()
        }];
        assert_eq!((stack.seen(0, 1, 9), stack.seen(0, 4, 9)), (0..2, 2..5));
        assert_eq!(stack.seen(0, 8, 4), 4..4);
        // Layers beyond the list have the usual attention.
        assert_eq!(stack.seen(1, 4, 9), 0..5);
        // To both sides in a stack that sees later keys.
        stack.causal = false;
        assert_eq!((stack.seen(0, 4, 9), stack.seen(0, 8, 9)), (2..7, 6..9));
        assert_eq!(stack.seen(1, 4, 9), 0..9);
    }

    #[test]
    fn a_specification_without_the_newer_facts_is_read() {
        let spec = decoder_only();
        let mut json = serde_json::to_value(&spec).unwrap();
        let decoder = json["decoder"].as_object_mut().unwrap();
        for fact in ["whole_norm", "parallel", "head_norm"] {
            assert!(decoder.remove(fact).is_some(), "{fact}");
        }
        assert_eq!(serde_json::from_value::<ModelSpec>(json).unwrap(), spec);
    }

    #[test]
    fn norms_are_where_their_placement_puts_them() {
        let has = |placement, quantity: &str| {
            let spec = ModelSpec {
                decoder: Some(StackSpec {
                    causal: true,
                    ..stack(placement)
                }),
                ..decoder_only()
            };
            spec.has(format!("decoder.0.mlp.{quantity}").parse().unwrap())
        };
        for (placement, norm, out_norm) in [
            (NormPlacement::Pre, true, false),
            (NormPlacement::Post, true, false),
            (NormPlacement::Output, false, true),
            (NormPlacement::Both, true, true),
        ] {
            assert_eq!(has(placement, "norm"), norm, "{placement:?}");
            assert_eq!(has(placement, "out_norm"), out_norm, "{placement:?}");
        }
    }

    #[test]
    fn a_model_has_the_attention_of_its_stacks() {
        let kinds = |spec: ModelSpec| spec.kinds();
        assert_eq!(kinds(encoder_decoder()), AttentionKind::ALL);
        assert_eq!(kinds(decoder_only()), [AttentionKind::DecoderSelf]);
        let encoder_only = ModelSpec {
            decoder: None,
            ..encoder_decoder()
        };
        assert_eq!(encoder_only.last_stack(), Stack::Encoder);
        assert_eq!(kinds(encoder_only), [AttentionKind::EncoderSelf]);
    }
}
