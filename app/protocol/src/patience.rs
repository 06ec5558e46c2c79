//! Waiting for a browser or a host that may never answer.

use std::{pin::pin, time::Duration};

use futures_util::future::{Either, select};
use gloo_timers::future::sleep;

/// How long the browser's storage may take to answer; after that, it is done without.
pub const STORAGE: Duration = Duration::from_secs(5);

/// How long nothing may come of a file before its download is given up.
pub const DOWNLOAD: Duration = Duration::from_secs(20);

/// What `work` comes to; `None` if it takes longer than `limit`.
pub async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), sleep(limit)).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}
