//! Visitors who have no business here, who break off, who send what is no message, who do not receive.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use attention_protocol::frame::{SUBPROTOCOL, to_frame};
use attention_protocol::{NO_PLACE, Question, Reply, Request, ResultQuestion, WRONG_TOKEN};
use attention_trace::{Excerpt, Site, Slice};
use tungstenite::Message;
use tungstenite::protocol::frame::coding::CloseCode;

use crate::visitor::{Visitor, long_run, run};
use crate::{PATIENCE, Server};

/// Asserts that a new visitor is answered.
fn still_serves(server: &Server) {
    let mut visitor = Visitor::enter(server);
    visitor.send(2, &Request::Run(run("He is")));
    let last = visitor.answer(2).pop().unwrap();
    assert!(
        matches!(last.reply, Reply::Traced { .. }),
        "{:?}",
        last.reply
    );
}

#[test]
fn a_wrong_token_a_foreign_page_and_another_name_are_refused() {
    let server = Server::start(&[]);
    let wrong = format!("{SUBPROTOCOL}, token-{}", "0".repeat(server.token.len()));
    let own = format!("http://{}", server.address);
    let port = server.address.rsplit(':').next().unwrap();
    let rebound = format!("evil.example:{port}");
    let protocol = "sec-websocket-protocol";
    let refused = |changes: &[(&'static str, &str)]| Visitor::with_headers(&server, changes).err();
    for lacking in [wrong.as_str(), SUBPROTOCOL] {
        let mut visitor = Visitor::with_headers(&server, &[(protocol, lacking)]).unwrap();
        // Not even a sign that something listens comes before.
        let Message::Close(Some(reason)) = visitor.0.read().unwrap() else {
            panic!("{lacking} is let in");
        };
        assert_eq!(u16::from(reason.code), WRONG_TOKEN);
    }
    assert_eq!(refused(&[("origin", "http://evil.example")]), Some(403));
    assert_eq!(refused(&[("origin", "null")]), Some(403));
    assert_eq!(refused(&[("host", &rebound)]), Some(421));
    assert_eq!(refused(&[("origin", &own)]), None);
    server.wait_for("attn_refused_total", 5);
    // The token itself is nowhere to be read.
    for path in ["/", "/metrics", "/healthz"] {
        assert!(!server.get(path).contains(&server.token), "{path}");
    }
}

#[test]
fn what_is_no_message_ends_the_connection() {
    let server = Server::start(&[]);
    let frame = to_frame(2, &Request::Ping, &[]).unwrap();
    let mut lies = frame.clone();
    lies[..4].copy_from_slice(&u32::MAX.to_le_bytes());
    for message in [
        Message::binary(lies),
        Message::binary(frame[..3].to_vec()),
        Message::binary(to_frame(2, &"unknown", &[]).unwrap()),
        Message::text("{}"),
    ] {
        let mut visitor = Visitor::enter(&server);
        visitor.0.send(message).unwrap();
        let reason = visitor.closed().unwrap();
        assert_eq!(reason.code, CloseCode::Protocol);
    }
    server.wait_for("attn_dropped_total", 4);
    // A frame that is too large is not read to its end.
    let mut visitor = Visitor::enter(&server);
    let large = Message::binary(vec![0; 5 << 20]);
    // The server may have closed the connection before all is sent.
    drop(visitor.0.send(large));
    visitor.closed();
    server.wait_for("attn_visitors", 0);
    still_serves(&server);
}

#[test]
fn half_a_frame_is_forgotten_with_its_visitor() {
    let server = Server::start(&[]);
    let mut visitor = Visitor::enter(&server);
    // A masked binary frame of 100 bytes, of which ten come.
    let mut half = vec![0x82, 0x80 | 100, 1, 2, 3, 4];
    half.extend([0; 10]);
    let stream = visitor.0.get_mut();
    stream.write_all(&half).unwrap();
    stream.shutdown(Shutdown::Both).unwrap();
    drop(visitor);
    server.wait_for("attn_visitors", 0);
    still_serves(&server);
}

#[test]
fn a_visitor_who_leaves_in_the_middle_frees_what_was_theirs() {
    let server = Server::start(&[]);
    for _ in 0..3 {
        let mut visitor = Visitor::enter(&server);
        visitor.send(2, &Request::Run(long_run("The old dog")));
        assert!(matches!(visitor.receive().reply, Reply::Decoded { .. }));
    }
    server.wait_for("attn_visitors", 0);
    server.wait_for("attn_queue", 0);
    still_serves(&server);
    // The runs that were left are not among the finished ones.
    server.wait_for("attn_runs_total", 1);
}

#[test]
fn there_are_no_more_visitors_than_places() {
    let server = Server::start(&["--visitors", "2"]);
    let first = Visitor::enter(&server);
    let _second = Visitor::enter(&server);
    for _ in 0..50 {
        let mut visitor = Visitor::with_headers(&server, &[]).unwrap();
        assert_eq!(u16::from(visitor.closed().unwrap().code), NO_PLACE);
    }
    drop(first);
    server.wait_for("attn_visitors", 1);
    still_serves(&server);
}

#[test]
fn a_visitor_who_does_not_receive_is_dropped() {
    let server = Server::start(&["--queue-mib", "1"]);
    let mut slow = Visitor::enter(&server);
    slow.send(2, &Request::Run(long_run("The old dog")));
    slow.answer(2);
    let parts = vec![Excerpt::new(Site::LOGITS, Slice::Whole); 16];
    let question = ResultQuestion::Parts(parts);
    let question = Question::Result { run: 2, question };
    for id in 3..9 {
        let question = question.clone();
        slow.send(id, &Request::Ask { question });
    }
    server.wait_for("attn_dropped_total", 1);
    server.wait_for("attn_visitors", 0);
    still_serves(&server);
}

#[test]
fn a_page_elsewhere_is_let_in_by_its_origin_alone() {
    let server = Server::start(&["--origin", "https://lecture.example"]);
    let from = |origin| Visitor::with_headers(&server, &[("origin", origin)]).err();
    assert_eq!(from("https://lecture.example"), None);
    assert_eq!(from("http://lecture.example"), Some(403));
    assert_eq!(from("https://lecture.example.evil.example"), Some(403));
}

#[test]
fn a_thousand_connections_leave_the_server_as_it_was() {
    let server = Server::start(&["--visitors", "8"]);
    let mut open = vec![];
    for _ in 0..1000 {
        open.push(TcpStream::connect(&server.address).unwrap());
    }
    // The visitors come beside the thousand that say nothing.
    let mut visitors: Vec<Visitor> = (0..8).map(|_| Visitor::enter(&server)).collect();
    for visitor in &mut visitors {
        visitor.send(2, &Request::Run(run("He is")));
    }
    for visitor in &mut visitors {
        let last = visitor.answer(2).pop().unwrap();
        assert!(matches!(last.reply, Reply::Traced { .. }));
    }
    drop((open, visitors));
    server.wait_for("attn_visitors", 0);
    still_serves(&server);
}

#[test]
fn too_many_open_requests_end_the_connection() {
    let server = Server::start(&[]);
    let mut visitor = Visitor::enter(&server);
    for id in 2..1000 {
        let frame = to_frame(id, &Request::Run(long_run("The old dog")), &[]).unwrap();
        if visitor.0.send(Message::binary(frame)).is_err() {
            break;
        }
    }
    server.wait_for("attn_dropped_total", 1);
    still_serves(&server);
}

#[test]
fn one_who_never_finishes_a_request_is_dropped() {
    let server = Server::start(&[]);
    let mut slow = TcpStream::connect(&server.address).unwrap();
    slow.set_read_timeout(Some(PATIENCE)).unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
    let mut answer = vec![];
    // The connection may be reset in place of an answer.
    drop(slow.read_to_end(&mut answer));
    assert!(!String::from_utf8_lossy(&answer).contains("200 OK"));
    still_serves(&server);
}
