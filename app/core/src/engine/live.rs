//! The engine in a browser: a signal with its state, and the workers that carry out its commands.

use std::{collections::HashMap, sync::Arc, time::Duration};

use attention_protocol::{Failure, Reply, Request, RunRequest, ServedFile};
use attention_trace::{Edit, Excerpt, LensQuestion, Quantities, Quantity, Trace};
use js_sys::Uint8Array;
use leptos::{prelude::*, task::spawn_local};

use super::{
    adapter::probe,
    data::{Backend, Command, Event, Job, Part, Received, TraceHandle},
    example::fetch_example,
    machine::{Engine, Probe},
    question::{
        Forced, ForcedTarget, Known, LensRead, PatchingAsked, PatchingRead, Question, SeriesAsked,
        SeriesRead,
    },
    replay,
    worker::WorkerHandle,
};
use crate::assets::{
    absolute, checkpoint,
    saving::{is_kept, saves_data},
};
use crate::kept::{KeptModels, directory};
use crate::mine::Mine;
use crate::pictures::Pictures;
use crate::state::{
    Ablation, DeviceChoice, EditList, Model, Server, View, ViewState, push_address,
};

/// The time between two [`Event::Tick`]s.
const SECOND: Duration = Duration::from_secs(1);

/// The trace on screen and the engine behind it. A context: take it with [`Live::expect`].
#[derive(Clone, Copy)]
pub struct Live {
    pub(super) engine: RwSignal<Engine>,
    workers: StoredValue<HashMap<u32, WorkerHandle>, LocalStorage>,
    /// The server that was connected to last.
    pub(super) server: StoredValue<Option<Server>>,
    /// The host of a server that the visitor agreed to.
    pub(super) agreed: RwSignal<Option<String>>,
    trace: Memo<Option<TraceHandle>>,
    pub(super) state: ViewState,
    /// The view as it was while what runs or is on screen was what it asks for.
    settled: StoredValue<View>,
    kept: KeptModels,
    pub(super) mine: Mine,
    pictures: Pictures,
}

impl Live {
    /// Starts the engine for the view's job, fetches the worked example and provides both.
    pub fn provide(state: ViewState, kept: KeptModels, mine: Mine, pictures: Pictures) -> Self {
        let view = state.get_untracked();
        let job = Job::from(&view);
        let saves_data = saves_data();
        let (engine, commands) = match saves_data {
            true => (Engine::held_back(view.device, job), Vec::new()),
            false => Engine::start(view.device, job),
        };
        let live = Live::of(engine, state, kept, mine, pictures);
        provide_context(live);
        // An effect because the view is changed everywhere.
        Effect::new(move |_| live.settle(state.get()));
        spawn_local(async move { live.tell(Event::Example(fetch_example().await)) });
        live.execute(commands);
        if saves_data {
            spawn_local(async move {
                // A model that was trained here is on no server: nothing of it would be downloaded.
                let is_here = match view.model.directory() {
                    Some(directory) => is_kept(directory).await,
                    None => true,
                };
                if is_here {
                    live.retry();
                }
            });
        }
        live
    }

    fn of(
        engine: Engine,
        state: ViewState,
        kept: KeptModels,
        mine: Mine,
        pictures: Pictures,
    ) -> Self {
        let engine = RwSignal::new(engine);
        let trace = Memo::new(move |_| {
            engine.with(|engine| {
                let shown = engine.shown.as_ref()?;
                Some(TraceHandle(shown.trace.clone()))
            })
        });
        Live {
            engine,
            workers: StoredValue::new_local(HashMap::new()),
            server: StoredValue::new(None),
            agreed: RwSignal::new(None),
            trace,
            settled: StoredValue::new(state.get_untracked()),
            state,
            kept,
            mine,
            pictures,
        }
    }

    /// Remembers the view, if it asks for what runs or is on screen.
    fn settle(self, view: View) {
        let is_wanted = |engine: &Engine| *engine.wanted() == Job::from(&view);
        if self.engine.with_untracked(is_wanted) {
            self.settled.set_value(view);
        }
    }

