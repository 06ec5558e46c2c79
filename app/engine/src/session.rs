//! The state between the messages of one page.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use attention_protocol::{Failure, ReadyReply, Reply, Request, RequestId, RunRequest};
use attention_trace::{LIGHT_BYTES, Trace};

use crate::{Engine, Found, Host, Outcome};

/// The number of weights from which a model is not kept in memory together with another from the visitor's disk.
const LARGE: usize = 30_000_000;

/// The requests of one page, its model and its newest result.
pub struct Session<H> {
    /// The program that runs the engine for this page.
    pub host: H,
    /// The number of the newest request; older requests stop when it differs from theirs.
    pub(crate) newest: Cell<RequestId>,
    engine: RefCell<Option<Rc<Engine>>>,
    /// The result of the newest run.
    pub(crate) result: RefCell<Option<Kept>>,
    most_kept_bytes: usize,
}

/// The data kept of a result, for later questions about it.
pub(crate) struct Kept {
    pub run: RequestId,
    /// The engine that computed the result; another model may have been loaded since.
    pub engine: Rc<Engine>,
    /// The result of decoding.
    pub found: Found,
    /// The recorded arrays, if they were too large to be sent whole, or thumbnails alone.
    pub trace: Option<Trace>,
}

impl<H: Host> Session<H> {
    /// Creates the session of a page that has sent nothing yet. Arrays of a result that take more than `most_kept_bytes`
    /// are computed again when the page asks for them.
    pub fn new(host: H, most_kept_bytes: usize) -> Self {
        Session {
            host,
            newest: Cell::default(),
            engine: RefCell::default(),
            result: RefCell::default(),
            most_kept_bytes,
        }
    }

    /// Takes note of a request when it arrives: a newer one ends those that run, except a question or a sign of life.
    pub fn arrived(&self, id: RequestId, request: &Request) {
        if !matches!(request, Request::Ask { .. } | Request::Ping) {
            self.newest.set(id);
        }
    }

    /// Returns true as long as no newer request has arrived.
    pub fn is_newest(&self, id: RequestId) -> bool {
        self.newest.get() == id
    }

    pub(crate) fn engine(&self) -> Option<Rc<Engine>> {
        self.engine.borrow().clone()
    }

    /// Tells the page that its request failed.
    pub fn fail(&self, id: RequestId, failure: Failure) {
        self.host.post(id, Reply::Failed(failure), None);
    }

    /// Drops a large model, so that two of them are never in memory; a small one continues to answer questions about
    /// its result.
    pub fn make_room(&self) {
        let is_large = |engine: &Rc<Engine>| engine.weights() > LARGE;
        if self.engine.borrow().as_ref().is_some_and(is_large) {
            self.engine.replace(None);
            self.result.replace(None);
        }
    }

    /// Makes a loaded model the one that answers, and tells the page.
    pub fn use_loaded(&self, id: RequestId, loaded: Result<(Engine, ReadyReply), Failure>) {
        match loaded {
            Ok((engine, ready)) => {
                self.engine.replace(Some(Rc::new(engine)));
                self.host.post(id, Reply::Ready(Box::new(ready)), None);
            }
            Err(failure) => self.fail(id, failure),
        }
    }

    /// Runs the model on a text, or on the picture of these pixels, and sends the result.
    pub async fn run(&self, id: RequestId, request: &RunRequest, pixels: Option<&[u8]>) {
        let Some(engine) = self.engine() else {
            return self.fail(id, Failure::NotReady);
        };
        if let Err(failure) = engine.show(request, pixels) {
            return self.fail(id, failure);
        }
        let current = || self.is_newest(id);
        match engine.run(&self.host, id, request, current).await {
            Ok(outcome) => self.send_trace(id, engine, outcome),
            Err(failure) => self.fail(id, failure),
        }
    }

    /// Sends a small trace whole; the arrays of a large one stay here until they are requested.
    fn send_trace(&self, id: RequestId, engine: Rc<Engine>, outcome: Outcome) {
        let Outcome {
            reply,
            trace,
            found,
        } = outcome;
        let is_large = trace.bytes() > LIGHT_BYTES && !trace.is_reduced();
        let light = is_large.then(|| trace.light());
        match light.as_ref().unwrap_or(&trace).to_safetensors() {
            Ok(bytes) => self.host.post(id, reply, Some(&bytes)),
            Err(error) => {
                let reason = error.to_string();
                self.fail(id, Failure::Protocol { reason });
            }
        }
        let is_kept = light.is_some() || trace.is_reduced();
        let trace = match light {
            Some(light) if trace.bytes() > self.most_kept_bytes => light,
            _ => trace,
        };
        self.result.replace(Some(Kept {
            run: id,
            engine,
            found,
            trace: is_kept.then_some(trace),
        }));
    }
}
