mod forced;
mod handover;
mod lenses;
mod liveness;
mod parts;
mod patchings;
mod questions;
mod reconnection;
mod runs;
mod scores;
mod unedited;

use attention_protocol::{
    Answer as WorkerAnswer, Closed, Question as Asked, ReadyReply, ResultQuestion, TextQuestion,
};
use attention_trace::{Array, Excerpt, Openings, Site, Slice, TraceMeta, config::MarianConfig};
use proptest::prelude::*;

use super::*;
use crate::{
    engine::question::{Answer, ForcedTarget, Question},
    state::{Ablation, EditList, Model, View},
};

fn job(text: &str) -> Job {
    Job::from(&View {
        text: text.to_owned(),
        ..View::default()
    })
}

/// The edits of an address.
fn edits(fragment: &str) -> EditList {
    View::from_fragment(fragment).edits.on()
}

fn trace() -> Arc<Trace> {
    Arc::new(Trace::new(TraceMeta {
        spec: MarianConfig::default().spec(),
        source: Vec::new(),
        target: Vec::new(),
        pieces: attention_trace::Pieces::default(),
    }))
}

fn ready(device: Device) -> Reply {
    Reply::Ready(Box::new(ReadyReply {
        engine: "engine".to_owned(),
        device,
        adapter: None,
        fallback_adapter: false,
        threads: 1,
        spec: MarianConfig::default().spec(),
        parameters: 1,
        load_ms: 1.0,
        chat: None,
        openings: Openings::default(),
        card: attention_trace::card::ModelCard::default(),
        served: None,
    }))
}

/// An engine and the browser around it, which records the last commands.
struct Page {
    engine: Engine,
    commands: Vec<Command>,
    /// Ticks that have been asked for; with more than one, seconds would be counted twice.
    ticks: usize,
}

impl Page {
    fn open(choice: DeviceChoice) -> Self {
        let (engine, commands) = Engine::start(choice, job("a"));
        let mut page = Page {
            engine,
            commands: Vec::new(),
            ticks: 0,
        };
        page.remember(commands);
        page
    }

    fn ready() -> Self {
        let mut page = Page::open(DeviceChoice::Cpu);
        page.hear(0, Reply::Booted);
        page.hear(1, ready(Device::Cpu));
        page
    }

    fn tell(&mut self, event: Event) {
        self.ticks -= usize::from(matches!(event, Event::Tick));
        let commands = self.engine.apply(event);
        self.remember(commands);
    }

    fn remember(&mut self, commands: Vec<Command>) {
        let (ticks, commands): (Vec<_>, Vec<_>) = commands
            .into_iter()
            .partition(|command| *command == Command::Tick);
        self.ticks += ticks.len();
        self.commands = commands;
    }

    /// Lets seconds pass, as long as ticks are asked for and no command but a ping is given.
    fn pass(&mut self, seconds: u32) {
        self.commands = Vec::new();
        for _ in 0..seconds {
            if self.ticks == 0 {
                break;
            }
            self.tell(Event::Tick);
            self.commands
                .retain(|command| !matches!(command, Command::Ping { .. }));
            if !self.commands.is_empty() {
                break;
            }
        }
    }

    fn hear(&mut self, id: RequestId, reply: Reply) {
        self.hear_from(self.engine.worker, id, reply);
    }

    fn hear_from(&mut self, worker: u32, id: RequestId, reply: Reply) {
        self.tell(Event::Reply {
            worker,
            id,
            reply: Received::Plain(reply),
        });
    }

    fn hears_answer(&mut self, id: RequestId, answer: Answer) {
        self.tell(Event::Reply {
            worker: self.engine.worker,
            id,
            reply: Received::Answer(answer),
        });
    }

    /// The question that the last commands ask.
    fn asks(&self) -> Option<(RequestId, Asked)> {
        self.commands.iter().find_map(|command| match command {
            Command::Ask { id, question, .. } => Some((*id, question.clone())),
            _ => None,
        })
    }

    /// The result of a first run is on screen.
    fn with_result() -> Self {
        let mut page = Page::ready();
        page.traced(2);
        page
    }

    fn traced(&mut self, id: RequestId) {
        self.traced_by(self.engine.worker, id);
    }

    fn traced_by(&mut self, worker: u32, id: RequestId) {
        self.tell(Event::Reply {
            worker,
            id,
            reply: Received::Traced {
                trace: Ok(trace()),
                decode_ms: 2.0,
                forward_ms: 1.0,
            },
        });
    }

