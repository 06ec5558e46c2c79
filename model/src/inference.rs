//! Running a checkpoint: text in, decoding and the trace of every attention weight out.

mod attribution;
mod candidates;
mod derived;
mod forced;
mod lens;
mod long;
mod means;
mod next_token;
mod patching;
mod series;

use std::collections::{BTreeMap, BTreeSet};

use attention_trace::{
    Array, Considered, Decoding, DrawnToken, Edit, EditFault, Generates, Hypothesis, ModelSpec,
    Pieces, Quantities, Quantity, Search, Site, Token, Trace, TraceMeta, is_permutation,
};
use burn::prelude::*;

use crate::checkpoint::Checkpoint;
use crate::decoding::{Bounds, Position, Progress, Rules, Sequence, log_softmax, search};
use crate::error::{ModelError, RowlessToken};
use crate::sequence::SequenceModel;
use crate::tap::Tap;

pub use forced::Target;
#[cfg(feature = "cli")]
pub(crate) use forced::writes_nothing;
pub(crate) use next_token::Decoder;
pub use patching::MapProgress;

/// The options of decoding and recording.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// The search or sampling that decodes.
    pub search: Search,
    /// Target tokens forced before the search begins.
    pub prefix: Vec<u32>,
    /// The most tokens to append; the model's own limit where that is lower.
    pub max_new_tokens: usize,
    /// The quantities that the traced pass records.
    pub quantities: Quantities,
    /// The edits made in every pass, decoding included.
    pub edits: Vec<Edit>,
}

/// The tokens that a pass reads.
struct Read {
    /// The tokens that the encoder reads; `None` for a decoder-only model.
    source: Option<Vec<Token>>,
    /// The tokens that the decoder reads; `None` for a model without one.
    target: Option<Vec<Token>>,
}

impl Checkpoint {
    /// Returns the specification of the model.
    pub fn spec(&self) -> ModelSpec {
        self.model.spec()
    }

