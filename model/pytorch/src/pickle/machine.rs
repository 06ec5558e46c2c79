//! The stack machine that runs a pickle.

use std::collections::HashMap;

use super::globals::Global;
use super::object::{Heap, Id, Object, Storage, View};
use super::reader::Reader;
use crate::error::{PytorchError, shown};

/// The largest number of opcodes: a tensor takes about forty, and each makes at most one object.
const MOST_OPCODES: u64 = 1 << 21;
/// The most dimensions of a tensor.
const MOST_DIMENSIONS: usize = 8;
/// The newest protocol of pickles.
const NEWEST_PROTOCOL: u8 = 5;
/// The first item of the tuple that names a storage.
const STORAGE: &str = "storage";

/// Opcodes as Python's `pickletools` names them.
mod opcode {
    pub const MARK: u8 = b'(';
    pub const STOP: u8 = b'.';
    pub const BINFLOAT: u8 = b'G';
    pub const BININT: u8 = b'J';
    pub const BININT1: u8 = b'K';
    pub const BININT2: u8 = b'M';
    pub const NONE: u8 = b'N';
    pub const BINPERSID: u8 = b'Q';
    pub const REDUCE: u8 = b'R';
    pub const BINUNICODE: u8 = b'X';
    pub const APPEND: u8 = b'a';
    pub const BUILD: u8 = b'b';
    pub const GLOBAL: u8 = b'c';
    pub const APPENDS: u8 = b'e';
    pub const BINGET: u8 = b'h';
    pub const LONG_BINGET: u8 = b'j';
    pub const BINPUT: u8 = b'q';
    pub const LONG_BINPUT: u8 = b'r';
    pub const SETITEM: u8 = b's';
    pub const TUPLE: u8 = b't';
    pub const SETITEMS: u8 = b'u';
    pub const EMPTY_LIST: u8 = b']';
    pub const EMPTY_DICT: u8 = b'}';
    pub const EMPTY_TUPLE: u8 = b')';
    pub const PROTO: u8 = 0x80;
    pub const TUPLE1: u8 = 0x85;
    pub const TUPLE2: u8 = 0x86;
    pub const TUPLE3: u8 = 0x87;
    pub const NEWTRUE: u8 = 0x88;
    pub const NEWFALSE: u8 = 0x89;
    pub const LONG1: u8 = 0x8a;
    pub const SHORT_BINUNICODE: u8 = 0x8c;
    pub const BINUNICODE8: u8 = 0x8d;
    pub const STACK_GLOBAL: u8 = 0x93;
    pub const MEMOIZE: u8 = 0x94;
    pub const FRAME: u8 = 0x95;
}

/// Interprets a pickle and returns its objects, and the one that it builds.
///
/// # Errors
/// The first opcode, function or class that tensors do not need, and the first fault.
pub fn run(pickle: &[u8]) -> Result<(Heap<'_>, Id), PytorchError> {
    let mut machine = Machine {
        reader: Reader::new(pickle),
        heap: Heap::default(),
        stack: vec![],
        marks: vec![],
        memo: HashMap::new(),
    };
    for _ in 0..MOST_OPCODES {
        let opcode = machine.reader.opcode()?;
        if opcode == opcode::STOP {
            let built = machine.pop()?;
            return Ok((machine.heap, built));
        }
        machine.step(opcode)?;
    }
    Err(machine.reader.fault("it has too many opcodes"))
}

struct Machine<'a> {
    reader: Reader<'a>,
    heap: Heap<'a>,
    stack: Vec<Id>,
    /// The heights of the stack at which marks were set.
    marks: Vec<usize>,
    /// The objects that later opcodes refer to by number.
    memo: HashMap<u32, Id>,
}

