//! Bounds on what `config.json` may ask for, so that a broken one is an error and not a crash.

use crate::error::ModelError;

/// Rows of a table of tokens or positions.
pub(crate) const LARGEST_TABLE: usize = 1 << 20;
/// Width of a vector.
pub(crate) const WIDEST: usize = 1 << 16;
/// Heads of a layer.
pub(crate) const MOST_HEADS: usize = 1 << 10;
/// Layers of a stack.
pub(crate) const MOST_LAYERS: usize = 1 << 8;

/// Refuses a size (its name, its value, the largest allowed) that is zero or out of reason.
pub(crate) fn check_sizes(sizes: &[(&str, usize, usize)]) -> Result<(), ModelError> {
    match sizes
        .iter()
        .find(|(_, size, most)| !(1..=*most).contains(size))
    {
        Some((name, size, most)) => Err(ModelError::Unsupported(format!(
            "{name} is {size}; it must be between 1 and {most}"
        ))),
        None => Ok(()),
    }
}

/// Refuses a special token that the embedding table has no row for.
pub(crate) fn check_tokens(tokens: &[(&str, u32)], rows: usize) -> Result<(), ModelError> {
    match tokens.iter().find(|(_, token)| *token as usize >= rows) {
        Some((name, token)) => Err(ModelError::Unsupported(format!(
            "{name} is {token}, but vocab_size is {rows}"
        ))),
        None => Ok(()),
    }
}
