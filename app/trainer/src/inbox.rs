//! The messages of the page that the worker has not yet handled.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// Messages in the order of their arrival.
pub struct Inbox<T> {
    waiting: RefCell<VecDeque<T>>,
    /// Wakes the task that waits for the next message.
    waker: RefCell<Option<Waker>>,
}

impl<T> Default for Inbox<T> {
    fn default() -> Self {
        Inbox {
            waiting: RefCell::default(),
            waker: RefCell::default(),
        }
    }
}

impl<T> Inbox<T> {
    /// Adds an arrived message to the inbox.
    pub fn put(&self, message: T) {
        self.waiting.borrow_mut().push_back(message);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Removes and returns the oldest message, if there is one.
    pub fn take(&self) -> Option<T> {
        self.waiting.borrow_mut().pop_front()
    }

    /// Removes and returns the oldest message, as soon as there is one.
    pub async fn next(&self) -> T {
        poll_fn(|context| match self.take() {
            Some(message) => Poll::Ready(message),
            None => {
                self.waker.replace(Some(context.waker().clone()));
                Poll::Pending
            }
        })
        .await
    }
}
