//! Waiting for a browser or a host that may never answer.

use std::{pin::pin, time::Duration};

use futures_util::future::{Either, select};
use gloo_timers::future::sleep;

/// The longest wait for an answer of the browser's storage, which is not used after that.
pub const STORAGE: Duration = Duration::from_secs(5);

/// The longest pause without data before a download is given up.
pub const DOWNLOAD: Duration = Duration::from_secs(20);

/// Returns the result of `work`; `None` if it takes longer than `limit`.
pub async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Option<T> {
    match select(pin!(work), sleep(limit)).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}
