//! The search tree of a run of the page's own model: all prefixes that were considered, and the fate of each. As
//! plain data.

use attention_trace::{Candidate, Considered, Decoding, Hypothesis, Token, search::Fate};

/// A prefix of a sequence.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveNode {
    /// The index of its parent, which precedes it in the list.
    pub parent: Option<usize>,
    /// The last token of the prefix.
    pub token: Token,
    /// The sum `Σ ln p` of all its tokens, if it is known.
    pub log_probability: Option<f32>,
    /// The number of tokens in the prefix.
    pub length: usize,
    /// The fate of the prefix.
    pub fate: Fate,
    /// The result that it is, from 0, the best first.
    pub result: Option<usize>,
    /// True if the node is the best result or on the path to it.
    pub is_best: bool,
}

/// The tree of the considered prefixes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveTree {
    /// The nodes, parents before children, the children of a parent by descending probability.
    pub nodes: Vec<LiveNode>,
}

impl LiveTree {
    /// Returns the tree of a run: the forced tokens, and all prefixes that the search considered after them. For a
    /// run without a record of these, the tree has the results, and `dropped` candidates of each step beside the
    /// best.
    pub fn of(decoding: &Decoding, dropped: usize) -> Self {
        let mut tree = LiveTree::default();
        match decoding.considered.is_empty() {
            true => tree.add_best(decoding, dropped),
            false => tree.add_considered(decoding),
        }
        for (place, hypothesis) in decoding.hypotheses.iter().enumerate() {
            tree.add_result(place, hypothesis);
        }
        tree.sorted()
    }

    /// Returns the tree of a running search: the prefixes considered so far, after the forced ones.
    pub fn growing(considered: &[Considered]) -> Self {
        let mut tree = LiveTree::default();
        tree.add_after(None, considered);
        tree.sorted()
    }

    /// Adds a result, most or all of whose tokens are usually in the tree already.
    fn add_result(&mut self, place: usize, hypothesis: &Hypothesis) {
        let mut parent = None;
        for token in &hypothesis.tokens {
            let node = self.at(parent, token);
            self.nodes[node].fate = Fate::Kept;
            self.nodes[node].is_best |= place == 0;
            parent = Some(node);
        }
        if let Some(last) = parent {
            let last = &mut self.nodes[last];
            last.log_probability = Some(hypothesis.log_probability);
            last.result = Some(place);
            last.fate = Fate::Finished;
        }
    }

    /// Adds all prefixes that the search considered after the forced tokens.
    fn add_considered(&mut self, decoding: &Decoding) {
        let mut start = None;
        let mut before = 0.0;
        for step in decoding.steps.iter().take_while(|step| step.forced) {
            self.consider(start, &step.chosen, before);
            before += step.chosen.log_probability;
            start = Some(self.at(start, &step.chosen.token));
        }
        self.add_after(start, &decoding.considered);
    }

    /// Adds the prefixes that a search considered after the prefix `start`.
    fn add_after(&mut self, start: Option<usize>, considered: &[Considered]) {
        let first = self.nodes.len();
        for considered in considered {
            let parent = considered
                .parent
                .map_or(start, |parent| Some(first + parent));
            self.nodes.push(LiveNode {
                parent,
                token: considered.token.clone(),
                log_probability: Some(considered.log_probability),
                length: parent.map_or(0, |parent| self.nodes[parent].length) + 1,
                fate: considered.fate,
                result: None,
                is_best: false,
            });
        }
    }

    /// The steps of the best sequence, and the first candidates of each.
    fn add_best(&mut self, decoding: &Decoding, dropped: usize) {
        let mut parent = None;
        let mut before = 0.0;
        for step in &decoding.steps {
            let others = step.candidates.iter();
            let others = others.filter(|other| other.token.id != step.chosen.token.id);
            for candidate in std::iter::once(&step.chosen).chain(others.take(dropped)) {
                self.consider(parent, candidate, before);
            }
            before += step.chosen.log_probability;
            parent = Some(self.at(parent, &step.chosen.token));
        }
    }

