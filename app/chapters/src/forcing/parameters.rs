//! Parameters of chapter "forcing".

use attention_core::state::{Entry, Parameters, Span};
use serde::{Deserialize, Serialize};

/// The target that the model is given to read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Forcing {
    /// The target that the visitor typed; `None` stands for the text that the model wrote.
    #[serde(rename = "forced")]
    pub target: Option<String>,
}

impl Parameters for Forcing {
    const CHAPTER: &'static str = "forcing";
    const ENTRIES: &'static [Entry] = &[Entry::named("forced").until(Span::Sentence)];
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    prop_compose! {
        pub fn forcing()(target in proptest::option::of(any::<String>())) -> Forcing {
            Forcing { target }
        }
    }

    #[test]
    fn an_empty_target_is_not_the_models_own() {
        let target = |address: &str| {
            crate::testing::view(address)
                .chapters
                .of::<Forcing>()
                .target
                .clone()
        };
        assert_eq!(target(""), None);
        assert_eq!(target("forced="), Some(String::new()));
        assert_eq!(target("forced=I+am"), Some("I am".to_owned()));
    }

    #[test]
    fn another_text_or_sentence_lets_go_of_the_target() {
        let forced = || crate::testing::view("text=Oui.+Non.&forced=Yes.");
        let mut view = forced();
        view.use_text("Non.".to_owned());
        assert_eq!(*view.chapters.of::<Forcing>(), Forcing::default());
        let mut view = forced();
        view.use_sentence(1);
        assert_eq!(*view.chapters.of::<Forcing>(), Forcing::default());
    }
}