    /// Decodes `text` and returns the sequences found, best first; none if no token may be appended. `watch` is called
    /// with the state after every step and returns whether to go on.
    ///
    /// # Examples
    /// ```
    /// # use std::path::Path;
    /// # use attention_model::{checkpoint::Checkpoint, device};
    /// use attention_model::inference::RunOptions;
    /// use attention_trace::{Quantities, Search};
    ///
    /// # let device = device::cpu();
    /// # let folder = Path::new("../assets/models/positions/rope");
    /// let checkpoint = Checkpoint::open(folder, &device)?;
    /// let options = RunOptions {
    ///     search: Search::Greedy,
    ///     prefix: vec![],
    ///     max_new_tokens: 3,
    ///     quantities: Quantities::NONE,
    ///     edits: vec![],
    /// };
    /// let run = checkpoint.decode("abcdefgh", &options, &device, async |_| true);
    /// let found = pollster::block_on(run)?;
    /// assert_eq!(checkpoint.tokenizer.decode(&found[0].tokens)?, "efg");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If the input is empty or too long, a prefix token unknown, the search cancelled, or the
    /// device fails.
    pub async fn decode(
        &self,
        text: &str,
        options: &RunOptions,
        device: &Device,
        watch: impl AsyncFnMut(Progress<'_>) -> bool,
    ) -> Result<Vec<Sequence>, ModelError> {
        let spec = self.spec();
        let input = self.encode_input(text)?;
        if spec.decoder.is_none() || options.max_new_tokens == 0 {
            return Ok(vec![]);
        }
        let edits = self.prepared(&options.edits, device).await?;
        let (Read { source, target }, edits) = self.read_with(self.sides(input, &[])?, edits)?;
        let source = source.map(|source| ids(&source));
        let start = ids(&target.unwrap_or_default());
        let bounds = Bounds {
            max_new_tokens: options.max_new_tokens.min(spec.room(start.len())).max(1),
            start,
            prefix: options.prefix.clone(),
            rules: self.control().rules.clone(),
        };
        let decoder = Decoder::new(&*self.model, source.as_deref(), &edits, device);
        let mut decoder = decoder.with_backing(&self.backing);
        search(&mut decoder, options.search, &bounds, watch).await
    }

    /// Makes one forward pass over `text` and the given target tokens, all positions at once, and records
    /// `options.quantities`; `sequences` (from [`decode`](Self::decode)) becomes the trace's decoding, its first
    /// sequence the target.
    ///
    /// # Errors
    /// As `decode`.
    pub async fn trace(
        &self,
        text: &str,
        sequences: &[Sequence],
        options: &RunOptions,
        device: &Device,
    ) -> Result<Trace, ModelError> {
        // A model without a decoder reads no target.
        let sequences = match self.spec().decoder {
            Some(_) => sequences,
            None => &[],
        };
        let appended = appended(sequences);
        let read = all_but_last(appended);
        let edits = self.prepared(&options.edits, device).await?;
        let input = self.encode_input(text)?;
        let recorded = self.spec().recorded_maps(options.quantities);
        self.check_maps(&input, recorded)?;
        let sides = self.sides(input, read)?;
        let (sides, edits) = self.read_with(sides, edits)?;
        let mut tap = Tap::recording(options.quantities).with_edits(&edits);
        // Those of a long prompt take more than the rest of the pass.
        let last = match self.needs_all_logits(options.quantities) {
            true => None,
            false if sequences.is_empty() => Some(0),
            false => Some(read.len() + 1),
        };
        let logits = self.last_logits(&sides, last, device, &mut tap)?;
        let logits = logits.map(|logits| logits.flatten(0, 1));
        let (mut arrays, mut also) = tap.read(logits.into_iter().collect()).await?;
        let logits = also.pop().unwrap_or_default();
        let Read { source, target } = sides;
        let source = source.unwrap_or_default();
        let target = target.unwrap_or_default();
        let vocabulary = self.spec().vocabulary;
        let rows: Vec<&[f32]> = logits.chunks(vocabulary.max(1)).collect();
        let guesses = self.guesses(&source, &rows);
        let first_row = target.len().saturating_sub(read.len() + 1);
        let last_rows = rows.iter().skip(rows.len().saturating_sub(read.len() + 1));
        let steps = appended
            .iter()
            .zip(last_rows)
            .enumerate()
            .map(|(index, (&token, row))| {
                self.step(first_row + index, row, token, index < options.prefix.len())
            })
            .collect();
        let decoding = Decoding {
            search: options.search,
            hypotheses: self.hypotheses(sequences)?,
            steps,
            considered: vec![],
            draws: vec![],
        };
        let records_logits = options.quantities.contains(Quantity::Logits);
        if records_logits && self.spec().has(Site::LOGITS) && !rows.is_empty() {
            let shape = vec![rows.len(), vocabulary];
            arrays.insert(
                Site::LOGITS,
                Array {
                    shape,
                    data: logits,
                },
            );
        }
        let meta = TraceMeta {
            spec: self.spec(),
            pieces: Pieces {
                picture: self.model.pictures().and_then(|it| it.gallery().grid()),
                ..self.tokenizer.pieces(&source, &target)
            },
            source,
            target,
        };
        let decoding = (!sequences.is_empty()).then_some(decoding);
        Ok(Trace {
            decoding,
            guesses,
            edits: options.edits.clone(),
            arrays,
            ..Trace::new(meta)
        })
    }

    /// Returns arrays of the pass that [`trace`](Self::trace) would make, or of that pass with more `edits`, all in one
    /// pass; skips the pass if there are none to compute. A pass has too many arrays to keep them all in case one is
    /// requested.
    ///
    /// # Examples
    /// ```
    /// # use std::{collections::BTreeSet, path::Path};
    /// # use attention_model::{checkpoint::Checkpoint, device};
    /// use attention_trace::Site;
    ///
    /// # let device = device::cpu();
    /// # let folder = Path::new("../assets/models/positions/rope");
    /// let checkpoint = Checkpoint::open(folder, &device)?;
    /// let site: Site = "decoder.1.mlp.residual".parse()?;
    /// let sites = BTreeSet::from([site]);
    /// let arrays = pollster::block_on(checkpoint.arrays("abc", &[], &sites, &[], &device))?;
    /// assert_eq!(arrays[&site].shape, [4, 64]); // tokens, width of the model
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As `trace`.
    pub async fn arrays(
        &self,
        text: &str,
        sequences: &[Sequence],
        sites: &BTreeSet<Site>,
        edits: &[Edit],
        device: &Device,
    ) -> Result<BTreeMap<Site, Array>, ModelError> {
        let spec = self.spec();
        let sites: BTreeSet<Site> = sites.iter().copied().filter(|&s| spec.has(s)).collect();
        let edits = self.prepared(edits, device).await?;
        let read = all_but_last(appended(sequences));
        let input = self.encode_input(text)?;
        self.check_maps(&input, sites.iter().map(|&site| spec.maps(site)).sum())?;
        let sides = self.sides(input, read)?;
        let (sides, edits) = self.read_with(sides, edits)?;
        if sites.is_empty() {
            return Ok(BTreeMap::new());
        }
        let mut tap = Tap::recording_sites(sites.iter().copied()).with_edits(&edits);
        let last = (!sites.contains(&Site::LOGITS)).then_some(0);
        let Some(logits) = self.last_logits(&sides, last, device, &mut tap)? else {
            return Ok(tap.read(vec![]).await?.0);
        };
        let shape = logits.dims().to_vec();
        let (mut arrays, mut also) = tap.read(vec![logits.flatten(0, 1)]).await?;
        let data = also.pop().unwrap_or_default();
        arrays.insert(Site::LOGITS, Array { shape, data });
        Ok(arrays)
    }

    /// Returns `log p` of each of the target tokens after `text` and the tokens before it, by one pass with these edits.
    ///
    /// # Examples
    /// Without a head of the last layer the model knows the letter three places back less surely:
    /// ```
    /// # use std::path::Path;
    /// # use attention_model::{checkpoint::Checkpoint, device};
    /// # use pollster::block_on;
    /// use attention_trace::{AttentionKind, AttentionLayer, Edit};
    ///
    /// # let device = device::cpu();
    /// # let folder = Path::new("../assets/models/positions/rope");
    /// let checkpoint = Checkpoint::open(folder, &device)?;
    /// let letter = checkpoint.tokenizer.id("e").ok_or("no such letter")?;
    /// let head_off = Edit::ScaleHead {
    ///     attention: AttentionLayer { kind: AttentionKind::DecoderSelf, layer: 1 },
    ///     head: 0,
    ///     factor: 0.0,
    /// };
    /// let whole = block_on(checkpoint.score("abcdefgh", &[letter], &[], &device))?;
    /// let edited = block_on(checkpoint.score("abcdefgh", &[letter], &[head_off], &device))?;
    /// assert!(edited[0] < whole[0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As `trace`; also if a target token is unknown.
    pub async fn score(
        &self,
        text: &str,
        target: &[u32],
        edits: &[Edit],
        device: &Device,
    ) -> Result<Vec<f32>, ModelError> {
        let scores = self.ranked_scores(text, target, edits, device).await?;
        Ok(scores.into_iter().map(|(score, _)| score).collect())
    }

    /// Computes the same, with each token's rank from 1 among those that decoding may write: if all ranks are 1, greedy
    /// search writes this target.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub async fn ranked_scores(
        &self,
        text: &str,
        target: &[u32],
        edits: &[Edit],
        device: &Device,
    ) -> Result<Vec<(f32, usize)>, ModelError> {
        self.check_tokens(target)?;
        let edits = self.prepared(edits, device).await?;
        let sides = self.sides(self.encode_input(text)?, all_but_last(target))?;
        let (sides, edits) = self.read_with(sides, edits)?;
        let mut tap = Tap::quiet().with_edits(&edits);
        let logits = self
            .forward(&sides, device, &mut tap)?
            .ok_or_else(no_logits)?;
        let logits = read_logits(logits).await?;
        let read = ids(&sides.target.unwrap_or_default());
        // Of a prompt, the last row alone predicts a token of the target.
        let first = logits.len().saturating_sub(target.len());
        let scores = logits.iter().enumerate().skip(first).zip(target);
        Ok(scores
            .map(|((at, row), &token)| {
                let position = Position {
                    before: read.get(..=at).unwrap_or(&read),
                    written: at - first,
                    is_last: false,
                };
                let rank = rank(row, token, &self.control().rules, position);
                (log_softmax(row)[token as usize], rank)
            })
            .collect())
    }

