//! Estimates of patched runs by one gradient (attribution patching, Nanda 2023; Syed et al. 2023): of every place at once,
//! what the difference of two words' logits would gain if one run took over what the other computed there.

use serde::{Deserialize, Serialize};

use crate::{PatchedPlace, PatchingEnds};

/// The two runs whose places are estimated; both have as many tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EstimateQuestion {
    /// The tokens of the clean run.
    pub clean: RunTokens,
    /// The tokens of the run that takes over.
    pub other: RunTokens,
    /// The word of the clean run.
    pub answer: u32,
    /// The word whose logit is subtracted.
    pub against: u32,
}

/// The tokens that a run reads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunTokens {
    /// Those of the encoder; empty if there is none.
    pub source: Vec<u32>,
    /// Those of the decoder.
    pub target: Vec<u32>,
}

/// The estimate of one place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchEstimate {
    /// A head's `z`, or the output of a feed-forward network, at one position.
    pub place: PatchedPlace,
    /// The estimated change of the difference of logits.
    pub change: f32,
}

/// The answer to an [`EstimateQuestion`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PatchEstimates {
    /// The differences of logits with nothing patched.
    pub ends: PatchingEnds,
    /// All places, the largest change first.
    pub places: Vec<PatchEstimate>,
}

impl PatchEstimates {
    /// Returns the estimated share of the way from the other run to the clean one; `None` if the runs do not differ.
    pub fn share(&self, estimate: &PatchEstimate) -> Option<f32> {
        self.ends.share(self.ends.other + estimate.change)
    }
}
