//! `attn serve`: the page's engine on this machine, and the page itself, for several visitors of one loaded model.
//!
//! One thread owns the model and answers all visitors in turns; the main thread has the network. Neither writes anywhere
//! what a visitor typed.

mod bounds;
mod class;
mod connection;
mod conversation;
mod engine;
mod error;
mod guard;
mod http;
mod identity;
mod listen;
mod log;
mod metrics;
mod open;
mod outbox;
mod seat;
mod token;
mod turns;

use std::net::SocketAddr;
use std::panic;
use std::sync::Arc;

use axum::Router;
use tokio::net::TcpListener;
use tokio::runtime;
use tokio::sync::Semaphore;

use crate::io::Outcome;
use crate::options::ServeOptions;
use class::Class;
use engine::EngineThread;
use error::ServeError;
use guard::Guard;
use http::Shared;
use listen::{encryption, listen};
use metrics::Metrics;
use token::Token;

/// The number of a visitor, in the order of their arrival.
type Visitor = u64;

/// Serves until the program is stopped.
pub fn serve(options: &ServeOptions) -> Outcome {
    log::begin(options.log);
    write_no_texts();
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(ServeError::Runtime)?;
    Ok(runtime.block_on(answer(options))?)
}

async fn answer(options: &ServeOptions) -> Result<(), ServeError> {
    let address = SocketAddr::new(options.host, options.port);
    // First, so that nobody waits for a model to learn that the port is taken.
    let listening = TcpListener::bind(address).await;
    let listener = listening.map_err(|source| ServeError::Listen { address, source })?;
    let listened = listener.local_addr();
    let address = listened.map_err(|source| ServeError::Listen { address, source })?;
    let encryption = encryption(&options.tls).await?;
    let token = Token::new(options.token_file.as_deref())?;
    let metrics = Arc::new(Metrics::default());
    let engine = EngineThread::start(options, Arc::clone(&metrics)).await?;
    let class = match options.class {
        true => Some(Class::new(
            Token::new(options.teacher_token_file().as_deref())?,
            options.visitors.into(),
            options.most_queued_bytes(),
        )),
        false => None,
    };
    announce(options, address, &token, class.as_ref());
    let shared = Shared {
        engine,
        token,
        metrics,
        places: Arc::new(Semaphore::new(options.visitors.into())),
        most_queued_bytes: options.most_queued_bytes(),
        class,
    };
    let guard = Guard::new(
        address,
        options.tls.scheme().port,
        &options.names,
        &options.origins,
    );
    let router: Router = http::router(Arc::new(shared), guard, options.dist.as_deref());
    let served = listen(listener, encryption, router).await;
    served.map_err(|source| ServeError::Listen { address, source })
}

/// Prints the addresses. The token is in the fragment of the link, which browsers send to no server.
fn announce(options: &ServeOptions, address: SocketAddr, token: &Token, class: Option<&Class>) {
    let host = match options.names.first() {
        Some(name) => name.clone(),
        // One of all addresses, which browsers on this machine reach.
        None if address.ip().is_unspecified() => "127.0.0.1".to_owned(),
        None if address.is_ipv6() => format!("[{}]", address.ip()),
        None => address.ip().to_string(),
    };
    let scheme = options.tls.scheme();
    // Browsers leave the usual port out of a host, which the page compares.
    let host = match address.port() {
        port if port == scheme.port => host,
        port => format!("{host}:{port}"),
    };
    let (http, ws) = (scheme.http, scheme.ws);
    println!("Engine  {ws}://{host}/engine");
    println!("Token   {token}");
    match options.dist {
        Some(_) => println!(
            "Page    {http}://{host}/#device=server&server={host}&token={token}&model=mine"
        ),
        None => println!("Page    none; --dist names the folder of the built page"),
    }
    if let Some(class) = class {
        let server = format!("{http}://{host}/#server={host}&token={token}");
        println!("Class   {server}&class=follow");
        println!("Teacher {server}&class=lead&lead={}", class.lead());
    }
}

/// Replaces the report of a panic by its place: the message may contain a visitor's text.
fn write_no_texts() {
    panic::set_hook(Box::new(|fault| match fault.location() {
        Some(place) => tracing::error!(%place, "fault"),
        None => tracing::error!("fault in an unknown place"),
    }));
}
