//! `attn inspect`: the card of a model.

use std::ops::RangeInclusive;

use attention_model::checkpoint::Checkpoint;
use attention_trace::card::{FileTensor, ModelCard, TensorGroup, by_layer, encodings};
use attention_trace::{Generates, ModelSpec, Stack, StackSpec};
use serde::Serialize;

use crate::hub::local;
use crate::io::{Outcome, open_directory};
use crate::options::InspectOptions;
use crate::terminal::escaped;

/// The facts that are printed as JSON.
#[derive(Serialize)]
struct Facts<'a> {
    spec: &'a ModelSpec,
    parameters: usize,
    #[serde(flatten)]
    card: &'a ModelCard,
}

/// Prints the facts of a model, and its tensors by layer; layers with equal tensors are printed once.
pub fn inspect(options: &InspectOptions) -> Outcome {
    let checkpoint = open_directory(&local(&options.model)?, &options.device.device()?)?;
    let spec = checkpoint.spec();
    let card = &checkpoint.card;
    if options.json {
        let facts = Facts {
            spec: &spec,
            parameters: checkpoint.model.weights(),
            card,
        };
        println!("{}", serde_json::to_string_pretty(&facts)?);
        return Ok(());
    }
    print_facts(&checkpoint, &spec);
    println!("\nTensors of the file: {}", card.tensors.len());
    for (names, group) in alike(&by_layer(&card.tensors)) {
        println!("{}", escaped(&names));
        for tensor in &group.tensors {
            print_tensor(tensor, card);
        }
    }
    print_list("Not used", &card.unused);
    print_list(
        "Copies of the embedding table, which is read once",
        &card.copies,
    );
    print_list("Not in the file, kept at their initial value", &card.absent);
    Ok(())
}

fn print_facts(checkpoint: &Checkpoint, spec: &ModelSpec) {
    let fact = |name: &str, value: String| println!("{name:14} {}", escaped(&value));
    let generates = match spec.generates {
        Generates::TextFromText => "one text out of another",
        Generates::Continuation => "the continuation of a text",
        Generates::MaskedWords => "masked words",
        Generates::Labels => "the class of a picture",
        Generates::Nothing => "nothing",
    };
    fact("family", spec.model_type.clone());
    fact("generates", generates.to_owned());
    for stack in [Stack::Encoder, Stack::Decoder] {
        if let Some(sizes) = spec.stack(stack) {
            fact(&stack.to_string(), sizes_of(sizes));
        }
    }
    fact("width", spec.width.to_string());
    fact("vocabulary", spec.vocabulary.to_string());
    if let Some(tokens) = spec.max_tokens {
        fact("most tokens", tokens.to_string());
    }
    fact("parameters", checkpoint.model.weights().to_string());
    let megabytes = checkpoint.card.loaded_bytes as f64 / 1e6;
    fact("memory", format!("{megabytes:.1} MB of weights"));
    let all: u64 = checkpoint
        .card
        .tensors
        .iter()
        .map(FileTensor::weights)
        .sum();
    let shares = encodings(&checkpoint.card.tensors).into_iter();
    let shares = shares.map(|(name, weights)| {
        let share = 100.0 * weights as f64 / all.max(1) as f64;
        format!("{name} {share:.1} %")
    });
    fact("stored as", shares.collect::<Vec<_>>().join(", "));
    let template = if checkpoint.chat.is_some() {
        "yes"
    } else {
        "no"
    };
    fact("chat template", template.to_owned());
}

fn sizes_of(stack: &StackSpec) -> String {
    let mut words = vec![
        format!("layers {}", stack.layers),
        format!("heads {}", stack.heads),
    ];
    if stack.key_value_heads != stack.heads {
        words.push(format!(
            "heads of keys and values {}",
            stack.key_value_heads
        ));
    }
    words.push(format!("width of a head {}", stack.head_width));
    if let Some(network) = stack.feed_forward {
        let gated = if network.gated { ", gated" } else { "" };
        words.push(format!("feed-forward {}{gated}", network.width));
    }
    words.join(", ")
}

fn print_tensor(tensor: &FileTensor, card: &ModelCard) {
    let mark = match &tensor.name {
        name if card.unused.contains(name) => "  not used",
        name if card.copies.contains(name) => "  copy",
        _ => "",
    };
    println!(
        "  {:44} {:6} {}{mark}",
        escaped(tensor.part()),
        tensor.encoding,
        tensor.written_shape()
    );
}

fn print_list(title: &str, names: &[String]) {
    if !names.is_empty() {
        println!("\n{title}: {}", escaped(&names.join(", ")));
    }
}

/// Returns the groups with their names; of layers that follow each other and have equal tensors, the first stands for all.
fn alike<'a>(groups: &[TensorGroup<'a>]) -> Vec<(String, TensorGroup<'a>)> {
    let parts = |group: &TensorGroup<'_>| -> Vec<(String, String, Vec<u64>)> {
        let tensors = group.tensors.iter();
        tensors
            .map(|tensor| {
                (
                    tensor.part().to_owned(),
                    tensor.encoding.clone(),
                    tensor.shape.clone(),
                )
            })
            .collect()
    };
    let mut found: Vec<(RangeInclusive<usize>, TensorGroup<'a>)> = vec![];
    for (place, group) in groups.iter().enumerate() {
        match found.last_mut() {
            Some((range, first)) if group.layer.is_some() && parts(first) == parts(group) => {
                *range = *range.start()..=place;
            }
            _ => found.push((place..=place, group.clone())),
        }
    }
    let named = |(range, group): (RangeInclusive<usize>, TensorGroup<'a>)| {
        let last = groups.get(*range.end()).and_then(|last| last.layer);
        let name = match (group.layer, last) {
            (Some(first), Some(last)) if first != last => format!("{first} to {last}, each"),
            (Some(layer), _) => layer.to_owned(),
            (None, _) => "outside the layers".to_owned(),
        };
        (name, group)
    };
    found.into_iter().map(named).collect()
}
