//! The engine in a browser: a signal with its state, and the worker that its commands move.

use std::{collections::HashMap, sync::Arc, time::Duration};

use attention_protocol::{Request, RunRequest};
use attention_trace::{Excerpt, Quantities, Quantity, Trace};
use leptos::{prelude::*, task::spawn_local};

use super::{
    adapter::probe,
    data::{Backend, Command, Event, Job, Part},
    example::fetch_example,
    machine::Engine,
    worker::WorkerHandle,
};
use crate::assets::{absolute, checkpoint};
use crate::state::{DeviceChoice, Model, View, ViewState, push_address};

/// Between two [`Event::Tick`]s.
const SECOND: Duration = Duration::from_secs(1);

/// The trace on screen and the engine behind it. A context: take it with [`Live::expect`].
#[derive(Clone, Copy)]
pub struct Live {
    engine: RwSignal<Engine>,
    workers: StoredValue<HashMap<u32, WorkerHandle>, LocalStorage>,
    trace: Memo<Option<TraceHandle>>,
    state: ViewState,
}

/// A trace that equals only itself, so that a signal of it never compares megabytes.
#[derive(Clone)]
struct TraceHandle(Arc<Trace>);

impl PartialEq for TraceHandle {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Live {
    /// Starts the engine for the view's job, fetches the worked example and provides both.
    pub fn provide(state: ViewState) -> Self {
        let view = state.get_untracked();
        let (engine, commands) = Engine::start(view.device, Job::from(&view));
        let engine = RwSignal::new(engine);
        let trace = Memo::new(move |_| {
            engine.with(|engine| {
                let shown = engine.shown.as_ref()?;
                Some(TraceHandle(shown.trace.clone()))
            })
        });
        let live = Live {
            engine,
            workers: StoredValue::new_local(HashMap::new()),
            trace,
            state,
        };
        provide_context(live);
        spawn_local(async move { live.tell(Event::Example(fetch_example().await)) });
        live.execute(commands);
        live
    }

    /// The engine that a component above provided.
    ///
    /// # Panics
    /// Outside the page's component tree.
    pub fn expect() -> Self {
        expect_context()
    }

    /// The trace on screen; subscribes to its replacement.
    pub fn trace(self) -> Option<Arc<Trace>> {
        self.trace.get().map(|handle| handle.0)
    }

    /// A part of an array of the trace on screen. Where it did not come with the trace, it is
    /// asked for, and `None` until it is here.
    pub fn part(
        self,
        wanted: impl Fn() -> Option<Excerpt> + Send + Sync + 'static,
    ) -> Memo<Option<Part>> {
        let wanted = Memo::new(move |_| wanted());
        let own = Memo::new(move |_| {
            let array = self.trace()?.excerpt(wanted.read().as_ref()?)?;
            Some(Part(Arc::new(array)))
        });
        let part = Memo::new(move |_| {
            let own = own.get();
            own.or_else(|| {
                let wanted = wanted.read();
                let wanted = wanted.as_ref()?;
                self.engine.with(|engine| engine.part(wanted)).map(Part)
            })
        });
        self.ask_for(move || wanted.get().filter(|_| own.with_untracked(Option::is_none)));
        part
    }

    /// Has the engine get a part of the trace on screen, and keep it until another one is wanted or the component is
    /// gone.
    fn ask_for(self, wanted: impl Fn() -> Option<Excerpt> + Send + Sync + 'static) {
        let asked = ArcStoredValue::new(None);
        // An effect because the worker lies outside the reactive graph.
        Effect::new({
            let asked = asked.clone();
            move |_| {
                self.trace.track();
                let wanted = wanted();
                // The new one first, so that what stays wanted stays kept.
                wanted
                    .iter()
                    .cloned()
                    .map(Event::Want)
                    .for_each(|event| self.tell(event));
                self.leave(
                    asked
                        .try_update_value(|asked| std::mem::replace(asked, wanted))
                        .flatten(),
                );
            }
        });
        on_cleanup(move || self.leave(asked.try_update_value(Option::take).flatten()));
    }

    fn leave(self, excerpt: Option<Excerpt>) {
        if let Some(excerpt) = excerpt {
            self.tell(Event::Leave(excerpt));
        }
    }

    /// A part of the engine's state that notifies only when that part changes.
    pub fn select<T>(self, part: impl Fn(&Engine) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| self.engine.with(&part))
    }

    /// Runs what the view asks for, from its first token, and makes it an entry of the history.
    pub fn run(self) {
        self.run_with_prefix(Vec::new());
    }

