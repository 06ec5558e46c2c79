//! The thread that owns the model and answers all visitors.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use attention_engine::{Chosen, Engine, Host, Session};
use attention_model::checkpoint::Checkpoint;
use attention_model::device;
use attention_model::error::ModelError;
use attention_model::placement::Devices;
use attention_model::verification::{Disagreement, check_attention, check_model};
use attention_protocol::{
    Device as DeviceKind, Failure, ReadyReply, Request, RequestId, ServedModel,
};
use futures_util::FutureExt;
use pollster::block_on;
use tokio::runtime;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::oneshot;
use tokio::task::{JoinSet, LocalSet};

use super::Visitor;
use super::bounds::check;
use super::error::ServeError;
use super::identity::identity;
use super::metrics::Metrics;
use super::open::Open;
use super::outbox::Outbox;
use super::seat::Seat;
use super::turns::Turns;
use crate::io::open_at;
use crate::options::{DeviceOption, ModelOption, ServeOptions};

/// The stack of the thread: models of many layers are read recursively.
const STACK_BYTES: usize = 16 << 20;

/// A message of the network to the engine.
pub enum Command {
    /// A visitor came; replies go to the outbox.
    Enter { visitor: Visitor, outbox: Outbox },
    /// A visitor asked for something.
    Request {
        visitor: Visitor,
        id: RequestId,
        request: Box<Request>,
        /// Dropped as soon as the request is answered.
        open: Open,
    },
    /// A visitor has left for good.
    Leave { visitor: Visitor },
}

/// The way to the engine's thread.
#[derive(Clone)]
pub struct EngineThread(UnboundedSender<Command>);

impl EngineThread {
    /// Loads the model on a thread of its own, and checks its numbers.
    ///
    /// # Errors
    /// If the model cannot be loaded, or the device computes it wrongly.
    pub async fn start(options: &ServeOptions, metrics: Arc<Metrics>) -> Result<Self, ServeError> {
        let path = options.model.path()?.into_owned();
        let (model, most_kept_bytes) = (options.model.clone(), options.most_kept_bytes());
        let (commands, received) = unbounded_channel();
        let (tell, told) = oneshot::channel();
        let run = move || match Served::load(&path, &model) {
            Ok(served) => {
                // Nobody listens if the program ends meanwhile.
                drop(tell.send(Ok(())));
                let room = Room::new(served, most_kept_bytes, metrics);
                room.answer(received);
            }
            // As above.
            Err(error) => drop(tell.send(Err(error))),
        };
        let thread = thread::Builder::new().name("engine".to_owned());
        let started = thread.stack_size(STACK_BYTES).spawn(run);
        started.map_err(ServeError::Thread)?;
        told.await.map_err(|_| ServeError::Ended)??;
        Ok(EngineThread(commands))
    }

    /// Sends a message; returns false if the engine has ended.
    pub fn send(&self, command: Command) -> bool {
        self.0.send(command).is_ok()
    }
}

/// The loaded model, and how it introduces itself.
struct Served {
    checkpoint: Rc<Checkpoint>,
    chosen: Chosen,
    load_ms: f64,
    identity: ServedModel,
}

impl Served {
    fn load(path: &Path, model: &ModelOption) -> Result<Self, ServeError> {
        let began = Instant::now();
        let chosen = chosen(&model.device).map_err(|source| failed(path, source))?;
        let open = |devices: Devices| {
            let opened = open_at(path, model, devices);
            opened.map_err(|source| failed(path, source))
        };
        let devices = model.devices(&chosen.device);
        let checkpoint = open(devices.map_err(|source| failed(path, source))?)?;
        if checkpoint.spec().reads_pictures() {
            return Err(ServeError::Pictures);
        }
        let checked = match chosen.kind {
            DeviceKind::Cpu => block_on(check_attention(&checkpoint, &chosen.device)),
            DeviceKind::WebGpu => {
                let cpu = device::cpu();
                let reference = open(Devices::from(&cpu))?;
                let (model, right) = (&*checkpoint.model, &*reference.model);
                block_on(check_model(model, &chosen.device, right, &cpu))
            }
        };
        if let Some(Disagreement { difference, .. }) =
            checked.map_err(|source| failed(path, source))?
        {
            return Err(ServeError::WrongNumbers { difference });
        }
        Ok(Served {
            checkpoint: Rc::new(checkpoint),
            chosen,
            load_ms: began.elapsed().as_secs_f64() * 1000.0,
            identity: identity(path, model).map_err(|source| failed(path, source))?,
        })
    }

