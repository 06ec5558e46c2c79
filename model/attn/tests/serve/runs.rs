//! Runs of visitors: the same numbers as without a server, each to whom they belong.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;
use std::thread;
use std::time::Instant;

use attention_chat::Date;
use attention_engine::{Chosen, Engine, Host, Session};
use attention_model::checkpoint::Checkpoint;
use attention_model::device;
use attention_protocol::{
    Answer, Device, Failure, Question, Reply, Request, RequestId, ResultQuestion, RunRequest,
};
use attention_trace::{Excerpt, Quantities, Search, Site, Slice, Trace};
use pollster::block_on;

use crate::visitor::{Received, Visitor, load, long_run, run};
use crate::{Server, model};

/// A host that keeps the last reply.
#[derive(Default)]
struct Alone(RefCell<Option<(Reply, Vec<u8>)>>);

impl Host for Alone {
    fn now_ms(&self) -> f64 {
        0.0
    }

    fn post(&self, _: RequestId, reply: Reply, buffer: Option<&[u8]>) {
        self.0
            .replace(Some((reply, buffer.unwrap_or_default().to_vec())));
    }

    async fn give_way(&self) -> bool {
        true
    }

    fn today(&self) -> Date {
        Date::of_unix_seconds(0)
    }

    fn log_error(&self, text: &str) {
        panic!("{text}");
    }
}

/// Returns the trace of a run without a server.
fn direct(request: &RunRequest) -> Trace {
    let chosen = Chosen {
        device: device::cpu(),
        kind: Device::Cpu,
        adapter: None,
        fallback_adapter: false,
    };
    let checkpoint = Checkpoint::open(&model(), &chosen.device).unwrap();
    let engine = Engine::new(Rc::new(checkpoint), chosen);
    let session = Session::new(Alone::default(), usize::MAX);
    let ready = engine.ready("alone", 0.0, session.host.today());
    session.use_loaded(1, Ok((engine, ready)));
    session.arrived(2, &Request::Run(request.clone()));
    block_on(session.run(2, request, None));
    let (reply, trace) = session.host.0.take().unwrap();
    assert!(matches!(reply, Reply::Traced { .. }), "{reply:?}");
    Trace::from_safetensors(&trace).unwrap()
}

/// Asserts that the last of these frames is the result of a run, bit by bit as without a server.
fn assert_is_result(frames: &[Received], request: &RunRequest) {
    let last = frames.last().unwrap();
    assert!(
        matches!(last.reply, Reply::Traced { .. }),
        "{:?}",
        last.reply
    );
    let (trace, direct) = (
        Trace::from_safetensors(&last.buffer).unwrap(),
        direct(request),
    );
    assert!(!trace.arrays.is_empty());
    for (site, array) in &trace.arrays {
        assert!(array.bytes() == direct.arrays[site].bytes(), "{site}");
    }
    // The words, the search and all else too; the order of their entries in the file varies.
    assert!(trace == direct, "{request:?}");
}

#[test]
fn a_run_is_the_same_bit_by_bit_as_without_a_server() {
    let server = Server::start(&[]);
    let mut visitor = Visitor::enter(&server);
    for (id, request) in [(2, run("The old dog")), (3, long_run("She gave him"))] {
        visitor.send(id, &Request::Run(request.clone()));
        assert_is_result(&visitor.answer(id), &request);
    }
    let question = ResultQuestion::Parts(vec![Excerpt::new(Site::LOGITS, Slice::Whole)]);
    let question = Question::Result { run: 3, question };
    visitor.send(4, &Request::Ask { question });
    let answer = visitor.answer(4).pop().unwrap();
    let Reply::Answer {
        answer: Answer::Arrays { shapes },
    } = answer.reply
    else {
        panic!("{:?}", answer.reply);
    };
    let shape = shapes[0].as_ref().unwrap();
    assert_eq!(answer.buffer.len(), 4 * shape.iter().product::<usize>());
    visitor.send(5, &Request::Ping);
    assert_eq!(visitor.receive().reply, Reply::Alive);
    server.wait_for("attn_runs_total", 2);
}

