//! `attn`: train, translate, trace and evaluate the models of this crate.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use attention_model::training::{Recipe, TrainOptions, train};
use burn::tensor::Device;
use clap::{Parser, Subcommand, ValueEnum};

/// Training allocates and frees large buffers all the time; the system's allocator gives each back
/// to the system and asks for it again.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(version, about)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Train a model from a recipe
    Train {
        recipe: PathBuf,
        #[arg(long)]
        data: PathBuf,
        #[arg(long)]
        out: PathBuf,
        #[arg(long, default_value = "cpu")]
        device: DeviceName,
        #[arg(long, default_value_t = 1)]
        workers: usize,
        #[arg(long)]
        minutes: Option<u64>,
    },
}

#[derive(Clone, Copy, ValueEnum)]
enum DeviceName {
    Cpu,
    #[cfg(feature = "libtorch")]
    Libtorch,
}

impl DeviceName {
    fn device(self) -> Device {
        match self {
            DeviceName::Cpu => Device::flex(),
            #[cfg(feature = "libtorch")]
            DeviceName::Libtorch => Device::libtorch(),
        }
    }
}

fn main() -> ExitCode {
    match run(Cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("attn: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> Result<(), Box<dyn std::error::Error>> {
    match cli.command {
        Command::Train {
            recipe,
            data,
            out,
            device,
            workers,
            minutes,
        } => {
            let recipe: Recipe = toml::from_str(&std::fs::read_to_string(recipe)?)?;
            let time_limit = minutes.map(|minutes| Duration::from_secs(60 * minutes));
            train(
                &recipe,
                &TrainOptions {
                    data,
                    out,
                    device: device.device(),
                    workers,
                    time_limit,
                },
            )?;
        }
    }
    Ok(())
}
