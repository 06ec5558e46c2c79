//! The options of runs over a corpus.

use std::path::PathBuf;
use std::thread::available_parallelism;

use clap::Args;

use super::DeviceOption;
use super::Shard;

#[derive(Args)]
pub struct RunOptions {
    /// Threads that each measure a part of the lines; by default as many as the processor has cores
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    workers: Option<u16>,
    /// Seconds between two saves of the progress, to FILE.part beside the result; the same command goes on from there
    #[arg(long, default_value_t = 5)]
    pub save_seconds: u64,
}

impl RunOptions {
    /// Returns the number of threads that measure: of a GPU, a single one keeps it busy.
    pub fn worker_count(&self, device: &DeviceOption) -> usize {
        let by_default = match device.gpu() {
            Some(_) => 1,
            None => available_parallelism().map_or(1, usize::from),
        };
        self.workers.map_or(by_default, usize::from)
    }
}

#[derive(Args)]
pub struct CorpusOptions {
    #[command(flatten)]
    pub run: RunOptions,
    /// Measure a share of the lines alone, such as 2/8 for every eighth line from the second on, and write its sums, which
    /// `attn merge` adds up
    #[arg(long, value_name = "INDEX/COUNT")]
    pub shard: Option<Shard>,
}

#[derive(Args)]
pub struct MergeOptions {
    /// The files that runs with --shard wrote: all shards of one corpus
    #[arg(required = true)]
    pub shards: Vec<PathBuf>,
    /// The JSON file that the result is written to, as by a run without --shard
    #[arg(long)]
    pub out: PathBuf,
}
