//! The model's errors as the page is told of them.

use attention_model::error::ModelError;
use attention_protocol::Failure;

/// What the page is to say.
pub fn from_model(error: ModelError) -> Failure {
    match error {
        ModelError::EmptyInput => Failure::EmptyInput,
        ModelError::InputTooLong { tokens, limit } => Failure::InputTooLong { tokens, limit },
        ModelError::ForcedToken { token, vocabulary } => Failure::ForcedToken { token, vocabulary },
        ModelError::Cancelled => Failure::Cancelled,
        ModelError::Device(reason) => Failure::DeviceLost { reason },
        other => Failure::Checkpoint {
            reason: other.to_string(),
        },
    }
}
