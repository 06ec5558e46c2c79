//! The models that embed a sentence, loaded at the first question about one.

use std::cell::RefCell;
use std::rc::Rc;

use attention_model::{device, embedding::SentenceReader};
use attention_protocol::{ServedFile, lessons::LessonFailure};
use attention_trace::lessons::EmbeddedSentence;

use crate::served::contents;

/// The number of models kept: the one with the penalty, and the one without.
const KEPT: usize = 2;

/// The models with the files they were loaded from, the most recent last.
type Loaded = Vec<(Vec<ServedFile>, Rc<SentenceReader>)>;

thread_local! {
    static LOADED: RefCell<Loaded> = const { RefCell::new(Vec::new()) };
}

/// Computes a sentence's embedding by the model of these files, with some hops switched off.
pub async fn see(
    files: &[ServedFile],
    sentence: &str,
    off: &[usize],
) -> Result<EmbeddedSentence, LessonFailure> {
    let model = model(files).await?;
    model
        .see(sentence, off)
        .map_err(|error| LessonFailure::Refused(error.to_string()))
}

async fn model(files: &[ServedFile]) -> Result<Rc<SentenceReader>, LessonFailure> {
    let kept = LOADED.with_borrow(|loaded| {
        let found = loaded.iter().find(|(of, _)| of.as_slice() == files)?;
        Some(found.1.clone())
    });
    if let Some(model) = kept {
        return Ok(model);
    }
    let config = contents(files, "config.json").await?;
    let weights = contents(files, "model.safetensors").await?;
    let model = SentenceReader::load(&config, &weights, &device::cpu())
        .map_err(|error| LessonFailure::Missing(error.to_string()))?;
    let model = Rc::new(model);
    LOADED.with_borrow_mut(|loaded| {
        loaded.push((files.to_vec(), model.clone()));
        let old = loaded.len().saturating_sub(KEPT);
        loaded.drain(..old);
    });
    Ok(model)
}
