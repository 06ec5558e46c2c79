use attention_protocol::training::SnapshotHeader;
use attention_trace::training::{Evaluation, ExampleFault, Observation, StepReport, Task};
use proptest::prelude::*;

use super::*;

fn settings(seed: u32) -> TrainingSettings {
    TrainingSettings {
        seed,
        ..TrainingSettings::default()
    }
}

fn start(count: u32) -> Event {
    Event::Start {
        settings: (1..=count).map(settings).collect(),
        device: TrainingDevice::Cpu,
        watched: "abc".to_owned(),
    }
}

const WEBGPU: TrainingDevice = TrainingDevice::WebGpu {
    allow_software: false,
};

fn start_on_webgpu() -> Event {
    Event::Start {
        settings: vec![settings(1)],
        device: WEBGPU,
        watched: "abc".to_owned(),
    }
}

fn lost() -> TrainingFailure {
    TrainingFailure::DeviceLost {
        reason: "unplugged".to_owned(),
    }
}

fn snapshot(step: usize, weights_bytes: usize) -> Snapshot {
    Snapshot {
        step,
        seconds: step as f64,
        evaluation: Evaluation {
            step,
            examples: 1,
            held_out: true,
            loss: 1.0,
            token_accuracy: 0.5,
            sequence_accuracy: 0.0,
        },
        observation: Observation {
            source: vec![],
            target: vec![],
            predictions: vec![],
            loss: 1.0,
            attention: vec![],
        },
        config: String::new(),
        tokenizer: String::new(),
        weights: vec![0; weights_bytes],
        optimizer: vec![],
    }
}

fn header(step: usize) -> SnapshotHeader {
    snapshot(step, 0).write().0
}

fn progress(steps: std::ops::RangeInclusive<usize>) -> TrainingReply {
    let report = |step| StepReport {
        step,
        loss: 1.0,
        accuracy: 0.5,
        learning_rate: 0.1,
    };
    TrainingReply::Progress {
        seconds: *steps.end() as f64,
        steps: steps.map(report).collect(),
        steps_per_second: 10.0,
        memory_bytes: 1 << 20,
    }
}

fn started() -> TrainingReply {
    TrainingReply::Started {
        spec: Box::new(settings(1).config(9).spec()),
        parameters: 7,
        adapter: None,
    }
}

impl Runs {
    fn hears(&mut self, number: RunNumber, reply: TrainingReply) -> Vec<Command> {
        self.apply(Event::Reply(number, reply, None))
    }

    fn takes(&mut self, number: RunNumber, snapshot: Snapshot) -> Vec<Command> {
        let reply = TrainingReply::Snapshot(Box::new(header(snapshot.step)));
        self.apply(Event::Reply(number, reply, Some(snapshot)))
    }

    fn phase(&self, number: RunNumber) -> &Phase {
        &self.get(number).unwrap().phase
    }
}

/// A run that has made so many steps and has a checkpoint of the last.
fn trained(steps: usize) -> Runs {
    let mut runs = Runs::default();
    assert_eq!(
        runs.apply(start(1)),
        [Command::Spawn(1, TrainingDevice::Cpu)]
    );
    runs.hears(1, TrainingReply::Booted);
    runs.hears(1, started());
    runs.takes(1, snapshot(0, 4));
    runs.hears(1, progress(1..=steps));
    runs.takes(1, snapshot(steps, 4));
    runs
}

