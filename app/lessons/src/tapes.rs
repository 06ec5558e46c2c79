//! The network with attention inside its recurrence, loaded at the first question about a sentence.

use std::cell::RefCell;
use std::rc::Rc;

use attention_model::{device, lstmn::TapeReader};
use attention_protocol::{ServedFile, lessons::LessonFailure};
use attention_trace::lessons::TapeReading;

use crate::served::contents;

thread_local! {
    /// The model of the last question, with the files it was loaded from.
    static LOADED: RefCell<Option<(Vec<ServedFile>, Rc<TapeReader>)>> = const { RefCell::new(None) };
}

/// Reads a sentence by the model of these files.
pub async fn read(files: &[ServedFile], sentence: &str) -> Result<TapeReading, LessonFailure> {
    let model = model(files).await?;
    model
        .read(sentence)
        .map_err(|error| LessonFailure::Refused(error.to_string()))
}

async fn model(files: &[ServedFile]) -> Result<Rc<TapeReader>, LessonFailure> {
    let kept = LOADED.with_borrow(|loaded| {
        let (of, model) = loaded.as_ref()?;
        (of.as_slice() == files).then(|| model.clone())
    });
    if let Some(model) = kept {
        return Ok(model);
    }
    let config = contents(files, "config.json").await?;
    let weights = contents(files, "model.safetensors").await?;
    let model = TapeReader::load(&config, &weights, &device::cpu())
        .map_err(|error| LessonFailure::Missing(error.to_string()))?;
    let model = Rc::new(model);
    LOADED.set(Some((files.to_vec(), model.clone())));
    Ok(model)
}
