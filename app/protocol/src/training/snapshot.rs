//! The transfer format of a model at a training step: a header, and one buffer with the weights, the optimizer's state,
//! and the attention maps with their gradients.

use attention_trace::training::{AttentionRecord, Evaluation, Observation, Prediction};
use attention_trace::{Array, AttentionLayer, Token};
use serde::{Deserialize, Serialize};

use super::Checkpoint;

/// A model at a training step: the data displayed, and everything needed to continue training or to use the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// The number of steps done.
    pub step: usize,
    /// The duration of these steps in seconds.
    pub seconds: f64,
    /// The loss and the accuracies of the model.
    pub evaluation: Evaluation,
    /// The attention in the watched example.
    pub observation: Observation,
    /// The text of `config.json`.
    pub config: String,
    /// The text of `tokenizer.json`.
    pub tokenizer: String,
    /// The bytes of `model.safetensors`, in full precision.
    pub weights: Vec<u8>,
    /// The state of the optimizer.
    pub optimizer: Vec<u8>,
}

/// [`Snapshot`] without its large parts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SnapshotHeader {
    step: usize,
    seconds: f64,
    evaluation: Evaluation,
    source: Vec<Token>,
    target: Vec<Token>,
    predictions: Vec<Prediction>,
    loss: f32,
    config: String,
    tokenizer: String,
    weights_bytes: usize,
    optimizer_bytes: usize,
    /// The maps of each layer, with shape `[heads, n, m]`: first the weights, then the gradients.
    attention: Vec<(AttentionLayer, [usize; 3])>,
}

impl Snapshot {
    /// Returns the header and the buffer to send.
    pub fn write(self) -> (SnapshotHeader, Vec<u8>) {
        let Observation {
            source,
            target,
            predictions,
            loss,
            attention,
        } = self.observation;
        let (weights_bytes, optimizer_bytes) = (self.weights.len(), self.optimizer.len());
        let mut buffer = self.weights;
        buffer.extend(self.optimizer);
        let mut shapes = vec![];
        for record in attention {
            buffer.extend_from_slice(record.weights.bytes());
            buffer.extend_from_slice(record.gradient.bytes());
            if let &[heads, n, m] = record.weights.shape.as_slice() {
                shapes.push((record.layer, [heads, n, m]));
            }
        }
        let header = SnapshotHeader {
            step: self.step,
            seconds: self.seconds,
            evaluation: self.evaluation,
            source,
            target,
            predictions,
            loss,
            config: self.config,
            tokenizer: self.tokenizer,
            weights_bytes,
            optimizer_bytes,
            attention: shapes,
        };
        (header, buffer)
    }

    /// Returns the checkpoint from which a [`TrainingRequest::Start`](super::TrainingRequest::Start) continues, and its
    /// buffer.
    pub fn checkpoint(&self) -> (Checkpoint, Vec<u8>) {
        let checkpoint = Checkpoint {
            step: self.step,
            seconds: self.seconds,
            weights_bytes: self.weights.len(),
        };
        (checkpoint, [&self.weights[..], &self.optimizer].concat())
    }
}

impl SnapshotHeader {
    /// Returns the snapshot with the parts in `buffer`; `None` if the buffer's length differs from the header's.
    pub fn read(self, buffer: &[u8]) -> Option<Snapshot> {
        let mut rest = buffer;
        let mut take = |length: usize| {
            let (part, after) = rest.split_at_checked(length)?;
            rest = after;
            Some(part)
        };
        let weights = take(self.weights_bytes)?.to_vec();
        let optimizer = take(self.optimizer_bytes)?.to_vec();
        let mut attention = vec![];
        for (layer, [heads, n, m]) in self.attention {
            let bytes = heads
                .checked_mul(n)?
                .checked_mul(m)?
                .checked_mul(size_of::<f32>())?;
            let mut array = || Array::from_bytes(vec![heads, n, m], take(bytes)?);
            attention.push(AttentionRecord {
                layer,
                weights: array()?,
                gradient: array()?,
            });
        }
        rest.is_empty().then_some(Snapshot {
            step: self.step,
            seconds: self.seconds,
            evaluation: self.evaluation,
            observation: Observation {
                source: self.source,
                target: self.target,
                predictions: self.predictions,
                loss: self.loss,
                attention,
            },
            config: self.config,
            tokenizer: self.tokenizer,
            weights,
            optimizer,
        })
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::AttentionKind;
    use proptest::prelude::*;

    use super::*;

    fn snapshot(weights: Vec<u8>, optimizer: Vec<u8>, shapes: &[[usize; 3]]) -> Snapshot {
        let token = Token {
            id: 4,
            text: "a".to_owned(),
            unknown: false,
        };
        let array = |[heads, n, m]: [usize; 3], first: f32| Array {
            shape: vec![heads, n, m],
            data: (0..heads * n * m)
                .map(|place| first + place as f32)
                .collect(),
        };
        let attention = shapes
            .iter()
            .enumerate()
            .map(|(layer, &shape)| AttentionRecord {
                layer: AttentionLayer {
                    kind: AttentionKind::DecoderSelf,
                    layer,
                },
                weights: array(shape, 0.5),
                gradient: array(shape, -7.25),
            });
        Snapshot {
            step: 3,
            seconds: 1.5,
            evaluation: Evaluation {
                step: 3,
                examples: 2,
                held_out: true,
                loss: 0.5,
                token_accuracy: 0.75,
                sequence_accuracy: 0.5,
            },
            observation: Observation {
                source: vec![],
                target: vec![token.clone()],
                predictions: vec![Prediction {
                    row: 0,
                    expected: token.clone(),
                    probability: 0.25,
                    best: token,
                }],
                loss: 1.25,
                attention: attention.collect(),
            },
            config: "{}".to_owned(),
            tokenizer: "{\"a\":1}".to_owned(),
            weights,
            optimizer,
        }
    }

    proptest! {
        #[test]
        fn snapshots_survive_the_way(
            weights in prop::collection::vec(any::<u8>(), 0..40),
            optimizer in prop::collection::vec(any::<u8>(), 0..40),
            shapes in prop::collection::vec([1usize..4, 1usize..4, 1usize..4], 0..3),
        ) {
            let snapshot = snapshot(weights.clone(), optimizer.clone(), &shapes);
            let (header, buffer) = snapshot.clone().write();
            let json = serde_json::to_string(&header).unwrap();
            let header: SnapshotHeader = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(header.clone().read(&buffer), Some(snapshot.clone()));

            // What is cut short or goes on is refused.
            let longer = [&buffer[..], &[0]].concat();
            prop_assert_eq!(header.clone().read(&longer), None);
            if let Some((_, shorter)) = buffer.split_last() {
                prop_assert_eq!(header.read(shorter), None);
            }
            let (checkpoint, bytes) = snapshot.checkpoint();
            let (first, second) = bytes.split_at(checkpoint.weights_bytes);
            prop_assert_eq!((first, second), (&weights[..], &optimizer[..]));
        }
    }
}
