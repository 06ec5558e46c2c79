//! The grouping of examples of similar length into batches.

use rand::seq::SliceRandom;
use rand::{SeedableRng, rngs::StdRng};

use super::batch::Encoded;

/// Groups `examples` into batches of at most `batch_tokens` tokens, padding included, each of sentences of similar
/// length, in an order that `seed` decides.
pub fn deal(examples: &[Encoded], batch_tokens: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..examples.len()).collect();
    // Shuffled first, so that sentences of one length meet others each epoch.
    order.shuffle(&mut rng);
    order.sort_by_key(|&i| (examples[i].input.len(), examples[i].source.len()));
    let mut batches = vec![];
    let mut batch: Vec<usize> = vec![];
    let (mut source, mut target) = (0, 0);
    for index in order {
        let example = &examples[index];
        let wider = (
            source.max(example.source.len()),
            target.max(example.input.len()),
        );
        if !batch.is_empty() && (batch.len() + 1) * (wider.0 + wider.1) > batch_tokens {
            batches.push(std::mem::take(&mut batch));
            (source, target) = (example.source.len(), example.input.len());
        } else {
            (source, target) = wider;
        }
        batch.push(index);
    }
    batches.extend((!batch.is_empty()).then_some(batch));
    batches.shuffle(&mut rng);
    batches
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_example_is_dealt_once_and_batches_fit(
            lengths in prop::collection::vec((1usize..20, 1usize..20), 1..60),
            seed in any::<u64>(),
        ) {
            let examples: Vec<Encoded> = lengths
                .iter()
                .map(|&(s, t)| Encoded::shifted(vec![3; s], 0, &vec![3; t]))
                .collect();
            let batches = deal(&examples, 64, seed);
            let mut dealt: Vec<usize> = batches.concat();
            dealt.sort_unstable();
            prop_assert_eq!(dealt, (0..examples.len()).collect::<Vec<_>>());
            for batch in &batches {
                let widest = |length: fn(&Encoded) -> usize| batch.iter().map(|&i| length(&examples[i])).max().unwrap();
                let area = batch.len() * (widest(|e| e.source.len()) + widest(|e| e.input.len()));
                prop_assert!(area <= 64 || batch.len() == 1);
            }
            prop_assert_eq!(deal(&examples, 64, seed), batches);
        }
    }
}