impl<'a> Machine<'a> {
    fn step(&mut self, opcode: u8) -> Result<(), PytorchError> {
        match opcode {
            opcode::PROTO => {
                if self.reader.u8()? > NEWEST_PROTOCOL {
                    return Err(self.reader.fault("the protocol is not implemented"));
                }
            }
            opcode::FRAME => {
                self.reader.u64()?;
            }
            opcode::NONE | opcode::NEWTRUE | opcode::NEWFALSE => self.push(Object::Plain),
            opcode::BINFLOAT => {
                self.reader.u64()?;
                self.push(Object::Plain);
            }
            opcode::BININT => self.integer(4)?,
            opcode::BININT1 => {
                let number = self.reader.u8()?;
                self.push(Object::Integer(number.into()));
            }
            opcode::BININT2 => {
                let number = self.reader.u16()?;
                self.push(Object::Integer(number.into()));
            }
            opcode::LONG1 => {
                let bytes = self.reader.u8()?;
                self.integer(bytes.into())?;
            }
            opcode::SHORT_BINUNICODE => {
                let bytes = self.reader.u8()?;
                self.text(bytes.into())?;
            }
            opcode::BINUNICODE => {
                let bytes = self.reader.u32()?;
                self.text(bytes.into())?;
            }
            opcode::BINUNICODE8 => {
                let bytes = self.reader.u64()?;
                self.text(bytes)?;
            }
            opcode::MARK => self.marks.push(self.stack.len()),
            opcode::EMPTY_TUPLE => self.push(Object::Tuple(vec![])),
            opcode::TUPLE1 => self.tuple(1)?,
            opcode::TUPLE2 => self.tuple(2)?,
            opcode::TUPLE3 => self.tuple(3)?,
            opcode::TUPLE => {
                let items = self.pop_to_mark()?;
                self.push(Object::Tuple(items));
            }
            opcode::EMPTY_LIST => self.push(Object::List(vec![])),
            opcode::APPEND => {
                let item = self.pop()?;
                self.append(vec![item])?;
            }
            opcode::APPENDS => {
                let items = self.pop_to_mark()?;
                self.append(items)?;
            }
            opcode::EMPTY_DICT => self.push(Object::Dict(vec![])),
            opcode::SETITEM => {
                let (value, key) = (self.pop()?, self.pop()?);
                self.set(&[key, value])?;
            }
            opcode::SETITEMS => {
                let items = self.pop_to_mark()?;
                self.set(&items)?;
            }
            opcode::BINPUT => {
                let number = self.reader.u8()?;
                self.memoize(number.into())?;
            }
            opcode::LONG_BINPUT => {
                let number = self.reader.u32()?;
                self.memoize(number)?;
            }
            opcode::MEMOIZE => {
                let number = u32::try_from(self.memo.len());
                let number = number.map_err(|_| self.reader.fault("the memo is full"))?;
                self.memoize(number)?;
            }
            opcode::BINGET => {
                let number = self.reader.u8()?;
                self.recall(number.into())?;
            }
            opcode::LONG_BINGET => {
                let number = self.reader.u32()?;
                self.recall(number)?;
            }
            opcode::GLOBAL => {
                let (module, name) = (self.reader.line()?, self.reader.line()?);
                self.global(module, name)?;
            }
            opcode::STACK_GLOBAL => {
                let (name, module) = (self.pop()?, self.pop()?);
                let names = (self.heap.get(module), self.heap.get(name));
                let (&Object::Text(module), &Object::Text(name)) = names else {
                    return Err(self.reader.fault("the name of a class is not a text"));
                };
                self.global(module, name)?;
            }
            opcode::BINPERSID => {
                let tuple = self.pop()?;
                let storage = self.storage(tuple);
                let storage = storage.ok_or_else(|| {
                    self.reader
                        .fault("it refers to something else than a storage")
                })?;
                self.push(Object::Storage(storage));
            }
            opcode::REDUCE => {
                let (arguments, function) = (self.pop()?, self.pop()?);
                let made = self.call(function, arguments)?;
                self.stack.push(made);
            }
            opcode::BUILD => {
                // The attributes of a state dict, such as `_metadata`, change no tensor.
                self.pop()?;
                let object = self.top()?;
                if !matches!(self.heap.get(object), Object::Dict(_)) {
                    return Err(self
                        .reader
                        .fault("it sets attributes of something else than a dictionary"));
                }
            }
            opcode => {
                let position = self.reader.position();
                return Err(PytorchError::Opcode { position, opcode });
            }
        }
        Ok(())
    }

    fn push(&mut self, object: Object<'a>) {
        let id = self.heap.add(object);
        self.stack.push(id);
    }

    fn integer(&mut self, bytes: usize) -> Result<(), PytorchError> {
        let number = self.reader.integer(bytes)?;
        self.push(number.map_or(Object::Plain, Object::Integer));
        Ok(())
    }

    fn text(&mut self, bytes: u64) -> Result<(), PytorchError> {
        let text = self.reader.text(bytes)?;
        self.push(Object::Text(text));
        Ok(())
    }

    /// Takes the topmost object above the last mark.
    fn pop(&mut self) -> Result<Id, PytorchError> {
        let least = self.marks.last().copied().unwrap_or(0);
        let is_there = self.stack.len() > least;
        let top = is_there.then(|| self.stack.pop()).flatten();
        top.ok_or_else(|| self.reader.fault("the stack is empty"))
    }

    fn top(&mut self) -> Result<Id, PytorchError> {
        let top = self.pop()?;
        self.stack.push(top);
        Ok(top)
    }

    fn pop_to_mark(&mut self) -> Result<Vec<Id>, PytorchError> {
        let mark = self.marks.pop();
        let mark = mark.ok_or_else(|| self.reader.fault("there is no mark"))?;
        Ok(self.stack.split_off(mark))
    }

    fn tuple(&mut self, count: usize) -> Result<(), PytorchError> {
        let mut items = vec![];
        for _ in 0..count {
            items.push(self.pop()?);
        }
        items.reverse();
        self.push(Object::Tuple(items));
        Ok(())
    }

