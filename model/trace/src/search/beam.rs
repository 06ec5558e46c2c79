//! Beam search that keeps every beginning it looked at, those that it dropped included, as a tree.

use serde::{Deserialize, Serialize};

use super::{
    cost::Cost,
    path::{Path, length_score},
    table::TableModel,
};

/// The outcome of a beginning in the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// The beginning was among the best and was extended.
    Kept,
    /// The beginning is a whole sequence inside the beam: it ended, or reached the last step.
    Finished,
    /// The beginning was outside the beam, has no probability, or could no longer win.
    Pruned,
}

/// A beginning that the search looked at.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamNode {
    /// The beginning that it extends; `None` of those with one token.
    pub parent: Option<usize>,
    /// The last token of the beginning.
    pub token: usize,
    /// The probability of that token after its parent.
    pub probability: f64,
    /// `Σ ln p` of the whole beginning.
    pub log_probability: f64,
    /// The number of tokens in the beginning.
    pub length: usize,
    /// The outcome of the beginning.
    pub fate: Fate,
}

/// Everything that a beam search looked at.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BeamTree {
    /// The beginnings, parents before children.
    pub nodes: Vec<BeamNode>,
    /// The results, best first: nodes.
    pub results: Vec<usize>,
    /// The cost of the search.
    pub cost: Cost,
}

impl BeamTree {
    /// A beginning with the probabilities of its tokens.
    pub fn path(&self, node: usize) -> Path {
        let mut path = Path::default();
        let mut at = self.nodes.get(node);
        while let Some(node) = at {
            path.tokens.push(node.token);
            path.probabilities.push(node.probability);
            at = node.parent.and_then(|parent| self.nodes.get(parent));
        }
        path.tokens.reverse();
        path.probabilities.reverse();
        path
    }

    fn grow(&mut self, parent: Option<usize>, token: usize, probability: f64) -> usize {
        let (before, length) = parent.map_or((0.0, 0), |parent| {
            let parent = &self.nodes[parent];
            (parent.log_probability, parent.length)
        });
        self.nodes.push(BeamNode {
            parent,
            token,
            probability,
            log_probability: before + probability.ln(),
            length: length + 1,
            fate: Fate::Pruned,
        });
        self.nodes.len() - 1
    }

    fn score(&self, node: usize, alpha: f64) -> f64 {
        let node = &self.nodes[node];
        length_score(node.log_probability, node.length, alpha)
    }

    fn finish(&mut self, node: usize) {
        self.nodes[node].fate = Fate::Finished;
        self.results.push(node);
    }

    /// Sorts the results by `(1/L^α) Σ ln p` and keeps the best.
    fn rank(&mut self, alpha: f64, width: usize) {
        let mut results = std::mem::take(&mut self.results);
        results.sort_by(|&a, &b| self.score(b, alpha).total_cmp(&self.score(a, alpha)));
        results.truncate(width);
        self.results = results;
    }
}

/// The most probable token at every step, after `prefix`: a beam of one.
pub fn greedy(model: &TableModel, prefix: &[usize]) -> BeamTree {
    beam(model, 1, 0.0, prefix)
}

/// Beam search: of all extensions of the beginnings in the beam, the `width` best by `Σ ln p` are kept. One that ends
/// is a result if it is among the best. It stops when there are `width` results and no beginning in the beam scores
/// more than the last of them, or at the last step.
///
/// `prefix` is forced; it ends at a token that the model does not have or cannot follow.
pub fn beam(model: &TableModel, width: usize, alpha: f64, prefix: &[usize]) -> BeamTree {
    let width = width.max(1);
    let mut tree = BeamTree::default();
    let forced = force(model, prefix, &mut tree);
    let mut live: Vec<Option<usize>> = vec![forced];
    if let Some(last) = forced
        && model.is_over(&tree.path(last).tokens)
    {
        tree.finish(last);
        return tree;
    }
    loop {
        let candidates = expand(model, &live, &mut tree);
        let mut next = vec![];
        for (rank, node) in candidates.into_iter().enumerate() {
            if tree.nodes[node].token == model.end() {
                if rank < width {
                    tree.finish(node);
                }
            } else if next.len() < width {
                next.push(node);
            }
        }
        tree.rank(alpha, width);
        let Some(&best) = next.first() else { break };
        let last = tree.results.get(width - 1);
        if last.is_some_and(|&last| tree.score(last, alpha) >= tree.score(best, alpha)) {
            break;
        }
        if tree.nodes[best].length >= model.steps() {
            next.into_iter().for_each(|node| tree.finish(node));
            tree.rank(alpha, width);
            break;
        }
        for &node in &next {
            tree.nodes[node].fate = Fate::Kept;
        }
        live = next.into_iter().map(Some).collect();
    }
    tree
}

/// Grows the forced prefix; its last node, if it has any.
fn force(model: &TableModel, prefix: &[usize], tree: &mut BeamTree) -> Option<usize> {
    let mut last = None;
    for (place, &token) in prefix.iter().enumerate() {
        let before = &prefix[..place];
        let row = model.row(before).filter(|_| !model.is_over(before));
        let Some(row) = row else { break };
        let Some(&probability) = row.get(token) else {
            break;
        };
        tree.cost.count(row);
        let node = tree.grow(last, token, probability);
        tree.nodes[node].fate = Fate::Kept;
        last = Some(node);
    }
    last
}

