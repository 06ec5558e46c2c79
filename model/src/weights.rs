//! Weights between a module and a safetensors file, under the names and in the layout that checkpoints of its family
//! have.

#[cfg(feature = "cli")]
mod grid;
#[cfg(feature = "train")]
mod save;

use std::collections::{BTreeMap, BTreeSet};

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::prelude::*;
use burn::tensor::{bf16, f16};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::error::ModelError;
use crate::kernels::reads_columns;

#[cfg(feature = "cli")]
pub use self::grid::{GRID_BITS, round_to_grid};
#[cfg(feature = "train")]
pub use self::save::{Precision, save_weights};

/// How the checkpoints of a family name and store the parameters of its module.
pub(crate) struct Layout {
    /// The names that files have for the parameter at a path of the module, today's first. Paths have PyTorch's words
    /// for the parameters of a layer: `weight` and `bias`.
    pub names: fn(path: &str) -> Vec<String>,
    /// Whether files hold under this name what the model has no use for.
    pub is_extra: fn(name: &str) -> bool,
    /// Whether files may lack the parameter at this path, which then keeps its initial value.
    pub may_be_absent: fn(path: &str) -> bool,
    /// Whether linear layers have a row for each input, as `Conv1D` of `transformers`, not for each output.
    pub rows_are_inputs: bool,
}

impl Layout {
    /// That of a module whose paths are the names in the file.
    pub const PATHS: Layout = Layout {
        names: |path| vec![path.to_owned()],
        is_extra: |_| false,
        // Marian's bias on the logits is zero in most checkpoints, and left out of some.
        may_be_absent: |path| path == "final_logits_bias",
        rows_are_inputs: false,
    };

    /// The same, of a file whose model may have another attention than the module.
    #[cfg(feature = "cli")]
    pub const WITHOUT_ATTENTION: Layout = Layout {
        is_extra: |name| name.starts_with("attention."),
        may_be_absent: |path| path.starts_with("attention."),
        ..Layout::PATHS
    };
}

/// Fills `module` from a safetensors file; half-precision weights become f32.
///
/// # Errors
/// If the bytes are not such a file, or its tensors are not exactly the module's parameters.
pub(crate) fn load<M: Module>(module: M, weights: &[u8], layout: &Layout) -> Result<M, ModelError> {
    let stored = Stored {
        file: read(weights)?,
        layout,
    };
    // The whole file, before anything is allocated.
    stored.check(&parameters(&module, layout))?;
    let place = Place::default();
    Ok(module.map(&mut Filler { place, stored }))
}

/// Whether a file has two tensors of these names that are not the same.
///
/// # Errors
/// If the bytes are no safetensors file.
pub(crate) fn differ(weights: &[u8], one: &str, other: &str) -> Result<bool, ModelError> {
    let file = read(weights)?;
    Ok(match (file.tensor(one), file.tensor(other)) {
        (Ok(one), Ok(other)) => one.data() != other.data(),
        _ => false,
    })
}

fn read(weights: &[u8]) -> Result<SafeTensors<'_>, ModelError> {
    SafeTensors::deserialize(weights).map_err(|error| {
        ModelError::Weights(format!(
            "it is not a complete safetensors file ({error}); perhaps it was cut short"
        ))
    })
}

/// A file, under the paths of a module.
struct Stored<'a> {
    file: SafeTensors<'a>,
    layout: &'a Layout,
}

impl<'a> Stored<'a> {
    /// The tensor of the parameter at `path`, and its name.
    fn tensor(&self, path: &str) -> Option<(String, TensorView<'a>)> {
        let names = (self.layout.names)(path).into_iter();
        let mut found = names.filter_map(|name| Some((self.file.tensor(&name).ok()?, name)));
        found.next().map(|(tensor, name)| (name, tensor))
    }

