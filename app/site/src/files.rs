//! The files of the built page, and the headers of every answer.

use std::path::Path;

use axum::{
    Router,
    extract::Request,
    http::{HeaderName, HeaderValue, header},
    middleware::{self, Next},
    response::Response,
};
use tower_http::{services::ServeDir, set_header::SetResponseHeaderLayer};

use crate::{
    is_fingerprinted,
    policy::{EMBED, EMBED_HEADERS, HEADERS, POLICY_HEADER, outside},
};

/// For files whose names say what is in them: a browser need never ask again.
const FOR_GOOD: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
/// For the few that keep their names when their contents change: a browser must ask. If nothing
/// changed, the answer is empty, because every answer carries `ETag` and `Last-Modified`.
const ASK_AGAIN: HeaderValue = HeaderValue::from_static("no-cache");

/// Returns the files of the directory `dist`, compressed beforehand where a compressed copy lies beside them.
pub fn files(dist: &Path) -> ServeDir {
    ServeDir::new(dist).precompressed_br().precompressed_gzip()
}

/// Gives every answer the headers that a published page should have too.
pub fn with_headers(router: Router) -> Router {
    let router = router.layer(middleware::from_fn(say_how_long_it_lasts));
    let router = HEADERS.into_iter().fold(router, |router, (name, value)| {
        router.layer(SetResponseHeaderLayer::overriding(
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        ))
    });
    router.layer(middleware::from_fn(with_own_headers))
}

/// Gives the workers that ask other hosts and the figure in a frame their own headers.
async fn with_own_headers(request: Request, next: Next) -> Response {
    let own = own_headers(request.uri().path().trim_start_matches('/'));
    let mut response = next.run(request).await;
    for (name, value) in own {
        let name = HeaderName::from_static(name);
        let headers = response.headers_mut();
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Returns the headers of a file that has others than the rest.
fn own_headers(name: &str) -> Vec<(&'static str, &'static str)> {
    match outside(name) {
        Some(policy) => vec![(POLICY_HEADER, policy)],
        None if name == EMBED => EMBED_HEADERS.to_vec(),
        None => vec![],
    }
}

async fn say_how_long_it_lasts(request: Request, next: Next) -> Response {
    let lasting = is_fingerprinted(request.uri().path());
    let mut response = next.run(request).await;
    // A file that is missing today may be there tomorrow.
    let missing = response.status().is_client_error() || response.status().is_server_error();
    let value = if lasting && !missing {
        FOR_GOOD
    } else {
        ASK_AGAIN
    };
    response.headers_mut().insert(header::CACHE_CONTROL, value);
    response
}
