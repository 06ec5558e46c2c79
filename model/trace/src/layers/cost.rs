//! Operations of one layer, and the number of them that must run one after another.

use serde::{Deserialize, Serialize};

use super::Convolutions;

/// A layer from `n` vectors of width `d` to as many of that width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SequenceLayer {
    /// `h_t = tanh(x_t W + h_{t−1} U)` (Elman 1990).
    Recurrent,
    /// `y_t = Σ_j x_{t−j} W_j` over a kernel of `k` positions, the token's own and those before it.
    Convolution,
    /// `softmax(QKᵀ/√d)V` with one head as wide as the model, between the projections `W^Q`, `W^K`, `W^V` and `W^O`.
    SelfAttention,
}

/// The sizes of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LayerSize {
    /// The number of tokens, `n`.
    pub tokens: u64,
    /// Width of a token's vector, `d`.
    pub width: u64,
    /// Positions that a convolution's kernel covers, `k`.
    pub kernel: u64,
}

/// Multiplications with their additions, told apart by what they grow with. Sums that are no products (biases, softmax,
/// tanh) are not counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operations {
    /// Operations of the terms with `n·d²`: a token's vector times a matrix.
    pub by_token: u64,
    /// Operations of the terms with `n²·d`: a token's vector with another's.
    pub by_pair: u64,
}

impl Operations {
    /// Returns the number of all operations.
    pub fn total(self) -> u64 {
        self.by_token.saturating_add(self.by_pair)
    }
}

impl SequenceLayer {
    /// All of them, in the order in which they came.
    pub const ALL: [SequenceLayer; 3] = [
        SequenceLayer::Recurrent,
        SequenceLayer::Convolution,
        SequenceLayer::SelfAttention,
    ];

    /// Returns the operations of one layer: `2nd²`, `knd²`, and `4nd² + 2n²d`. The zeros that a
    /// convolution reads before the first token are multiplied like the rest.
    pub fn operations(self, size: LayerSize) -> Operations {
        let LayerSize {
            tokens,
            width,
            kernel,
        } = size;
        let matrix = tokens.saturating_mul(width).saturating_mul(width);
        let pairs = tokens.saturating_mul(tokens).saturating_mul(width);
        let (matrices, pairings) = match self {
            SequenceLayer::Recurrent => (2, 0),
            SequenceLayer::Convolution => (kernel, 0),
            SequenceLayer::SelfAttention => (4, 2),
        };
        Operations {
            by_token: matrix.saturating_mul(matrices),
            by_pair: pairs.saturating_mul(pairings),
        }
    }

    /// Returns the number of tokens whose outputs are computed one after another in one layer.
    pub fn sequential_steps(self, tokens: u64) -> u64 {
        match self {
            SequenceLayer::Recurrent => tokens,
            SequenceLayer::Convolution | SequenceLayer::SelfAttention => 1,
        }
    }

    /// Returns the number of connections from the first of `tokens` tokens to the output at the
    /// last one, through as few layers as possible. `None` if no signal arrives: a kernel of one
    /// position sees no other.
    pub fn longest_path(self, tokens: u64, convolutions: Convolutions) -> Option<u64> {
        match self {
            SequenceLayer::Recurrent => Some(tokens),
            SequenceLayer::Convolution => convolutions.layers_to_reach(tokens),
            SequenceLayer::SelfAttention => Some(1),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: LayerSize = LayerSize {
        tokens: 70,
        width: 512,
        kernel: 3,
    };

    #[test]
    fn one_layer_takes_n_d2_k_n_d2_and_n2_d_operations() {
        let (n, d, k) = (SIZE.tokens, SIZE.width, SIZE.kernel);
        let of = |layer: SequenceLayer| {
            let Operations { by_token, by_pair } = layer.operations(SIZE);
            (by_token, by_pair)
        };
        assert_eq!(of(SequenceLayer::Recurrent), (2 * n * d * d, 0));
        assert_eq!(of(SequenceLayer::Convolution), (k * n * d * d, 0));
        assert_eq!(
            of(SequenceLayer::SelfAttention),
            (4 * n * d * d, 2 * n * n * d)
        );
        // 70 tokens of width 512.
        assert_eq!(
            SequenceLayer::Recurrent.operations(SIZE).total(),
            36_700_160
        );
        assert_eq!(
            SequenceLayer::SelfAttention.operations(SIZE).by_pair,
            5_017_600
        );
    }

    #[test]
    fn n_1_and_1_steps_are_sequential() {
        let steps = SequenceLayer::ALL.map(|layer| layer.sequential_steps(100));
        assert_eq!(steps, [100, 1, 1]);
    }

    #[test]
    fn the_longest_paths_are_n_log_k_n_and_1() {
        let dilated = Convolutions {
            kernel: 3,
            dilated: true,
        };
        let paths = SequenceLayer::ALL.map(|layer| layer.longest_path(81, dilated));
        assert_eq!(paths, [Some(81), Some(4), Some(1)]);
    }

    proptest! {
        #[test]
        fn of_fewer_tokens_than_dimensions_pairs_cost_less_than_a_recurrent_layer(
            tokens in 1u64..4096, width in 1u64..4096
        ) {
            let size = LayerSize { tokens, width, kernel: 1 };
            let pairs = SequenceLayer::SelfAttention.operations(size).by_pair;
            let recurrent = SequenceLayer::Recurrent.operations(size).total();
            prop_assert_eq!(pairs < recurrent, tokens < width);
        }

        #[test]
        fn sizes_that_no_number_holds_stay_at_the_largest(
            tokens in any::<u64>(), width in any::<u64>(), kernel in any::<u64>()
        ) {
            let size = LayerSize { tokens, width, kernel };
            for layer in SequenceLayer::ALL {
                let made = layer.operations(size);
                prop_assert!(made.total() >= made.by_token.max(made.by_pair));
            }
        }
    }
}
