//! The roles of heads on pairs that a person aligned and on repeated random tokens, apart from the sentences of a corpus.

use attention_trace::{
    alignment::AlignedPair,
    roles::{Places, Role},
};
use burn::prelude::*;

use super::alignment::{cross_heads, look};
use crate::checkpoint::Checkpoint;
use crate::error::ModelError;
use crate::roles::RoleSums;

/// Measures the heads on pairs that a person aligned, each with the text in front of its source, and on random tokens
/// from `seed` that are repeated. `progress` is called after each pair.
///
/// # Errors
/// If the model has no attention, the words of a pair do not make up its tokens, or the tokenizer or the device fails.
pub async fn roles_apart(
    checkpoint: &Checkpoint,
    pairs: &[(AlignedPair, String)],
    seed: u64,
    device: &Device,
    mut progress: impl FnMut(),
) -> Result<RoleSums, ModelError> {
    let mut sums = RoleSums::new(&checkpoint.spec())?;
    for (pair, prefix) in pairs {
        measure_alignment(checkpoint, &mut sums, (pair, prefix), device).await?;
        progress();
    }
    sums.read_repeats(checkpoint, seed, device).await?;
    Ok(sums)
}

/// Adds the share of cross-attention's weight that follows a person's links.
async fn measure_alignment(
    checkpoint: &Checkpoint,
    sums: &mut RoleSums,
    pair: (&AlignedPair, &str),
    device: &Device,
) -> Result<(), ModelError> {
    let cross = cross_heads(checkpoint);
    let looked = look(checkpoint, pair, &cross, device).await?;
    for (place, map) in cross.iter().zip(&looked.maps) {
        let &[queries, keys] = map.shape.as_slice() else {
            continue;
        };
        let words = (looked.source.as_slice(), looked.target.as_slice());
        let places = Places::of_links((queries, keys), words, &looked.gold);
        let mut heads = sums.heads_mut().iter_mut();
        let head = heads.find(|head| head.place == *place);
        if let (Some(head), Some(tally)) = (head, places.measure(place.0.layer, &map.data)) {
            head.tally.merge(&tally.only(Role::Alignment));
        }
    }
    sums.aligned_pairs += 1;
    Ok(())
}
