//! All changes of the visitor to a model's passes.

use attention_trace::{Edit, ModelSpec};

use super::{
    ablation::{Ablation, Read},
    off::{HeadChoice, HeadsOff},
    reweighed::Reweighed,
    weights::GivenWeight,
};

/// Everything that is changed in a pass. Changes to parts that the model lacks have no effect. Equal changes have equal
/// values: if no head is off, [`by`](Self::by) has its default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// Heads that are switched off.
    pub off: HeadsOff,
    /// The replacement for the output of heads that are off.
    pub by: Ablation,
    /// The heads whose weights are replaced as a whole, if any.
    pub reweighed: Option<Reweighed>,
    /// Weights that are set one by one.
    pub weights: Vec<GivenWeight>,
}

impl From<HeadsOff> for Changes {
    fn from(off: HeadsOff) -> Self {
        Changes {
            off,
            ..Changes::default()
        }
    }
}

impl Changes {
    /// Switches these heads off with this replacement, and changes nothing else.
    pub fn without(off: HeadsOff, by: Ablation) -> Self {
        Changes {
            by,
            ..Changes::from(off)
        }
        .canonical()
    }

    /// True if nothing is changed.
    pub fn is_empty(&self) -> bool {
        self.off.is_empty() && self.weights.is_empty() && self.reweighed.is_none()
    }

    /// Returns the canonical form, in which equal changes are equal.
    pub fn canonical(self) -> Self {
        Changes {
            by: match self.off.is_empty() {
                true => Ablation::default(),
                false => self.by,
            },
            ..self
        }
    }

    /// Returns the changes that a model can make.
    pub fn fitting(&self, spec: &ModelSpec) -> Self {
        let weights = self.weights.iter().copied();
        Changes {
            off: self.off.fitting(spec),
            by: self.by,
            reweighed: self.reweighed.filter(|it| it.scope.is_in(spec)),
            weights: weights.filter(|given| given.is_in(spec)).collect(),
        }
        .canonical()
    }

    /// Returns the edits for the model; means are taken over the unchanged pass of `read`.
    pub fn edits(&self, spec: &ModelSpec, read: &Read) -> Vec<Edit> {
        let off = self.off.iter().map(|head| self.edit_of(head, read));
        let reweighed = self.reweighed.map(|it| it.edits(spec)).unwrap_or_default();
        let weights = self.weights.iter().map(|given| given.edit());
        off.chain(reweighed).chain(weights).collect()
    }

    fn edit_of(&self, choice: HeadChoice, read: &Read) -> Edit {
        let HeadChoice { attention, head } = choice;
        match self.by {
            Ablation::Zero => choice.switched_off(),
            Ablation::Mean => Edit::MeanHead {
                attention,
                head,
                text: read.text.clone(),
                target: read.target.clone(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::config::MarianConfig;

    use super::*;
    use crate::state::WeightList;

    fn spec() -> ModelSpec {
        MarianConfig {
            encoder_layers: 3,
            decoder_layers: 3,
            encoder_attention_heads: 8,
            decoder_attention_heads: 8,
            ..MarianConfig::default()
        }
        .spec()
    }

    #[test]
    fn changes_are_edits_of_what_the_model_has() {
        let spec = spec();
        let changes = Changes {
            off: HeadsOff::from_address("cross.9.0-cross.0.1"),
            reweighed: "permuted.7.decoder.2".parse().ok(),
            weights: WeightList::from_address(
                "cross.1.3.2.0.750-cross.3.0.0.0.500-encoder.0.7.all.4.0",
            )
            .on(),
            ..Changes::default()
        };
        let edits = changes.fitting(&spec).edits(&spec, &Read::default());
        let json = serde_json::to_value(edits).unwrap();
        let expected = serde_json::json!([
            {"kind": "scale_head", "attention": "decoder.0.cross", "head": 1, "factor": 0.0},
            {"kind": "shuffle", "attention": "decoder.2.self", "head": null, "seed": 7},
            {"kind": "set_weight", "attention": "decoder.1.cross", "head": 3, "query": 2, "key": 0, "weight": 0.75},
            {"kind": "scale_key", "attention": "encoder.0.self", "head": 7, "key": 4, "factor": 0.0},
        ]);
        assert_eq!(json, expected);
    }

    #[test]
    fn a_head_at_its_mean_names_what_the_mean_is_taken_over() {
        let changes = Changes::without(HeadsOff::from_address("cross.0.1"), Ablation::Mean);
        let read = Read {
            text: "un chat".to_owned(),
            target: vec![5, 9],
        };
        let json = serde_json::to_value(changes.edits(&spec(), &read)).unwrap();
        let expected = serde_json::json!([
            {"kind": "mean_head", "attention": "decoder.0.cross", "head": 1, "text": "un chat", "target": [5, 9]},
        ]);
        assert_eq!(json, expected);
    }

    #[test]
    fn without_heads_that_are_off_it_does_not_matter_what_they_would_give() {
        let lacking = Changes::without(HeadsOff::from_address("cross.9.0"), Ablation::Mean);
        assert_eq!(lacking.fitting(&spec()), Changes::default());
        let none = Changes::without(HeadsOff::default(), Ablation::Mean);
        assert_eq!(none, Changes::default());
    }
}
