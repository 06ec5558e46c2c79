//! The beginnings of a text and of its translation that choose the task or the languages of an opened model.

use super::{reader::Reader, writer::Writer};

/// The entries of the address: the text in front of the source, and the first token of the target.
const OPENING: &str = "opening";
const INTO: &str = "into";

/// The chosen beginnings; none by default, which leaves them to the model's files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Beginning {
    /// The characters in front of each source text.
    pub source: String,
    /// The first token of each target, unless target tokens are forced.
    pub target: Option<u32>,
}

impl Beginning {
    /// Returns the target tokens that are forced, those of the visitor if there are any.
    pub fn forced(&self, prefix: Vec<u32>) -> Vec<u32> {
        match self.target {
            Some(target) if prefix.is_empty() => vec![target],
            _ => prefix,
        }
    }

    pub(super) fn write(&self, fragment: &mut Writer) {
        fragment.text(OPENING, &self.source, "");
        let target = self.target.map(|target| target.to_string());
        fragment.optional_text(INTO, target.as_deref());
    }

    pub(super) fn read(reader: &Reader) -> Self {
        Beginning {
            source: reader.text(OPENING).unwrap_or_default().to_owned(),
            target: reader.number(INTO),
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::state::{Model, View};

    prop_compose! {
        /// Generates beginnings of any kind.
        pub fn beginning()(source in any::<String>(), target in any::<Option<u32>>()) -> Beginning {
            Beginning { source, target }
        }
    }

    #[test]
    fn a_forced_target_has_its_own_language() {
        let french = Beginning {
            source: String::new(),
            target: Some(7),
        };
        assert_eq!(french.forced(vec![]), [7]);
        assert_eq!(french.forced(vec![8, 3]), [8, 3]);
        assert_eq!(Beginning::default().forced(vec![]), [0; 0]);
    }

    #[test]
    fn another_text_keeps_the_languages_and_another_model_does_not() {
        let mut view = View::from_fragment("model=mine&opening=fra_Latn%20&into=7&text=thé");
        let chosen = Beginning {
            source: "fra_Latn ".to_owned(),
            target: Some(7),
        };
        assert_eq!(view.beginning, chosen);
        view.use_text("eau".to_owned());
        assert_eq!(view.beginning, chosen);
        view.use_model(Model::default());
        assert_eq!(view.beginning, Beginning::default());
    }
}