#[test]
fn visitors_take_turns_and_see_nothing_of_each_other() {
    let server = Server::start(&[]);
    let texts = ["The cat of Barnabixqu", "A dog near Sheffwuldy"];
    let visits = texts.map(|text| {
        let mut visitor = Visitor::enter(&server);
        thread::spawn(move || {
            visitor.send(2, &Request::Run(long_run(text)));
            let first = visitor.receive();
            let began = Instant::now();
            let mut frames = vec![first];
            frames.extend(visitor.answer(2));
            (frames, began, Instant::now())
        })
    });
    let [one, other] = visits.map(|visit| visit.join().unwrap());
    // Each had news before the other was done.
    assert!(one.1 < other.2 && other.1 < one.2);
    for (visit, own, foreign) in [(&one.0, texts[0], texts[1]), (&other.0, texts[1], texts[0])] {
        assert_is_result(visit, &long_run(own));
        let has = |word: &str| {
            let is_there = |frame: &Received| {
                let mut places = frame.frame.windows(word.len());
                places.any(|place| place == word.as_bytes())
            };
            visit.iter().any(is_there)
        };
        let words: HashSet<&str> = foreign.split(' ').filter(|word| word.len() > 4).collect();
        assert!(has(own) && !has(foreign));
        assert!(!words.into_iter().any(has), "{foreign}");
    }
    let log = server.end();
    assert!(log.contains(r#""message":"ran""#), "{log}");
    assert!(!texts.iter().any(|text| log.contains(text)), "{log}");
}

#[test]
fn a_run_is_cancelled_and_the_next_is_answered() {
    let server = Server::start(&[]);
    let mut visitor = Visitor::enter(&server);
    visitor.send(2, &Request::Run(long_run("The old dog")));
    assert!(matches!(visitor.receive().reply, Reply::Decoded { .. }));
    visitor.send(3, &Request::Cancel);
    let ended = visitor.answer(2).pop().unwrap();
    assert_eq!(ended.reply, Reply::Failed(Failure::Cancelled));
    visitor.send(4, &Request::Run(long_run("The old dog")));
    // A newer run ends an older one too; either is answered first.
    visitor.send(5, &Request::Run(run("He is")));
    let mut frames = visitor.answer(5);
    if !frames.iter().any(|frame| frame.id == 4 && frame.is_last()) {
        frames.splice(0..0, visitor.answer(4));
    }
    let of_older = frames.iter().find(|frame| frame.id == 4 && frame.is_last());
    let cancelled = Reply::Failed(Failure::Cancelled);
    assert_eq!(of_older.unwrap().reply, cancelled);
    assert_is_result(&frames, &run("He is"));
}

#[test]
fn a_visitor_without_a_model_is_told_so_and_one_may_load_it_again() {
    let server = Server::start(&[]);
    let mut visitor = Visitor::with_headers(&server, &[]).unwrap();
    assert_eq!(visitor.receive().reply, Reply::Booted);
    visitor.send(1, &Request::Run(run("He is")));
    let refused = visitor.answer(1).pop().unwrap();
    assert_eq!(refused.reply, Reply::Failed(Failure::NotReady));
    for id in [2, 3] {
        visitor.send(id, &load());
        let ready = visitor.answer(id).pop().unwrap();
        assert!(matches!(ready.reply, Reply::Ready(_)), "{:?}", ready.reply);
    }
}

#[test]
fn a_run_that_would_take_all_of_the_machine_is_refused() {
    let server = Server::start(&[]);
    let mut visitor = Visitor::enter(&server);
    let endless = RunRequest {
        max_new_tokens: usize::MAX,
        ..run("He is")
    };
    let wide = RunRequest {
        search: Search::Beam {
            width: usize::MAX,
            length_penalty: 0.75,
        },
        ..run("He is")
    };
    for (id, request) in [(2, endless), (3, wide)] {
        visitor.send(id, &Request::Run(request));
        let refused = visitor.answer(id).pop().unwrap();
        let is_refused = matches!(refused.reply, Reply::Failed(Failure::Protocol { .. }));
        assert!(is_refused, "{:?}", refused.reply);
    }
    visitor.send(4, &Request::Run(run("He is")));
    assert_is_result(&visitor.answer(4), &run("He is"));
}

#[test]
fn a_result_that_is_too_large_to_be_kept_is_computed_again() {
    let part = |options: &[&str]| {
        let server = Server::start(options);
        let mut visitor = Visitor::enter(&server);
        let request = RunRequest {
            quantities: Quantities::all(),
            max_new_tokens: 4,
            ..run(&"the old dog and ".repeat(12))
        };
        visitor.send(2, &Request::Run(request));
        let light = visitor.answer(2).pop().unwrap().buffer;
        assert!(Trace::from_safetensors(&light).unwrap().is_reduced());
        let question = ResultQuestion::Parts(vec![Excerpt::new(Site::LOGITS, Slice::Whole)]);
        let question = Question::Result { run: 2, question };
        visitor.send(3, &Request::Ask { question });
        visitor.answer(3).pop().unwrap().buffer
    };
    let kept = part(&[]);
    assert!(!kept.is_empty());
    assert!(kept == part(&["--kept-mib", "0"]));
}
