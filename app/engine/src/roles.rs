//! The roles of heads on many sentences, in turns: other questions and runs are answered between them.

use attention_model::roles::RoleMeasurement;
use attention_protocol::{Answer, Failure, RolesTurn};
use attention_trace::roles::write_role_set;

use crate::pace::Pace;
use crate::{Engine, Host, failure};

/// The time that a turn reads sentences for; it ends with the sentence that exceeds it.
const TURN_MS: f64 = 250.0;

impl Engine {
    /// Goes on with the measurement that was begun for this question, or begins it. Ends early if the request is no
    /// longer `current`.
    ///
    /// # Errors
    /// If a sentence cannot be read, or the device fails.
    pub async fn roles(
        &self,
        host: &impl Host,
        turn: &RolesTurn,
        current: impl Fn() -> bool,
    ) -> Result<Answer, Failure> {
        let kept = self.roles.take();
        let mut measurement = match kept.filter(|kept| kept.answers(&turn.question)) {
            Some(kept) => kept,
            None => RoleMeasurement::new(&self.checkpoint, turn.question.clone())
                .map_err(failure::from_model)?,
        };
        let pace = Pace::new(host, &current);
        let began_ms = host.now_ms();
        while turn.reads && !measurement.is_finished() {
            let step = measurement.step(&self.checkpoint, &self.chosen.device);
            step.await.map_err(failure::from_model)?;
            if host.now_ms() - began_ms >= TURN_MS || !pace.goes_on().await {
                break;
            }
        }
        let returns = turn.returns || measurement.is_finished();
        let set = returns.then(|| write_role_set(&measurement.set()));
        let set = set.transpose().map_err(|error| Failure::Protocol {
            reason: error.to_string(),
        })?;
        let progress = measurement.progress();
        self.roles.replace(Some(measurement));
        Ok(Answer::Roles { progress, set })
    }
}
