//! Numbers that the screens compute from the trace: averages, similarities, and gradients.

use attention_trace::Array;

/// Returns weights of `count` tokens: `share` for the one at `chosen`, and equal parts of the rest for the others.
pub fn shared(count: usize, chosen: usize, share: f32) -> Vec<f32> {
    if count <= 1 {
        return vec![1.0; count];
    }
    let rest = (1.0 - share) / (count - 1) as f32;
    let weight = |place| if place == chosen { share } else { rest };
    (0..count).map(weight).collect()
}

/// Returns the average of a matrix's first rows, one for each weight; `None` if it has fewer rows.
pub fn average(rows: &Array, weights: &[f32]) -> Option<Vec<f32>> {
    let mut sum = vec![0.0; *rows.shape.last()?];
    for (row, weight) in weights.iter().enumerate() {
        for (total, value) in sum.iter_mut().zip(rows.row(&[row])?) {
            *total += weight * value;
        }
    }
    Some(sum)
}

/// Returns the cosine of the angle between two vectors; 0 if one of them is zero.
pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    if lengths > 0.0 {
        dot(a, b) / lengths
    } else {
        0.0
    }
}

/// Returns the similarity of a vector to each of the first `count` rows of a matrix.
pub fn likeness(vector: &[f32], rows: &Array, count: usize) -> Vec<f32> {
    let rows = (0..count).map_while(|row| rows.row(&[row]));
    rows.map(|row| cosine(vector, row)).collect()
}

/// Returns the gradient of the loss −ln p of the token at `right` by each logit: p − 1 for that token, p for every
/// other.
pub fn gradient(probabilities: &[f32], right: usize) -> Vec<f32> {
    let probabilities = probabilities.iter().enumerate();
    probabilities
        .map(|(place, p)| p - f32::from(u8::from(place == right)))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matrix(columns: usize, data: &[f32]) -> Array {
        Array {
            shape: vec![data.len() / columns, columns],
            data: data.to_vec(),
        }
    }

    #[test]
    fn an_average_is_between_its_rows() {
        let rows = matrix(2, &[1.0, 0.0, 3.0, 4.0]);
        assert_eq!(average(&rows, &[0.5, 0.5]), Some(vec![2.0, 2.0]));
        assert_eq!(average(&rows, &[0.0, 1.0]), Some(vec![3.0, 4.0]));
        assert_eq!(average(&rows, &[0.2, 0.3, 0.5]), None);
    }

    #[test]
    fn likeness_is_of_directions() {
        assert_eq!(cosine(&[1.0, 0.0], &[5.0, 0.0]), 1.0);
        assert_eq!(cosine(&[1.0, 0.0], &[0.0, 2.0]), 0.0);
        assert_eq!(cosine(&[1.0, 0.0], &[-2.0, 0.0]), -1.0);
        assert_eq!(cosine(&[0.0, 0.0], &[1.0, 0.0]), 0.0);
        let rows = matrix(2, &[1.0, 0.0, 0.0, 1.0]);
        assert_eq!(likeness(&[2.0, 0.0], &rows, 9), [1.0, 0.0]);
    }

    #[test]
    fn training_raises_the_right_token_and_lowers_the_others() {
        assert_eq!(gradient(&[0.75, 0.25], 1), [0.75, -0.75]);
    }

    proptest! {
        #[test]
        fn weights_are_shares_of_one(
            count in 1usize..40, chosen in 0usize..40, share in 0.0f32..=1.0
        ) {
            let weights = shared(count, chosen % count, share);
            prop_assert_eq!(weights.len(), count);
            prop_assert!(weights.iter().all(|&weight| weight >= 0.0));
            prop_assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-4);
        }

        #[test]
        fn a_cosine_is_no_more_than_one(
            a in prop::collection::vec(-10.0f32..10.0, 8), b in prop::collection::vec(-10.0f32..10.0, 8)
        ) {
            prop_assert!(cosine(&a, &b).abs() <= 1.0 + 1e-4);
            prop_assert!((cosine(&a, &b) - cosine(&b, &a)).abs() < 1e-5);
        }

        #[test]
        fn what_is_pushed_up_is_pushed_down_elsewhere(
            scores in prop::collection::vec(-5.0f32..5.0, 2..9), right in 0usize..9
        ) {
            let total: f32 = scores.iter().map(|score| score.exp()).sum();
            let probabilities: Vec<f32> = scores.iter().map(|score| score.exp() / total).collect();
            let right = right % probabilities.len();
            let gradient = gradient(&probabilities, right);
            prop_assert!(gradient.iter().sum::<f32>().abs() < 1e-4);
            prop_assert!(gradient[right] <= 0.0);
        }
    }
}