/// All extensions of the beginnings in the beam that have a probability, best first. Those without one become nodes
/// too.
fn expand(model: &TableModel, live: &[Option<usize>], tree: &mut BeamTree) -> Vec<usize> {
    let mut candidates = vec![];
    for &parent in live {
        let before = parent.map_or_else(Path::default, |parent| tree.path(parent));
        let Some(row) = model.row(&before.tokens) else {
            continue;
        };
        tree.cost.count(row);
        for (token, &probability) in row.iter().enumerate() {
            let node = tree.grow(parent, token, probability);
            if tree.nodes[node].log_probability.is_finite() {
                candidates.push(node);
            }
        }
    }
    let log_probability = |node: &usize| tree.nodes[*node].log_probability;
    candidates.sort_by(|a, b| log_probability(b).total_cmp(&log_probability(a)));
    candidates
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{
        exhaustive::{Ending, exhaustive},
        table::tests::{lecture, tables},
    };
    use super::*;

    fn best(tree: &BeamTree) -> Path {
        tree.path(tree.results[0])
    }

    #[test]
    fn greedy_takes_0_5_0_4_0_4_0_6_and_comes_to_0_048() {
        let tree = greedy(&lecture(), &[]);
        let found = best(&tree);
        assert_eq!(found.tokens, [0, 1, 2, 3]);
        assert_eq!(found.probabilities, [0.5, 0.4, 0.4, 0.6]);
        assert!((found.probability() - 0.048).abs() < 1e-12);
        assert_eq!(tree.results.len(), 1);
        assert_eq!(tree.cost.probabilities, 16);
    }

    #[test]
    fn a_beam_of_two_finds_0_5_0_3_0_6_0_6_which_is_0_054() {
        let tree = beam(&lecture(), 2, 0.75, &[]);
        let found = best(&tree);
        assert_eq!(found.tokens, [0, 2, 1, 3]);
        assert_eq!(found.probabilities, [0.5, 0.3, 0.6, 0.6]);
        assert!((found.probability() - 0.054).abs() < 1e-12);
        assert!(
            (tree.score(tree.results[0], 0.75) - 0.054f64.ln() / 4f64.powf(0.75)).abs() < 1e-12
        );
    }

    #[test]
    fn without_alpha_a_beam_returns_a_sequence_of_0_10() {
        let tree = beam(&lecture(), 3, 0.0, &[]);
        assert!((best(&tree).probability() - 0.10).abs() < 1e-12);
        assert!(best(&tree).tokens.len() <= 2);
    }

    #[test]
    fn what_is_outside_of_the_beam_is_pruned() {
        let tree = beam(&lecture(), 2, 0.75, &[]);
        // Of A, B, C and the end at the first step, A and B are kept; of equal ones the first.
        let fates: Vec<Fate> = tree.nodes[..4].iter().map(|node| node.fate).collect();
        assert_eq!(fates, [Fate::Kept, Fate::Kept, Fate::Pruned, Fate::Pruned]);
        let kept = |length| {
            let nodes = tree.nodes.iter().filter(|node| node.length == length);
            nodes.filter(|node| node.fate == Fate::Kept).count()
        };
        assert_eq!((kept(1), kept(2), kept(3)), (2, 2, 2));
    }

    #[test]
    fn a_forced_beginning_is_kept_and_counted() {
        let tree = greedy(&lecture(), &[0, 2]);
        assert!((best(&tree).probability() - 0.054).abs() < 1e-12);
        assert_eq!(best(&greedy(&lecture(), &[0, 3])).tokens, [0, 3]);
        // Nothing follows the end, and there is no token 9.
        assert_eq!(best(&greedy(&lecture(), &[0, 3, 1])).tokens, [0, 3]);
        assert_eq!(best(&greedy(&lecture(), &[9])).tokens, [0, 1, 2, 3]);
    }

    #[test]
    fn what_is_impossible_is_never_kept() {
        let certain = vec![vec![1.0, 0.0, 0.0]; 3];
        let model = TableModel::new(certain, []).unwrap();
        let tree = beam(&model, 3, 1.0, &[]);
        assert_eq!(tree.results.len(), 1);
        assert_eq!(best(&tree).tokens, [0, 0, 0]);
        assert_eq!(best(&tree).probability(), 1.0);
    }

    proptest! {
        #[test]
        fn no_search_beats_the_best_sequence(table in tables(), width in 1usize..7) {
            let all = exhaustive(&table, Ending::End).unwrap();
            let most = all.found[0].probability();
            prop_assert!(best(&beam(&table, width, 0.0, &[])).probability() <= most + 1e-12);
        }

        #[test]
        fn a_beam_wide_enough_finds_the_most_probable(table in tables()) {
            let all = exhaustive(&table, Ending::End).unwrap();
            let found = best(&beam(&table, 4096, 0.0, &[])).probability();
            prop_assert!((found - all.found[0].probability()).abs() < 1e-12);
        }

        #[test]
        fn a_beam_costs_at_most_k_n_t(table in tables(), width in 1usize..7, alpha in 0.0f64..2.0) {
            let tree = beam(&table, width, alpha, &[]);
            let bound = Cost::of_beam(width as u64, table.vocabulary() as u64, table.steps() as u64);
            prop_assert!(tree.cost.probabilities <= bound);
            prop_assert!((1..=width).contains(&tree.results.len()));
        }

        #[test]
        fn greedy_takes_the_largest_of_every_row(table in tables()) {
            let found = best(&greedy(&table, &[]));
            for (place, &probability) in found.probabilities.iter().enumerate() {
                let row = table.row(&found.tokens[..place]).unwrap();
                prop_assert!(row.iter().all(|&other| other <= probability));
            }
        }

        #[test]
        fn children_follow_their_parents(table in tables(), width in 1usize..7) {
            let tree = beam(&table, width, 0.75, &[]);
            for (index, node) in tree.nodes.iter().enumerate() {
                prop_assert!(node.parent.is_none_or(|parent| parent < index
                    && tree.nodes[parent].fate == Fate::Kept));
                prop_assert!((tree.path(index).log_probability() - node.log_probability).abs() < 1e-9);
            }
        }
    }
}
