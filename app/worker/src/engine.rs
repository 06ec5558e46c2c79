//! The engine: a loaded checkpoint on its device.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use attention_chat::{Date, Role, TemplateFault, Turn};
use attention_model::checkpoint::{Checkpoint, CheckpointFiles};
use attention_model::decoding::{Progress, Sequence};
use attention_model::inference::RunOptions;
use attention_model::picture::Picture;
use attention_model::roles::RoleMeasurement;
use attention_model::tokenizer::Tokenizer;
use attention_model::verification::{check_attention, check_model};
use attention_model::weights::Ahead;
use attention_protocol::{
    ChatTemplate, Device as DeviceKind, Failure, FilesFault, OrLogged, ReadyReply, Reply,
    RequestId, RunRequest, ServedFile,
};
use attention_trace::{
    Array, ArrayName, Edit, Excerpt, ForcedToken, LensAnswer, LensQuestion, Origin, Site, Slice,
    Trace, TraceMeta,
};
use burn::tensor::Device;
use js_sys::{ArrayBuffer, Uint8Array};
use web_sys::Blob;

use crate::adapter::Chosen;
use crate::disk::{Read, ReadAhead};
use crate::{browser, disk, download, failure, memory, tokenizer};

/// The time between two reports to the page, which draws no more often; giving way to messages takes as long as a token
/// of a small model.
pub(crate) const REPORT_MS: f64 = 16.0;

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
    text: String,
    sequences: Vec<Sequence>,
    edits: Vec<Edit>,
}

/// A checkpoint loaded on a device.
pub struct Engine {
    pub(crate) checkpoint: Checkpoint,
    pub(crate) chosen: Chosen,
    /// The measurement of roles that was begun last.
    pub(crate) roles: RefCell<Option<RoleMeasurement>>,
}

impl Engine {
    /// Downloads the checkpoint at `base`, loads it on the device and checks its numbers. `name` is that of the
    /// engine's script.
    pub async fn load(
        name: &str,
        id: RequestId,
        base: &str,
        files: Vec<ServedFile>,
        chosen: Chosen,
        current: impl Fn() -> bool,
    ) -> Result<(Self, ReadyReply), Failure> {
        let began_ms = browser::now_ms();
        let files = download::checkpoint(id, base, files, &current).await?;
        Self::ready(name, began_ms, files, None, chosen, current).await
    }

    /// Reads a checkpoint's files from the visitor's disk, loads it on the device and checks its numbers. `files` are
    /// in the order of `names`; `name` is that of the engine's script.
    pub async fn open(
        name: &str,
        id: RequestId,
        names: &[String],
        files: &[Blob],
        chosen: Chosen,
        current: impl Fn() -> bool,
    ) -> Result<(Self, ReadyReply), Failure> {
        let began_ms = browser::now_ms();
        let loads = match chosen.kind {
            DeviceKind::Cpu => 1,
            // The CPU's results are compared with.
            DeviceKind::WebGpu => 2,
        };
        let loaded = async {
            let Read { files, ahead } = disk::checkpoint(id, names, files, loads, &current).await?;
            Self::ready(name, began_ms, files, ahead, chosen, current).await
        };
        let loaded = loaded.await;
        // Nothing of these was downloaded that could be downloaded anew.
        loaded.map_err(|failure| match failure {
            Failure::Checkpoint { reason } => Failure::Files {
                fault: FilesFault::Unfit { reason },
            },
            failure => failure,
        })
    }

    async fn ready(
        name: &str,
        began_ms: f64,
        files: CheckpointFiles,
        ahead: Option<ReadAhead>,
        chosen: Chosen,
        current: impl Fn() -> bool,
    ) -> Result<(Self, ReadyReply), Failure> {
        let engine = Self::verified(files, ahead, chosen, &current).await?;
        if !current() {
            return Err(Failure::Cancelled);
        }
        let ready = ReadyReply {
            engine: name.to_owned(),
            device: engine.chosen.kind,
            adapter: engine.chosen.adapter.clone(),
            fallback_adapter: engine.chosen.fallback_adapter,
            threads: attention_model::device::cpu_threads(),
            spec: engine.checkpoint.spec(),
            parameters: engine.checkpoint.model.weights(),
            load_ms: browser::now_ms() - began_ms,
            chat: engine.chat_template(),
            openings: engine.checkpoint.openings(),
            card: engine.checkpoint.card.clone(),
        };
        Ok((engine, ready))
    }