    fn consider(&mut self, parent: Option<usize>, candidate: &Candidate, before: f32) {
        let node = self.at(parent, &candidate.token);
        self.nodes[node].log_probability = Some(before + candidate.log_probability);
    }

    /// Returns the node of a token after a parent; adds one, as dropped, if there is none.
    fn at(&mut self, parent: Option<usize>, token: &Token) -> usize {
        let is_it = |node: &LiveNode| node.parent == parent && node.token.id == token.id;
        if let Some(found) = self.nodes.iter().position(is_it) {
            return found;
        }
        self.nodes.push(LiveNode {
            parent,
            token: token.clone(),
            log_probability: None,
            length: parent.map_or(0, |parent| self.nodes[parent].length) + 1,
            fate: Fate::Pruned,
            result: None,
            is_best: false,
        });
        self.nodes.len() - 1
    }

    /// The same with the most probable children first, those whose probability is unknown last.
    fn sorted(self) -> Self {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        let sum = |node: usize| {
            self.nodes[node]
                .log_probability
                .unwrap_or(f32::NEG_INFINITY)
        };
        order.sort_by(|&one, &other| {
            let by_length = self.nodes[one].length.cmp(&self.nodes[other].length);
            by_length.then_with(|| sum(other).total_cmp(&sum(one)))
        });
        let mut place = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        let nodes = order.iter().map(|&old| {
            let node = self.nodes[old].clone();
            LiveNode {
                parent: node.parent.map(|parent| place[parent]),
                ..node
            }
        });
        LiveTree {
            nodes: nodes.collect(),
        }
    }

