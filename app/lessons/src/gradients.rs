//! Gradients of a model's outputs with respect to its intermediate results. The engines cannot compute them: burn's
//! automatic differentiation would make each engine larger, and the visitor waits for its download.

use std::cell::RefCell;
use std::rc::Rc;

use attention_model::{error::ModelError, gradients::Differentiable};
use attention_protocol::{ServedFile, lessons::LessonFailure};
use attention_trace::{
    EstimateQuestion, PatchEstimates,
    derived::{GradientAnswer, GradientQuestion},
};

use crate::served::contents;

thread_local! {
    /// The model of the last question, with the files it was loaded from.
    static LOADED: RefCell<Option<(Vec<ServedFile>, Rc<Differentiable>)>> = const { RefCell::new(None) };
}

/// Computes the requested gradient, and its product with the weights.
pub async fn of(
    files: &[ServedFile],
    asked: &GradientQuestion,
) -> Result<GradientAnswer, LessonFailure> {
    let model = model(files).await?;
    let refused = |error: ModelError| LessonFailure::Refused(error.to_string());
    model.gradient_times_attention(asked).await.map_err(refused)
}

/// Estimates what patching each place of a run would bring back.
pub async fn estimates(
    files: &[ServedFile],
    asked: &EstimateQuestion,
) -> Result<PatchEstimates, LessonFailure> {
    let model = model(files).await?;
    let refused = |error: ModelError| LessonFailure::Refused(error.to_string());
    model.estimate_patches(asked).await.map_err(refused)
}

async fn model(files: &[ServedFile]) -> Result<Rc<Differentiable>, LessonFailure> {
    let kept = LOADED.with_borrow(|loaded| {
        let (of, model) = loaded.as_ref()?;
        (of.as_slice() == files).then(|| model.clone())
    });
    if let Some(model) = kept {
        return Ok(model);
    }
    // One model at a time: the other's weights make room first.
    LOADED.set(None);
    let config = contents(files, "config.json").await?;
    let weights = contents(files, "model.safetensors").await?;
    let model = Differentiable::load(&config, &weights)
        .map_err(|error| LessonFailure::Missing(error.to_string()))?;
    let model = Rc::new(model);
    LOADED.set(Some((files.to_vec(), model.clone())));
    Ok(model)
}
