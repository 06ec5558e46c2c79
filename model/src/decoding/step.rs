//! One step of a search: what continues its beams, and what becomes of each continuation.

use attention_trace::{Considered, search::Fate};

use super::{Bounds, Sequence, log_softmax, top};

/// A sequence that may go on.
pub struct Beam {
    /// The tokens, prefix included.
    pub tokens: Vec<u32>,
    /// `Σ log p` over them.
    pub log_probability: f32,
    /// Its number among all that the search looked at; `None` of what it started with.
    pub node: Option<usize>,
}

impl Beam {
    /// With one more token.
    pub fn with(&self, token: u32, log_probability: f32) -> Self {
        Beam {
            tokens: [self.tokens.as_slice(), &[token]].concat(),
            log_probability: self.log_probability + log_probability,
            node: None,
        }
    }

    /// As a result, ranked with this exponent of the length.
    pub fn finished(&self, penalty: f32) -> Sequence {
        Sequence {
            score: self.log_probability / (self.tokens.len().max(1) as f32).powf(penalty),
            tokens: self.tokens.clone(),
            log_probability: self.log_probability,
        }
    }
}

/// What becomes of the continuations of all beams.
pub struct Step {
    /// Those that ended inside the beam.
    pub ended: Vec<Beam>,
    /// Those to go on with, best first.
    pub next: Vec<Beam>,
    /// For each of these the beam that it continues.
    pub parents: Vec<usize>,
    /// All of them.
    pub considered: Vec<Considered<u32>>,
}

impl Step {
    /// Candidates come best first, each with its parent; `count` have been looked at before.
    pub fn of(
        beams: &[Beam],
        candidates: Vec<(usize, Beam)>,
        width: usize,
        end: u32,
        count: usize,
    ) -> Self {
        let mut step = Step {
            ended: vec![],
            next: vec![],
            parents: vec![],
            considered: Vec::with_capacity(candidates.len()),
        };
        for (rank, (parent, mut beam)) in candidates.into_iter().enumerate() {
            let token = beam.tokens.last().copied().unwrap_or(end);
            let mut looked_at = Considered {
                parent: beams[parent].node,
                token,
                log_probability: beam.log_probability,
                fate: Fate::Pruned,
            };
            beam.node = Some(count + rank);
            if token == end {
                // An end outside the beam is dropped like any other token there; in greedy search,
                // one that is second best.
                if rank < width {
                    looked_at.fate = Fate::Finished;
                    step.ended.push(beam);
                }
            } else if step.next.len() < width {
                looked_at.fate = Fate::Kept;
                step.parents.push(parent);
                step.next.push(beam);
            }
            step.considered.push(looked_at);
        }
        step
    }

    /// No beam goes on: this is what becomes of those that would have.
    pub fn end(&mut self, fate: Fate) {
        for considered in &mut self.considered {
            if considered.fate == Fate::Kept {
                considered.fate = fate;
            }
        }
    }
}

/// Whether there is room for one token more; all beams have the same length.
pub fn is_last(beams: &[Beam], bounds: &Bounds) -> bool {
    beams
        .first()
        .is_some_and(|beam| beam.tokens.len() + 1 == bounds.max_new_tokens)
}

/// The only continuation of each beam, best first, each with its parent.
pub fn forced(beams: &[Beam], token: u32) -> Vec<(usize, Beam)> {
    let continued = beams.iter().map(|beam| beam.with(token, 0.0));
    continued.enumerate().collect()
}

/// The `count` most probable continuations of all `beams`, best first, each with its parent.
pub fn expand(
    beams: &[Beam],
    logits: &[Vec<f32>],
    banned: &[u32],
    count: usize,
) -> Vec<(usize, Beam)> {
    let mut candidates: Vec<(f32, usize, u32)> = vec![];
    for (parent, logits) in logits.iter().enumerate() {
        let log_probabilities = log_softmax(logits);
        let best = top(&log_probabilities, count.saturating_add(banned.len()));
        candidates.extend(
            best.into_iter()
                .filter(|(token, _)| !banned.contains(token))
                .map(|(token, log_p)| (log_p, parent, token)),
        );
    }
    let sum = |&(log_p, parent, _): &(f32, usize, u32)| beams[parent].log_probability + log_p;
    candidates.sort_by(|a, b| sum(b).total_cmp(&sum(a)));
    candidates.truncate(count);
    candidates
        .into_iter()
        .map(|(log_p, parent, token)| (parent, beams[parent].with(token, log_p)))
        .collect()
}
