//! Attention with linear biases, ALiBi ([Press et al. 2022](https://arxiv.org/abs/2108.12409)).

use std::ops::Range;

/// The slope of each of `heads` heads: `2^(−8/heads)` and its powers. Where `heads` is no power of two,
/// the slopes of the next smaller one come first, then every other slope of the next larger one.
pub fn alibi_slopes(heads: usize) -> Vec<f32> {
    let geometric = |heads: usize| {
        let ratio = -8.0 / heads as f64;
        (1..=heads).map(move |power| (ratio * power as f64).exp2() as f32)
    };
    match heads {
        0 => vec![],
        _ if heads.is_power_of_two() => geometric(heads).collect(),
        _ => {
            let larger = heads.next_power_of_two();
            let between = geometric(larger).step_by(2);
            geometric(larger / 2).chain(between).take(heads).collect()
        }
    }
}

/// Returns the bias that ALiBi adds to the scores of `queries` with `keys`, `[heads, queries, keys]` row-major: minus a
/// head's slope times the distance. Keys after the query, which a causal mask hides, get the bias of their distance
/// too.
pub fn alibi_bias(heads: usize, queries: Range<usize>, keys: Range<usize>) -> Vec<f32> {
    let slopes = alibi_slopes(heads).into_iter();
    slopes
        .flat_map(|slope| {
            let keys = keys.clone();
            queries.clone().flat_map(move |query| {
                keys.clone()
                    .map(move |key| -slope * query.abs_diff(key) as f32)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paper's section 3: "for 8 heads, the slopes are 1/2, 1/4, …, 1/256".
    #[test]
    fn eight_heads_have_the_papers_slopes() {
        let expected: Vec<f32> = (1..=8).map(|power| 0.5f32.powi(power)).collect();
        assert_eq!(alibi_slopes(8), expected);
    }

    /// The paper's section 3: for 16 heads, the slopes start at 1/√2.
    #[test]
    fn sixteen_heads_have_the_papers_slopes() {
        let slopes = alibi_slopes(16);
        assert_eq!(slopes[0], std::f32::consts::FRAC_1_SQRT_2);
        assert_eq!((slopes[1], slopes[15]), (0.5, 1.0 / 256.0));
    }

    #[test]
    fn six_heads_take_four_of_four_and_two_of_eight() {
        let expected = [0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125];
        assert_eq!(alibi_slopes(6), expected);
    }

    #[test]
    fn the_bias_falls_with_distance_and_knows_nothing_else() {
        let bias = alibi_bias(2, 3..5, 0..5);
        let (first, second) = bias.split_at(10);
        assert_eq!(first[..5], [-0.1875, -0.125, -0.0625, 0.0, -0.0625]);
        assert_eq!(first[5..9], [-0.25, -0.1875, -0.125, -0.0625]);
        assert_eq!(second[9], 0.0);
        assert_eq!(second[5], -4.0 / 256.0);
    }
}
