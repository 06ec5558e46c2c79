//! Rules that say which tokens may be written at which position: a model's own, and those of the files beside its
//! weights, as `generate()` of `transformers` applies them.

/// Rules that restrict the tokens of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Tokens that end a sequence, the usual one first; none if only the limit ends it.
    pub end_tokens: Vec<u32>,
    /// Sequences of tokens that are never completed; those of one token are never written.
    pub bad_words: Vec<Vec<u32>>,
    /// Tokens that are never written.
    pub suppressed: Vec<u32>,
    /// Tokens that are not written first.
    pub suppressed_first: Vec<u32>,
    /// The only token that may follow a single one.
    pub forced_first: Option<u32>,
    /// The only tokens that may be the last one when the limit of tokens is reached.
    pub forced_last: Vec<u32>,
    /// The number of tokens that must be written before a sequence may end.
    pub min_new_tokens: Option<usize>,
    /// The number of tokens that must be read and written before a sequence may end; applies if `min_new_tokens` is
    /// `None`.
    pub min_length: usize,
    /// The length of token sequences that must not occur twice in the tokens read and written; 0 sets no rule.
    pub no_repeat_ngram: usize,
}

/// A position at which a token is written.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// The tokens that the decoder has read and written before it.
    pub before: &'a [u32],
    /// The number of these that were written.
    pub written: usize,
    /// True if it is the last.
    pub is_last: bool,
}

impl Rules {
    /// Returns true if `token` ends a sequence.
    pub fn is_end(&self, token: u32) -> bool {
        self.end_tokens.contains(&token)
    }

    /// Returns the tokens that may be written at no position.
    pub fn never(&self) -> Vec<u32> {
        let single = self.bad_words().filter(|word| word.len() == 1);
        let single = single.filter_map(|word| word.first().copied());
        self.suppressed.iter().copied().chain(single).collect()
    }

    /// Returns the only tokens that may be at a position; `None` if none are forced there.
    pub fn forced(&self, position: Position<'_>) -> Option<Vec<u32>> {
        let mut forced = match self.forced_first {
            _ if position.is_last && !self.forced_last.is_empty() => self.forced_last.clone(),
            Some(token) if position.before.len() == 1 => vec![token],
            _ => return None,
        };
        let suppressed = self.suppressed_at(position);
        forced.retain(|token| !suppressed.contains(token));
        // Of equally good tokens a search takes the first one of the vocabulary.
        forced.sort_unstable();
        forced.dedup();
        Some(forced)
    }

    /// Returns the tokens that must not be at a position without forced tokens. Some may be listed twice.
    pub fn forbidden(&self, position: Position<'_>) -> Vec<u32> {
        let mut forbidden = self.suppressed_at(position);
        forbidden.extend(self.completed(position.before));
        forbidden.extend(self.repeated(position.before));
        let is_short = match self.min_new_tokens {
            Some(least) => position.written < least,
            None => position.before.len() < self.min_length,
        };
        if is_short {
            forbidden.extend(&self.end_tokens);
        }
        forbidden
    }

    /// Returns the bad words except end tokens, which are never bad: otherwise nothing would end.
    fn bad_words(&self) -> impl Iterator<Item = &Vec<u32>> {
        let is_end = |word: &[u32]| matches!(word, [token] if self.is_end(*token));
        self.bad_words.iter().filter(move |word| !is_end(word))
    }

    fn suppressed_at(&self, position: Position<'_>) -> Vec<u32> {
        // After a single token that another one must follow, the text begins with the one after.
        let read = position.before.len() - position.written;
        let first = usize::from(self.forced_first.is_some() && read == 1);
        let mut suppressed = self.suppressed.clone();
        if position.written == first {
            suppressed.extend(&self.suppressed_first);
        }
        suppressed
    }

