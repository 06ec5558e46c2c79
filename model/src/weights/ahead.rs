//! Tensors that are read before the model is loaded, for files that are waited for.
//!
//! Loading a model waits for nothing. So it is first loaded without its values, which tells what it needs; when all of that has
//! been read, it is loaded with it.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use attention_pytorch::Source;

use super::reading::{Gathered, Gathering};

/// A file of weights for a model that is loaded.
#[derive(Clone, Copy)]
pub struct Weights<'a> {
    /// The file that tensors are read from.
    pub(crate) file: &'a dyn Source,
    /// The tensors that have been read, unless they are read when they are needed.
    pub(crate) ahead: Option<&'a Ahead>,
}

impl<'a, S: Source> From<&'a S> for Weights<'a> {
    fn from(file: &'a S) -> Self {
        Weights { file, ahead: None }
    }
}

/// The place of a tensor, its bytes, and true if it stays as it is stored.
type Key = (u64, u64, bool);

/// A tensor to be read. [`next`](Self::next) says which bytes [`push`](Self::push) takes.
pub struct Wanted {
    key: Key,
    gathering: Gathering,
}

impl Wanted {
    /// Returns the position of the tensor in its file.
    pub fn start(&self) -> u64 {
        self.gathering.start()
    }

    /// Returns the position and the number of the bytes that are to be read next; `None` if all have been.
    pub fn next(&self) -> Option<(u64, u64)> {
        self.gathering.next()
    }

    /// Takes the next bytes of the file.
    ///
    /// # Errors
    /// If memory has no room for them.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), crate::error::ModelError> {
        self.gathering.push(bytes.into())
    }
}

/// Tensors that a model needs, and those of them that have been read.
#[derive(Default)]
pub struct Ahead {
    is_plan: Cell<bool>,
    wanted: RefCell<Vec<Wanted>>,
    ready: RefCell<BTreeMap<Key, Vec<Gathered>>>,
}

impl Ahead {
    /// Creates one that notes what a model needs.
    pub(crate) fn plan() -> Self {
        Ahead {
            is_plan: Cell::new(true),
            ..Ahead::default()
        }
    }

    /// Returns true if nothing is read, and the tensors that are needed are noted.
    pub(crate) fn is_plan(&self) -> bool {
        self.is_plan.get()
    }

    /// Returns the tensors that the model needs, in the order of the file.
    pub(crate) fn wanted(self) -> Vec<Wanted> {
        let mut wanted = self.wanted.into_inner();
        wanted.sort_by_key(Wanted::start);
        wanted
    }

    /// Adds a tensor that has been read.
    ///
    /// # Errors
    /// If values are not finite.
    pub fn add(&mut self, tensor: Wanted) -> Result<(), crate::error::ModelError> {
        let gathered = tensor.gathering.finish()?;
        let ready = self.ready.get_mut().entry(tensor.key).or_default();
        ready.push(gathered);
        Ok(())
    }

    /// Notes that a tensor is needed.
    pub(super) fn want(&self, key: Key, gathering: Gathering) {
        self.wanted.borrow_mut().push(Wanted { key, gathering });
    }

    /// Returns a tensor that has been read, once.
    pub(super) fn take(&self, key: Key) -> Option<Gathered> {
        self.ready.borrow_mut().get_mut(&key)?.pop()
    }
}
