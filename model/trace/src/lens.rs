//! Readings of the residual stream: the logit lens (nostalgebraist 2020), and a logit as the sum of the parts that the
//! model writes (Elhage et al. 2021). Plain data; `attention-model` computes it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::derived::JointMap;
use crate::site::{AttentionLayer, Block, Sublayer};
use crate::spec::ModelSpec;
use crate::{Array, Site, Token};

/// A question about the pass over a result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LensQuestion {
    /// Every layer's residual stream, read as logits.
    Layers {
        /// The most probable words of each layer and position.
        words: usize,
    },
    /// A logit, or the difference of two, as a sum over the parts of the model.
    Parts(Wanted),
    /// The same number of a pass in which one head is switched off.
    WithoutHead {
        /// The number that is asked for.
        wanted: Wanted,
        /// The attention of the head.
        attention: AttentionLayer,
        /// The head, from 0.
        head: usize,
    },
    /// The weights of an attention followed through all layers below it: see [`ModelSpec::followed`].
    Joint {
        /// The way of combining the layers' weights.
        map: JointMap,
        /// The attention that is followed.
        attention: AttentionLayer,
    },
    /// The length of each key's contribution to the output of an attention if it gets all the weight:
    /// `‖v_j W^O‖` of each head (Kobayashi et al. 2020).
    ValueLengths {
        /// The attention whose values are measured.
        attention: AttentionLayer,
    },
}

/// A logit, or how much larger it is than another one of the same row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wanted {
    /// The row of the logits, from 0: the token after which the prediction is made.
    pub row: usize,
    /// The token whose logit it is.
    pub token: u32,
    /// The token whose logit is subtracted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub against: Option<u32>,
}

/// The answer to a [`LensQuestion`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LensAnswer {
    /// The answer to [`LensQuestion::Layers`].
    Layers(Lens),
    /// The answer to [`LensQuestion::Parts`].
    Parts(Attribution),
    /// The answer to [`LensQuestion::WithoutHead`].
    WithoutHead {
        /// The logit, or the difference.
        logit: f32,
    },
    /// The answer to [`LensQuestion::Joint`], `[n, m]`.
    Joint(Array),
    /// The answer to [`LensQuestion::ValueLengths`], `[h, m]`.
    ValueLengths(Array),
}

/// Every layer's residual stream at every position, read as the model reads its last.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lens {
    /// The token that follows each position: the one that decoding appended there, else the most probable of the last
    /// layer.
    pub answers: Vec<Token>,
    /// The readings, `[layers + 1][positions]`: first of the embedding, then of each layer's output.
    pub layers: Vec<Vec<Reading>>,
}

/// The residual stream of one layer at one position as a distribution over words.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reading {
    /// The most probable words, best first.
    pub words: Vec<ReadWord>,
    /// The place of the position's answer among all words, the most probable first, from 1; words that are as probable
    /// share one.
    pub rank: usize,
    /// The probability of that answer.
    pub probability: f32,
}

/// A word and its probability.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReadWord {
    /// The token of the word.
    pub token: Token,
    /// The softmax probability of the token.
    pub probability: f32,
}

/// A logit, or the difference of two, as a sum.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attribution {
    /// The number that the pass computed.
    pub logit: f32,
    /// The parts in the order of the computation; they sum to `logit` but for rounding.
    pub shares: Vec<Share>,
}

impl Attribution {
    /// Returns the sum of the parts.
    pub fn sum(&self) -> f32 {
        let values = self.shares.iter().map(|share| f64::from(share.value));
        values.sum::<f64>() as f32
    }

    /// The share of a part; `None` where the model has no such part.
    pub fn of(&self, part: Part) -> Option<f32> {
        let mut shares = self.shares.iter();
        shares.find(|share| share.part == part).map(|s| s.value)
    }
}

/// The share that a part of the model adds to the number, with its norms frozen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Share {
    /// The part of the model.
    pub part: Part,
    /// The value that the part adds.
    pub value: f32,
}

