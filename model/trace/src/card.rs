//! The card of a model's files: every tensor, those that the model does not use, and those that the files lack.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A tensor of a file of weights.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileTensor {
    /// The name in the file.
    pub name: String,
    /// The type of the values, as the format names it: `BF16`, `Q4_1`.
    pub encoding: String,
    /// The size of each dimension, the slowest first.
    pub shape: Vec<u64>,
}

impl FileTensor {
    /// Returns the number of values.
    pub fn weights(&self) -> u64 {
        let sizes = self.shape.iter();
        sizes.fold(1, |product, &size| product.saturating_mul(size))
    }

    /// Returns the beginning of the name up to the number of its layer, as `model.layers.3`; `None` for a tensor outside
    /// all layers.
    pub fn layer(&self) -> Option<&str> {
        let mut end = 0;
        for part in self.name.split('.') {
            let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
            end += part.len();
            // Layers have a name before their number, and parts after it.
            if is_number {
                let is_inside = end > part.len() && end < self.name.len();
                return is_inside.then(|| &self.name[..end]);
            }
            end += 1;
        }
        None
    }

    /// Returns the rest of the name.
    pub fn part(&self) -> &str {
        let rest = self.layer().and_then(|layer| self.name.strip_prefix(layer));
        rest.map_or(self.name.as_str(), |rest| rest.trim_start_matches('.'))
    }

    /// Returns the sizes as they are written: `576 × 1536`, and `1` for a single number.
    pub fn written_shape(&self) -> String {
        match self.shape.as_slice() {
            [] => "1".to_owned(),
            sizes => {
                let sizes: Vec<String> = sizes.iter().map(u64::to_string).collect();
                sizes.join(" × ")
            }
        }
    }
}

/// The facts of a model's files, known once the model is loaded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCard {
    /// The tensors in the order of their names, with numbers in order.
    pub tensors: Vec<FileTensor>,
    /// The names of those that the model does not use.
    pub unused: Vec<String>,
    /// The names of those that are copies of the embedding table, which is read once.
    pub copies: Vec<String>,
    /// The parameters that the files lack and that keep their initial value, by their names in the family's checkpoints. A
    /// lack that cannot be made up for is an error of loading.
    pub absent: Vec<String>,
    /// The bytes of the weights in memory.
    pub loaded_bytes: u64,
}

/// The tensors of a layer, or those outside all layers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorGroup<'a> {
    /// The beginning of their names; `None` outside all layers.
    pub layer: Option<&'a str>,
    /// The tensors in their order.
    pub tensors: Vec<&'a FileTensor>,
}

/// Sorts tensors by their names, with numbers in order: layer 2 before layer 10.
pub fn sort_tensors(tensors: &mut [FileTensor]) {
    let key = |name: &str| -> Vec<(u64, String)> {
        let parts = name.split('.');
        let key = parts.map(|part| match part.parse() {
            Ok(number) => (number, String::new()),
            // Not a number: names go before numbers.
            Err(_) => (0, part.to_owned()),
        });
        key.collect()
    };
    tensors.sort_by_cached_key(|tensor| key(&tensor.name));
}

/// Returns the tensors by layer: those outside all layers first, then each layer in the order of the tensors.
pub fn by_layer(tensors: &[FileTensor]) -> Vec<TensorGroup<'_>> {
    let mut groups: Vec<TensorGroup<'_>> = vec![];
    let mut places: BTreeMap<Option<&str>, usize> = BTreeMap::new();
    let outside = tensors.iter().filter(|tensor| tensor.layer().is_none());
    let inside = tensors.iter().filter(|tensor| tensor.layer().is_some());
    for tensor in outside.chain(inside) {
        let layer = tensor.layer();
        let place = *places.entry(layer).or_insert_with(|| {
            groups.push(TensorGroup {
                layer,
                tensors: vec![],
            });
            groups.len() - 1
        });
        if let Some(group) = groups.get_mut(place) {
            group.tensors.push(tensor);
        }
    }
    groups
}

/// Returns each encoding with its number of weights, the most frequent first.
pub fn encodings(tensors: &[FileTensor]) -> Vec<(&str, u64)> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for tensor in tensors {
        let count = counts.entry(&tensor.encoding).or_default();
        *count = count.saturating_add(tensor.weights());
    }
    let mut list: Vec<(&str, u64)> = counts.into_iter().collect();
    list.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    list
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tensor(name: &str) -> FileTensor {
        FileTensor {
            name: name.to_owned(),
            encoding: "F32".to_owned(),
            shape: vec![2, 3],
        }
    }

    #[test]
    fn layers_are_told_by_the_first_number_of_a_name() {
        for (name, layer, part) in [
            ("blk.10.attn_q.weight", Some("blk.10"), "attn_q.weight"),
            (
                "model.layers.3.mlp.up_proj.weight",
                Some("model.layers.3"),
                "mlp.up_proj.weight",
            ),
            (
                "encoder.block.0.layer.1.DenseReluDense.wi.weight",
                Some("encoder.block.0"),
                "layer.1.DenseReluDense.wi.weight",
            ),
            ("token_embd.weight", None, "token_embd.weight"),
            ("output_norm", None, "output_norm"),
            ("3.weight", None, "3.weight"),
            ("table.3", None, "table.3"),
            ("", None, ""),
        ] {
            let tensor = tensor(name);
            assert_eq!((tensor.layer(), tensor.part()), (layer, part), "{name}");
        }
    }

    #[test]
    fn tensors_are_grouped_by_layer_with_numbers_in_order() {
        let names = [
            "blk.10.a",
            "blk.2.b",
            "output.weight",
            "blk.2.a",
            "token_embd.weight",
        ];
        let mut tensors: Vec<FileTensor> = names.map(tensor).to_vec();
        sort_tensors(&mut tensors);
        let groups = by_layer(&tensors);
        let found: Vec<(Option<&str>, Vec<&str>)> = groups
            .iter()
            .map(|group| {
                (
                    group.layer,
                    group.tensors.iter().map(|tensor| tensor.part()).collect(),
                )
            })
            .collect();
        let expected = [
            (None, vec!["output.weight", "token_embd.weight"]),
            (Some("blk.2"), vec!["a", "b"]),
            (Some("blk.10"), vec!["a"]),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn encodings_are_counted_by_weights() {
        let mut half = tensor("b");
        half.encoding = "F16".to_owned();
        half.shape = vec![100];
        let mut single = tensor("c");
        single.shape = vec![];
        assert_eq!(single.written_shape(), "1");
        assert_eq!(tensor("a").written_shape(), "2 × 3");
        let found = [tensor("a"), half, single];
        assert_eq!(encodings(&found), [("F16", 100), ("F32", 7)]);
    }

    proptest! {
        #[test]
        fn every_tensor_is_in_one_group(names in proptest::collection::vec("[a-c.0-3]{0,8}", 0..20)) {
            let mut tensors: Vec<FileTensor> = names.iter().map(|name| tensor(name)).collect();
            sort_tensors(&mut tensors);
            let groups = by_layer(&tensors);
            let count: usize = groups.iter().map(|group| group.tensors.len()).sum();
            prop_assert_eq!(count, tensors.len());
            for group in &groups {
                for tensor in &group.tensors {
                    prop_assert_eq!(tensor.layer(), group.layer);
                    prop_assert!(tensor.name.ends_with(tensor.part()));
                }
            }
        }
    }
}
