//! Parameters of chapter "explanation". The weights that are replaced are the view's own.

use attention_core::state::{AddressValue, Parameters, Reader, Writer};

/// Where weights are replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Where {
    /// In the chosen head.
    #[default]
    Head,
    /// In all heads of its layer.
    Layer,
    /// In all heads of the model.
    Everywhere,
}

impl AddressValue for Where {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Where::Head, "head"),
        (Where::Layer, "layer"),
        (Where::Everywhere, "all"),
    ];
}

/// What becomes of the weights.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replaced {
    /// They change places.
    #[default]
    Permuted,
    /// They are all the same.
    Uniform,
}

impl AddressValue for Replaced {
    const VALUES: &'static [(Self, &'static str)] = &[
        (Replaced::Permuted, "permuted"),
        (Replaced::Uniform, "uniform"),
    ];
}

/// State of the chapter's figures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// Where weights are replaced.
    pub place: Where,
    /// By what.
    pub by: Replaced,
    /// What decides the order of permuted weights.
    pub seed: u32,
    /// Whether every head is tried by itself.
    pub measures: bool,
}

impl Parameters for Explanation {
    const CHAPTER: &'static str = "explanation";

    fn write(&self, fragment: &mut Writer) {
        let standard = Explanation::default();
        fragment.choice("explained-where", self.place, standard.place);
        fragment.choice("explained-by", self.by, standard.by);
        fragment.number("explained-seed", self.seed, standard.seed);
        fragment.number("explained-heads", u8::from(self.measures), 0);
    }

    fn read(fragment: &Reader) -> Self {
        let standard = Explanation::default();
        Explanation {
            place: fragment.choice("explained-where").unwrap_or(standard.place),
            by: fragment.choice("explained-by").unwrap_or(standard.by),
            seed: fragment.number("explained-seed").unwrap_or(standard.seed),
            measures: fragment.flag("explained-heads").unwrap_or_default(),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn explanation()(
            place in choice::<Where>(), by in choice::<Replaced>(), seed in any::<u32>(), measures in any::<bool>(),
        ) -> Explanation {
            Explanation { place, by, seed, measures }
        }
    }
}
