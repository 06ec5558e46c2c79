//! Weights between a module and a file, safetensors, GGUF or PyTorch's, under the names and in the layout of its family's checkpoints.

#[cfg(feature = "cli")]
mod grid;
mod hints;
pub(crate) mod raw;
#[cfg(feature = "train")]
mod save;
mod stored;
mod tensor;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use attention_gguf::Floats;
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::prelude::*;
use safetensors::SafeTensors;

use crate::error::ModelError;
use crate::kernels::{Compact, reads_columns};
use crate::layers::AsStored;

#[cfg(feature = "cli")]
pub use self::grid::{GRID_BITS, round_to_grid};
#[cfg(feature = "train")]
pub use self::save::{Precision, save_weights};
use self::stored::Stored;
use self::tensor::StoredTensor;

/// The names and the layout of a module's parameters in the checkpoints of a family.
pub(crate) struct Layout {
    /// The class in `transformers` that writes these files; `None` for families of this project.
    pub model: Option<&'static str>,
    /// The prefix of all names except the heads'; the file of a model without a head lacks it.
    pub base: &'static str,
    /// The names of the matrix that the family ties, the embedding table's first. A file may contain it under any of
    /// them. A matrix that differs from the table is separate, whatever the configuration says, as in `transformers`.
    pub tied: &'static [&'static str],
    /// The names in files for the parameter at a path of the module, today's first. Paths use PyTorch's terms for the
    /// parameters of a layer: `weight` and `bias`.
    pub names: fn(path: &str) -> Vec<String>,
    /// Returns true for a name in files whose tensor the model does not need.
    pub is_extra: fn(name: &str) -> bool,
    /// Returns true if files may lack the parameter at this path, which then keeps its initial value.
    pub may_be_absent: fn(path: &str) -> bool,
    /// True if linear layers have a row for each input, as `Conv1D` of `transformers`, rather than for each output.
    pub rows_are_inputs: bool,
}

impl Layout {
    /// The layout of a module whose paths are the names in the file.
    pub const PATHS: Layout = Layout {
        model: None,
        base: "",
        tied: &[],
        names: |path| vec![path.to_owned()],
        is_extra: |_| false,
        // Marian's bias on the logits is zero in most checkpoints, and left out of some.
        may_be_absent: |path| path == "final_logits_bias",
        rows_are_inputs: false,
    };

    /// The same layout, for a file whose model may have another attention than the module.
    #[cfg(feature = "cli")]
    pub const WITHOUT_ATTENTION: Layout = Layout {
        is_extra: |name| name.starts_with("attention."),
        may_be_absent: |path| path.starts_with("attention."),
        ..Layout::PATHS
    };
}

/// Fills `module` from a file of weights; half-precision and quantised weights become f32, a tensor at a time.
///
/// # Errors
/// If the bytes are not such a file, or its tensors are not exactly the module's parameters.
pub(crate) fn load<M: Module>(module: M, weights: &[u8], layout: &Layout) -> Result<M, ModelError> {
    fill(module, weights, layout, None)
}

/// The matrices that may stay as they are stored, and those that do.
type Kept = BTreeMap<ParamId, Option<Arc<Compact>>>;

/// Fills a module; `kept` receives those of its matrices that stay as they are stored.
fn fill<M: Module>(
    module: M,
    weights: &[u8],
    layout: &Layout,
    kept: Option<&mut Kept>,
) -> Result<M, ModelError> {
    let parameters = parameters(&module, layout);
    let stored = Stored::new(weights, layout, parameters.keys().cloned())?;
    // The whole file, before anything is allocated.
    stored.check(&parameters)?;
    let place = Place::default();
    Ok(module.map(&mut Filler {
        place,
        stored,
        kept,
    }))
}

/// [`load`] for a module whose matrices stay as they are stored, quantised or in floats of 16 bits, where the device
/// multiplies by them.
///
/// # Errors
/// As `load`.
pub(crate) fn load_as_stored<M: Module + AsStored>(
    mut module: M,
    weights: &[u8],
    layout: &Layout,
) -> Result<M, ModelError> {
    let matrices = module.matrices().into_iter();
    let mut kept: Kept = matrices.map(|(id, _)| (id, None)).collect();
    let mut module = fill(module, weights, layout, Some(&mut kept))?;
    for (id, place) in module.matrices() {
        *place = kept.remove(&id).flatten();
    }
    Ok(module)
}

