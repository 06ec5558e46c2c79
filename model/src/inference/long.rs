//! Passes over long texts, whose maps and logits take more memory than the model.

use attention_trace::{Generates, Quantities, Quantity, Token};

use super::check_length;
use crate::checkpoint::Checkpoint;
use crate::error::ModelError;

impl Checkpoint {
    /// Returns the quantities that a pass over a text records in place of the wanted ones: if its attention weights do not
    /// fit in memory, thumbnails of them alone.
    ///
    /// # Errors
    /// If the tokenizer refuses the text.
    pub fn recordable(&self, text: &str, wanted: Quantities) -> Result<Quantities, ModelError> {
        let spec = self.spec();
        let tokens = self.tokenizer.encode(text)?.len();
        let fits = tokens <= spec.longest_recorded(spec.recorded_maps(wanted));
        Ok(match fits || !wanted.contains(Quantity::Pattern) {
            true => wanted,
            false => Quantities::of(&[Quantity::Thumbnail]),
        })
    }

    /// Checks that so many maps of an input fit in memory.
    pub(super) fn check_maps(&self, input: &[Token], maps: usize) -> Result<(), ModelError> {
        check_length(input.len(), Some(self.spec().longest_recorded(maps)))
    }

    /// Returns true if a pass needs the logits after all positions, not only after those that wrote a token.
    pub(super) fn needs_all_logits(&self, quantities: Quantities) -> bool {
        let generates = self.spec().generates;
        let guesses = matches!(generates, Generates::MaskedWords | Generates::Labels);
        guesses || quantities.contains(Quantity::Logits)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use attention_trace::{Search, Trace};

    use super::*;
    use crate::inference::RunOptions;

    const TEXT: &str = "abcdefghabcdefghabcdefghabcdefghabcdefghabcdefghabcdefgh";

    fn traced(checkpoint: &Checkpoint, quantities: &[Quantity]) -> Trace {
        let device = crate::device::cpu();
        let options = RunOptions {
            search: Search::Greedy,
            prefix: vec![],
            max_new_tokens: 5,
            quantities: Quantities::of(quantities),
            edits: vec![],
        };
        let found = checkpoint.decode(TEXT, &options, &device, async |_| true);
        let found = pollster::block_on(found).unwrap();
        pollster::block_on(checkpoint.trace(TEXT, &found, &options, &device)).unwrap()
    }

    fn checkpoint() -> Checkpoint {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/models/positions/rope");
        Checkpoint::open(&folder, &crate::device::cpu()).unwrap()
    }

    #[test]
    fn thumbnails_of_a_pass_are_those_of_its_maps() {
        let checkpoint = checkpoint();
        let whole = traced(&checkpoint, &[Quantity::Pattern]);
        let reduced = traced(&checkpoint, &[Quantity::Thumbnail]);
        assert!(reduced.is_reduced() && !whole.is_reduced());
        assert!(whole.meta.target.len() > 48);
        assert_eq!(reduced.arrays, whole.light().arrays);
    }

    #[test]
    fn steps_are_the_same_whether_all_logits_are_recorded() {
        let checkpoint = checkpoint();
        let few = traced(&checkpoint, &[]).decoding.unwrap();
        let all = traced(&checkpoint, &[Quantity::Logits]);
        assert_eq!(few.steps.len(), 5);
        let pairs = few.steps.iter().zip(&all.decoding.as_ref().unwrap().steps);
        for (few, all) in pairs {
            assert_eq!(
                (few.row, few.chosen.token.id),
                (all.row, all.chosen.token.id)
            );
            for (few, all) in few.candidates.iter().zip(&all.candidates) {
                assert!((few.logit - all.logit).abs() < 1e-4);
            }
        }
        assert_eq!(
            all.arrays[&attention_trace::Site::LOGITS].shape[0],
            all.meta.target.len()
        );
    }

    #[test]
    fn maps_that_do_not_fit_become_thumbnails() {
        let checkpoint = checkpoint();
        let wanted = Quantities::of(&[Quantity::Pattern, Quantity::Query]);
        assert_eq!(checkpoint.recordable(TEXT, wanted).unwrap(), wanted);
        let spec = checkpoint.spec();
        let long = "a".repeat(1 + spec.longest_recorded(spec.recorded_maps(wanted)));
        let thumbnails = Quantities::of(&[Quantity::Thumbnail]);
        assert_eq!(checkpoint.recordable(&long, wanted).unwrap(), thumbnails);
        let few = Quantities::of(&[Quantity::Residual]);
        assert_eq!(checkpoint.recordable(&long, few).unwrap(), few);
        let tokens = checkpoint.tokenizer.encode(&long).unwrap();
        let refused = checkpoint.check_maps(&tokens, spec.recorded_maps(wanted));
        assert!(matches!(refused, Err(ModelError::InputTooLong { .. })));
    }
}
