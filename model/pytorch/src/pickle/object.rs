//! The objects that a pickle makes.

use super::globals::Global;
use crate::dtype::Dtype;

/// The number of an object in its heap. Several containers may hold one object, and an object itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id(usize);

/// All objects that a pickle has made. Nothing follows their references but from one object to the next, so that deep
/// and circular structures need no bound.
#[derive(Debug, Default)]
pub struct Heap<'a>(Vec<Object<'a>>);

impl<'a> Heap<'a> {
    pub fn add(&mut self, object: Object<'a>) -> Id {
        self.0.push(object);
        Id(self.0.len() - 1)
    }

    pub fn get(&self, id: Id) -> &Object<'a> {
        &self.0[id.0]
    }

    pub fn get_mut(&mut self, id: Id) -> &mut Object<'a> {
        &mut self.0[id.0]
    }
}

/// An object of a pickle.
#[derive(Clone, Debug, PartialEq)]
pub enum Object<'a> {
    /// Nothing, a Boolean, a real number, or a whole number of more than 64 bits: no part of a tensor's description.
    Plain,
    /// A whole number of at most 64 bits.
    Integer(i64),
    /// A text in UTF-8.
    Text(&'a str),
    /// A fixed number of objects.
    Tuple(Vec<Id>),
    /// A list that may grow.
    List(Vec<Id>),
    /// Pairs of key and value, in the order in which they were set.
    Dict(Vec<(Id, Id)>),
    /// A function or class.
    Global(Global),
    /// The values of one or more tensors.
    Storage(Storage<'a>),
    /// A tensor with its description.
    Tensor(View<'a>),
}

/// A storage: a record of the archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Storage<'a> {
    /// The name of the record in the folder `data`.
    pub key: &'a str,
    /// The type of its values.
    pub dtype: Dtype,
    /// The number of its values.
    pub values: i64,
}

/// A tensor as the pickle describes it: a view of a storage, in values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View<'a> {
    /// The storage of the values.
    pub storage: Storage<'a>,
    /// The position of the first value in the storage.
    pub offset: i64,
    /// The size of each dimension.
    pub shape: Vec<i64>,
    /// The distance in the storage from one index of a dimension to the next.
    pub strides: Vec<i64>,
}
