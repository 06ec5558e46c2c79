//! The addresses of the server: `/engine`, `/healthz`, `/metrics` and the files of the page.

use std::path::Path;
use std::sync::Arc;

use attention_protocol::frame::{SUBPROTOCOL, TOKEN_PREFIX};
use attention_site::{files, with_headers};
use axum::Router;
use axum::extract::{Request, State, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::Semaphore;

use super::connection::{MOST_FRAME_BYTES, converse};
use super::engine::EngineThread;
use super::guard::Guard;
use super::metrics::Metrics;
use super::token::Token;

/// The type of Prometheus' text format.
const METRICS_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// The state that all connections share.
pub struct Shared {
    pub engine: EngineThread,
    pub token: Token,
    pub metrics: Arc<Metrics>,
    /// The places of visitors.
    pub places: Arc<Semaphore>,
    pub most_queued_bytes: usize,
}

/// Returns the server's addresses; those of the page if there is a `dist`.
pub fn router(shared: Arc<Shared>, guard: Guard, dist: Option<&Path>) -> Router {
    let router = Router::new()
        .route("/engine", get(engine))
        .route("/healthz", get("ok\n"))
        .route("/metrics", get(counts))
        .with_state(Arc::clone(&shared));
    let router = match dist {
        Some(dist) => router.fallback_service(files(dist)),
        None => router,
    };
    let guarded = from_fn(move |request: Request, next: Next| {
        let checked = guard.check(request.headers());
        let metrics = Arc::clone(&shared.metrics);
        async move {
            match checked {
                Ok(()) => next.run(request).await,
                Err(status) => {
                    metrics.refused_total.add(1);
                    status.into_response()
                }
            }
        }
    });
    with_headers(router).layer(guarded)
}

async fn counts(State(shared): State<Arc<Shared>>) -> Response {
    let text = shared.metrics.text();
    ([(header::CONTENT_TYPE, METRICS_TYPE)], text).into_response()
}

/// Opens the socket of a visitor who has the token, if there is a place.
async fn engine(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let refused = |status: StatusCode| {
        shared.metrics.refused_total.add(1);
        status.into_response()
    };
    if !asked(&headers).any(|given| {
        let token = given.strip_prefix(TOKEN_PREFIX);
        token.is_some_and(|token| shared.token.is(token))
    }) {
        return refused(StatusCode::UNAUTHORIZED);
    }
    let Ok(place) = Arc::clone(&shared.places).try_acquire_owned() else {
        return refused(StatusCode::SERVICE_UNAVAILABLE);
    };
    let shared = Arc::clone(&shared);
    upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(MOST_FRAME_BYTES)
        .max_frame_size(MOST_FRAME_BYTES)
        .on_upgrade(move |socket| converse(socket, place, shared))
}

/// Returns the subprotocols that a visitor asks for.
fn asked(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lists = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL);
    // A header that is no text has no token.
    let lists = lists.iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).map(str::trim)
}