    /// Holds the file's tensors against a module's parameters.
    fn check(&self, parameters: &BTreeMap<String, Vec<usize>>) -> Result<(), ModelError> {
        for (path, shape) in parameters {
            match self.tensor(path) {
                Some((name, tensor)) => check_tensor(&name, &tensor, shape)?,
                None if (self.layout.may_be_absent)(path) => {}
                None => {
                    let name = (self.layout.names)(path).swap_remove(0);
                    return Err(ModelError::Weights(format!("`{name}` is missing")));
                }
            }
        }
        match self.unused(parameters) {
            Some(name) => Err(ModelError::Weights(format!(
                "`{name}` has no place in the model that config.json describes"
            ))),
            None => Ok(()),
        }
    }

    /// A weight left unused would make wrong numbers of a model that asks for more than we compute.
    fn unused(&self, parameters: &BTreeMap<String, Vec<usize>>) -> Option<&str> {
        let used: BTreeSet<String> = parameters
            .keys()
            .flat_map(|path| (self.layout.names)(path))
            .collect();
        let is_unused = |name: &&str| {
            !used.contains(*name) && !is_redundant(name) && !(self.layout.is_extra)(name)
        };
        self.file.names().into_iter().filter(is_unused).min()
    }
}

/// Refuses a tensor that cannot be a parameter of that shape.
fn check_tensor(name: &str, tensor: &TensorView<'_>, shape: &[usize]) -> Result<(), ModelError> {
    let fail = |message| Err(ModelError::Weights(message));
    if tensor.shape() != shape {
        return fail(format!(
            "`{name}` has the shape {:?}, config.json asks for {shape:?}",
            tensor.shape()
        ));
    }
    if !matches!(
        tensor.dtype(),
        Dtype::F16 | Dtype::BF16 | Dtype::F32 | Dtype::F64
    ) {
        return fail(format!(
            "`{name}` is stored as {:?}; only F16, BF16, F32 and F64 can be read",
            tensor.dtype()
        ));
    }
    let count = not_finite(tensor);
    if count > 0 {
        let of = shape.iter().product::<usize>();
        return fail(format!(
            "`{name}`: {count} of its {of} values are not finite 32-bit numbers"
        ));
    }
    Ok(())
}

/// Whether older checkpoints repeat under this name what is tied to another tensor or computed.
fn is_redundant(name: &str) -> bool {
    [
        "embed_positions.weight",
        "encoder.embed_tokens.weight",
        "decoder.embed_tokens.weight",
        "rotary_emb.inv_freq",
    ]
    .iter()
    .any(|suffix| name.ends_with(suffix))
        || name == "lm_head.weight"
}

