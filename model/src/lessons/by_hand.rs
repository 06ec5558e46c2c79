//! Self-attention step by step, on numbers few enough to be checked by hand.

use attention_trace::{
    Array,
    lessons::{HandInput, HandSteps},
};
use burn::prelude::*;
use burn::tensor::activation::softmax;

use super::{LessonError, array, fits, matrix, not_too_large};

/// Projects the words to queries, keys and values, scores each word against every word, itself included, normalises the
/// scores, and sums the weighted values; then concatenates the result with the words and adds it to them.
///
/// # Errors
/// If shapes do not agree, or arrays are too large or not finite.
pub fn by_hand(input: &HandInput) -> Result<HandSteps, LessonError> {
    let x = matrix("X", &input.x, "[n, d]")?;
    let [n, d] = x.dims();
    let w_q = projection("W^Q", &input.w_q, d)?;
    let w_k = projection("W^K", &input.w_k, d)?;
    let w_v = projection("W^V", &input.w_v, d)?;
    fits(
        w_k.dims() == w_q.dims(),
        "W^K",
        &w_k.dims(),
        "as wide as W^Q",
    )?;
    if !input.scale.is_finite() {
        return Err(LessonError::NotFinite("the scale"));
    }
    let d_v = w_v.dims()[1];
    not_too_large("the weighted values", n * n * d_v)?;

    let (query, key, value) = (
        x.clone().matmul(w_q),
        x.clone().matmul(w_k),
        x.clone().matmul(w_v),
    );
    let scores = query.clone().matmul(key.clone().transpose());
    let scaled = scores.clone() * input.scale;
    let weights = softmax(scaled.clone(), 1);
    let weighted = weights.clone().unsqueeze_dim::<3>(2) * value.clone().unsqueeze_dim::<3>(0);
    let output = weighted.clone().sum_dim(1).squeeze_dim::<2>(1);
    let added = (d == d_v).then(|| x.clone() + output.clone());
    Ok(HandSteps {
        query: array(query)?,
        key: array(key)?,
        value: array(value)?,
        scores: array(scores)?,
        scaled: array(scaled)?,
        weights: array(weights)?,
        weighted: array(weighted)?,
        concatenated: array(Tensor::cat(vec![x, output.clone()], 1))?,
        output: array(output)?,
        added: added.map(array).transpose()?,
    })
}

fn projection(
    what: &'static str,
    weights: &Array,
    inputs: usize,
) -> Result<Tensor<2>, LessonError> {
    let weights = matrix(what, weights, "[d, d_k]")?;
    let shape = weights.dims();
    fits(
        shape[0] == inputs,
        what,
        &shape,
        "a row for each column of X",
    )?;
    Ok(weights)
}

#[cfg(test)]
mod tests {
    use attention_trace::lessons::WorkedExample;
    use proptest::prelude::*;

    use super::*;

    fn steps(example: WorkedExample) -> HandSteps {
        by_hand(&example.input()).unwrap()
    }

    /// Returns a row of an example's array.
    fn row(array: &Array, row: usize) -> &[f32] {
        array.row(&[row]).unwrap()
    }