    /// Loads the weights and checks the results computed with them. On a GPU they must equal the CPU's results; on the
    /// CPU they must be valid attention.
    async fn verified(
        files: CheckpointFiles,
        mut ahead: Option<ReadAhead>,
        chosen: Chosen,
        current: &impl Fn() -> bool,
    ) -> Result<Self, Failure> {
        let tokenizer = match &files.marian {
            _ if files.reads_pictures() => None,
            Some(files) => Some(Tokenizer::from_marian(files)),
            None => Some(tokenizer::from_json(&files.tokenizer)),
        };
        let tokenizer = tokenizer.transpose().map_err(failure::from_model)?;
        let bytes = files.loaded_bytes().map_err(failure::from_model)?;
        memory::make_room(bytes).map_err(|limit| Failure::Files {
            fault: FilesFault::TooLarge { bytes, limit },
        })?;
        let mut load = async |device: &Device| match (&tokenizer, &mut ahead) {
            (None, _) => Checkpoint::of_pictures(&files, device).map_err(failure::from_model),
            (Some(tokenizer), Some(ahead)) => {
                loaded_ahead(&files, tokenizer, ahead, device, current).await
            }
            (Some(tokenizer), None) => {
                Checkpoint::with_tokenizer(&files, tokenizer.clone(), device)
                    .map_err(failure::from_model)
            }
        };
        let device = &chosen.device;
        let (checkpoint, checked) = match chosen.kind {
            DeviceKind::Cpu => {
                let checkpoint = load(device).await?;
                // What a large model was read from makes room for the pass.
                drop(files);
                let checked = check_attention(&checkpoint, device).await;
                (checkpoint, checked)
            }
            DeviceKind::WebGpu => {
                let cpu = attention_model::device::cpu();
                let reference = load(&cpu).await?;
                let checkpoint = load(device).await?;
                drop(files);
                let checked =
                    check_model(&*checkpoint.model, device, &*reference.model, &cpu).await;
                (checkpoint, checked)
            }
        };
        failure::from_check(checked)?;
        Ok(Engine {
            checkpoint,
            chosen,
            roles: RefCell::new(None),
        })
    }

    /// Returns the state of the checkpoint's chat template: whether it writes the shortest conversation.
    fn chat_template(&self) -> Option<ChatTemplate> {
        let template = self.checkpoint.chat.as_ref()?;
        let tried = template.render(&[Turn::new(Role::User, "a")], today());
        Some(match tried {
            Ok(_) => ChatTemplate::Writes,
            Err(fault) => ChatTemplate::Fails(fault),
        })
    }

    /// Returns the text of a conversation, as the checkpoint's chat template writes it.
    pub fn chat(&self, turns: &[Turn]) -> Result<String, Failure> {
        let template = self.checkpoint.chat.as_ref().ok_or_else(|| {
            let reason = "the model has none".to_owned();
            failure::from_template(TemplateFault { line: None, reason })
        })?;
        let text = template.render(turns, today());
        text.map_err(failure::from_template)
    }

    /// Shows the model the picture that a request names, if it names one; `pixels` are the message's buffer.
    pub fn show(&self, request: &RunRequest, pixels: Option<&ArrayBuffer>) -> Result<(), Failure> {
        let (Some([width, height]), Some(pixels)) = (request.picture_px, pixels) else {
            return Ok(());
        };
        let rgba = Uint8Array::new(pixels).to_vec();
        let picture = Picture::from_rgba(width, height, &rgba);
        let shown = picture.and_then(|picture| self.checkpoint.show(&request.text, &picture));
        shown.map(drop).map_err(failure::from_model)
    }