#[test]
fn a_worker_that_listens_is_told_what_to_train_and_watch() {
    let mut runs = Runs::default();
    assert_eq!(
        runs.apply(start(2)),
        [
            Command::Spawn(1, TrainingDevice::Cpu),
            Command::Spawn(2, TrainingDevice::Cpu)
        ]
    );
    let sent = runs.hears(2, TrainingReply::Booted);
    let [
        Command::Send(
            2,
            TrainingRequest::Start {
                settings,
                device: TrainingDevice::Cpu,
                from,
                snapshot_every,
                watch,
            },
            None,
        ),
    ] = &sent[..]
    else {
        panic!("{sent:?}");
    };
    assert_eq!(settings.seed, 2);
    assert_eq!(*from, None);
    assert_eq!(*snapshot_every, settings.optimizer.steps / SNAPSHOTS);
    assert_eq!(watch.as_ref().unwrap().output, "abc");
    runs.hears(2, started());
    assert_eq!(
        (runs.phase(1), runs.phase(2)),
        (&Phase::Starting, &Phase::Training)
    );
}

#[test]
fn a_silent_worker_is_given_up_and_the_run_goes_on_from_its_checkpoint() {
    let mut runs = trained(3);
    assert!(runs.are_watched());
    for _ in 0..PATIENCE_S {
        assert_eq!(runs.apply(Event::Tick), []);
    }
    runs.hears(1, progress(4..=4));
    for _ in 0..PATIENCE_S {
        assert_eq!(runs.apply(Event::Tick), []);
    }
    assert_eq!(runs.apply(Event::Tick), [Command::Kill(1)]);
    assert_eq!(runs.phase(1), &Phase::Failed(RunProblem::Silent));
    assert!(!runs.are_watched());
    assert_eq!(
        runs.apply(Event::GoOn(1)),
        [Command::Spawn(1, TrainingDevice::Cpu)]
    );
    assert_eq!(runs.get(1).unwrap().step(), 3);
}

/// A run on WebGPU that has made so many steps, with a checkpoint before the last.
fn trained_on_webgpu(steps: usize) -> Runs {
    let mut runs = Runs::default();
    assert_eq!(runs.apply(start_on_webgpu()), [Command::Spawn(1, WEBGPU)]);
    let sent = runs.hears(1, TrainingReply::Booted);
    assert!(
        matches!(
            sent[..],
            [Command::Send(
                1,
                TrainingRequest::Start { device: WEBGPU, .. },
                None
            )]
        ),
        "{sent:?}"
    );
    let TrainingReply::Started {
        spec, parameters, ..
    } = started()
    else {
        panic!("that is what a start is answered by");
    };
    let adapter = Some("a graphics card".to_owned());
    let reply = TrainingReply::Started {
        spec,
        parameters,
        adapter: adapter.clone(),
    };
    runs.hears(1, reply);
    assert_eq!(runs.get(1).unwrap().adapter, adapter);
    runs.takes(1, snapshot(0, 4));
    runs.hears(1, progress(1..=steps));
    runs.takes(1, snapshot(steps - 1, 4));
    runs
}

#[test]
fn the_cpu_trains_on_from_the_checkpoint_where_webgpu_fails() {
    let failed = |failure| Event::Reply(1, TrainingReply::Failed(failure), None);
    let events = [
        failed(TrainingFailure::NoWebGpu),
        failed(TrainingFailure::WrongNumbers {
            part: attention_trace::training::CheckedPart::Gradients,
            difference: None,
        }),
        failed(lost()),
        Event::Died(1, "out of memory".to_owned()),
    ];
    for event in events {
        let mut runs = trained_on_webgpu(3);
        let spawn = Command::Spawn(1, TrainingDevice::Cpu);
        assert_eq!(runs.apply(event), [Command::Kill(1), spawn]);
        let run = runs.get(1).unwrap();
        assert_eq!((run.phase.clone(), run.step()), (Phase::Starting, 2));
        assert_eq!(run.snapshots.len(), 2, "nothing that is on screen is lost");
        assert!(run.gave_up.is_some() && run.adapter.is_none());
        let sent = runs.hears(1, TrainingReply::Booted);
        let [Command::Send(1, TrainingRequest::Start { device, from, .. }, Some(_))] = &sent[..]
        else {
            panic!("{sent:?}");
        };
        assert_eq!(*device, TrainingDevice::Cpu);
        assert_eq!(from.map(|from| from.step), Some(2));
        // On the CPU there is nothing left to give up.
        runs.hears(1, started());
        runs.apply(Event::Died(1, String::new()));
        assert!(matches!(runs.phase(1), Phase::Failed(RunProblem::Died(_))));
    }
}

