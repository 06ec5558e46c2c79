//! A visitor, as the page is one.

use std::net::TcpStream;
use std::time::Instant;

use attention_protocol::frame::{SUBPROTOCOL, TOKEN_PREFIX, from_frame, to_frame};
use attention_protocol::{Reply, Request, RequestId, RunRequest};
use attention_trace::{Quantities, Quantity, Search};
use tungstenite::client::IntoClientRequest;
use tungstenite::handshake::HandshakeError;
use tungstenite::http::HeaderValue;
use tungstenite::protocol::CloseFrame;
use tungstenite::{Error, Message, WebSocket, client};

use crate::{PATIENCE, Server};

/// A frame that arrived.
pub struct Received {
    pub id: RequestId,
    pub reply: Reply,
    /// The large array, empty if there is none.
    pub buffer: Vec<u8>,
    /// All bytes of the frame.
    pub frame: Vec<u8>,
}

impl Received {
    /// True if nothing more follows on the request.
    pub fn is_last(&self) -> bool {
        !matches!(
            self.reply,
            Reply::Decoded { .. } | Reply::Partial { .. } | Reply::Alive
        )
    }
}

pub struct Visitor(pub WebSocket<TcpStream>);

impl Visitor {
    /// Opens a socket with these changes of the request's headers; the status of the answer if it is refused.
    pub fn with_headers(server: &Server, changes: &[(&'static str, &str)]) -> Result<Self, u16> {
        Self::at(server, "engine", changes)
    }

    /// Opens a socket at another path than that of the engine.
    pub fn at(server: &Server, path: &str, changes: &[(&'static str, &str)]) -> Result<Self, u16> {
        let stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let address = format!("ws://{}/{path}", server.address);
        let mut request = address.into_client_request().unwrap();
        let protocols = format!("{SUBPROTOCOL}, {TOKEN_PREFIX}{}", server.token);
        let given = [("sec-websocket-protocol", protocols.as_str())];
        for (name, value) in given.iter().chain(changes) {
            let value = HeaderValue::from_str(value).unwrap();
            request.headers_mut().insert(*name, value);
        }
        match client(request, stream) {
            Ok((socket, answer)) => {
                assert_eq!(answer.headers()["sec-websocket-protocol"], SUBPROTOCOL);
                Ok(Visitor(socket))
            }
            Err(HandshakeError::Failure(Error::Http(answer))) => Err(answer.status().as_u16()),
            Err(error) => panic!("{error}"),
        }
    }

    /// Opens a socket, and loads the server's model.
    pub fn enter(server: &Server) -> Self {
        let mut visitor = Self::with_headers(server, &[]).unwrap();
        assert_eq!(visitor.receive().reply, Reply::Booted);
        visitor.send(1, &load());
        let Received { id, reply, .. } = visitor.receive();
        assert!(matches!((id, &reply), (1, Reply::Ready(_))), "{reply:?}");
        visitor
    }

    pub fn send(&mut self, id: RequestId, request: &Request) {
        let frame = to_frame(id, request, &[]).unwrap();
        self.0.send(Message::binary(frame)).unwrap();
    }

    /// Waits for the next frame with a message.
    pub fn receive(&mut self) -> Received {
        let began = Instant::now();
        loop {
            // The server's signs of life keep the socket from timing out.
            assert!(began.elapsed() < PATIENCE, "nothing came");
            if let Message::Binary(frame) = self.0.read().unwrap() {
                let read = from_frame::<Reply>(&frame).unwrap();
                return Received {
                    id: read.id,
                    reply: read.body,
                    buffer: read.buffer.to_vec(),
                    frame: frame.to_vec(),
                };
            }
        }
    }

    /// Waits for the last frame that answers a request, and returns all frames until then.
    pub fn answer(&mut self, wanted: RequestId) -> Vec<Received> {
        let mut all = vec![];
        loop {
            let received = self.receive();
            let is_last = received.id == wanted && received.is_last();
            all.push(received);
            if is_last {
                return all;
            }
        }
    }

    /// Reads until the server closes the connection, and returns its reason.
    pub fn closed(&mut self) -> Option<CloseFrame> {
        loop {
            match self.0.read() {
                Ok(Message::Close(reason)) => return reason,
                Ok(_) => {}
                Err(_) => return None,
            }
        }
    }
}

/// The request that the page begins with; the server decides on the model.
pub fn load() -> Request {
    Request::Load {
        base: "https://example.org/".to_owned(),
        files: vec![],
        allow_fallback_adapter: false,
    }
}

/// A run that takes a moment: many prefixes are kept.
pub fn long_run(text: &str) -> RunRequest {
    let search = Search::Beam {
        width: 48,
        length_penalty: 0.75,
    };
    RunRequest {
        search,
        max_new_tokens: 48,
        ..run(text)
    }
}

pub fn run(text: &str) -> RunRequest {
    RunRequest {
        text: text.to_owned(),
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: 12,
        quantities: Quantities::of(&[Quantity::Pattern, Quantity::Logits]),
        edits: vec![],
        picture_px: None,
    }
}