/// A part of a model that writes into the residual stream of the stack that makes logits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "part", rename_all = "snake_case")]
pub enum Part {
    /// The embedding of the token.
    Token,
    /// The position's vector, added to the embedding.
    Position,
    /// A head: its `z` times its columns of `W^O`. The bias of its values is in it.
    Head {
        /// The attention of the head.
        attention: AttentionLayer,
        /// The head, from 0.
        head: usize,
    },
    /// The bias after `W^O`.
    OutputBias {
        /// The attention whose output is projected.
        attention: AttentionLayer,
    },
    /// A feed-forward network with its biases.
    FeedForward {
        /// The layer, from 0.
        layer: usize,
    },
    /// The bias of the norm after a sub-layer, in post-norm models.
    NormBias {
        /// The layer, from 0.
        layer: usize,
        /// The sub-layer before the norm.
        sublayer: Sublayer,
    },
    /// The bias of the norm at the end of the stack.
    LastNormBias,
    /// The bias of the logits.
    LogitBias,
}

impl Part {
    /// True if the part is constant, independent of the model's input.
    pub fn is_bias(self) -> bool {
        matches!(
            self,
            Part::OutputBias { .. } | Part::NormBias { .. } | Part::LastNormBias | Part::LogitBias
        )
    }

    /// Returns the layer that has the part, from 0.
    pub fn layer(self) -> Option<usize> {
        match self {
            Part::Head { attention, .. } | Part::OutputBias { attention } => Some(attention.layer),
            Part::FeedForward { layer } | Part::NormBias { layer, .. } => Some(layer),
            Part::Token | Part::Position | Part::LastNormBias | Part::LogitBias => None,
        }
    }
}

/// The name in the fixtures and on the command line, layers and heads from 0: `decoder.1.cross.head.3`.
impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Token => f.write_str("token"),
            Part::Position => f.write_str("position"),
            Part::Head { attention, head } => write!(f, "{}.head.{head}", attention.block()),
            Part::OutputBias { attention } => write!(f, "{}.bias", attention.block()),
            Part::FeedForward { layer } => write!(f, "{layer}.{}", Sublayer::FeedForward),
            Part::NormBias { layer, sublayer } => write!(f, "{layer}.{sublayer}.norm_bias"),
            Part::LastNormBias => f.write_str("last_norm_bias"),
            Part::LogitBias => f.write_str("logit_bias"),
        }
    }
}

impl ModelSpec {
    /// True if the model has a residual stream whose layers can be read as logits: not a recurrent model, nor one whose
    /// logits are computed from the states of several depths.
    pub fn has_lens(&self) -> bool {
        self.generates.is_words() && self.recurrence.is_none() && self.halting().is_none()
    }

    /// True if the logits are a sum over the parts' outputs, with the scale of the norms frozen: not if a non-linear
    /// layer precedes the matrix that makes them, as in BERT, or they are soft-capped, as in Gemma 2, nor if signals are
    /// added at every depth.
    pub fn has_attribution(&self) -> bool {
        let is_linear = !self.output_layer && self.logit_cap.is_none();
        let is_plain = is_linear && !self.embedding_norm && self.reuse.is_none();
        self.has_lens() && is_plain
    }

    /// The places of the residual stream that the lens reads: the embedding, then each layer's output, of the stack
    /// that makes logits.
    pub fn lens_sites(&self) -> Vec<Site> {
        let stack = self.last_stack();
        let layers = self.stack(stack).map_or(0, |stack| stack.layers);
        let outputs = (0..layers).map(|layer| self.layer_output(stack, layer));
        [self.layer_input(stack, 0)]
            .into_iter()
            .chain(outputs)
            .collect()
    }

