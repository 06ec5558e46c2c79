use attention_trace::{Candidate, ForcedToken, Token};

use super::*;
use crate::engine::Forced;

fn target(words: &str) -> Question {
    target_of(job("a"), words)
}

fn target_of(job: Job, words: &str) -> Question {
    Question::from(ForcedTarget {
        job,
        target: words.to_owned(),
    })
}

/// The worker's question about a target after the text of the job, with nothing changed.
fn asked(words: &str) -> Asked {
    Asked::Text {
        text: job("a").input(),
        edits: vec![],
        question: TextQuestion::Force {
            target: words.to_owned(),
        },
    }
}

fn token() -> ForcedToken {
    let candidate = Candidate {
        token: Token {
            id: 7,
            text: "b".to_owned(),
            unknown: false,
        },
        logit: 0.0,
        log_probability: -1.0,
    };
    ForcedToken {
        given: candidate.clone(),
        rank: 1,
        best: candidate,
    }
}

impl Page {
    fn forces(&mut self, id: RequestId) {
        let tokens = WorkerAnswer::Forced(vec![token()]);
        self.hears_answer(id, Answer::Plain(tokens));
    }

    fn forced(&self, target: &Question) -> Option<Forced> {
        self.engine.known(target).forced()
    }
}

#[test]
fn targets_are_given_one_after_the_other() {
    let mut page = Page::with_result();
    page.tell(Event::Ask(target("b")));
    let (first, given) = page.asks().unwrap();
    assert_eq!(given, asked("b"));
    page.tell(Event::Ask(target("c")));
    assert_eq!(page.asks(), None);
    page.forces(first);
    let (second, given) = page.asks().unwrap();
    assert_eq!(given, asked("c"));
    page.forces(second);
    for words in ["b", "c"] {
        let answer = page.forced(&target(words)).unwrap();
        assert_eq!(answer.as_deref(), Ok(&[token()][..]));
    }
    assert_eq!(page.asks(), None);
}

#[test]
fn a_run_comes_first_and_another_models_target_waits() {
    let mut page = Page::ready();
    page.tell(Event::Ask(target("b")));
    assert_eq!(page.asks(), None);
    page.traced(2);
    assert!(page.asks().is_some());

    let mut page = Page::with_result();
    let other = Job {
        model: "sentences".parse().unwrap(),
        ..job("a")
    };
    page.tell(Event::Ask(target_of(other, "b")));
    assert_eq!(page.asks(), None);
}

#[test]
fn heads_that_the_model_lacks_are_not_sent() {
    let mut page = Page::with_result();
    let with_off = |heads| job("a").with_edits(edits(&format!("off={heads}")));
    let wanted = target_of(with_off("cross.0.0-cross.99.0"), "b");
    page.tell(Event::Ask(wanted.clone()));
    let (id, Asked::Text { edits, .. }) = page.asks().unwrap() else {
        panic!("{:?}", page.commands);
    };
    assert_eq!(edits, page.engine.edits(&with_off("cross.0.0")));
    assert_eq!(edits.len(), 1);
    page.forces(id);
    assert!(page.forced(&wanted).is_some());
}

#[test]
fn a_refusal_is_the_targets_own_and_is_asked_for_again_by_who_comes_back() {
    let mut page = Page::with_result();
    page.tell(Event::Ask(target("b")));
    let (id, _) = page.asks().unwrap();
    page.hear(id, Reply::Failed(Failure::EmptyInput));
    let refused = page.forced(&target("b"));
    assert_eq!(refused, Some(Err(Failure::EmptyInput)));
    assert_eq!((page.asks(), &page.engine.problem), (None, &None));
    page.tell(Event::Ask(target("b")));
    assert!(page.asks().is_some());
}

#[test]
fn what_no_figure_needs_any_more_is_forgotten() {
    let mut page = Page::with_result();
    page.tell(Event::Ask(target("b")));
    let (late, _) = page.asks().unwrap();
    page.tell(Event::Leave(target("b")));
    page.forces(late);
    assert_eq!(page.forced(&target("b")), None);

    page.tell(Event::Ask(target("c")));
    let (id, _) = page.asks().unwrap();
    page.tell(Event::Ask(target("c")));
    page.forces(id);
    page.tell(Event::Leave(target("c")));
    assert!(page.forced(&target("c")).is_some());
    page.tell(Event::Leave(target("c")));
    assert_eq!(page.forced(&target("c")), None);
}

#[test]
fn the_next_worker_is_given_what_the_last_one_died_of() {
    let mut page = Page::with_result();
    page.tell(Event::Ask(target("b")));
    let worker = page.engine.worker;
    page.tell(Event::Died {
        worker,
        reason: String::new(),
    });
    page.hear(0, Reply::Booted);
    let id = page.engine.last_id;
    page.hear(id, ready(Device::Cpu));
    let id = page.engine.running.as_ref().unwrap().id;
    page.traced(id);
    assert!(page.asks().is_some());
}
