//! Patched runs, in which one run takes over activations of another, and series of passes: answers with progress.

use std::cell::Cell;

use attention_model::inference::MapProgress;
use attention_protocol::{Failure, Partial, Reply, RequestId};
use attention_trace::{PatchedCell, PatchingAnswer, PatchingQuestion, Series, SeriesQuestion};

use crate::engine::{Engine, REPORT_MS};
use crate::{browser, failure};

impl Engine {
    /// Computes the answer and sends the cells of a map to the page as they become known. Ends early if the request is
    /// no longer `current`.
    pub async fn patch(
        &self,
        id: RequestId,
        question: &PatchingQuestion,
        current: impl Fn() -> bool,
    ) -> Result<PatchingAnswer, Failure> {
        let (checkpoint, device) = (&self.checkpoint, &self.chosen.device);
        let waited = Waited::new(&current);
        let answer = match question {
            PatchingQuestion::Runs {
                text,
                other,
                step,
                max_new_tokens,
            } => {
                let go_on = async || waited.goes_on().await;
                let texts = (text.as_str(), other.as_str());
                let runs = checkpoint.patching_runs(texts, *step, *max_new_tokens, device, go_on);
                runs.await.map(PatchingAnswer::Runs)
            }
            PatchingQuestion::Map(question) => {
                let mut new: Vec<PatchedCell> = vec![];
                let watch = async |progress: MapProgress<'_>| {
                    new.extend_from_slice(progress.cells);
                    if !waited.is_due() {
                        return true;
                    }
                    let (total, ends) = (progress.total, progress.ends);
                    let cells = std::mem::take(&mut new);
                    let partial = Partial::Patched { cells, total, ends };
                    browser::post(id, Reply::Partial { partial }, None);
                    waited.goes_on().await
                };
                let map = checkpoint.patching_map(question, device, watch);
                map.await.map(PatchingAnswer::Map)
            }
            PatchingQuestion::Place {
                pair,
                place,
                into,
                max_new_tokens,
            } => {
                let go_on = async || waited.goes_on().await;
                let run =
                    checkpoint.patched_run(pair, *place, *into, *max_new_tokens, device, go_on);
                run.await.map(PatchingAnswer::Place)
            }
        };
        answer.map_err(failure::from_model)
    }

    /// Answers a question by many passes, and sends what is known to the page after some of them. Ends early if the
    /// request is no longer `current`.
    pub async fn series(
        &self,
        id: RequestId,
        question: &SeriesQuestion,
        current: impl Fn() -> bool,
    ) -> Result<Series, Failure> {
        let waited = Waited::new(&current);
        let watch = async |known: &Series| {
            if !waited.is_due() {
                return true;
            }
            let partial = Partial::Series(known.clone());
            browser::post(id, Reply::Partial { partial }, None);
            waited.goes_on().await
        };
        let device = &self.chosen.device;
        let answer = self
            .checkpoint
            .series(question, device, browser::now_ms, watch);
        answer.await.map_err(failure::from_model)
    }
}

/// The time at which messages were last handled.
pub(crate) struct Waited<'a, F> {
    at_ms: Cell<f64>,
    current: &'a F,
}

impl<'a, F: Fn() -> bool> Waited<'a, F> {
    /// Begins to wait now.
    pub(crate) fn new(current: &'a F) -> Self {
        Waited {
            at_ms: Cell::new(browser::now_ms()),
            current,
        }
    }

    /// Returns true if it is time to handle messages.
    fn is_due(&self) -> bool {
        browser::now_ms() - self.at_ms.get() >= REPORT_MS
    }

    /// Gives way to messages, if it is time, and returns true unless a newer request arrived.
    pub(crate) async fn goes_on(&self) -> bool {
        if !self.is_due() {
            return true;
        }
        let may_go_on = browser::give_way().await.is_ok() && (self.current)();
        self.at_ms.set(browser::now_ms());
        may_go_on
    }
}
