use attention_trace::{LensQuestion, PatchingQuestion};

use super::*;
use crate::engine::PatchingAsked;

fn target() -> Question {
    Question::from(ForcedTarget {
        job: job("a"),
        target: "b".to_owned(),
    })
}

fn lens() -> Question {
    Question::from(LensQuestion::Layers { words: 3 })
}

fn patching() -> Question {
    Question::from(PatchingAsked {
        model: Model::default(),
        question: PatchingQuestion::Runs {
            text: "a".to_owned(),
            other: "b".to_owned(),
            step: None,
            max_new_tokens: 8,
        },
    })
}

#[test]
fn what_takes_longest_is_asked_last() {
    let mut page = Page::ready();
    for question in [patching(), lens(), target()] {
        page.tell(Event::Ask(question));
    }
    page.traced(2);
    let mut asked = vec![];
    while let Some((id, question)) = page.asks() {
        asked.push(question);
        page.hear(id, Reply::Failed(Failure::EmptyInput));
    }
    assert!(
        matches!(
            asked[..],
            [
                Asked::Text { .. },
                Asked::Result { .. },
                Asked::Patching { .. }
            ]
        ),
        "{asked:?}"
    );
}

#[test]
fn parts_are_asked_for_beside_what_is_asked_one_by_one() {
    let mut page = Page::with_result();
    page.tell(Event::Ask(target()));
    assert!(page.asks().is_some());
    let part = Question::part(Excerpt::new(Site::LOGITS, Slice::Whole));
    page.tell(Event::Ask(part));
    page.tell(Event::Gather);
    assert!(matches!(page.asks(), Some((_, Asked::Result { .. }))));
}

#[test]
fn the_visitor_stops_only_what_can_be_stopped() {
    for (question, is_stopped) in [(patching(), true), (target(), false), (lens(), false)] {
        let mut page = Page::with_result();
        page.tell(Event::Ask(question));
        page.tell(Event::Stop);
        let is_cancel = |command: &Command| matches!(command, Command::Cancel { .. });
        assert_eq!(page.commands.iter().any(is_cancel), is_stopped);
    }
}
