//! The names under which files have a module's parameters, and what a file has besides.

use std::collections::BTreeSet;

use attention_pytorch::Source;
use attention_trace::card::{FileTensor, ModelCard, sort_tensors};
use attention_trace::config::keeps_stored;
use burn::module::Module;

use super::stored::plain;
use super::tensor::{StoredTensor, gguf, gguf_beginning, is_gguf, tensors};
use super::{Layout, parameters};
use crate::error::ModelError;

/// The names under which files may have the parameters of a model.
#[derive(Clone, Debug, Default)]
pub struct FileNames {
    /// The names of each parameter, today's first.
    pub(crate) parameters: Vec<Vec<String>>,
    /// The prefix that the file of a model without a head lacks.
    base: &'static str,
    /// The names of the matrix that the family ties.
    tied: &'static [&'static str],
}

impl FileNames {
    /// Returns the names of a module's parameters in the files of its family.
    pub(crate) fn of<M: Module>(module: &M, layout: &Layout) -> Self {
        let paths = parameters(module, layout).into_keys();
        FileNames {
            parameters: paths.map(|path| (layout.names)(&path)).collect(),
            base: layout.base,
            tied: layout.tied,
        }
    }

    /// Returns the first of a parameter's names that a file has, with or without the prefix.
    fn found<'a>(&self, names: &'a [String], file: &BTreeSet<String>) -> Option<&'a str> {
        let short = |name: &'a str| name.strip_prefix(self.base).unwrap_or(name);
        let mut names = names.iter().map(String::as_str);
        names.find_map(|name| {
            let mut forms = [name, short(name)].into_iter();
            forms.find(|name| file.contains(*name))
        })
    }

    /// Returns the card of a model with these parameters and the file that it was loaded from. `model_type` is that of its
    /// `config.json`.
    ///
    /// # Errors
    /// If it is not a file of weights, or cannot be read.
    pub fn card(&self, file: &dyn Source, model_type: &str) -> Result<ModelCard, ModelError> {
        let stored = stored(file)?;
        let all: BTreeSet<String> = stored
            .iter()
            .flat_map(|(_, names, _)| names.clone())
            .collect();
        let tied = |name: &str| {
            let mut forms = self.tied.iter();
            forms.any(|tied| name == *tied || Some(name) == tied.strip_prefix(self.base))
        };
        let (mut used, mut absent) = (BTreeSet::new(), vec![]);
        for names in &self.parameters {
            match self.found(names, &all) {
                Some(name) => {
                    used.insert(name);
                }
                // A file may have the table under another of its names alone.
                None if names.iter().any(|name| tied(name)) => {
                    used.extend(all.iter().map(String::as_str).find(|name| tied(name)));
                }
                None => absent.extend(names.first().cloned()),
            }
        }
        let mut card = ModelCard {
            absent,
            ..ModelCard::default()
        };
        for (tensor, names, loaded_bytes) in stored {
            let is_used = names.is_empty() || names.iter().any(|name| used.contains(name.as_str()));
            if is_used {
                let wide = 4 * tensor.weights();
                let bytes = if keeps_stored(model_type) {
                    loaded_bytes
                } else {
                    wide
                };
                card.loaded_bytes = card.loaded_bytes.saturating_add(bytes);
            } else if names.iter().any(|name| tied(name)) {
                card.copies.push(tensor.name.clone());
            } else {
                card.unused.push(tensor.name.clone());
            }
            card.tensors.push(tensor);
        }
        sort_tensors(&mut card.tensors);
        for names in [&mut card.unused, &mut card.copies, &mut card.absent] {
            names.sort();
        }
        Ok(card)
    }
}

/// A tensor, the names of what it holds in `model.safetensors`, and its bytes in memory where matrices stay as they are
/// stored. One without names is part of the configuration.
type StoredFacts = (FileTensor, Vec<String>, u64);

fn stored(file: &dyn Source) -> Result<Vec<StoredFacts>, ModelError> {
    if is_gguf(file) {
        let beginning = gguf_beginning(file)?;
        let gguf = gguf(&beginning, file)?;
        let tensors = gguf.header.tensors.iter().map(|tensor| {
            let facts = FileTensor {
                name: tensor.name.to_owned(),
                encoding: tensor.encoding.name().to_owned(),
                shape: tensor.shape.clone(),
            };
            let bytes = tensor.encoding.loaded_bytes(&tensor.shape);
            (facts, gguf.names_of(tensor.name), bytes)
        });
        return Ok(tensors.collect());
    }
    let tensors = tensors(file)?.into_iter().map(|(name, tensor)| {
        let facts = FileTensor {
            encoding: match &tensor {
                StoredTensor::Floats(floats) => floats.placed.encoding.name().to_owned(),
                StoredTensor::Other { dtype, .. } => format!("{dtype:?}"),
            },
            shape: tensor.shape().iter().map(|&size| size as u64).collect(),
            name,
        };
        let bytes = match &tensor {
            StoredTensor::Floats(floats) => floats.placed.loaded_bytes(),
            StoredTensor::Other { .. } => 4 * facts.weights(),
        };
        let names = vec![plain(&facts.name)];
        (facts, names, bytes)
    });
    Ok(tensors.collect())
}

#[cfg(test)]
mod tests {
    use safetensors::Dtype;
    use safetensors::tensor::TensorView;

    use super::*;

    fn file(names: &[&str]) -> Vec<u8> {
        let values = [0; 8];
        let tensors = names.iter().map(|name| {
            let view = TensorView::new(Dtype::F32, vec![1, 2], &values).unwrap();
            (*name, view)
        });
        safetensors::serialize(tensors, None).unwrap()
    }

    fn names() -> FileNames {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        FileNames {
            parameters: vec![
                names(&["m.table"]),
                names(&["m.0.weight", "m.0.gamma"]),
                names(&["bias"]),
            ],
            base: "m.",
            tied: &["m.table", "head"],
        }
    }

    #[test]
    fn a_card_tells_what_is_used_from_what_is_not() {
        let weights = file(&["module.m.0.gamma", "m.table", "head", "pooler"]);
        let card = names().card(&weights, "bert").unwrap();
        assert_eq!(card.unused, ["pooler"]);
        assert_eq!(card.copies, ["head"]);
        assert_eq!(card.absent, ["bias"]);
        assert_eq!(card.tensors.len(), 4);
        // Two tensors of two values.
        assert_eq!(card.loaded_bytes, 16);
    }

    #[test]
    fn the_file_of_a_model_without_a_head_lacks_the_prefix() {
        let card = names()
            .card(&file(&["0.weight", "table", "bias"]), "bert")
            .unwrap();
        let nothing: [&str; 0] = [];
        assert_eq!(card.unused, nothing);
        assert_eq!(card.absent, nothing);
    }

    #[test]
    fn a_table_may_be_there_under_its_other_name_alone() {
        let card = names()
            .card(&file(&["m.0.weight", "head", "bias"]), "bert")
            .unwrap();
        assert!(card.copies.is_empty() && card.absent.is_empty(), "{card:?}");
    }
}
