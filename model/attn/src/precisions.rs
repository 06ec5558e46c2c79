//! `attn compare A B --text`: two files of the same model on one text, head by head.

use std::error::Error;

use attention_model::checkpoint::Checkpoint;
use attention_model::decoding::Sequence;
use attention_model::inference::RunOptions;
use attention_model::tokenizer::Tokenizer;
use attention_trace::difference::{
    HeadDifference, LogitDifference, Parting, Unlike, head_differences, logit_differences,
    unlike_models, unlike_tokens,
};
use attention_trace::{
    Array, AttentionLayer, Quantities, Quantity, Search, Site, Stack, Token, Trace,
};
use burn::tensor::Device;
use pollster::block_on;
use serde::Serialize;

use crate::hub::local;
use crate::io::{Outcome, open_directory, write};
use crate::options::PrecisionOptions;
use crate::terminal::escaped;

/// Heads that are listed by name.
const LISTED: usize = 10;

/// The differences of two files of a model on one text.
#[derive(Serialize)]
struct Report {
    /// The models as they were named.
    models: [String; 2],
    /// The text that both models read.
    text: String,
    /// The tokens that both encoders read; empty without an encoder.
    source: Vec<Token>,
    /// The tokens that both decoders read: the text's, or the start, and those that the first model wrote.
    target: Vec<Token>,
    /// The difference of each head's map.
    heads: Vec<HeadDifference>,
    /// The difference of the logits after each position; empty if the models make none.
    logits: Vec<LogitDifference>,
    /// The tokens that each model writes by itself.
    continuations: [Vec<Token>; 2],
    /// These tokens as texts.
    texts: [String; 2],
    /// The first step at which the continuations differ.
    parting: Option<Parting>,
}

/// The pass of a model, and what it writes by itself.
struct Pass {
    trace: Trace,
    written: Vec<Token>,
    text: String,
}

/// Prints the differences of both models, and writes them as JSON. The models are opened one after the other, so that
/// memory holds one of them.
pub fn compare(options: &PrecisionOptions, device: &Device) -> Outcome {
    let [Some(one), Some(other)] = [0, 1].map(|place| options.files.get(place)) else {
        return Err("two models are compared".into());
    };
    let text = options.text.as_deref().unwrap_or_default();
    let run = RunOptions {
        search: Search::Greedy,
        prefix: vec![],
        max_new_tokens: options.max_new_tokens,
        quantities: Quantities::of(&[Quantity::Pattern, Quantity::Logits]),
        edits: vec![],
    };
    let first = open_directory(&local(one)?, device)?;
    let sequences = decode(&first, text, &run, device)?;
    let left = pass(&first, text, (&sequences, &sequences), &run, device)?;
    let tokenizer = first.tokenizer;
    let second = open_directory(&local(other)?, device)?;
    if let Some(unlike) = unlike_models([&left.trace.meta.spec, &second.spec()])
        .or_else(|| unlike_pieces(&tokenizer, &second.tokenizer))
    {
        return Err(refused(&unlike));
    }
    let own = decode(&second, text, &run, device)?;
    let right = pass(&second, text, (&sequences, &own), &run, device)?;
    if let Some(unlike) = unlike_tokens([&left.trace.meta, &right.trace.meta]) {
        return Err(refused(&unlike));
    }
    let names = [one, other].map(|path| path.display().to_string());
    let report = report(names, text, left, right).ok_or("the passes have other arrays")?;
    print(&report);
    match &options.json {
        Some(path) => Ok(write(path, &serde_json::to_vec_pretty(&report)?)?),
        None => Ok(()),
    }
}

fn refused(unlike: &Unlike) -> Box<dyn Error> {
    format!("the models cannot be compared head by head: {unlike}").into()
}

fn decode(
    checkpoint: &Checkpoint,
    text: &str,
    run: &RunOptions,
    device: &Device,
) -> Result<Vec<Sequence>, Box<dyn Error>> {
    Ok(block_on(checkpoint.decode(
        text,
        run,
        device,
        async |_| true,
    ))?)
}

/// Makes the pass of a model over the text and the tokens that the first model wrote; `own` are those that it writes itself.
fn pass(
    checkpoint: &Checkpoint,
    text: &str,
    (given, own): (&[Sequence], &[Sequence]),
    run: &RunOptions,
    device: &Device,
) -> Result<Pass, Box<dyn Error>> {
    let trace = block_on(checkpoint.trace(text, given, run, device))?;
    let own = own.first().map_or(&[][..], |sequence| &sequence.tokens);
    Ok(Pass {
        trace,
        written: own
            .iter()
            .map(|&id| checkpoint.tokenizer.token(id))
            .collect(),
        text: checkpoint.tokenizer.decode(own)?,
    })
}

