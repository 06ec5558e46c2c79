//! A class: who leads shows, who follows sees, and nothing else passes between them.

use attention_protocol::class::{ClassReply, ClassRequest};
use attention_protocol::frame::{from_frame, to_frame};
use tungstenite::Message;
use tungstenite::protocol::frame::coding::CloseCode;

use crate::Server;
use crate::visitor::Visitor;

/// The page of a member.
struct Member(Visitor);

impl Member {
    fn join(server: &Server, key: &str, lead: &str) -> Self {
        let mut member = Member(Visitor::at(server, "class", &[]).unwrap());
        assert_eq!(member.receive(), ClassReply::Booted);
        member.send(&ClassRequest::Join {
            member: key.to_owned(),
            lead: lead.to_owned(),
        });
        member
    }

    /// Joins as one who leads.
    fn lead(server: &Server) -> Self {
        let mut teacher = Member::join(server, "teacher", server.lead.as_deref().unwrap());
        assert_eq!(teacher.receive(), ClassReply::Joined { leads: true });
        teacher
    }

    fn send(&mut self, request: &ClassRequest) {
        let frame = to_frame(0, request, &[]).unwrap();
        self.0.0.send(Message::binary(frame)).unwrap();
    }

    fn receive(&mut self) -> ClassReply {
        loop {
            if let Message::Binary(frame) = self.0.0.read().unwrap() {
                return from_frame(&frame).unwrap().body;
            }
        }
    }

    /// Waits for a reply, whatever comes before.
    fn wait_for(&mut self, wanted: &ClassReply) {
        while self.receive() != *wanted {}
    }
}

fn shown(number: usize) -> ClassRequest {
    ClassRequest::Show {
        fragment: format!("step={number}"),
    }
}

fn seen(number: usize) -> ClassReply {
    ClassReply::Show {
        fragment: format!("step={number}"),
    }
}

#[test]
fn sixty_members_see_what_is_shown_and_their_predictions_arrive() {
    let server = Server::start(&["--class"]);
    let mut teacher = Member::lead(&server);
    let mut members: Vec<Member> = (0..60)
        .map(|number| Member::join(&server, &format!("member {number}"), ""))
        .collect();
    for member in &mut members {
        assert_eq!(member.receive(), ClassReply::Joined { leads: false });
    }
    teacher.wait_for(&ClassReply::Following { members: 60 });
    for number in 0..20 {
        teacher.send(&shown(number));
    }
    for (place, member) in members.iter_mut().enumerate() {
        for number in 0..20 {
            assert_eq!(member.receive(), seen(number));
        }
        member.send(&ClassRequest::Answer {
            question: "follow/key".to_owned(),
            answer: (place % 3).to_string(),
        });
    }
    let mut counts = [0; 3];
    for _ in 0..60 {
        match teacher.receive() {
            ClassReply::Answered { answer, .. } => counts[answer.parse::<usize>().unwrap()] += 1,
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(counts, [20; 3]);
    // One who comes later sees what is shown now.
    let mut late = Member::join(&server, "late", "");
    late.wait_for(&seen(19));
    drop(members);
    teacher.wait_for(&ClassReply::Following { members: 1 });
}

#[test]
fn only_the_token_of_this_class_leads() {
    let server = Server::start(&["--class"]);
    let mut teacher = Member::lead(&server);
    let mut intruder = Member::join(&server, "intruder", &"0".repeat(32));
    assert_eq!(intruder.receive(), ClassReply::Joined { leads: false });
    let mut member = Member::join(&server, "member", "");
    assert_eq!(member.receive(), ClassReply::Joined { leads: false });
    intruder.send(&ClassRequest::Show {
        fragment: "text=intruder".to_owned(),
    });
    intruder.send(&ClassRequest::Answer {
        question: "q".to_owned(),
        answer: "secret of one member".to_owned(),
    });
    // Once the answer is there, what was sent before it has been handled.
    teacher.wait_for(&ClassReply::Answered {
        member: 1,
        question: "q".to_owned(),
        answer: "secret of one member".to_owned(),
    });
    teacher.send(&shown(1));
    assert_eq!(member.receive(), seen(1));
    drop((teacher, intruder, member));
    let log = server.end();
    assert!(
        !log.contains("intruder") && !log.contains("secret"),
        "{log}"
    );
}

#[test]
fn what_is_too_long_or_no_message_ends_the_connection() {
    let server = Server::start(&["--class"]);
    let long = "a".repeat(200);
    let answer = ClassRequest::Answer {
        question: "q".to_owned(),
        answer: long.clone(),
    };
    let view = ClassRequest::Show {
        fragment: "a".repeat(70_000),
    };
    let join = ClassRequest::Join {
        member: long,
        lead: String::new(),
    };
    for request in [answer, view, join] {
        let mut member = Member::join(&server, "member", "");
        member.send(&request);
        assert_eq!(member.0.closed().unwrap().code, CloseCode::Protocol);
    }
    let mut member = Member::join(&server, "member", "");
    member.0.0.send(Message::text("{}")).unwrap();
    assert_eq!(member.0.closed().unwrap().code, CloseCode::Protocol);
}

#[test]
fn a_server_without_a_class_has_none() {
    let server = Server::start(&[]);
    assert_eq!(Visitor::at(&server, "class", &[]).err(), Some(404));
}