    /// Decodes a text and traces the result.
    pub async fn run(
        &self,
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
        let began_ms = browser::now_ms();
        let reported_ms = Cell::new(began_ms);
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
            if browser::now_ms() - reported_ms.get() < REPORT_MS {
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
            browser::post(
                id,
                Reply::Decoded {
                    tokens: best.len(),
                    text,
                    considered: news,
                },
                None,
            );
            let may_go_on = browser::give_way().await.is_ok() && current();
            reported_ms.set(browser::now_ms());
            may_go_on
        };
        let sequences = self
            .checkpoint
            .decode(&request.text, &options, device, watch)
            .await
            .map_err(failure::from_model)?;
        let decoded_ms = browser::now_ms();
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
        let traced_ms = browser::now_ms();
        if !current() {
            return Err(Failure::Cancelled);
        }
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

    /// Returns parts of the checkpoint's parameters, and of arrays of the pass over a run's result, which is computed
    /// again: once for all excerpts with the same edits. `None` for each excerpt that does not exist.
    ///
    /// # Errors
    /// If the parts do not fit in memory together, or the device fails.
    pub async fn parts(
        &self,
        found: &Found,
        meta: Option<&TraceMeta>,
        wanted: &[Excerpt],
    ) -> Result<Vec<Option<Array>>, Failure> {
        let spec = self.checkpoint.spec();
        let read = self.checkpoint.encode_input(&found.text);
        let read = read.map_err(failure::from_model)?.len();
        let whole = wanted
            .iter()
            .filter(|excerpt| excerpt.slice == Slice::Whole);
        let maps = whole.filter_map(|excerpt| match excerpt.array {
            ArrayName::Site(site) => Some(spec.maps(site)),
            ArrayName::Parameter(_) => None,
        });
        let limit = spec.longest_recorded(maps.sum());
        if read > limit {
            let tokens = read;
            return Err(Failure::InputTooLong { tokens, limit });
        }
        let written = found.sequences.first();
        let written = written.map_or(0, |sequence| sequence.tokens.len());
        let tokens = match spec.reads_source() {
            true => read.max(written),
            false => read + written,
        };
        let mut parts = vec![None; wanted.len()];
        for (part, excerpt) in parts.iter_mut().zip(wanted) {
            if let ArrayName::Parameter(parameter) = excerpt.array {
                let parameter = self.checkpoint.parameter(parameter, excerpt.slice).await;
                *part = parameter.map_err(failure::from_model)?;
            }
        }
        for edits in different(wanted) {
            let of_pass = |excerpt: &Excerpt| match excerpt.array {
                ArrayName::Site(site) if excerpt.edits == edits => Some(site),
                _ => None,
            };
            let sites: BTreeSet<Site> = wanted.iter().filter_map(of_pass).collect();
            let (text, sequences) = (&found.text, &found.sequences);
            let all = [found.edits.as_slice(), edits].concat();
            for sites in spec.passes(&sites, tokens) {
                let arrays = self
                    .checkpoint
                    .arrays(text, sequences, &sites, &all, &self.chosen.device)
                    .await
                    .map_err(failure::from_model)?;
                for (part, excerpt) in parts.iter_mut().zip(wanted) {
                    let Some(site) = of_pass(excerpt) else {
                        continue;
                    };
                    let Some(array) = arrays.get(&site) else {
                        continue;
                    };
                    *part = match excerpt.slice {
                        Slice::Thumbnails(display) => {
                            meta.and_then(|meta| meta.thumbnails(site, array, display))
                        }
                        slice => array.slice(slice),
                    };
                }
            }
        }
        Ok(parts)
    }
}

/// Reads the tensors that a model needs, one after another in the order of the file, and loads it with them.
async fn loaded_ahead(
    files: &CheckpointFiles,
    tokenizer: &Tokenizer,
    ReadAhead { streams, progress }: &mut ReadAhead,
    device: &Device,
    current: &impl Fn() -> bool,
) -> Result<Checkpoint, Failure> {
    let wanted = Checkpoint::wanted(files, tokenizer.clone(), device);
    let mut ahead = Ahead::default();
    let mut bytes = vec![];
    for mut tensor in wanted.map_err(failure::from_model)? {
        while let Some((start, count)) = tensor.next() {
            let read = streams.read(start, count, &mut bytes).await;
            read.map_err(|fault| Failure::Files { fault })?;
            if !current() {
                return Err(Failure::Cancelled);
            }
            tensor.push(&bytes).map_err(failure::from_model)?;
            progress.count(count);
        }
        ahead.add(tensor).map_err(failure::from_model)?;
    }
    Checkpoint::with_tensors(files, tokenizer.clone(), &ahead, device).map_err(failure::from_model)
}

/// Returns the date and time of the visitor's clock.
fn today() -> Date {
    let now = js_sys::Date::new_0();
    Date {
        year: now.get_full_year(),
        month: now.get_month() + 1,
        day: now.get_date(),
        hour: now.get_hours(),
        minute: now.get_minutes(),
    }
}

/// Returns the distinct lists of edits of the wanted arrays.
fn different(wanted: &[Excerpt]) -> Vec<&[Edit]> {
    let mut lists: Vec<&[Edit]> = vec![];
    for excerpt in wanted {
        let is_of_pass = matches!(excerpt.array, ArrayName::Site(_));
        if is_of_pass && !lists.contains(&excerpt.edits.as_slice()) {
            lists.push(&excerpt.edits);
        }
    }
    lists
}