/// Returns the first piece in which two tokenizers differ, of the numbers that both have.
fn unlike_pieces(one: &Tokenizer, other: &Tokenizer) -> Option<Unlike> {
    let count = one.vocabulary().min(other.vocabulary());
    (0..count as u32).find_map(|id| {
        let values = [one, other].map(|tokenizer| tokenizer.token(id).text);
        (values[0] != values[1]).then(|| Unlike {
            field: format!("piece {id} of the tokenizer"),
            values: values.map(|text| format!("“{text}”")),
        })
    })
}

/// Returns the differences; `None` if an array of one pass is not one of the other.
fn report(names: [String; 2], text: &str, left: Pass, right: Pass) -> Option<Report> {
    let spec = &left.trace.meta.spec;
    let mut heads = vec![];
    for kind in spec.kinds() {
        for layer in 0..spec.layers(kind) {
            let attention = AttentionLayer { kind, layer };
            let maps = both(&left, &right, attention.at(Quantity::Pattern))?;
            heads.extend(head_differences(attention, maps)?);
        }
    }
    let logits = both(&left, &right, Site::LOGITS);
    let differences = match logits {
        Some(logits) => logit_differences(logits)?,
        None => vec![],
    };
    let meta = &left.trace.meta;
    // The last token that was written is read by no pass.
    let first_row = meta.target.len().saturating_sub(left.written.len().max(1));
    let continuations = [left.written.clone(), right.written.clone()];
    let parting = logits.and_then(|logits| {
        let [one, other] = &continuations;
        Parting::find([one, other], logits, first_row)
    });
    Some(Report {
        models: names,
        text: text.to_owned(),
        source: meta.source.clone(),
        target: meta.target.clone(),
        heads,
        logits: differences,
        continuations,
        texts: [left.text, right.text],
        parting,
    })
}

fn both<'a>(left: &'a Pass, right: &'a Pass, site: Site) -> Option<[&'a Array; 2]> {
    Some([left.trace.array(site)?, right.trace.array(site)?])
}

fn print(report: &Report) {
    for (name, mark) in report.models.iter().zip(["A", "B"]) {
        println!("{mark}  {}", escaped(name));
    }
    print_heads(report);
    print_logits(report);
    println!();
    match &report.parting {
        Some(parting) => print_parting(parting),
        None if report.continuations.iter().all(Vec::is_empty) => {
            println!("The models write no text.");
        }
        None => println!("Greedy decoding writes the same tokens."),
    }
    for (text, mark) in report.texts.iter().zip(["A", "B"]) {
        println!("{mark}  “{}”", escaped(text));
    }
}

/// Prints the heads that moved most, and all heads by layer.
fn print_heads(report: &Report) {
    let mut sorted = report.heads.clone();
    sorted.sort_by(|one, other| other.mean.total_cmp(&one.mean));
    println!("\nWeight that moved to other keys, in percent: mean over queries, and the largest");
    for head in sorted.iter().take(LISTED) {
        let tokens = match head.attention.kind.stack() {
            Stack::Encoder => &report.source,
            Stack::Decoder => &report.target,
        };
        let query = tokens.get(head.query).map_or("", |token| &token.text);
        println!(
            "{:18} head {:<3} {:7.3} {:7.3}  query {} “{}”",
            head.attention.block().to_string(),
            head.head,
            100.0 * head.mean,
            100.0 * head.largest,
            head.query,
            escaped(query)
        );
    }
    println!("\nMean of every head, in percent: a line for each layer, a column for each head");
    for layer in report
        .heads
        .chunk_by(|one, other| one.attention == other.attention)
    {
        let name = layer
            .first()
            .map_or_else(String::new, |head| head.attention.block().to_string());
        let means: Vec<String> = layer
            .iter()
            .map(|head| format!("{:7.3}", 100.0 * head.mean))
            .collect();
        println!("{name:18} {}", means.concat());
    }
}

fn print_logits(report: &Report) {
    let by = |value: fn(&LogitDifference) -> f32| {
        let rows = report.logits.iter();
        rows.max_by(|one, other| value(one).total_cmp(&value(other)))
    };
    let (Some(largest), Some(diverging)) = (by(|row| row.largest), by(|row| row.divergence)) else {
        return;
    };
    let sum: f64 = report
        .logits
        .iter()
        .map(|row| f64::from(row.divergence))
        .sum();
    println!(
        "\nLogits: largest difference {:.4}, after position {}",
        largest.largest, largest.position
    );
    println!(
        "KL(A‖B): mean {:.3e} nats, largest {:.3e} after position {}",
        sum / report.logits.len() as f64,
        diverging.divergence,
        diverging.position
    );
}

fn print_parting(parting: &Parting) {
    println!(
        "Greedy decoding parts at token {} of the continuation; probabilities in A and B:",
        parting.step + 1
    );
    let [one, other] = parting.probabilities;
    for (place, (token, mark)) in parting.tokens.iter().zip(["A", "B"]).enumerate() {
        println!(
            "{mark} writes “{}”  {:.4} {:.4}",
            escaped(&token.text),
            one[place],
            other[place]
        );
    }
}
