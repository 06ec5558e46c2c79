use std::collections::BTreeMap;

use attention_protocol::ReadyReply;
use attention_trace::{Family, TraceMeta};
use proptest::prelude::*;

use super::*;
use crate::state::{Model, View};

fn job(text: &str) -> Job {
    Job {
        text: text.to_owned(),
        ..Job::from(&View::default())
    }
}

fn trace() -> Arc<Trace> {
    Arc::new(Trace {
        meta: TraceMeta {
            family: Family::Marian,
            source: Vec::new(),
            target: Vec::new(),
            encoder_layers: 0,
            decoder_layers: 0,
            heads: 0,
            d_model: 0,
            positions: None,
            rope_theta: None,
            buckets: None,
        },
        decoding: None,
        arrays: BTreeMap::new(),
    })
}

fn ready(device: Device) -> Reply {
    Reply::Ready(ReadyReply {
        device,
        adapter: None,
        fallback_adapter: false,
        threads: 1,
        family: Family::Marian,
        max_tokens: 128,
        parameters: 1,
        load_ms: 1.0,
    })
}

/// An engine and the browser around it, which remembers what it was told to do last.
struct Page {
    engine: Engine,
    commands: Vec<Command>,
}

impl Page {
    fn open(choice: DeviceChoice) -> Self {
        let (engine, commands) = Engine::start(choice, job("a"));
        Page { engine, commands }
    }

    fn ready() -> Self {
        let mut page = Page::open(DeviceChoice::Cpu);
        page.hear(0, Reply::Booted);
        page.hear(1, ready(Device::Cpu));
        page
    }

    fn tell(&mut self, event: Event) {
        self.commands = self.engine.apply(event);
    }

    fn hear(&mut self, id: RequestId, reply: Reply) {
        self.hear_from(self.engine.worker, id, reply);
    }

    fn hear_from(&mut self, worker: u32, id: RequestId, reply: Reply) {
        self.tell(Event::Answer {
            worker,
            id,
            answer: Answer::Plain(reply),
        });
    }

    fn traced(&mut self, id: RequestId) {
        self.traced_by(self.engine.worker, id);
    }