    /// Returns the edits that change something, checked, with each patch replaced by its array and each mean by its
    /// numbers.
    async fn prepared(&self, edits: &[Edit], device: &Device) -> Result<Vec<Edit>, ModelError> {
        let spec = self.spec();
        let means = self.means(edits, device).await?;
        let mut prepared = vec![];
        for edit in edits.iter().filter(|edit| !edit.changes_nothing(&spec)) {
            if let Some(fault) = edit.fault(&spec) {
                return Err(ModelError::Edit(fault));
            }
            prepared.push(match edit {
                Edit::Patch { site, text, target } => Edit::Replace {
                    site: *site,
                    array: self.recorded(*site, text, target, device).await?,
                },
                Edit::PatchRows {
                    site,
                    head,
                    rows,
                    text,
                    target,
                } => Edit::ReplaceRows {
                    site: *site,
                    head: *head,
                    rows: rows.clone(),
                    array: self.recorded(*site, text, target, device).await?,
                },
                edit => match means::set_head(edit, &means) {
                    Some(edit) => edit,
                    None => edit.clone(),
                },
            });
        }
        Ok(prepared)
    }

    /// Returns an array of an unedited pass over `text` and the target tokens `read` after it.
    async fn recorded(
        &self,
        site: Site,
        text: &str,
        read: &[u32],
        device: &Device,
    ) -> Result<Array, ModelError> {
        self.check_tokens(read)?;
        let sides = self.sides(self.encode_input(text)?, read)?;
        let mut tap = Tap::recording_sites([site]);
        self.forward(&sides, device, &mut tap)?;
        let (mut arrays, _) = tap.read(vec![]).await?;
        arrays
            .remove(&site)
            .ok_or(ModelError::Edit(EditFault::Layer))
    }

