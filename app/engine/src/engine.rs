//! The engine: a loaded checkpoint on its device.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use attention_chat::{Date, Role, TemplateFault, Turn};
use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::{Progress, Sequence};
use attention_model::inference::RunOptions;
use attention_model::picture::Picture;
use attention_model::roles::RoleMeasurement;
use attention_protocol::{
    ChatTemplate, Failure, OrLogged, ReadyReply, Reply, RequestId, RunRequest,
};
use attention_trace::{Array, Edit, ForcedToken, LensAnswer, LensQuestion, Origin, Trace};

use crate::pace::Pace;
use crate::{Chosen, Host, failure};

/// The outcome of a run: its result and its record.
pub struct Outcome {
    /// The reply to the page.
    pub reply: Reply,
    /// The arrays recorded in the traced pass.
    pub trace: Trace,
    /// The decoded tokens, from which more arrays can be recorded.
    pub found: Found,
}

/// The result of decoding in a run.
#[derive(Clone)]
pub struct Found {
    pub(crate) text: String,
    pub(crate) sequences: Vec<Sequence>,
    pub(crate) edits: Vec<Edit>,
}

/// A checkpoint loaded on a device, as one page uses it.
pub struct Engine {
    pub(crate) checkpoint: Rc<Checkpoint>,
    pub(crate) chosen: Chosen,
    /// The measurement of roles that was begun last.
    pub(crate) roles: RefCell<Option<RoleMeasurement>>,
}

impl Engine {
    /// Creates the engine of a loaded checkpoint; others may use the same one.
    pub fn new(checkpoint: Rc<Checkpoint>, chosen: Chosen) -> Self {
        Engine {
            checkpoint,
            chosen,
            roles: RefCell::new(None),
        }
    }

    /// Returns the number of weights of the model.
    pub fn weights(&self) -> usize {
        self.checkpoint.model.weights()
    }

    /// Describes the engine to the page. `name` is that of the build, and loading took `load_ms` milliseconds.
    pub fn ready(&self, name: &str, load_ms: f64, today: Date) -> ReadyReply {
        ReadyReply {
            engine: name.to_owned(),
            device: self.chosen.kind,
            adapter: self.chosen.adapter.clone(),
            fallback_adapter: self.chosen.fallback_adapter,
            threads: attention_model::device::cpu_threads(),
            spec: self.checkpoint.spec(),
            parameters: self.weights(),
            load_ms,
            chat: self.chat_template(today),
            openings: self.checkpoint.openings(),
            card: self.checkpoint.card.clone(),
            served: None,
        }
    }

    /// Returns the state of the checkpoint's chat template: whether it writes the shortest conversation.
    fn chat_template(&self, today: Date) -> Option<ChatTemplate> {
        let template = self.checkpoint.chat.as_ref()?;
        let tried = template.render(&[Turn::new(Role::User, "a")], today);
        Some(match tried {
            Ok(_) => ChatTemplate::Writes,
            Err(fault) => ChatTemplate::Fails(fault),
        })
    }

    /// Returns the text of a conversation, as the checkpoint's chat template writes it.
    ///
    /// # Errors
    /// If there is no template, or it refuses the conversation.
    pub fn chat(&self, turns: &[Turn], today: Date) -> Result<String, Failure> {
        let template = self.checkpoint.chat.as_ref().ok_or_else(|| {
            let reason = "the model has none".to_owned();
            failure::from_template(TemplateFault { line: None, reason })
        })?;
        let text = template.render(turns, today);
        text.map_err(failure::from_template)
    }

    /// Shows the model the picture that a request names, if it names one; `pixels` are the message's buffer.
    ///
    /// # Errors
    /// If the pixels are no such picture, or the model reads none.
    pub fn show(&self, request: &RunRequest, pixels: Option<&[u8]>) -> Result<(), Failure> {
        let (Some([width, height]), Some(pixels)) = (request.picture_px, pixels) else {
            return Ok(());
        };
        let picture = Picture::from_rgba(width, height, pixels);
        let shown = picture.and_then(|picture| self.checkpoint.show(&request.text, &picture));
        shown.map(drop).map_err(failure::from_model)
    }

