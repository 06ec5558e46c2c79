//! What is seen of a model: how well it does, and one example through its eyes.

use attention_trace::training::{AttentionRecord, Observation, Prediction};
use attention_trace::{Array, AttentionLayer, Quantity};
use burn::prelude::*;
use burn::tensor::Gradients;
use burn::tensor::activation::log_softmax;

use super::encode::Encoder;
use super::error::{WatchError, unread};
use super::learner::Learner;
use super::trainer::batch;
use crate::tap::{Probe, Tap};
use crate::training::batch::Encoded;
use crate::training::loss::{predict, surprise};

/// How well a model does.
pub struct Examined {
    /// Mean loss, in nats a token.
    pub loss: f32,
    /// Share of tokens that are the most probable.
    pub token_accuracy: f32,
    /// Share of examples of which every token is.
    pub sequence_accuracy: f32,
}

/// Examines a model that is not in training.
///
/// # Errors
/// If the device fails.
pub fn evaluate(model: &Learner, examples: &[Encoded]) -> Result<Examined, WatchError> {
    let model = model.sequence();
    let batch = batch(model, examples, &crate::device::cpu());
    let log_probabilities = log_softmax(predict(model, &batch, &mut Tap::quiet()), 1);
    let best = log_probabilities.clone().argmax(1).squeeze_dim::<1>(1);
    let is_right: Vec<i32> = best
        .equal(batch.labels.clone())
        .int()
        .into_data()
        .convert::<i32>()
        .try_into_vec()
        .map_err(unread)?;
    let loss = surprise(log_probabilities, batch.labels).mean();
    let mut rest = is_right.as_slice();
    let mut whole = 0;
    for example in examples {
        let (own, after) = rest.split_at(example.predicted());
        whole += usize::from(own.iter().all(|&right| right == 1));
        rest = after;
    }
    let right: i32 = is_right.iter().sum();
    Ok(Examined {
        loss: loss.into_scalar(),
        token_accuracy: right as f32 / is_right.len() as f32,
        sequence_accuracy: whole as f32 / examples.len() as f32,
    })
}

/// One example as a model in training sees it, with the gradients of its loss.
///
/// # Errors
/// If the device fails.
pub fn observe(
    model: &Learner,
    example: &Encoded,
    encoder: &Encoder,
    device: &Device,
) -> Result<Observation, WatchError> {
    let model = model.sequence();
    let batch = batch(model, std::slice::from_ref(example), device);
    let mut tap = Tap::probing(Quantity::Pattern);
    let log_probabilities = log_softmax(predict(model, &batch, &mut tap), 1);
    let loss = surprise(log_probabilities.clone(), batch.labels).mean();
    let gradients = loss.backward();
    let probes = tap.probes().into_iter();
    Ok(Observation {
        source: encoder.tokens(&example.source),
        target: encoder.tokens(&example.input),
        predictions: predictions(log_probabilities.inner(), example, encoder)?,
        loss: loss.into_scalar(),
        attention: probes
            .map(|probe| record(probe, &gradients))
            .collect::<Result<_, _>>()?,
    })
}

fn record(probe: Probe, gradients: &Gradients) -> Result<AttentionRecord, WatchError> {
    let layer = AttentionLayer::try_from(probe.site.block).map_err(unread)?;
    // The batch is this one example.
    let shape = probe.shape[1..].to_vec();
    let (weights, gradient) = probe.read(gradients);
    let weights = values(weights)?;
    let gradient = match gradient {
        Some(gradient) => values(gradient)?,
        None => vec![0.0; weights.len()],
    };
    let array = |data| Array {
        shape: shape.clone(),
        data,
    };
    Ok(AttentionRecord {
        layer,
        weights: array(weights),
        gradient: array(gradient),
    })
}

/// What is predicted at each place that has a label; `[places, vocabulary]`.
fn predictions(
    log_probabilities: Tensor<2>,
    example: &Encoded,
    encoder: &Encoder,
) -> Result<Vec<Prediction>, WatchError> {
    let [_, vocabulary] = log_probabilities.dims();
    let values = values(log_probabilities.flatten(0, 1))?;
    let labels = example.labels.iter().enumerate();
    let labelled = labels.filter_map(|(row, label)| Some((row, (*label)?)));
    let predictions = labelled.zip(values.chunks(vocabulary));
    Ok(predictions
        .map(|((row, expected), values)| {
            let best = values.iter().zip(0..).max_by(|a, b| a.0.total_cmp(b.0));
            Prediction {
                row,
                expected: encoder.token(expected),
                probability: values[expected as usize].exp(),
                best: encoder.token(best.map_or(expected, |(_, token)| token)),
            }
        })
        .collect())
}

fn values(tensor: Tensor<1>) -> Result<Vec<f32>, WatchError> {
    tensor.into_data().try_into_vec().map_err(unread)
}