#[test]
fn a_run_that_rests_goes_on_on_the_cpu_where_webgpu_was_lost() {
    for (reply, phase) in [
        (TrainingReply::Paused { step: 3 }, Phase::Paused),
        (TrainingReply::Finished { step: 3 }, Phase::Finished),
    ] {
        let mut runs = trained_on_webgpu(3);
        runs.apply(Event::Pause(1));
        runs.hears(1, reply);
        assert_eq!(
            runs.hears(1, TrainingReply::Failed(lost())),
            [Command::Kill(1)]
        );
        assert_eq!(runs.phase(1), &phase);
        let spawn = Command::Spawn(1, TrainingDevice::Cpu);
        assert_eq!(runs.apply(Event::GoOn(1)), [spawn]);
    }
}

#[test]
fn a_loss_that_is_no_number_is_no_fault_of_the_device() {
    let mut runs = trained_on_webgpu(3);
    let diverged = TrainingFailure::Diverged { step: 4 };
    let commands = runs.hears(1, TrainingReply::Failed(diverged.clone()));
    assert_eq!(commands, [Command::Kill(1)]);
    assert_eq!(runs.phase(1), &Phase::Failed(RunProblem::Failure(diverged)));
    assert_eq!(runs.get(1).unwrap().gave_up, None);
}

#[test]
fn only_who_makes_steps_is_watched() {
    let mut runs = Runs::default();
    runs.apply(start(1));
    assert!(!runs.are_watched(), "its code may be long in coming");
    let mut runs = trained(3);
    for _ in 0..PATIENCE_S {
        runs.apply(Event::Tick);
    }
    runs.apply(Event::Pause(1));
    runs.hears(1, TrainingReply::Paused { step: 3 });
    assert!(!runs.are_watched());
    runs.apply(Event::GoOn(1));
    assert_eq!(runs.apply(Event::Tick), []);
}

#[test]
fn a_paused_run_goes_on_where_it_was() {
    let mut runs = trained(3);
    let pause = Command::Send(1, TrainingRequest::Pause, None);
    assert_eq!(runs.apply(Event::Pause(1)), [pause]);
    assert_eq!(runs.phase(1), &Phase::Pausing);
    runs.hears(1, TrainingReply::Paused { step: 3 });
    let resume = Command::Send(1, TrainingRequest::Resume, None);
    assert_eq!(runs.apply(Event::GoOn(1)), [resume]);
    assert_eq!(runs.phase(1), &Phase::Training);
}

#[test]
fn a_run_that_finished_before_it_heard_of_a_pause_is_finished() {
    let mut runs = trained(3);
    runs.apply(Event::Pause(1));
    runs.hears(1, TrainingReply::Finished { step: 4 });
    runs.hears(1, TrainingReply::Paused { step: 4 });
    assert_eq!(runs.phase(1), &Phase::Finished);
}

#[test]
fn a_new_run_has_others_pause_and_takes_the_memory_of_those_that_rest() {
    let mut runs = trained(3);
    let commands = runs.apply(start(1));
    let pause = Command::Send(1, TrainingRequest::Pause, None);
    assert_eq!(commands, [pause, Command::Spawn(2, TrainingDevice::Cpu)]);
    runs.hears(1, TrainingReply::Paused { step: 3 });
    let commands = runs.apply(start(1));
    // The second has no checkpoint to pause at.
    assert_eq!(
        commands,
        [
            Command::Kill(1),
            Command::Kill(2),
            Command::Spawn(3, TrainingDevice::Cpu)
        ]
    );

    let commands = runs.apply(Event::GoOn(1));
    assert_eq!(commands, [Command::Spawn(1, TrainingDevice::Cpu)]);
    let sent = runs.hears(1, TrainingReply::Booted);
    let [
        Command::Send(
            1,
            TrainingRequest::Start {
                from: Some(from), ..
            },
            Some(buffer),
        ),
    ] = &sent[..]
    else {
        panic!("{sent:?}");
    };
    assert_eq!((from.step, buffer.len()), (3, 4));
}

