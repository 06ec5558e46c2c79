use super::super::liveness::{CANCEL_PATIENCE_S, PATIENCE_S};
use super::*;

impl Page {
    /// A worker that is ready, its first result on screen.
    fn live() -> Self {
        let mut page = Page::ready();
        page.traced(2);
        page
    }

    fn dies(&mut self) {
        let worker = self.engine.worker;
        self.tell(Event::Died {
            worker,
            reason: "x".into(),
        });
    }

    /// The worker that was started last gets as far as asking for `job`.
    fn comes_back(&mut self, job: &Job) {
        self.hear(0, Reply::Booted);
        let [Command::Load { id, .. }] = self.commands[..] else {
            panic!("{:?}", self.commands);
        };
        self.hear(id, ready(Device::Cpu));
        assert!(matches!(&self.commands[..], [Command::Run { job: asked, .. }] if asked == job));
    }

    /// Returns true if the last commands start a worker with threads, false if without; `None` if they start none.
    fn replaced(&self) -> Option<bool> {
        self.commands.iter().find_map(|command| match command {
            Command::Spawn { threads, .. } => Some(*threads),
            _ => None,
        })
    }
}

#[test]
fn a_death_keeps_the_picture_and_another_worker_runs_the_job_again() {
    let mut page = Page::live();
    page.tell(Event::Run(job("b")));
    let dead = page.engine.worker;
    page.dies();
    assert!(page.commands.contains(&Command::Kill { worker: dead }));
    assert_eq!(page.replaced(), Some(true));
    assert!(page.engine.shown.is_some());
    assert_eq!(page.engine.problem, None);
    page.comes_back(&job("b"));
}

#[test]
fn what_is_on_screen_is_run_again_too_since_its_parts_died_with_the_worker() {
    let mut page = Page::live();
    page.dies();
    page.comes_back(&job("a"));
}

#[test]
fn the_second_loss_costs_the_threads_and_the_third_is_a_problem() {
    let mut page = Page::live();
    page.tell(Event::Run(job("b")));
    for threads in [true, false] {
        page.dies();
        assert_eq!(page.replaced(), Some(threads));
        page.comes_back(&job("b"));
    }
    page.dies();
    assert_eq!(page.replaced(), None);
    assert_eq!(page.engine.phase, Phase::Stopped);
    assert_eq!(page.engine.problem, Some(Problem::Died("x".into())));
    assert!(page.engine.shown.is_some());

    page.tell(Event::Retry);
    assert_eq!(page.replaced(), Some(true));
    assert_eq!(page.engine.problem, None);
    page.comes_back(&job("b"));
}

#[test]
fn losses_are_counted_from_what_the_visitor_asked_for_last() {
    let mut page = Page::live();
    for _ in 0..5 {
        page.tell(Event::Run(job("b")));
        page.dies();
        assert_eq!(page.replaced(), Some(true));
        page.comes_back(&job("b"));
    }
}

#[test]
fn a_result_in_between_resets_no_losses() {
    let mut page = Page::live();
    for _ in 0..2 {
        page.dies();
        page.comes_back(&job("a"));
        page.traced(page.engine.last_id);
    }
    page.dies();
    assert_eq!(page.replaced(), None);
}

