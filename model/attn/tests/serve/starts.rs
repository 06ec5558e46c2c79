//! Starts of the server, and its end in the middle of a run.

use std::path::Path;
use std::process::{Command, Output};

use attention_protocol::{Reply, Request};

use crate::visitor::{Visitor, long_run};
use crate::{Server, model};

fn failed(arguments: &[&str]) -> String {
    let mut attn = Command::new(env!("CARGO_BIN_EXE_attn"));
    let Output { status, stderr, .. } = attn.arg("serve").args(arguments).output().unwrap();
    assert!(!status.success());
    String::from_utf8(stderr).unwrap()
}

#[test]
fn what_cannot_be_served_is_told() {
    let server = Server::start(&[]);
    let port = server.address.rsplit(':').next().unwrap();
    let model = model().display().to_string();
    let taken = failed(&["--model", &model, "--port", port]);
    assert!(taken.contains(&server.address), "{taken}");
    assert!(taken.contains("--port"), "{taken}");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/tiny");
    let pictures = fixtures.join("dinov2-tiny").display().to_string();
    let refused = failed(&["--model", &pictures, "--port", "0"]);
    assert!(refused.contains("pictures are not served"), "{refused}");
    let nothing = fixtures.display().to_string();
    let missing = failed(&["--model", &nothing, "--port", "0"]);
    assert!(missing.contains(&nothing), "{missing}");
}

#[test]
fn a_server_that_was_killed_in_the_middle_of_a_run_starts_again_with_another_token() {
    let server = Server::start(&[]);
    let mut visitor = Visitor::enter(&server);
    visitor.send(2, &Request::Run(long_run("The old dog")));
    assert!(matches!(visitor.receive().reply, Reply::Decoded { .. }));
    let (address, token) = (server.address.clone(), server.token.clone());
    server.end();
    assert!(visitor.closed().is_none());
    let port = address.rsplit(':').next().unwrap();
    let again = Server::start_on(port, &[]);
    assert_eq!(again.address, address);
    assert_ne!(again.token, token);
    let mut visitor = Visitor::enter(&again);
    visitor.send(2, &Request::Run(long_run("The old dog")));
    let last = visitor.answer(2).pop().unwrap();
    assert!(
        matches!(last.reply, Reply::Traced { .. }),
        "{:?}",
        last.reply
    );
}