#[test]
fn what_came_after_the_checkpoint_is_made_again() {
    let mut runs = trained(3);
    runs.hears(1, progress(4..=6));
    let died = runs.apply(Event::Died(1, "memory".to_owned()));
    assert_eq!(died, [Command::Kill(1)]);
    assert_eq!(
        runs.phase(1),
        &Phase::Failed(RunProblem::Died("memory".to_owned()))
    );
    assert_eq!(runs.get(1).unwrap().step(), 6);
    assert_eq!(
        runs.apply(Event::GoOn(1)),
        [Command::Spawn(1, TrainingDevice::Cpu)]
    );
    assert_eq!(runs.get(1).unwrap().step(), 3);
}

#[test]
fn a_finished_run_makes_as_many_steps_again() {
    let mut runs = trained(3);
    let steps = settings(1).optimizer.steps;
    runs.hears(1, TrainingReply::Finished { step: 3 });
    // Its worker still listens.
    let sent = runs.apply(Event::GoOn(1));
    let [Command::Send(1, TrainingRequest::Start { settings, .. }, Some(_))] = &sent[..] else {
        panic!("{sent:?}");
    };
    assert_eq!(settings.optimizer.steps, 3 + steps);
}

#[test]
fn a_loss_that_is_no_number_ends_the_run_and_keeps_what_is_on_screen() {
    let mut runs = trained(3);
    let failure = TrainingFailure::Diverged { step: 4 };
    let ended = runs.hears(1, TrainingReply::Failed(failure.clone()));
    assert_eq!(ended, [Command::Kill(1)]);
    assert_eq!(runs.phase(1), &Phase::Failed(RunProblem::Failure(failure)));
    assert_eq!(runs.get(1).unwrap().snapshots.len(), 2);
}

#[test]
fn an_input_without_an_answer_ends_nothing() {
    let mut runs = trained(3);
    let watch = Command::Send(
        1,
        TrainingRequest::Watch {
            input: "x".to_owned(),
        },
        None,
    );
    assert_eq!(runs.apply(Event::Watch("x".to_owned())), [watch]);
    let fault = ExampleFault::Character { character: 'x' };
    runs.hears(
        1,
        TrainingReply::Failed(TrainingFailure::Example {
            fault: fault.clone(),
        }),
    );
    assert_eq!(runs.phase(1), &Phase::Training);
    assert_eq!(runs.get(1).unwrap().example_fault, Some(fault));
    runs.takes(1, snapshot(3, 4));
    assert_eq!(runs.get(1).unwrap().example_fault, None);
}

#[test]
fn a_checkpoint_that_is_cut_off_is_an_error() {
    let mut runs = trained(3);
    runs.hears(1, TrainingReply::Snapshot(Box::new(header(4))));
    assert!(matches!(
        runs.phase(1),
        Phase::Failed(RunProblem::Failure(TrainingFailure::Protocol { .. }))
    ));
}

#[test]
fn the_checkpoint_at_a_step_is_the_last_before_it() {
    let mut runs = trained(20);
    runs.takes(1, snapshot(40, 4));
    let run = runs.get(1).unwrap();
    let at = |step| run.snapshot_at(step).unwrap().0.step;
    assert_eq!(
        [Some(0), Some(19), Some(20), Some(39), Some(99), None].map(at),
        [0, 0, 20, 20, 40, 40]
    );
    assert_eq!(run.reached(0.5), Some((0, 0.0)));
    assert_eq!(run.reached(0.99), None);
}