#[test]
fn a_worker_that_cannot_start_is_not_started_again_and_again() {
    let mut page = Page::open(DeviceChoice::Cpu);
    page.dies();
    assert_eq!(page.replaced(), None);
    assert_eq!(page.engine.problem, Some(Problem::Died("x".into())));
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
fn silence_is_death() {
    let mut page = Page::live();
    page.tell(Event::Run(job("b")));
    page.pass(PATIENCE_S);
    assert_eq!(page.commands, []);
    page.pass(1);
    assert_eq!(page.replaced(), Some(true));
    page.comes_back(&job("b"));
    page.pass(PATIENCE_S + 1);
    assert_eq!(page.replaced(), Some(false));
    page.comes_back(&job("b"));
    page.pass(PATIENCE_S + 1);
    assert_eq!(page.engine.problem, Some(Problem::Silent));
}

#[test]
fn a_worker_that_says_anything_is_as_slow_as_it_likes() {
    let mut page = Page::live();
    page.tell(Event::Run(job("b")));
    for _ in 0..10 {
        page.pass(PATIENCE_S);
        page.hear(0, Reply::Alive);
    }
    assert!(page.engine.running.is_some());
    page.traced(3);
    // No answer is expected of it any more, so no ticks are asked for.
    page.pass(10 * PATIENCE_S);
    assert_eq!((page.ticks, page.device()), (0, Some(Device::Cpu)));
}

#[test]
fn each_second_the_worker_is_asked_whether_it_listens() {
    let mut page = Page::live();
    page.tell(Event::Run(job("b")));
    let worker = page.engine.worker;
    for _ in 0..3 {
        page.tell(Event::Tick);
        assert_eq!(page.commands, [Command::Ping { worker }]);
    }
}

#[test]
fn a_download_takes_as_long_as_it_takes() {
    let mut page = Page::open(DeviceChoice::Cpu);
    for _ in 0..10 {
        page.pass(PATIENCE_S);
        page.hear(0, Reply::Alive);
    }
    assert_eq!(page.engine.phase, Phase::Booting);
    page.hear(0, Reply::Booted);
    for _ in 0..10 {
        page.pass(PATIENCE_S);
        page.hear(0, Reply::Alive);
    }
    assert!(matches!(page.engine.phase, Phase::Loading { .. }));
    // A worker handles messages while it downloads; one that does not hangs.
    page.pass(PATIENCE_S + 1);
    assert_eq!(page.replaced(), Some(true));
}

#[test]
fn a_start_that_hangs_is_begun_anew_then_without_threads_and_then_a_problem() {
    let mut page = Page::open(DeviceChoice::Cpu);
    for threads in [true, false] {
        page.pass(PATIENCE_S);
        assert_eq!(page.commands, []);
        let silent = page.engine.worker;
        page.pass(1);
        assert!(page.commands.contains(&Command::Kill { worker: silent }));
        assert_eq!(page.replaced(), Some(threads));
    }
    page.pass(PATIENCE_S + 1);
    assert_eq!(page.replaced(), None);
    assert_eq!(page.engine.phase, Phase::Stopped);
    assert_eq!(page.engine.problem, Some(Problem::Silent));

    page.tell(Event::Retry);
    assert_eq!(page.replaced(), Some(true));
    page.comes_back(&job("a"));
}

#[test]
fn nothing_is_expected_of_a_start_that_was_cancelled() {
    let mut page = Page::open(DeviceChoice::Cpu);
    page.tell(Event::Cancel);
    page.pass(2 * PATIENCE_S);
    assert_eq!((page.ticks, &page.engine.phase), (0, &Phase::Stopped));
    assert_eq!(page.engine.problem, None);
}

#[test]
fn a_successor_whose_start_hangs_is_let_go() {
    let (mut page, successor) = Page::succeeding();
    page.pass(PATIENCE_S);
    page.hear_from(successor, 0, Reply::Alive);
    page.pass(PATIENCE_S);
    assert_eq!(page.commands, []);
    page.pass(1);
    assert_eq!(page.commands, [Command::Kill { worker: successor }]);
    assert_eq!(page.engine.gave_up_webgpu, Some(Problem::Silent));
    assert_eq!(page.device(), Some(Device::Cpu));
}

#[test]
fn webgpu_that_was_asked_for_and_does_not_start_is_a_problem() {
    let mut page = Page::open(DeviceChoice::WebGpu);
    page.pass(PATIENCE_S + 1);
    assert_eq!(page.spawned(), Some(Backend::WebGpu { software: false }));
    page.pass(PATIENCE_S + 1);
    assert_eq!(page.spawned(), None);
    assert_eq!(page.engine.problem, Some(Problem::Silent));
}

#[test]
fn what_does_not_stop_when_it_is_cancelled_is_stopped() {
    let mut page = Page::live();
    page.tell(Event::Run(job("b")));
    page.tell(Event::Cancel);
    page.pass(CANCEL_PATIENCE_S);
    assert!(page.engine.running.is_some());
    page.pass(1);
    assert_eq!(page.replaced(), Some(true));
    assert_eq!((&page.engine.running, &page.engine.problem), (&None, &None));
    // It was cancelled, so nobody waits for it.
    page.hear(0, Reply::Booted);
    page.hear(page.engine.last_id, ready(Device::Cpu));
    assert_eq!(page.commands, []);
    page.tell(Event::Run(job("c")));
    assert!(matches!(page.commands[..], [Command::Run { .. }]));
}

#[test]
fn a_run_that_was_cancelled_is_not_repeated_by_the_next_worker() {
    let mut page = Page::live();
    page.tell(Event::Run(job("b")));
    page.tell(Event::Cancel);
    page.dies();
    page.hear(0, Reply::Booted);
    page.hear(page.engine.last_id, ready(Device::Cpu));
    assert_eq!(page.commands, []);
}

#[test]
fn a_successor_that_falls_silent_is_let_go_and_the_cpu_stays() {
    let (mut page, successor) = Page::succeeding();
    page.hear_from(successor, 0, Reply::Booted);
    page.pass(PATIENCE_S + 1);
    assert_eq!(page.commands, [Command::Kill { worker: successor }]);
    assert_eq!(page.engine.gave_up_webgpu, Some(Problem::Silent));
    assert_eq!(page.device(), Some(Device::Cpu));
}

#[test]
fn the_cpu_takes_over_from_a_webgpu_worker_that_falls_silent() {
    let (mut page, successor) = Page::succeeding();
    page.hear_from(successor, 0, Reply::Booted);
    page.hear_from(successor, 3, ready(Device::WebGpu));
    page.traced_by(successor, 4);
    page.tell(Event::Run(job("b")));
    page.pass(PATIENCE_S + 1);
    assert_eq!(page.spawned(), Some(Backend::Cpu));
    assert_eq!(page.engine.gave_up_webgpu, Some(Problem::Silent));
    page.comes_back(&job("b"));
}

#[test]
fn webgpu_that_was_asked_for_is_started_once_more() {
    let mut page = Page::open(DeviceChoice::WebGpu);
    page.hear(0, Reply::Booted);
    page.hear(1, ready(Device::WebGpu));
    page.dies();
    assert_eq!(page.spawned(), Some(Backend::WebGpu { software: false }));
    page.hear(0, Reply::Booted);
    page.dies();
    assert_eq!(page.spawned(), None);
    assert_eq!(page.engine.problem, Some(Problem::Died("x".into())));
}