    fn assert_close(found: &[f32], expected: &[f32]) {
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 4e-6, "{found} for {expected}");
        }
    }

    #[test]
    fn by_hand_q4_is_five_ones() {
        assert_close(row(&steps(WorkedExample::FourWords).query, 3), &[1.0; 5]);
    }

    #[test]
    fn by_hand_the_scores_of_her_query_are_the_sums_of_the_keys() {
        let HandSteps { key, scores, .. } = steps(WorkedExample::FourWords);
        let sums: Vec<f32> = (0..4).map(|word| row(&key, word).iter().sum()).collect();
        assert_close(row(&scores, 3), &sums);
        assert_close(&sums, &[4.9, 3.0, 2.1, 3.5]);
    }

    #[test]
    fn by_hand_z4_is_4_4_in_each_component() {
        assert_close(row(&steps(WorkedExample::FourWords).output, 3), &[4.4; 5]);
    }

    #[test]
    fn by_hand_all_four_words_have_a_share_and_roujia_the_largest() {
        let weights = steps(WorkedExample::FourWords).weights;
        let [roujia, others @ ..] = row(&weights, 3) else {
            panic!()
        };
        assert!(others.iter().all(|other| other < roujia && *other > 0.1));
    }

    #[test]
    fn by_hand_concatenation_is_5_and_4_4_and_addition_9_4() {
        let HandSteps {
            concatenated,
            added,
            ..
        } = steps(WorkedExample::FourWords);
        assert_close(row(&concatenated, 3), &[[5.0; 5], [4.4; 5]].concat());
        assert_close(row(&added.unwrap(), 3), &[9.4; 5]);
    }

    #[test]
    fn by_hand_z4_is_not_4_4_without_scaling() {
        let unscaled = HandInput {
            scale: 1.0,
            ..WorkedExample::FourWords.input()
        };
        let output = by_hand(&unscaled).unwrap().output;
        assert!(
            row(&output, 3)
                .iter()
                .all(|value| (value - 4.4).abs() > 0.1)
        );
    }

    #[test]
    fn thinking_machines_from_x_and_matrices_to_z1() {
        let HandSteps {
            scores,
            scaled,
            weights,
            value,
            output,
            added,
            ..
        } = steps(WorkedExample::ThinkingMachines);
        assert_eq!(row(&scores, 0), [112.0, 96.0]);
        assert_eq!(row(&scaled, 0), [14.0, 12.0]);
        let [first, second] = row(&weights, 0) else {
            panic!()
        };
        assert_eq!(format!("{first:.2} {second:.2}"), "0.88 0.12");
        let z: Vec<f32> = row(&value, 0)
            .iter()
            .zip(row(&value, 1))
            .map(|(one, other)| first * one + second * other)
            .collect();
        assert_close(row(&output, 0), &z);
        // Words have four numbers, values three.
        assert_eq!(added, None);
    }

    #[test]
    fn what_does_not_agree_is_refused() {
        let input = WorkedExample::FourWords.input();
        let narrow = WorkedExample::ThinkingMachines.input();
        for wrong in [
            HandInput {
                w_q: narrow.w_q.clone(),
                ..input.clone()
            },
            HandInput {
                x: narrow.x.clone(),
                ..input.clone()
            },
            HandInput {
                w_k: input.x.clone(),
                ..input.clone()
            },
            HandInput {
                scale: f32::INFINITY,
                ..input.clone()
            },
        ] {
            assert!(by_hand(&wrong).is_err(), "{wrong:?}");
        }
    }

    /// Generates inputs with as many words and dimensions as the sizes.
    fn inputs() -> impl Strategy<Value = HandInput> {
        let matrix = |rows: usize, columns: usize| {
            prop::collection::vec(-3.0f32..3.0, rows * columns).prop_map(move |data| Array {
                shape: vec![rows, columns],
                data,
            })
        };
        (1usize..6, 1usize..6, 1usize..6, 1usize..6).prop_flat_map(move |(n, d, d_k, d_v)| {
            (
                matrix(n, d),
                matrix(d, d_k),
                matrix(d, d_k),
                matrix(d, d_v),
                0.1f32..1.0,
            )
                .prop_map(|(x, w_q, w_k, w_v, scale)| HandInput {
                    x,
                    w_q,
                    w_k,
                    w_v,
                    scale,
                })
        })
    }

    proptest! {
        #[test]
        fn weights_sum_to_one_and_outputs_lie_between_the_values(input in inputs()) {
            let HandSteps { weights, value, output, .. } = by_hand(&input).unwrap();
            let (n, d_v) = (input.x.shape[0], input.w_v.shape[1]);
            for word in 0..n {
                let sum: f32 = row(&weights, word).iter().sum();
                prop_assert!((sum - 1.0).abs() < 1e-5, "{}", sum);
                for (column, &found) in row(&output, word).iter().enumerate() {
                    let values = (0..n).map(|other| value.data[other * d_v + column]);
                    let (low, high) = values.fold((f32::MAX, f32::MIN), |(low, high), value| {
                        (low.min(value), high.max(value))
                    });
                    prop_assert!(low - 1e-3 <= found && found <= high + 1e-3);
                }
            }
        }
    }
}
