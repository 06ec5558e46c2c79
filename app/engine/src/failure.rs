//! The conversion of the model's errors to failures for the page.

use std::error::Error;
use std::fmt::{self, Display, Formatter};

use attention_chat::TemplateFault;
use attention_model::error::ModelError;
use attention_model::verification::Disagreement;
use attention_protocol::{Failure, FilesFault};

use crate::Host;

/// The fault of a file that can no longer be read.
#[derive(Debug)]
pub struct Unreadable(pub FilesFault);

impl Display for Unreadable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.0 {
            FilesFault::Unreadable { name, reason } => write!(f, "{name} cannot be read: {reason}"),
            fault => write!(f, "{fault:?}"),
        }
    }
}

impl Error for Unreadable {}

/// Converts an error of the model to a failure.
pub fn from_model(error: ModelError) -> Failure {
    match error {
        ModelError::EmptyInput => Failure::EmptyInput,
        ModelError::InputTooLong { tokens, limit } => Failure::InputTooLong { tokens, limit },
        ModelError::Picture(reason) => Failure::Picture { reason },
        ModelError::ForcedToken { token, vocabulary } => Failure::ForcedToken { token, vocabulary },
        ModelError::Edit(fault) => Failure::Edit { fault },
        ModelError::Cancelled => Failure::Cancelled,
        ModelError::Device(reason) => Failure::DeviceLost { reason },
        ModelError::Read(error) => unread(&error),
        other => Failure::Checkpoint {
            reason: other.to_string(),
        },
    }
}

/// Converts the error of a file that cannot be read any more.
fn unread(error: &std::io::Error) -> Failure {
    let known = error.get_ref().and_then(|error| error.downcast_ref());
    match known {
        Some(Unreadable(fault)) => Failure::Files {
            fault: fault.clone(),
        },
        None => Failure::Checkpoint {
            reason: error.to_string(),
        },
    }
}

/// Converts a fault of the chat template to a failure.
pub fn from_template(fault: TemplateFault) -> Failure {
    Failure::Template { fault }
}

/// Converts the result of comparing a device or a model with the CPU. It is logged too: the page continues
/// without the device, and a developer needs the report.
///
/// # Errors
/// If the results differ, or the device failed during the comparison.
pub fn from_check(
    host: &impl Host,
    checked: Result<Option<Disagreement>, ModelError>,
) -> Result<(), Failure> {
    let Some(Disagreement {
        difference,
        kernels,
    }) = checked.map_err(from_model)?
    else {
        return Ok(());
    };
    let difference_text = difference.map_or("not numbers".to_owned(), |difference| {
        format!("off by {difference:.1e}")
    });
    let kernels_text = match kernels.as_slice() {
        [] => "no kernel of ours alone".to_owned(),
        kernels => kernels.join(", "),
    };
    host.log_error(&format!(
        "the device computed a known example wrongly ({difference_text}); wrong by themselves: {kernels_text}"
    ));
    Err(Failure::WrongNumbers {
        difference,
        kernels: kernels.into_iter().map(str::to_owned).collect(),
    })
}
