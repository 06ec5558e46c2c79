//! Questions about runs that take over vectors from another run.

use crate::kit::{
    evidence::{Evidence, Gap},
    questions::Asked,
};
use attention_core::widgets::Expected;

/// Returns the number of the next layer's positions that a patch at the token being read can change.
pub fn reached_positions(evidence: &Evidence) -> Result<Asked, Gap> {
    let facts = &evidence.facts;
    let token = facts.names.get(facts.query).ok_or(Gap::Sentence)?;
    let queries = 0..facts.names.len();
    let reached = queries.filter(|&query| facts.seen(query).contains(&facts.query));
    Ok(Asked {
        expected: Expected::count(reached.count()),
        values: vec![("token", token.clone())],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kit::{evidence::tests::evidence, questions::tests::met};

    #[test]
    fn a_causal_stack_carries_to_later_positions_alone() {
        let reached = |causal| reached_positions(&evidence(causal, &[]));
        assert_eq!(met(reached(false), "3"), Some(true));
        // Itself and the one after it.
        assert_eq!(met(reached(true), "2"), Some(true));
        assert_eq!(met(reached(true), "3"), Some(false));
    }
}
