//! The messages between the page and the worker for the lectures' small computations.
//!
//! The page numbers its questions; a reply carries the number of its question. The arrays are those of a classroom,
//! some hundred numbers, so they travel in the header.

use attention_trace::Array;
use attention_trace::derived::{GradientAnswer, GradientQuestion};
use attention_trace::lessons::{
    Attended, Convolved, EmbeddedSentence, FedForward, FeedForwardWeights, FullyConnected,
    GradientsBack, HandInput, HandSteps, Memory, NormKind, Normalised, Normed, Picture, Pooled,
    ProductVariance, RecallRun, Recalled, ScoreParameters, SeenPicture, Softmax, StatePairs,
    TapeReading, Timed, TimedPoint, UntrainedStack, WrittenStates,
};
use attention_trace::{EstimateQuestion, PatchEstimates};
use serde::{Deserialize, Serialize};

use crate::ServedFile;

/// A computation that the page asks of the worker, which replies with the [`Answer`] of the same name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Question {
    /// The variance of `q·k` for random vectors. Answered by [`Answer::Products`].
    RandomProducts(RandomProducts),
    /// The variance of `q·k` over all pairs of given queries and keys. Answered by [`Answer::Products`].
    Products {
        /// The queries, with shape `[n, d]`.
        query: Array,
        /// The keys, with shape `[m, d]`.
        key: Array,
    },
    /// The softmax of scores at several scales. Answered by [`Answer::Softmax`].
    Softmax {
        /// The scores before scaling.
        scores: Vec<f32>,
        /// The factors by which the scores are multiplied.
        scales: Vec<f32>,
    },
    /// The Jacobian of softmax at one scale. Answered by [`Answer::Jacobian`].
    Jacobian {
        /// The scores before scaling.
        scores: Vec<f32>,
        /// The factor by which the scores are multiplied.
        scale: f32,
    },
    /// Scores normalised to weights by softmax and by other rules. Answered by [`Answer::Normalised`].
    Normalise {
        /// The scores to be normalised.
        scores: Vec<f32>,
    },
    /// Attention over a memory with every score function. Answered by [`Answer::Attended`].
    Attend {
        /// The query, the keys and the values.
        memory: Memory,
        /// The learned parameters of the score functions.
        parameters: ScoreParameters,
        /// The number of samples of hard attention.
        draws: usize,
        /// The random seed of the samples.
        seed: u64,
    },
    /// Activations normalised. Answered by [`Answer::Normed`].
    Norm {
        /// The kind of normalisation.
        norm: NormKind,
        /// The activations, with shape `[b, n, d]`.
        activations: Array,
    },
    /// A feed-forward network computed in two ways. Answered by [`Answer::FedForward`].
    FeedForward {
        /// The activations, with shape `[b, n, d]`.
        activations: Array,
        /// The weights of the network.
        weights: FeedForwardWeights,
    },
    /// Self-attention step by step. Answered by [`Answer::ByHand`].
    ByHand(Box<HandInput>),
    /// A layer timed on this machine. Answered by [`Answer::Timed`].
    TimeLayer(TimedPoint),
    /// Values mixed by a fully connected layer over positions. Refused if their number differs from the layer's.
    FullyConnected {
        /// The values, with shape `[n, d]`.
        values: Array,
        /// The number of positions for which the layer was made.
        positions: usize,
        /// The random seed of the layer's weights.
        seed: u64,
    },
    /// Values mixed by a convolution. Answered by [`Answer::Convolved`].
    Convolve {
        /// The values, with shape `[n, d]`.
        values: Array,
        /// The weights of the kernel at the offsets from `-r` to `r`.
        kernel: Vec<f32>,
    },
    /// Values read by pooling and by attention. Answered by [`Answer::Pooled`].
    Pool {
        /// The values, with shape `[n, d]`.
        values: Array,
        /// The score of each value.
        scores: Vec<f32>,
        /// The factor `β` by which scores are multiplied.
        sharpness: f32,
    },
    /// A picture read by the model with attention over its positions. The worker fetches the model once. Answered by
    /// [`Answer::SeenPicture`].
    SeePicture {
        /// The model's files, `config.json` and `model.safetensors`.
        model: Vec<ServedFile>,
        /// The picture to be read.
        picture: Picture,
    },
    /// A sentence embedded by the model with several hops of attention. The worker fetches the model once. Answered by
    /// [`Answer::EmbeddedSentence`].
    EmbedSentence {
        /// The model's files, `config.json` and `model.safetensors`.
        model: Vec<ServedFile>,
        /// The sentence; its final marks are left out.
        sentence: String,
        /// The hops switched off for the second set of probabilities, counted from 0.
        off: Vec<usize>,
    },
    /// A sentence read by the network with attention inside its recurrence. The worker fetches the model once. Answered
    /// by [`Answer::ReadTapes`].
    ReadTapes {
        /// The model's files, `config.json` and `model.safetensors`.
        model: Vec<ServedFile>,
        /// The sentence with its marks.
        sentence: String,
    },
    /// A model that recalls pairs, after so many steps of training. The worker keeps the last model and goes on from it
    /// where it can, so a run asked for in parts shows its progress. Answered by [`Answer::Recalled`].
    Recall {
        /// The settings of the model.
        run: RecallRun,
        /// The number of steps.
        steps: usize,
    },
    /// Pairs written into a matrix one after the other. Answered by [`Answer::WrittenStates`].
    WriteStates(Box<StatePairs>),
    /// Gradients on their way back through untrained layers. Answered by [`Answer::GradientsBack`].
    GradientsBack(Box<UntrainedStack>),
    /// The gradient of a model's output with respect to its attention weights. The worker reads the model once.
    /// Answered by [`Answer::Gradient`].
    Gradient {
        /// The model's files, `config.json` and `model.safetensors`.
        model: Vec<ServedFile>,
        /// The output and the attention weights of the gradient.
        asked: Box<GradientQuestion>,
    },
    /// Estimates, by one gradient, of what patching each place would bring back. The worker reads the model once.
    /// Answered by [`Answer::Estimates`].
    Estimates {
        /// The model's files, `config.json` and `model.safetensors`.
        model: Vec<ServedFile>,
        /// The two runs and the two words.
        asked: Box<EstimateQuestion>,
    },
}

