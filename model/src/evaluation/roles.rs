//! The roles of every head of a checkpoint on the sentences of a file and on pairs that a person aligned.

use attention_trace::{
    alignment::AlignedPair,
    roles::{Places, Role, RoleSet, RolesQuestion, SkippedSentence},
};
use burn::prelude::*;

use super::alignment::{cross_heads, look};
use crate::checkpoint::Checkpoint;
use crate::error::ModelError;
use crate::roles::{MeasuredHead, RoleMeasurement};

/// Returns the roles of all heads, and the sentences that the model could not read; `aligned` are pairs that a person
/// aligned, each with the text in front of its source. `progress` is called after each sentence and each pair.
///
/// # Errors
/// If the model has no attention, the words of an aligned pair do not make up its tokens, or the device fails.
pub async fn head_roles(
    checkpoint: &Checkpoint,
    question: RolesQuestion,
    aligned: &[(AlignedPair, String)],
    device: &Device,
    mut progress: impl FnMut(),
) -> Result<(RoleSet, Vec<SkippedSentence>), ModelError> {
    let mut measurement = RoleMeasurement::new(checkpoint, question)?;
    while !measurement.is_finished() {
        measurement.step(checkpoint, device).await?;
        if measurement.progress().sequences == 0 {
            progress();
        }
    }
    for (pair, prefix) in aligned {
        let heads = measurement.heads_mut();
        measure_alignment(checkpoint, heads, (pair, prefix), device).await?;
        progress();
    }
    Ok((measurement.set(), measurement.progress().skipped))
}

/// Adds the share of cross-attention's weight that follows a person's links.
async fn measure_alignment(
    checkpoint: &Checkpoint,
    heads: &mut [MeasuredHead],
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
        let head = heads.iter_mut().find(|head| head.place == *place);
        if let (Some(head), Some(tally)) = (head, places.measure(place.0.layer, &map.data)) {
            head.apart.merge(&tally.only(Role::Alignment));
        }
    }
    Ok(())
}