    /// Decodes a text and traces the result. `current` returns true as long as the result is still needed.
    ///
    /// # Errors
    /// If the model cannot read the request, the device fails, or the run was ended.
    pub async fn run(
        &self,
        host: &impl Host,
        id: RequestId,
        request: &RunRequest,
        current: impl Fn() -> bool,
    ) -> Result<Outcome, Failure> {
        let quantities = self
            .checkpoint
            .recordable(&request.text, request.quantities)
            .map_err(failure::from_model)?;
        let options = RunOptions {
            search: request.search,
            prefix: request.prefix.clone(),
            max_new_tokens: request.max_new_tokens,
            quantities,
            edits: request.edits.clone(),
        };
        let device = &self.chosen.device;
        let began_ms = host.now_ms();
        let pace = Pace::new(host, &current);
        let considered = RefCell::new(Vec::new());
        let draws = RefCell::new(Vec::new());
        // How many of those that were looked at the page has been told of.
        let told = Cell::new(0);
        let watch = async |progress: Progress<'_>| {
            considered
                .borrow_mut()
                .extend_from_slice(progress.considered);
            draws.borrow_mut().extend(progress.drawn.cloned());
            // Between two messages nothing can have been cancelled.
            if !pace.is_due() {
                return true;
            }
            let best = progress.best;
            let text = self
                .checkpoint
                .tokenizer
                .decode(best)
                .or_logged("spelling what is decoded so far")
                .unwrap_or_default();
            let first = told.replace(considered.borrow().len());
            let news = self.checkpoint.considered(&considered.borrow()[first..]);
            host.post(
                id,
                Reply::Decoded {
                    tokens: best.len(),
                    text,
                    considered: news,
                },
                None,
            );
            pace.goes_on().await
        };
        let sequences = self
            .checkpoint
            .decode(&request.text, &options, device, watch)
            .await
            .map_err(failure::from_model)?;
        let decoded_ms = host.now_ms();
        let mut trace = self
            .checkpoint
            .trace(&request.text, &sequences, &options, device)
            .await
            .map_err(failure::from_model)?;
        if let Some(decoding) = &mut trace.decoding {
            decoding.considered = self.checkpoint.considered(&considered.borrow());
            decoding.draws = self.checkpoint.drawn(&draws.borrow());
        }
        // The page knows the model's name, and adds it to what it keeps.
        trace.origin = Origin {
            program: Some("Attention Scope".to_owned()),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            model: None,
            text: Some(request.text.clone()),
        };
        let traced_ms = host.now_ms();
        if !current() {
            return Err(Failure::Cancelled);
        }
        let written = sequences.first().map_or(0, |best| best.tokens.len());
        host.ran(written, decoded_ms - began_ms);
        let reply = Reply::Traced {
            decode_ms: decoded_ms - began_ms,
            forward_ms: traced_ms - decoded_ms,
        };
        Ok(Outcome {
            reply,
            trace,
            found: Found {
                text: request.text.clone(),
                sequences,
                edits: request.edits.clone(),
            },
        })
    }

    /// Computes `log p` of each token of a given text, and its rank from 1.
    ///
    /// # Errors
    /// If the model cannot read the text or the target, or the device fails.
    pub async fn score(
        &self,
        text: &str,
        target: &[u32],
        edits: &[Edit],
    ) -> Result<[Array; 2], Failure> {
        let scores = self
            .checkpoint
            .ranked_scores(text, target, edits, &self.chosen.device)
            .await
            .map_err(failure::from_model)?;
        let array = |data: Vec<f32>| Array {
            shape: vec![data.len()],
            data,
        };
        Ok([
            array(scores.iter().map(|(score, _)| *score).collect()),
            array(scores.iter().map(|(_, rank)| *rank as f32).collect()),
        ])
    }

    /// Computes the model's prediction for each token of a given target.
    ///
    /// # Errors
    /// If the model cannot read the text or the target, or the device fails.
    pub async fn force(
        &self,
        text: &str,
        target: &str,
        edits: &[Edit],
    ) -> Result<Vec<ForcedToken>, Failure> {
        let device = &self.chosen.device;
        let forced = self.checkpoint.force(text, target, edits, device).await;
        forced.map_err(failure::from_model)
    }

    /// Computes the answer to a question about the residual stream, in a pass over a run's result with the edits of
    /// that run.
    ///
    /// # Errors
    /// If the model has no answer to the question, or the device fails.
    pub async fn lens(
        &self,
        found: &Found,
        question: &LensQuestion,
    ) -> Result<LensAnswer, Failure> {
        let Found {
            text,
            sequences,
            edits,
        } = found;
        let (checkpoint, device) = (&self.checkpoint, &self.chosen.device);
        let answer = match *question {
            LensQuestion::Layers { words } => {
                let lens = checkpoint.lens(text, sequences, words, edits, device);
                lens.await.map(LensAnswer::Layers)
            }
            LensQuestion::Parts(wanted) => {
                let parts = checkpoint.attribute(text, sequences, wanted, edits, device);
                parts.await.map(LensAnswer::Parts)
            }
            LensQuestion::WithoutHead {
                wanted,
                attention,
                head,
            } => {
                let head = (attention, head);
                let logit = checkpoint.logit_without(text, sequences, wanted, head, edits, device);
                logit.await.map(|logit| LensAnswer::WithoutHead { logit })
            }
            LensQuestion::Joint { map, attention } => {
                let map = (map, attention);
                let joint = checkpoint.joint_map(text, sequences, map, edits, device);
                joint.await.map(LensAnswer::Joint)
            }
            LensQuestion::ValueLengths { attention } => {
                let lengths = checkpoint.value_lengths(text, sequences, attention, edits, device);
                lengths.await.map(LensAnswer::ValueLengths)
            }
        };
        answer.map_err(failure::from_model)
    }
}
