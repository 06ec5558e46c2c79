//! Connections that are encrypted, with a certificate of the test.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use attention_protocol::Reply;
use attention_protocol::frame::{SUBPROTOCOL, TOKEN_PREFIX, from_frame};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, client};

use crate::starts::failed;
use crate::{PATIENCE, Server, model};

/// A certificate and its key in files.
struct Certificate {
    certificate: PathBuf,
    key: PathBuf,
    der: CertificateDer<'static>,
}

impl Certificate {
    fn new(name: &str) -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&directory).unwrap();
        let [certificate, key] = ["certificate.pem", "key.pem"].map(|file| directory.join(file));
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
        fs::write(&certificate, cert.pem()).unwrap();
        fs::write(&key, signing_key.serialize_pem()).unwrap();
        let der = cert.der().clone();
        Certificate {
            certificate,
            key,
            der,
        }
    }

    fn options(&self) -> [&str; 4] {
        let certificate = self.certificate.to_str().unwrap();
        let key = self.key.to_str().unwrap();
        ["--tls-certificate", certificate, "--tls-key", key]
    }

    /// Connects to a server, which must have this certificate.
    fn connect(&self, server: &Server) -> StreamOwned<ClientConnection, TcpStream> {
        let mut roots = RootCertStore::empty();
        roots.add(self.der.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider);
        let config = config.with_safe_default_protocol_versions().unwrap();
        let config = config.with_root_certificates(roots).with_no_client_auth();
        let name = "127.0.0.1".try_into().unwrap();
        let connection = ClientConnection::new(Arc::new(config), name).unwrap();
        let stream = TcpStream::connect(&server.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        StreamOwned::new(connection, stream)
    }
}

#[test]
fn an_encrypted_server_answers_a_visitor() {
    let certificate = Certificate::new("serve-encrypted");
    let server = Server::start(&certificate.options());
    let address = format!("wss://{}/engine", server.address);
    let mut request = address.into_client_request().unwrap();
    let protocols = format!("{SUBPROTOCOL}, {TOKEN_PREFIX}{}", server.token);
    let origin = format!("https://{}", server.address);
    for (name, value) in [("sec-websocket-protocol", protocols), ("origin", origin)] {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    let (mut socket, _) = client(request, certificate.connect(&server)).unwrap();
    let Message::Binary(frame) = socket.read().unwrap() else {
        panic!("no frame came");
    };
    assert_eq!(from_frame::<Reply>(&frame).unwrap().body, Reply::Booted);
}

#[test]
fn an_encrypted_server_answers_nobody_in_the_clear() {
    let certificate = Certificate::new("serve-clear");
    let server = Server::start(&certificate.options());
    let request = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n\r\n", server.address);
    let mut clear = TcpStream::connect(&server.address).unwrap();
    clear.set_read_timeout(Some(PATIENCE)).unwrap();
    clear.write_all(request.as_bytes()).unwrap();
    let mut answer = vec![];
    // The connection may be reset in place of an answer.
    drop(clear.read_to_end(&mut answer));
    assert!(!String::from_utf8_lossy(&answer).contains("HTTP"));
    let mut encrypted = certificate.connect(&server);
    encrypted.write_all(request.as_bytes()).unwrap();
    let mut beginning = [0; 12];
    encrypted.read_exact(&mut beginning).unwrap();
    assert_eq!(&beginning, b"HTTP/1.1 200");
}

#[test]
fn a_key_of_another_certificate_is_refused() {
    let (one, other) = (
        Certificate::new("serve-one"),
        Certificate::new("serve-other"),
    );
    let model = model().display().to_string();
    let fixed = ["--model", &model, "--port", "0"];
    let mixed = [
        "--tls-certificate",
        one.options()[1],
        "--tls-key",
        other.options()[3],
    ];
    let refused = failed(&[fixed, mixed].concat());
    assert!(refused.contains("cannot be used"), "{refused}");
    assert!(refused.contains(other.options()[3]), "{refused}");
    let alone = failed(&[&fixed[..], &mixed[..2]].concat());
    assert!(alone.contains("--tls-key"), "{alone}");
}
