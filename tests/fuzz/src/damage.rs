//! Inputs for readers: arbitrary bytes, and a good file after some damage.

use bolero::TypeGenerator;
use serde_json::{Map, Value};

/// An input for a reader of JSON.
#[derive(Clone, Debug, TypeGenerator)]
pub enum Input {
    /// Bytes that are unrelated to the format.
    Bytes(Vec<u8>),
    /// A good file with some bytes changed.
    Damaged(Vec<Edit>),
    /// A good file that is still JSON, with other contents.
    Rewritten(Vec<Rewrite>),
    /// A good file that is still JSON, with another natural number in the place of one: most of them are read, and so the
    /// number is used.
    Renumbered {
        at: u16,
        number: u64,
        /// The number is divided by this power of two, so that all magnitudes are as frequent.
        bits: u8,
    },
}

impl Input {
    /// Returns the input, derived from the good file `seed`.
    pub fn json(&self, seed: &[u8]) -> Vec<u8> {
        match self {
            Input::Bytes(bytes) => bytes.clone(),
            Input::Damaged(edits) => damaged(seed, edits),
            Input::Rewritten(rewrites) => rewritten(seed, rewrites),
            &Input::Renumbered { at, number, bits } => renumbered(seed, at, number >> (bits % 64)),
        }
    }

    /// Returns the input, derived from the good safetensors file `seed`: only its header, which is JSON, is rewritten.
    pub fn safetensors(&self, seed: &[u8]) -> Vec<u8> {
        if matches!(self, Input::Bytes(_) | Input::Damaged(_)) {
            return self.json(seed);
        }
        let (length, rest) = seed.split_first_chunk::<8>().unwrap();
        let (header, data) = rest.split_at(u64::from_le_bytes(*length) as usize);
        let header = self.json(header);
        let length = (header.len() as u64).to_le_bytes();
        [&length, header.as_slice(), data].concat()
    }
}

/// A change of bytes; places are taken modulo the length.
#[derive(Clone, Debug, TypeGenerator)]
pub enum Edit {
    Replace {
        at: u32,
        byte: u8,
    },
    Insert {
        at: u32,
        bytes: Vec<u8>,
    },
    Remove {
        at: u32,
        count: u8,
    },
    /// A stretch of other bytes of the file is repeated here.
    Repeat {
        from: u32,
        count: u8,
        at: u32,
    },
    CutShort {
        at: u32,
    },
}

/// Returns the file after at most eight changes.
pub fn damaged(seed: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for edit in edits.iter().take(8) {
        let place = |at: u32| at as usize % (bytes.len() + 1);
        let end = |at: usize, count: u8| (at + usize::from(count)).min(bytes.len());
        match edit {
            Edit::Replace { at, byte } => {
                let at = place(*at);
                if let Some(place) = bytes.get_mut(at) {
                    *place = *byte;
                }
            }
            Edit::Insert { at, bytes: more } => {
                let at = place(*at);
                bytes.splice(at..at, more.iter().copied());
            }
            Edit::Remove { at, count } => {
                let at = place(*at);
                let end = end(at, *count);
                bytes.drain(at..end);
            }
            Edit::Repeat { from, count, at } => {
                let (from, at) = (place(*from), place(*at));
                let part = bytes[from..end(from, *count)].to_vec();
                bytes.splice(at..at, part);
            }
            Edit::CutShort { at } => {
                let at = place(*at);
                bytes.truncate(at);
            }
        }
    }
    bytes
}

/// A change of one value of a JSON file; places are taken modulo the number of values.
#[derive(Clone, Debug, TypeGenerator)]
pub struct Rewrite {
    at: u16,
    what: What,
}

#[derive(Clone, Debug, TypeGenerator)]
enum What {
    Null,
    Boolean(bool),
    Small(u8),
    Integer(i64),
    Natural(u64),
    Float(f64),
    Text(String),
    Letter(char),
    EmptyList,
    EmptyObject,
    /// Removes the value from its list or object.
    Nothing,
    /// Replaces the value by another one of the file.
    Other(u16),
}

fn rewritten(seed: &[u8], rewrites: &[Rewrite]) -> Vec<u8> {
    let mut json: Value = serde_json::from_slice(seed).unwrap();
    for Rewrite { at, what } in rewrites.iter().take(8) {
        let count = values(&json);
        let place = |at: u16| usize::from(at) % count;
        let value = match what {
            What::Null => Value::Null,
            What::Boolean(value) => (*value).into(),
            What::Small(value) => (*value).into(),
            What::Integer(value) => (*value).into(),
            What::Natural(value) => (*value).into(),
            What::Float(value) => (*value).into(),
            What::Text(text) => text.as_str().into(),
            What::Letter(letter) => letter.to_string().into(),
            What::EmptyList => Value::Array(vec![]),
            What::EmptyObject => Value::Object(Map::new()),
            What::Nothing => {
                remove(&mut json, &mut place(*at));
                continue;
            }
            What::Other(from) => {
                let mut found = Value::Null;
                visit(&mut json, &mut place(*from), &mut |value| {
                    found = value.clone()
                });
                found
            }
        };
        visit(&mut json, &mut place(*at), &mut |old| *old = value.clone());
    }
    serde_json::to_vec(&json).unwrap()
}

