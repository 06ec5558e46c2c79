use attention_trace::{Candidate, Decoding, Edit, Search, Step, Token};

use super::*;
use crate::state::{HeadChoice, NewWeights};

/// Every head off by itself.
const OFF: Probe = Probe::Off(Ablation::Zero);

fn measure(is_wanted: bool) -> Event {
    Event::Measure {
        probe: OFF,
        is_wanted,
    }
}

/// A trace of a text of two tokens, each of `log p` −1.
fn written() -> Arc<Trace> {
    let candidate = |id| Candidate {
        token: Token {
            id,
            text: String::new(),
            unknown: false,
        },
        logit: 0.0,
        log_probability: -1.0,
    };
    let step = |id| Step {
        row: 0,
        chosen: candidate(id),
        forced: false,
        candidates: vec![],
    };
    Arc::new(Trace {
        decoding: Some(Decoding {
            search: Search::Greedy,
            hypotheses: vec![],
            steps: vec![step(7), step(8)],
            considered: vec![],
            draws: vec![],
        }),
        ..(*trace()).clone()
    })
}

fn heads() -> usize {
    HeadChoice::all(&MarianConfig::default().spec()).len()
}

impl Page {
    fn writes(&mut self, id: RequestId) {
        self.tell(Event::Reply {
            worker: self.engine.worker,
            id,
            reply: Received::Traced {
                trace: Ok(written()),
                decode_ms: 0.0,
                forward_ms: 0.0,
            },
        });
    }

    /// The score that the last commands ask for.
    fn score(&self) -> Option<(RequestId, Vec<HeadChoice>, Vec<u32>)> {
        let (id, question) = self.asks()?;
        let Asked::Text {
            text,
            edits,
            question: TextQuestion::Score { target },
        } = question
        else {
            return None;
        };
        let asked = self.engine.scores.current().unwrap();
        let of = self.engine.shown.as_ref()?.job.clone()?;
        let job = of.with_edits(asked.clone());
        assert_eq!((text, edits), (job.input(), self.engine.edits(&job)));
        Some((id, asked.heads_off(), target))
    }

    fn scores(&mut self, id: RequestId, each: f32) {
        self.scores_with_rank(id, each, 1.0);
    }

    fn scores_with_rank(&mut self, id: RequestId, each: f32, rank: f32) {
        let array = |value: f32| {
            Some(Arc::new(Array {
                shape: vec![2],
                data: vec![value; 2],
            }))
        };
        self.hears_answer(id, Answer::Arrays(vec![array(each), array(rank)]));
    }

    fn known(&self) -> usize {
        self.engine.importance(OFF).unwrap().changes.len()
    }

    /// A result is on screen, and every head is to be measured.
    fn measuring() -> Self {
        let mut page = Page::ready();
        page.writes(2);
        assert_eq!(page.score(), None);
        page.tell(measure(true));
        page
    }
}

#[test]
fn every_head_is_measured_by_itself_one_after_the_other() {
    let mut page = Page::measuring();
    for measured in 0..heads() {
        assert_eq!(page.known(), measured);
        assert!(page.engine.importance(OFF).unwrap().goes_on);
        let (id, off, target) = page.score().unwrap();
        assert_eq!((off.len(), target), (1, vec![7, 8]));
        page.scores(id, -2.0);
    }
    assert_eq!(page.score(), None);
    let importance = page.engine.importance(OFF).unwrap();
    assert!(!importance.goes_on);
    assert_eq!(importance.changes.len(), importance.heads);
    assert_eq!((importance.changes[0].1, importance.largest()), (-2.0, 2.0));
    // All of it is known when it is asked for again.
    page.tell(measure(false));
    assert_eq!(page.engine.importance(OFF), None);
    page.tell(measure(true));
    assert_eq!((page.score(), page.known()), (None, heads()));
}

#[test]
fn what_is_known_when_it_is_stopped_stays() {
    let mut page = Page::measuring();
    let (id, ..) = page.score().unwrap();
    page.scores(id, -2.0);
    let (id, ..) = page.score().unwrap();
    page.tell(Event::StopMeasuring);
    page.scores(id, -2.0);
    assert_eq!((page.score(), page.known()), (None, 2));
    assert!(!page.engine.importance(OFF).unwrap().goes_on);
    page.tell(measure(true));
    assert!(page.score().is_some());
}

#[test]
fn a_run_comes_first_and_another_text_is_measured_anew() {
    let mut page = Page::measuring();
    let (late, ..) = page.score().unwrap();
    page.tell(Event::Run(job("b")));
    let [Command::Run { id, .. }] = page.commands[..] else {
        panic!("{:?}", page.commands);
    };
    page.scores(late, -2.0);
    assert_eq!((page.score(), page.known()), (None, 1));
    page.writes(id);
    assert!(page.score().is_some());
    assert_eq!(page.known(), 0);
}

#[test]
fn switching_a_head_off_keeps_what_is_known_and_is_scored_itself() {
    let mut page = Page::measuring();
    let (id, first, _) = page.score().unwrap();
    page.scores(id, -2.0);
    let (late, ..) = page.score().unwrap();
    page.tell(Event::StopMeasuring);
    page.scores(late, -2.0);
    let off = edits("off=cross.0.0-cross.0.1");
    page.tell(Event::Run(job("a").with_edits(off.clone())));
    let id = page.engine.running.as_ref().unwrap().id;
    page.writes(id);
    let (id, asked, _) = page.score().unwrap();
    assert_eq!(asked, off.heads_off());
    assert_eq!(page.engine.score_with_edits(), None);
    page.scores(id, -3.0);
    assert_eq!(
        page.engine.score_with_edits().as_deref(),
        Some(&[-3.0, -3.0][..])
    );
    assert!(page.known() >= 1);
    // What one head does by itself is known already.
    page.tell(Event::Run(job("a").with_edits(first.into_iter().collect())));
    let id = page.engine.running.as_ref().unwrap().id;
    page.writes(id);
    assert_eq!(page.score(), None);
    assert_eq!(
        page.engine.score_with_edits().as_deref(),
        Some(&[-2.0, -2.0][..])
    );
}

