//! The model that reads pictures, loaded at the first question about one.

use std::cell::RefCell;
use std::rc::Rc;

use attention_model::{device, image::DigitReader};
use attention_protocol::{ServedFile, lessons::LessonFailure};
use attention_trace::lessons::{Picture, SeenPicture};

use crate::served::contents;

thread_local! {
    /// The model of the last question, with the files it was loaded from.
    static LOADED: RefCell<Option<(Vec<ServedFile>, Rc<DigitReader>)>> = const { RefCell::new(None) };
}

/// Computes a picture's reading by the model of these files.
pub async fn see(files: &[ServedFile], picture: &Picture) -> Result<SeenPicture, LessonFailure> {
    let model = model(files).await?;
    model
        .see(picture)
        .map_err(|error| LessonFailure::Refused(error.to_string()))
}

async fn model(files: &[ServedFile]) -> Result<Rc<DigitReader>, LessonFailure> {
    let kept = LOADED.with_borrow(|loaded| {
        let (of, model) = loaded.as_ref()?;
        (of.as_slice() == files).then(|| model.clone())
    });
    if let Some(model) = kept {
        return Ok(model);
    }
    let config = contents(files, "config.json").await?;
    let weights = contents(files, "model.safetensors").await?;
    let model = DigitReader::load(&config, &weights, &device::cpu())
        .map_err(|error| LessonFailure::Missing(error.to_string()))?;
    let model = Rc::new(model);
    LOADED.set(Some((files.to_vec(), model.clone())));
    Ok(model)
}
