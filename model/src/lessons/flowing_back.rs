//! The gradient of a loss at every place of a stack of untrained layers, by burn's automatic differentiation, with
//! residual connections and without.

use attention_trace::Array;
use attention_trace::lessons::{
    GradientSite, GradientsBack, StackGradients, StackLayer, StackNorm, StackWeights,
    UntrainedStack,
};
use burn::prelude::*;
use burn::tensor::activation::{log_softmax, relu, softmax};
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
use rand_distr::{Distribution, StandardNormal};

use super::{LessonError, fits, matrix, values, wrong_shape};

/// The most layers of a stack, and the most tokens that it reads.
const MOST_LAYERS: usize = 24;
const MOST_TOKENS: usize = 64;

/// The inner width of the feed-forward network, in widths of the stack.
const INNER: usize = 4;

/// The ε of LayerNorm.
const EPSILON: f64 = 1e-5;

/// The score of a masked key, whose weight is then 0.
const MASKED: f32 = -1e9;

/// Computes the loss of predicting each next token among those of the sentence, and its gradients in both stacks. The
/// tokens' vectors are normalised first, so that those of every model begin alike.
///
/// # Errors
/// If there are fewer than 3 tokens or too many, no layers or too many, or a number is not finite.
pub fn gradients_back(stack: &UntrainedStack) -> Result<GradientsBack, LessonError> {
    let weights = untrained(stack)?;
    let gradients = |is_residual| stack_gradients(&stack.tokens, &weights, stack.norm, is_residual);
    Ok(GradientsBack {
        residual: gradients(true)?,
        plain: gradients(false)?,
    })
}

/// Draws the weights: normally distributed, with the deviation of Glorot and Bengio (2010).
fn untrained(stack: &UntrainedStack) -> Result<StackWeights, LessonError> {
    let UntrainedStack { tokens, layers, .. } = stack;
    let &[count, width] = tokens.shape.as_slice() else {
        return Err(wrong_shape("the tokens", &tokens.shape, "[n, d]"));
    };
    let is_small = (3..=MOST_TOKENS).contains(&count) && (1..=512).contains(&width);
    fits(
        is_small,
        "the tokens",
        &tokens.shape,
        "[n from 3 to 64, d up to 512]",
    )?;
    let shape = [*layers];
    fits(
        (1..=MOST_LAYERS).contains(layers),
        "the stack",
        &shape,
        "[1 to 24 layers]",
    )?;
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(stack.seed);
    let mut draw = |rows: usize, columns: usize| {
        let deviation = (2.0 / (rows + columns) as f32).sqrt();
        let normal = StandardNormal.sample_iter(&mut generator);
        let drawn = normal.map(|value: f32| value * deviation);
        Array {
            shape: vec![rows, columns],
            data: drawn.take(rows * columns).collect(),
        }
    };
    let mut layer = || StackLayer {
        attention: std::array::from_fn(|_| draw(width, width)),
        network: [draw(width, INNER * width), draw(INNER * width, width)],
    };
    Ok(StackWeights {
        layers: (0..*layers).map(|_| layer()).collect(),
        readout: draw(width, count - 1),
    })
}

