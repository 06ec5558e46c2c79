//! The network with attention inside its recurrence, loaded at the first question about a sentence.

use attention_model::{device, lstmn::TapeReader};
use attention_protocol::{ServedFile, lessons::LessonFailure};
use attention_trace::lessons::TapeReading;

use crate::loaded::{Loaded, model};

thread_local! {
    static LOADED: Loaded<TapeReader> = const { Loaded::of_at_most(1) };
}

/// Reads a sentence by the model of these files.
pub async fn read(files: &[ServedFile], sentence: &str) -> Result<TapeReading, LessonFailure> {
    let model = model(&LOADED, files, |config, weights| {
        TapeReader::load(config, weights, &device::cpu())
    })
    .await?;
    model
        .read(sentence)
        .map_err(|error| LessonFailure::Refused(error.to_string()))
}