    /// Another engine, on the CPU or the chosen server, that does nothing until it is told to. It ends, and its worker with it, when the
    /// component that asked for it is gone.
    pub(super) fn another(self) -> Self {
        let (choice, wanted) = self
            .engine
            .with_untracked(|engine| (engine.choice, engine.wanted().clone()));
        let choice = match choice {
            DeviceChoice::Server => choice,
            _ => DeviceChoice::Cpu,
        };
        let other = Live::of(
            Engine::held_back(choice, wanted),
            self.state,
            self.kept,
            self.mine,
            self.pictures,
        );
        Live {
            agreed: self.agreed,
            ..other
        }
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
        let parts = self.parts(move || wanted().into_iter().collect());
        Memo::new(move |_| parts.get()?.into_iter().next())
    }

    /// Several such parts, in the order in which they are named; `None` until all of them are here.
    pub fn parts(
        self,
        wanted: impl Fn() -> Vec<Excerpt> + Send + Sync + 'static,
    ) -> Memo<Option<Vec<Part>>> {
        let parts = self.parts_so_far(wanted);
        Memo::new(move |_| parts.get().into_iter().collect())
    }

    /// Several such parts, in the order in which they are named; `None` for each that is not here yet.
    pub fn parts_so_far(
        self,
        wanted: impl Fn() -> Vec<Excerpt> + Send + Sync + 'static,
    ) -> Memo<Vec<Option<Part>>> {
        let wanted = Memo::new(move |_| wanted());
        let own = Memo::new(move |_| {
            let trace = self.trace();
            let own = |excerpt| Some(Part(Arc::new(trace.as_ref()?.excerpt(excerpt)?)));
            wanted.read().iter().map(own).collect::<Vec<_>>()
        });
        let parts = Memo::new(move |_| {
            let part = |(own, wanted): (Option<Part>, Excerpt)| {
                own.or_else(|| {
                    let question = Question::part(wanted);
                    let known = self.engine.with(|engine| engine.known(&question));
                    known.array().map(Part)
                })
            };
            own.get().into_iter().zip(wanted.get()).map(part).collect()
        });
        let lacking = move || {
            self.trace.track();
            let wanted = wanted.get().into_iter();
            let lacking = wanted.zip(own.get_untracked());
            let lacking = lacking.filter(|(_, own)| own.is_none());
            lacking.map(|(wanted, _)| Question::part(wanted)).collect()
        };
        self.ask_for(lacking);
        parts
    }

    /// Returns the state of the questions' answers, each asked until others are or the component is gone.
    pub fn ask<Q: Into<Question>>(
        self,
        questions: impl Fn() -> Vec<Q> + Send + Sync + 'static,
    ) -> Memo<Vec<Known>> {
        let questions = Memo::new(move |_| {
            let questions = questions().into_iter();
            questions.map(Into::into).collect::<Vec<Question>>()
        });
        self.ask_for(move || questions.get());
        Memo::new(move |_| {
            let questions = questions.read();
            self.engine
                .with(|engine| questions.iter().map(|asked| engine.known(asked)).collect())
        })
    }

    /// Returns the model's probabilities for the tokens of given targets (teacher forcing), or the reason for their
    /// absence; `None` for each target that is not answered yet.
    pub fn forced(
        self,
        targets: impl Fn() -> Vec<ForcedTarget> + Send + Sync + 'static,
    ) -> Memo<Vec<Option<Forced>>> {
        let known = self.ask(targets);
        Memo::new(move |_| known.read().iter().map(Known::forced).collect())
    }

    /// Returns the lens's reading of the residual stream of the result on screen, or the reason for its absence; `None`
    /// until it is answered.
    pub fn lens(
        self,
        question: impl Fn() -> Option<LensQuestion> + Send + Sync + 'static,
    ) -> Memo<Option<LensRead>> {
        let known = self.ask(move || question().into_iter().collect());
        Memo::new(move |_| known.read().first()?.lens())
    }