/// Walks a module and puts the tensors of a file that was checked into it. burn's own loader would write
/// every matrix anew, value by value, to turn it from PyTorch's layout into burn's; kernels on the CPU
/// read it as it is.
struct Filler<'a> {
    place: Place,
    stored: Stored<'a>,
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
        let Some((_, stored)) = self.stored.tensor(&path) else {
            // What may be absent keeps its initial value.
            return param;
        };
        let device = param.lazy_device();
        let tensor = |values: Vec<f32>, shape: &[usize]| {
            Tensor::<D>::from_data(TensorData::new(values, shape), &device)
        };
        let values = floats(&stored);
        let columns_first = reads_columns(&device);
        let tensor = match (is_matrix, stored.shape()) {
            (true, &[rows, columns]) => {
                let tensor = match self.stored.layout.rows_are_inputs == columns_first {
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

/// The transpose of a matrix of `columns` columns.
fn turned(values: &[f32], columns: usize) -> Vec<f32> {
    let column = |index| values.iter().skip(index).step_by(columns);
    (0..columns).flat_map(column).copied().collect()
}

/// The values of a tensor of floats.
fn floats(stored: &TensorView<'_>) -> Vec<f32> {
    fn each<const BYTES: usize>(data: &[u8], value: impl Fn([u8; BYTES]) -> f32) -> Vec<f32> {
        let (values, _) = data.as_chunks::<BYTES>();
        values.iter().map(|&bytes| value(bytes)).collect()
    }
    let data = stored.data();
    match stored.dtype() {
        Dtype::F16 => each(data, |bytes| f16::from_le_bytes(bytes).to_f32()),
        Dtype::BF16 => each(data, |bytes| bf16::from_le_bytes(bytes).to_f32()),
        Dtype::F64 => each(data, |bytes| f64::from_le_bytes(bytes) as f32),
        _ => each(data, f32::from_le_bytes),
    }
}

/// How many values of a tensor of floats are infinite or none, or would be as 32-bit numbers.
fn not_finite(stored: &TensorView<'_>) -> usize {
    /// A value is not finite where all bits of its exponent are set: counted without a conversion, this
    /// costs a millisecond or two of a load.
    fn count<const BYTES: usize>(data: &[u8], is_finite: impl Fn([u8; BYTES]) -> bool) -> usize {
        let (values, _) = data.as_chunks::<BYTES>();
        values.iter().filter(|&&bytes| !is_finite(bytes)).count()
    }
    let data = stored.data();
    match stored.dtype() {
        Dtype::F16 => count(data, |bytes| u16::from_le_bytes(bytes) & 0x7c00 != 0x7c00),
        Dtype::BF16 => count(data, |bytes| u16::from_le_bytes(bytes) & 0x7f80 != 0x7f80),
        Dtype::F64 => count(data, |bytes| (f64::from_le_bytes(bytes) as f32).is_finite()),
        _ => count(data, |bytes| f32::from_le_bytes(bytes).is_finite()),
    }
}

/// Paths and shapes of a module's parameters, as its checkpoints have them.
fn parameters<M: Module>(module: &M, layout: &Layout) -> BTreeMap<String, Vec<usize>> {
    let mut collector = Collector {
        place: Place::default(),
        rows_are_inputs: layout.rows_are_inputs,
        found: BTreeMap::new(),
    };
    module.visit(&mut collector);
    collector.found
}

/// Where a walk through a module stands, in PyTorch's words.
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

    /// The path of the parameter that the walk has come to, and whether it is the matrix of a linear layer, which
    /// PyTorch has transposed: what `BurnToPyTorchAdapter` does to the tensors themselves.
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

/// Walks a module without making its parameters, which are lazy.
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

/// The parameter at that path of the module, with a row for each output, a vector as a matrix of one row; `None` where
/// the module has none.
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

    #[test]
    fn every_precision_is_read() {
        let read = |dtype, bytes: &[u8]| floats(&TensorView::new(dtype, vec![1], bytes).unwrap());
        assert_eq!(read(Dtype::F16, &f16::from_f32(1.5).to_le_bytes()), [1.5]);
        assert_eq!(
            read(Dtype::BF16, &bf16::from_f32(-2.0).to_le_bytes()),
            [-2.0]
        );
        assert_eq!(read(Dtype::F32, &0.1f32.to_le_bytes()), [0.1]);
        assert_eq!(read(Dtype::F64, &0.25f64.to_le_bytes()), [0.25]);
    }

    #[test]
    fn values_that_are_not_finite_are_counted_in_every_precision() {
        let count = |dtype, values: [&[u8]; 4]| {
            let bytes = values.concat();
            not_finite(&TensorView::new(dtype, vec![4], &bytes).unwrap())
        };
        let half = [f16::MAX, f16::MIN, f16::NAN, f16::NEG_INFINITY].map(f16::to_le_bytes);
        assert_eq!(count(Dtype::F16, half.each_ref().map(|v| &v[..])), 2);
        let brain = [bf16::MAX, bf16::INFINITY, bf16::NAN, bf16::MIN].map(bf16::to_le_bytes);
        assert_eq!(count(Dtype::BF16, brain.each_ref().map(|v| &v[..])), 2);
        let single = [f32::MAX, f32::INFINITY, f32::NAN, -0.0].map(f32::to_le_bytes);
        assert_eq!(count(Dtype::F32, single.each_ref().map(|v| &v[..])), 2);
        // Finite, but not where it is going.
        let double = [1e300, f64::NAN, 1e30, 1e-300].map(f64::to_le_bytes);
        assert_eq!(count(Dtype::F64, double.each_ref().map(|v| &v[..])), 2);
    }
}
