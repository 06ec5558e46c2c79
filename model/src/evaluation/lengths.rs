//! Loss and accuracy of a model on an artificial task, at lengths within and beyond those of training.

use std::path::Path;

use attention_trace::{Generates, LengthScore, PlaceScore};
use burn::prelude::*;

use crate::checkpoint::Checkpoint;
use crate::decoding::{log_softmax, top};
use crate::error::ModelError;
use crate::inference::{check_length, read_logits};
use crate::tap::Tap;
use crate::training::{TASK_ENTRY, Task};

/// The number of sequences in a pass.
const BATCH: usize = 16;

/// Returns the task that the model in `directory` has learned, according to its `config.json`.
///
/// # Errors
/// If the file cannot be read, or names none.
pub fn task_of(directory: &Path) -> Result<Task, ModelError> {
    match super::config_entry(directory, TASK_ENTRY)? {
        Some(task) => Ok(serde_json::from_value(task)?),
        None => Err(ModelError::Unsupported(format!(
            "there is no `{TASK_ENTRY}`: this model learned from sentences, which --pairs scores"
        ))),
    }
}

/// Scores `checkpoint` on `sequences` random sequences of `length` letters.
///
/// # Errors
/// If the model was not trained on the task, or was built for fewer tokens, or the device fails.
pub async fn score_length(
    checkpoint: &Checkpoint,
    task: &Task,
    length: usize,
    sequences: usize,
    seed: u64,
    device: &Device,
) -> Result<LengthScore, ModelError> {
    let spec = checkpoint.spec();
    if spec.generates != Generates::Continuation {
        return Err(ModelError::Unsupported(
            "only a decoder-only model learns the task".into(),
        ));
    }
    let tokens = 1 + length;
    check_length(tokens, spec.max_tokens)?;
    let letters = task.letters(&checkpoint.tokenizer)?;
    let model = &checkpoint.model;
    // The tokenizer puts the start in front of every text.
    let start = checkpoint.tokenizer.encode("a")?[0].id;
    let made = task.sequences_of(&letters, length, sequences, seed);
    let mut sums = vec![
        PlaceScore {
            loss: 0.0,
            accuracy: 0.0
        };
        length
    ];
    for batch in made.chunks(BATCH) {
        let encoded: Vec<_> = batch
            .iter()
            .map(|sequence| task.encode(start, sequence))
            .collect();
        let inputs: Vec<i32> = encoded
            .iter()
            .flat_map(|example| example.input.iter().map(|&token| token as i32))
            .collect();
        let inputs = Tensor::from_data(TensorData::new(inputs, [batch.len(), tokens]), device);
        let states = model.read(None, Some(inputs), &mut Tap::quiet());
        let rows = read_logits(model.logits(states.flatten(0, 1))).await?;
        let labels = encoded.iter().flat_map(|example| &example.labels);
        for (index, (row, label)) in rows.iter().zip(labels).enumerate() {
            let Some(label) = *label else { continue };
            let sum = &mut sums[index % tokens - 1];
            sum.loss -= f64::from(log_softmax(row)[label as usize]);
            let named = top(row, 1).first().map(|&(token, _)| token);
            sum.accuracy += f64::from(u8::from(named == Some(label)));
        }
    }
    let by_place: Vec<Option<PlaceScore>> = sums
        .into_iter()
        .enumerate()
        .map(|(place, sum)| {
            (place >= task.back && sequences > 0).then(|| PlaceScore {
                loss: sum.loss / sequences as f64,
                accuracy: sum.accuracy / sequences as f64,
            })
        })
        .collect();
    let all =
        PlaceScore::mean(by_place.iter().flatten()).ok_or(ModelError::NothingToName(length))?;
    Ok(LengthScore {
        length,
        sequences,
        seed,
        all,
        by_place,
    })
}
