//! One step of a search: the continuations of its beams, and the fate of each.

use attention_trace::{Considered, search::Fate};

use super::{Allowed, Bounds, Rules, Sequence, log_softmax, top};

/// A sequence that the search may continue.
pub struct Beam {
    /// The tokens, prefix included.
    pub tokens: Vec<u32>,
    /// `Σ log p` over them.
    pub log_probability: f32,
    /// The number of the sequence among all that the search considered; `None` for the initial one.
    pub node: Option<usize>,
}

impl Beam {
    /// Returns the beam with one more token.
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

/// The fates of the continuations of all beams.
pub struct Step {
    /// Those that ended inside the beam.
    pub ended: Vec<Beam>,
    /// The beams to continue with, best first.
    pub next: Vec<Beam>,
    /// The parent beam of each of these.
    pub parents: Vec<usize>,
    /// All continuations that the step considered.
    pub considered: Vec<Considered<u32>>,
}

impl Step {
    /// Candidates come best first, each with its parent; `count` have been looked at before.
    pub fn of(
        beams: &[Beam],
        candidates: Vec<(usize, Beam)>,
        width: usize,
        rules: &Rules,
        count: usize,
    ) -> Self {
        let mut step = Step {
            ended: vec![],
            next: vec![],
            parents: vec![],
            considered: Vec::with_capacity(candidates.len()),
        };
        for (rank, (parent, mut beam)) in candidates.into_iter().enumerate() {
            let Some(&token) = beam.tokens.last() else {
                continue;
            };
            let mut looked_at = Considered {
                parent: beams[parent].node,
                token,
                log_probability: beam.log_probability,
                fate: Fate::Pruned,
            };
            beam.node = Some(count + rank);
            if rules.is_end(token) {
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

    /// Ends the search: gives this fate to the continuations that would have gone on.
    pub fn end(&mut self, fate: Fate) {
        for considered in &mut self.considered {
            if considered.fate == Fate::Kept {
                considered.fate = fate;
            }
        }
    }
}

/// Returns the most probable continuations of all `beams`, best first, each with its parent: enough for a search of
/// `width` to go on even if each of its beams ends in every possible way.
pub fn continuations(
    beams: &[Beam],
    logits: &[Vec<f32>],
    width: usize,
    bounds: &Bounds,
) -> Vec<(usize, Beam)> {
    let count = width.saturating_mul(2.max(1 + bounds.rules.end_tokens.len()));
    let mut candidates: Vec<(f32, usize, u32)> = vec![];
    for (parent, (beam, logits)) in beams.iter().zip(logits).enumerate() {
        let best = match bounds.allowed(&beam.tokens) {
            Allowed::Only(tokens) => tokens.into_iter().map(|token| (token, 0.0)).collect(),
            Allowed::AllBut(forbidden) => best_but(logits, count, &forbidden),
        };
        candidates.extend(
            best.into_iter()
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

/// Returns the `count` most probable tokens except the forbidden ones, with their `log p`.
fn best_but(logits: &[f32], count: usize, forbidden: &[u32]) -> Vec<(u32, f32)> {
    let best = top(&log_softmax(logits), count.saturating_add(forbidden.len()));
    let allowed = best
        .into_iter()
        .filter(|(token, _)| !forbidden.contains(token));
    allowed.take(count).collect()
}
