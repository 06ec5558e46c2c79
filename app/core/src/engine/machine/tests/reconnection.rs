//! A model that runs on a server.

use attention_protocol::{Closed, Failure, NO_PLACE, ServedModel, WRONG_TOKEN};

use super::*;
use crate::engine::data::ServerFault;

fn closed(code: u16) -> Reply {
    Reply::Closed(Closed {
        code,
        reason: String::new(),
    })
}

fn served(model: &str) -> Reply {
    let Reply::Ready(mut reply) = ready(Device::Cpu) else {
        unreachable!();
    };
    reply.served = Some(ServedModel {
        name: model.to_owned(),
        weights: String::new(),
    });
    Reply::Ready(reply)
}

/// A result of a server is on screen.
fn on_server() -> Page {
    let mut page = Page::open(DeviceChoice::Server);
    assert_eq!(page.spawned(), Some(Backend::Server));
    page.hear(0, Reply::Booted);
    page.hear(1, served("translator"));
    page.traced(2);
    assert!(page.engine.shown.is_some());
    page
}

/// The identifier of the run that the last commands ask for.
fn runs(page: &Page) -> Option<RequestId> {
    page.commands.iter().find_map(|command| match command {
        Command::Run { id, .. } => Some(*id),
        _ => None,
    })
}

#[test]
fn a_lost_connection_is_made_again_and_the_run_repeated() {
    let mut page = on_server();
    page.hear(0, closed(1006));
    assert_eq!(
        page.engine.problem,
        Some(Problem::Server(ServerFault::Gone))
    );
    assert!(page.engine.shown.is_some());
    assert_eq!(page.spawned(), None);
    // Each attempt that fails doubles the time until the next one, up to half a minute.
    for wait_s in [1, 2, 4, 8, 16, 30, 30] {
        assert_eq!(page.engine.reconnects_in_s(), Some(wait_s));
        page.pass(wait_s - 1);
        assert_eq!(page.spawned(), None);
        page.pass(1);
        assert_eq!(page.spawned(), Some(Backend::Server));
        assert_eq!(page.engine.reconnects_in_s(), None);
        page.hear(0, closed(1006));
    }
    page.pass(30);
    page.hear(0, Reply::Booted);
    let id = page.engine.last_id;
    page.hear(id, served("translator"));
    assert_eq!(page.engine.problem, None);
    let run = runs(&page).unwrap();
    page.traced(run);
    // The next loss is the first of its row.
    page.hear(0, closed(1006));
    assert_eq!(page.engine.reconnects_in_s(), Some(1));
}

#[test]
fn a_visitor_need_not_wait_for_the_next_attempt() {
    let mut page = on_server();
    page.hear(0, closed(NO_PLACE));
    assert_eq!(
        page.engine.problem,
        Some(Problem::Server(ServerFault::Full))
    );
    page.tell(Event::Retry);
    assert_eq!(page.spawned(), Some(Backend::Server));
    page.hear(0, closed(NO_PLACE));
    page.tell(Event::Cancel);
    assert_eq!(page.engine.reconnects_in_s(), None);
    assert!(matches!(page.engine.phase, Phase::Stopped));
    page.pass(60);
    assert_eq!(page.spawned(), None);
}

#[test]
fn a_wrong_token_is_not_tried_again() {
    let mut page = Page::open(DeviceChoice::Server);
    page.hear(0, closed(WRONG_TOKEN));
    assert_eq!(
        page.engine.problem,
        Some(Problem::Server(ServerFault::Token))
    );
    assert_eq!(page.engine.reconnects_in_s(), None);
    page.pass(60);
    assert_eq!(page.spawned(), None);
    page.tell(Event::Device(DeviceChoice::Cpu));
    assert_eq!(page.spawned(), Some(Backend::Cpu));
    assert_eq!(page.engine.problem, None);
}

#[test]
fn a_silent_server_counts_as_gone() {
    let mut page = on_server();
    page.tell(Event::Run(job("b")));
    page.pass(60);
    assert_eq!(
        page.engine.problem,
        Some(Problem::Server(ServerFault::Gone))
    );
    assert!(page.engine.reconnects_in_s().is_some());
}

#[test]
fn a_model_that_the_server_lacks_runs_in_the_browser_and_the_others_on_the_server() {
    let mut page = on_server();
    let other = Model::served().nth(1).unwrap();
    let job_of = |model| Job { model, ..job("a") };
    page.tell(Event::Run(job_of(other)));
    let id = page.engine.last_id;
    let lacks = |runs_here| {
        Reply::Failed(Failure::OtherModel {
            name: "translator".to_owned(),
            runs_here,
        })
    };
    page.hear(id, lacks(true));
    assert_eq!(page.spawned(), Some(Backend::Cpu));
    assert_eq!(page.engine.server_has(), Some("translator"));
    page.hear(0, Reply::Booted);
    let id = page.engine.last_id;
    page.hear(id, ready(Device::Cpu));
    page.traced(runs(&page).unwrap());
    // Back to the model that the server has.
    page.tell(Event::Run(job("a")));
    assert_eq!(page.spawned(), Some(Backend::Server));
    assert_eq!(page.engine.server_has(), None);
    page.hear(0, Reply::Booted);
    let id = page.engine.last_id;
    page.hear(id, lacks(false));
    let failure = Failure::OtherModel {
        name: "translator".to_owned(),
        runs_here: false,
    };
    assert_eq!(page.engine.problem, Some(Problem::Failure(failure)));
    assert!(page.engine.shown.is_some());
}

#[test]
fn a_run_that_the_server_does_not_stop_is_left_to_it() {
    let mut page = on_server();
    page.tell(Event::Run(job("b")));
    page.tell(Event::Cancel);
    for _ in 0..5 {
        if page.ticks == 0 {
            break;
        }
        page.tell(Event::Tick);
        page.hear(0, Reply::Alive);
    }
    assert!(page.engine.running.is_none());
    assert!(matches!(page.engine.phase, Phase::Ready { .. }));
}