    fn traced_by(&mut self, worker: u32, id: RequestId) {
        self.tell(Event::Answer {
            worker,
            id,
            answer: Answer::Traced {
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

#[test]
fn the_page_boots_loads_and_runs_the_first_job_by_itself() {
    let mut page = Page::open(DeviceChoice::Auto);
    assert_eq!(page.spawned(), Some(Backend::Cpu));
    assert!(page.commands.contains(&Command::Probe));
    page.hear(0, Reply::Booted);
    assert!(matches!(page.commands[..], [Command::Load { id: 1, .. }]));
    page.hear(
        1,
        Reply::Progress {
            received_bytes: 5,
            total_bytes: Some(9),
        },
    );
    assert!(matches!(
        page.engine.phase,
        Phase::Loading {
            received_bytes: 5,
            total_bytes: Some(9),
            ..
        }
    ));
    page.hear(1, ready(Device::Cpu));
    let expected = Command::Run {
        worker: 1,
        id: 2,
        job: job("a"),
    };
    assert_eq!(page.commands, [expected]);
    page.traced(2);
    let shown = page.engine.shown.unwrap();
    assert_eq!(shown.job, Some(job("a")));
    assert!(matches!(shown.source, Source::Live(timing) if timing.device == Device::Cpu));
}

#[test]
fn webgpu_takes_over_once_it_has_run_what_is_on_screen() {
    let (mut page, successor) = Page::succeeding();
    let cpu = page.engine.worker;
    page.hear_from(successor, 0, Reply::Booted);
    let [Command::Load { worker, id, .. }] = page.commands[..] else {
        panic!("{:?}", page.commands);
    };
    assert_eq!(worker, successor);
    page.hear_from(successor, id, ready(Device::WebGpu));
    assert_eq!(page.device(), Some(Device::Cpu));
    let rehearsal = Command::Run {
        worker: successor,
        id: id + 1,
        job: job("a"),
    };
    assert_eq!(page.commands, [rehearsal]);
    page.traced_by(successor, id + 1);
    assert_eq!(page.commands, [Command::Kill { worker: cpu }]);
    assert_eq!(page.device(), Some(Device::WebGpu));
    assert_eq!(page.engine.successor(), None);
    let shown = page.engine.shown.as_ref().unwrap();
    assert!(matches!(shown.source, Source::Live(timing) if timing.device == Device::WebGpu));
    page.tell(Event::Run(job("b")));
    assert!(matches!(page.commands[..], [Command::Run { worker, .. }] if worker == successor));
}

#[test]
fn the_cpu_goes_on_answering_and_its_newest_result_is_rehearsed() {
    let (mut page, successor) = Page::succeeding();
    page.hear_from(successor, 0, Reply::Booted);
    page.hear_from(successor, 3, ready(Device::WebGpu));
    page.tell(Event::Run(job("b")));
    assert!(matches!(page.commands[..], [Command::Run { id: 5, .. }]));
    // The rehearsal of the older sentence comes first, and is not what is wanted any more.
    page.traced_by(successor, 4);
    assert_eq!(page.commands, []);
    assert_eq!(page.device(), Some(Device::Cpu));
    page.traced(5);
    let rehearsal = Command::Run {
        worker: successor,
        id: 6,
        job: job("b"),
    };
    assert_eq!(page.commands, [rehearsal]);
    page.traced_by(successor, 6);
    assert_eq!(page.device(), Some(Device::WebGpu));
    assert_eq!(page.engine.shown.unwrap().job, Some(job("b")));
}

#[test]
fn a_successor_follows_to_another_model() {
    let (mut page, successor) = Page::succeeding();
    page.hear_from(successor, 0, Reply::Booted);
    let other = Job {
        model: Model::Sentences,
        ..job("b")
    };
    page.tell(Event::Run(other.clone()));
    page.hear(4, ready(Device::Cpu));
    page.hear_from(successor, 3, ready(Device::WebGpu));
    assert_eq!(page.commands, []);
    page.traced(5);
    let load = Command::Load {
        worker: successor,
        id: 6,
        model: Model::Sentences,
        software: false,
    };
    assert_eq!(page.commands, [load]);
    page.hear_from(successor, 6, ready(Device::WebGpu));
    page.traced_by(successor, 7);
    assert_eq!(page.device(), Some(Device::WebGpu));
}

#[test]
fn a_software_adapter_is_used_only_when_chosen() {
    for adapter in [Adapter::Software, Adapter::Missing] {
        let mut page = Page::open(DeviceChoice::Auto);
        page.tell(Event::Adapter(adapter));
        page.hear(0, Reply::Booted);
        page.hear(1, ready(Device::Cpu));
        page.traced(2);
        assert_eq!((page.spawned(), page.engine.successor()), (None, None));
    }
    let mut page = Page::open(DeviceChoice::WebGpuSoftware);
    page.hear(0, Reply::Booted);
    assert!(matches!(
        page.commands[..],
        [Command::Load { software: true, .. }]
    ));
}

#[test]
fn the_example_never_replaces_a_live_result() {
    let mut page = Page::ready();
    page.traced(2);
    page.tell(Event::Example(Ok(trace())));
    assert!(matches!(
        page.engine.shown.as_ref().unwrap().source,
        Source::Live(_)
    ));
    let mut page = Page::open(DeviceChoice::Cpu);
    page.tell(Event::Example(Ok(trace())));
    assert_eq!(page.engine.shown.unwrap().source, Source::Example);
}

#[test]
fn answers_to_an_older_run_are_dropped() {
    let mut page = Page::ready();
    page.tell(Event::Run(job("b")));
    assert!(matches!(page.commands[..], [Command::Run { id: 3, .. }]));
    page.traced(2);
    assert!(page.engine.shown.is_none());
    page.hear(2, Reply::Failed(Failure::Cancelled));
    assert!(page.engine.running.is_some());
    page.traced(3);
    assert_eq!(page.engine.shown.unwrap().job, Some(job("b")));
}

#[test]
fn another_model_is_loaded_before_its_job_runs() {
    let mut page = Page::ready();
    page.traced(2);
    let other = Job {
        model: Model::Sentences,
        ..job("b")
    };
    page.tell(Event::Run(other.clone()));
    assert!(matches!(
        page.commands[..],
        [Command::Load {
            id: 3,
            model: Model::Sentences,
            ..
        }]
    ));
    page.hear(3, ready(Device::Cpu));
    let expected = Command::Run {
        worker: 1,
        id: 4,
        job: other,
    };
    assert_eq!(page.commands, [expected]);
}

#[test]
fn a_successor_that_fails_leaves_the_cpu_at_work_and_is_not_tried_again() {
    let wrong = Failure::WrongNumbers {
        difference: None,
        kernels: vec![],
    };
    for failure in [Failure::NoWebGpu, wrong] {
        let (mut page, successor) = Page::succeeding();
        page.hear_from(successor, 0, Reply::Booted);
        page.hear_from(successor, 3, Reply::Failed(failure));
        assert_eq!(page.commands, [Command::Kill { worker: successor }]);
        assert_eq!(page.device(), Some(Device::Cpu));
        assert!(page.engine.gave_up_webgpu.is_some());
        assert_eq!(page.engine.problem, None);
        page.tell(Event::Run(job("b")));
        page.traced(4);
        assert_eq!(page.spawned(), None);
    }
}

#[test]
fn the_cpu_takes_over_again_where_webgpu_fails_later() {
    let (mut page, successor) = Page::succeeding();
    page.hear_from(successor, 0, Reply::Booted);
    page.hear_from(successor, 3, ready(Device::WebGpu));
    page.traced_by(successor, 4);
    let reason = "gone".to_owned();
    page.hear(0, Reply::Failed(Failure::DeviceLost { reason }));
    assert_eq!(page.spawned(), Some(Backend::Cpu));
    assert!(page.engine.gave_up_webgpu.is_some());
    assert_eq!(page.engine.problem, None);
}

#[test]
fn webgpu_that_was_asked_for_is_a_problem_where_it_is_not_there() {
    let mut page = Page::open(DeviceChoice::WebGpu);
    page.hear(0, Reply::Booted);
    page.hear(1, Reply::Failed(Failure::NoWebGpu));
    assert_eq!(page.spawned(), None);
    let expected = Some(Problem::Failure(Failure::NoWebGpu));
    assert_eq!(page.engine.problem, expected);

    let mut page = Page::ready();
    page.traced(2);
    page.tell(Event::Device(DeviceChoice::WebGpu));
    let successor = page.engine.last_worker;
    page.hear_from(successor, 0, Reply::Booted);
    page.hear_from(successor, 3, Reply::Failed(Failure::NoWebGpu));
    assert_eq!(page.engine.problem, expected);
    assert_eq!(page.device(), Some(Device::Cpu));
}

#[test]
fn a_device_that_is_chosen_takes_over_from_the_cpu_and_can_be_let_go() {
    let mut page = Page::ready();
    page.traced(2);
    page.tell(Event::Device(DeviceChoice::WebGpuSoftware));
    assert_eq!(page.spawned(), Some(Backend::WebGpu { software: true }));
    let successor = page.engine.last_worker;
    page.tell(Event::Device(DeviceChoice::Cpu));
    assert_eq!(page.commands, [Command::Kill { worker: successor }]);
    assert_eq!(page.device(), Some(Device::Cpu));
    page.hear_from(successor, 0, Reply::Booted);
    assert_eq!(page.commands, []);
}

#[test]
fn a_failed_download_stops_the_engine_and_retry_starts_it_anew() {
    let mut page = Page::open(DeviceChoice::Cpu);
    page.hear(0, Reply::Booted);
    let failure = Failure::Download {
        url: "u".into(),
        reason: "404".into(),
    };
    page.hear(1, Reply::Failed(failure.clone()));
    assert_eq!(page.engine.phase, Phase::Stopped);
    assert_eq!(page.engine.problem, Some(Problem::Failure(failure)));
    page.tell(Event::Retry);
    assert_eq!(page.spawned(), Some(Backend::Cpu));
    assert_eq!(page.engine.problem, None);
}

#[test]
fn a_death_keeps_the_picture_and_retry_runs_the_job_again() {
    let mut page = Page::ready();
    page.traced(2);
    page.tell(Event::Run(job("b")));
    let worker = page.engine.worker;
    page.tell(Event::Died {
        worker,
        reason: "x".into(),
    });
    assert!(page.engine.shown.is_some());
    assert_eq!(page.engine.problem, Some(Problem::Died("x".into())));
    page.tell(Event::Retry);
    page.hear(0, Reply::Booted);
    page.hear(4, ready(Device::Cpu));
    assert!(matches!(&page.commands[..], [Command::Run { job: asked, .. }] if *asked == job("b")));
}

#[test]
fn an_ended_worker_is_not_listened_to() {
    let mut page = Page::open(DeviceChoice::WebGpu);
    let old = page.engine.worker;
    page.tell(Event::Device(DeviceChoice::Cpu));
    page.tell(Event::Died {
        worker: old,
        reason: "x".into(),
    });
    assert_eq!(page.engine.problem, None);
    assert_eq!(page.engine.phase, Phase::Booting);
}

#[test]
fn cancelling_a_run_is_no_problem_and_bad_input_is_one_that_stops_nothing() {
    let mut page = Page::ready();
    page.tell(Event::Cancel);
    assert_eq!(page.commands, [Command::Cancel { worker: 1, id: 3 }]);
    page.hear(2, Reply::Failed(Failure::Cancelled));
    assert_eq!((&page.engine.running, &page.engine.problem), (&None, &None));
    page.tell(Event::Run(job("")));
    page.hear(4, Reply::Failed(Failure::EmptyInput));
    assert!(page.engine.problem.is_some());
    assert!(matches!(page.engine.phase, Phase::Ready { .. }));
    page.tell(Event::Run(job("c")));
    assert_eq!(page.engine.problem, None);
    assert!(matches!(page.commands[..], [Command::Run { id: 5, .. }]));
}

#[test]
fn cancelling_the_download_ends_the_worker() {
    let mut page = Page::open(DeviceChoice::Cpu);
    page.hear(0, Reply::Booted);
    page.tell(Event::Cancel);
    assert_eq!(page.commands, [Command::Kill { worker: 1 }]);
    assert_eq!(page.engine.phase, Phase::Stopped);
}

#[test]
fn a_job_is_answered_by_what_runs_else_by_what_is_shown() {
    let mut page = Page::ready();
    assert!(page.engine.answers(&job("a")));
    page.traced(2);
    assert!(page.engine.answers(&job("a")));
    page.tell(Event::Run(job("b")));
    assert!(page.engine.answers(&job("b")));
    assert!(!page.engine.answers(&job("a")));
}

fn events() -> impl Strategy<Value = (u8, u32, RequestId)> {
    (0..13u8, 0..4u32, 0..8u32)
}

fn event((kind, worker, id): (u8, u32, RequestId)) -> Event {
    let plain = |reply| Event::Answer {
        worker,
        id,
        answer: Answer::Plain(reply),
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
        _ => Event::Answer {
            worker,
            id,
            answer: Answer::Traced {
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
            page.tell(event(step));
            let ready = matches!(page.engine.phase, Phase::Ready { .. });
            prop_assert!(ready || page.engine.running.is_none());
            // What was once on screen stays.
            prop_assert!(!shown || page.engine.shown.is_some());
            shown = page.engine.shown.is_some();
            // Whoever answers is no successor.
            let successor = page.engine.successor.as_ref();
            prop_assert!(successor.is_none_or(|s| s.worker() != page.engine.worker));
        }
    }
}