/// Returns the names of the layout's matrix under which a file has a separate matrix.
///
/// # Errors
/// If the bytes are not a file of weights, or one that names a tensor twice.
pub(crate) fn own(weights: &[u8], layout: &Layout) -> Result<BTreeSet<&'static str>, ModelError> {
    Ok(Stored::new(weights, layout, std::iter::empty())?.own())
}

/// Returns the names of a file's tensors, without the prefixes of wrappers.
///
/// # Errors
/// As [`own`].
pub(crate) fn names(weights: &[u8]) -> Result<BTreeSet<String>, ModelError> {
    Ok(Stored::new(weights, &Layout::PATHS, std::iter::empty())?.names())
}

fn read(weights: &[u8]) -> Result<SafeTensors<'_>, ModelError> {
    SafeTensors::deserialize(weights).map_err(|error| {
        ModelError::Weights(format!(
            "it is not a complete safetensors file ({error}); perhaps it was cut short"
        ))
    })
}

/// Refuses a tensor that cannot be a parameter of that shape.
fn check_tensor(name: &str, tensor: &StoredTensor<'_>, shape: &[usize]) -> Result<(), ModelError> {
    let fail = |message| Err(ModelError::Weights(message));
    if tensor.shape() != shape {
        return fail(format!(
            "`{name}` has the shape {:?}, config.json asks for {shape:?}",
            tensor.shape()
        ));
    }
    let count = match tensor {
        StoredTensor::Floats(floats) => floats.not_finite(),
        StoredTensor::Other { dtype, .. } => {
            return fail(format!(
                "`{name}` is stored as {dtype:?}; only F16, BF16, F32 and F64 can be read"
            ));
        }
    };
    if count > 0 {
        let of = shape.iter().product::<usize>();
        return fail(format!(
            "`{name}`: {count} of its {of} values are not finite 32-bit numbers"
        ));
    }
    Ok(())
}

/// Walks a module and copies the tensors of a checked file into it. burn's own loader would transpose every matrix from
/// PyTorch's layout to burn's, value by value; kernels on the CPU read it unchanged.
struct Filler<'a> {
    place: Place,
    stored: Stored<'a>,
    /// The matrices that may stay as they are stored; `None` if the module has no place for any.
    kept: Option<&'a mut Kept>,
}

impl Filler<'_> {
    /// Returns a parameter that is widened when it is asked for, if its matrix stays as it is stored.
    fn as_stored<const D: usize>(
        &mut self,
        param: &Param<Tensor<D>>,
        stored: &Floats<'_>,
        is_matrix: bool,
    ) -> Option<Param<Tensor<D>>> {
        let device = param.lazy_device();
        let kept = self.kept.as_deref_mut()?.get_mut(&param.id)?;
        let matrix = Arc::new(Compact::new(stored, &device)?);
        *kept = Some(Arc::clone(&matrix));
        let widened = move |_: &Device, _| {
            let matrix = Tensor::<D>::from_dispatch(matrix.unpack().into_dispatch());
            match is_matrix {
                true => matrix.swap_dims(0, 1),
                false => matrix,
            }
        };
        let shape = param.lazy_shape();
        Some(Param::uninitialized(
            param.id, widened, device, false, shape,
        ))
    }
}

impl ModuleMapper for Filler<'_> {
    fn enter_module(&mut self, name: &str, container_type: &str) {
        self.place.enter(name, container_type);
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.place.exit();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (path, is_matrix) = self.place.parameter();
        let Some((_, StoredTensor::Floats(stored))) = self.stored.tensor(&path) else {
            // What may be absent keeps its initial value; other types than floats have been refused.
            return param;
        };
        if let Some(param) = self.as_stored(&param, &stored, is_matrix) {
            return param;
        }
        let device = param.lazy_device();
        let tensor = |values: Vec<f32>, shape: &[usize]| {
            Tensor::<D>::from_data(TensorData::new(values, shape), &device)
        };
        let values = stored.values();
        let columns_first = reads_columns(&device);
        let tensor = match (is_matrix, stored.shape.as_slice()) {
            (true, &[rows, columns]) => {
                let tensor = match self.stored.rows_are_inputs() == columns_first {
                    true => tensor(turned(&values, columns), &[columns, rows]),
                    false => tensor(values, &[rows, columns]),
                };
                match columns_first {
                    true => tensor.swap_dims(0, 1),
                    false => tensor,
                }
            }
            (_, shape) => tensor(values, shape),
        };
        let id = param.id;
        param.transform_for_load(tensor, id)
    }
}

