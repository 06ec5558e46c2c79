//! The description of a tensor, and its values.

use std::borrow::Cow;

use crate::archive::Place;
use crate::dtype::Dtype;
use crate::error::{PytorchError, shown};
use crate::pickle::{Storage, View};

/// The description of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorInfo {
    /// The name in the state dict.
    pub name: String,
    /// The type of its values.
    pub dtype: Dtype,
    /// The size of each dimension.
    pub shape: Vec<u64>,
    /// The distance from one index of a dimension to the next, in values.
    pub strides: Vec<u64>,
    /// The position of its first value in the file.
    pub start: u64,
    /// The number of bytes from its first value to the end of its last; 0 if it has none. Between its values may be
    /// those of other tensors.
    pub bytes: u64,
}

/// A tensor as the pickle declares it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredTensor {
    /// The name in the state dict.
    pub name: String,
    /// The type of its values.
    pub dtype: Dtype,
    /// The size of each dimension; their product is no more than 2⁶⁴ − 1.
    pub shape: Vec<u64>,
}

impl DeclaredTensor {
    pub(crate) fn new(name: &str, view: &View<'_>) -> Result<Self, PytorchError> {
        let sizes = view.shape.iter().map(|&size| u64::try_from(size).ok());
        let shape: Option<Vec<u64>> = sizes.collect();
        let shape = shape.filter(|shape| {
            let mut sizes = shape.iter();
            let values = sizes.try_fold(1_u64, |values, &size| values.checked_mul(size));
            values.is_some()
        });
        let shape = shape.ok_or_else(|| {
            let fault = format!("its sizes are {:?}", view.shape);
            PytorchError::tensor(name, fault)
        })?;
        Ok(DeclaredTensor {
            name: name.to_owned(),
            dtype: view.storage.dtype,
            shape,
        })
    }
}

impl TensorInfo {
    /// Returns the description of a view of the storage at a place.
    ///
    /// # Errors
    /// If the storage does not hold the view.
    pub(crate) fn new(name: &str, view: &View<'_>, place: Place) -> Result<Self, PytorchError> {
        let refused = |fault: &str| PytorchError::tensor(name, fault);
        let Storage { key, dtype, values } = view.storage;
        let stored = u64::try_from(values).ok();
        if stored.and_then(|values| values.checked_mul(dtype.bytes())) != Some(place.bytes) {
            return Err(PytorchError::tensor(
                name,
                format!(
                    "its storage {} has {values} values of type {dtype:?}, and the record {} bytes",
                    shown(key),
                    place.bytes
                ),
            ));
        }
        let naturals = |numbers: &[i64]| {
            let numbers = numbers.iter().map(|&number| u64::try_from(number).ok());
            let numbers: Option<Vec<u64>> = numbers.collect();
            numbers.ok_or_else(|| refused("a size, stride or offset is negative"))
        };
        let (shape, strides) = (naturals(&view.shape)?, naturals(&view.strides)?);
        let offset = naturals(&[view.offset])?.first().copied().unwrap_or(0);
        if shape.len() != strides.len() {
            return Err(refused(
                "it has another number of strides than of dimensions",
            ));
        }
        let extent = extent(&shape, &strides).ok_or_else(|| {
            let fault = format!("the sizes {shape:?} multiply to more values than a file has");
            PytorchError::tensor(name, fault)
        })?;
        let end = offset.checked_add(extent);
        if end.is_none_or(|end| Some(end) > stored) {
            return Err(PytorchError::tensor(
                name,
                format!(
                    "with offset {offset}, sizes {shape:?} and strides {strides:?} it is not within the {values} values of \
                 its storage"
                ),
            ));
        }
        Ok(TensorInfo {
            name: name.to_owned(),
            dtype,
            start: place.start + offset * dtype.bytes(),
            bytes: extent * dtype.bytes(),
            shape,
            strides,
        })
    }

    /// Returns true if the values follow one another, the last dimension fastest.
    pub fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        self.shape.contains(&0)
            || self
                .shape
                .iter()
                .zip(&self.strides)
                .rev()
                .all(|(&size, &stride)| {
                    let fits = size == 1 || stride == expected;
                    // The product of all sizes has been checked.
                    expected *= size;
                    fits
                })
    }

    /// Returns the size of each dimension.
    ///
    /// # Errors
    /// If one is beyond the addresses of this machine.
    pub fn sizes(&self) -> Result<Vec<usize>, PytorchError> {
        let sizes = self.shape.iter().map(|&size| usize::try_from(size));
        let sizes: Result<_, _> = sizes.collect();
        sizes.map_err(|_| {
            let fault = format!("its sizes {:?} are too large for this machine", self.shape);
            PytorchError::tensor(&self.name, fault)
        })
    }

    /// Returns the number of bytes of all values.
    pub fn value_bytes(&self) -> u64 {
        // The product has been checked.
        self.shape.iter().product::<u64>() * self.dtype.bytes()
    }

    /// Returns the bytes of the values, the last dimension fastest. `stored` are the bytes in the file from the first
    /// value to the last; `None` if they have another length than [`bytes`](Self::bytes).
    pub fn values<'b>(&self, stored: &'b [u8]) -> Option<Cow<'b, [u8]>> {
        if stored.len() as u64 != self.bytes {
            return None;
        }
        if self.is_contiguous() {
            return Some(Cow::Borrowed(stored));
        }
        let width = usize::try_from(self.dtype.bytes()).ok()?;
        let mut dimensions = vec![];
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            // A dimension of one index has any stride.
            let stride = if size == 1 { 0 } else { stride };
            let [size, stride] = [size, stride].map(usize::try_from);
            // A size that memory has no place for is no tensor of a file that lies in memory.
            dimensions.push((size.ok()?, stride.ok()? * width));
        }
        let mut values = vec![];
        let count = usize::try_from(self.value_bytes()).ok()?;
        // The caller tells that the tensor does not fit.
        values.try_reserve_exact(count).ok()?;
        append(&mut values, stored, width, &dimensions);
        Some(Cow::Owned(values))
    }
}

/// Appends the values of a view with these sizes and strides, in bytes.
fn append(values: &mut Vec<u8>, stored: &[u8], width: usize, dimensions: &[(usize, usize)]) {
    match dimensions {
        [] => values.extend(&stored[..width]),
        [(size, stride), rest @ ..] => {
            for index in 0..*size {
                append(values, &stored[index * stride..], width, rest);
            }
        }
    }
}

/// Returns the number of values from a tensor's first to its last; `None` if that, or the number of its values, is more
/// than any file has.
fn extent(shape: &[u64], strides: &[u64]) -> Option<u64> {
    let all = |product: u64, &size: &u64| product.checked_mul(size.max(1));
    shape.iter().try_fold(Dtype::F64.bytes(), all)?;
    if shape.contains(&0) {
        return Some(0);
    }
    let mut dimensions = shape.iter().zip(strides);
    dimensions.try_fold(1_u64, |extent, (size, stride)| {
        extent.checked_add((size - 1).checked_mul(*stride)?)
    })
}