/// Computes the gradients of a stack of given weights.
///
/// # Errors
/// If arrays do not fit each other, or a number is not finite.
pub fn stack_gradients(
    tokens: &Array,
    weights: &StackWeights,
    norm: StackNorm,
    is_residual: bool,
) -> Result<StackGradients, LessonError> {
    let x = matrix("the tokens", tokens, "[n, d]")?.autodiff();
    let [count, width] = x.dims();
    let readout = matrix("the read-out", &weights.readout, "[d, n - 1]")?.autodiff();
    fits(
        count > 1 && readout.dims() == [width, count - 1],
        "the read-out",
        &weights.readout.shape,
        "[d, n - 1]",
    )?;
    let mut probed = Probed::default();
    let mut x = probed.at(GradientSite::Embedding, normed(x));
    for (number, layer) in weights.layers.iter().enumerate() {
        let [q, k, v, o] = layer.attention.each_ref().map(|array| square(array, width));
        let (q, k, v, o) = (q?, k?, v?, o?);
        let [inner, outer] = &layer.network;
        let inner = matrix("W₁", inner, "[d, f]")?.autodiff();
        let outer = matrix("W₂", outer, "[f, d]")?.autodiff();
        let [from, between] = inner.dims();
        fits(
            from == width && outer.dims() == [between, width],
            "W₂",
            &layer.network[1].shape,
            "[f, d]",
        )?;
        let around = |x: Tensor<2>, sublayer: &mut dyn FnMut(Tensor<2>) -> Tensor<2>| {
            let read = match norm {
                StackNorm::Pre => normed(x.clone()),
                StackNorm::None | StackNorm::Post => x.clone(),
            };
            let made = sublayer(read);
            let sum = if is_residual { x + made } else { made };
            match norm {
                StackNorm::Post => normed(sum),
                StackNorm::None | StackNorm::Pre => sum,
            }
        };
        x = around(x, &mut |x| {
            let [q, k, v] = [&q, &k, &v].map(|weight| x.clone().matmul(weight.clone()));
            let made = causal(q, k).matmul(v).matmul(o.clone());
            probed.at(GradientSite::Attention(number), made)
        });
        x = around(x, &mut |x| {
            let made = relu(x.matmul(inner.clone())).matmul(outer.clone());
            probed.at(GradientSite::FeedForward(number), made)
        });
        x = probed.at(GradientSite::Layer(number), x);
    }
    let x = match norm {
        StackNorm::Pre => normed(x),
        StackNorm::None | StackNorm::Post => x,
    };
    let logits = x.narrow(0, 0, count - 1).matmul(readout);
    let right = Tensor::<2>::eye(count - 1, &logits.device());
    let loss = -(log_softmax(logits, 1) * right)
        .sum()
        .div_scalar((count - 1) as f64);
    Ok(StackGradients {
        norms: probed.norms(&loss)?,
        loss: values(loss.inner())?[0],
    })
}

fn square(array: &Array, width: usize) -> Result<Tensor<2>, LessonError> {
    let weight = matrix("a weight of attention", array, "[d, d]")?.autodiff();
    fits(
        weight.dims() == [width; 2],
        "a weight of attention",
        &array.shape,
        "[d, d]",
    )?;
    Ok(weight)
}

/// LayerNorm over each token's features, without gain and bias.
fn normed(x: Tensor<2>) -> Tensor<2> {
    let centred = x.clone() - x.mean_dim(1);
    let variance = centred.clone().square().mean_dim(1);
    centred / (variance + EPSILON).sqrt()
}

/// The weights of causal scaled dot-product attention, `[n, n]`.
fn causal(q: Tensor<2>, k: Tensor<2>) -> Tensor<2> {
    let [count, width] = q.dims();
    let later = (0..count * count).map(|place| match place % count > place / count {
        true => MASKED,
        false => 0.0,
    });
    let mask = TensorData::new(later.collect::<Vec<f32>>(), [count, count]);
    let mask = Tensor::<2>::from_data(mask, &q.device());
    let scores = q.matmul(k.transpose()).div_scalar((width as f64).sqrt());
    softmax(scores + mask, 1)
}

/// The places of a pass with a zero that was added to each: the zero's gradient equals that of the sum, and burn keeps
/// gradients of leaves only.
#[derive(Default)]
struct Probed(Vec<(GradientSite, Tensor<2>)>);

impl Probed {
    fn at(&mut self, site: GradientSite, x: Tensor<2>) -> Tensor<2> {
        let zero = Tensor::<2>::zeros(x.dims(), &x.device()).require_grad();
        self.0.push((site, zero.clone()));
        x + zero
    }

