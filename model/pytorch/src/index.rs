//! The tensors of a file, and their places in it.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io;

use crate::archive::{Archive, PICKLE};
use crate::error::PytorchError;
use crate::pickle;
use crate::source::Source;
use crate::state_dict;
use crate::tensor::{DeclaredTensor, TensorInfo};

/// The folder of storages.
const STORAGES: &str = "data";
/// The most bytes of the pickle. That of a model with ten thousand tensors has 2 MB.
const LONGEST_PICKLE: u64 = 1 << 25;

/// The tensors of a state dict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// The tensors in the order of the state dict. Several may have the same bytes.
    pub tensors: Vec<TensorInfo>,
}

/// A tensor with the bytes of its values.
pub type TensorValues<'i, 'b> = (&'i TensorInfo, Cow<'b, [u8]>);

impl Index {
    /// Reads the tensors of a file as the pickle declares them, without looking for their values: of the file, a few
    /// kilobytes and the pickle are read.
    ///
    /// # Errors
    /// As [`read`](Self::read), except for storages that lack a record or do not hold their tensors.
    pub fn declared<S: Source + ?Sized>(source: &S) -> Result<Vec<DeclaredTensor>, PytorchError> {
        let pickle = Archive::open(source)?.contents(PICKLE, LONGEST_PICKLE)?;
        let (heap, built) = pickle::run(&pickle)?;
        let tensors = state_dict::tensors(&heap, built)?.into_iter();
        tensors
            .map(|(name, view)| DeclaredTensor::new(name, view))
            .collect()
    }

    /// Reads the index of a file. Memory is allocated in proportion to the archive's directory and pickle.
    ///
    /// # Errors
    /// If the file is not a state dict that `torch.save` wrote, asks to call something that tensors do not need, or a
    /// tensor is not within its storage.
    pub fn read<S: Source + ?Sized>(source: &S) -> Result<Self, PytorchError> {
        let archive = Archive::open(source)?;
        let pickle = archive.contents(PICKLE, LONGEST_PICKLE)?;
        let (heap, built) = pickle::run(&pickle)?;
        let mut places = HashMap::new();
        let mut tensors = vec![];
        for (name, view) in state_dict::tensors(&heap, built)? {
            let key = view.storage.key;
            let place = match places.get(key) {
                Some(place) => *place,
                None => archive.place(&format!("{STORAGES}/{key}"))?,
            };
            places.insert(key, place);
            tensors.push(TensorInfo::new(name, view, place)?);
        }
        Ok(Index { tensors })
    }

    /// Checks that values which are not stored one after the other take no more memory, once they are copied, than the file
    /// of `length` bytes.
    ///
    /// # Errors
    /// If they take more.
    pub fn check_scattered(&self, length: u64) -> Result<(), PytorchError> {
        let scattered = self.tensors.iter().filter(|tensor| !tensor.is_contiguous());
        let add = |sum: u64, tensor: &TensorInfo| sum.saturating_add(tensor.value_bytes());
        match scattered.fold(0, add) {
            bytes if bytes > length => Err(PytorchError::Scattered { bytes, length }),
            _ => Ok(()),
        }
    }

    /// Returns the tensors of a file in memory with the bytes of their values, the last dimension fastest. Values that
    /// are not stored so are copied.
    ///
    /// # Errors
    /// If it is not the file of this index, or the copies would take more memory than the file.
    pub fn values<'b>(&self, file: &'b [u8]) -> Result<Vec<TensorValues<'_, 'b>>, PytorchError> {
        self.check_scattered(file.length())?;
        let tensors = self.tensors.iter();
        let values = tensors.map(|tensor| Some((tensor, tensor.values(part(file, tensor)?)?)));
        let values: Option<_> = values.collect();
        values.ok_or_else(|| io::Error::from(io::ErrorKind::UnexpectedEof).into())
    }
}

/// Returns the bytes of a file from a tensor's first value to its last.
fn part<'b>(file: &'b [u8], tensor: &TensorInfo) -> Option<&'b [u8]> {
    let [start, count] = [tensor.start, tensor.bytes].map(usize::try_from);
    // A number that memory has no place for lies outside of the file, too.
    file.get(start.ok()?..)?.get(..count.ok()?)
}
