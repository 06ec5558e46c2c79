//! Activation patching (Vig et al. 2020; Meng et al. 2022; Wang et al. 2022): two runs of one model on two texts, and
//! the output of one run when it takes over the other's activation at one place.
//!
//! Both runs read the same target up to the step in question, and the comparison uses the difference of two words'
//! logits after it. A map patches every place of a stack separately; its cells are sequences of a batch, as many as fit
//! one pass. Results that no cell of a batch changes are computed once: the encoder, if the decoder is patched, and the
//! decoder's rows before the first patched one. A cell whose rows are the same in both runs needs no pass.

mod cells;
mod passes;

use std::collections::{BTreeMap, BTreeSet};

use attention_trace::{
    Array, Contender, Edit, MapQuestion, Pair, PatchedCell, PatchedPlace, PatchedRun, PatchingEnds,
    PatchingMap, PatchingPair, PatchingRun, PatchingRuns, Quantities, Search, Site, Stack,
    TakenInto, Token,
};
use burn::prelude::*;

use self::cells::{Cells, paired_rows, sequences_at_once};
use self::passes::Passes;
use super::{Read, RunOptions, no_logits, read_logits};
use crate::checkpoint::Checkpoint;
use crate::decoding::{log_softmax, one, top};
use crate::error::ModelError;
use crate::tap::Tap;

/// The number of words of each run that are offered for comparison.
const WORDS: usize = 6;

/// The progress of a map.
#[derive(Clone, Copy, Debug)]
pub struct MapProgress<'a> {
    /// The cells computed since the last report.
    pub cells: &'a [PatchedCell],
    /// The number of cells in the map.
    pub total: usize,
    /// The differences of logits with nothing patched.
    pub ends: PatchingEnds,
}

impl Checkpoint {
    /// Returns the model's outputs for both texts, and the words that it considers at `step`; by default the first step
    /// at which the two runs differ. `go_on` is called between tokens.
    ///
    /// # Errors
    /// If the model writes no text or has no residual stream; else as [`decode`](Checkpoint::decode), for either text.
    pub async fn patching_runs(
        &self,
        (text, other): (&str, &str),
        step: Option<usize>,
        max_new_tokens: usize,
        device: &Device,
        mut go_on: impl AsyncFnMut() -> bool,
    ) -> Result<PatchingRuns, ModelError> {
        self.check_patching()?;
        let clean = self.written(text, &[], &[], max_new_tokens, device, &mut go_on);
        let clean = clean.await?;
        let changed = self.written(other, &[], &[], max_new_tokens, device, &mut go_on);
        let changed = changed.await?;
        let mut both = clean.iter().zip(&changed);
        let first = both.position(|(one, another)| one != another);
        let step = step.or(first).unwrap_or(0);
        let step = step.min(clean.len().saturating_sub(1));
        let target = &clean[..step];
        let nothing = BTreeSet::new();
        let both = self.both(text, other, target, &nothing, device).await?;
        let words = self.contenders(&both);
        let [first, second] = [&both.clean, &both.other].map(|run| self.best(&run.logits, 1));
        Ok(PatchingRuns {
            clean: self.patching_run(both.clean.input, &clean)?,
            other: self.patching_run(both.other.input, &changed)?,
            step,
            differs: first != second,
            words,
        })
    }