    /// Returns the state of the questions about patched runs.
    pub fn patching(
        self,
        questions: impl Fn() -> Vec<PatchingAsked> + Send + Sync + 'static,
    ) -> Memo<Vec<PatchingRead>> {
        let known = self.ask(questions);
        Memo::new(move |_| known.read().iter().map(Known::patching).collect())
    }

    /// Returns the state of the question that many passes answer; empty if none is asked.
    pub fn series(
        self,
        question: impl Fn() -> Option<SeriesAsked> + Send + Sync + 'static,
    ) -> Memo<SeriesRead> {
        let known = self.ask(move || question().into_iter().collect());
        Memo::new(move |_| known.read().first().map(Known::series).unwrap_or_default())
    }

    /// Stops the patched runs or the series that is computed; what is known of it is kept.
    pub fn stop_asked(self) {
        self.tell(Event::Stop);
    }

    /// Goes on with what was stopped or failed.
    pub fn ask_again(self, question: impl Into<Question>) {
        let question = question.into();
        self.tell(Event::Ask(question.clone()));
        self.tell(Event::Leave(question));
    }

    /// Has the engine answer questions, and keep the answers until others are asked or the component is gone.
    fn ask_for(self, questions: impl Fn() -> Vec<Question> + Send + Sync + 'static) {
        let asked = ArcStoredValue::new(Vec::new());
        let leave_all = move |asked: Option<Vec<Question>>| {
            let asked = asked.unwrap_or_default().into_iter();
            asked.map(Event::Leave).for_each(|event| self.tell(event));
        };
        // An effect because the worker lies outside the reactive graph.
        Effect::new({
            let asked = asked.clone();
            move |_| {
                let questions = questions();
                // The new ones first, so that what stays wanted stays kept.
                let new = questions.iter().cloned().map(Event::Ask);
                new.for_each(|event| self.tell(event));
                leave_all(asked.try_update_value(|asked| std::mem::replace(asked, questions)));
            }
        });
        on_cleanup(move || leave_all(asked.try_update_value(std::mem::take)));
    }

