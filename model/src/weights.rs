//! Weights between a module and a file, safetensors, GGUF or PyTorch's, under the names and in the layout of its family's checkpoints.

mod ahead;
mod file_names;
#[cfg(feature = "cli")]
mod grid;
#[cfg(feature = "cli")]
mod grouped;
mod hints;
pub(crate) mod raw;
mod reading;
#[cfg(feature = "train")]
mod save;
mod stored;
pub(crate) mod tensor;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use attention_gguf::Placed;
use burn::module::{Module, ModuleMapper, ModuleVisitor, Param, ParamId};
use burn::prelude::*;
#[cfg(feature = "cli")]
use safetensors::SafeTensors;

use crate::error::ModelError;
use crate::kernels::{Compact, keeps_stored, largest_buffer, reads_columns};
use crate::layers::AsStored;

pub use self::ahead::{Ahead, Wanted, Weights};
pub use self::file_names::FileNames;
#[cfg(feature = "cli")]
pub use self::grid::{GRID_BITS, round_to_grid};
#[cfg(feature = "cli")]
pub(crate) use self::grouped::average_key_values;
use self::reading::Gathered;
#[cfg(feature = "train")]
pub use self::save::{Precision, Saved, save_weights, save_weights_as};
use self::stored::Stored;
pub(crate) use self::tensor::StoredTensor;
use self::tensor::tensors;

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

/// A file of weights whose tensors are known.
pub(crate) struct Opened<'a> {
    weights: Weights<'a>,
    /// The tensors with their names in `model.safetensors`.
    pub tensors: Vec<(String, StoredTensor)>,
}

/// The matrices that may stay as they are stored, and those that do.
type Kept = BTreeMap<ParamId, Option<Arc<Compact>>>;

impl<'a> Opened<'a> {
    /// Opens a safetensors or GGUF file or a `pytorch_model.bin`. Of its tensors, nothing but their places is read.
    ///
    /// # Errors
    /// If it is no such file, or cannot be read.
    pub fn new(weights: impl Into<Weights<'a>>) -> Result<Self, ModelError> {
        let weights = weights.into();
        let tensors = tensors(weights.file)?;
        Ok(Opened { weights, tensors })
    }

    /// Returns the file with other tensors, which are parts of its own.
    pub fn with_tensors(self, tensors: Vec<(String, StoredTensor)>) -> Self {
        Opened { tensors, ..self }
    }

    /// Returns the bytes that the tensors take once they are loaded, as floats of 32 bits, or as they are stored if the model
    /// `keeps_stored` ones. A tensor with several names is counted once.
    pub fn loaded_bytes(&self, keeps_stored: bool) -> u64 {
        let placed = self.tensors.iter().filter_map(|(_, tensor)| match tensor {
            StoredTensor::Floats(floats) => Some(&floats.placed),
            StoredTensor::Other { .. } => None,
        });
        let mut places = BTreeSet::new();
        let bytes = placed
            .filter(|placed| places.insert((placed.start, placed.shape.clone())))
            .map(|placed| match keeps_stored {
                true => placed.loaded_bytes(),
                false => widened_bytes(placed),
            });
        bytes.fold(0, u64::saturating_add)
    }

    /// Returns the bytes that the tensors of a layer take once [`load_as_stored`](Self::load_as_stored) has loaded them on a
    /// device.
    pub fn layer_bytes_on(&self, layer: usize, device: &Device) -> u64 {
        let part = format!("layers.{layer}.");
        let is_in = |name: &str| name.starts_with(&part) || name.contains(&format!(".{part}"));
        let tensors = self.tensors.iter().filter(|(name, _)| is_in(name));
        let placed = tensors.filter_map(|(_, tensor)| match tensor {
            StoredTensor::Floats(floats) => Some(&floats.placed),
            StoredTensor::Other { .. } => None,
        });
        let bytes = placed.map(|placed| match keeps_stored(placed, device) {
            true => placed.loaded_bytes(),
            false => widened_bytes(placed),
        });
        bytes.fold(0, u64::saturating_add)
    }

