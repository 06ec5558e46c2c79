//! Distances between the model's outputs for each token with and without a mask.

use attention_trace::Array;

/// Returns for each row the length of the difference between two matrices, as a share of the length of the first;
/// `None` if the shapes differ.
pub fn relative_changes(plain: &Array, masked: &Array) -> Option<Vec<f32>> {
    let &[rows, _] = plain.shape.as_slice() else {
        return None;
    };
    if plain.shape != masked.shape {
        return None;
    }
    (0..rows)
        .map(|row| Some(relative_change(plain.row(&[row])?, masked.row(&[row])?)))
        .collect()
}

fn relative_change(plain: &[f32], masked: &[f32]) -> f32 {
    let length = |squares: f32| squares.sqrt();
    let apart = plain.iter().zip(masked).map(|(a, b)| (a - b) * (a - b));
    let own = plain.iter().map(|a| a * a);
    let (apart, own) = (length(apart.sum()), length(own.sum()));
    if own > 0.0 { apart / own } else { apart }
}

/// Returns the largest difference between the weights of two passes at one query, over all heads; `None` if the
/// shapes differ.
pub fn largest_change(plain: &Array, masked: &Array, query: usize) -> Option<f32> {
    let &[heads, _, _] = plain.shape.as_slice() else {
        return None;
    };
    if plain.shape != masked.shape {
        return None;
    }
    let mut largest = 0.0f32;
    for head in 0..heads {
        let (one, other) = (plain.row(&[head, query])?, masked.row(&[head, query])?);
        let apart = one.iter().zip(other).map(|(a, b)| (a - b).abs());
        largest = apart.fold(largest, f32::max);
    }
    Some(largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(shape: &[usize], data: &[f32]) -> Array {
        Array {
            shape: shape.to_vec(),
            data: data.to_vec(),
        }
    }

    #[test]
    fn a_change_is_a_share_of_what_was_there() {
        let plain = array(&[2, 2], &[3.0, 4.0, 1.0, 0.0]);
        let masked = array(&[2, 2], &[3.0, 4.0, 1.0, 0.5]);
        assert_eq!(relative_changes(&plain, &masked), Some(vec![0.0, 0.5]));
        let other = array(&[1, 4], &[0.0; 4]);
        assert_eq!(relative_changes(&plain, &other), None);
    }

    #[test]
    fn the_largest_change_is_over_all_heads() {
        let plain = array(&[2, 1, 2], &[0.5, 0.5, 1.0, 0.0]);
        let masked = array(&[2, 1, 2], &[0.5, 0.5, 0.25, 0.75]);
        assert_eq!(largest_change(&plain, &masked, 0), Some(0.75));
        assert_eq!(largest_change(&plain, &masked, 1), None);
    }
}
