//! Fewer heads of keys and values: each group's matrices are replaced by their mean (Ainslie et al. 2023).

use safetensors::tensor::TensorView;
use safetensors::{Dtype, serialize};

use super::read;
use super::tensor::encoding;
use crate::error::ModelError;

/// The ends of the names of keys' and values' parameters in a Llama checkpoint.
const SHARED: [&str; 4] = [
    "k_proj.weight",
    "v_proj.weight",
    "k_proj.bias",
    "v_proj.bias",
];

/// Returns the checkpoint `weights` with the keys and values of neighbouring heads averaged to `heads` heads of
/// `head_width` numbers each. A file that has as many already is returned with the same numbers.
///
/// # Errors
/// If the bytes are not a safetensors file, or the heads of a matrix cannot be dealt to so many groups.
pub fn average_key_values(
    weights: &[u8],
    heads: usize,
    head_width: usize,
) -> Result<Vec<u8>, ModelError> {
    let file = read(weights)?;
    let rows = heads * head_width;
    let mut tensors = Vec::new();
    for (name, tensor) in file.tensors() {
        let is_shared = SHARED.iter().any(|end| name.ends_with(end));
        let mut shape = tensor.shape().to_vec();
        if !is_shared || shape.first() == Some(&rows) {
            let bytes = tensor.data().to_vec();
            tensors.push((name, tensor.dtype(), shape, bytes));
            continue;
        }
        let unfit = || ModelError::Weights(format!("`{name}` has no rows for {heads} groups"));
        let encoding = encoding(tensor.dtype()).ok_or_else(unfit)?;
        let first = shape.first_mut().ok_or_else(unfit)?;
        if *first == 0 || rows == 0 || !first.is_multiple_of(rows) {
            return Err(unfit());
        }
        let of_group = *first / rows;
        *first = rows;
        let values = encoding.widen(tensor.data());
        let columns = values.len() / (rows * of_group);
        let means = averaged(&values, of_group, head_width * columns);
        let bytes = means.iter().flat_map(|value| value.to_le_bytes()).collect();
        tensors.push((name, Dtype::F32, shape, bytes));
    }
    let views = tensors.iter().map(|(name, dtype, shape, bytes)| {
        let view = TensorView::new(*dtype, shape.clone(), bytes)?;
        Ok((name, view))
    });
    let views = views.collect::<Result<Vec<_>, safetensors::SafeTensorError>>();
    views
        .and_then(|views| serialize(views, None))
        .map_err(|error| ModelError::Weights(error.to_string()))
}

/// Returns the means of each `of_group` neighbouring heads, of `numbers` numbers each.
fn averaged(values: &[f32], of_group: usize, numbers: usize) -> Vec<f32> {
    let groups = values.chunks_exact(of_group * numbers);
    let mean = |group: &[f32]| -> Vec<f32> {
        let of = |place: usize| group[place..].iter().step_by(numbers).sum::<f32>();
        (0..numbers)
            .map(|place| of(place) / of_group as f32)
            .collect()
    };
    groups.flat_map(mean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, shape: &[usize], values: &[f32]) -> Vec<u8> {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let view = TensorView::new(Dtype::F32, shape.to_vec(), &bytes).unwrap();
        serialize([(name, view)], None).unwrap()
    }

    fn values(weights: &[u8], name: &str) -> (Vec<usize>, Vec<f32>) {
        let file = read(weights).unwrap();
        let tensor = file.tensor(name).unwrap();
        let values = encoding(tensor.dtype()).unwrap().widen(tensor.data());
        (tensor.shape().to_vec(), values)
    }

    #[test]
    fn neighbours_are_averaged_by_hand() {
        // Four heads of one row, two columns.
        let name = "model.layers.0.self_attn.k_proj.weight";
        let four = file(name, &[4, 2], &[1.0, 2.0, 3.0, 6.0, 5.0, 0.0, 7.0, 1.0]);
        let two = average_key_values(&four, 2, 1).unwrap();
        assert_eq!(values(&two, name), (vec![2, 2], vec![2.0, 4.0, 6.0, 0.5]));
        // Two heads of two rows.
        let one = average_key_values(&four, 1, 2).unwrap();
        assert_eq!(values(&one, name), (vec![2, 2], vec![3.0, 1.0, 5.0, 3.5]));
        assert!(average_key_values(&four, 3, 1).is_err());
        assert!(average_key_values(b"no file", 1, 1).is_err());
    }

    #[test]
    fn queries_and_as_many_heads_stay() {
        let query = "model.layers.0.self_attn.q_proj.weight";
        let key = "model.layers.0.self_attn.k_proj.bias";
        for name in [query, key] {
            let same = file(name, &[2], &[1.0, 2.0]);
            let heads = if name == query { 1 } else { 2 };
            let kept = average_key_values(&same, heads, 1).unwrap();
            assert_eq!(values(&kept, name), (vec![2], vec![1.0, 2.0]));
        }
    }
}
