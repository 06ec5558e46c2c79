//! Parameters by where they are, and operations by how they grow.

/// A part of a model that has parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A row for every token of the vocabulary.
    Embedding,
    /// Learned positions: a vector for each, or a bias for each range of distances.
    Positions,
    /// Projections to queries, keys and values, and back.
    Attention,
    /// The feed-forward networks of all layers.
    FeedForward,
    /// Gains and biases of the normalisations.
    Norms,
    /// The parameters that make logits, other than the embedding itself: a matrix or a bias.
    Output,
}

impl Part {
    /// All of them, from a model's input to its output.
    pub const ALL: [Part; 6] = [
        Part::Embedding,
        Part::Positions,
        Part::Attention,
        Part::FeedForward,
        Part::Norms,
        Part::Output,
    ];
}

/// The number of parameters in each part of a model. A matrix used in two places counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Parameters([u64; Part::ALL.len()]);

impl Parameters {
    /// Returns the number of parameters of one part.
    pub fn of(&self, part: Part) -> u64 {
        self.0[part as usize]
    }

    /// Returns the number of parameters in all parts.
    pub fn total(&self) -> u64 {
        self.0.iter().sum()
    }

    /// The same with `count` more in one part.
    pub(super) fn and(mut self, part: Part, count: u64) -> Self {
        self.0[part as usize] += count;
        self
    }

    /// The parameters of that many such layers.
    pub(super) fn times(mut self, layers: usize) -> Self {
        for count in &mut self.0 {
            *count *= layers as u64;
        }
        self
    }

    /// Returns the sum of both, part by part.
    pub(super) fn plus(mut self, other: Parameters) -> Self {
        for (count, more) in self.0.iter_mut().zip(other.0) {
            *count += more;
        }
        self
    }
}

/// Returns the number of parameters of a matrix.
pub(super) fn matrix(rows: usize, columns: usize) -> u64 {
    rows as u64 * columns as u64
}

/// Floating-point operations of matrix products, a multiplication and an addition counted as two. What
/// is not a matrix product (softmax, norms, biases, positions) is left out; a causal mask saves nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Operations {
    /// Projections to queries, keys and values, and back.
    pub projections: f64,
    /// Operations of the feed-forward networks.
    pub feed_forward: f64,
    /// Logits of every target token.
    pub output: f64,
    /// `QKᵀ` and the weighted sums of values, of all heads.
    pub scores: f64,
}

impl Operations {
    /// A product with a matrix of so many parameters, for each of `tokens`.
    pub(super) fn product(tokens: usize, parameters: u64) -> f64 {
        2.0 * tokens as f64 * parameters as f64
    }

    /// Scores and weighted sums between `tokens` queries and as many keys, in heads that are `width` wide
    /// together.
    pub(super) fn attention(tokens: usize, width: usize) -> f64 {
        4.0 * (tokens as f64).powi(2) * width as f64
    }

    /// Returns the operations that grow as O(nd²): every product with a matrix of parameters.
    pub fn linear(&self) -> f64 {
        self.projections + self.feed_forward + self.output
    }

    /// Returns the operations that grow as O(n²d): scores and weighted sums.
    pub fn quadratic(&self) -> f64 {
        self.scores
    }

    /// Returns the number of all operations.
    pub fn total(&self) -> f64 {
        self.linear() + self.quadratic()
    }

    /// The number of tokens at which O(n²d) overtakes O(nd²), of a pass over `tokens` that took these.
    pub fn crossover(&self, tokens: usize) -> f64 {
        tokens as f64 * self.linear() / self.quadratic()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_has_a_place_of_its_own() {
        let mut parameters = Parameters::default();
        for (index, part) in Part::ALL.into_iter().enumerate() {
            parameters = parameters.and(part, 10u64.pow(index as u32));
        }
        assert_eq!(parameters.total(), 111_111);
        assert_eq!(parameters.times(2).plus(parameters).total(), 333_333);
        for (index, part) in Part::ALL.into_iter().enumerate() {
            assert_eq!(parameters.of(part), 10u64.pow(index as u32));
        }
    }

    #[test]
    fn both_terms_are_equal_where_they_cross() {
        let at = |tokens| Operations {
            projections: Operations::product(tokens, 4 * 64 * 64),
            feed_forward: Operations::product(tokens, 8 * 64 * 64),
            output: 0.0,
            scores: Operations::attention(tokens, 64),
        };
        // 2n·12d² = 4n²d where n = 6d.
        assert_eq!(at(10).crossover(10), 384.0);
        assert_eq!(at(384).linear(), at(384).quadratic());
    }
}
