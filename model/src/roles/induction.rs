//! Random tokens that a model reads once and then again, to see whether heads find the token after an earlier occurrence
//! (Olsson et al. 2022, "In-context Learning and Induction Heads").

use attention_trace::{
    Array, AttentionKind, Pieces, Quantities, Quantity, TraceMeta,
    roles::{InductionSet, Places, Role},
};
use burn::prelude::*;
use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};

use super::RoleSums;
use crate::checkpoint::Checkpoint;
use crate::error::ModelError;
use crate::inference::forward;
use crate::tap::Tap;

/// The number of tokens of each sequence that are repeated.
const TOKENS: usize = 20;

/// The random sequences, drawn one after the other.
pub(super) struct Repeats {
    /// The token that the tokenizer puts in front of every text, if there is one.
    start: Option<u32>,
    /// The tokens that stand for some text, of which the first are shuffled for each sequence.
    drawn: Vec<u32>,
    random: StdRng,
    seed: u64,
    read: usize,
}

impl Repeats {
    /// The number of sequences.
    pub(super) const SEQUENCES: usize = 50;

    /// Returns the sequences for a model; `None` if it does not read the text that it continues, or too few tokens of it.
    ///
    /// # Errors
    /// If the tokenizer fails.
    pub(super) fn of(checkpoint: &Checkpoint, seed: u64) -> Result<Option<Self>, ModelError> {
        if !repeats(checkpoint) {
            return Ok(None);
        }
        let drawn = ordinary(checkpoint)?;
        if drawn.len() < TOKENS {
            return Ok(None);
        }
        Ok(Some(Repeats {
            start: checkpoint.encode_target("a")?.start.map(|start| start.id),
            drawn,
            random: StdRng::seed_from_u64(seed),
            seed,
            read: 0,
        }))
    }

    /// Returns the number of sequences that were read.
    pub(super) fn read(&self) -> usize {
        self.read
    }

    pub(super) fn is_finished(&self) -> bool {
        self.read == Self::SEQUENCES
    }

    /// Has the heads read the next sequence.
    ///
    /// # Errors
    /// If the device fails.
    pub(super) async fn step(
        &mut self,
        checkpoint: &Checkpoint,
        sums: &mut RoleSums,
        device: &Device,
    ) -> Result<(), ModelError> {
        let (first, _) = self.drawn.partial_shuffle(&mut self.random, TOKENS);
        let ids: Vec<u32> = self
            .start
            .into_iter()
            .chain([&*first, &*first].concat())
            .collect();
        let mut tap = Tap::recording(Quantities::of(&[Quantity::Pattern]));
        // The tap keeps the weights; the logits are not used.
        forward(
            &*checkpoint.model,
            (None, Some(ids.as_slice())),
            device,
            &mut tap,
        );
        let (arrays, _) = tap.read(vec![]).await?;
        let target = ids.iter().map(|&id| checkpoint.tokenizer.token(id));
        let meta = TraceMeta {
            spec: checkpoint.spec(),
            source: vec![],
            target: target.collect(),
            pieces: Pieces::default(),
        };
        let places = Places::of_repeated(&meta, AttentionKind::DecoderSelf);
        for head in sums.heads.all_mut() {
            let (attention, number) = head.place;
            let layer: Option<&Array> = arrays.get(&attention.at(Quantity::Pattern));
            let tally =
                layer.and_then(|layer| places.measure(attention.layer, layer.matrix(number)?));
            if let Some(tally) = tally {
                head.tally.merge(&tally.only(Role::Induction));
            }
        }
        self.read += 1;
        sums.induction = Some(InductionSet {
            sequences: self.read,
            tokens: TOKENS,
            seed: self.seed,
        });
        Ok(())
    }
}

/// Returns true if a model reads the text that it continues, so that a head can look at the successor of an earlier
/// occurrence.
fn repeats(checkpoint: &Checkpoint) -> bool {
    let spec = checkpoint.spec();
    let maps = spec.recorded_maps(Quantities::of(&[Quantity::Pattern]));
    let is_causal = spec.decoder.as_ref().is_some_and(|stack| stack.causal);
    is_causal && !spec.reads_source() && spec.longest_recorded(maps) > 2 * TOKENS
}

/// Returns the tokens that stand for some text.
fn ordinary(checkpoint: &Checkpoint) -> Result<Vec<u32>, ModelError> {
    let tokenizer = &checkpoint.tokenizer;
    let mut found = vec![];
    for id in 0..tokenizer.vocabulary() as u32 {
        if !tokenizer.token(id).unknown && !tokenizer.decode(&[id])?.is_empty() {
            found.push(id);
        }
    }
    Ok(found)
}