/// Returns the file with `number` in the place of its `at`-th natural number, counted modulo their number; the file itself
/// if it has none.
fn renumbered(seed: &[u8], at: u16, number: u64) -> Vec<u8> {
    let mut json: Value = serde_json::from_slice(seed).unwrap();
    let mut places = vec![];
    naturals(&mut json, &mut places);
    let place = usize::from(at) % places.len().max(1);
    if let Some(old) = places.get_mut(place) {
        **old = number.into();
    }
    serde_json::to_vec(&json).unwrap()
}

fn naturals<'a>(json: &'a mut Value, found: &mut Vec<&'a mut Value>) {
    match json {
        value if value.is_u64() => found.push(value),
        value => children_mut(value).for_each(|child| naturals(child, found)),
    }
}

/// Counts the values, lists and objects included.
fn values(json: &Value) -> usize {
    1 + children(json).map(values).sum::<usize>()
}

fn children(json: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match json {
        Value::Array(list) => Box::new(list.iter()),
        Value::Object(entries) => Box::new(entries.values()),
        _ => Box::new(std::iter::empty()),
    }
}

fn children_mut(json: &mut Value) -> Box<dyn Iterator<Item = &mut Value> + '_> {
    match json {
        Value::Array(list) => Box::new(list.iter_mut()),
        Value::Object(entries) => Box::new(entries.values_mut()),
        _ => Box::new(std::iter::empty()),
    }
}

/// Calls `act` with the value at place `left`, counted as by [`values`].
fn visit(json: &mut Value, left: &mut usize, act: &mut dyn FnMut(&mut Value)) -> bool {
    if *left == 0 {
        act(json);
        return true;
    }
    *left -= 1;
    children_mut(json).any(|child| visit(child, left, act))
}

/// Removes the value at place `left` from its list or object; the outermost stays.
fn remove(json: &mut Value, left: &mut usize) -> bool {
    if *left == 0 {
        return false;
    }
    let mut before = *left - 1;
    let sizes: Vec<usize> = children(json).map(values).collect();
    for (index, size) in sizes.into_iter().enumerate() {
        if before == 0 {
            match json {
                Value::Array(list) => drop(list.remove(index)),
                Value::Object(entries) => {
                    let name = entries.keys().nth(index).cloned().unwrap();
                    entries.remove(&name);
                }
                _ => unreachable!("only lists and objects have children"),
            }
            return true;
        }
        if before < size {
            let child = children_mut(json).nth(index).unwrap();
            return remove(child, &mut before);
        }
        before -= size;
    }
    false
}

#[test]
fn one_number_of_a_file_can_be_another() {
    let seed = br#"{"a":[1,{"b":-2}],"c":3,"d":"4"}"#;
    let at = |at| String::from_utf8(renumbered(seed, at, 7)).unwrap();
    assert_eq!(at(0), r#"{"a":[7,{"b":-2}],"c":3,"d":"4"}"#);
    assert_eq!(at(3), r#"{"a":[1,{"b":-2}],"c":7,"d":"4"}"#);
    assert_eq!(renumbered(b"[]", 5, 7), b"[]");
}

#[test]
fn a_file_can_be_rewritten_at_every_place() {
    let seed = br#"{"a":[1,{"b":2}],"c":3}"#;
    let rewrite = |at, what| {
        let bytes = rewritten(seed, &[Rewrite { at, what }]);
        String::from_utf8(bytes).unwrap()
    };
    assert_eq!(rewrite(0, What::Null), "null");
    assert_eq!(rewrite(1, What::Null), r#"{"a":null,"c":3}"#);
    assert_eq!(rewrite(4, What::Null), r#"{"a":[1,{"b":null}],"c":3}"#);
    assert_eq!(rewrite(5, What::Other(2)), r#"{"a":[1,{"b":2}],"c":1}"#);
    assert_eq!(rewrite(2, What::Nothing), r#"{"a":[{"b":2}],"c":3}"#);
    assert_eq!(rewrite(4, What::Nothing), r#"{"a":[1,{}],"c":3}"#);
    assert_eq!(rewrite(5, What::Nothing), r#"{"a":[1,{"b":2}]}"#);
}