    /// Returns the names of the layout's matrix under which the file has a separate matrix.
    ///
    /// # Errors
    /// If the file names a tensor twice, or cannot be read.
    pub fn own(&self, layout: &Layout) -> Result<BTreeSet<&'static str>, ModelError> {
        Stored::new(self, layout, std::iter::empty())?.own()
    }

    /// Fills a module; `kept` receives those of its matrices that stay as they are stored.
    fn fill<M: Module>(
        &self,
        module: M,
        layout: &Layout,
        kept: Option<&mut Kept>,
    ) -> Result<M, ModelError> {
        let parameters = parameters(&module, layout);
        let stored = Stored::new(self, layout, parameters.keys().cloned())?;
        // All names and shapes, before a value is read.
        stored.check(&parameters)?;
        let mut filler = Filler {
            place: Place::default(),
            stored,
            kept,
            fault: None,
        };
        let module = module.map(&mut filler);
        match filler.fault {
            Some(fault) => Err(fault),
            None if self.weights.ahead.is_some_and(Ahead::is_plan) => Err(ModelError::Unread),
            None => Ok(module),
        }
    }

    /// [`load`] for a module whose matrices stay as they are stored, quantised or in floats of 16 bits, where the device
    /// multiplies by them.
    ///
    /// # Errors
    /// As `load`.
    pub fn load_as_stored<M: Module + AsStored>(
        &self,
        mut module: M,
        layout: &Layout,
    ) -> Result<M, ModelError> {
        let matrices = module.matrices().into_iter();
        let mut kept: Kept = matrices.map(|(id, _)| (id, None)).collect();
        let mut module = self.fill(module, layout, Some(&mut kept))?;
        for (id, place) in module.matrices() {
            *place = kept.remove(&id).flatten();
        }
        Ok(module)
    }
}

/// Returns the bytes of a tensor as floats of 32 bits.
fn widened_bytes(placed: &Placed) -> u64 {
    let sizes = placed.shape.iter().map(|&size| size as u64);
    sizes.fold(4, u64::saturating_mul)
}

/// Fills `module` from a file of weights, of which a stretch of a tensor is in memory at a time. Floats of 16 bits and
/// quantised weights become f32.
///
/// # Errors
/// If it is no such file or cannot be read, its tensors are not exactly the module's parameters, or a value is not finite.
pub(crate) fn load<'a, M: Module>(
    module: M,
    weights: impl Into<Weights<'a>>,
    layout: &Layout,
) -> Result<M, ModelError> {
    Opened::new(weights)?.fill(module, layout, None)
}

/// [`Opened::own`] of a file.
///
/// # Errors
/// As there, and if it is no file of weights.
pub(crate) fn own<'a>(
    weights: impl Into<Weights<'a>>,
    layout: &Layout,
) -> Result<BTreeSet<&'static str>, ModelError> {
    Opened::new(weights)?.own(layout)
}

/// Returns the names of a file's tensors, without the prefixes of wrappers.
///
/// # Errors
/// As [`own`].
pub(crate) fn names<'a>(weights: impl Into<Weights<'a>>) -> Result<BTreeSet<String>, ModelError> {
    let opened = Opened::new(weights)?;
    Ok(Stored::new(&opened, &Layout::PATHS, std::iter::empty())?.names())
}

#[cfg(feature = "cli")]
fn read(weights: &[u8]) -> Result<SafeTensors<'_>, ModelError> {
    SafeTensors::deserialize(weights).map_err(|error| {
        ModelError::Weights(format!(
            "it is not a complete safetensors file ({error}); perhaps it was cut short"
        ))
    })
}

/// Refuses a tensor that cannot be a parameter of that shape. Its values are checked when they are read.
fn check_tensor(name: &str, tensor: &StoredTensor, shape: &[usize]) -> Result<(), ModelError> {
    let fail = |message| Err(ModelError::Weights(message));
    if tensor.shape() != shape {
        return fail(format!(
            "`{name}` has the shape {:?}, config.json asks for {shape:?}",
            tensor.shape()
        ));
    }
    match tensor {
        StoredTensor::Floats(_) => Ok(()),
        StoredTensor::Other { dtype, .. } => fail(format!(
            "`{name}` is stored as {dtype:?}; only F16, BF16, F32 and F64 can be read"
        )),
    }
}

