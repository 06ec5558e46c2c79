//! Weights between a module and a safetensors file, under the names and in the layout of PyTorch.

use std::collections::BTreeMap;

use burn::module::{Module, ModuleMapper, ModuleVisitor, Param};
use burn::prelude::*;
use burn::store::{
    BurnToPyTorchAdapter, FloatCastAdapter, ModuleAdapter, ModuleSnapshot, SafetensorsStore,
};
use burn::tensor::{DType, bf16, f16};
use safetensors::{Dtype, SafeTensors, tensor::TensorView};

use crate::error::ModelError;
use crate::kernels::reads_columns;

/// Fills `module` from a safetensors file; half-precision weights become f32.
///
/// # Errors
/// If the bytes are not such a file, or its tensors are not exactly the module's parameters.
pub(crate) fn load<M: Module>(module: M, weights: &[u8]) -> Result<M, ModelError> {
    // The whole file, before anything is allocated.
    let file = check(&parameters(&module), weights)?;
    let place = Place::default();
    Ok(module.map(&mut Filler { place, file }))
}

/// `model.safetensors` of `module`: names and layout as PyTorch has them, values as f16.
///
/// # Errors
/// If the weights cannot be read from their device.
pub fn save_weights<M: ModuleSnapshot>(module: &M) -> Result<Vec<u8>, ModelError> {
    let adapter = BurnToPyTorchAdapter.chain(FloatCastAdapter::to(DType::F16));
    let mut store = SafetensorsStore::from_bytes(None)
        .with_to_adapter(adapter)
        .clear_metadata()
        .metadata("format", "pt");
    module
        .save_into(&mut store)
        .map_err(|error| ModelError::Weights(error.to_string()))?;
    store
        .get_bytes()
        .map_err(|error| ModelError::Weights(error.to_string()))
}

/// Reads the file and holds its tensors against the module's parameters.
fn check<'a>(
    parameters: &BTreeMap<String, Vec<usize>>,
    weights: &'a [u8],
) -> Result<SafeTensors<'a>, ModelError> {
    let fail = |message| Err(ModelError::Weights(message));
    let file = SafeTensors::deserialize(weights).map_err(|error| {
        ModelError::Weights(format!(
            "it is not a complete safetensors file ({error}); perhaps it was cut short"
        ))
    })?;
    for (name, shape) in parameters {
        let Ok(tensor) = file.tensor(name) else {
            if may_be_absent(name) {
                continue;
            }
            return fail(format!("`{name}` is missing"));
        };
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
        let count = not_finite(&tensor);
        if count > 0 {
            let of = shape.iter().product::<usize>();
            return fail(format!(
                "`{name}`: {count} of its {of} values are not finite 32-bit numbers"
            ));
        }
    }
    // A weight left unused would make wrong numbers of a model that asks for more than we compute.
    let unused = file
        .names()
        .into_iter()
        .filter(|name| !parameters.contains_key(*name) && !is_redundant(name))
        .min();
    match unused {
        Some(name) => fail(format!(
            "`{name}` has no place in the model that config.json describes"
        )),
        None => Ok(file),
    }
}

/// Marian's bias on the logits is zero in most checkpoints, and left out of some.
fn may_be_absent(name: &str) -> bool {
    name == "final_logits_bias"
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
    file: SafeTensors<'a>,
}

impl ModuleMapper for Filler<'_> {
    fn enter_module(&mut self, name: &str, container_type: &str) {
        self.place.enter(name, container_type);
    }

    fn exit_module(&mut self, _name: &str, _container_type: &str) {
        self.place.exit();
    }

    fn map_float<const D: usize>(&mut self, param: Param<Tensor<D>>) -> Param<Tensor<D>> {
        let (name, transposed) = self.place.parameter();
        let Ok(stored) = self.file.tensor(&name) else {
            // What may be absent keeps its initial value.
            return param;
        };
        let device = param.lazy_device();
        let tensor = |values: Vec<f32>, shape: &[usize]| {
            Tensor::<D>::from_data(TensorData::new(values, shape), &device)
        };
        let values = floats(&stored);
        let tensor = match (transposed, stored.shape()) {
            (true, shape) if reads_columns(&device) => tensor(values, shape).swap_dims(0, 1),
            (true, &[rows, columns]) => tensor(turned(&values, columns), &[columns, rows]),
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

/// Names and shapes of a module's parameters, as PyTorch has them.
fn parameters<M: Module>(module: &M) -> BTreeMap<String, Vec<usize>> {
    let mut collector = Collector::default();
    module.visit(&mut collector);
    collector.found
}

/// Where a walk through a module stands, in PyTorch's names.
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

    /// The name of the parameter that the walk has come to, and whether PyTorch has it transposed:
    /// what `BurnToPyTorchAdapter` does to the tensors themselves.
    fn parameter(&self) -> (String, bool) {
        let in_linear = self
            .containers
            .last()
            .is_some_and(|container| container == "Struct:Linear");
        let mut path = self.path.clone();
        let mut transposed = false;
        if let Some(name) = path.last_mut() {
            match name.as_str() {
                "weight" => transposed = in_linear,
                "gamma" => *name = "weight".into(),
                "beta" => *name = "bias".into(),
                _ => {}
            }
        }
        (path.join("."), transposed)
    }
}

/// Walks a module without making its parameters, which are lazy.
#[derive(Default)]
struct Collector {
    place: Place,
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
        let (name, transposed) = self.place.parameter();
        if transposed {
            shape.reverse();
        }
        self.found.insert(name, shape);
    }
}

/// The parameter of that name in PyTorch's layout, a vector as a matrix of one row; `None` where the
/// module has none.
pub(crate) fn parameter<M: Module>(module: &M, name: &str) -> Option<Tensor<2>> {
    let mut finder = Finder {
        place: Place::default(),
        name,
        found: None,
    };
    module.visit(&mut finder);
    finder.found
}

struct Finder<'a> {
    place: Place,
    name: &'a str,
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
        let (name, transposed) = self.place.parameter();
        if name != self.name {
            return;
        }
        let tensor = param.val();
        let dims = tensor.dims();
        let columns = dims.last().copied().unwrap_or(1);
        let rows = dims.iter().product::<usize>() / columns.max(1);
        let matrix = tensor.reshape([rows, columns]);
        self.found = Some(if transposed {
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
