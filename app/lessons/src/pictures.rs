//! The model that reads pictures, loaded at the first question about one.

use attention_model::{device, image::DigitReader};
use attention_protocol::{ServedFile, lessons::LessonFailure};
use attention_trace::lessons::{Picture, SeenPicture};

use crate::loaded::{Loaded, model};

thread_local! {
    static LOADED: Loaded<DigitReader> = const { Loaded::of_at_most(1) };
}

/// Computes a picture's reading by the model of these files.
pub async fn see(files: &[ServedFile], picture: &Picture) -> Result<SeenPicture, LessonFailure> {
    let model = model(&LOADED, files, |config, weights| {
        DigitReader::load(config, weights, &device::cpu())
    })
    .await?;
    model
        .see(picture)
        .map_err(|error| LessonFailure::Refused(error.to_string()))
}