    /// The sub-layers of the stack that makes logits, in the order of the computation.
    pub fn lens_blocks(&self) -> Vec<Block> {
        let stack = self.last_stack();
        let layers = self.stack(stack).map_or(0, |stack| stack.layers);
        let of_layer = |layer| {
            let sublayers = self.sublayers(stack);
            sublayers.map(move |sublayer| Block::Sublayer(stack, layer, sublayer))
        };
        (0..layers).flat_map(of_layer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{BertConfig, Gpt2Config};
    use crate::site::AttentionKind;
    use crate::spec::tests::{decoder_only, encoder_decoder};

    fn head() -> Part {
        let kind = AttentionKind::Cross;
        Part::Head {
            attention: AttentionLayer { kind, layer: 1 },
            head: 3,
        }
    }

    #[test]
    fn parts_have_the_names_of_the_fixtures() {
        assert_eq!(head().to_string(), "decoder.1.cross.head.3");
        assert_eq!(Part::FeedForward { layer: 0 }.to_string(), "0.mlp");
        let norm = Part::NormBias {
            layer: 2,
            sublayer: Sublayer::CrossAttention,
        };
        assert_eq!(norm.to_string(), "2.cross.norm_bias");
        assert_eq!((norm.is_bias(), norm.layer()), (true, Some(2)));
        assert_eq!((head().is_bias(), Part::Token.layer()), (false, None));
    }

    #[test]
    fn questions_and_answers_survive_the_way() {
        let wanted = Wanted {
            row: 2,
            token: 7,
            against: Some(9),
        };
        let Part::Head {
            attention,
            head: number,
        } = head()
        else {
            panic!("a head is one")
        };
        for question in [
            LensQuestion::Layers { words: 5 },
            LensQuestion::Parts(wanted),
            LensQuestion::WithoutHead {
                wanted,
                attention,
                head: number,
            },
            LensQuestion::Joint {
                map: JointMap::Flow,
                attention,
            },
            LensQuestion::ValueLengths { attention },
        ] {
            let json = serde_json::to_string(&question).unwrap();
            assert_eq!(
                serde_json::from_str::<LensQuestion>(&json).unwrap(),
                question
            );
        }
        let answer = LensAnswer::Parts(Attribution {
            logit: 1.5,
            shares: vec![Share {
                part: head(),
                value: -0.5,
            }],
        });
        let lengths = Array {
            shape: vec![1, 2],
            data: vec![0.5, 1.5],
        };
        for answer in [
            answer,
            LensAnswer::Joint(lengths.clone()),
            LensAnswer::ValueLengths(lengths),
        ] {
            let json = serde_json::to_string(&answer).unwrap();
            assert_eq!(serde_json::from_str::<LensAnswer>(&json).unwrap(), answer);
        }
    }

    #[test]
    fn a_sum_is_that_of_all_shares() {
        let share = |part, value| Share { part, value };
        let attribution = Attribution {
            logit: 0.75,
            shares: vec![share(Part::Token, 1.0), share(head(), -0.25)],
        };
        assert_eq!(attribution.sum(), 0.75);
        assert_eq!(attribution.of(head()), Some(-0.25));
        assert_eq!(attribution.of(Part::LogitBias), None);
    }

    #[test]
    fn the_stream_is_read_where_the_next_layer_reads_it() {
        let names = |spec: ModelSpec| -> Vec<String> {
            spec.lens_sites().iter().map(Site::to_string).collect()
        };
        let post = names(encoder_decoder());
        assert_eq!(post[..2], ["decoder.embedding", "decoder.0.mlp.norm"]);
        let pre = names(decoder_only());
        assert_eq!(pre.last().unwrap(), "decoder.2.mlp.residual");
        assert_eq!(encoder_decoder().lens_blocks().len(), 9);
    }

    #[test]
    fn a_layer_before_the_logits_leaves_the_lens_alone() {
        let bert = BertConfig::default().spec();
        assert!(bert.has_lens() && !bert.has_attribution());
        assert!(Gpt2Config::default().spec().has_attribution());
        let silent = ModelSpec {
            generates: crate::Generates::Nothing,
            ..encoder_decoder()
        };
        assert!(!silent.has_lens() && !silent.has_attribution());
    }
}
