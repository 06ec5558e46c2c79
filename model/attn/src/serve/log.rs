//! The log of a server: one line for each event, on standard error. No line has a text that a visitor typed.

use std::io;

use tracing_subscriber::filter::LevelFilter;

use crate::options::LogForm;

/// Begins the log of this process.
pub fn begin(form: LogForm) {
    let log = tracing_subscriber::fmt()
        .with_writer(io::stderr)
        .with_ansi(false);
    match form {
        LogForm::Text => log.with_max_level(LevelFilter::INFO).init(),
        LogForm::Json => log.json().with_max_level(LevelFilter::INFO).init(),
        LogForm::None => log.with_max_level(LevelFilter::ERROR).init(),
    }
}
