//! Times one model natively: passes whose attention weights and logits are all read, and greedy decoding.
//!
//! ```sh
//! cargo run --release -p attention-model --features webgpu --example passes -- \
//!     --model assets/models/translator --text "Je dors." --new-tokens 48 --device gpu --out pass.safetensors
//! ```
//!
//! Prints JSON with all times in milliseconds, and writes what the pass computed. `tests/bench/card.py` calls it.

use std::collections::BTreeSet;
use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::Sequence;
use attention_model::device;
use attention_model::error::ModelError;
use attention_model::inference::RunOptions;
use attention_trace::{Generates, Quantities, Quantity, Search, Site, Token, Trace};
use burn::tensor::Device;
use clap::{Parser, ValueEnum};
use pollster::block_on;
use serde::Serialize;

/// The allocator of `attn`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Time passes, and decoding, of a model on one text.
#[derive(Parser)]
struct Options {
    /// Directory with config.json, model.safetensors and tokenizer.json
    #[arg(long)]
    model: PathBuf,
    /// The text that the model reads
    #[arg(long)]
    text: String,
    /// The most tokens that a translator writes, and that decoding is timed with; of a decoder-only model, 0 times none
    #[arg(long, default_value_t = 0)]
    new_tokens: usize,
    /// The device that computes
    #[arg(long, default_value = "cpu")]
    device: DeviceName,
    /// Threads that share a pass on the CPU
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
    /// Seconds of warming up before each series
    #[arg(long, default_value = "1", value_parser = seconds)]
    warm_up: Duration,
    /// Seconds that a series takes, unless it needs more for --least
    #[arg(long, default_value = "2", value_parser = seconds)]
    series: Duration,
    /// The fewest runs of a series, and of its warming up
    #[arg(long, default_value_t = 5)]
    least: usize,
    /// The file of the traced pass, in safetensors format
    #[arg(long)]
    out: PathBuf,
}

#[derive(Clone, Copy, ValueEnum)]
enum DeviceName {
    /// burn's pure-Rust CPU backend
    Cpu,
    /// The best Vulkan, Metal or DirectX adapter
    #[cfg(feature = "webgpu")]
    Gpu,
}

/// The measurements of a run; all times in milliseconds.
#[derive(Serialize)]
struct Measured {
    /// The graphics card; `None` of the CPU.
    adapter: Option<Adapter>,
    /// From the files to a model that is ready.
    create_ms: f64,
    /// The first pass after that, as those of `pass_ms`.
    first_ms: f64,
    /// Passes, until every attention weight and all logits are arrays of the host.
    pass_ms: Vec<f64>,
    /// The times of the same passes if only the attention of the last layer is read: the time of computing.
    computed_ms: Vec<f64>,
    /// Decodings that end after one token.
    prompt_ms: Vec<f64>,
    /// Decodings of as many tokens as asked for.
    decode_ms: Vec<f64>,
    /// The tokens that the encoder reads.
    source: Vec<u32>,
    /// The tokens that the decoder reads.
    target: Vec<u32>,
    /// The tokens that greedy decoding appends.
    written: Vec<u32>,
}

/// A graphics card, as its driver names it.
#[derive(Serialize)]
struct Adapter {
    name: String,
    driver: String,
    api: String,
}

/// A model on its device with what it is asked.
struct Bench {
    options: Options,
    device: Device,
    checkpoint: Checkpoint,
    /// The translation that the pass reads after its text; empty for other models.
    sequences: Vec<Sequence>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let (device, adapter) = open_device(&options)?;
    let began = Instant::now();
    let checkpoint = Checkpoint::open(&options.model, &device)?;
    let create_ms = milliseconds(began);
    let mut bench = Bench {
        options,
        device,
        checkpoint,
        sequences: vec![],
    };
    if bench.checkpoint.spec().generates == Generates::TextFromText {
        bench.sequences = bench.decode(bench.options.new_tokens)?;
    }
    let began = Instant::now();
    let trace = bench.trace()?;
    let first_ms = milliseconds(began);
    std::fs::write(&bench.options.out, trace.to_safetensors()?)?;
    let measured = bench.measure(adapter, create_ms, first_ms, &trace)?;
    println!("{}", serde_json::to_string(&measured)?);
    Ok(())
}

