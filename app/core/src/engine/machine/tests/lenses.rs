use attention_trace::{LensAnswer, LensQuestion, Wanted};

use super::*;
use crate::engine::LensRead;

fn lens(token: u32) -> LensQuestion {
    LensQuestion::Parts(Wanted {
        row: 0,
        token,
        against: None,
    })
}

fn question(token: u32) -> Question {
    Question::from(lens(token))
}

fn answer() -> LensAnswer {
    LensAnswer::WithoutHead { logit: 0.5 }
}

impl Page {
    /// The question that the last commands ask, and of which run.
    fn looked_at(&self) -> Option<(RequestId, RequestId, LensQuestion)> {
        match self.asks()? {
            (
                id,
                Asked::Result {
                    run,
                    question: ResultQuestion::Lens(question),
                },
            ) => Some((id, run, question)),
            _ => None,
        }
    }

    fn sees(&mut self, id: RequestId) {
        self.hears_answer(id, Answer::Plain(WorkerAnswer::Lens(answer())));
    }

    fn lens(&self, question: &Question) -> Option<LensRead> {
        self.engine.known(question).lens()
    }
}

#[test]
fn questions_are_asked_of_the_result_one_after_the_other() {
    let mut page = Page::with_result();
    page.tell(Event::Ask(question(1)));
    let (first, run, asked) = page.looked_at().unwrap();
    assert_eq!((run, asked), (2, lens(1)));
    page.tell(Event::Ask(question(2)));
    assert_eq!(page.looked_at(), None);
    page.sees(first);
    let (second, ..) = page.looked_at().unwrap();
    page.sees(second);
    for token in [1, 2] {
        let read = page.lens(&question(token)).unwrap();
        assert_eq!(*read.unwrap(), answer());
    }
    assert_eq!(page.looked_at(), None);
}

#[test]
fn a_run_comes_first_and_its_result_is_asked_anew() {
    let mut page = Page::ready();
    page.tell(Event::Ask(question(1)));
    assert_eq!(page.looked_at(), None);
    page.traced(2);
    let (id, ..) = page.looked_at().unwrap();
    page.sees(id);
    assert!(page.lens(&question(1)).is_some());

    page.tell(Event::Run(job("b")));
    let run = page.engine.running.as_ref().unwrap().id;
    page.traced(run);
    assert_eq!(page.lens(&question(1)), None);
    let (_, asked_of, _) = page.looked_at().unwrap();
    assert_eq!(asked_of, run);
}

#[test]
fn an_answer_about_a_result_that_is_gone_is_dropped() {
    let mut page = Page::with_result();
    page.tell(Event::Ask(question(1)));
    let (late, ..) = page.looked_at().unwrap();
    page.tell(Event::Run(job("b")));
    let run = page.engine.running.as_ref().unwrap().id;
    page.traced(run);
    page.sees(late);
    assert_eq!(page.lens(&question(1)), None);
    assert!(page.looked_at().is_some());
}

#[test]
fn a_refusal_is_the_figures_own_and_is_asked_for_again_by_who_comes_back() {
    let mut page = Page::with_result();
    page.tell(Event::Ask(question(1)));
    let (id, ..) = page.looked_at().unwrap();
    page.hear(id, Reply::Failed(Failure::NotReady));
    let refused = page.lens(&question(1));
    assert_eq!(refused, Some(Err(Failure::NotReady)));
    assert_eq!((page.looked_at(), &page.engine.problem), (None, &None));
    page.tell(Event::Ask(question(1)));
    assert!(page.looked_at().is_some());
}

#[test]
fn what_no_figure_needs_any_more_is_forgotten() {
    let mut page = Page::with_result();
    page.tell(Event::Ask(question(1)));
    let (late, ..) = page.looked_at().unwrap();
    page.tell(Event::Leave(question(1)));
    page.sees(late);
    assert_eq!(page.lens(&question(1)), None);
}

#[test]
fn the_next_worker_is_asked_what_the_last_one_died_of() {
    let mut page = Page::with_result();
    page.tell(Event::Ask(question(1)));
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
    assert!(page.looked_at().is_some());
}
