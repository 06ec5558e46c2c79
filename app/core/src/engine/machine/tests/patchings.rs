use attention_protocol::Partial;
use attention_trace::{
    MapQuestion, Patched, PatchedCell, PatchingAnswer, PatchingEnds, PatchingMap, PatchingPair,
    PatchingQuestion, Stack, TakenInto,
};

use super::*;
use crate::engine::{PatchingAsked, PatchingRead};

fn map_of(other: &str) -> PatchingQuestion {
    PatchingQuestion::Map(MapQuestion {
        pair: PatchingPair {
            text: "a".to_owned(),
            other: other.to_owned(),
            target: vec![],
            answer: 1,
            against: 2,
        },
        stack: Stack::Encoder,
        patched: Patched::Residual,
        into: TakenInto::Other,
    })
}

fn question(other: &str) -> Question {
    Question::from(PatchingAsked {
        model: Model::default(),
        question: map_of(other),
    })
}

const ENDS: PatchingEnds = PatchingEnds {
    clean: 1.0,
    other: -1.0,
};

fn cell(column: usize, difference: f32) -> PatchedCell {
    PatchedCell {
        row: 0,
        column,
        difference,
    }
}

fn map() -> Answer {
    Answer::Plain(WorkerAnswer::Patching(PatchingAnswer::Map(PatchingMap {
        ends: ENDS,
        cells: vec![cell(0, 0.5), cell(1, 1.0)],
    })))
}

impl Page {
    fn patches(&self) -> Option<(RequestId, PatchingQuestion)> {
        match self.asks()? {
            (id, Asked::Patching { question }) => Some((id, question)),
            _ => None,
        }
    }

    fn patching(&self, question: &Question) -> PatchingRead {
        self.engine.known(question).patching()
    }

    fn is_told_to_cancel(&self) -> bool {
        let is_cancel = |command: &Command| matches!(command, Command::Cancel { .. });
        self.commands.iter().any(is_cancel)
    }

    fn hears_cell(&mut self, id: RequestId, column: usize) {
        let cells = vec![cell(column, 0.25)];
        let partial = Partial::Patched {
            cells,
            total: 2,
            ends: ENDS,
        };
        self.hear(id, Reply::Partial { partial });
    }

    fn with_map_on_its_way() -> (Self, RequestId) {
        let mut page = Page::with_result();
        page.tell(Event::Ask(question("b")));
        let (id, asked) = page.patches().unwrap();
        assert_eq!(asked, map_of("b"));
        (page, id)
    }
}

#[test]
fn cells_come_one_after_the_other_and_then_the_map() {
    let (mut page, id) = Page::with_map_on_its_way();
    assert_eq!(page.patching(&question("b")).total, 0);
    page.hears_cell(id, 1);
    page.hears_cell(id, 1);
    let read = page.patching(&question("b"));
    assert_eq!(
        (read.cells.len(), read.total, read.ends),
        (1, 2, Some(ENDS))
    );
    assert_eq!(read.end, None);
    page.hears_answer(id, map());
    let read = page.patching(&question("b"));
    assert_eq!(read.cells.len(), 2);
    assert!(read.end.unwrap().is_ok());
    assert_eq!(page.patches(), None);
}

#[test]
fn what_the_visitor_stops_keeps_its_cells_until_it_is_wanted_again() {
    let (mut page, id) = Page::with_map_on_its_way();
    page.hears_cell(id, 0);
    page.tell(Event::Stop);
    assert!(page.is_told_to_cancel());
    page.hear(id, Reply::Failed(Failure::Cancelled));
    let read = page.patching(&question("b"));
    assert_eq!(
        (read.cells.len(), read.end),
        (1, Some(Err(Failure::Cancelled)))
    );
    assert_eq!((page.patches(), &page.engine.problem), (None, &None));
    page.tell(Event::Ask(question("b")));
    assert!(page.patches().is_some());
    assert_eq!(page.patching(&question("b")).cells.len(), 1);
}

#[test]
fn another_map_stops_the_one_that_no_figure_needs() {
    let (mut page, id) = Page::with_map_on_its_way();
    page.tell(Event::Ask(question("c")));
    assert_eq!(page.patches(), None);
    page.tell(Event::Leave(question("b")));
    assert!(page.is_told_to_cancel());
    page.hear(id, Reply::Failed(Failure::Cancelled));
    let (_, asked) = page.patches().unwrap();
    assert_eq!(asked, map_of("c"));
    assert_eq!(page.patching(&question("b")), Default::default());
}

#[test]
fn what_a_run_ends_is_asked_anew_after_it() {
    let (mut page, id) = Page::with_map_on_its_way();
    page.tell(Event::Run(job("x")));
    let run = page.engine.running.as_ref().unwrap().id;
    page.hear(id, Reply::Failed(Failure::Cancelled));
    assert_eq!(page.patches(), None);
    page.traced(run);
    assert!(page.patches().is_some());
}

#[test]
fn a_model_that_is_being_loaded_is_not_cancelled_with_the_map() {
    let (mut page, id) = Page::with_map_on_its_way();
    page.tell(Event::Run(Job {
        model: "sentences".parse().unwrap(),
        ..job("x")
    }));
    assert!(page.engine.is_starting());
    page.tell(Event::Leave(question("b")));
    assert!(!page.is_told_to_cancel());
    page.hear(id, Reply::Failed(Failure::Cancelled));
    assert!(page.engine.is_starting());
    assert_eq!(page.engine.problem, None);
}

#[test]
fn a_refusal_is_the_questions_own() {
    let (mut page, id) = Page::with_map_on_its_way();
    page.hear(id, Reply::Failed(Failure::EmptyInput));
    let read = page.patching(&question("b"));
    assert_eq!(read.end, Some(Err(Failure::EmptyInput)));
    assert_eq!((page.patches(), &page.engine.problem), (None, &None));
}
