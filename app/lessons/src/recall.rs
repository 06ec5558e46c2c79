//! The model that learns to recall pairs: the worker keeps the last one, so a run continues where it stopped.

use std::cell::RefCell;

use attention_model::lessons::{LessonError, RecallTrainer};
use attention_trace::lessons::{RecallRun, Recalled};

use crate::now_ms;

thread_local! {
    /// The model of the last question.
    static TRAINER: RefCell<Option<RecallTrainer>> = const { RefCell::new(None) };
}

/// Returns the model of these settings after so many steps.
///
/// # Errors
/// If the settings are out of reason, the loss diverges, or the device fails.
pub fn after(run: RecallRun, steps: usize) -> Result<Recalled, LessonError> {
    let kept = TRAINER.take();
    let kept = kept.filter(|trainer| trainer.run() == run && trainer.step() <= steps);
    let mut trainer = match kept {
        Some(trainer) => trainer,
        None => RecallTrainer::new(run)?,
    };
    trainer.advance(steps, now_ms)?;
    let recalled = trainer.measured()?;
    TRAINER.set(Some(trainer));
    Ok(recalled)
}
