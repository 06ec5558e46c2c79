//! The listening socket: plain or encrypted, for clients that do not take their time.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum_server::Server;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use tokio::net::TcpListener;

use super::error::ServeError;
use crate::options::TlsOptions;

/// The longest time that the head of a request takes, and that a connection waits for the next request.
const SLOWEST_HEAD: Duration = Duration::from_secs(10);

/// Reads the certificate and the key of the options; `None` if they name none.
///
/// # Errors
/// If they cannot be read, or do not belong together.
pub async fn encryption(options: &TlsOptions) -> Result<Option<RustlsConfig>, ServeError> {
    let (Some(certificate), Some(key)) = (&options.tls_certificate, &options.tls_key) else {
        return Ok(None);
    };
    let read = RustlsConfig::from_pem_file(certificate, key).await;
    let read = read.map_err(|source| ServeError::Certificate {
        certificate: certificate.clone(),
        key: key.clone(),
        source,
    })?;
    let mut config = (*read.get_inner()).clone();
    // A request of HTTP/2 has no `Host`, by which it is told where it was meant to go.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Some(RustlsConfig::from_config(Arc::new(config))))
}

/// Answers requests until the program is stopped.
///
/// # Errors
/// If the socket cannot be used.
pub async fn listen(
    listener: TcpListener,
    encryption: Option<RustlsConfig>,
    router: Router,
) -> io::Result<()> {
    let server = Server::<SocketAddr>::from_listener(listener);
    let mut server = server.first_request_timeout(SLOWEST_HEAD);
    let http = server.http_builder();
    http.http1().header_read_timeout(SLOWEST_HEAD);
    let service = router.into_make_service();
    match encryption {
        Some(config) => {
            let server = server.acceptor(RustlsAcceptor::new(config));
            server.serve(service).await
        }
        None => server.serve(service).await,
    }
}
