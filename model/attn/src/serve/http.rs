//! The addresses of the server: `/engine`, `/healthz`, `/metrics` and the files of the page.

use std::path::Path;
use std::sync::Arc;

use attention_protocol::frame::{SUBPROTOCOL, TOKEN_PREFIX};
use attention_protocol::{NO_PLACE, WRONG_TOKEN};
use attention_site::{files, with_headers};
use axum::Router;
use axum::extract::{Request, State, WebSocketUpgrade};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tokio::sync::Semaphore;

use super::class::{self, Class};
use super::connection::{Dropped, close};
use super::conversation::{MOST_FRAME_BYTES, converse};
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
    /// The class, if there is one.
    pub class: Option<Class>,
}

/// Returns the server's addresses; those of the page if there is a `dist`.
pub fn router(shared: Arc<Shared>, guard: Guard, dist: Option<&Path>) -> Router {
    let router = Router::new()
        .route("/engine", get(engine))
        .route("/class", get(class))
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
                    tracing::warn!(status = status.as_u16(), "refused");
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

/// Refusals of a visitor. Scripts learn nothing of the status of an answer, but the code with which a socket is closed.
const WITHOUT_TOKEN: Dropped = Dropped {
    code: WRONG_TOKEN,
    reason: "the token is not that of this server",
};
pub const WITHOUT_PLACE: Dropped = Dropped {
    code: NO_PLACE,
    reason: "all places are taken",
};

/// Opens the socket of a visitor who has the token, if there is a place, and closes any other at once.
async fn engine(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let upgrade = bounded(upgrade, MOST_FRAME_BYTES);
    if !shared.lets_in(&headers) {
        return shared.refuse(upgrade, WITHOUT_TOKEN);
    }
    let Ok(place) = Arc::clone(&shared.places).try_acquire_owned() else {
        return shared.refuse(upgrade, WITHOUT_PLACE);
    };
    upgrade.on_upgrade(move |socket| converse(socket, place, shared))
}

/// Opens the socket of a member of the class who has the token, if there is a class and a place.
async fn class(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Some(class) = shared.class.clone() else {
        return StatusCode::NOT_FOUND.into_response();
    };
    let upgrade = bounded(upgrade, class::MOST_FRAME_BYTES);
    if !shared.lets_in(&headers) {
        return shared.refuse(upgrade, WITHOUT_TOKEN);
    }
    let Some(place) = class.place() else {
        return shared.refuse(upgrade, WITHOUT_PLACE);
    };
    upgrade.on_upgrade(move |socket| class::attend(socket, place, class))
}

fn bounded(upgrade: WebSocketUpgrade, most_bytes: usize) -> WebSocketUpgrade {
    upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(most_bytes)
        .max_frame_size(most_bytes)
}

impl Shared {
    /// Returns true if a visitor has the token.
    fn lets_in(&self, headers: &HeaderMap) -> bool {
        asked(headers).any(|given| {
            let token = given.strip_prefix(TOKEN_PREFIX);
            token.is_some_and(|token| self.token.is(token))
        })
    }

    /// Closes the socket of a visitor at once.
    fn refuse(&self, upgrade: WebSocketUpgrade, refusal: Dropped) -> Response {
        self.metrics.refused_total.add(1);
        tracing::warn!(reason = refusal.reason, "refused");
        upgrade.on_upgrade(move |mut socket| async move { close(&mut socket, refusal).await })
    }
}

/// Returns the subprotocols that a visitor asks for.
fn asked(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lists = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL);
    // A header that is no text has no token.
    let lists = lists.iter().filter_map(|list| list.to_str().ok());
    lists.flat_map(|list| list.split(',')).map(str::trim)
}
