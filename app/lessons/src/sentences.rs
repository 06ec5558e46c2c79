//! The models that embed a sentence, loaded at the first question about one.

use attention_model::{device, embedding::SentenceReader};
use attention_protocol::{ServedFile, lessons::LessonFailure};
use attention_trace::lessons::EmbeddedSentence;

use crate::loaded::{Loaded, model};

thread_local! {
    /// The model with the penalty, and the one without.
    static LOADED: Loaded<SentenceReader> = const { Loaded::of_at_most(2) };
}

/// Computes a sentence's embedding by the model of these files, with some hops switched off.
pub async fn see(
    files: &[ServedFile],
    sentence: &str,
    off: &[usize],
) -> Result<EmbeddedSentence, LessonFailure> {
    let model = model(&LOADED, files, |config, weights| {
        SentenceReader::load(config, weights, &device::cpu())
    })
    .await?;
    model
        .see(sentence, off)
        .map_err(|error| LessonFailure::Refused(error.to_string()))
}
