use attention_trace::{Considered, Token, search::Fate};

use super::*;

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
fn a_recorded_pass_is_shown_and_leads_to_no_successor() {
    let mut page = Page::ready();
    page.tell(Event::Reply {
        worker: page.engine.worker,
        id: 2,
        reply: Received::Recorded(trace()),
    });
    let shown = page.engine.shown.as_ref().unwrap();
    assert_eq!(shown.source, Source::Recorded);
    assert_eq!(shown.job, Some(job("a")));
    page.tell(Event::Device(DeviceChoice::WebGpu));
    assert_eq!(page.spawned(), None);
    page.tell(Event::Run(job("b")));
    page.hear(3, Reply::Failed(Failure::Recorded));
    let failed = Problem::Failure(Failure::Recorded);
    assert_eq!(page.engine.problem, Some(failed));
    assert_eq!(page.engine.shown.unwrap().source, Source::Recorded);
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
fn what_a_search_looks_at_is_gathered_while_it_runs() {
    let considered = |parent, id: u32| Considered {
        parent,
        token: Token {
            id,
            text: id.to_string(),
            unknown: false,
        },
        log_probability: -1.0,
        fate: Fate::Kept,
    };
    let decoded = |considered: &[Considered]| Reply::Decoded {
        tokens: 1,
        text: String::new(),
        considered: considered.to_vec(),
    };
    let ids = |page: &Page| -> Vec<u32> {
        let running = page.engine.running.as_ref().unwrap();
        running
            .considered
            .iter()
            .map(|node| node.token.id)
            .collect()
    };
    let mut page = Page::ready();
    assert!(ids(&page).is_empty());
    page.hear(2, decoded(&[considered(None, 7), considered(None, 8)]));
    page.hear(2, decoded(&[considered(Some(0), 9)]));
    assert_eq!(ids(&page), [7, 8, 9]);
    // Another run begins with nothing, and hears nothing of the one before.
    page.tell(Event::Run(job("b")));
    page.hear(2, decoded(&[considered(None, 1)]));
    assert!(ids(&page).is_empty());
    page.hear(3, decoded(&[considered(None, 2)]));
    assert_eq!(ids(&page), [2]);
}

#[test]
fn another_model_is_loaded_before_its_job_runs() {
    let mut page = Page::ready();
    page.traced(2);
    let other = Job {
        model: "sentences".parse().unwrap(),
        ..job("b")
    };
    page.tell(Event::Run(other.clone()));
    assert!(matches!(
        page.commands[..],
        [Command::Load { id: 3, model, .. }] if model == other.model
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

#[test]
fn what_is_on_screen_is_run_again_after_another_job_failed() {
    let mut page = Page::ready();
    page.traced(2);
    page.tell(Event::Run(job("b")));
    page.hear(3, Reply::Failed(Failure::EmptyInput));
    assert!(page.engine.problem.is_some());
    assert!(!page.engine.answers(&job("a")) && !page.engine.answers(&job("b")));
    page.tell(Event::Run(job("a")));
    assert_eq!(page.engine.problem, None);
}