    fn append(&mut self, items: Vec<Id>) -> Result<(), PytorchError> {
        let list = self.top()?;
        match self.heap.get_mut(list) {
            Object::List(list) => {
                list.extend(items);
                Ok(())
            }
            _ => Err(self
                .reader
                .fault("it appends to something else than a list")),
        }
    }

    /// Sets entries of a dictionary to keys and values in turn.
    fn set(&mut self, items: &[Id]) -> Result<(), PytorchError> {
        let dict = self.top()?;
        let (pairs, rest) = items.as_chunks::<2>();
        match self.heap.get_mut(dict) {
            Object::Dict(entries) if rest.is_empty() => {
                entries.extend(pairs.iter().map(|&[key, value]| (key, value)));
                Ok(())
            }
            _ => Err(self
                .reader
                .fault("it sets entries of something else than a dictionary")),
        }
    }

    fn memoize(&mut self, number: u32) -> Result<(), PytorchError> {
        let top = self.top()?;
        self.memo.insert(number, top);
        Ok(())
    }

    fn recall(&mut self, number: u32) -> Result<(), PytorchError> {
        let object = self.memo.get(&number);
        let object = object.ok_or_else(|| self.reader.fault("the memo has no such object"))?;
        self.stack.push(*object);
        Ok(())
    }

    fn global(&mut self, module: &str, name: &str) -> Result<(), PytorchError> {
        let global = Global::of(module, name).ok_or_else(|| PytorchError::Global {
            name: shown(&format!("{module}.{name}")),
        })?;
        self.push(Object::Global(global));
        Ok(())
    }

    /// Returns the storage that a tuple names: the word “storage”, its class, its record, the device that it was on,
    /// and the number of its values.
    fn storage(&self, tuple: Id) -> Option<Storage<'a>> {
        let &[kind, class, key, _, values] = self.items(tuple)? else {
            return None;
        };
        let objects = [kind, class, key, values].map(|id| self.heap.get(id));
        match objects {
            [
                &Object::Text(STORAGE),
                &Object::Global(Global::Storage(dtype)),
                &Object::Text(key),
                &Object::Integer(values),
            ] => Some(Storage { key, dtype, values }),
            _ => None,
        }
    }

    /// Returns the result of a function for a tuple of arguments.
    fn call(&mut self, function: Id, arguments: Id) -> Result<Id, PytorchError> {
        let &Object::Global(global) = self.heap.get(function) else {
            return Err(self.reader.fault("it calls something else than a function"));
        };
        let arguments = self.items(arguments);
        let arguments = arguments.ok_or_else(|| self.reader.fault("arguments are no tuple"))?;
        let result = match (global, arguments) {
            (Global::OrderedDict, []) => Some(self.heap.add(Object::Dict(vec![]))),
            (Global::RebuildTensor, &[storage, offset, shape, strides, _, _]) => self
                .view([storage, offset, shape, strides])
                .map(|view| self.heap.add(Object::Tensor(view))),
            (Global::RebuildParameter, &[tensor, _, _])
            | (Global::RebuildParameterWithState, &[tensor, _, _, _]) => {
                matches!(self.heap.get(tensor), Object::Tensor(_)).then_some(tensor)
            }
            (Global::RebuildFromType, &[function, class, arguments, _]) => {
                let names = [function, class].map(|id| self.heap.get(id));
                let expected = [Global::RebuildTensor, Global::Tensor].map(Object::Global);
                if names != expected.each_ref() {
                    return Err(self
                        .reader
                        .fault("it rebuilds something else than a tensor"));
                }
                return self.call(function, arguments);
            }
            _ => None,
        };
        result.ok_or_else(|| {
            self.reader
                .fault("a function has other arguments than torch gives it")
        })
    }

    fn view(&self, arguments: [Id; 4]) -> Option<View<'a>> {
        let [storage, offset, shape, strides] = arguments;
        match (self.heap.get(storage), self.heap.get(offset)) {
            (&Object::Storage(storage), &Object::Integer(offset)) => Some(View {
                storage,
                offset,
                shape: self.integers(shape)?,
                strides: self.integers(strides)?,
            }),
            _ => None,
        }
    }

    fn items(&self, tuple: Id) -> Option<&[Id]> {
        match self.heap.get(tuple) {
            Object::Tuple(items) => Some(items),
            _ => None,
        }
    }

    fn integers(&self, tuple: Id) -> Option<Vec<i64>> {
        let items = self.items(tuple)?;
        if items.len() > MOST_DIMENSIONS {
            return None;
        }
        let integer = |&id: &Id| match self.heap.get(id) {
            &Object::Integer(number) => Some(number),
            _ => None,
        };
        items.iter().map(integer).collect()
    }
}