    /// The CPU has answered, and a worker for the real adapter was started beside it.
    fn succeeding() -> (Self, u32) {
        let mut page = Page::open(DeviceChoice::Auto);
        page.tell(Event::Adapter(Adapter::Hardware));
        page.hear(0, Reply::Booted);
        page.hear(1, ready(Device::Cpu));
        page.traced(2);
        assert_eq!(page.spawned(), Some(Backend::WebGpu { software: false }));
        let successor = page.engine.last_worker;
        (page, successor)
    }

    fn device(&self) -> Option<Device> {
        match &self.engine.phase {
            Phase::Ready { reply, .. } => Some(reply.device),
            _ => None,
        }
    }

    fn spawned(&self) -> Option<Backend> {
        self.commands.iter().find_map(|command| match command {
            Command::Spawn { backend, .. } => Some(*backend),
            _ => None,
        })
    }
}

fn events() -> impl Strategy<Value = (u8, u32, RequestId)> {
    (0..23u8, 0..4u32, 0..8u32)
}

fn event((kind, worker, id): (u8, u32, RequestId)) -> Event {
    let plain = |reply| Event::Reply {
        worker,
        id,
        reply: Received::Plain(reply),
    };
    match kind {
        0 => plain(Reply::Booted),
        1 => plain(ready(Device::Cpu)),
        2 => plain(Reply::Failed(Failure::Cancelled)),
        3 => plain(Reply::Failed(Failure::NoWebGpu)),
        4 => plain(Reply::Failed(Failure::EmptyInput)),
        5 => Event::Died {
            worker,
            reason: String::new(),
        },
        6 => Event::Run(job("x")),
        7 => Event::Cancel,
        8 => Event::Retry,
        9 => Event::Adapter(Adapter::Hardware),
        10 => Event::Device(DeviceChoice::Auto),
        11 => Event::Device(DeviceChoice::WebGpu),
        12 => Event::Tick,
        13 => Event::Ask(Question::part(Excerpt::new(
            Site::LOGITS,
            Slice::Head(id as usize),
        ))),
        14 => Event::Run(job("x").with_edits(edits("off=cross.0.0"))),
        15 => Event::Measure {
            probe: Probe::Off(Ablation::Mean),
            is_wanted: id.is_multiple_of(2),
        },
        16 => Event::Reply {
            worker,
            id,
            reply: Received::Answer(Answer::Arrays(vec![Some(Arc::new(Array {
                shape: vec![1],
                data: vec![0.0],
            }))])),
        },
        17 => Event::Ask(Question::from(ForcedTarget {
            job: job("x"),
            target: id.to_string(),
        })),
        20 => Event::Device(DeviceChoice::Server),
        21 => plain(Reply::Closed(Closed {
            code: 1006,
            reason: String::new(),
        })),
        18 => Event::Reply {
            worker,
            id,
            reply: Received::Answer(Answer::Plain(WorkerAnswer::Forced(vec![]))),
        },
        _ => Event::Reply {
            worker,
            id,
            reply: Received::Traced {
                trace: Ok(trace()),
                decode_ms: 0.0,
                forward_ms: 0.0,
            },
        },
    }
}

proptest! {
    #[test]
    fn nothing_runs_in_a_worker_that_is_not_ready(history in prop::collection::vec(events(), 0..40)) {
        let mut page = Page::open(DeviceChoice::Auto);
        let mut shown = false;
        for step in history {
            match event(step) {
                Event::Tick if page.ticks == 0 => continue,
                event => page.tell(event),
            }
            prop_assert!(page.ticks <= 1);
            let ready = matches!(page.engine.phase, Phase::Ready { .. });
            prop_assert!(ready || page.engine.running.is_none());
            let is_pass = |command: &Command| {
                let Command::Ask { question, .. } = command else {
                    return false;
                };
                matches!(question, Asked::Text { .. })
            };
            prop_assert!(ready || !page.commands.iter().any(is_pass));
            // What was once on screen stays.
            prop_assert!(!shown || page.engine.shown.is_some());
            shown = page.engine.shown.is_some();
            // The worker that answers is not the successor too.
            let successor = page.engine.successor.as_ref();
            prop_assert!(successor.is_none_or(|s| s.worker() != page.engine.worker));
        }
    }
}

/// If the browser is to save data, nothing is downloaded before the visitor agrees.
#[test]
fn an_engine_that_is_held_back_starts_when_it_is_told_to() {
    let mut engine = Engine::held_back(DeviceChoice::Cpu, job("a"));
    assert!(engine.is_held_back);
    assert_eq!(engine.apply(Event::Cancel), []);
    let commands = engine.apply(Event::Retry);
    assert!(!engine.is_held_back && engine.is_starting());
    let spawned = |command: &Command| matches!(command, Command::Spawn { .. });
    assert!(commands.iter().any(spawned), "{commands:?}");
}
