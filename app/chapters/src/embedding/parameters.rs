//! Parameters of chapter "embedding".

use attention_core::state::{AddressValue, Counted, Entry, Lacking, Parameters, Reader, Writer};

/// How the model was trained whose hops are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Hops {
    /// With the penalty on hops that overlap.
    #[default]
    Penalised,
    /// Without it.
    Free,
}

impl AddressValue for Hops {
    const VALUES: &'static [(Self, &'static str)] =
        &[(Hops::Penalised, "penalised"), (Hops::Free, "free")];
}

/// Whose weights shade the words that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shading {
    /// The chosen head's.
    #[default]
    Head,
    /// The mean over all heads of the chosen head's layer.
    Layer,
}

impl AddressValue for Shading {
    const VALUES: &'static [(Self, &'static str)] =
        &[(Shading::Head, "head"), (Shading::Layer, "layer")];
}

/// State of the chapter's figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingLab {
    /// The token that is read, from 0; too large a number means the last.
    pub token: usize,
    /// Whose weights shade the words before it.
    pub shading: Shading,
    /// The sentence that is embedded; `None` stands for the chapter's own.
    pub sentence: Option<String>,
    /// How its model was trained.
    pub hops: Hops,
    /// The hops that are switched off, from 0, in ascending order.
    pub off: Vec<usize>,
}

impl EmbeddingLab {
    /// The most hops of a model.
    pub const MOST_HOPS: usize = 8;

    /// Switches a hop off, or on again.
    pub fn switch(&mut self, hop: usize, on: bool) {
        self.off.retain(|&other| other != hop);
        if !on && hop < Self::MOST_HOPS {
            self.off.push(hop);
            self.off.sort_unstable();
        }
    }
}

impl Parameters for EmbeddingLab {
    const CHAPTER: &'static str = "embedding";
    const ENTRIES: &'static [Entry] = &[
        Entry::named("read-token").counting(Counted::All),
        Entry::named("hops-off").counting(Counted::All),
    ];

    fn write(&self, fragment: &mut Writer) {
        let standard = EmbeddingLab::default();
        fragment.index("read-token", self.token, standard.token);
        fragment.choice("read-shading", self.shading, standard.shading);
        fragment.optional_text("embedded", self.sentence.as_deref());
        fragment.choice("hops", self.hops, standard.hops);
        fragment.list("hops-off", &self.off);
    }

    fn read(fragment: &Reader) -> Self {
        let standard = EmbeddingLab::default();
        let mut lab = EmbeddingLab {
            token: fragment.index("read-token").unwrap_or(standard.token),
            shading: fragment.choice("read-shading").unwrap_or(standard.shading),
            sentence: fragment.text("embedded").map(str::to_owned),
            hops: fragment.choice("hops").unwrap_or(standard.hops),
            off: vec![],
        };
        let hop = |hop: &str| hop.parse().ok().filter(|&hop| hop < Self::MOST_HOPS);
        for hop in fragment.elements("hops-off", &['.'], hop) {
            lab.switch(hop, false);
        }
        lab
    }

    fn note_lacking(&self, lacking: &mut Lacking<'_>) {
        let (source, target) = (lacking.meta.source.len(), lacking.meta.target.len());
        lacking.index("read-token", source.max(target));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::choice;

    prop_compose! {
        pub fn embedding()(
            token in any::<usize>(),
            shading in choice::<Shading>(),
            sentence in any::<Option<String>>(),
            hops in choice::<Hops>(),
            off in prop::collection::btree_set(0..EmbeddingLab::MOST_HOPS, 0..4),
        ) -> EmbeddingLab {
            EmbeddingLab { token, shading, sentence, hops, off: off.into_iter().collect() }
        }
    }

    #[test]
    fn a_hop_is_off_once_or_not_at_all() {
        let lab = EmbeddingLab::read(&Reader::new("hops-off=3.1.3.99&hops=none&embedded="));
        assert_eq!(
            (lab.off.as_slice(), lab.hops),
            ([1, 3].as_slice(), Hops::Penalised)
        );
        assert_eq!(lab.sentence.as_deref(), Some(""));
        let mut lab = lab;
        lab.switch(1, true);
        lab.switch(3, true);
        lab.sentence = None;
        assert_eq!(lab, EmbeddingLab::default());
    }
}