    /// Returns the tokens of a prefix.
    pub fn tokens(&self, node: usize) -> Vec<&Token> {
        let mut tokens = Vec::new();
        let mut at = self.nodes.get(node);
        while let Some(node) = at {
            tokens.push(&node.token);
            at = node.parent.and_then(|parent| self.nodes.get(parent));
        }
        tokens.reverse();
        tokens
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{Search, Step};

    use super::*;

    fn token(id: u32) -> Token {
        Token {
            id,
            text: format!("▁{id}"),
            unknown: false,
        }
    }

    fn candidate(id: u32, log_probability: f32) -> Candidate {
        Candidate {
            token: token(id),
            logit: 0.0,
            log_probability,
        }
    }

    fn step(chosen: (u32, f32), others: &[(u32, f32)]) -> Step {
        let others = others.iter().map(|&(id, log_p)| candidate(id, log_p));
        let chosen = candidate(chosen.0, chosen.1);
        Step {
            row: 0,
            forced: false,
            candidates: std::iter::once(chosen.clone()).chain(others).collect(),
            chosen,
        }
    }

    fn hypothesis(ids: &[u32], log_probability: f32) -> Hypothesis {
        Hypothesis {
            tokens: ids.iter().copied().map(token).collect(),
            text: String::new(),
            log_probability,
            score: log_probability,
        }
    }

    /// Returns a run that found 1 2 0, and 1 3 0 after it; 9 ends nothing.
    fn decoding() -> Decoding {
        Decoding {
            search: Search::Beam {
                width: 2,
                length_penalty: 0.75,
            },
            hypotheses: vec![hypothesis(&[1, 2, 0], -1.0), hypothesis(&[1, 3, 0], -2.0)],
            steps: vec![
                step((1, -0.25), &[(9, -2.0), (8, -4.0)]),
                step((2, -0.5), &[(3, -1.0), (9, -3.0)]),
                step((0, -0.25), &[(9, -5.0)]),
            ],
            considered: vec![],
            draws: vec![],
        }
    }

    fn node<'a>(tree: &'a LiveTree, ids: &[u32]) -> &'a LiveNode {
        let found = (0..tree.nodes.len()).find(|&node| {
            let own: Vec<u32> = tree.tokens(node).iter().map(|token| token.id).collect();
            own == ids
        });
        &tree.nodes[found.unwrap()]
    }

    #[test]
    fn results_share_their_beginning_and_candidates_of_no_result_were_dropped() {
        let tree = LiveTree::of(&decoding(), 1);
        assert_eq!(node(&tree, &[1]).fate, Fate::Kept);
        assert_eq!(node(&tree, &[9]).fate, Fate::Pruned);
        assert_eq!(node(&tree, &[1, 3]).fate, Fate::Kept);
        assert_eq!(node(&tree, &[1, 3, 0]).result, Some(1));
        assert!(node(&tree, &[1, 2, 0]).is_best && !node(&tree, &[1, 3]).is_best);
        // Two of the first step, two of the second, two of the third, and the other result's end.
        assert_eq!(tree.nodes.len(), 7);
    }

    #[test]
    fn sums_are_known_where_the_run_has_their_terms() {
        let tree = LiveTree::of(&decoding(), 1);
        assert_eq!(node(&tree, &[1, 2]).log_probability, Some(-0.75));
        assert_eq!(node(&tree, &[1, 3]).log_probability, Some(-1.25));
        assert_eq!(node(&tree, &[1, 2, 9]).log_probability, Some(-5.75));
        assert_eq!(node(&tree, &[1, 3, 0]).log_probability, Some(-2.0));
    }

    #[test]
    fn what_the_search_looked_at_is_the_tree_after_what_was_forced() {
        let considered = |parent, id, log_probability, fate| Considered {
            parent,
            token: token(id),
            log_probability,
            fate,
        };
        let mut decoding = decoding();
        decoding.steps[0].forced = true;
        decoding.considered = vec![
            considered(None, 2, -0.75, Fate::Kept),
            considered(None, 3, -1.25, Fate::Kept),
            considered(Some(0), 0, -1.0, Fate::Finished),
            considered(Some(1), 0, -2.0, Fate::Finished),
            considered(Some(1), 7, -6.0, Fate::Pruned),
        ];
        let tree = LiveTree::of(&decoding, 3);
        assert_eq!(tree.nodes.len(), 6);
        assert_eq!(node(&tree, &[1]).log_probability, Some(-0.25));
        assert_eq!(node(&tree, &[1, 3, 7]).fate, Fate::Pruned);
        assert_eq!(node(&tree, &[1, 3, 7]).length, 3);
        assert_eq!(node(&tree, &[1, 2, 0]).result, Some(0));
        assert_eq!(node(&tree, &[1, 3, 0]).result, Some(1));
    }

    #[test]
    fn a_search_that_goes_on_has_a_tree_of_what_it_has_looked_at() {
        let considered = |parent, id, log_probability, fate| Considered {
            parent,
            token: token(id),
            log_probability,
            fate,
        };
        let all = [
            considered(None, 2, -0.75, Fate::Kept),
            considered(None, 3, -1.25, Fate::Pruned),
            considered(Some(0), 0, -1.0, Fate::Finished),
            considered(Some(0), 4, -2.0, Fate::Kept),
        ];
        let first = LiveTree::growing(&all[..2]);
        assert_eq!(first.nodes.len(), 2);
        assert_eq!(node(&first, &[3]).fate, Fate::Pruned);
        let later = LiveTree::growing(&all);
        assert_eq!(node(&later, &[2, 4]).length, 2);
        assert_eq!(node(&later, &[2, 0]).fate, Fate::Finished);
        // What has grown keeps its place.
        assert_eq!(later.nodes[..2], first.nodes[..]);
        assert_eq!(LiveTree::growing(&[]), LiveTree::default());
    }

    #[test]
    fn parents_stand_first_and_the_more_probable_before_the_less() {
        let tree = LiveTree::of(&decoding(), 2);
        for (index, node) in tree.nodes.iter().enumerate() {
            assert!(node.parent.is_none_or(|parent| parent < index));
        }
        let first: Vec<u32> = tree
            .nodes
            .iter()
            .take(3)
            .map(|node| node.token.id)
            .collect();
        assert_eq!(first, [1, 9, 8]);
    }
}
