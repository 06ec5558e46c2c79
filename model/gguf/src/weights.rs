//! The tensors of a file under the names and in the layout of `model.safetensors`.

use crate::architecture::Architecture;
use crate::config::{head_width, heads};
use crate::error::{GgufError, shown};
use crate::file::Gguf;
use crate::floats::Order;
use crate::header::TensorInfo;
use crate::keys::Keys;
use crate::placed::Placed;
use crate::{factors, names};

/// Phi-3's matrices of several projections, and the names of these.
const FUSED: [(&str, &[&str]); 2] = [
    (
        "attn_qkv",
        &["self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"],
    ),
    ("ffn_up", &["mlp.gate_proj", "mlp.up_proj"]),
];

impl Gguf<'_> {
    /// Returns the tensors of `model.safetensors` with their names there, at their places in the file. A tensor that the architecture does not have
    /// keeps its name.
    ///
    /// # Errors
    /// If a size does not fit this machine, or heads do not divide the rows of queries or keys.
    pub fn weights(&self) -> Result<Vec<(String, Placed)>, GgufError> {
        let mut weights = vec![];
        for tensor in &self.header.tensors {
            if factors::is_parameter(self.architecture, tensor.name) {
                continue;
            }
            match self.fused(tensor.name) {
                Some((prefix, parts)) => weights.extend(self.cut(tensor, &prefix, parts)?),
                None => weights.push(self.weight(tensor)?),
            }
        }
        Ok(weights)
    }

    /// Returns the names in `model.safetensors` of what the file's tensor of that name holds: its own name if the architecture
    /// does not have it, none if it is part of `config.json`.
    pub fn names_of(&self, name: &str) -> Vec<String> {
        if factors::is_parameter(self.architecture, name) {
            return vec![];
        }
        match self.fused(name) {
            Some((prefix, parts)) => {
                let parts = parts.iter();
                parts
                    .map(|part| format!("{prefix}.{part}.weight"))
                    .collect()
            }
            None => {
                let translated = names::translated(self.architecture, name);
                vec![translated.map_or_else(|| name.to_owned(), |(_, name)| name)]
            }
        }
    }

    fn weight(&self, tensor: &TensorInfo<'_>) -> Result<(String, Placed), GgufError> {
        let Some((part, name)) = names::translated(self.architecture, tensor.name) else {
            return Ok((tensor.name.to_owned(), self.placed(tensor, Order::Same)?));
        };
        let is_gain = tensor.name.ends_with("norm.weight");
        let placed = Placed {
            with_one: self.architecture.shifts_gains() && is_gain,
            ..self.placed(tensor, self.order(tensor, part)?)?
        };
        Ok((name, placed))
    }

    /// Returns a tensor in this order of its values.
    fn placed(&self, tensor: &TensorInfo<'_>, order: Order) -> Result<Placed, GgufError> {
        let shape = tensor.shape.iter().map(|&size| usize::try_from(size));
        let shape: Result<Vec<usize>, _> = shape.collect();
        let mut shape = shape.map_err(|_| GgufError::Size {
            field: shown(tensor.name),
            dimensions: format!("{:?}", tensor.shape),
        })?;
        let rows = shape.first().copied().unwrap_or(0);
        let parts = match order {
            Order::Same => 1,
            Order::Transposed => {
                shape.reverse();
                1
            }
            Order::Alternating { heads } => heads.saturating_mul(2),
            Order::ByHead { heads } => heads.saturating_mul(3),
        };
        if parts == 0 || !rows.is_multiple_of(parts) {
            let fault = order.misfit();
            return Err(GgufError::value(shown(tensor.name), rows, fault));
        }
        Ok(Placed {
            shape,
            encoding: tensor.encoding,
            order,
            start: tensor.start,
            bytes: tensor.bytes,
            with_one: false,
        })
    }

    /// Returns the order of the values of a part of a layer.
    fn order(&self, tensor: &TensorInfo<'_>, part: &str) -> Result<Order, GgufError> {
        let architecture = self.architecture;
        Ok(match (architecture, part) {
            (_, "attn_q") if architecture.alternates_rows() => Order::Alternating {
                heads: heads(self)?.queries,
            },
            (_, "attn_k") if architecture.alternates_rows() => Order::Alternating {
                heads: heads(self)?.keys,
            },
            (Architecture::GptNeoX, "attn_qkv") => Order::ByHead {
                heads: heads(self)?.queries,
            },
            (Architecture::Gpt2, "attn_qkv" | "attn_output" | "ffn_up" | "ffn_down")
                if tensor.name.ends_with(".weight") =>
            {
                Order::Transposed
            }
            _ => Order::Same,
        })
    }

    /// Returns the beginning of the names of the projections that one of Phi-3's matrices has, and the rest of them.
    fn fused(&self, name: &str) -> Option<(String, &'static [&'static str])> {
        let (layer, part) = name
            .strip_prefix("blk.")?
            .strip_suffix(".weight")?
            .split_once('.')?;
        let number: usize = layer.parse().ok()?;
        let fused = FUSED.iter().find(|(fused, _)| *fused == part);
        let (_, parts) = fused.filter(|_| self.architecture == Architecture::Phi3)?;
        Some((format!("model.layers.{number}"), parts))
    }

    /// Cuts one of Phi-3's matrices into projections, whose rows follow each other.
    fn cut(
        &self,
        tensor: &TensorInfo<'_>,
        prefix: &str,
        parts: &[&str],
    ) -> Result<Vec<(String, Placed)>, GgufError> {
        let whole = self.placed(tensor, Order::Same)?;
        let heights = self.heights(parts.len())?;
        let rows = heights.iter().try_fold(0_usize, |a, b| a.checked_add(*b));
        let (&[found, _], Some(rows)) = (whole.shape.as_slice(), rows) else {
            let fault = "is not the shape of a matrix";
            let shape = format!("{:?}", whole.shape);
            return Err(GgufError::value(shown(tensor.name), shape, fault));
        };
        if found != rows {
            let fault = format!("rows are not the {rows} of its {} projections", parts.len());
            return Err(GgufError::value(shown(tensor.name), found, fault));
        }
        let mut first = 0;
        let cut = parts.iter().zip(heights).map(|(part, height)| {
            let rows = first..first + height;
            first += height;
            (format!("{prefix}.{part}.weight"), whole.rows(rows))
        });
        Ok(cut.collect())
    }

    /// Returns the numbers of rows of Phi-3's queries, keys and values, or of its two matrices before the non-linearity.
    fn heights(&self, parts: usize) -> Result<Vec<usize>, GgufError> {
        let keys = Keys::of(self);
        let number = |name: &str, number: Option<u64>| {
            let size = number.and_then(|number| usize::try_from(number).ok());
            size.ok_or_else(|| GgufError::value(keys.key(name), "a number", "is too large"))
        };
        if parts == 2 {
            let inner = keys.needed("feed_forward_length")?;
            return Ok(vec![number("feed_forward_length", Some(inner))?; parts]);
        }
        let (heads, width) = (heads(self)?, head_width(self)?);
        let rows = |heads: usize| number("attention.key_length", width.checked_mul(heads as u64));
        let (query, key) = (rows(heads.queries)?, rows(heads.keys)?);
        Ok(vec![query, key, key])
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::written::Written;

    /// A Phi-3 of two heads of four dimensions and one key head, with this tensor.
    fn phi3(name: &str, shape: &[u64]) -> Result<Vec<(String, Vec<usize>)>, GgufError> {
        let mut written = Written::model("phi3");
        for (name, number) in [
            ("embedding_length", 8),
            ("feed_forward_length", 3),
            ("attention.head_count", 2),
            ("attention.head_count_kv", 1),
        ] {
            written = written.with_number(&format!("phi3.{name}"), number);
        }
        let bytes = written.with_tensor(name, shape).bytes();
        let weights = Gguf::read(&bytes)?.weights()?.into_iter();
        Ok(weights
            .skip(1)
            .map(|(name, placed)| (name, placed.shape))
            .collect())
    }

    #[test]
    fn matrices_of_several_projections_are_cut() {
        let found = phi3("blk.0.attn_qkv.weight", &[8, 16]).unwrap();
        let expected = [("q_proj", 8), ("k_proj", 4), ("v_proj", 4)].map(|(part, rows)| {
            let name = format!("model.layers.0.self_attn.{part}.weight");
            (name, vec![rows, 8])
        });
        assert_eq!(found, expected);
        let found = phi3("blk.2.ffn_up.weight", &[8, 6]).unwrap();
        assert_eq!(
            found[1],
            ("model.layers.2.mlp.up_proj.weight".to_owned(), vec![3, 8])
        );
        for (name, shape, words) in [
            (
                "blk.0.attn_qkv.weight",
                &[8, 15][..],
                "blk.0.attn_qkv.weight: 15 rows are not the 16 of its 3",
            ),
            (
                "blk.0.ffn_up.weight",
                &[8, 7],
                "blk.0.ffn_up.weight: 7 rows are not the 6 of its 2",
            ),
            (
                "blk.0.ffn_up.weight",
                &[6],
                "blk.0.ffn_up.weight: [6] is not the shape of a matrix",
            ),
        ] {
            let refused = phi3(name, shape).unwrap_err().to_string();
            assert!(refused.starts_with(words), "{refused}");
        }
    }
}
