//! The effect of switched-off heads on a text, as plain data.

use attention_trace::{Candidate, Decoding, Pair, Step, Token, align};

/// Candidates of each run that are listed.
const LISTED: usize = 5;

/// A place of the two texts.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// The token that is written there without edits.
    pub before: Option<Token>,
    /// The one that is written with heads off.
    pub after: Option<Token>,
    /// True if both tokens are the same.
    pub is_same: bool,
    /// By how much `log p` of the first changes while the heads are off, given the same tokens before it; `None` until
    /// that is known.
    pub change: Option<f32>,
}

/// The text with heads off against the text without.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// The texts side by side.
    pub columns: Vec<Column>,
    /// By how much `Σ log p` of the text without edits changes.
    pub change: Option<f32>,
}

impl Effect {
    /// The effect on what was decoded; `scores` is `log p` of each token of `before` while the heads are off.
    pub fn of(before: &Decoding, after: &Decoding, scores: Option<&[f32]>) -> Self {
        let scores = scores.filter(|scores| scores.len() == before.steps.len());
        let change = |at: usize| Some(scores?[at] - before.steps[at].chosen.log_probability);
        let token = |steps: &[Step], at: usize| steps[at].chosen.token.clone();
        let column = |pair: Pair| Column {
            before: pair.before.map(|at| token(&before.steps, at)),
            after: pair.after.map(|at| token(&after.steps, at)),
            is_same: pair.is_same,
            change: pair.before.and_then(change),
        };
        let columns = pairs(before, after).into_iter().map(column).collect();
        let changes: Option<Vec<f32>> = (0..before.steps.len()).map(change).collect();
        Effect {
            columns,
            change: changes.map(|changes| changes.iter().sum()),
        }
    }

    /// Places where the texts differ.
    pub fn differences(&self) -> usize {
        let columns = self.columns.iter();
        columns.filter(|column| !column.is_same).count()
    }
}

/// A token and its probability in both runs, where it is among the most probable.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidates {
    /// The token of both runs.
    pub token: Token,
    /// The probability without edits.
    pub before: Option<f32>,
    /// The probability with heads off.
    pub after: Option<f32>,
}

/// The candidates of both runs at one place of the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The most probable tokens of both, the most probable of either first.
    pub candidates: Vec<Candidates>,
    /// True if the run without edits writes a token at this place.
    pub has_before: bool,
    /// True if both runs have written the same text before this place.
    pub is_same_beginning: bool,
}

impl Choice {
    /// The choice at a step of the run with heads off; `None` where it has no such step.
    pub fn at(before: &Decoding, after: &Decoding, step: usize) -> Option<Self> {
        let chosen = after.steps.get(step)?;
        let pairs = pairs(before, after);
        let pair = pairs.iter().find(|pair| pair.after == Some(step))?;
        let other = pair.before.map(|at| &before.steps[at]);
        let beginning = |decoding: &Decoding, end: usize| -> Vec<u32> {
            let steps = decoding.steps.iter().take(end);
            steps.map(|step| step.chosen.token.id).collect()
        };
        Some(Choice {
            candidates: side_by_side(other, chosen),
            has_before: other.is_some(),
            is_same_beginning: pair
                .before
                .is_some_and(|at| beginning(before, at) == beginning(after, step)),
        })
    }
}

fn pairs(before: &Decoding, after: &Decoding) -> Vec<Pair> {
    let ids = |decoding: &Decoding| -> Vec<u32> {
        let steps = decoding.steps.iter();
        steps.map(|step| step.chosen.token.id).collect()
    };
    align(&ids(before), &ids(after))
}

fn side_by_side(before: Option<&Step>, after: &Step) -> Vec<Candidates> {
    let mut listed: Vec<Candidates> = vec![];
    let first = |step: &Step| {
        step.candidates
            .iter()
            .take(LISTED)
            .cloned()
            .collect::<Vec<_>>()
    };
    let both = [before.map(first).unwrap_or_default(), first(after)];
    for candidate in both.concat() {
        let id = candidate.token.id;
        if listed.iter().all(|other| other.token.id != id) {
            listed.push(Candidates {
                before: before.and_then(|step| probability(step, id)),
                after: probability(after, id),
                token: candidate.token,
            });
        }
    }
    let largest = |one: &Candidates| one.before.unwrap_or(0.0).max(one.after.unwrap_or(0.0));
    listed.sort_by(|one, other| largest(other).total_cmp(&largest(one)));
    listed
}

