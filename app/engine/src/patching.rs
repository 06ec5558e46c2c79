//! Patched runs, in which one run takes over activations of another, and series of passes: answers with progress.

use attention_model::inference::MapProgress;
use attention_protocol::{Failure, Partial, Reply, RequestId};
use attention_trace::{PatchedCell, PatchingAnswer, PatchingQuestion, Series, SeriesQuestion};

use crate::pace::Pace;
use crate::{Engine, Host, failure};

impl Engine {
    /// Computes the answer and sends the cells of a map to the page as they become known. Ends early if the request is
    /// no longer `current`.
    ///
    /// # Errors
    /// If the model cannot answer it, or it was ended.
    pub async fn patch(
        &self,
        host: &impl Host,
        id: RequestId,
        question: &PatchingQuestion,
        current: impl Fn() -> bool,
    ) -> Result<PatchingAnswer, Failure> {
        let (checkpoint, device) = (&self.checkpoint, &self.chosen.device);
        let pace = Pace::new(host, &current);
        let answer = match question {
            PatchingQuestion::Runs {
                text,
                other,
                step,
                max_new_tokens,
            } => {
                let go_on = async || pace.goes_on().await;
                let texts = (text.as_str(), other.as_str());
                let runs = checkpoint.patching_runs(texts, *step, *max_new_tokens, device, go_on);
                runs.await.map(PatchingAnswer::Runs)
            }
            PatchingQuestion::Map(question) => {
                let mut new: Vec<PatchedCell> = vec![];
                let watch = async |progress: MapProgress<'_>| {
                    new.extend_from_slice(progress.cells);
                    if !pace.is_due() {
                        return true;
                    }
                    let (total, ends) = (progress.total, progress.ends);
                    let cells = std::mem::take(&mut new);
                    let partial = Partial::Patched { cells, total, ends };
                    host.post(id, Reply::Partial { partial }, None);
                    pace.goes_on().await
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
                let go_on = async || pace.goes_on().await;
                let run =
                    checkpoint.patched_run(pair, *place, *into, *max_new_tokens, device, go_on);
                run.await.map(PatchingAnswer::Place)
            }
        };
        answer.map_err(failure::from_model)
    }

    /// Answers a question by many passes, and sends what is known to the page after some of them. Ends early if the
    /// request is no longer `current`.
    ///
    /// # Errors
    /// If the model cannot answer it, or it was ended.
    pub async fn series(
        &self,
        host: &impl Host,
        id: RequestId,
        question: &SeriesQuestion,
        current: impl Fn() -> bool,
    ) -> Result<Series, Failure> {
        let pace = Pace::new(host, &current);
        let watch = async |known: &Series| {
            if !pace.is_due() {
                return true;
            }
            let partial = Partial::Series(known.clone());
            host.post(id, Reply::Partial { partial }, None);
            pace.goes_on().await
        };
        let device = &self.chosen.device;
        let answer = self
            .checkpoint
            .series(question, device, || host.now_ms(), watch);
        answer.await.map_err(failure::from_model)
    }
}
