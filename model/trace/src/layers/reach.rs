//! The reach of a stack of convolutions.

/// The kernels of a stack of convolutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convolutions {
    /// Positions that each kernel covers, `k`.
    pub kernel: u64,
    /// True if the positions of a kernel are `k` times as far apart in each layer as in the layer
    /// below (van den Oord et al. 2016, Kalchbrenner et al. 2016). Otherwise they are neighbours in
    /// every layer.
    pub dilated: bool,
}

impl Convolutions {
    /// Returns the distance of neighbouring positions of a kernel in a layer; the first layer is 0.
    pub fn dilation(self, layer: u32) -> u64 {
        match self.dilated {
            true => self.kernel.saturating_pow(layer),
            false => 1,
        }
    }

    /// Returns the number of input tokens that an output depends on: `1 + (k − 1)·Σ dilation`,
    /// which is `1 + L(k − 1)` if kernels are contiguous, and `k^L` if they are dilated.
    pub fn receptive_field(self, layers: u32) -> u64 {
        match self.dilated {
            true => self.kernel.saturating_pow(layers),
            false => u64::from(layers)
                .saturating_mul(self.kernel.saturating_sub(1))
                .saturating_add(1),
        }
    }

    /// The fewest layers, one at least, whose last output depends on the first of `tokens` tokens: `⌈(n − 1)/(k − 1)⌉`
    /// where kernels are contiguous, which table 1 of "Attention Is All You Need" counts as `O(n/k)` layers, and
    /// `⌈log_k n⌉` where they are dilated. `None` of a kernel that sees no other token.
    pub fn layers_to_reach(self, tokens: u64) -> Option<u64> {
        let further = tokens.saturating_sub(1);
        match self.kernel {
            _ if further == 0 => Some(1),
            0 | 1 => None,
            kernel if self.dilated => {
                // ⌈log_k n⌉ is one more than ⌊log_k (n − 1)⌋.
                Some(u64::from(further.ilog(kernel)) + 1)
            }
            kernel => Some(further.div_ceil(kernel - 1)),
        }
    }
}

/// Returns the number of weights of a local connection between `tokens` positions if each is
/// connected to those at most `reach` away and every connection has a weight of its own. A
/// convolution shares them: it has `2·reach + 1`.
pub fn local_weights(tokens: u64, reach: u64) -> u64 {
    let further = reach.min(tokens.saturating_sub(1));
    // Without ends, 2·reach + 1 for each position; 1 + 2 + … + reach are missing at either end.
    tokens * (2 * further + 1) - further * (further + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn of(kernel: u64, dilated: bool) -> Convolutions {
        Convolutions { kernel, dilated }
    }

    #[test]
    fn the_field_grows_by_k_minus_1_a_layer_and_to_k_to_the_l_if_dilated() {
        let fields = |convolutions: Convolutions| {
            [1, 2, 3, 4].map(|layers| convolutions.receptive_field(layers))
        };
        assert_eq!(fields(of(3, false)), [3, 5, 7, 9]);
        assert_eq!(fields(of(3, true)), [3, 9, 27, 81]);
        assert_eq!(fields(of(2, true)), [2, 4, 8, 16]);
    }

    #[test]
    fn contiguous_kernels_need_n_over_k_layers_and_dilated_ones_log_k_n() {
        // ⌈99/2⌉ and ⌈log₃ 100⌉.
        assert_eq!(of(3, false).layers_to_reach(100), Some(50));
        assert_eq!(of(3, true).layers_to_reach(100), Some(5));
        assert_eq!(of(3, true).layers_to_reach(81), Some(4));
        assert_eq!(of(3, true).layers_to_reach(82), Some(5));
        assert_eq!(of(2, true).layers_to_reach(1), Some(1));
    }

    #[test]
    fn a_kernel_of_one_position_reaches_nothing() {
        for dilated in [false, true] {
            assert_eq!(of(1, dilated).layers_to_reach(2), None);
            assert_eq!(of(1, dilated).receptive_field(9), 1);
        }
    }

    proptest! {
        #[test]
        fn local_connections_are_counted_one_by_one(tokens in 1u64..40, reach in 0u64..50) {
            let is_local = |i: u64, j: u64| i.abs_diff(j) <= reach;
            let count: u64 = (0..tokens)
                .map(|i| (0..tokens).filter(|&j| is_local(i, j)).count() as u64)
                .sum();
            prop_assert_eq!(local_weights(tokens, reach), count);
        }

        #[test]
        fn the_field_is_the_sum_of_the_dilations(kernel in 1u64..9, layers in 0u32..12, dilated in any::<bool>()) {
            let convolutions = of(kernel, dilated);
            let sum: u64 = (0..layers).map(|layer| convolutions.dilation(layer)).sum();
            prop_assert_eq!(convolutions.receptive_field(layers), 1 + (kernel - 1) * sum);
        }

        #[test]
        fn that_many_layers_reach_and_one_less_does_not(
            tokens in 2u64..100_000, kernel in 2u64..20, dilated in any::<bool>()
        ) {
            let convolutions = of(kernel, dilated);
            let layers = convolutions.layers_to_reach(tokens).unwrap() as u32;
            prop_assert!(convolutions.receptive_field(layers) >= tokens);
            prop_assert!(convolutions.receptive_field(layers - 1) < tokens);
        }
    }
}
