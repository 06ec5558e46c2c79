use attention_trace::{Candidate, ForcedToken, Token};

use super::*;

fn target(words: &str) -> ForcedTarget {
    ForcedTarget {
        job: job("a"),
        target: words.to_owned(),
    }
}

/// An answer of one token.
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
    /// The target that the last commands have read.
    fn given(&self) -> Option<(RequestId, ForcedTarget)> {
        self.commands.iter().find_map(|command| match command {
            Command::Force { id, target, .. } => Some((*id, target.clone())),
            _ => None,
        })
    }

    fn forces(&mut self, id: RequestId) {
        let tokens = vec![token()];
        self.hear(id, Reply::Forced { tokens });
    }

    /// A result is on screen.
    fn shows() -> Self {
        let mut page = Page::ready();
        page.traced(2);
        page
    }
}

#[test]
fn targets_are_given_one_after_the_other() {
    let mut page = Page::shows();
    page.tell(Event::Force(target("b")));
    let (first, given) = page.given().unwrap();
    assert_eq!(given, target("b"));
    page.tell(Event::Force(target("c")));
    assert_eq!(page.given(), None);
    page.forces(first);
    let (second, given) = page.given().unwrap();
    assert_eq!(given, target("c"));
    page.forces(second);
    for words in ["b", "c"] {
        let answer = page.engine.forced(&target(words)).unwrap();
        assert_eq!(answer.as_deref(), Ok(&[token()][..]));
    }
    assert_eq!(page.given(), None);
}

#[test]
fn a_run_comes_first_and_another_models_target_waits() {
    let mut page = Page::ready();
    page.tell(Event::Force(target("b")));
    assert_eq!(page.given(), None);
    page.traced(2);
    assert!(page.given().is_some());

    let mut page = Page::shows();
    let mut other = target("b");
    other.job.model = Model::Sentences;
    page.tell(Event::Force(other));
    assert_eq!(page.given(), None);
}

#[test]
fn heads_that_the_model_lacks_are_not_sent() {
    let mut page = Page::shows();
    let mut wanted = target("b");
    wanted.job.changes = HeadsOff::from_address("cross.0.0-cross.99.0").into();
    page.tell(Event::Force(wanted.clone()));
    let (id, given) = page.given().unwrap();
    assert_eq!(given.job.changes.off, HeadsOff::from_address("cross.0.0"));
    page.forces(id);
    assert!(page.engine.forced(&wanted).is_some());
}

#[test]
fn a_refusal_is_the_targets_own_and_is_asked_for_again_by_who_comes_back() {
    let mut page = Page::shows();
    page.tell(Event::Force(target("b")));
    let (id, _) = page.given().unwrap();
    page.hear(id, Reply::Failed(Failure::EmptyInput));
    let refused = page.engine.forced(&target("b"));
    assert_eq!(refused, Some(Err(Failure::EmptyInput)));
    assert_eq!((page.given(), &page.engine.problem), (None, &None));
    page.tell(Event::Force(target("b")));
    assert!(page.given().is_some());
}

#[test]
fn what_no_figure_needs_any_more_is_forgotten() {
    let mut page = Page::shows();
    page.tell(Event::Force(target("b")));
    let (late, _) = page.given().unwrap();
    page.tell(Event::Unforce(target("b")));
    page.forces(late);
    assert_eq!(page.engine.forced(&target("b")), None);

    page.tell(Event::Force(target("c")));
    let (id, _) = page.given().unwrap();
    page.tell(Event::Force(target("c")));
    page.forces(id);
    page.tell(Event::Unforce(target("c")));
    assert!(page.engine.forced(&target("c")).is_some());
    page.tell(Event::Unforce(target("c")));
    assert_eq!(page.engine.forced(&target("c")), None);
}

#[test]
fn the_next_worker_is_given_what_the_last_one_died_of() {
    let mut page = Page::shows();
    page.tell(Event::Force(target("b")));
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
    assert!(page.given().is_some());
}
