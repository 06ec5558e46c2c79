//! Score functions: five measures of the match of a query and a key.

use attention_trace::Array;
use attention_trace::lessons::{Attended, Memory, ScoreFunction, ScoreParameters, ScoreWeights};
use burn::prelude::*;
use burn::tensor::activation::softmax;
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
use rand_distr::{Distribution, StandardNormal};

use super::{LessonError, array, fits, matrix, not_too_large, read_out, values, vector};

/// Scores the keys of `memory` by every score function and reads its values by the resulting weights, `draws` times at
/// random for hard attention.
///
/// # Errors
/// If shapes do not agree, or arrays are too large or not finite.
pub fn attend(
    memory: &Memory,
    parameters: &ScoreParameters,
    draws: usize,
    seed: u64,
) -> Result<Vec<Attended>, LessonError> {
    let width = memory.query.len();
    let drawn;
    let weights: &ScoreWeights = match parameters {
        ScoreParameters::Given(weights) => weights,
        ScoreParameters::Random { hidden, seed } => {
            drawn = random_weights(width, *hidden, *seed)?;
            &drawn
        }
    };
    let scored = Scored::new(memory, weights)?;
    let made = ScoreFunction::ALL.map(|function| {
        let hidden = scored.hidden(function);
        let scores = scored.scores(function, hidden.as_ref());
        let weights = values(softmax(scores.clone(), 0))?;
        Ok(Attended {
            function,
            hidden: hidden.map(array).transpose()?,
            scores: values(scores)?,
            read: read_out(&weights, &memory.values, draws, seed)?,
            weights,
        })
    });
    made.into_iter().collect()
}

/// Draws the weights of an untrained model: normally distributed, with a deviation that preserves the size of
/// activations (Glorot and Bengio 2010).
///
/// # Errors
/// If `width` or `hidden` is 0, or they are too large.
pub fn random_weights(width: usize, hidden: usize, seed: u64) -> Result<ScoreWeights, LessonError> {
    let shape = [width, hidden];
    fits(
        width > 0 && hidden > 0,
        "the weights",
        &shape,
        "[d > 0, h > 0]",
    )?;
    not_too_large("the weights", width.max(hidden).saturating_pow(2))?;
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut draw = |rows: usize, columns: usize| {
        let deviation = (2.0 / (rows + columns) as f32).sqrt();
        let normal = StandardNormal.sample_iter(&mut generator);
        let drawn = normal.map(|value: f32| value * deviation);
        Array {
            shape: vec![rows, columns],
            data: drawn.take(rows * columns).collect(),
        }
    };
    Ok(ScoreWeights {
        additive_key: draw(hidden, width),
        additive_query: draw(hidden, width),
        additive_out: draw(hidden, 1).data,
        bilinear: draw(width, width),
        hidden: draw(hidden, 2 * width),
        out: draw(hidden, 1).data,
    })
}

/// A memory and weights on the device; `[d]` query, `[n, d]` keys.
struct Scored {
    query: Tensor<1>,
    keys: Tensor<2>,
    additive_key: Tensor<2>,
    additive_query: Tensor<2>,
    additive_out: Tensor<1>,
    bilinear: Tensor<2>,
    hidden: Tensor<2>,
    out: Tensor<1>,
}

impl Scored {
    fn new(memory: &Memory, weights: &ScoreWeights) -> Result<Self, LessonError> {
        let keys = matrix("the keys", &memory.keys, "[n, d]")?;
        let width = memory.query.len();
        fits(
            keys.dims()[1] == width,
            "the keys",
            &keys.dims(),
            "as wide as the query",
        )?;
        let weights = Scored {
            query: vector("the query", &memory.query)?,
            keys,
            additive_key: matrix("W", &weights.additive_key, "[h, d]")?,
            additive_query: matrix("U", &weights.additive_query, "[h, d]")?,
            additive_out: vector("v", &weights.additive_out)?,
            bilinear: matrix("the bilinear W", &weights.bilinear, "[d, d]")?,
            hidden: matrix("the perceptron's W", &weights.hidden, "[h, 2d]")?,
            out: vector("the perceptron's v", &weights.out)?,
        };
        weights.agree(width)?;
        Ok(weights)
    }

