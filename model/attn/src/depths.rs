//! `attn depths`: the number of depths that the tokens of sentence pairs use.

use attention_model::evaluation::{self, Columns, PairFilter};
use pollster::block_on;

use crate::batch::pairs_for;
use crate::io::{Outcome, open, progress_bar};
use crate::options::DepthsOptions;

/// Prints the depths of both stacks.
pub fn depths(options: &DepthsOptions) -> Outcome {
    let device = options.model.device.device()?;
    let checkpoint = open(&options.model, &device)?;
    if checkpoint.spec().halting().is_none() {
        return Err(
            "the positions of this model use every depth: there is nothing to count".into(),
        );
    }
    let columns = Columns {
        source: Some(options.source),
        target: options.target,
        english: options.english,
    };
    let file = (
        options.pairs.as_path(),
        columns,
        PairFilter::of(options.test_split),
    );
    let (pairs, batch) = pairs_for(&checkpoint, file, None)?;
    let bar = progress_bar(pairs.len())?;
    let found = evaluation::depths(&checkpoint, &pairs, &device, || bar.inc(1));
    let found = block_on(found)?;
    bar.finish_and_clear();
    println!("{}", serde_json::to_string_pretty(&found)?);
    batch.finish()
}
