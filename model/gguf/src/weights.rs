//! The tensors of a file under the names and in the layout of `model.safetensors`.

use std::borrow::Cow;

use crate::error::{GgufError, shown};
use crate::file::Gguf;
use crate::floats::{Floats, Order};
use crate::header::TensorInfo;
use crate::{names, rope};

impl<'a> Gguf<'a> {
    /// Returns the tensors of `model.safetensors` with their names there. A tensor that the architecture does not have
    /// keeps its name.
    ///
    /// # Errors
    /// If a size does not fit this machine, or heads do not divide the rows of queries or keys.
    pub fn weights(&self) -> Result<Vec<(String, Floats<'a>)>, GgufError> {
        let tensors = self.header.tensors.iter();
        let kept = tensors.filter(|tensor| tensor.name != rope::FACTORS);
        kept.map(|tensor| self.weight(tensor)).collect()
    }

    fn weight(&self, tensor: &TensorInfo<'_>) -> Result<(String, Floats<'a>), GgufError> {
        let shape = tensor.shape.iter().map(|&size| usize::try_from(size));
        let shape: Result<Vec<usize>, _> = shape.collect();
        let mut shape = shape.map_err(|_| GgufError::Size {
            field: shown(tensor.name),
            dimensions: format!("{:?}", tensor.shape),
        })?;
        let (name, order) = names::hugging_face(self, tensor.name)?;
        match order {
            Order::Transposed => shape.reverse(),
            Order::Alternating { heads } => {
                let rows = shape.first().copied().unwrap_or(0);
                if heads == 0 || !rows.is_multiple_of(heads.saturating_mul(2)) {
                    let fault = format!("rows are not made of {heads} heads of an even width");
                    return Err(GgufError::value(shown(tensor.name), rows, fault));
                }
            }
            Order::Same => {}
        }
        let bytes = Cow::Borrowed(self.bytes(tensor));
        let encoding = tensor.encoding;
        Ok((
            name,
            Floats {
                shape,
                encoding,
                bytes,
                order,
            },
        ))
    }
}