    /// A part of the engine's state that notifies only when that part changes.
    pub fn select<T>(self, part: impl Fn(&Engine) -> T + Send + Sync + 'static) -> Memo<T>
    where
        T: PartialEq + Send + Sync + 'static,
    {
        Memo::new(move |_| self.engine.with(&part))
    }

    /// A part of the engine's state as it is; subscribes to every change of the engine. For use within a memo that
    /// reads another signal too.
    pub fn select_now<T>(self, part: impl FnOnce(&Engine) -> T) -> T {
        self.engine.with(part)
    }

    /// Returns the job of the result on screen; `None` for the stored example.
    pub fn job_shown(self) -> Option<Job> {
        self.engine
            .with_untracked(|engine| engine.shown.as_ref()?.job.clone())
    }

    /// Runs what the view asks for, from its first token, and makes it an entry of the history.
    pub fn run(self) {
        self.run_with_prefix(Vec::new());
    }

    /// Runs what the view asks for with the first target tokens forced.
    pub fn run_with_prefix(self, prefix: Vec<u32>) {
        self.state.set_prefix(prefix);
        self.run_as_entry();
    }

    /// Runs what is on screen again with the first target tokens forced; what has been typed since is not what they
    /// were written for. `index` is the first step that may differ; if it is 0, the chosen language of the target is
    /// dropped.
    pub fn decode_again(self, index: usize, prefix: Vec<u32>) {
        let shown = self
            .engine
            .with_untracked(|engine| engine.shown.as_ref()?.job.clone());
        let mut job = shown.unwrap_or_else(|| Job::from(&View::default()));
        job.beginning.target = job.beginning.target.filter(|_| index > 0);
        self.state.update(|view| *view = job.put_into(view.clone()));
        self.run_with_prefix(prefix);
    }

    /// Changes the edits of the model's passes, and runs what the view asks for if that is another result.
    pub fn edit(self, change: impl FnOnce(&mut EditList)) {
        let on = || self.state.get_untracked().edits.on();
        let before = on();
        self.state.update(|view| change(&mut view.edits));
        if on() != before {
            self.run_as_entry();
        }
    }

    /// Returns the edits of the view, as `attn translate` takes them, where a model answers.
    pub fn edits_in_view(self) -> Vec<Edit> {
        let job = Job::from(&self.state.get_untracked());
        let trace = untrack(|| self.trace());
        match trace {
            Some(trace) => self.edits(&job.fitting(&trace.meta.spec)),
            None => self.edits(&job),
        }
    }

    /// The files of the model that made the result on screen, and what was changed in its passes: for who computes with
    /// it elsewhere. `None` where no model has answered, or its files are not to be had.
    pub fn made_by(self) -> Option<(Vec<ServedFile>, Vec<Edit>)> {
        let (model, edits) = self.engine.with(|engine| {
            let job = engine.shown.as_ref()?.job.as_ref()?;
            Some((job.model, engine.edits(job)))
        })?;
        let files = match model {
            Model::Trained(id) => self.kept.files(id)?,
            served => checkpoint(served.directory()?),
        };
        Some((files, edits))
    }

    /// Returns the edits of the pass whose result is on screen, as its trace names them.
    pub fn edits_shown(self) -> Vec<Edit> {
        self.engine.with_untracked(|engine| {
            let shown = engine.shown.as_ref();
            shown.map_or_else(Vec::new, |shown| shown.trace.edits.clone())
        })
    }

    fn edits(self, job: &Job) -> Vec<Edit> {
        self.engine.with_untracked(|engine| engine.edits(job))
    }

    /// Turns the measurement of each head's importance to the text on or off: what becomes of the text when that is
    /// done to the head alone.
    pub fn measure(self, probe: Probe, is_wanted: bool) {
        self.tell(Event::Measure { probe, is_wanted });
    }

    /// Takes heads out one after the other until greedy search would write another text, or no more.
    pub fn prune(self, by: Option<Ablation>) {
        self.tell(Event::Prune(by));
    }

    /// Stops that measurement; the results so far are kept.
    pub fn stop_measuring(self) {
        self.tell(Event::StopMeasuring);
    }

    /// Runs what the view asks for, as an entry of the history.
    pub fn run_as_entry(self) {
        let view = self.state.get_untracked();
        push_address(&self.settled.get_value(), &view);
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
        let is_on_another = self.engine.with_untracked(|engine| engine.choice) != view.device;
        if is_on_another || self.is_of_another_server(&view) {
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

    pub(super) fn run_view(self) {
        self.tell(Event::Run(Job::from(&self.state.get_untracked())));
    }

    pub(super) fn tell(self, event: Event) {
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
                } => match backend {
                    Backend::Server => self.connect(worker),
                    _ => self.spawn(worker, backend, threads, move |event| self.tell(event)),
                },
                Command::Load {
                    worker,
                    id,
                    model,
                    software,
                } => self.load(worker, id, model, software),
                Command::Run { worker, id, job } => self.run_job(worker, id, job),
                Command::Ask {
                    worker,
                    id,
                    question,
                } => self.ask_worker(worker, id, question),
                Command::Gather => set_timeout(move || self.tell(Event::Gather), Duration::ZERO),
                Command::Cancel { worker, id } => self.post(worker, id, Request::Cancel),
                Command::Ping { worker } => self.post(worker, 0, Request::Ping),
                Command::Tick => set_timeout(move || self.tell(Event::Tick), SECOND),
            }
        }
    }

    pub(super) fn spawn(
        self,
        worker: u32,
        backend: Backend,
        threads: bool,
        tell: impl Fn(Event) + Clone + 'static,
    ) {
        match WorkerHandle::start(worker, backend, threads, tell) {
            Ok(handle) => {
                self.workers
                    .try_update_value(|held| held.insert(worker, handle));
            }
            Err(reason) => self.tell(Event::Died { worker, reason }),
        }
    }