/// Walks a module and reads the tensors of a checked file into it. burn's own loader would transpose every matrix from
/// PyTorch's layout to burn's, value by value; kernels on the CPU read it unchanged.
struct Filler<'a, 'k> {
    place: Place,
    stored: Stored<'a>,
    /// The matrices that may stay as they are stored; `None` if the module has no place for any.
    kept: Option<&'k mut Kept>,
    /// The first fault; nothing is read after it.
    fault: Option<ModelError>,
}

/// The values of a parameter.
#[allow(
    clippy::large_enum_variant,
    reason = "one is made for each parameter, and none is kept"
)]
enum Content<const D: usize> {
    /// Those that it has.
    Initial,
    /// A matrix that stays as it is stored, and is widened when it is asked for.
    AsStored(Arc<Compact>),
    /// Floats of 32 bits.
    Values(Tensor<D>),
}

impl Filler<'_, '_> {
    /// Reads the values of the parameter at a path.
    fn content<const D: usize>(
        &mut self,
        param: &Param<Tensor<D>>,
        (path, is_matrix): (&str, bool),
    ) -> Result<Content<D>, ModelError> {
        let Some((name, StoredTensor::Floats(stored))) = self.stored.tensor(path) else {
            // What may be absent keeps its initial value; other types than floats have been refused.
            return Ok(Content::Initial);
        };
        let device = param.lazy_device();
        let kept = self.kept.as_deref_mut();
        let kept = kept.and_then(|kept| kept.get_mut(&param.id));
        let kept = kept.filter(|_| keeps_stored(&stored.placed, &device));
        let stays = kept.is_some();
        let on_device = stays.then(|| (device.clone(), largest_buffer(&device)));
        let shape = stored.placed.shape.clone();
        match (self.stored.gathered(name, stored, on_device)?, kept) {
            (None, _) => Ok(Content::Initial),
            (Some(Gathered::Stored(matrix)), Some(kept)) => {
                let matrix = Arc::new(matrix);
                *kept = Some(Arc::clone(&matrix));
                Ok(Content::AsStored(matrix))
            }
            // Only a matrix that is kept is gathered as it is stored.
            (Some(Gathered::Stored(_)), None) => Ok(Content::Initial),
            (Some(Gathered::Values(values)), _) => {
                let tensor = self.tensor(values, &shape, is_matrix, &device);
                Ok(Content::Values(tensor))
            }
        }
    }

    /// Returns values of the file as a parameter has them.
    fn tensor<const D: usize>(
        &self,
        values: Vec<f32>,
        shape: &[usize],
        is_matrix: bool,
        device: &Device,
    ) -> Tensor<D> {
        let tensor = |values: Vec<f32>, shape: &[usize]| {
            Tensor::<D>::from_data(TensorData::new(values, shape), device)
        };
        let columns_first = reads_columns(device);
        match (is_matrix, shape) {
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
        }
    }
}

/// Returns a parameter that is widened when it is asked for.
fn widened_later<const D: usize>(
    param: &Param<Tensor<D>>,
    matrix: Arc<Compact>,
    is_matrix: bool,
) -> Param<Tensor<D>> {
    let widened = move |_: &Device, _| {
        let matrix = Tensor::<D>::from_dispatch(matrix.unpack().into_dispatch());
        match is_matrix {
            true => matrix.swap_dims(0, 1),
            false => matrix,
        }
    };
    let (device, shape) = (param.lazy_device(), param.lazy_shape());
    Param::uninitialized(param.id, widened, device, false, shape)
}

impl ModuleMapper for Filler<'_, '_> {
    fn enter_module(&mut self, name: &str, container_type: &str) {
        self.place.enter(name, container_type);
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.place.exit();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        if self.fault.is_some() {
            return param;
        }
        let (path, is_matrix) = self.place.parameter();
        match self.content(&param, (&path, is_matrix)) {
            Ok(Content::Initial) => param,
            Ok(Content::AsStored(matrix)) => widened_later(&param, matrix, is_matrix),
            Ok(Content::Values(tensor)) => {
                let id = param.id;
                param.transform_for_load(tensor, id)
            }
            Err(fault) => {
                self.fault = Some(fault);
                param
            }
        }
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
