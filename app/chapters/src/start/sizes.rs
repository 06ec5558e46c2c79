//! The model's sizes, for the places of the text.

use attention_trace::ModelSpec;

use attention_core::{
    selection::HeadChoice,
    widgets::{
        Values,
        numbers::{decimal, grouped},
    },
};

/// The sizes that the text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    vocabulary: usize,
    width: usize,
    layers: usize,
    heads: usize,
    head_width: usize,
}

impl Sizes {
    /// Returns the sizes of a model, and of the stack with that head.
    pub fn of(spec: &ModelSpec, head: HeadChoice) -> Option<Self> {
        let stack = spec.attention(head.attention.kind)?;
        Some(Sizes {
            vocabulary: spec.vocabulary,
            width: spec.width,
            layers: stack.layers,
            heads: stack.heads,
            head_width: stack.head_width,
        })
    }

    /// Returns the sizes, each by the name of its placeholder in the text.
    pub fn values(self) -> Values {
        let number = |value: usize| grouped(value as u64);
        vec![
            ("vocabulary", number(self.vocabulary)),
            ("width", number(self.width)),
            ("layers", number(self.layers)),
            ("heads", number(self.heads)),
            ("head_width", number(self.head_width)),
            ("root", decimal((self.head_width as f32).sqrt(), 2)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use attention_trace::{AttentionKind, AttentionLayer, config::MarianConfig};

    use super::*;

    #[test]
    fn sizes_are_those_of_the_model() {
        let config = MarianConfig {
            encoder_layers: 3,
            ..MarianConfig::default()
        };
        let attention = AttentionLayer {
            kind: AttentionKind::EncoderSelf,
            layer: 0,
        };
        let sizes = Sizes::of(&config.spec(), HeadChoice { attention, head: 0 }).unwrap();
        assert_eq!(sizes.layers, 3);
        assert_eq!(sizes.heads * sizes.head_width, sizes.width);
        assert!(sizes.values().iter().any(|(name, _)| *name == "root"));
    }
}
