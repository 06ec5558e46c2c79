//! The reason for `√d_k`: the variance of `q·k` grows with the width of queries and keys.

use attention_trace::{Array, lessons::ProductVariance};
use burn::prelude::*;
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
use rand_distr::{Distribution, StandardNormal};

use super::{LessonError, device, fits, matrix, not_too_large, values};

/// Computes the variance of `q·k` for `pairs` queries and keys whose components are independent and standard normal,
/// for every width up to `width`. The numbers are the same for the same seed on every machine.
///
/// # Errors
/// If there are fewer than two pairs, no components, or too many of either.
pub fn random_product_variance(
    pairs: usize,
    width: usize,
    seed: u64,
) -> Result<ProductVariance, LessonError> {
    let shape = [pairs, width];
    fits(
        pairs > 1 && width > 0,
        "the random vectors",
        &shape,
        "[pairs > 1, d > 0]",
    )?;
    not_too_large("random vectors", pairs.saturating_mul(width))?;
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut draw = || {
        let normal = StandardNormal.sample_iter(&mut generator);
        let drawn: Vec<f32> = normal.take(pairs * width).collect();
        Tensor::<2>::from_data(TensorData::new(drawn, shape), &device())
    };
    let (query, key) = (draw(), draw());
    variance_of(query * key)
}

/// Computes the same for every pair of a given query and a given key, such as those of a model's head, for the first
/// `d` of their components, `d` = 1, 2, …
///
/// # Shapes
/// - query: `[n, d]`
/// - key: `[m, d]`
///
/// # Errors
/// If they are not matrices of equal width, or give fewer than two pairs, or too many.
pub fn product_variance(query: &Array, key: &Array) -> Result<ProductVariance, LessonError> {
    let query = matrix("the queries", query, "[n, d]")?;
    let key = matrix("the keys", key, "[m, d]")?;
    let ([n, width], [m, key_width]) = (query.dims(), key.dims());
    fits(
        width == key_width,
        "the keys",
        &[m, key_width],
        "as wide as the queries",
    )?;
    fits(n * m > 1, "the pairs", &[n, m], "at least two")?;
    not_too_large("pairs of queries and keys", n * m * width)?;
    let products = query.unsqueeze_dim::<3>(1) * key.unsqueeze_dim::<3>(0);
    variance_of(products.reshape([n * m, width]))
}

/// Computes the variance from `products`, `q_i k_i` for every pair and component, `[pairs, d]`.
fn variance_of(products: Tensor<2>) -> Result<ProductVariance, LessonError> {
    let [pairs, width] = products.dims();
    // Sums of the first components are the dot products of vectors cut to that width.
    let dots = products.cumsum(1);
    let roots = Tensor::<1, Int>::arange(1..width as i64 + 1, &dots.device())
        .float()
        .sqrt();
    let scaled = dots.clone() / roots.unsqueeze();
    Ok(ProductVariance {
        pairs,
        unscaled: values(dots.var_bias(0))?,
        scaled: values(scaled.var_bias(0))?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variance_of_random_products_is_their_width_and_one_when_scaled() {
        let width = 64;
        let ProductVariance {
            unscaled, scaled, ..
        } = random_product_variance(8192, width, 1).unwrap();
        assert_eq!(unscaled.len(), width);
        for d in [1, 2, 8, 64] {
            let variance = unscaled[d - 1] / d as f32;
            assert!((variance - 1.0).abs() < 0.12, "d = {d}: {variance}");
            assert!(
                (scaled[d - 1] - 1.0).abs() < 0.12,
                "d = {d}: {}",
                scaled[d - 1]
            );
        }
    }

    #[test]
    fn a_seed_draws_the_same_again() {
        let draw = |seed| random_product_variance(50, 4, seed).unwrap();
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn given_vectors_pair_by_pair() {
        let query = Array {
            shape: vec![2, 2],
            data: vec![1.0, 2.0, 3.0, 0.0],
        };
        let key = Array {
            shape: vec![2, 2],
            data: vec![1.0, 1.0, 0.0, -1.0],
        };
        let variance = product_variance(&query, &key).unwrap();
        // First components: 1·1, 1·0, 3·1, 3·0 = 1, 0, 3, 0, of mean 1; both: 3, −2, 3, 0, of mean 1.
        assert_eq!(variance.pairs, 4);
        let expected = [(0.0 + 1.0 + 4.0 + 1.0) / 4.0, (4.0 + 9.0 + 4.0 + 1.0) / 4.0];
        for (found, expected) in variance.unscaled.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} for {expected}");
        }
        assert!((variance.scaled[1] - 4.5 / 2.0).abs() < 1e-6);
    }

    #[test]
    fn what_makes_no_pairs_is_refused() {
        let one = Array {
            shape: vec![1, 2],
            data: vec![1.0, 2.0],
        };
        let other = Array {
            shape: vec![2, 1],
            data: vec![1.0, 2.0],
        };
        assert!(product_variance(&one, &one).is_err());
        assert!(product_variance(&one, &other).is_err());
        assert!(random_product_variance(1, 4, 0).is_err());
        assert!(random_product_variance(usize::MAX, 4, 0).is_err());
    }
}
