use super::*;

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
    // The successor's run of the older sentence ends first, and is not what is on screen any more.
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
        model: "sentences".parse().unwrap(),
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
        model: "sentences".parse().unwrap(),
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
fn a_successor_that_fails_leaves_the_cpu_at_work_and_is_not_tried_again() {
    for failure in [
        Failure::NoWebGpu,
        Failure::WrongNumbers {
            difference: None,
            kernels: vec![],
        },
    ] {
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