impl Bench {
    fn measure(
        &self,
        adapter: Option<Adapter>,
        create_ms: f64,
        first_ms: f64,
        trace: &Trace,
    ) -> Result<Measured, ModelError> {
        let pass_ms = self.times(|| self.trace().map(drop))?;
        let mut attentions = trace.arrays.keys().copied();
        let last = attentions.rfind(|site| *site != Site::LOGITS);
        let computed_ms = self.times(|| self.compute(last.unwrap_or(Site::LOGITS)))?;
        let tokens = self.options.new_tokens;
        let (mut prompt_ms, mut decode_ms, mut written) = (vec![], vec![], vec![]);
        if tokens > 0 {
            prompt_ms = self.times(|| self.decode(1).map(drop))?;
            decode_ms = self.times(|| self.decode(tokens).map(drop))?;
            let best = self.decode(tokens)?.into_iter().next();
            written = best.map_or_else(Vec::new, |sequence| sequence.tokens);
        }
        Ok(Measured {
            adapter,
            create_ms,
            first_ms,
            pass_ms,
            computed_ms,
            prompt_ms,
            decode_ms,
            source: ids(&trace.meta.source),
            target: ids(&trace.meta.target),
            written,
        })
    }

    /// Makes the pass that the page requests, with every attention weight and all logits.
    fn trace(&self) -> Result<Trace, ModelError> {
        let run = run_options(0);
        block_on(
            self.checkpoint
                .trace(&self.options.text, &self.sequences, &run, &self.device),
        )
    }

    /// Makes the pass and reads one array, which waits for all operations requested before.
    fn compute(&self, site: Site) -> Result<(), ModelError> {
        block_on(self.checkpoint.arrays(
            &self.options.text,
            &self.sequences,
            &BTreeSet::from([site]),
            &[],
            &self.device,
        ))
        .map(drop)
    }

    /// Greedy decoding of at most so many tokens, the logits of each read.
    fn decode(&self, tokens: usize) -> Result<Vec<Sequence>, ModelError> {
        let run = run_options(tokens);
        block_on(
            self.checkpoint
                .decode(&self.options.text, &run, &self.device, async |_| true),
        )
    }

    /// Returns the time of each run of a series, in milliseconds, after a warm-up that is not counted.
    fn times(&self, run: impl Fn() -> Result<(), ModelError>) -> Result<Vec<f64>, ModelError> {
        self.runs_of(self.options.warm_up, &run)?;
        self.runs_of(self.options.series, &run)
    }

    fn runs_of(
        &self,
        time: Duration,
        run: &impl Fn() -> Result<(), ModelError>,
    ) -> Result<Vec<f64>, ModelError> {
        let began = Instant::now();
        let mut times = vec![];
        while times.len() < self.options.least || began.elapsed() < time {
            let began = Instant::now();
            run()?;
            times.push(milliseconds(began));
        }
        Ok(times)
    }
}

fn run_options(max_new_tokens: usize) -> RunOptions {
    RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens,
        quantities: Quantities::of(&[Quantity::Pattern, Quantity::Logits]),
        edits: vec![],
    }
}

/// The device, and which card it is.
fn open_device(options: &Options) -> Result<(Device, Option<Adapter>), Box<dyn Error>> {
    match options.device {
        DeviceName::Cpu => {
            share_work(options.threads.into());
            Ok((device::cpu(), None))
        }
        #[cfg(feature = "webgpu")]
        DeviceName::Gpu => {
            let (device, setup) = block_on(Device::wgpu_options().init_with_setup_async())?;
            let info = setup.adapter.get_info();
            let adapter = Adapter {
                name: info.name,
                driver: format!("{} {}", info.driver, info.driver_info),
                api: info.backend.to_string(),
            };
            Ok((device, Some(adapter)))
        }
    }
}

/// Starts threads that help the calling one with passes, and waits until they are counted.
fn share_work(threads: usize) {
    for _ in 1..threads {
        std::thread::spawn(|| device::help_cpu(|| {}));
    }
    while device::cpu_threads() < threads {
        std::thread::yield_now();
    }
}

fn ids(tokens: &[Token]) -> Vec<u32> {
    tokens.iter().map(|token| token.id).collect()
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// A number of seconds, neither negative nor endless.
fn seconds(text: &str) -> Result<Duration, Box<dyn Error + Send + Sync>> {
    Ok(Duration::try_from_secs_f64(text.parse()?)?)
}
