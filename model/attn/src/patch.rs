//! `attn patch`: the share of a difference of logits that comes back when one run takes over activations of another.

use attention_model::checkpoint::Checkpoint;
use attention_trace::{
    MapQuestion, Pair, Patched, PatchingMap, PatchingPair, PatchingRuns, Site, Stack, Token,
};
use burn::tensor::Device;
use pollster::block_on;
use serde::Serialize;

use crate::io::{Outcome, open};
use crate::lens::token;
use crate::options::PatchOptions;
use crate::terminal::escaped;

/// The report that is printed as JSON.
#[derive(Serialize)]
struct Report<'a> {
    runs: &'a PatchingRuns,
    pair: &'a PatchingPair,
    maps: Vec<Map>,
}

/// A map: its question without the texts, its rows, its columns as pairs of positions or heads, and the results.
#[derive(Serialize)]
struct Map {
    stack: Stack,
    patched: Patched,
    rows: Vec<Site>,
    columns: Vec<String>,
    seconds: f32,
    #[serde(flatten)]
    map: PatchingMap,
    /// For each cell, the fraction of the way from the other run to the clean one.
    shares: Vec<Option<f32>>,
}

/// Prints the maps of two texts.
pub fn patch(options: &PatchOptions) -> Outcome {
    let device = options.model.device.device()?;
    let checkpoint = open(&options.model, &device)?;
    let texts = (options.text.as_str(), options.other.as_str());
    let most = options.max_new_tokens;
    let runs = checkpoint.patching_runs(texts, options.step, most, &device, async || true);
    let runs = block_on(runs)?;
    let pair = pair(&checkpoint, options, &runs)?;
    let mut maps = vec![];
    for (stack, patched) in wanted(&checkpoint, options) {
        maps.push(map(
            &checkpoint,
            options,
            (&runs, &pair),
            (stack, patched),
            &device,
        )?);
    }
    let report = Report {
        runs: &runs,
        pair: &pair,
        maps,
    };
    match options.json {
        true => println!("{}", serde_json::to_string_pretty(&report)?),
        false => print(&checkpoint, &report),
    }
    Ok(())
}

/// Returns the two words to compare, at the step after the tokens that the clean run wrote.
fn pair(
    checkpoint: &Checkpoint,
    options: &PatchOptions,
    runs: &PatchingRuns,
) -> Result<PatchingPair, Box<dyn std::error::Error>> {
    let word = |place: usize| runs.words.get(place).map(|word| word.token.id);
    let answer = token(checkpoint, options.answer.as_deref())?.or(word(0));
    let against = token(checkpoint, options.against.as_deref())?.or(word(1));
    let written = runs.clean.written.iter().take(runs.step);
    Ok(PatchingPair {
        text: options.text.clone(),
        other: options.other.clone(),
        target: written.map(|token| token.id).collect(),
        answer: answer.ok_or("the model considers no word")?,
        against: against.ok_or("the model considers one word alone")?,
    })
}

fn wanted(checkpoint: &Checkpoint, options: &PatchOptions) -> Vec<(Stack, Patched)> {
    let spec = checkpoint.spec();
    let stacks = [Stack::Encoder, Stack::Decoder].into_iter();
    let stacks = stacks.filter(|&stack| spec.stack(stack).is_some());
    let stacks = stacks.filter(|&stack| options.stack.is_none_or(|only| only == stack));
    let kinds = |stack| {
        let all = Patched::ALL.into_iter();
        all.filter(|&patched| options.what.is_none_or(|only| only == patched))
            .map(move |patched| (stack, patched))
    };
    stacks.flat_map(kinds).collect()
}

fn map(
    checkpoint: &Checkpoint,
    options: &PatchOptions,
    (runs, pair): (&PatchingRuns, &PatchingPair),
    (stack, patched): (Stack, Patched),
    device: &Device,
) -> Result<Map, Box<dyn std::error::Error>> {
    let question = MapQuestion {
        pair: pair.clone(),
        stack,
        patched,
        into: options.into,
    };
    let began = std::time::Instant::now();
    let found = block_on(checkpoint.patching_map(&question, device, async |_| true))?;
    let spec = checkpoint.spec();
    let pairs = spec.patching_pairs(stack, &runs.clean.read, &runs.other.read, pair.target.len());
    let heads = spec.stack(stack).map_or(0, |stack| stack.heads);
    let cells = found.cells.iter();
    Ok(Map {
        stack,
        patched,
        rows: spec.patching_sites(stack, patched),
        columns: match patched {
            Patched::Heads => (0..heads).map(|head| head.to_string()).collect(),
            _ => named(&pairs, &read(runs, pair, stack, spec.reads_source())),
        },
        seconds: began.elapsed().as_secs_f32(),
        shares: cells
            .map(|cell| found.ends.share(cell.difference))
            .collect(),
        map: found,
    })
}

/// Returns the tokens that a stack reads in both runs.
fn read(
    runs: &PatchingRuns,
    pair: &PatchingPair,
    stack: Stack,
    has_source: bool,
) -> [Vec<Token>; 2] {
    let target = &runs.clean.written[..pair.target.len()];
    [&runs.clean, &runs.other].map(|run| match (stack, has_source) {
        (Stack::Encoder, _) => run.read.clone(),
        (Stack::Decoder, true) => {
            let start = Token {
                id: 0,
                text: "<start>".to_owned(),
                unknown: false,
            };
            [vec![start], target.to_vec()].concat()
        }
        (Stack::Decoder, false) => [run.read.as_slice(), target].concat(),
    })
}

/// Returns the tokens of pairs of positions, a single one if both are the same.
fn named(pairs: &[Pair], [clean, other]: &[Vec<Token>; 2]) -> Vec<String> {
    let name = |tokens: &[Token], place: Option<usize>| {
        let token = place.and_then(|place| tokens.get(place));
        token.map_or("—", |token| token.text.as_str()).to_owned()
    };
    let pair = |pair: &Pair| match pair.is_same {
        true => name(clean, pair.before),
        false => format!("{}/{}", name(clean, pair.before), name(other, pair.after)),
    };
    pairs.iter().map(pair).collect()
}

fn print(checkpoint: &Checkpoint, report: &Report<'_>) {
    let Report { runs, pair, maps } = report;
    for (run, text) in [("clean", &runs.clean.text), ("other", &runs.other.text)] {
        println!("{run}: {}", escaped(text));
    }
    let name = |id: u32| escaped(&checkpoint.tokenizer.token(id).text);
    let (answer, against) = (name(pair.answer), name(pair.against));
    println!(
        "step {}: logit of “{answer}” less that of “{against}”",
        runs.step
    );
    for map in maps {
        print_map(map);
    }
}

/// Prints a line per place, with the share of each column in per cent.
fn print_map(map: &Map) {
    let ends = map.map.ends;
    println!(
        "\n{} {}: {:+.4} in the clean run (100 %), {:+.4} in the other (0 %); {} cells in {:.2} s",
        map.stack,
        map.patched,
        ends.clean,
        ends.other,
        map.map.cells.len(),
        map.seconds
    );
    println!("{:<24} {}", "", escaped(&map.columns.join("  ")));
    for (row, site) in map.rows.iter().enumerate() {
        print!("{:<24}", site.to_string());
        for column in 0..map.columns.len() {
            let cells = map.map.cells.iter().zip(&map.shares);
            let mut here = cells.filter(|(cell, _)| (cell.row, cell.column) == (row, column));
            match here.next().and_then(|(_, share)| *share) {
                Some(share) => print!(" {:>6.1}", 100.0 * share),
                None => print!(" {:>6}", "—"),
            }
        }
        println!();
    }
}
