//! The state dict among the objects of a pickle.

use std::collections::BTreeSet;

use crate::error::{PytorchError, shown};
use crate::pickle::{Heap, Id, Object, View};

/// The entries under which programs store a state dict beside other things.
const WRAPPERS: [&str; 2] = ["state_dict", "model"];

/// Returns the tensors of the state dict that an object is or wraps, with their names, in its order.
///
/// # Errors
/// If there is none, or it holds something else than tensors, or a name twice.
pub fn tensors<'h, 'a>(
    heap: &'h Heap<'a>,
    built: Id,
) -> Result<Vec<(&'a str, &'h View<'a>)>, PytorchError> {
    let entries = state_dict(heap, built).ok_or(PytorchError::NoStateDict)?;
    let mut names = BTreeSet::new();
    let mut tensors = Vec::with_capacity(entries.len());
    for &(key, value) in entries {
        let &Object::Text(name) = heap.get(key) else {
            return Err(PytorchError::tensor(
                "",
                "the name of an entry is not a text",
            ));
        };
        let Object::Tensor(view) = heap.get(value) else {
            return Err(PytorchError::tensor(name, "it is not a tensor"));
        };
        if !names.insert(name) {
            return Err(PytorchError::Twice { field: shown(name) });
        }
        tensors.push((name, view));
    }
    Ok(tensors)
}

/// Returns the entries of a dictionary.
fn entries<'h>(heap: &'h Heap<'_>, object: Id) -> Option<&'h [(Id, Id)]> {
    match heap.get(object) {
        Object::Dict(entries) => Some(entries),
        _ => None,
    }
}

fn state_dict<'h>(heap: &'h Heap<'_>, built: Id) -> Option<&'h [(Id, Id)]> {
    let outer = entries(heap, built)?;
    let wrapped = |wrapper: &str| {
        let is_wrapper = |key: Id| *heap.get(key) == Object::Text(wrapper);
        let found = outer.iter().find(|(key, _)| is_wrapper(*key));
        found.and_then(|&(_, value)| entries(heap, value))
    };
    let inner = || WRAPPERS.into_iter().find_map(wrapped);
    let has_tensors = |entries: &&[(Id, Id)]| {
        let mut values = entries.iter().map(|&(_, value)| heap.get(value));
        values.any(|value| matches!(value, Object::Tensor(_)))
    };
    [Some(outer), inner()]
        .into_iter()
        .flatten()
        .find(has_tensors)
}
