//! A file's tensors for a module: under the names of its family, with any prefix.

use std::collections::{BTreeMap, BTreeSet};

use burn::prelude::Device;

use super::hints::{self, Head};
use super::reading::{Gathered, Gathering, equal, gathered};
use super::tensor::{StoredFloats, StoredTensor};
use super::{Layout, Opened, Weights, check_tensor};
use crate::error::ModelError;

/// The prefix that PyTorch's compiler adds to names, at any depth.
const COMPILED: &str = "_orig_mod";
/// The prefix that PyTorch's parallel training adds to names.
const PARALLEL: &str = "module.";

/// A file, addressed by the paths of a module.
pub struct Stored<'a> {
    /// The file that the tensors are read from.
    weights: Weights<'a>,
    tensors: BTreeMap<String, StoredTensor>,
    layout: &'a Layout,
    /// The paths of the module's parameters.
    paths: BTreeSet<String>,
}

impl<'a> Stored<'a> {
    /// Addresses a file for a module with parameters at these paths.
    ///
    /// # Errors
    /// If it names a tensor twice.
    pub fn new(
        opened: &Opened<'a>,
        layout: &'a Layout,
        paths: impl Iterator<Item = String>,
    ) -> Result<Self, ModelError> {
        let mut named = BTreeMap::new();
        for (name, tensor) in &opened.tensors {
            let plain = plain(name);
            if named.insert(plain.clone(), tensor.clone()).is_some() {
                return Err(ModelError::Weights(format!(
                    "`{plain}` is there twice, with and without `{COMPILED}` or `{PARALLEL}` before it"
                )));
            }
        }
        Ok(Stored {
            weights: opened.weights,
            tensors: named,
            layout,
            paths: paths.collect(),
        })
    }

    /// Returns the names of all tensors.
    pub fn names(&self) -> BTreeSet<String> {
        self.tensors.keys().cloned().collect()
    }