    fn agree(&self, width: usize) -> Result<(), LessonError> {
        let [additive] = self.additive_out.dims();
        let [hidden] = self.out.dims();
        let is = |what, weight: &Tensor<2>, shape: [usize; 2], expected| {
            fits(weight.dims() == shape, what, &weight.dims(), expected)
        };
        is("W", &self.additive_key, [additive, width], "[h, d]")?;
        is("U", &self.additive_query, [additive, width], "[h, d]")?;
        is("the bilinear W", &self.bilinear, [width, width], "[d, d]")?;
        is(
            "the perceptron's W",
            &self.hidden,
            [hidden, 2 * width],
            "[h, 2d]",
        )
    }

    /// Computes the hidden units for every key, `[n, h]`, for the functions that have any.
    fn hidden(&self, function: ScoreFunction) -> Option<Tensor<2>> {
        let sums = match function {
            ScoreFunction::Additive => {
                let of_keys = linear(self.keys.clone(), &self.additive_key);
                of_keys + times(&self.additive_query, &self.query).unsqueeze::<2>()
            }
            ScoreFunction::Perceptron => {
                let query = self.query.clone().unsqueeze::<2>();
                let query = query.expand(self.keys.dims());
                linear(Tensor::cat(vec![self.keys.clone(), query], 1), &self.hidden)
            }
            ScoreFunction::Dot | ScoreFunction::ScaledDot | ScoreFunction::Bilinear => return None,
        };
        Some(sums.tanh())
    }

    /// Computes the score of every key, `[n]`.
    fn scores(&self, function: ScoreFunction, hidden: Option<&Tensor<2>>) -> Tensor<1> {
        let [width] = self.query.dims();
        match (function, hidden) {
            (ScoreFunction::Additive, Some(hidden)) => times(hidden, &self.additive_out),
            (ScoreFunction::Perceptron, Some(hidden)) => times(hidden, &self.out),
            (ScoreFunction::Bilinear, _) => times(&self.keys, &times(&self.bilinear, &self.query)),
            (ScoreFunction::ScaledDot, _) => times(&self.keys, &self.query) / (width as f32).sqrt(),
            _ => times(&self.keys, &self.query),
        }
    }
}

/// Multiplies rows by the transpose of a weight matrix `[out, in]`.
fn linear(rows: Tensor<2>, weight: &Tensor<2>) -> Tensor<2> {
    rows.matmul(weight.clone().transpose())
}