/// The probability of a token among the candidates of a step.
fn probability(step: &Step, id: u32) -> Option<f32> {
    let is_meant = |candidate: &&Candidate| candidate.token.id == id;
    let found = step.candidates.iter().find(is_meant)?;
    Some(found.log_probability.exp())
}

#[cfg(test)]
mod tests {
    use attention_trace::Search;

    use super::*;

    fn candidate((id, probability): (u32, f32)) -> Candidate {
        Candidate {
            token: Token {
                id,
                text: format!("▁{id}"),
                unknown: false,
            },
            logit: 0.0,
            log_probability: probability.ln(),
        }
    }

    /// Steps that each choose their first candidate.
    fn decoding(steps: &[&[(u32, f32)]]) -> Decoding {
        let step = |candidates: &&[(u32, f32)]| Step {
            row: 0,
            chosen: candidate(candidates[0]),
            forced: false,
            candidates: candidates.iter().copied().map(candidate).collect(),
        };
        Decoding {
            search: Search::Greedy,
            hypotheses: vec![],
            steps: steps.iter().map(step).collect(),
            considered: vec![],
            draws: vec![],
        }
    }

    #[test]
    fn the_change_of_a_text_is_the_sum_of_its_tokens_changes() {
        let before = decoding(&[&[(1, 0.5)], &[(2, 0.25)], &[(3, 1.0)]]);
        let after = decoding(&[&[(1, 0.5)], &[(9, 0.5)], &[(3, 1.0)], &[(4, 1.0)]]);
        let scores = [0.5_f32.ln(), 0.125_f32.ln(), 0.5_f32.ln()];
        let effect = Effect::of(&before, &after, Some(&scores));
        let ids = |token: &Option<Token>| token.as_ref().map(|token| token.id);
        let columns: Vec<_> = effect
            .columns
            .iter()
            .map(|column| (ids(&column.before), ids(&column.after), column.is_same))
            .collect();
        assert_eq!(
            columns,
            [
                (Some(1), Some(1), true),
                (Some(2), Some(9), false),
                (Some(3), Some(3), true),
                (None, Some(4), false),
            ]
        );
        let changes: Vec<Option<f32>> = effect.columns.iter().map(|one| one.change).collect();
        assert_eq!(changes[0], Some(0.0));
        assert!((changes[1].unwrap() + 2_f32.ln()).abs() < 1e-6);
        assert_eq!(changes[3], None);
        assert!((effect.change.unwrap() + 2.0 * 2_f32.ln()).abs() < 1e-6);
        assert_eq!(effect.differences(), 2);
    }

    #[test]
    fn until_scores_are_there_no_change_is_told() {
        let text = decoding(&[&[(1, 0.5)], &[(2, 0.25)]]);
        for scores in [None, Some(&[0.0][..])] {
            let effect = Effect::of(&text, &text, scores);
            assert_eq!((effect.change, effect.differences()), (None, 0));
            assert!(effect.columns.iter().all(|column| column.change.is_none()));
        }
    }

    #[test]
    fn a_step_is_compared_with_the_place_that_it_stands_beside() {
        let before = decoding(&[&[(1, 0.9)], &[(2, 0.6), (5, 0.3)], &[(3, 1.0)]]);
        let after = decoding(&[&[(1, 0.9)], &[(5, 0.7), (6, 0.2)], &[(3, 1.0)]]);
        let choice = Choice::at(&before, &after, 1).unwrap();
        assert!(choice.has_before && choice.is_same_beginning);
        let listed: Vec<_> = choice
            .candidates
            .iter()
            .map(|one| (one.token.id, one.before.is_some(), one.after.is_some()))
            .collect();
        assert_eq!(
            listed,
            [(5, true, true), (2, true, false), (6, false, true)]
        );
        let last = Choice::at(&before, &after, 2).unwrap();
        assert!(last.has_before && !last.is_same_beginning);
        assert_eq!(Choice::at(&before, &after, 3), None);
    }

    #[test]
    fn a_place_that_one_run_alone_has_is_compared_with_nothing() {
        let before = decoding(&[&[(1, 0.9)], &[(3, 1.0)]]);
        let after = decoding(&[&[(1, 0.9)], &[(2, 0.7)], &[(3, 1.0)]]);
        let choice = Choice::at(&before, &after, 1).unwrap();
        assert!(!choice.has_before && !choice.is_same_beginning);
        assert!(choice.candidates.iter().all(|one| one.before.is_none()));
    }
}