    /// Returns the names of the layout's matrix that are separate matrices: in the file, and not the one that the table
    /// is read from.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn own(&self) -> Result<BTreeSet<&'static str>, ModelError> {
        let mut there = self.layout.tied.iter().copied();
        let mut own = BTreeSet::new();
        let Some((_, table)) = there.find_map(|name| self.named(name)) else {
            return Ok(own);
        };
        for name in there {
            let Some((_, other)) = self.named(name) else {
                continue;
            };
            let is_table = match (table, other) {
                (StoredTensor::Floats(table), StoredTensor::Floats(other)) => {
                    equal(table, other, self.weights.file)?
                }
                _ => table == other,
            };
            if !is_table {
                own.insert(name);
            }
        }
        Ok(own)
    }

    /// Returns the values of a tensor, which is read unless it has been; `None` if it is only noted that it is needed.
    ///
    /// # Errors
    /// If the file cannot be read, or values are not finite.
    pub fn gathered(
        &self,
        name: String,
        tensor: StoredFloats,
        place: Option<(Device, u64)>,
    ) -> Result<Option<Gathered>, ModelError> {
        let placed = &tensor.placed;
        let key = (placed.start, placed.bytes, place.is_some());
        let tensor = Gathering::new(name, tensor, place);
        match self.weights.ahead {
            Some(ahead) if ahead.is_plan() => {
                ahead.want(key, tensor);
                Ok(None)
            }
            ahead => match ahead.and_then(|ahead| ahead.take(key)) {
                Some(ready) => Ok(Some(ready)),
                None => gathered(tensor, self.weights.file).map(Some),
            },
        }
    }

    /// Returns true if linear layers have a row for each input.
    pub fn rows_are_inputs(&self) -> bool {
        self.layout.rows_are_inputs
    }

    /// Returns the tensor of the parameter at `path`, and its name.
    pub fn tensor(&self, path: &str) -> Option<(String, StoredTensor)> {
        let names = (self.layout.names)(path);
        let found = names.iter().find_map(|name| self.named(name));
        let (name, tensor) = found.or_else(|| self.elsewhere(path))?;
        Some((name.to_owned(), tensor.clone()))
    }

    /// Returns the embedding table under a tied name, if the file contains it only there.
    fn elsewhere(&self, path: &str) -> Option<(&str, &StoredTensor)> {
        let (table, others) = self.layout.tied.split_first()?;
        let is_name =
            |path: &str, name: &str| (self.layout.names)(path).iter().any(|it| it == name);
        let has_parameter = |name: &str| self.paths.iter().any(|path| is_name(path, name));
        // What the module has a parameter of its own for is no copy of the table.
        let mut copies = others.iter().filter(|name| !has_parameter(name));
        is_name(path, table).then(|| copies.find_map(|name| self.named(name)))?
    }

    /// Returns the tensor of that name; the file of a model without a head has it without the prefix.
    fn named(&self, name: &str) -> Option<(&str, &StoredTensor)> {
        let found = self.tensors.get_key_value(name);
        let short = || {
            let short = name.strip_prefix(self.layout.base)?;
            self.tensors.get_key_value(short)
        };
        let (name, tensor) = found.or_else(short)?;
        Some((name, tensor))
    }

    /// Checks the file's tensors against a module's parameters.
    ///
    /// # Errors
    /// The first that is missing, cannot be read, or has no place.
    pub fn check(&self, parameters: &BTreeMap<String, Vec<usize>>) -> Result<(), ModelError> {
        for (path, shape) in parameters {
            match self.tensor(path) {
                Some((name, tensor)) => check_tensor(&name, &tensor, shape)?,
                None if (self.layout.may_be_absent)(path) => {}
                None => {
                    let name = (self.layout.names)(path).swap_remove(0);
                    let head = match name.starts_with(self.layout.base) {
                        true => Head::There,
                        false if self.is_bare() => Head::Bare,
                        false => Head::Lacking,
                    };
                    return Err(self.refused(&format!("`{name}` is missing"), head));
                }
            }
        }
        match self.unused()? {
            Some(name) => Err(self.refused(
                &format!("`{name}` has no place in the model that config.json describes"),
                Head::Lacking,
            )),
            None => Ok(()),
        }
    }

    /// Returns the name of a tensor that the module does not use: ignoring it would give wrong numbers for a model with
    /// features that are not implemented.
    fn unused(&self) -> Result<Option<&str>, ModelError> {
        let own = self.own()?;
        let of_path = |path: &String| (self.layout.names)(path);
        let of_table = self.layout.tied.iter();
        let of_table = of_table.filter(|name| !own.contains(*name));
        let used: BTreeSet<String> = self
            .paths
            .iter()
            .flat_map(of_path)
            .chain(of_table.map(|name| (*name).to_owned()))
            .collect();
        let is_unused = |name: &&String| {
            let long = format!("{}{name}", self.layout.base);
            let is_known = |name: &str| {
                used.contains(name) || is_redundant(name) || (self.layout.is_extra)(name)
            };
            !is_known(name) && !is_known(&long)
        };
        Ok(self.tensors.keys().find(is_unused).map(String::as_str))
    }

    /// Returns true if the file is that of a model without its head.
    fn is_bare(&self) -> bool {
        let base = self.layout.base;
        let is_of_base = |name: &String| self.paths.contains(&format!("{base}{name}"));
        let mut names = self.tensors.keys();
        !names.any(|name| name.starts_with(base)) && self.tensors.keys().any(is_of_base)
    }

    /// Returns the error for the file, with advice if its other tensors show the cause.
    fn refused(&self, what: &str, head: Head) -> ModelError {
        let names = self.tensors.keys().map(String::as_str);
        let help = hints::of(names, self.layout.model, head);
        let help = help.map_or_else(String::new, |help| format!("; {help}"));
        ModelError::Weights(format!("{what}{help}"))
    }
}

/// Removes the prefixes of wrappers from a name.
pub fn plain(name: &str) -> String {
    let parts: Vec<&str> = name.split('.').filter(|part| *part != COMPILED).collect();
    let name = parts.join(".");
    name.strip_prefix(PARALLEL).unwrap_or(&name).to_owned()
}

/// Returns true if older checkpoints store a tensor under this name that is computed here.
fn is_redundant(name: &str) -> bool {
    [
        "embed_positions.weight",
        "embed_positions.weights",
        "rotary_emb.inv_freq",
    ]
    .iter()
    .any(|suffix| name.ends_with(suffix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_wrappers_put_before_them() {
        for (name, expected) in [
            ("_orig_mod.model.norm.weight", "model.norm.weight"),
            ("module._orig_mod.model.norm.weight", "model.norm.weight"),
            ("model._orig_mod.norm.weight", "model.norm.weight"),
            ("model.norm.weight", "model.norm.weight"),
        ] {
            assert_eq!(plain(name), expected);
        }
    }
}