    /// Has a worker load a model. One that was trained in another browser, or is kept no more, can be had nowhere,
    /// nor one whose files have not been chosen since the page was opened.
    fn load(self, worker: u32, id: u32, model: Model, allow_fallback_adapter: bool) {
        if let Some(recorded) = self.mine.recorded(model) {
            return self.reply(worker, id, replay::ready(&recorded));
        }
        if self
            .engine
            .with_untracked(|engine| engine.backend == Backend::Server)
        {
            // It has one model, and says which.
            let request = Request::Load {
                base: String::new(),
                files: Vec::new(),
                allow_fallback_adapter,
            };
            return self.post(worker, id, request);
        }
        if let Model::Mine(mine) = model
            && let Some(files) = self.mine.files(mine)
        {
            return self.send(worker, |handle| {
                handle.open(id, files, allow_fallback_adapter)
            });
        }
        let found = match model {
            Model::Trained(id) => self.kept.files(id).map(|files| (directory(id), files)),
            served => served
                .directory()
                .map(|directory| (directory.to_owned(), checkpoint(directory))),
        };
        match found {
            Some((directory, files)) => {
                let request = Request::Load {
                    base: absolute(&directory),
                    files,
                    allow_fallback_adapter,
                };
                self.post(worker, id, request);
            }
            None => {
                let failed = Failure::Download {
                    url: model.to_string(),
                    reason: "not kept".to_owned(),
                };
                self.reply(worker, id, Received::Plain(Reply::Failed(failed)));
            }
        }
    }

    /// Has a worker run a job, with the pixels of the picture that its text names, if its model reads pictures.
    fn run_job(self, worker: u32, id: u32, job: Job) {
        if let Some(recorded) = self.mine.recorded(job.model) {
            return self.reply(worker, id, replay::replayed(&job, recorded));
        }
        let edits = self.edits(&job);
        let is_of_picture = untrack(|| self.mine.reads_pictures(job.model));
        let name = job.input();
        let mut request = run_request(job, edits);
        if !is_of_picture {
            return self.post(worker, id, Request::Run(request));
        }
        let Some(held) = self.pictures.find(&name) else {
            let failed = Reply::Failed(Failure::NoPicture { name });
            return self.reply(worker, id, Received::Plain(failed));
        };
        request.picture_px = Some(held.size_px());
        let buffer = Uint8Array::from(held.rgba()).buffer();
        self.send(worker, |handle| {
            handle.post_with(id, Request::Run(request), Some(buffer))
        });
    }

    /// Has a worker answer a question; about a recorded pass there is none to ask.
    fn ask_worker(self, worker: u32, id: u32, question: attention_protocol::Question) {
        let model = self.engine.with_untracked(|engine| engine.wanted().model);
        match self.mine.recorded(model) {
            Some(recorded) => {
                self.reply(worker, id, replay::answered(&recorded, &question));
            }
            None => self.post(worker, id, Request::Ask { question }),
        }
    }

    /// Answers in place of a worker, after what led to the request is done.
    pub(super) fn reply(self, worker: u32, id: u32, reply: Received) {
        spawn_local(async move { self.tell(Event::Reply { worker, id, reply }) });
    }

    fn post(self, worker: u32, id: u32, request: Request) {
        self.send(worker, |handle| handle.post(id, request));
    }

    pub(super) fn send(self, worker: u32, send: impl FnOnce(&WorkerHandle) -> Result<(), String>) {
        let sent = self
            .workers
            .try_with_value(|held| held.get(&worker).map(send));
        if let Some(Some(Err(reason))) = sent {
            self.tell(Event::Died { worker, reason });
        }
    }
}

fn run_request(job: Job, edits: Vec<Edit>) -> RunRequest {
    RunRequest {
        max_new_tokens: job.most_new,
        text: job.input(),
        search: job.search,
        prefix: job.beginning.forced(job.prefix),
        quantities: Quantities::of(&[
            Quantity::Pattern,
            Quantity::Query,
            Quantity::Key,
            Quantity::QueryBeforeRope,
            Quantity::KeyBeforeRope,
        ]),
        edits,
        picture_px: None,
    }
}