#[test]
fn a_failure_is_said_once_and_keeps_what_is_known() {
    let mut page = Page::measuring();
    let (id, ..) = page.score().unwrap();
    page.scores(id, -2.0);
    let (id, ..) = page.score().unwrap();
    page.hear(id, Reply::Failed(Failure::NotReady));
    assert_eq!((page.score(), page.known()), (None, 1));
    assert!(matches!(page.engine.problem, Some(Problem::Part(_))));
    page.tell(Event::Tick);
    assert_eq!(page.score(), None);
}

#[test]
fn the_next_worker_goes_on_where_the_last_one_died() {
    let mut page = Page::measuring();
    let (id, ..) = page.score().unwrap();
    page.scores(id, -2.0);
    let worker = page.engine.worker;
    page.tell(Event::Died {
        worker,
        reason: String::new(),
    });
    page.hear(0, Reply::Booted);
    let [Command::Load { id, .. }] = page.commands[..] else {
        panic!("{:?}", page.commands);
    };
    page.hear(id, ready(Device::Cpu));
    let id = page.engine.running.as_ref().unwrap().id;
    assert_eq!(page.score(), None);
    page.writes(id);
    assert!(page.score().is_some());
    assert_eq!(page.known(), 1);
}

#[test]
fn heads_are_tried_in_several_ways_at_once() {
    let mut page = Page::measuring();
    let mut asked = page.score().unwrap();
    let probe = Probe::Reweighed(NewWeights::Uniform);
    page.tell(Event::Measure {
        probe,
        is_wanted: true,
    });
    for _ in 0..heads() {
        assert_eq!(asked.1.len(), 1);
        page.scores(asked.0, -2.0);
        asked = page.score().unwrap();
    }
    assert_eq!(page.known(), heads());
    assert!(page.engine.importance(probe).unwrap().changes.is_empty());
    assert!(asked.1.is_empty());
    page.scores(asked.0, -1.5);
    let importance = page.engine.importance(probe).unwrap();
    assert_eq!(
        (importance.changes.len(), importance.changes[0].1),
        (1, -1.0)
    );
    page.tell(measure(false));
    assert_eq!(page.engine.importance(OFF), None);
    assert!(page.engine.importance(probe).unwrap().goes_on);
}

#[test]
fn a_mean_is_taken_over_what_was_read_with_nothing_changed() {
    let mut page = Page::ready();
    page.writes(2);
    let job = job("a").with_edits(edits("off=cross.0.0&off-by=mean"));
    page.tell(Event::Run(job.clone()));
    let edits = page.engine.edits(&job);
    let [Edit::MeanHead { text, target, .. }] = edits.as_slice() else {
        panic!("{edits:?}");
    };
    assert_eq!(
        (text.as_str(), target.as_slice()),
        (job.input().as_str(), &[7][..])
    );
}

#[test]
fn heads_are_taken_out_cheapest_first_until_the_text_changes() {
    let mut page = Page::ready();
    page.writes(2);
    page.tell(Event::Prune(Some(Ablation::Zero)));
    // The later a head, the less its absence costs.
    for measured in 0..heads() {
        let pruning = page.engine.pruning(Ablation::Zero).unwrap();
        assert_eq!(pruning.measured, (measured, heads()));
        assert_eq!(page.engine.pruning(Ablation::Mean), None);
        assert!(pruning.goes_on && pruning.out.is_empty());
        let (id, off, _) = page.score().unwrap();
        assert_eq!(off.len(), 1);
        page.scores(id, -2.0 - 1.0 / (1.0 + measured as f32));
    }
    let all = HeadChoice::all(&MarianConfig::default().spec());
    // The cheapest alone is known already.
    let (id, off, _) = page.score().unwrap();
    assert_eq!(off, all[all.len() - 2..]);
    page.scores(id, -3.0);
    let (id, off, _) = page.score().unwrap();
    assert_eq!(off.len(), 3);
    page.scores_with_rank(id, -4.0, 2.0);
    let pruning = page.engine.pruning(Ablation::Zero).unwrap();
    assert!(pruning.is_done && !pruning.goes_on);
    assert_eq!(pruning.out, [all[all.len() - 1], all[all.len() - 2]]);
    assert_eq!(page.score(), None);
    page.tell(Event::Prune(None));
    assert_eq!(page.engine.pruning(Ablation::Zero), None);
}

#[test]
fn taking_heads_out_can_be_stopped_and_gone_on_with() {
    let mut page = Page::ready();
    page.writes(2);
    page.tell(Event::Prune(Some(Ablation::Zero)));
    let (id, ..) = page.score().unwrap();
    page.tell(Event::StopMeasuring);
    page.scores(id, -2.0);
    assert_eq!(page.score(), None);
    let pruning = page.engine.pruning(Ablation::Zero).unwrap();
    assert_eq!((pruning.measured.0, pruning.goes_on), (1, false));
    page.tell(Event::Prune(Some(Ablation::Zero)));
    assert!(page.score().is_some());
}