/// The settings of random queries and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RandomProducts {
    /// The number of pairs of a query and a key.
    pub pairs: usize,
    /// The largest width of the vectors.
    pub width: usize,
    /// The seed of the random numbers.
    pub seed: u64,
}

/// The result of a computation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The answer to [`Question::RandomProducts`] and [`Question::Products`].
    Products(ProductVariance),
    /// The answer to [`Question::Softmax`], one for each scale.
    Softmax(Vec<Softmax>),
    /// The answer to [`Question::Jacobian`], with shape `[n, n]`.
    Jacobian(Array),
    /// The answer to [`Question::Normalise`], one for each rule.
    Normalised(Vec<Normalised>),
    /// The answer to [`Question::Attend`], one for each score function.
    Attended(Vec<Attended>),
    /// The answer to [`Question::Norm`].
    Normed(Normed),
    /// The answer to [`Question::FeedForward`].
    FedForward(FedForward),
    /// The answer to [`Question::ByHand`].
    ByHand(Box<HandSteps>),
    /// The answer to [`Question::TimeLayer`].
    Timed(Timed),
    /// The answer to [`Question::FullyConnected`].
    FullyConnected(FullyConnected),
    /// The answer to [`Question::Convolve`].
    Convolved(Convolved),
    /// The answer to [`Question::Pool`].
    Pooled(Pooled),
    /// The answer to [`Question::SeePicture`].
    SeenPicture(Box<SeenPicture>),
    /// The answer to [`Question::EmbedSentence`].
    EmbeddedSentence(Box<EmbeddedSentence>),
    /// The answer to [`Question::ReadTapes`].
    ReadTapes(Box<TapeReading>),
    /// The answer to [`Question::Recall`].
    Recalled(Box<Recalled>),
    /// The answer to [`Question::WriteStates`].
    WrittenStates(Box<WrittenStates>),
    /// The answer to [`Question::GradientsBack`].
    GradientsBack(Box<GradientsBack>),
    /// The answer to [`Question::Gradient`].
    Gradient(Box<GradientAnswer>),
    /// The answer to [`Question::Estimates`].
    Estimates(Box<PatchEstimates>),
}

/// A reply of the worker to the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonReply {
    /// The worker has started and listens for questions.
    Booted,
    /// The answer to the question.
    Answered(Answer),
    /// The reason why there is no answer.
    Failed(LessonFailure),
}

/// The reason why a question has no answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LessonFailure {
    /// The numbers cannot be used; the text describes their fault.
    Refused(String),
    /// The model of the question did not arrive as published; the text gives the reason.
    Missing(String),
    /// The worker could not read the message: page and worker are of different versions.
    Protocol(String),
}

#[cfg(test)]
mod tests {
    use attention_trace::{
        AttentionKind, AttentionLayer,
        derived::Objective,
        layers::SequenceLayer,
        lessons::{
            GradientSite, RecallTask, RecallWay, Spread, StackGradients, StackNorm, StateRule,
            WorkedExample,
        },
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

        let question = Question::ReadTapes {
            model: vec![],
            sentence: "Where is it?".to_owned(),
        };
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(serde_json::from_str::<Question>(&json).unwrap(), question);

        let question = Question::Recall {
            run: RecallRun {
                way: RecallWay::State(StateRule::Delta),
                task: RecallTask::Again,
                width: 8,
                seed: 1,
            },
            steps: 40,
        };
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(serde_json::from_str::<Question>(&json).unwrap(), question);

        let question = Question::GradientsBack(Box::new(UntrainedStack {
            tokens: Array {
                shape: vec![3, 1],
                data: vec![0.5, -1.0, 2.0],
            },
            layers: 2,
            norm: StackNorm::Post,
            seed: 1,
        }));
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
        let gradients = StackGradients {
            loss: 1.5,
            norms: vec![
                (GradientSite::Layer(1), 0.25),
                (GradientSite::Embedding, 1e-30),
            ],
        };
        let back = Answer::GradientsBack(Box::new(GradientsBack {
            residual: gradients.clone(),
            plain: gradients,
        }));
        for reply in [
            LessonReply::Booted,
            LessonReply::Answered(back),
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
