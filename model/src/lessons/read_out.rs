//! Soft and hard attention: the values that are read out by weights.

use attention_trace::{Array, lessons::ReadOut};
use burn::prelude::*;
use rand::distr::weighted::WeightedIndex;
use rand::{SeedableRng, rngs::Xoshiro256PlusPlus};
use rand_distr::Distribution;

use super::{LessonError, fits, matrix, not_too_large, values, vector};

/// Reads values `[n, d_v]` by `n` weights: softly, as the expectation `E_{z∼p}[v_z]`, and hard, by the largest weight
/// (the first of several) and by `draws` samples of `z`. Samples are the same for the same seed on every machine.
///
/// # Errors
/// If weights and values do not agree, the weights are negative or sum to 0, or there are too many.
pub fn read_out(
    weights: &[f32],
    of: &Array,
    draws: usize,
    seed: u64,
) -> Result<ReadOut, LessonError> {
    let table = matrix("the values", of, "[n, d_v]")?;
    let [n, width] = table.dims();
    fits(
        weights.len() == n,
        "the values",
        &[n, width],
        "one for each weight",
    )?;
    not_too_large("the draws", draws.saturating_mul(width))?;
    let soft = vector("the weights", weights)?
        .unsqueeze::<2>()
        .matmul(table.clone());
    let drawn = draw(weights, draws, seed)?;
    Ok(ReadOut {
        soft: values(soft)?,
        largest: largest(weights),
        mean: mean_of(table, &drawn)?,
        draws: drawn,
    })
}

fn draw(weights: &[f32], draws: usize, seed: u64) -> Result<Vec<usize>, LessonError> {
    let refused = |_| LessonError::Shape {
        what: "the weights",
        shape: vec![weights.len()],
        expected: "a distribution",
    };
    let distribution = WeightedIndex::new(weights).map_err(refused)?;
    let mut generator = Xoshiro256PlusPlus::seed_from_u64(seed);
    Ok((0..draws)
        .map(|_| distribution.sample(&mut generator))
        .collect())
}

/// Returns the mean of the rows that were drawn.
fn mean_of(table: Tensor<2>, drawn: &[usize]) -> Result<Vec<f32>, LessonError> {
    if drawn.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<i32> = drawn.iter().map(|&row| row as i32).collect();
    let rows = Tensor::<1, Int>::from_data(rows.as_slice(), &table.device());
    values(table.select(0, rows).mean_dim(0))
}

fn largest(weights: &[f32]) -> usize {
    let larger = |best: usize, index: usize| {
        if weights[index] > weights[best] {
            index
        } else {
            best
        }
    };
    (1..weights.len()).fold(0, larger)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values_of(data: &[f32]) -> Array {
        Array {
            shape: vec![data.len() / 2, 2],
            data: data.to_vec(),
        }
    }

    #[test]
    fn soft_attention_is_the_expectation_by_hand() {
        let read = read_out(&[0.25, 0.75], &values_of(&[4.0, 0.0, 8.0, -4.0]), 0, 0).unwrap();
        assert_eq!(read.soft, [7.0, -3.0]);
        assert_eq!(read.largest, 1);
        assert!(read.draws.is_empty() && read.mean.is_empty());
    }

    #[test]
    fn the_mean_of_many_hard_reads_is_the_soft_one() {
        let read = read_out(
            &[0.1, 0.6, 0.3],
            &values_of(&[0.0, 9.0, 3.0, 0.0, -3.0, 3.0]),
            20_000,
            5,
        );
        let read = read.unwrap();
        for (mean, soft) in read.mean.iter().zip(&read.soft) {
            assert!((mean - soft).abs() < 0.1, "{mean} for {soft}");
        }
        let share =
            |z: usize| read.draws.iter().filter(|draw| **draw == z).count() as f32 / 20_000.0;
        for (z, weight) in [0.1, 0.6, 0.3].into_iter().enumerate() {
            assert!(
                (share(z) - weight).abs() < 0.02,
                "{} for {weight}",
                share(z)
            );
        }
    }

    #[test]
    fn where_one_weight_is_everything_all_reads_agree() {
        let read = read_out(&[0.0, 1.0], &values_of(&[1.0, 1.0, 5.0, 6.0]), 30, 2).unwrap();
        assert_eq!((&read.soft, &read.mean), (&vec![5.0, 6.0], &vec![5.0, 6.0]));
        assert_eq!(read.largest, 1);
    }

    #[test]
    fn a_seed_draws_the_same_again() {
        let drawn = |seed| {
            read_out(&[0.5, 0.5], &values_of(&[0.0; 4]), 64, seed)
                .unwrap()
                .draws
        };
        assert_eq!(drawn(3), drawn(3));
        assert_ne!(drawn(3), drawn(4));
    }

    #[test]
    fn what_is_no_distribution_is_refused() {
        let values = values_of(&[0.0; 4]);
        assert!(read_out(&[1.0], &values, 1, 0).is_err());
        assert!(read_out(&[-1.0, 2.0], &values, 1, 0).is_err());
        assert!(read_out(&[0.0, 0.0], &values, 1, 0).is_err());
        assert!(read_out(&[0.5, 0.5], &values, usize::MAX, 0).is_err());
    }
}
