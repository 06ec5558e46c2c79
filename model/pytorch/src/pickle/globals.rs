//! The functions and classes that a pickle may name.

use crate::dtype::Dtype;

/// A function or class that tensors are rebuilt with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Global {
    /// The class of state dicts.
    OrderedDict,
    /// The class of tensors.
    Tensor,
    /// The class of storages with values of a type.
    Storage(Dtype),
    /// The function that makes a tensor of a storage.
    RebuildTensor,
    /// The function that makes a parameter of a tensor.
    RebuildParameter,
    /// The same, with attributes.
    RebuildParameterWithState,
    /// The function that makes a tensor with attributes by another function.
    RebuildFromType,
}

impl Global {
    /// Returns the function or class of that name; `None` for all others.
    pub fn of(module: &str, name: &str) -> Option<Self> {
        Some(match (module, name) {
            ("collections", "OrderedDict") => Global::OrderedDict,
            ("torch", "Tensor") => Global::Tensor,
            ("torch", class) => Global::Storage(Dtype::of_storage(class)?),
            ("torch._utils", "_rebuild_tensor_v2") => Global::RebuildTensor,
            ("torch._utils", "_rebuild_parameter") => Global::RebuildParameter,
            ("torch._utils", "_rebuild_parameter_with_state") => Global::RebuildParameterWithState,
            ("torch._tensor", "_rebuild_from_type_v2") => Global::RebuildFromType,
            _ => return None,
        })
    }
}
