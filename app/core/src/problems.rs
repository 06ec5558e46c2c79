//! Messages about failures, in the visitor's words.

use attention_protocol::{Failure, FilesFault};
use attention_trace::{EditFault, config::MODEL_TYPES};
use leptos_i18n::I18nContext;

use crate::{
    engine::{Problem, ServerFault},
    i18n::{Locale, t_string},
    widgets::numbers::{apart, megabytes},
};

/// Describes the problem in the visitor's language.
pub fn problem_words(i18n: I18nContext<Locale>, problem: &Problem) -> String {
    match problem {
        Problem::Failure(failure) => failure_words(i18n, failure),
        Problem::Died(reason) => t_string!(i18n, engine.died, reason = reason.clone()),
        Problem::Silent => t_string!(i18n, engine.silent).to_owned(),
        Problem::Part(failure) => {
            t_string!(i18n, engine.part, reason = failure_words(i18n, failure))
        }
        Problem::Unreadable(reason) => t_string!(i18n, engine.unreadable, reason = reason.clone()),
        Problem::Example(reason) => t_string!(i18n, engine.example, reason = reason.clone()),
        Problem::Server(fault) => server_fault(i18n, fault, String::new()),
    }
}

/// Explains in words why a server does not answer.
pub fn server_fault(i18n: I18nContext<Locale>, fault: &ServerFault, host: String) -> String {
    match fault {
        ServerFault::Unnamed => t_string!(i18n, engine.server_unnamed).to_owned(),
        ServerFault::Unconfirmed => t_string!(i18n, engine.server_unconfirmed, host = host),
        ServerFault::Gone => t_string!(i18n, engine.server_gone, host = host),
        ServerFault::Token => t_string!(i18n, engine.server_token, host = host),
        ServerFault::Full => t_string!(i18n, engine.server_full, host = host),
        ServerFault::Ended(reason) => {
            t_string!(
                i18n,
                engine.server_ended,
                host = host,
                reason = reason.clone()
            )
        }
    }
}

/// True if the failure is only an empty input, which calls for a hint and no alarm.
pub fn is_of_empty_text(failure: &Failure) -> bool {
    matches!(failure, Failure::EmptyInput)
}

/// Explains in the visitor's language why a request failed.
pub fn failure_words(i18n: I18nContext<Locale>, failure: &Failure) -> String {
    match failure {
        Failure::EmptyInput => t_string!(i18n, engine.empty_input).to_owned(),
        Failure::Recorded => t_string!(i18n, engine.recorded).to_owned(),
        &Failure::InputTooLong { tokens, limit } => {
            t_string!(i18n, engine.input_too_long, tokens = tokens, limit = limit)
        }
        Failure::Picture { reason } => {
            t_string!(i18n, picture.refused, reason = reason.clone())
        }
        Failure::NoPicture { name } => t_string!(i18n, picture.not_here, name = name.clone()),
        &Failure::ForcedToken { token, vocabulary } => {
            t_string!(
                i18n,
                engine.forced_token,
                token = token,
                vocabulary = vocabulary
            )
        }
        Failure::Download { url, reason } => {
            t_string!(
                i18n,
                engine.download,
                url = url.clone(),
                reason = reason.clone()
            )
        }
        Failure::Stalled { url, silent_s } => {
            t_string!(i18n, engine.stalled, url = url.clone(), seconds = *silent_s)
        }
        Failure::Checkpoint { reason } => {
            t_string!(i18n, engine.checkpoint, reason = reason.clone())
        }
        Failure::Files { fault } => files_fault(i18n, fault),
        Failure::NoWebGpu => t_string!(i18n, engine.no_webgpu).to_owned(),
        Failure::WrongNumbers {
            difference,
            kernels,
        } => wrong_numbers(i18n, *difference, kernels),
        Failure::DeviceLost { reason } => {
            // Browsers end theirs with a full stop; so does the message.
            let reason = reason.trim_end_matches('.').to_owned();
            t_string!(i18n, engine.device_lost, reason = reason)
        }
        Failure::Edit { fault } => edit_fault(i18n, *fault),
        Failure::Template { fault } => {
            let reason = fault.reason.clone();
            match fault.line {
                Some(line) => t_string!(i18n, chat.fault_line, line = line, reason = reason),
                None => t_string!(i18n, chat.fault, reason = reason),
            }
        }
        Failure::Cancelled => t_string!(i18n, engine.cancelled).to_owned(),
        Failure::NotReady => t_string!(i18n, engine.not_ready).to_owned(),
        Failure::OtherModel { name, .. } => {
            t_string!(i18n, engine.other_model, name = name.clone())
        }
        Failure::Protocol { reason } => t_string!(i18n, engine.protocol, reason = reason.clone()),
    }
}

/// Explains in words why files from the visitor's disk are not a usable model.
pub fn files_fault(i18n: I18nContext<Locale>, fault: &FilesFault) -> String {
    match fault {
        FilesFault::Missing { names, instead } => {
            let names = names.join(", ");
            match instead.is_empty() {
                true => t_string!(i18n, models.missing, names = names),
                false => {
                    let instead = instead.join(", ");
                    t_string!(
                        i18n,
                        models.missing_instead,
                        names = names,
                        instead = instead
                    )
                }
            }
        }
        FilesFault::Unreadable { name, reason } => {
            let (name, reason) = (name.clone(), reason.clone());
            t_string!(i18n, models.unreadable, name = name, reason = reason)
        }
        FilesFault::Json { name, reason } => {
            let (name, reason) = (name.clone(), reason.clone());
            t_string!(i18n, models.json, name = name, reason = reason)
        }
        FilesFault::Architecture { found } => {
            let known = MODEL_TYPES.join(", ");
            match found.is_empty() {
                true => t_string!(i18n, models.no_architecture, known = known),
                false => {
                    t_string!(
                        i18n,
                        models.architecture,
                        found = found.clone(),
                        known = known
                    )
                }
            }
        }
        &FilesFault::TooLarge { bytes, limit } => {
            let (needed, most) = (megabytes(bytes), megabytes(limit));
            t_string!(i18n, models.too_large, needed = needed, most = most)
        }
        FilesFault::Unfit { reason } => t_string!(i18n, models.unfit, reason = reason.clone()),
    }
}

/// Explains in words why a model cannot make an edit.
pub fn edit_fault(i18n: I18nContext<Locale>, fault: EditFault) -> String {
    match fault {
        EditFault::Layer => t_string!(i18n, engine.edit_layer),
        EditFault::Head => t_string!(i18n, engine.edit_head),
        EditFault::Factor => t_string!(i18n, engine.edit_factor),
        EditFault::Width => t_string!(i18n, engine.edit_width),
        EditFault::Keys => t_string!(i18n, engine.edit_keys),
        EditFault::Sum => t_string!(i18n, engine.edit_sum),
        EditFault::Rope => t_string!(i18n, engine.edit_rope),
        EditFault::Groups => t_string!(i18n, engine.edit_groups),
    }
    .to_owned()
}

/// Describes the error of a device, and the kernels where it occurred if they are known.
fn wrong_numbers(i18n: I18nContext<Locale>, difference: Option<f32>, kernels: &[String]) -> String {
    let wrong = match difference {
        Some(difference) => t_string!(i18n, engine.wrong_numbers, difference = apart(difference)),
        None => t_string!(i18n, engine.not_numbers).to_owned(),
    };
    if kernels.is_empty() {
        return wrong;
    }
    let kernels = t_string!(i18n, engine.wrong_kernels, kernels = kernels.join(", "));
    format!("{wrong} {kernels}")
}
