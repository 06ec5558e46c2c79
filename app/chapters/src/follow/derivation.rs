//! The computation of a number, as plain data.

/// Products listed one by one; of more, the largest and the rest together.
const MOST_LISTED: usize = 64;
/// The number of products listed if there are more than that.
const LARGEST_LISTED: usize = 12;

/// A number and how it is computed.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivation {
    /// The names of the number's row and column.
    pub place: Vec<String>,
    /// The number, as the model computed it.
    pub value: f32,
    pub operation: Operation,
}

/// The operation that computes a number, with its operands.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// Looked up, or passed on from an earlier stage.
    Given,
    /// A sum of products.
    Products(Products),
    /// A sum of named numbers.
    Sum(Vec<(String, f32)>),
    /// A product of two named numbers.
    Product([(String, f32); 2]),
    /// A number divided by another.
    Quotient {
        /// The numerator, by name.
        above: (String, f32),
        /// The denominator, by name.
        below: (String, f32),
    },
    /// A share of e^x: the scores by name, and which of them it is.
    Softmax {
        /// Scores by the names of their keys.
        scores: Vec<(String, f32)>,
        /// The index of the score that the share is computed of.
        index: usize,
    },
    /// Forbidden, or let through.
    Mask {
        /// The score before the mask.
        score: f32,
        /// True if the key comes after the query.
        forbidden: bool,
    },
    /// A number of a normalised row.
    Normalised(Normalised),
    /// Rotated by RoPE with its partner: `a·cos φ ∓ b·sin φ`.
    Rotated {
        /// The number before the rotation.
        own: f32,
        /// Its partner before the rotation.
        partner: f32,
        /// Cosine of the angle.
        cosine: f32,
        /// Sine of the angle, with the sign it is taken with.
        sine: f32,
    },
    /// A function of one number.
    Function {
        function: &'static str,
        /// The argument of the function.
        argument: f32,
    },
}

/// A sum of products, element by element.
#[derive(Clone, Debug, PartialEq)]
pub struct Products {
    /// The name of the left factors.
    pub left: String,
    /// The name of the right factors.
    pub right: String,
    /// Index, left factor, right factor: all of them, or the largest products.
    pub terms: Vec<(usize, f32, f32)>,
    /// The number of products that are not listed, and their sum.
    pub rest: Option<(usize, f32)>,
    /// The bias added to the sum.
    pub bias: Option<f32>,
}

impl Products {
    /// The products of two rows.
    pub fn new(left: (&str, &[f32]), right: (&str, &[f32]), bias: Option<f32>) -> Self {
        let mut terms: Vec<(usize, f32, f32)> = left
            .1
            .iter()
            .zip(right.1)
            .enumerate()
            .map(|(index, (&left, &right))| (index, left, right))
            .collect();
        let rest = (terms.len() > MOST_LISTED).then(|| {
            terms.sort_by(|one, other| product(other).abs().total_cmp(&product(one).abs()));
            let rest = terms.split_off(LARGEST_LISTED);
            (rest.len(), rest.iter().map(product).sum())
        });
        Products {
            left: left.0.to_owned(),
            right: right.0.to_owned(),
            terms,
            rest,
            bias,
        }
    }

    /// Returns the sum of all products and the bias, in the order shown.
    pub fn total(&self) -> f32 {
        let listed: f32 = self.terms.iter().map(product).sum();
        listed + self.rest.map_or(0.0, |(_, sum)| sum) + self.bias.unwrap_or(0.0)
    }
}

fn product(&(_, left, right): &(usize, f32, f32)) -> f32 {
    left * right
}

/// A number of a normalised row, with the statistics of the row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Normalised {
    /// The number before the norm.
    pub input: f32,
    /// The row's mean, which a layer norm takes off and RMSNorm does not.
    pub mean: Option<f32>,
    /// The divisor without ε: the row's standard deviation, or root mean square.
    pub spread: f32,
    /// γ, where there is one.
    pub gain: Option<f32>,
    /// β, where there is one.
    pub bias: Option<f32>,
}

impl Normalised {
    /// LayerNorm (Ba et al. 2016) of the number at `index` of `row`.
    pub fn layer_norm(row: &[f32], index: usize, gain: f32, bias: f32) -> Self {
        let mean = mean(row.iter().copied());
        let spread = mean_square(row.iter().map(|value| value - mean)).sqrt();
        Normalised {
            input: row[index],
            mean: Some(mean),
            spread,
            gain: Some(gain),
            bias: Some(bias),
        }
    }

    /// RMSNorm (Zhang and Sennrich 2019) of the number at `index` of `row`.
    pub fn rms_norm(row: &[f32], index: usize, gain: f32) -> Self {
        Normalised {
            input: row[index],
            mean: None,
            spread: mean_square(row.iter().copied()).sqrt(),
            gain: Some(gain),
            bias: None,
        }
    }
}

fn mean(values: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = values.len().max(1) as f32;
    values.sum::<f32>() / count
}

fn mean_square(values: impl ExactSizeIterator<Item = f32>) -> f32 {
    mean(values.map(|value| value * value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_bias_is_part_of_the_total() {
        let of = Products::new(("q", &[2.0, 3.0]), ("k", &[5.0, 7.0]), Some(1.0));
        assert_eq!(of.total(), 32.0);
        assert_eq!(of.rest, None);
    }

    #[test]
    fn a_row_is_normalised_to_mean_zero_and_spread_one() {
        let row = [1.0, 2.0, 3.0, 6.0];
        let one = Normalised::layer_norm(&row, 3, 1.0, 0.0);
        assert_eq!(one.mean, Some(3.0));
        assert!((one.spread - 3.5_f32.sqrt()).abs() < 1e-6);
        let one = Normalised::rms_norm(&row, 0, 2.0);
        assert!((one.spread - 12.5_f32.sqrt()).abs() < 1e-6);
        assert_eq!(one.mean, None);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_when_only_the_largest_are_listed(
            left in prop::collection::vec(-4.0f32..4.0, 1..300), seed in 0usize..300
        ) {
            let mut right = left.clone();
            right.rotate_left(seed % left.len());
            let products = Products::new(("a", &left), ("b", &right), None);
            let total: f64 = left.iter().zip(&right).map(|(a, b)| f64::from(a * b)).sum();
            prop_assert!((f64::from(products.total()) - total).abs() < 1e-2);
            let unlisted = products.rest.map_or(0, |(count, _)| count);
            prop_assert_eq!(unlisted + products.terms.len(), left.len());
        }
    }
}
