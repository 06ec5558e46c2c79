//! `attn roles`: scores for the roles of every head of a model.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

use attention_model::checkpoint::Checkpoint;
use attention_model::evaluation::head_roles;
use attention_model::training::digest;
use attention_trace::alignment::AlignedPair;
use attention_trace::roles::{AlignedSet, HeadRoles, Role, RoleSet, RolesQuestion, write_role_set};
use pollster::block_on;

use crate::batch::{Batch, aligned_pairs, role_sentences};
use crate::io::{Outcome, open, progress_bar, read_bytes, write};
use crate::options::{ReadingOptions, RolesOptions};

/// The number of heads printed for each role.
const PRINTED: usize = 3;

/// Measures the roles of heads, prints the clearest heads of each role, and writes the scores of all.
pub fn roles(options: &RolesOptions) -> Outcome {
    let device = options.model.device.device();
    let model = options.model.path()?;
    let checkpoint = open(&options.model, &device)?;
    if checkpoint.spec().kinds().is_empty() {
        return Err("this model has no attention".into());
    }
    let (sentences, mut batch) = role_sentences(&checkpoint, &options.sentences)?;
    let (pairs, aligned_batch) = match &options.pairs {
        Some(path) => aligned(&checkpoint, path, &options.reading)?,
        None => (vec![], Batch::of("no pairs")),
    };
    let bar = progress_bar(sentences.len() + pairs.len())?;
    let question = RolesQuestion {
        sentences,
        forced: vec![],
        seed: options.seed,
    };
    let began = Instant::now();
    let measured = head_roles(&checkpoint, question, &pairs, &device, || bar.inc(1));
    let (set, skipped) = block_on(measured)?;
    bar.finish_and_clear();
    for sentence in skipped {
        batch.leave_out(sentence.line, &sentence.reason);
    }
    let set = RoleSet {
        weights: digest(&read_bytes(&weights_file(&model))?),
        sentences: digest(&read_bytes(&options.sentences)?),
        alignment: aligned_set(options, pairs.len())?,
        ..set
    };
    print(&set);
    println!("seconds     {:.0}", began.elapsed().as_secs_f64());
    write(&options.out, write_role_set(&set)?.as_bytes())?;
    Batch::finish_all([batch, aligned_batch])
}

/// Returns the file that the weights of a model are read from, or their index.
pub fn weights_file(model: &Path) -> PathBuf {
    const OTHERS: [&str; 3] = [
        "model.safetensors.index.json",
        "pytorch_model.bin",
        "pytorch_model.bin.index.json",
    ];
    let whole = model.join("model.safetensors");
    if model.is_file() || whole.is_file() {
        return if model.is_file() {
            model.to_owned()
        } else {
            whole
        };
    }
    let mut others = OTHERS.iter().map(|name| model.join(name));
    others.find(|path| path.is_file()).unwrap_or(whole)
}

/// A pair, and the text in front of its source.
type Prefixed = (AlignedPair, String);

/// Returns the aligned pairs, each with the text in front of its source.
fn aligned(
    checkpoint: &Checkpoint,
    path: &Path,
    reading: &ReadingOptions,
) -> Result<(Vec<Prefixed>, Batch), Box<dyn Error>> {
    let (pairs, batch) = aligned_pairs(checkpoint, path, reading)?;
    let with_prefix = pairs.into_iter().map(|pair| {
        let prefix = reading.prefix_of(&pair.language).to_owned();
        (pair, prefix)
    });
    Ok((with_prefix.collect(), batch))
}

fn aligned_set(options: &RolesOptions, pairs: usize) -> Result<Option<AlignedSet>, Box<dyn Error>> {
    let Some(path) = &options.pairs else {
        return Ok(None);
    };
    let file = digest(&read_bytes(path)?);
    Ok(Some(AlignedSet { file, pairs }))
}

fn print(set: &RoleSet) {
    println!("sentences   {}", set.texts.len());
    for &role in Role::ALL {
        let scored = set
            .heads
            .iter()
            .filter_map(|head| Some((head, head.roles.of(role)?)));
        let mut scored: Vec<_> = scored.collect();
        if scored.is_empty() {
            continue;
        }
        scored.sort_by(|one, other| other.1.above_chance().total_cmp(&one.1.above_chance()));
        let clear = scored.iter().filter(|(_, score)| score.is_clear()).count();
        println!("{role}: {clear} of {} heads", scored.len());
        for (head, score) in scored.into_iter().take(PRINTED) {
            let (weight, chance) = (score.weight, score.chance);
            println!(
                "    {}: {weight:.3}, by chance {chance:.3}",
                name(head, role)
            );
        }
    }
}

fn name(head: &HeadRoles, role: Role) -> String {
    let place = String::from(head.attention);
    match head.roles.offset.filter(|_| role == Role::Offset) {
        Some(offset) => format!("{place}, head {}, offset {offset:+}", head.head),
        None => format!("{place}, head {}", head.head),
    }
}