#[test]
fn checkpoints_stay_within_memory_and_the_first_and_the_newest_stay() {
    let mut runs = trained(1);
    for step in 2..=20 {
        runs.takes(1, snapshot(step, MOST_BYTES / 8));
    }
    let run = runs.get(1).unwrap();
    assert!(run.bytes() <= MOST_BYTES);
    let steps: Vec<_> = run.snapshots.iter().map(|shot| shot.0.step).collect();
    assert_eq!((steps.first(), steps.last()), (Some(&0), Some(&20)));
    assert!(steps.len() > 4, "{steps:?}");
}

#[test]
fn the_oldest_run_that_rests_makes_room() {
    let mut runs = trained(3);
    for _ in 0..MOST_RUNS {
        runs.apply(start(1));
        let newest = runs.list().last().unwrap().number;
        runs.hears(newest, TrainingReply::Booted);
        runs.hears(newest, started());
        runs.hears(newest, TrainingReply::Finished { step: 1 });
    }
    assert_eq!(runs.list().len(), MOST_RUNS);
    assert!(
        runs.get(1).is_some_and(Run::is_busy),
        "it was still to pause"
    );
    assert!(runs.get(2).is_none());
    assert_eq!(runs.apply(Event::Remove(3)), []);
    assert!(runs.get(3).is_none());
}

#[test]
fn a_run_of_a_task_with_lines_watches_one_of_them() {
    let mut runs = Runs::default();
    runs.apply(Event::Start {
        settings: vec![TrainingSettings {
            task: Task::Lines {
                text: "ab\ncd".to_owned(),
            },
            ..settings(1)
        }],
        device: TrainingDevice::Cpu,
        watched: String::new(),
    });
    let sent = runs.hears(1, TrainingReply::Booted);
    let [Command::Send(1, TrainingRequest::Start { watch, .. }, None)] = &sent[..] else {
        panic!("{sent:?}");
    };
    assert_eq!(*watch, None);
}

fn event() -> impl Strategy<Value = Event> {
    let number = 1usize..6;
    prop_oneof![
        (1u32..3).prop_map(start),
        Just(start_on_webgpu()),
        number.clone().prop_map(Event::Pause),
        number.clone().prop_map(Event::GoOn),
        number.clone().prop_map(Event::Remove),
        number
            .clone()
            .prop_map(|run| Event::Died(run, String::new())),
        number
            .clone()
            .prop_map(|run| Event::Reply(run, TrainingReply::Booted, None)),
        number
            .clone()
            .prop_map(|run| Event::Reply(run, started(), None)),
        number
            .clone()
            .prop_map(|run| Event::Reply(run, TrainingReply::Paused { step: 1 }, None)),
        number
            .clone()
            .prop_map(|run| Event::Reply(run, TrainingReply::Failed(lost()), None)),
        number.prop_map(|run| Event::Reply(run, TrainingReply::Finished { step: 1 }, None)),
    ]
}

proptest! {
    #[test]
    fn workers_are_those_that_were_started_and_not_ended(events in prop::collection::vec(event(), 0..40)) {
        let mut runs = Runs::default();
        let mut workers = Vec::new();
        for event in events {
            for command in runs.apply(event) {
                match command {
                    Command::Spawn(run, _) => {
                        prop_assert!(!workers.contains(&run), "two workers of one run");
                        workers.push(run);
                    }
                    Command::Kill(run) => workers.retain(|other| *other != run),
                    Command::Send(run, ..) => prop_assert!(workers.contains(&run), "nobody hears"),
                }
            }
            prop_assert!(runs.list().len() <= MOST_RUNS + 2);
        }
        workers.sort_unstable();
        let mut known = runs.workers.clone();
        known.sort_unstable();
        prop_assert_eq!(workers, known);
    }
}