    /// Computes the difference of logits with each place of a stack patched separately. `watch` is called with new
    /// cells and returns whether to go on.
    ///
    /// # Errors
    /// If the model cannot be patched, [`ModelError::Cancelled`] if `watch` returns false; else as
    /// [`trace`](Checkpoint::trace), for either text.
    pub async fn patching_map(
        &self,
        question: &MapQuestion,
        device: &Device,
        mut watch: impl AsyncFnMut(MapProgress<'_>) -> bool,
    ) -> Result<PatchingMap, ModelError> {
        self.check_patching()?;
        let MapQuestion {
            pair, stack, into, ..
        } = question;
        let spec = self.spec();
        let sites = spec.patching_sites(*stack, question.patched);
        let wanted = sites.iter().copied().collect();
        let both = self.both_of(pair, &wanted, device).await?;
        let ends = both.ends(pair);
        let (from, to) = both.directed(*into);
        let columns = both.columns(self, *stack);
        let cells = Cells::of(question, &columns, (&from.arrays, &to.arrays), &sites);
        let total = cells.total();
        let mut known = cells.unchanged(match into {
            TakenInto::Other => ends.other,
            TakenInto::Clean => ends.clean,
        });
        let mut go_on =
            async |cells: &[PatchedCell]| match watch(MapProgress { cells, total, ends }).await {
                true => Ok(()),
                false => Err(ModelError::Cancelled),
            };
        go_on(&known).await?;
        let mut passes = Passes::new(self, &to.read, [pair.answer, pair.against], device);
        for group in cells.groups(sequences_at_once(self.model.weights(), to.read.tokens())) {
            let differences = passes.patched(*stack, group).await?;
            let new: Vec<PatchedCell> = group.cells(&differences).collect();
            known.extend_from_slice(&new);
            go_on(&new).await?;
        }
        self.backing.check()?;
        known.sort_by_key(|cell| (cell.row, cell.column));
        Ok(PatchingMap { ends, cells: known })
    }

    /// Runs one text with one place taken over from the other: returns the words that it considers, and the text that
    /// it writes. `go_on` is called between tokens.
    ///
    /// # Errors
    /// If the model cannot be patched or has no such place; else as [`decode`](Checkpoint::decode), for either text.
    pub async fn patched_run(
        &self,
        pair: &PatchingPair,
        place: PatchedPlace,
        into: TakenInto,
        max_new_tokens: usize,
        device: &Device,
        mut go_on: impl AsyncFnMut() -> bool,
    ) -> Result<PatchedRun, ModelError> {
        self.check_patching()?;
        let both = self.both_of(pair, &BTreeSet::new(), device).await?;
        let (from, to) = match into {
            TakenInto::Other => (&pair.text, &pair.other),
            TakenInto::Clean => (&pair.other, &pair.text),
        };
        let edit = Edit::PatchRows {
            site: place.site,
            head: place.head,
            rows: match place.at {
                Some(at) => vec![at],
                None => paired_rows(&both.columns(self, stack_of(place.site)), into),
            },
            text: from.clone(),
            target: pair.target.clone(),
        };
        let edits = self.prepared(&[edit], device).await?;
        let (_, run) = both.directed(into);
        let mut tap = Tap::quiet().with_edits(&edits);
        let logits = self.forward(&run.read, device, &mut tap)?;
        let logits = logits.ok_or_else(no_logits)?;
        let [rows, _] = logits.dims();
        let after = one(read_logits(logits.narrow(0, rows - 1, 1)).await?)?;
        let target = pair.target.as_slice();
        let unpatched = self.written(to, target, &[], max_new_tokens, device, &mut go_on);
        let unpatched = unpatched.await?;
        let patched = self.written(to, target, &edits, max_new_tokens, device, &mut go_on);
        let patched = patched.await?;
        Ok(PatchedRun {
            ends: both.ends(pair),
            difference: difference(&after, pair),
            before: self.candidates(&run.logits, &log_softmax(&run.logits)),
            after: self.candidates(&after, &log_softmax(&after)),
            text_before: self.tokenizer.decode(&unpatched)?,
            text_after: self.tokenizer.decode(&patched)?,
        })
    }

    fn check_patching(&self) -> Result<(), ModelError> {
        match self.spec().has_patching() {
            true => Ok(()),
            false => Err(ModelError::Unsupported(
                "a model that writes no text, or has no residual stream, cannot be patched".into(),
            )),
        }
    }

    /// Returns the tokens that greedy search appends, `prefix` included.
    pub(super) async fn written(
        &self,
        text: &str,
        prefix: &[u32],
        edits: &[Edit],
        max_new_tokens: usize,
        device: &Device,
        go_on: &mut impl AsyncFnMut() -> bool,
    ) -> Result<Vec<u32>, ModelError> {
        let options = RunOptions {
            search: Search::Greedy,
            prefix: prefix.to_vec(),
            max_new_tokens: max_new_tokens.max(prefix.len() + 1),
            quantities: Quantities::NONE,
            edits: edits.to_vec(),
        };
        let found = self.decode(text, &options, device, async |_| go_on().await);
        let first = found.await?.into_iter().next();
        Ok(first.map(|sequence| sequence.tokens).unwrap_or_default())
    }

    fn patching_run(&self, read: Vec<Token>, written: &[u32]) -> Result<PatchingRun, ModelError> {
        Ok(PatchingRun {
            read,
            written: self.tokens(written),
            text: self.tokenizer.decode(written)?,
        })
    }

    /// Computes both runs of a question.
    async fn both_of(
        &self,
        pair: &PatchingPair,
        sites: &BTreeSet<Site>,
        device: &Device,
    ) -> Result<Both, ModelError> {
        self.check_tokens(&[pair.answer, pair.against])?;
        let PatchingPair {
            text,
            other,
            target,
            ..
        } = pair;
        self.both(text, other, target, sites, device).await
    }

    /// Makes one pass over each text and records these places.
    async fn both(
        &self,
        text: &str,
        other: &str,
        target: &[u32],
        sites: &BTreeSet<Site>,
        device: &Device,
    ) -> Result<Both, ModelError> {
        self.check_tokens(target)?;
        Ok(Both {
            clean: self.unpatched(text, target, sites, device).await?,
            other: self.unpatched(other, target, sites, device).await?,
            target: target.len(),
        })
    }

    async fn unpatched(
        &self,
        text: &str,
        target: &[u32],
        sites: &BTreeSet<Site>,
        device: &Device,
    ) -> Result<Unpatched, ModelError> {
        let input = self.encode_input(text)?;
        let read = self.sides(input.clone(), target)?;
        let mut tap = Tap::recording_sites(sites.iter().copied());
        let logits = self.forward(&read, device, &mut tap)?;
        let logits = logits.ok_or_else(no_logits)?;
        let [rows, vocabulary] = logits.dims();
        let last = logits.narrow(0, rows - 1, 1).reshape([vocabulary]);
        let (arrays, mut also) = tap.read(vec![last]).await?;
        Ok(Unpatched {
            input,
            read,
            logits: also.pop().unwrap_or_default(),
            arrays,
        })
    }

    /// Returns the most probable words that decoding may write.
    fn best(&self, logits: &[f32], count: usize) -> Vec<u32> {
        let never = self.control().rules.never();
        let best = top(logits, count + never.len()).into_iter();
        let best = best.map(|(id, _)| id).filter(|id| !never.contains(id));
        best.take(count).collect()
    }

    /// Returns the words that are most probable in one of the runs, starting with the best of each.
    fn contenders(&self, both: &Both) -> Vec<Contender> {
        let runs = [&both.clean, &both.other];
        let [clean, other] = runs.map(|run| log_softmax(&run.logits));
        let [of_clean, of_other] = runs.map(|run| self.best(&run.logits, WORDS));
        let leading = of_clean.first().into_iter().chain(of_other.first());
        let mut words: Vec<u32> = of_clean.iter().chain(&of_other).copied().collect();
        let probability = |id: u32| clean[id as usize].max(other[id as usize]);
        words.sort_by(|&one, &another| probability(another).total_cmp(&probability(one)));
        let mut ordered: Vec<u32> = vec![];
        for &id in leading.chain(&words) {
            if !ordered.contains(&id) {
                ordered.push(id);
            }
        }
        let contender = |id: u32| Contender {
            token: self.tokenizer.token(id),
            clean: clean[id as usize].exp(),
            other: other[id as usize].exp(),
        };
        ordered.into_iter().map(contender).collect()
    }
}

/// Both runs with nothing patched.
struct Both {
    clean: Unpatched,
    other: Unpatched,
    /// The number of target tokens that both runs read.
    target: usize,
}

/// A run with nothing patched.
struct Unpatched {
    /// The tokens of the text.
    input: Vec<Token>,
    read: Read,
    /// The logits after the last token that the run reads.
    logits: Vec<f32>,
    arrays: BTreeMap<Site, Array>,
}

impl Both {
    /// Returns the run that activations are taken from, then the run that takes them.
    fn directed(&self, into: TakenInto) -> (&Unpatched, &Unpatched) {
        match into {
            TakenInto::Other => (&self.clean, &self.other),
            TakenInto::Clean => (&self.other, &self.clean),
        }
    }

    fn ends(&self, pair: &PatchingPair) -> PatchingEnds {
        PatchingEnds {
            clean: difference(&self.clean.logits, pair),
            other: difference(&self.other.logits, pair),
        }
    }

    /// Returns the pairs of corresponding positions.
    fn columns(&self, checkpoint: &Checkpoint, stack: Stack) -> Vec<Pair> {
        let (clean, other) = (&self.clean.input, &self.other.input);
        checkpoint
            .spec()
            .patching_pairs(stack, clean, other, self.target)
    }
}

impl Read {
    fn tokens(&self) -> usize {
        let sides = [&self.source, &self.target].into_iter().flatten();
        sides.map(Vec::len).sum()
    }
}

fn stack_of(site: Site) -> Stack {
    site.block.stack().unwrap_or(Stack::Decoder)
}

/// Computes the answer's logit minus the other word's.
fn difference(logits: &[f32], pair: &PatchingPair) -> f32 {
    let logit = |word: u32| logits.get(word as usize).copied().unwrap_or(f32::NAN);
    logit(pair.answer) - logit(pair.against)
}