    /// The norms of the gradients, from the loss back.
    fn norms(self, loss: &Tensor<1>) -> Result<Vec<(GradientSite, f32)>, LessonError> {
        let gradients = loss.backward();
        let norm = |(site, zero): (GradientSite, Tensor<2>)| {
            let numbers = match zero.grad(&gradients) {
                Some(gradient) => values(gradient)?,
                // The loss does not depend on this place.
                None => vec![],
            };
            // Tiny numbers would be 0 when squared in 32 bits.
            let squares = numbers.iter().map(|&value| f64::from(value).powi(2));
            Ok((site, squares.sum::<f64>().sqrt() as f32))
        };
        self.0.into_iter().rev().map(norm).collect()
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    fn stack(layers: usize, norm: StackNorm) -> UntrainedStack {
        let values = (0..6 * 8).map(|place| ((place * 37 % 23) as f32) / 5.0 - 2.0);
        UntrainedStack {
            tokens: Array {
                shape: vec![6, 8],
                data: values.collect(),
            },
            layers,
            norm,
            seed: 5,
        }
    }

    #[derive(Deserialize)]
    struct Case {
        norm: StackNorm,
        is_residual: bool,
        loss: f32,
        norms: Vec<(GradientSite, f32)>,
    }

    #[derive(Deserialize)]
    struct Fixture {
        tokens: Array,
        weights: StackWeights,
        cases: Vec<Case>,
    }

    #[test]
    fn losses_and_gradients_are_those_of_pytorch() {
        let text = include_str!("../../../tests/fixtures/flowing_back.json");
        let fixture: Fixture = serde_json::from_str(text).unwrap();
        assert_eq!(fixture.cases.len(), 6);
        for case in fixture.cases {
            let found = stack_gradients(
                &fixture.tokens,
                &fixture.weights,
                case.norm,
                case.is_residual,
            )
            .unwrap();
            let close = |found: f32, expected: f32| {
                let largest = 1e-5 * expected.abs().max(1.0);
                assert!((found - expected).abs() < largest, "{found}, {expected}");
            };
            close(found.loss, case.loss);
            assert_eq!(found.norms.len(), case.norms.len());
            for ((site, norm), (expected_site, expected)) in found.norms.iter().zip(&case.norms) {
                assert_eq!(site, expected_site);
                close(*norm, *expected);
            }
        }
    }

    #[test]
    fn gradients_vanish_without_residual_connections_and_survive_with_them() {
        let found = gradients_back(&stack(12, StackNorm::Pre)).unwrap();
        let share =
            |gradients: &StackGradients| gradients.norms.last().unwrap().1 / gradients.norms[0].1;
        assert_eq!(found.residual.norms.len(), 3 * 12 + 1);
        assert_eq!(found.residual.norms[36].0, GradientSite::Embedding);
        assert!(share(&found.residual) > 0.5, "{}", share(&found.residual));
        let found = gradients_back(&stack(12, StackNorm::None)).unwrap();
        assert!(share(&found.plain) < 1e-3, "{}", share(&found.plain));
    }

    #[test]
    fn an_addition_hands_the_gradient_on_unchanged() {
        let found = gradients_back(&stack(2, StackNorm::Pre)).unwrap().residual;
        assert_eq!(found.norms[0].0, GradientSite::Layer(1));
        assert_eq!(found.norms[1].0, GradientSite::FeedForward(1));
        assert_eq!(found.norms[0].1, found.norms[1].1);
    }

    #[test]
    fn a_seed_draws_the_same_stack_again() {
        let of = |seed| {
            let stack = UntrainedStack {
                seed,
                ..stack(2, StackNorm::Post)
            };
            gradients_back(&stack).unwrap()
        };
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
    }

    #[test]
    fn what_is_no_stack_is_refused() {
        let none = stack(0, StackNorm::Pre);
        let deep = stack(MOST_LAYERS + 1, StackNorm::Pre);
        let mut short = stack(1, StackNorm::Pre);
        short.tokens = Array {
            shape: vec![2, 8],
            data: vec![0.5; 16],
        };
        for refused in [none, deep, short] {
            assert!(gradients_back(&refused).is_err());
        }
    }
}