    /// Runs what the view asks for with the first target tokens forced.
    pub fn run_with_prefix(self, prefix: Vec<u32>) {
        self.state.set_prefix(prefix);
        let view = self.state.get_untracked();
        let previous = self.engine.with_untracked(|engine| engine.wanted().clone());
        push_address(&previous.put_into(view.clone()), &view);
        self.run_view();
    }

    /// Runs another sentence of the text that is on screen, if it is there.
    pub fn run_sentence(self, sentence: usize) {
        self.state.update(|view| view.use_sentence(sentence));
        self.run_view();
    }

    /// Runs what the view asks for, if that is not what is on screen already.
    pub fn follow_view(self) {
        let view = self.state.get_untracked();
        let job = Job::from(&view);
        if self.engine.with_untracked(|engine| engine.choice) != view.device {
            self.tell(Event::Device(view.device));
        }
        if self.engine.with_untracked(|engine| !engine.answers(&job)) {
            self.run_view();
        }
    }

    /// The view with what is asked for in it replaced by what the result on screen answers.
    pub fn shown_in(self, view: View) -> View {
        let shown = self
            .engine
            .with_untracked(|engine| engine.shown.as_ref()?.job.clone());
        match shown {
            Some(job) => job.put_into(view),
            None => view,
        }
    }

    /// Stops what runs, or what loads.
    pub fn cancel(self) {
        self.tell(Event::Cancel);
    }

    /// Tries again what failed or was cancelled.
    pub fn retry(self) {
        self.tell(Event::Retry);
    }

    /// Switches to another device; what is on screen stays until it answers.
    pub fn use_device(self, device: DeviceChoice) {
        self.state.set_device(device);
        self.tell(Event::Device(device));
    }

    fn run_view(self) {
        self.tell(Event::Run(Job::from(&self.state.get_untracked())));
    }

    fn tell(self, event: Event) {
        let commands = self.engine.try_update(|engine| engine.apply(event));
        self.execute(commands.unwrap_or_default());
    }

    fn execute(self, commands: Vec<Command>) {
        for command in commands {
            match command {
                Command::Probe => {
                    spawn_local(async move { self.tell(Event::Adapter(probe().await)) });
                }
                Command::Kill { worker } => {
                    self.workers.try_update_value(|held| held.remove(&worker));
                }
                Command::Spawn {
                    worker,
                    backend,
                    threads,
                } => self.spawn(worker, backend, threads),
                Command::Load {
                    worker,
                    id,
                    model,
                    software,
                } => self.post(worker, id, load_request(model, software)),
                Command::Run { worker, id, job } => self.post(worker, id, run_request(job)),
                Command::Fetch {
                    worker,
                    id,
                    run,
                    excerpts,
                } => self.post(worker, id, Request::Fetch { run, excerpts }),
                Command::Gather => set_timeout(move || self.tell(Event::Gather), Duration::ZERO),
                Command::Cancel { worker, id } => self.post(worker, id, Request::Cancel),
                Command::Ping { worker } => self.post(worker, 0, Request::Ping),
                Command::Tick => set_timeout(move || self.tell(Event::Tick), SECOND),
            }
        }
    }

    fn spawn(self, worker: u32, backend: Backend, threads: bool) {
        match WorkerHandle::start(worker, backend, threads, move |event| self.tell(event)) {
            Ok(handle) => {
                self.workers
                    .try_update_value(|held| held.insert(worker, handle));
            }
            Err(reason) => self.tell(Event::Died { worker, reason }),
        }
    }

    fn post(self, worker: u32, id: u32, request: Request) {
        let sent = self
            .workers
            .try_with_value(|held| held.get(&worker).map(|handle| handle.post(id, request)));
        if let Some(Some(Err(reason))) = sent {
            self.tell(Event::Died { worker, reason });
        }
    }
}

fn load_request(model: Model, allow_fallback_adapter: bool) -> Request {
    Request::Load {
        base: absolute(model.directory()),
        files: checkpoint(model.directory()),
        allow_fallback_adapter,
    }
}

fn run_request(job: Job) -> Request {
    Request::Run(RunRequest {
        max_new_tokens: job.model.max_new_tokens(),
        text: match job.model.prefix() {
            Some(prefix) if !job.reads.is_empty() => format!("{prefix} {}", job.reads),
            _ => job.reads,
        },
        search: job.search,
        prefix: job.prefix,
        quantities: Quantities::of(&[
            Quantity::Pattern,
            Quantity::Query,
            Quantity::Key,
            Quantity::QueryBeforeRope,
            Quantity::KeyBeforeRope,
        ]),
        edits: vec![],
    })
}
