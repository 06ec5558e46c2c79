//! Phi-3's matrices, of which a file has several in one.

use attention_trace::config::{Convention, LlamaConfig};

use crate::error::ModelError;
use crate::weights::{FileNames, Opened, StoredTensor};

/// Returns the file with each fused matrix cut into those that it is made of, and other files as they are.
///
/// # Errors
/// If a fused matrix has another shape than the configuration asks for.
pub fn unfused<'a>(file: Opened<'a>, config: &LlamaConfig) -> Result<Opened<'a>, ModelError> {
    if config.convention != Convention::Phi3 {
        return Ok(file);
    }
    let mut tensors = vec![];
    for (name, tensor) in &file.tensors {
        match parts_of(name, config) {
            Some((prefix, parts)) => cut(name, tensor, config, &parts, |part, matrix| {
                tensors.push((format!("{prefix}{part}.weight"), matrix));
            })?,
            None => tensors.push((name.clone(), tensor.clone())),
        }
    }
    Ok(file.with_tensors(tensors))
}

/// Adds the names of fused matrices to those of their parts.
pub fn with_fused(mut names: FileNames) -> FileNames {
    const FUSED: [(&str, &str); 5] = [
        ("self_attn.q_proj", "self_attn.qkv_proj"),
        ("self_attn.k_proj", "self_attn.qkv_proj"),
        ("self_attn.v_proj", "self_attn.qkv_proj"),
        ("mlp.gate_proj", "mlp.gate_up_proj"),
        ("mlp.up_proj", "mlp.gate_up_proj"),
    ];
    for parameter in &mut names.parameters {
        let fused = FUSED.iter().find_map(|(part, fused)| {
            let name = parameter.first()?;
            name.contains(part).then(|| name.replace(part, fused))
        });
        parameter.extend(fused);
    }
    names
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
fn cut(
    name: &str,
    tensor: &StoredTensor,
    config: &LlamaConfig,
    parts: &Parts,
    mut push: impl FnMut(&'static str, StoredTensor),
) -> Result<(), ModelError> {
    let rows: usize = parts.iter().map(|(_, rows)| rows).sum();
    let columns = config.hidden_size;
    if tensor.shape() != [rows, columns] {
        return Err(ModelError::Weights(format!(
            "`{name}` has the shape {:?}, config.json asks for {:?}",
            tensor.shape(),
            [rows, columns]
        )));
    }
    let mut first = 0;
    for &(part, rows) in parts {
        let matrix = tensor.rows(first..first + rows).ok_or_else(|| {
            ModelError::Weights(format!("`{name}` is stored transposed, and cannot be cut"))
        })?;
        first += rows;
        push(part, matrix);
    }
    Ok(())
}