    /// Makes sure that target tokens are the model's.
    fn check_tokens(&self, tokens: &[u32]) -> Result<(), ModelError> {
        let vocabulary = self.spec().vocabulary;
        let mut unknown = tokens.iter().filter(|&&token| token as usize >= vocabulary);
        match unknown.next() {
            Some(&token) => Err(ModelError::ForcedToken { token, vocabulary }),
            None => Ok(()),
        }
    }

    /// Returns the tokens that encoder and decoder read: the input, and the target tokens `read` after it or after the
    /// start token.
    fn sides(&self, input: Vec<Token>, read: &[u32]) -> Result<Read, ModelError> {
        let spec = self.spec();
        let start = self.control().start;
        let sides = match (&spec.encoder, &spec.decoder) {
            (Some(_), None) => Read {
                source: Some(input),
                target: None,
            },
            (Some(_), Some(_)) => Read {
                source: Some(input),
                target: Some([self.tokens(start.as_slice()), self.tokens(read)].concat()),
            },
            (None, _) => Read {
                source: None,
                target: Some([input, self.tokens(read)].concat()),
            },
        };
        let tokens = sides.target.as_ref().map_or(0, Vec::len);
        check_length(tokens, spec.max_tokens)?;
        Ok(sides)
    }

    /// Returns the same tokens in the order that the edits set, and the edits that act on them.
    ///
    /// # Errors
    /// If the order does not fit the tokens, the edits leave a query no key, or a row cannot sum to one.
    fn read_with(
        &self,
        mut sides: Read,
        mut edits: Vec<Edit>,
    ) -> Result<(Read, Vec<Edit>), ModelError> {
        let count = |side: &Option<Vec<Token>>| side.as_ref().map_or(0, Vec::len);
        let (source, target) = (count(&sides.source), count(&sides.target));
        let spec = self.spec();
        if Edit::masks_all(&edits, &spec, [source, target]) {
            return Err(ModelError::Edit(EditFault::Keys));
        }
        if let Some(fault) = Edit::row_fault(&edits, &spec, [source, target]) {
            return Err(ModelError::Edit(fault));
        }
        let sees_later = edits.contains(&Edit::WithoutCausality);
        edits.retain(|edit| !edit.misses(&spec, source, sees_later));
        for edit in &edits {
            let Edit::Permute { order } = edit else {
                continue;
            };
            let tokens = sides.source.as_mut().or(sides.target.as_mut());
            let Some(tokens) = tokens else { continue };
            let count = tokens.len();
            let is_whole = self.spec().reads_source();
            if !is_permutation(order, order.len())
                || order.len() > count
                || is_whole && order.len() < count
            {
                return Err(ModelError::Order { tokens: count });
            }
            let first: Vec<Token> = order.iter().map(|&place| tokens[place].clone()).collect();
            tokens.splice(..order.len(), first);
        }
        Ok((sides, edits))
    }

