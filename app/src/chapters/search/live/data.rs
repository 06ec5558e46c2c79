//! What a run of the page's own model says of its search, as a tree: the sequences that it found, and beside the best of
//! them the candidates of each step that led to none. As plain data.

use attention_trace::{Candidate, Decoding, ForcedToken, Token, search::Fate};

/// A beginning.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveNode {
    /// Its parent, which stands before it.
    pub parent: Option<usize>,
    /// Its last token.
    pub token: Token,
    /// `Σ ln p` of all its tokens, where it is known.
    pub log_probability: Option<f32>,
    /// How many tokens it has.
    pub length: usize,
    /// What became of it: those that are in no result were dropped.
    pub fate: Fate,
    /// The result that it is, from 0, the best first.
    pub result: Option<usize>,
    /// Whether it is on the way to the best result, or is it.
    pub is_best: bool,
}

/// The tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveTree {
    /// Its nodes, parents before children, those of a parent the most probable first.
    pub nodes: Vec<LiveNode>,
}

impl LiveTree {
    /// The tree of a run. `dropped` candidates of each step are shown beside the best sequence. `read` has what the model
    /// says of the tokens of the other sequences, in their order; of those it says nothing of, only the sums at the end
    /// are known.
    pub fn of(decoding: &Decoding, dropped: usize, read: &[Option<&[ForcedToken]>]) -> Self {
        let mut tree = LiveTree::default();
        tree.add_best(decoding, dropped);
        for (place, hypothesis) in decoding.hypotheses.iter().enumerate() {
            let read = place.checked_sub(1).and_then(|other| *read.get(other)?);
            let known = read.filter(|read| {
                let ids = read.iter().map(|forced| forced.given.token.id);
                ids.eq(hypothesis.tokens.iter().map(|token| token.id))
            });
            let mut sum = 0.0;
            let mut parent = None;
            for (at, token) in hypothesis.tokens.iter().enumerate() {
                let known = known.map(|read| {
                    sum += read[at].given.log_probability;
                    sum
                });
                let node = tree.at(parent, token);
                tree.nodes[node].log_probability = tree.nodes[node].log_probability.or(known);
                tree.nodes[node].fate = Fate::Kept;
                tree.nodes[node].is_best |= place == 0;
                parent = Some(node);
            }
            if let Some(last) = parent {
                let last = &mut tree.nodes[last];
                last.log_probability = Some(hypothesis.log_probability);
                last.result = Some(place);
                last.fate = Fate::Finished;
            }
        }
        tree.sorted()
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

    /// The node of a token after a parent; a new one, dropped, where there is none.
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

    /// The tokens of a beginning.
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
    use attention_trace::{Hypothesis, Search, Step};

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

    /// 1 2 0 was found, and 1 3 0 after it; 9 ends nothing.
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
        let tree = LiveTree::of(&decoding(), 1, &[]);
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
        let tree = LiveTree::of(&decoding(), 1, &[]);
        assert_eq!(node(&tree, &[1, 2]).log_probability, Some(-0.75));
        assert_eq!(node(&tree, &[1, 3]).log_probability, Some(-1.25));
        assert_eq!(node(&tree, &[1, 2, 9]).log_probability, Some(-5.75));
        assert_eq!(node(&tree, &[1, 3, 0]).log_probability, Some(-2.0));
    }

    #[test]
    fn what_was_read_fills_the_sums_of_the_other_results() {
        let mut decoding = decoding();
        decoding.hypotheses[1] = hypothesis(&[1, 3, 4, 0], -2.5);
        let forced = |id, log_probability| ForcedToken {
            given: candidate(id, log_probability),
            rank: 1,
            best: candidate(id, log_probability),
        };
        let read = [
            forced(1, -0.25),
            forced(3, -1.0),
            forced(4, -0.5),
            forced(0, -0.75),
        ];
        let tree = LiveTree::of(&decoding, 0, &[Some(&read)]);
        assert_eq!(node(&tree, &[1, 3, 4]).log_probability, Some(-1.75));
        // Other tokens, as where a text is cut in another way, say nothing.
        let tree = LiveTree::of(&decoding, 0, &[Some(&read[..3])]);
        assert_eq!(node(&tree, &[1, 3, 4]).log_probability, None);
    }

    #[test]
    fn parents_stand_first_and_the_more_probable_before_the_less() {
        let tree = LiveTree::of(&decoding(), 2, &[]);
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
