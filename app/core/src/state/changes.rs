//! All that the visitor changes in a model's passes.

use attention_trace::{Edit, ModelSpec};

use super::{off::HeadsOff, weights::GivenWeight};

/// Everything that is changed in a pass. What the model lacks changes nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Heads that are switched off.
    pub off: HeadsOff,
    /// Weights that are given.
    pub weights: Vec<GivenWeight>,
}

impl From<HeadsOff> for Changes {
    fn from(off: HeadsOff) -> Self {
        Changes {
            off,
            weights: vec![],
        }
    }
}

impl Changes {
    /// Whether nothing is changed.
    pub fn is_empty(&self) -> bool {
        self.off.is_empty() && self.weights.is_empty()
    }

    /// Those that a model can make.
    pub fn fitting(&self, spec: &ModelSpec) -> Self {
        let weights = self.weights.iter().copied();
        Changes {
            off: self.off.fitting(spec),
            weights: weights.filter(|given| given.is_in(spec)).collect(),
        }
    }

    /// As the model takes them.
    pub fn edits(&self) -> Vec<Edit> {
        let weights = self.weights.iter().map(|given| given.edit());
        self.off.edits().into_iter().chain(weights).collect()
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::MarianConfig;

    use super::*;
    use crate::state::WeightList;

    #[test]
    fn changes_are_edits_of_what_the_model_has() {
        let spec = MarianConfig {
            encoder_layers: 3,
            decoder_layers: 3,
            encoder_attention_heads: 8,
            decoder_attention_heads: 8,
            ..MarianConfig::default()
        }
        .spec();
        let changes = Changes {
            off: HeadsOff::from_address("cross.9.0-cross.0.1"),
            weights: WeightList::from_address(
                "cross.1.3.2.0.750-cross.3.0.0.0.500-encoder.0.7.all.4.0",
            )
            .on(),
        };
        let json = serde_json::to_value(changes.fitting(&spec).edits()).unwrap();
        let expected = serde_json::json!([
            {"kind": "scale_head", "attention": "decoder.0.cross", "head": 1, "factor": 0.0},
            {"kind": "set_weight", "attention": "decoder.1.cross", "head": 3, "query": 2, "key": 0, "weight": 0.75},
            {"kind": "scale_key", "attention": "encoder.0.self", "head": 7, "key": 4, "factor": 0.0},
        ]);
        assert_eq!(json, expected);
    }
}
