use super::*;

/// Numbers of a part, more than a third of what may be kept of those that are not on screen.
const LARGE: usize = 3 << 20;

fn excerpt(head: usize) -> Excerpt {
    Excerpt::new(Site::LOGITS, Slice::Head(head))
}

fn part(head: usize) -> Question {
    Question::part(excerpt(head))
}

fn array() -> Arc<Array> {
    Arc::new(Array {
        shape: vec![LARGE],
        data: vec![0.0; LARGE],
    })
}

impl Page {
    fn wants(&mut self, head: usize) -> Option<RequestId> {
        self.tell(Event::Ask(part(head)));
        self.gather();
        self.fetched(head)
    }

    /// All figures on screen have registered the parts that they need.
    fn gather(&mut self) {
        if self.commands.contains(&Command::Gather) {
            self.tell(Event::Gather);
        }
    }

    /// The number of the request for a part, if the last commands hold one.
    fn fetched(&self, head: usize) -> Option<RequestId> {
        match self.asks()? {
            (
                id,
                Asked::Result {
                    question: ResultQuestion::Parts(excerpts),
                    ..
                },
            ) if excerpts.contains(&excerpt(head)) => Some(id),
            _ => None,
        }
    }

    fn receives(&mut self, id: RequestId) {
        self.hears_answer(id, Answer::Arrays(vec![Some(array())]));
    }

    fn has(&self, head: usize) -> bool {
        self.engine.known(&part(head)).array().is_some()
    }
}

#[test]
fn a_part_is_asked_for_once_however_many_figures_need_it() {
    let mut page = Page::with_result();
    let id = page.wants(0).unwrap();
    assert_eq!(page.wants(0), None);
    page.receives(id);
    assert!(page.has(0));
    assert_eq!(page.wants(0), None);
}

#[test]
fn a_part_that_failed_is_asked_for_again_and_then_a_problem() {
    let mut page = Page::with_result();
    let first = page.wants(0).unwrap();
    page.hear(first, Reply::Failed(Failure::NotReady));
    page.gather();
    let second = page.fetched(0).unwrap();
    assert_eq!(page.engine.problem, None);
    page.hear(second, Reply::Failed(Failure::NotReady));
    assert_eq!(page.fetched(0), None);
    assert_eq!(page.engine.problem, Some(Problem::Part(Failure::NotReady)));
    // A figure that needs it later asks again.
    page.tell(Event::Leave(part(0)));
    let third = page.wants(0).unwrap();
    page.receives(third);
    assert!(page.has(0));
}

#[test]
fn a_part_that_nobody_needs_any_more_may_fail() {
    let mut page = Page::with_result();
    let id = page.wants(0).unwrap();
    page.tell(Event::Leave(part(0)));
    page.hear(id, Reply::Failed(Failure::NotReady));
    assert_eq!((page.fetched(0), &page.engine.problem), (None, &None));
}

#[test]
fn the_oldest_parts_make_room_but_none_that_is_on_screen() {
    let mut page = Page::with_result();
    for head in 0..6 {
        let id = page.wants(head).unwrap();
        page.receives(id);
    }
    // All are on screen, more than there is room for otherwise.
    assert!((0..6).all(|head| page.has(head)));
    for head in 0..5 {
        page.tell(Event::Leave(part(head)));
    }
    let kept: Vec<usize> = (0..6).filter(|&head| page.has(head)).collect();
    assert_eq!(kept, [3, 4, 5]);
    // What made room is asked for again when it is needed again.
    assert!(page.wants(0).is_some());
    assert_eq!(page.wants(4), None);
}

#[test]
fn a_part_that_two_figures_need_stays_until_both_have_left() {
    let mut page = Page::with_result();
    for head in [0, 0, 1, 2, 3] {
        if let Some(id) = page.wants(head) {
            page.receives(id);
        }
    }
    for head in [0, 1, 2, 3] {
        page.tell(Event::Leave(part(head)));
    }
    assert!(page.has(0));
    page.tell(Event::Leave(part(0)));
    assert!(!page.has(0));
}

#[test]
fn parts_on_their_way_from_a_worker_that_died_are_asked_for_when_its_run_was_repeated() {
    let mut page = Page::with_result();
    page.wants(0).unwrap();
    page.tell(Event::Died {
        worker: page.engine.worker,
        reason: "x".into(),
    });
    page.hear(0, Reply::Booted);
    page.hear(page.engine.last_id, ready(Device::Cpu));
    page.traced(page.engine.last_id);
    // The figure gets another trace, and needs the part of that one.
    assert!(page.wants(0).is_some());
}

#[test]
fn parts_that_are_wanted_at_one_moment_are_one_request() {
    let mut page = Page::with_result();
    for head in [0, 1, 2] {
        page.tell(Event::Ask(part(head)));
    }
    page.tell(Event::Gather);
    let id = page.fetched(0).unwrap();
    assert_eq!((page.fetched(1), page.fetched(2)), (Some(id), Some(id)));
    let arrays = vec![Some(array()), None, Some(array())];
    page.hears_answer(id, Answer::Arrays(arrays));
    assert_eq!([0, 1, 2].map(|head| page.has(head)), [true, false, true]);
    // What the model does not have is neither asked for again nor a problem.
    page.gather();
    assert_eq!([0, 1, 2].map(|head| page.fetched(head)), [None; 3]);
    assert_eq!(page.wants(1), None);
    assert_eq!(page.engine.problem, None);
}