/// Multiplies a matrix by a vector.
fn times(matrix: &Tensor<2>, vector: &Tensor<1>) -> Tensor<1> {
    let column = vector.clone().unsqueeze_dim::<2>(1);
    matrix.clone().matmul(column).squeeze_dim(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(shape: [usize; 2], data: &[f32]) -> Array {
        Array {
            shape: shape.to_vec(),
            data: data.to_vec(),
        }
    }

    fn memory() -> Memory {
        Memory {
            query: vec![1.0, 2.0],
            keys: table([2, 2], &[3.0, 1.0, -1.0, 0.0]),
            values: table([2, 1], &[10.0, -10.0]),
        }
    }

    fn weights() -> ScoreWeights {
        let identity = table([2, 2], &[1.0, 0.0, 0.0, 1.0]);
        ScoreWeights {
            additive_key: identity.clone(),
            additive_query: identity,
            additive_out: vec![1.0, 1.0],
            bilinear: table([2, 2], &[1.0, 1.0, 0.0, 1.0]),
            hidden: table([2, 4], &[1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0]),
            out: vec![1.0, 1.0],
        }
    }

    fn scores(function: ScoreFunction) -> Vec<f32> {
        let attended = attend(
            &memory(),
            &ScoreParameters::Given(Box::new(weights())),
            0,
            0,
        )
        .unwrap();
        let found = attended
            .into_iter()
            .find(|attended| attended.function == function);
        found.unwrap().scores
    }

    fn assert_close(found: &[f32], expected: &[f32]) {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-5, "{found} for {expected}");
        }
        assert_eq!(found.len(), expected.len());
    }

    #[test]
    fn dot_products_by_hand() {
        assert_close(&scores(ScoreFunction::Dot), &[5.0, -1.0]);
        let root = 2f32.sqrt();
        assert_close(
            &scores(ScoreFunction::ScaledDot),
            &[5.0 / root, -1.0 / root],
        );
    }

    #[test]
    fn the_bilinear_score_by_hand() {
        // Wq = (3, 2); (3, 1)·(3, 2) = 11, (−1, 0)·(3, 2) = −3.
        assert_close(&scores(ScoreFunction::Bilinear), &[11.0, -3.0]);
    }

    #[test]
    fn the_additive_score_by_hand() {
        let expected = [4f32.tanh() + 3f32.tanh(), 0f32.tanh() + 2f32.tanh()];
        assert_close(&scores(ScoreFunction::Additive), &expected);
    }

    #[test]
    fn the_perceptron_on_key_and_query_side_by_side_is_additive_attention() {
        assert_close(
            &scores(ScoreFunction::Perceptron),
            &scores(ScoreFunction::Additive),
        );
    }

    #[test]
    fn weights_are_the_softmax_of_scores_and_read_the_values() {
        let attended = attend(
            &memory(),
            &ScoreParameters::Given(Box::new(weights())),
            5,
            1,
        )
        .unwrap();
        for made in attended {
            let [a, b] = made.scores[..] else { panic!() };
            let first = 1.0 / (1.0 + (b - a).exp());
            assert_close(&made.weights, &[first, 1.0 - first]);
            assert_close(&made.read.soft, &[20.0 * first - 10.0]);
            let has_hidden =
                [ScoreFunction::Additive, ScoreFunction::Perceptron].contains(&made.function);
            assert_eq!(made.hidden.is_some(), has_hidden);
            assert_eq!(made.read.draws.len(), 5);
        }
    }

    #[test]
    fn the_closer_key_and_query_the_closer_the_output_to_its_value() {
        // A key–value memory: keys on a circle, the query walks up to one of them.
        let keys = table([3, 2], &[1.0, 0.0, 0.0, 1.0, -1.0, 0.0]);
        let values = table([3, 1], &[1.0, 2.0, 3.0]);
        let distance = |length: f32| {
            let memory = Memory {
                query: vec![0.0, length],
                keys: keys.clone(),
                values: values.clone(),
            };
            let parameters = ScoreParameters::Random { hidden: 2, seed: 1 };
            let attended = attend(&memory, &parameters, 0, 0).unwrap();
            let dot = attended
                .iter()
                .find(|made| made.function == ScoreFunction::Dot);
            1.0 - dot.unwrap().weights[1]
        };
        assert!(distance(1.0) > distance(3.0) && distance(3.0) > distance(9.0));
        assert!(distance(9.0) < 1e-3);
    }

    #[test]
    fn what_does_not_agree_is_refused() {
        let parameters = ScoreParameters::Given(Box::new(weights()));
        let wide = Memory {
            query: vec![1.0, 2.0, 3.0],
            ..memory()
        };
        assert!(attend(&wide, &parameters, 0, 0).is_err());
        let fewer_values = Memory {
            values: table([1, 1], &[1.0]),
            ..memory()
        };
        assert!(attend(&fewer_values, &parameters, 0, 0).is_err());
        let other = ScoreParameters::Given(Box::new(ScoreWeights {
            bilinear: table([1, 2], &[1.0, 1.0]),
            ..weights()
        }));
        assert!(attend(&memory(), &other, 0, 0).is_err());
        let none = ScoreParameters::Random { hidden: 0, seed: 0 };
        assert!(attend(&memory(), &none, 0, 0).is_err());
    }

    #[test]
    fn a_seed_draws_the_same_weights_again() {
        let drawn = |seed| random_weights(4, 3, seed).unwrap();
        assert_eq!(drawn(1), drawn(1));
        assert_ne!(drawn(1), drawn(2));
        assert_eq!(drawn(1).hidden.shape, [3, 8]);
    }

    proptest! {
        #[test]
        fn a_bilinear_score_with_the_identity_is_the_dot_product(
            query in prop::collection::vec(-4.0f32..4.0, 2),
            keys in prop::collection::vec(-4.0f32..4.0, 6),
        ) {
            let memory = Memory {
                query,
                keys: table([3, 2], &keys),
                values: table([3, 2], &keys),
            };
            let identity = ScoreParameters::Given(Box::new(ScoreWeights {
                bilinear: table([2, 2], &[1.0, 0.0, 0.0, 1.0]),
                ..weights()
            }));
            let made = attend(&memory, &identity, 0, 0).unwrap();
            let of = |function| made.iter().find(|made| made.function == function).unwrap();
            let (dot, bilinear) = (of(ScoreFunction::Dot), of(ScoreFunction::Bilinear));
            for (dot, bilinear) in dot.scores.iter().zip(&bilinear.scores) {
                prop_assert!((dot - bilinear).abs() < 1e-4);
            }
        }
    }
}