/// Transposes a matrix of `columns` columns.
fn turned(values: &[f32], columns: usize) -> Vec<f32> {
    let column = |index| values.iter().skip(index).step_by(columns);
    (0..columns).flat_map(column).copied().collect()
}

/// Returns the paths and shapes of a module's parameters, as in its checkpoints.
fn parameters<M: Module>(module: &M, layout: &Layout) -> BTreeMap<String, Vec<usize>> {
    let mut collector = Collector {
        place: Place::default(),
        rows_are_inputs: layout.rows_are_inputs,
        found: BTreeMap::new(),
    };
    module.visit(&mut collector);
    collector.found
}

/// The position of a walk through a module, in PyTorch's terms.
#[derive(Default)]
struct Place {
    path: Vec<String>,
    containers: Vec<String>,
}

impl Place {
    fn enter(&mut self, name: &str, container_type: &str) {
        self.path.push(name.to_owned());
        self.containers.push(container_type.to_owned());
    }

    fn exit(&mut self) {
        self.path.pop();
        self.containers.pop();
    }

    /// Returns the path of the current parameter, and true if it is the matrix of a linear layer, which PyTorch stores
    /// transposed; `BurnToPyTorchAdapter` does the same to the tensors themselves.
    fn parameter(&self) -> (String, bool) {
        let in_linear = self
            .containers
            .last()
            .is_some_and(|container| container == "Struct:Linear");
        let mut path = self.path.clone();
        let mut is_matrix = false;
        if let Some(name) = path.last_mut() {
            match name.as_str() {
                "weight" => is_matrix = in_linear,
                "gamma" => *name = "weight".into(),
                "beta" => *name = "bias".into(),
                _ => {}
            }
        }
        (path.join("."), is_matrix)
    }
}

/// Walks a module without initialising its parameters, which are lazy.
struct Collector {
    place: Place,
    rows_are_inputs: bool,
    found: BTreeMap<String, Vec<usize>>,
}

impl ModuleVisitor for Collector {
    fn enter_module(&mut self, name: &str, container_type: &str) {
        self.place.enter(name, container_type);
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.place.exit();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let mut shape = param.lazy_shape().to_vec();
        let (path, is_matrix) = self.place.parameter();
        if is_matrix && !self.rows_are_inputs {
            shape.reverse();
        }
        self.found.insert(path, shape);
    }
}

/// Returns the parameter at that path of the module, with a row for each output, a vector as a matrix of one row;
/// `None` if the module has none.
pub(crate) fn parameter<M: Module>(module: &M, path: &str) -> Option<Tensor<2>> {
    let mut finder = Finder {
        place: Place::default(),
        path,
        found: None,
    };
    module.visit(&mut finder);
    finder.found
}

struct Finder<'a> {
    place: Place,
    path: &'a str,
    found: Option<Tensor<2>>,
}

impl ModuleVisitor for Finder<'_> {
    fn enter_module(&mut self, name: &str, container_type: &str) {
        self.place.enter(name, container_type);
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.place.exit();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let (path, is_matrix) = self.place.parameter();
        if path != self.path {
            return;
        }
        let tensor = param.val();
        let dims = tensor.dims();
        let columns = dims.last().copied().unwrap_or(1);
        let rows = dims.iter().product::<usize>() / columns.max(1);
        let matrix = tensor.reshape([rows, columns]);
        self.found = Some(if is_matrix {
            matrix.transpose()
        } else {
            matrix
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_is_turned() {
        assert_eq!(
            turned(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 3),
            [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]
        );
    }
}
