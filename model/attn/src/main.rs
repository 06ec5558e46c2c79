//! `attn`: train, translate, trace, evaluate and serve the models of this project.
//!
//! Exits with 0 on success, 1 if the work failed, 2 if the command line is wrong.

mod align;
mod batch;
mod commands;
mod compare;
mod corpus;
mod depths;
mod digits;
mod eval;
mod export;
mod hub;
mod importance;
mod inspect;
mod io;
mod lengths;
mod lens;
mod lstmn;
mod marks;
mod merge;
mod options;
mod patch;
mod precisions;
mod roles;
mod serve;
#[cfg(feature = "remote")]
mod serve_device;
mod terminal;
mod trace;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use options::{Cli, Command};

/// The allocator of the program. Training constantly allocates and frees large buffers, and the system's allocator
/// would return each to the system and request it again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Train(options) => commands::train(options),
        Command::Translate(options) => commands::translate(options),
        Command::Trace(options) => trace::trace(&options),
        Command::Export(options) => export::export(&options),
        Command::Inspect(options) => inspect::inspect(&options),
        Command::Lens(options) => lens::lens(&options),
        Command::Patch(options) => patch::patch(&options),
        Command::Eval(options) => eval::eval(&options),
        Command::Compare(options) => compare::compare(&options),
        Command::Depths(options) => depths::depths(&options),
        Command::Importance(options) => importance::importance(&options),
        Command::Align(options) => align::align(&options),
        Command::Roles(options) => roles::roles(&options),
        Command::Merge(options) => merge::merge(&options),
        Command::Serve(options) => serve::serve(&options),
        #[cfg(feature = "remote")]
        Command::Device(options) => serve_device::serve_device(&options),
        Command::Round(options) => commands::round(&options),
        Command::Watch(options) => watch::watch(&options),
        Command::Digits(options) => digits::digits(&options),
        Command::Marks(options) => marks::marks(&options),
        Command::Lstmn(options) => lstmn::lstmn(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("attn: {}", terminal::escaped(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}