    /// Returns the logits of a pass; `None` if the model makes none.
    ///
    /// # Errors
    /// If a file that weights stay in was written to.
    fn forward(
        &self,
        sides: &Read,
        device: &Device,
        tap: &mut Tap,
    ) -> Result<Option<Tensor<2>>, ModelError> {
        self.last_logits(sides, None, device, tap)
    }

    /// Returns the logits after the `last` positions of a pass, or after all of them; `None` if there are none.
    ///
    /// # Errors
    /// As [`forward`](Self::forward).
    fn last_logits(
        &self,
        sides: &Read,
        last: Option<usize>,
        device: &Device,
        tap: &mut Tap,
    ) -> Result<Option<Tensor<2>>, ModelError> {
        let ids = |tokens: &Option<Vec<Token>>| tokens.as_deref().map(ids);
        let (source, target) = (ids(&sides.source), ids(&sides.target));
        let sides = (source.as_deref(), target.as_deref());
        // Before the pass, for a file that has become shorter, and after it, for one that was written to meanwhile: on the
        // processor, where weights may stay in their file, the pass has been computed then.
        self.backing.check()?;
        let logits = last_logits(&*self.model, sides, last, device, tap);
        self.backing.check()?;
        Ok(logits)
    }

    /// Encodes the input text, and checks its tokens against the model's table and the longest input it takes.
    ///
    /// # Errors
    /// If there are none, or too many, or the table has no row for one.
    pub fn encode_input(&self, text: &str) -> Result<Vec<Token>, ModelError> {
        let spec = self.spec();
        let rows = spec.source_vocabulary.unwrap_or(spec.vocabulary);
        self.checked(self.tokenizer.encode(text)?, rows)
    }

    /// Returns the tokens of a text, after checking them as those of an [input](Self::encode_input); `rows` is the number
    /// of rows of their table.
    pub(crate) fn checked(
        &self,
        tokens: Vec<Token>,
        rows: usize,
    ) -> Result<Vec<Token>, ModelError> {
        let spec = self.spec();
        // The tokens of a picture are rows of a table of its own.
        let rows = match spec.reads_pictures() {
            true => tokens.len(),
            false => rows,
        };
        if let Some(token) = tokens.iter().find(|token| token.id as usize >= rows) {
            return Err(ModelError::UnknownToken(RowlessToken {
                text: token.text.clone(),
                id: token.id,
                rows,
            }));
        }
        // What is continued needs room for at least one token more.
        let room = usize::from(spec.generates == Generates::Continuation);
        check_length(
            tokens.len(),
            Some(spec.longest_input().saturating_sub(room)),
        )?;
        Ok(tokens)
    }

    fn hypotheses(&self, sequences: &[Sequence]) -> Result<Vec<Hypothesis>, ModelError> {
        sequences
            .iter()
            .map(|sequence| {
                Ok(Hypothesis {
                    tokens: self.tokens(&sequence.tokens),
                    text: self.tokenizer.decode(&sequence.tokens)?,
                    log_probability: sequence.log_probability,
                    score: sequence.score,
                })
            })
            .collect()
    }

    /// Returns the hypotheses that a search considered (passed to `watch` of [`decode`](Self::decode)), with readable
    /// tokens.
    pub fn considered(&self, looked_at: &[Considered<u32>]) -> Vec<Considered> {
        let named = |considered: &Considered<u32>| Considered {
            parent: considered.parent,
            token: self.tokenizer.token(considered.token),
            log_probability: considered.log_probability,
            fate: considered.fate,
        };
        looked_at.iter().map(named).collect()
    }

    /// Returns the draws of tokens (also passed to `watch`), with readable tokens.
    pub fn drawn(&self, draws: &[DrawnToken<u32>]) -> Vec<DrawnToken> {
        let named = |drawn: &DrawnToken<u32>| drawn.map(|&token| self.tokenizer.token(token));
        draws.iter().map(named).collect()
    }

