//! Models that answer questions, loaded from their files at the first one and kept.

use std::cell::RefCell;
use std::rc::Rc;

use attention_model::error::ModelError;
use attention_protocol::{ServedFile, lessons::LessonFailure};

use crate::served::contents;

/// The models of the last questions with the files they were loaded from, the most recent last.
pub struct Loaded<M> {
    models: RefCell<Vec<(Vec<ServedFile>, Rc<M>)>>,
    most: usize,
}

impl<M> Loaded<M> {
    /// Keeps at most so many models.
    pub const fn of_at_most(most: usize) -> Self {
        Loaded {
            models: RefCell::new(Vec::new()),
            most,
        }
    }

    fn find(&self, files: &[ServedFile]) -> Option<Rc<M>> {
        let models = self.models.borrow();
        let found = models.iter().find(|(of, _)| of.as_slice() == files)?;
        Some(found.1.clone())
    }

    fn keep(&self, files: &[ServedFile], model: Rc<M>) {
        let mut models = self.models.borrow_mut();
        models.push((files.to_vec(), model));
        let old = models.len().saturating_sub(self.most);
        models.drain(..old);
    }
}

/// Returns the model of these files, `config.json` and `model.safetensors`, which `load` makes if it is not kept.
///
/// # Errors
/// If a file cannot be fetched, or is broken.
pub async fn model<M>(
    loaded: &'static std::thread::LocalKey<Loaded<M>>,
    files: &[ServedFile],
    load: impl FnOnce(&[u8], &[u8]) -> Result<M, ModelError>,
) -> Result<Rc<M>, LessonFailure> {
    if let Some(model) = loaded.with(|loaded| loaded.find(files)) {
        return Ok(model);
    }
    let config = contents(files, "config.json").await?;
    let weights = contents(files, "model.safetensors").await?;
    let model =
        load(&config, &weights).map_err(|error| LessonFailure::Missing(error.to_string()))?;
    let model = Rc::new(model);
    loaded.with(|loaded| loaded.keep(files, model.clone()));
    Ok(model)
}
