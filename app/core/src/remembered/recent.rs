//! The texts that ran last, across visits.

use form_urlencoded::Serializer;

use super::storage::{read, remove, write};
use crate::state::Model;

const RECENT: &str = "attention-scope.recent";

/// The largest number of texts that are kept.
const MOST: usize = 10;

/// A text that a model read.
#[derive(Clone, Debug, PartialEq)]
pub struct Recent {
    /// The model that read it.
    pub model: Model,
    /// The text, as it was typed.
    pub text: String,
}

/// Returns the texts that ran last, the latest first.
pub fn recent() -> Vec<Recent> {
    read(RECENT).map(|kept| parsed(&kept)).unwrap_or_default()
}

/// Stores a text that ran, and returns the new list. The page's own examples are not stored, since they are a click
/// away.
pub fn keep_recent(ran: Recent) -> Vec<Recent> {
    if is_worth_keeping(&ran) {
        write(RECENT, &spelled(&with(recent(), ran)));
    }
    recent()
}

/// Deletes all stored texts.
pub fn forget_recent() {
    remove(RECENT);
}

fn is_worth_keeping(ran: &Recent) -> bool {
    let text = ran.text.trim();
    !text.is_empty() && !ran.model.card().examples.contains(&text)
}

/// Puts a text at the head of the list. Each text is listed once, with the model that read it last.
fn with(mut list: Vec<Recent>, ran: Recent) -> Vec<Recent> {
    list.retain(|other| other.text != ran.text);
    list.insert(0, ran);
    list.truncate(MOST);
    list
}

/// Writes the list as it is stored: in the form of a query, each text under the name of its model.
fn spelled(list: &[Recent]) -> String {
    let mut spelled = Serializer::new(String::new());
    for Recent { model, text } in list {
        spelled.append_pair(&model.to_string(), text);
    }
    spelled.finish()
}

/// Parses a stored list; entries that cannot be understood are left out.
fn parsed(kept: &str) -> Vec<Recent> {
    let pairs = form_urlencoded::parse(kept.as_bytes());
    let list = pairs.filter_map(|(model, text)| {
        Some(Recent {
            model: model.parse().ok()?,
            text: text.into_owned(),
        })
    });
    list.take(MOST).collect()
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*, sample::select};

    use super::*;

    fn texts() -> impl Strategy<Value = Recent> {
        (select(Model::served().collect::<Vec<_>>()), any::<String>())
            .prop_map(|(model, text)| Recent { model, text })
    }

    fn ran(text: &str) -> Recent {
        Recent {
            model: Model::default(),
            text: text.to_owned(),
        }
    }

    #[test]
    fn a_text_that_ran_again_comes_first_and_stays_one() {
        let list = with(vec![ran("un"), ran("deux")], ran("deux"));
        assert_eq!(list, [ran("deux"), ran("un")]);
        let read_by_another = Recent {
            model: "sentences".parse().unwrap(),
            ..ran("un")
        };
        let list = with(list, read_by_another.clone());
        assert_eq!(list, [read_by_another, ran("deux")]);
    }

    #[test]
    fn examples_and_nothing_are_not_kept() {
        assert!(!is_worth_keeping(&ran(Model::default().first_text())));
        assert!(!is_worth_keeping(&ran(" \n")));
        assert!(is_worth_keeping(&ran("Il pleut.")));
        assert!(is_worth_keeping(&Recent {
            model: "sentences".parse().unwrap(),
            ..ran(Model::default().first_text())
        }));
    }

    #[test]
    fn what_was_kept_by_another_build_does_no_harm() {
        assert_eq!(
            parsed("no-such-model=x&translator=Il+pleut.&%ff"),
            [ran("Il pleut.")]
        );
        assert!(parsed("").is_empty());
    }

    proptest! {
        #[test]
        fn the_list_is_read_as_it_was_kept(list in vec(texts(), 0..=MOST)) {
            prop_assert_eq!(parsed(&spelled(&list)), list);
        }

        #[test]
        fn the_last_texts_are_kept_each_once(ran in vec(texts(), 1..40)) {
            let list = ran.iter().cloned().fold(Vec::new(), with);
            prop_assert!(list.len() <= MOST);
            prop_assert_eq!(list.first(), ran.last());
            for (place, kept) in list.iter().enumerate() {
                prop_assert!(list[..place].iter().all(|other| other.text != kept.text));
            }
        }
    }
}
