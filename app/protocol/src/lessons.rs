//! What the page and the worker that does the lectures' small computations say to each other.
//!
//! The page numbers its questions; a reply carries the number of its question. The arrays are those
//! of a classroom, some hundred numbers, so they travel in the header.

use attention_trace::Array;
use attention_trace::derived::{GradientAnswer, GradientQuestion};
use attention_trace::lessons::{
    Attended, Convolved, EmbeddedSentence, FedForward, FeedForwardWeights, FullyConnected,
    HandInput, HandSteps, Memory, NormKind, Normalised, Normed, Picture, Pooled, ProductVariance,
    ScoreParameters, SeenPicture, Softmax, Timed, TimedPoint,
};
use serde::{Deserialize, Serialize};

use crate::ServedFile;

/// From the page to the worker: what is to be computed. Answered by the [`Answer`] of that name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "question", rename_all = "snake_case")]
pub enum Question {
    /// The variance of `q·k` for random vectors. Answered by [`Answer::Products`].
    RandomProducts(RandomProducts),
    /// The variance of `q·k` over all pairs of these. Answered by [`Answer::Products`].
    Products {
        /// Queries, `[n, d]`.
        query: Array,
        /// Keys, `[m, d]`.
        key: Array,
    },
    /// Softmax of scores at several scales.
    Softmax {
        /// The scores.
        scores: Vec<f32>,
        /// What they are multiplied by.
        scales: Vec<f32>,
    },
    /// The Jacobian of softmax at one scale.
    Jacobian {
        /// The scores.
        scores: Vec<f32>,
        /// What they are multiplied by.
        scale: f32,
    },
    /// Scores made into weights by softmax and by other rules. Answered by [`Answer::Normalised`].
    Normalise {
        /// The scores.
        scores: Vec<f32>,
    },
    /// A memory scored and read by every score function. Answered by [`Answer::Attended`].
    Attend {
        /// Query, keys and values.
        memory: Memory,
        /// What the score functions learn.
        parameters: ScoreParameters,
        /// Samples of hard attention.
        draws: usize,
        /// Their seed.
        seed: u64,
    },
    /// Activations normalised. Answered by [`Answer::Normed`].
    Norm {
        /// How.
        norm: NormKind,
        /// The activations, `[b, n, d]`.
        activations: Array,
    },
    /// A feed-forward network in two ways. Answered by [`Answer::FedForward`].
    FeedForward {
        /// The activations, `[b, n, d]`.
        activations: Array,
        /// The network.
        weights: FeedForwardWeights,
    },
    /// Self-attention step by step. Answered by [`Answer::ByHand`].
    ByHand(Box<HandInput>),
    /// A layer timed on this machine. Answered by [`Answer::Timed`].
    TimeLayer(TimedPoint),
    /// Values mixed by a fully connected layer over positions. Refused where there are not as many as it was made for.
    FullyConnected {
        /// The values, `[n, d]`.
        values: Array,
        /// The positions that the layer was made for.
        positions: usize,
        /// What decides its weights.
        seed: u64,
    },
    /// Values mixed by a convolution. Answered by [`Answer::Convolved`].
    Convolve {
        /// The values, `[n, d]`.
        values: Array,
        /// The kernel's weights at the offsets from `-r` to `r`.
        kernel: Vec<f32>,
    },
    /// Values read by pooling and by attention. Answered by [`Answer::Pooled`].
    Pool {
        /// The values, `[n, d]`.
        values: Array,
        /// A score for each.
        scores: Vec<f32>,
        /// What scores are multiplied by, `β`.
        sharpness: f32,
    },
    /// A picture as the model with attention over its positions sees it. The worker fetches the model once. Answered by
    /// [`Answer::SeenPicture`].
    SeePicture {
        /// The model's files, `config.json` and `model.safetensors`.
        model: Vec<ServedFile>,
        /// The picture.
        picture: Picture,
    },
    /// A sentence as the model with several hops of attention embeds it. The worker fetches the model once. Answered by
    /// [`Answer::EmbeddedSentence`].
    EmbedSentence {
        /// The model's files, `config.json` and `model.safetensors`.
        model: Vec<ServedFile>,
        /// The sentence; its final marks are left out.
        sentence: String,
        /// The hops that are switched off for the second set of probabilities, from 0.
        off: Vec<usize>,
    },
    /// How an output of a model changes with its attention weights. The worker reads the model once. Answered by
    /// [`Answer::Gradient`].
    Gradient {
        /// The model's files, `config.json` and `model.safetensors`.
        model: Vec<ServedFile>,
        /// Of which output, with respect to which weights.
        asked: Box<GradientQuestion>,
    },
}

/// Random queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomProducts {
    /// Pairs of a query and a key.
    pub pairs: usize,
    /// The largest width.
    pub width: usize,
    /// The seed.
    pub seed: u64,
}