    fn tokens(&self, ids: &[u32]) -> Vec<Token> {
        ids.iter().map(|&id| self.tokenizer.token(id)).collect()
    }
}

/// The error for a model that generates nothing.
pub(crate) fn no_logits() -> ModelError {
    ModelError::Unsupported("a model without a head for words makes no logits".into())
}

/// Logits of a model after every token of the target, or of the source where nothing is written,
/// `[tokens, vocabulary]`; `None` if the model makes none.
pub(crate) fn forward(
    model: &dyn SequenceModel,
    (source, target): (Option<&[u32]>, Option<&[u32]>),
    device: &Device,
    tap: &mut Tap,
) -> Option<Tensor<2>> {
    last_logits(model, (source, target), None, device, tap)
}

/// Returns the logits of [`forward`] after the `last` positions, or after all of them; `None` if there are none. Those of
/// classes are one row, whatever `last` is, unless it is 0.
fn last_logits(
    model: &dyn SequenceModel,
    (source, target): (Option<&[u32]>, Option<&[u32]>),
    last: Option<usize>,
    device: &Device,
    tap: &mut Tap,
) -> Option<Tensor<2>> {
    let source = source.map(|tokens| row(tokens, device).into());
    let target = target.map(|tokens| row(tokens, device));
    let states = model.read(source, target, tap);
    let [_, rows, _] = states.dims();
    let count = last.map_or(rows, |last| last.min(rows));
    match model.spec().generates {
        _ if count == 0 => None,
        Generates::Nothing => None,
        Generates::Labels => model.pictures()?.label_logits(states),
        Generates::TextFromText | Generates::Continuation | Generates::MaskedWords => {
            let states = states.narrow(1, rows - count, count);
            Some(model.logits(states.flatten(0, 1)))
        }
    }
}

/// Checks that the number of tokens is within the model's limit, if there is one.
pub(crate) fn check_length(tokens: usize, limit: Option<usize>) -> Result<(), ModelError> {
    match limit {
        Some(limit) if tokens > limit => Err(ModelError::InputTooLong { tokens, limit }),
        _ => Ok(()),
    }
}

/// Returns a token's rank from 1 among those that may be written at a position, by the logits there.
fn rank(logits: &[f32], token: u32, rules: &Rules, position: Position<'_>) -> usize {
    if let Some(forced) = rules.forced(position) {
        return 1 + usize::from(!forced.contains(&token));
    }
    let forbidden = rules.forbidden(position);
    let own = logits[token as usize];
    let is_better = |at: usize| logits[at] > own && !forbidden.contains(&(at as u32));
    1 + (0..logits.len()).filter(|&at| is_better(at)).count()
}

/// Returns the tokens of the sequence that a trace shows.
fn appended(sequences: &[Sequence]) -> &[u32] {
    sequences
        .first()
        .map_or(&[], |sequence| sequence.tokens.as_slice())
}

/// Returns the tokens that are read: the last one is only predicted.
fn all_but_last(tokens: &[u32]) -> &[u32] {
    &tokens[..tokens.len().saturating_sub(1)]
}

fn ids(tokens: &[Token]) -> Vec<u32> {
    tokens.iter().map(|token| token.id).collect()
}

/// Creates a tensor of one sequence, `[1, tokens]`.
pub(crate) fn row(tokens: &[u32], device: &Device) -> Tensor<2, Int> {
    tensor(tokens, [1, tokens.len()], device)
}

fn tensor(tokens: &[u32], shape: [usize; 2], device: &Device) -> Tensor<2, Int> {
    let tokens: Vec<i32> = tokens.iter().map(|&token| token as i32).collect();
    Tensor::from_data(TensorData::new(tokens, shape), device)
}

/// Logits, read to the host, `[rows][vocabulary]`.
pub(crate) async fn read_logits(logits: Tensor<2>) -> Result<Vec<Vec<f32>>, ModelError> {
    let [_, vocabulary] = logits.dims();
    let data = logits
        .into_data_async()
        .await
        .map_err(|error| ModelError::Device(error.to_string()))?;
    let values = data
        .try_into_vec::<f32>()
        .map_err(|error| ModelError::Device(format!("{error:?}")))?;
    Ok(values.chunks(vocabulary).map(<[f32]>::to_vec).collect())
}