    /// Returns the tokens that would complete a bad word.
    fn completed(&self, before: &[u32]) -> impl Iterator<Item = u32> {
        self.bad_words().filter_map(move |word| {
            let (last, beginning) = word.split_last()?;
            before.ends_with(beginning).then_some(*last)
        })
    }

    /// Returns the tokens that would repeat a sequence of tokens.
    fn repeated(&self, before: &[u32]) -> Vec<u32> {
        let Some(shorter) = self.no_repeat_ngram.checked_sub(1) else {
            return vec![];
        };
        let Some(beginning) = before.len().checked_sub(shorter).map(|at| &before[at..]) else {
            return vec![];
        };
        before
            .windows(self.no_repeat_ngram)
            .filter(|window| window.starts_with(beginning))
            .filter_map(|window| window.last().copied())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(before: &[u32], written: usize) -> Position<'_> {
        Position {
            before,
            written,
            is_last: false,
        }
    }

    #[test]
    fn bad_words_are_not_completed_and_an_end_is_none() {
        let rules = Rules {
            end_tokens: vec![1],
            bad_words: vec![vec![4], vec![1], vec![5, 6], vec![5, 7, 8]],
            suppressed: vec![9],
            ..Rules::default()
        };
        assert_eq!(rules.never(), [9, 4]);
        assert_eq!(rules.forbidden(at(&[0, 3], 1)), [9, 4]);
        assert_eq!(rules.forbidden(at(&[0, 5], 1)), [9, 4, 6]);
        assert_eq!(rules.forbidden(at(&[5, 7], 1)), [9, 4, 8]);
        assert_eq!(rules.forbidden(at(&[7], 0)), [9, 4]);
    }

    #[test]
    fn what_would_repeat_a_sequence_is_forbidden() {
        let rules = |no_repeat_ngram| Rules {
            no_repeat_ngram,
            ..Rules::default()
        };
        let before = [0, 4, 5, 4, 6, 4];
        assert_eq!(rules(0).forbidden(at(&before, 5)), [0; 0]);
        assert_eq!(rules(1).forbidden(at(&before, 5)), before);
        assert_eq!(rules(2).forbidden(at(&before, 5)), [5, 6]);
        assert_eq!(rules(3).forbidden(at(&before, 5)), [0; 0]);
        assert_eq!(rules(9).forbidden(at(&before, 5)), [0; 0]);
    }

    #[test]
    fn nothing_ends_too_early() {
        let rules = Rules {
            end_tokens: vec![1, 2],
            min_length: 3,
            ..Rules::default()
        };
        assert_eq!(rules.forbidden(at(&[0, 4], 1)), [1, 2]);
        assert_eq!(rules.forbidden(at(&[0, 4, 5], 2)), [0; 0]);
        let rules = Rules {
            min_new_tokens: Some(1),
            ..rules
        };
        assert_eq!(rules.forbidden(at(&[0], 0)), [1, 2]);
        assert_eq!(rules.forbidden(at(&[0, 4], 1)), [0; 0]);
    }

    #[test]
    fn a_forced_token_is_the_only_one() {
        let rules = Rules {
            suppressed_first: vec![7],
            forced_first: Some(5),
            forced_last: vec![3, 1, 2, 1],
            suppressed: vec![2],
            ..Rules::default()
        };
        assert_eq!(rules.forced(at(&[0], 0)), Some(vec![5]));
        assert_eq!(rules.forced(at(&[0, 5], 1)), None);
        assert_eq!(rules.forbidden(at(&[0, 5], 1)), [2, 7]);
        assert_eq!(rules.forbidden(at(&[0, 5, 6], 2)), [2]);
        // A prompt of several tokens is followed by whatever comes.
        assert_eq!(rules.forced(at(&[3, 4], 0)), None);
        assert_eq!(rules.forbidden(at(&[3, 4], 0)), [2, 7]);
        let last = Position {
            is_last: true,
            ..at(&[0], 0)
        };
        assert_eq!(rules.forced(last), Some(vec![1, 3]));
    }
}
