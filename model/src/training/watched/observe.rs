//! Observations of a model: its scores, and its computation of one example.

use attention_trace::training::{AttentionRecord, Observation, Prediction};
use attention_trace::{Array, AttentionLayer, Quantity};
use burn::prelude::*;
use burn::tensor::activation::log_softmax;

use super::encode::Encoder;
use super::error::{WatchError, unread};
use super::learner::Learner;
use super::read::read;
use super::trainer::batch;
use crate::tap::{Probe, Tap};
use crate::training::batch::Encoded;
use crate::training::loss::{predict, surprise};

/// The scores of a model on some examples.
pub struct Examined {
    /// Mean loss, in nats a token.
    pub loss: f32,
    /// The share of tokens that are predicted as most probable.
    pub token_accuracy: f32,
    /// The share of examples whose tokens are all predicted as most probable.
    pub sequence_accuracy: f32,
}

/// Evaluates a model that is not in training.
///
/// # Errors
/// If the device fails.
pub async fn evaluate(
    model: &Learner,
    examples: &[Encoded],
    device: &Device,
) -> Result<Examined, WatchError> {
    let model = model.sequence();
    let batch = batch(model, examples, device);
    let log_probabilities = log_softmax(predict(model, &batch, &mut Tap::quiet()), 1);
    let best = log_probabilities.clone().argmax(1).squeeze_dim::<1>(1);
    let is_right = best.equal(batch.labels.clone()).int().float();
    let loss = surprise(log_probabilities, batch.labels).mean();
    let mut found = read(vec![loss, is_right]).await?.into_iter();
    let mut next = || found.next().unwrap_or_default();
    let (loss, is_right) = (next(), next());
    let mut rest = is_right.as_slice();
    let mut whole = 0;
    for example in examples {
        let (own, after) = rest.split_at(example.predicted());
        whole += usize::from(own.iter().all(|&right| right == 1.0));
        rest = after;
    }
    let right: f32 = is_right.iter().sum();
    Ok(Examined {
        loss: loss.first().copied().unwrap_or(f32::NAN),
        token_accuracy: right / is_right.len() as f32,
        sequence_accuracy: whole as f32 / examples.len() as f32,
    })
}

/// Observes one example in a model in training, with the gradients of its loss.
///
/// # Errors
/// If the device fails.
pub async fn observe(
    model: &Learner,
    example: &Encoded,
    encoder: &Encoder,
    device: &Device,
) -> Result<Observation, WatchError> {
    let model = model.sequence();
    let batch = batch(model, std::slice::from_ref(example), device);
    let mut tap = Tap::probing(&[Quantity::Pattern]);
    let log_probabilities = log_softmax(predict(model, &batch, &mut tap), 1);
    let loss = surprise(log_probabilities.clone(), batch.labels).mean();
    let gradients = loss.backward();
    let [_, vocabulary] = log_probabilities.dims();
    let mut wanted = vec![loss.inner(), log_probabilities.inner().flatten(0, 1)];
    let mut places = vec![];
    for probe in tap.probes() {
        places.push((
            AttentionLayer::try_from(probe.site.block).map_err(unread)?,
            shape(&probe),
        ));
        wanted.extend(probe.read(&gradients));
    }
    let mut found = read(wanted).await?.into_iter();
    let mut next = || found.next().unwrap_or_default();
    let loss = next();
    let predictions = predictions(&next(), vocabulary, example, encoder);
    let record = |(layer, shape): (AttentionLayer, Vec<usize>)| {
        let mut array = || Array {
            shape: shape.clone(),
            data: next(),
        };
        AttentionRecord {
            layer,
            weights: array(),
            gradient: array(),
        }
    };
    Ok(Observation {
        source: encoder.tokens(&example.source),
        target: encoder.tokens(&example.input),
        predictions,
        loss: loss.first().copied().unwrap_or(f32::NAN),
        attention: places.into_iter().map(record).collect(),
    })
}

/// Returns the shape of a place's result, without the batch, which is one example.
fn shape(probe: &Probe) -> Vec<usize> {
    probe.shape[1..].to_vec()
}

/// Returns the predictions at each place with a label; `log_probabilities` are `[places, vocabulary]`.
fn predictions(
    log_probabilities: &[f32],
    vocabulary: usize,
    example: &Encoded,
    encoder: &Encoder,
) -> Vec<Prediction> {
    let labels = example.labels.iter().enumerate();
    let labelled = labels.filter_map(|(row, label)| Some((row, (*label)?)));
    let predictions = labelled.zip(log_probabilities.chunks(vocabulary));
    predictions
        .map(|((row, expected), values)| {
            let best = values.iter().zip(0..).max_by(|a, b| a.0.total_cmp(b.0));
            Prediction {
                row,
                expected: encoder.token(expected),
                probability: values[expected as usize].exp(),
                best: encoder.token(best.map_or(expected, |(_, token)| token)),
            }
        })
        .collect()
}