    /// Returns the engine of one visitor, and how it introduces itself.
    fn engine(&self, seat: &Seat) -> (Engine, ReadyReply) {
        let engine = Engine::new(Rc::clone(&self.checkpoint), self.chosen.clone());
        let mut ready = engine.ready("attn", self.load_ms, seat.today());
        ready.served = Some(self.identity.clone());
        (engine, ready)
    }
}

fn failed(path: &Path, source: ModelError) -> ServeError {
    let path = path.to_owned();
    ServeError::Model { path, source }
}

fn chosen(option: &DeviceOption) -> Result<Chosen, ModelError> {
    let gpu = option.gpu();
    Ok(Chosen {
        device: option.device()?,
        kind: match gpu {
            Some(_) => DeviceKind::WebGpu,
            None => DeviceKind::Cpu,
        },
        adapter: gpu.map(str::to_owned),
        fallback_adapter: false,
    })
}

/// All visitors, and the model that they share.
struct Room {
    served: Served,
    turns: Rc<Turns>,
    metrics: Arc<Metrics>,
    most_kept_bytes: usize,
    began: Instant,
    visitors: HashMap<Visitor, Guest>,
}

/// A visitor, and the requests that run; they end when this is dropped.
struct Guest {
    session: Rc<Session<Seat>>,
    tasks: JoinSet<()>,
}

impl Room {
    fn new(served: Served, most_kept_bytes: usize, metrics: Arc<Metrics>) -> Self {
        Room {
            served,
            turns: Turns::new(Arc::clone(&metrics)),
            metrics,
            most_kept_bytes,
            began: Instant::now(),
            visitors: HashMap::new(),
        }
    }

    /// Answers until the network is gone.
    fn answer(mut self, mut commands: UnboundedReceiver<Command>) {
        let runtime = match runtime::Builder::new_current_thread().build() {
            Ok(runtime) => runtime,
            Err(error) => return tracing::error!(%error, "the engine cannot begin"),
        };
        LocalSet::new().block_on(&runtime, async {
            while let Some(command) = commands.recv().await {
                self.handle(command);
            }
        });
    }

    fn handle(&mut self, command: Command) {
        match command {
            Command::Enter { visitor, outbox } => self.enter(visitor, outbox),
            Command::Leave { visitor } => {
                self.visitors.remove(&visitor);
            }
            Command::Request {
                visitor,
                id,
                request,
                open,
            } => {
                // One who has just left may still have messages on the way.
                if let Some(guest) = self.visitors.get_mut(&visitor) {
                    guest.handle(&self.served, id, *request, open);
                }
            }
        }
    }

    fn enter(&mut self, visitor: Visitor, outbox: Outbox) {
        let seat = Seat {
            visitor,
            outbox,
            turns: Rc::clone(&self.turns),
            metrics: Arc::clone(&self.metrics),
            began: self.began,
        };
        let guest = Guest {
            session: Rc::new(Session::new(seat, self.most_kept_bytes)),
            tasks: JoinSet::new(),
        };
        self.visitors.insert(visitor, guest);
    }
}

impl Guest {
    fn handle(&mut self, served: &Served, id: RequestId, request: Request, open: Open) {
        let session = Rc::clone(&self.session);
        session.arrived(id, &request);
        if let Err(excess) = check(&request) {
            let reason = excess.to_string();
            return session.fail(id, Failure::Protocol { reason });
        }
        match request {
            Request::Cancel | Request::Ping => {}
            // The server has decided on the model.
            Request::Load { .. } | Request::Open { .. } => {
                session.use_loaded(id, Ok(served.engine(&session.host)));
            }
            Request::Run(run) => self.spawn(id, open, async move {
                session.run(id, &run, None).await;
            }),
            Request::Ask { question } => self.spawn(id, open, async move {
                session.reply(id, question).await;
            }),
        }
    }

    /// Runs a request in turns with the others. One that panics fails alone.
    fn spawn(&mut self, id: RequestId, open: Open, work: impl Future<Output = ()> + 'static) {
        // The finished ones are forgotten.
        while self.tasks.try_join_next().is_some() {}
        let session = Rc::clone(&self.session);
        self.tasks.spawn_local(async move {
            let _open = open;
            let seat = &session.host;
            let _turn = seat.turns.take(seat.visitor).await;
            if AssertUnwindSafe(work).catch_unwind().await.is_err() {
                let reason = "the server's engine failed at this request".to_owned();
                session.fail(id, Failure::Protocol { reason });
            }
        });
    }
}
