//! A model that runs on a server: the connection, and the model that the server introduces.

use attention_protocol::{Connect, Failure, OrLogged, ReadyReply, Reply, ServedModel};
use leptos::prelude::*;

use super::{
    data::{Backend, Event, Received, ServerFault},
    live::Live,
};
use crate::assets::checkpoint;
use crate::mine::About;
use crate::state::{DeviceChoice, Model, Server, View};

/// The path of a server's socket.
const PATH: &str = "engine";

/// The file of a checkpoint that identifies it.
const WEIGHTS: &str = "model.safetensors";

/// The longest time between two attempts to connect in seconds.
const LONGEST_WAIT_S: u32 = 30;

/// The model that a server has, in relation to the one that is wanted.
enum Match {
    /// It is the wanted one.
    Same,
    /// Any model was wanted.
    Any,
    Other,
}

impl Live {
    /// Chooses a server and the model that it has.
    pub fn use_server(self, server: Server) {
        self.state.use_server(server);
        self.agree();
        self.tell(Event::Device(DeviceChoice::Server));
        self.run_view();
    }

    /// Runs the view on the model that the server has, whichever it is.
    pub fn use_model_of_server(self) {
        self.state.update(|view| view.use_model(Model::Mine(None)));
        self.retry_view();
    }

    /// Returns true if the visitor agreed to a server, or the page itself comes from it; subscribes to the agreement.
    pub fn may_reach(self, server: &Server) -> bool {
        let own = window().location().host();
        let own = own.or_logged("reading the page's address");
        own.as_deref() == Some(server.host())
            || self.agreed.read().as_deref() == Some(server.host())
    }

    /// Takes note that the visitor agreed to the server that the address names.
    pub fn agree(self) {
        let server = self.state.get_untracked().server;
        self.agreed
            .set(server.map(|server| server.host().to_owned()));
    }

    fn retry_view(self) {
        self.run_view();
        self.retry();
    }

    /// Returns true if the view names another server than the one that was connected to.
    pub(super) fn is_of_another_server(self, view: &View) -> bool {
        view.device == DeviceChoice::Server && view.server != self.server.get_value()
    }

    /// Starts a worker that relays to the server that the address names.
    pub(super) fn connect(self, worker: u32) {
        let server = self.state.get_untracked().server;
        self.server.set_value(server.clone());
        let unasked = |fault| self.reply(worker, 0, Received::Unasked(fault));
        let Some(server) = server else {
            return unasked(ServerFault::Unnamed);
        };
        if !untrack(|| self.may_reach(&server)) {
            return unasked(ServerFault::Unconfirmed);
        }
        self.spawn(worker, Backend::Server, false, move |event| {
            self.heard_from_server(event);
        });
        self.send(worker, |handle| handle.connect(connect_to(&server, PATH)));
    }

    /// Passes a message on, unless the server has another model than the page expects.
    fn heard_from_server(self, event: Event) {
        let (ready, worker, id) = match &event {
            Event::Reply {
                worker,
                id,
                reply: Received::Plain(Reply::Ready(ready)),
            } => (ready.clone(), *worker, *id),
            _ => return self.tell(event),
        };
        let Some(served) = ready.served.clone() else {
            return self.tell(event);
        };
        let wanted = self.engine.with_untracked(|engine| engine.wanted().model);
        match self.matched(wanted, &served) {
            Match::Same => {
                self.hold(&served, &ready);
                self.tell(event);
            }
            Match::Any => self.introduce(&served, &ready),
            Match::Other => {
                let failure = Failure::OtherModel {
                    runs_here: self.runs_here(wanted),
                    name: served.name,
                };
                let reply = Received::Plain(Reply::Failed(failure));
                self.tell(Event::Reply { worker, id, reply });
            }
        }
    }

    fn matched(self, wanted: Model, served: &ServedModel) -> Match {
        let is_same = match wanted {
            Model::Mine(None) => return Match::Any,
            Model::Mine(Some(id)) => id == About::id_of_served(served),
            Model::Served(_) => is_published(wanted, served),
            Model::Trained(_) => false,
        };
        if is_same { Match::Same } else { Match::Other }
    }

    /// Returns true if the browser has the model's files, or can have them.
    fn runs_here(self, model: Model) -> bool {
        match model {
            Model::Served(_) | Model::Trained(_) => true,
            Model::Mine(id) => self.mine.files(id).is_some(),
        }
    }

    fn hold(self, served: &ServedModel, ready: &ReadyReply) {
        self.mine.hold_served(About::of_served(served, ready));
    }

    /// Makes the server's model the one of the view: one of the page's own if it is one, with all that the page knows of
    /// it.
    fn introduce(self, served: &ServedModel, ready: &ReadyReply) {
        let published = Model::served().find(|&model| is_published(model, served));
        self.hold(served, ready);
        self.state.update(|view| match published {
            Some(model) => {
                let typed = Some(view.text.clone()).filter(|text| text != view.model.first_text());
                view.use_model(model);
                if let Some(text) = typed {
                    view.use_text(text);
                }
            }
            None => view.use_mine(About::id_of_served(served), &served.name),
        });
        self.run_view();
    }
}

/// Returns true if the weights of a model of this page are those that the server has.
fn is_published(model: Model, served: &ServedModel) -> bool {
    let Some(directory) = model.directory() else {
        return false;
    };
    let mut files = checkpoint(directory).into_iter();
    let weights = files.find(|file| file.name == WEIGHTS);
    weights.is_some_and(|weights| weights.sha256 == served.weights)
}

/// Returns the message by which a worker connects to a socket of a server: encrypted if the page is.
pub fn connect_to(server: &Server, path: &str) -> Connect {
    let protocol = window().location().protocol();
    let protocol = protocol.or_logged("reading the page's address");
    let scheme = match protocol.as_deref() {
        Some("https:") => "wss",
        _ => "ws",
    };
    Connect {
        url: format!("{scheme}://{}/{path}", server.host()),
        token: server.token().to_owned(),
    }
}

/// Returns the seconds before the next attempt to connect, after so many in a row that failed.
pub fn wait_before_attempt_s(failed: u32) -> u32 {
    2_u32.saturating_pow(failed).min(LONGEST_WAIT_S)
}

#[cfg(test)]
mod tests {
    use super::wait_before_attempt_s;

    #[test]
    fn the_time_between_attempts_doubles_up_to_half_a_minute() {
        let waits = [0, 1, 2, 3, 4, 5, u32::MAX].map(wait_before_attempt_s);
        assert_eq!(waits, [1, 2, 4, 8, 16, 30, 30]);
    }
}
