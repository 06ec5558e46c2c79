//! Parameters of chapter "embedding".

use attention_core::state::{
    AddressValue, Counted, Entry, Lacking, Parameters, Reader, Writer, flat,
};
use serde::{Deserialize, Serialize};

/// A way of training the model whose hops are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hops {
    /// With the penalty on hops that overlap.
    #[default]
    Penalised,
    /// Without the penalty on hops that overlap.
    Free,
}

impl AddressValue for Hops {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// Whose weights shade the words that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shading {
    /// By the weights of the chosen head.
    #[default]
    Head,
    /// The mean over all heads of the chosen head's layer.
    Layer,
}

impl AddressValue for Shading {
    fn values() -> Vec<(Self, &'static str)> {
        flat::values()
    }
}

/// State of the chapter's figures.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct EmbeddingLab {
    /// The token that is read, from 0; too large a number means the last.
    #[serde(rename = "read-token", with = "flat::or_last")]
    pub token: usize,
    /// Whose weights shade the words before it.
    #[serde(rename = "read-shading")]
    pub shading: Shading,
    /// The sentence that the LSTMN reads; `None` stands for the paper's.
    #[serde(rename = "lstmn-sentence")]
    pub tape_sentence: Option<String>,
    /// The word that the LSTMN reads, from 0, the mark of the beginning; too large a number means the last.
    #[serde(rename = "lstmn-word", with = "flat::or_last")]
    pub tape_word: usize,
    /// The sentence that is embedded; `None` stands for the chapter's own.
    #[serde(rename = "embedded")]
    pub sentence: Option<String>,
    /// The training of the model whose hops are shown.
    #[serde(rename = "hops")]
    pub hops: Hops,
    /// The hops that are switched off, from 0, in ascending order.
    #[serde(skip)]
    pub off: Vec<usize>,
}

impl Default for EmbeddingLab {
    fn default() -> Self {
        EmbeddingLab {
            token: 0,
            shading: Shading::default(),
            tape_sentence: None,
            tape_word: usize::MAX,
            sentence: None,
            hops: Hops::default(),
            off: vec![],
        }
    }
}

impl EmbeddingLab {
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
        Entry::named("lstmn-word").counting(Counted::All),
        Entry::named("hops-off").counting(Counted::All),
    ];

    fn write(&self, fragment: &mut Writer) {
        flat::write(self, &Self::default(), fragment);
        fragment.list("hops-off", &self.off);
    }

    fn read(fragment: &Reader) -> Self {
        let mut lab: EmbeddingLab = flat::read(fragment, Self::ENTRIES);
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
            tape_sentence in any::<Option<String>>(),
            tape_word in any::<usize>(),
            sentence in any::<Option<String>>(),
            hops in choice::<Hops>(),
            off in prop::collection::btree_set(0..EmbeddingLab::MOST_HOPS, 0..4),
        ) -> EmbeddingLab {
            EmbeddingLab {
                token, shading, tape_sentence, tape_word, sentence, hops, off: off.into_iter().collect()
            }
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
