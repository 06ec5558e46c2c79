//! The connection to a server: the models that run there, and the next attempt after it was lost.
//!
//! A server has one model. The others run in the browser, on the CPU. Nothing on screen changes when the connection is
//! lost; once it is there again, what ran runs again.

use attention_protocol::Failure;

use super::{
    super::{
        data::{Backend, Command, Phase, Problem, ServerFault},
        server::wait_before_attempt_s,
    },
    Engine,
};
use crate::state::Model;

/// The state of the connection to a server.
#[derive(Clone, Debug, Default)]
pub(super) struct Connection {
    /// The models that the server lacks.
    lacks: Vec<Model>,
    /// The name of the model that it has instead.
    has: Option<String>,
    /// The attempts in a row that failed.
    pub(super) attempts: u32,
    /// Seconds until the next attempt.
    pub(super) wait_s: Option<u32>,
}

impl Engine {
    /// Returns the seconds until the next attempt to reach the server, if one is due.
    pub fn reconnects_in_s(&self) -> Option<u32> {
        self.connection.wait_s
    }

    /// Returns the name of the server's model, if the wanted one runs in the browser because the server lacks it.
    pub fn server_has(&self) -> Option<&str> {
        let is_lacking = self.connection.lacks.contains(&self.wanted.model);
        self.connection.has.as_deref().filter(|_| is_lacking)
    }

    /// Returns where the wanted model runs if a server was chosen.
    pub(super) fn backend_beside_server(&self) -> Backend {
        match self.connection.lacks.contains(&self.wanted.model) {
            true => Backend::Cpu,
            false => Backend::Server,
        }
    }

    /// Handles the answer of a server that has another model than the one that is loading.
    pub(super) fn lacks_model(&mut self, name: String, runs_here: bool) -> Vec<Command> {
        if !runs_here {
            let failure = Failure::OtherModel { name, runs_here };
            return self.broke_down(Problem::Failure(failure));
        }
        if let Phase::Loading { model, .. } = self.phase {
            self.connection.lacks.push(model);
        }
        self.connection.has = Some(name);
        self.boot(self.backend_beside_server())
    }

    /// Handles the end of the connection: it is made again after a time that grows with each failed attempt.
    pub(super) fn disconnected(&mut self, fault: ServerFault) -> Vec<Command> {
        self.requeue_run();
        if !fault.may_pass() {
            self.problem = Some(Problem::Server(fault));
            return self.stop();
        }
        let commands = self.stop();
        self.problem = Some(Problem::Server(fault));
        self.phase = Phase::Booting;
        let wait_s = wait_before_attempt_s(self.connection.attempts);
        self.connection.attempts += 1;
        self.connection.wait_s = Some(wait_s);
        commands
    }

    /// Counts a second down to the next attempt; `None` if none is due.
    pub(super) fn tick_connection(&mut self) -> Option<Vec<Command>> {
        let wait_s = self.connection.wait_s.as_mut()?;
        *wait_s = wait_s.saturating_sub(1);
        Some(match wait_s {
            0 => self.boot(Backend::Server),
            _ => Vec::new(),
        })
    }
}
