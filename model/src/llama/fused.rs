//! Phi-3's matrices, of which a file has several in one.

use std::borrow::Cow;
use std::ops::Range;

use attention_trace::config::{Convention, LlamaConfig};
use safetensors::SafeTensors;
use safetensors::tensor::TensorView;

use crate::error::ModelError;

/// Returns the file with each fused matrix cut into those that it is made of, and other files as they are.
///
/// # Errors
/// If a fused matrix has another shape than the configuration asks for.
pub fn unfused<'a>(weights: &'a [u8], config: &LlamaConfig) -> Result<Cow<'a, [u8]>, ModelError> {
    if config.convention != Convention::Phi3 {
        return Ok(Cow::Borrowed(weights));
    }
    let Ok(file) = SafeTensors::deserialize(weights) else {
        // The loader says what is wrong with it.
        return Ok(Cow::Borrowed(weights));
    };
    let mut tensors = vec![];
    for (name, tensor) in file.tensors() {
        match parts_of(&name, config) {
            Some((prefix, parts)) => cut(&name, &tensor, config, &parts, |part, view| {
                tensors.push((format!("{prefix}{part}.weight"), view));
            })?,
            None => tensors.push((name, tensor)),
        }
    }
    safetensors::serialize(tensors, None)
        .map(Cow::Owned)
        .map_err(|error| ModelError::Weights(error.to_string()))
}

/// The names and the heights of the matrices that a fused one is made of.
type Parts = Vec<(&'static str, usize)>;

/// Returns the parts of the matrix of that name, and the prefix of their names; `None` if it is not fused.
fn parts_of<'a>(name: &'a str, config: &LlamaConfig) -> Option<(&'a str, Parts)> {
    let heads = |count: usize| count * config.head_dim();
    let (query, key) = (
        heads(config.num_attention_heads),
        heads(config.key_value_heads()),
    );
    let inner = config.intermediate_size;
    if let Some(prefix) = name.strip_suffix("qkv_proj.weight") {
        return Some((
            prefix,
            vec![("q_proj", query), ("k_proj", key), ("v_proj", key)],
        ));
    }
    let prefix = name.strip_suffix("gate_up_proj.weight")?;
    Some((prefix, vec![("gate_proj", inner), ("up_proj", inner)]))
}

/// Hands over the rows of each part of a matrix.
fn cut<'a>(
    name: &str,
    tensor: &TensorView<'a>,
    config: &LlamaConfig,
    parts: &Parts,
    mut push: impl FnMut(&'static str, TensorView<'a>),
) -> Result<(), ModelError> {
    let rows: usize = parts.iter().map(|(_, rows)| rows).sum();
    let columns = config.hidden_size;
    let data = tensor.data();
    if tensor.shape() != [rows, columns] || !data.len().is_multiple_of(rows) {
        return Err(ModelError::Weights(format!(
            "`{name}` has the shape {:?}, config.json asks for {:?}",
            tensor.shape(),
            [rows, columns]
        )));
    }
    let row = data.len() / rows;
    let mut first = 0;
    for &(part, rows) in parts {
        let bytes: Range<usize> = first * row..(first + rows) * row;
        first += rows;
        let view = TensorView::new(tensor.dtype(), vec![rows, columns], &data[bytes]);
        push(
            part,
            view.map_err(|error| ModelError::Weights(error.to_string()))?,
        );
    }
    Ok(())
}