/// What was computed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// Of [`Question::RandomProducts`] and [`Question::Products`].
    Products(ProductVariance),
    /// Of [`Question::Softmax`], one for each scale.
    Softmax(Vec<Softmax>),
    /// Of [`Question::Jacobian`], `[n, n]`.
    Jacobian(Array),
    /// Of [`Question::Normalise`], one for each rule.
    Normalised(Vec<Normalised>),
    /// Of [`Question::Attend`], one for each score function.
    Attended(Vec<Attended>),
    /// Of [`Question::Norm`].
    Normed(Normed),
    /// Of [`Question::FeedForward`].
    FedForward(FedForward),
    /// Of [`Question::ByHand`].
    ByHand(Box<HandSteps>),
    /// Of [`Question::TimeLayer`].
    Timed(Timed),
    /// Of [`Question::FullyConnected`].
    FullyConnected(FullyConnected),
    /// Of [`Question::Convolve`].
    Convolved(Convolved),
    /// Of [`Question::Pool`].
    Pooled(Pooled),
    /// Of [`Question::SeePicture`].
    SeenPicture(Box<SeenPicture>),
    /// Of [`Question::EmbedSentence`].
    EmbeddedSentence(Box<EmbeddedSentence>),
    /// Of [`Question::Gradient`].
    Gradient(Box<GradientAnswer>),
}

/// From the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonReply {
    /// The worker runs and listens.
    Booted,
    /// It is computed.
    Answered(Answer),
    /// It is not.
    Failed(LessonFailure),
}

/// Why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonFailure {
    /// The numbers cannot be computed with; what is wrong with them.
    Refused(String),
    /// The model that is asked does not come as it was published; why.
    Missing(String),
    /// The message was not understood: page and worker are of different versions.
    Protocol(String),
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        AttentionKind, AttentionLayer,
        derived::Objective,
        layers::SequenceLayer,
        lessons::{Spread, WorkedExample},
    };

    use super::*;

    #[test]
    fn questions_and_replies_survive_the_way() {
        let question = Question::RandomProducts(RandomProducts {
            pairs: 3,
            width: 2,
            seed: 1,
        });
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(serde_json::from_str::<Question>(&json).unwrap(), question);
        let question = Question::Softmax {
            scores: vec![1.0, -2.5],
            scales: vec![0.125],
        };
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(serde_json::from_str::<Question>(&json).unwrap(), question);

        let question = Question::ByHand(Box::new(WorkedExample::FourWords.input()));
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(serde_json::from_str::<Question>(&json).unwrap(), question);

        let question = Question::SeePicture {
            model: vec![ServedFile {
                name: "config.json".to_owned(),
                url: "https://example.org/config.json".to_owned(),
                bytes: 2,
                sha256: "00".to_owned(),
                packed: None,
            }],
            picture: Picture::blank(),
        };
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(serde_json::from_str::<Question>(&json).unwrap(), question);

        let question = Question::EmbedSentence {
            model: vec![],
            sentence: "Where is it?".to_owned(),
            off: vec![1, 3],
        };
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(serde_json::from_str::<Question>(&json).unwrap(), question);

        let question = Question::Gradient {
            model: vec![],
            asked: Box::new(GradientQuestion {
                source: vec![4, 2],
                target: vec![0],
                row: 0,
                token: 7,
                of: Objective::LogProbability,
                attention: AttentionLayer {
                    kind: AttentionKind::Cross,
                    layer: 1,
                },
                edits: vec![],
            }),
        };
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(serde_json::from_str::<Question>(&json).unwrap(), question);

        let point = TimedPoint {
            layer: SequenceLayer::SelfAttention,
            tokens: 64,
            width: 32,
            kernel: 3,
        };
        let question = Question::TimeLayer(point);
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(serde_json::from_str::<Question>(&json).unwrap(), question);

        let spread = Spread {
            median_ms: 0.25,
            least_ms: 0.125,
            most_ms: 1.5,
            repeats: 7,
            passes: 64,
        };
        let timed = Answer::Timed(Timed {
            point,
            whole: spread,
            mixing: Some(spread),
        });
        let answer = Answer::Softmax(vec![Softmax {
            scale: 0.5,
            weights: vec![0.1, 0.9],
            entropy_bits: 0.469,
            gradient_norm: 0.127,
        }]);
        for reply in [
            LessonReply::Booted,
            LessonReply::Answered(answer),
            LessonReply::Answered(timed),
            LessonReply::Failed(LessonFailure::Refused("r".to_owned())),
            LessonReply::Failed(LessonFailure::Missing("m".to_owned())),
            LessonReply::Failed(LessonFailure::Protocol("p".to_owned())),
        ] {
            let json = serde_json::to_string(&reply).unwrap();
            assert_eq!(
                serde_json::from_str::<LessonReply>(&json).unwrap(),
                reply,
                "{json}"
            );
        }
    }
}
