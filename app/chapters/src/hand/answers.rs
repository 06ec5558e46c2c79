//! Whom a pronoun attends to, head by head, as plain data.

use std::ops::Range;

use attention_trace::{Array, Token};

use super::sentences::{Sentence, places};

/// The weights that one head gives from the pronoun.
#[derive(Clone, Debug, PartialEq)]
pub struct HeadAnswer {
    /// The layer of the head, from 0.
    pub layer: usize,
    /// The index of the head in the layer, from 0.
    pub head: usize,
    /// The token with the largest weight, by its place, and the weight.
    pub most: (usize, f32),
    /// The weight on each name, all its tokens together; `None` where the text has no such name.
    pub names: [Option<f32>; 3],
}

/// The weights that all heads give from the pronoun.
#[derive(Clone, Debug, PartialEq)]
pub struct Answers {
    /// The form of the sentence that was read.
    pub form: usize,
    pub tokens: Vec<String>,
    /// The distances in tokens from the pronoun to each name; `None` for a name that the form lacks.
    pub distances: [Option<usize>; 3],
    /// The weights of each head, layer by layer.
    pub heads: Vec<HeadAnswer>,
}

impl Answers {
    /// The answers out of the weights of each layer, `[h, n, n]`; `None` where the pronoun or the weights are missing.
    pub fn new(
        (sentence, form): (&Sentence, usize),
        tokens: &[Token],
        called: impl Fn(&Token) -> String,
        layers: &[&Array],
    ) -> Option<Self> {
        let pronoun = places(tokens, sentence.asks)?.start;
        let names = sentence.names.map(|name| places(tokens, name));
        let answer = |layer: usize, head: usize| {
            let row = layers[layer].row(&[head, pronoun])?;
            let most = row.iter().copied().enumerate();
            let on =
                |name: &Option<Range<usize>>| Some(row.get(name.clone()?)?.iter().sum::<f32>());
            Some(HeadAnswer {
                layer,
                head,
                most: most.max_by(|one, other| one.1.total_cmp(&other.1))?,
                names: names.each_ref().map(on),
            })
        };
        let heads = layers.iter().enumerate().flat_map(|(layer, weights)| {
            let heads = weights.shape.first().copied().unwrap_or(0);
            (0..heads).map(move |head| (layer, head))
        });
        Some(Answers {
            form,
            tokens: tokens.iter().map(called).collect(),
            distances: names
                .each_ref()
                .map(|name| Some(pronoun.abs_diff(name.as_ref()?.start))),
            heads: heads
                .map(|(layer, head)| answer(layer, head))
                .collect::<Option<_>>()?,
        })
    }

    /// The mean over all heads of the weight on a name.
    pub fn mean(&self, name: usize) -> Option<f32> {
        let weights: Option<Vec<f32>> = self.heads.iter().map(|head| head.names[name]).collect();
        let weights = weights.filter(|weights| !weights.is_empty())?;
        Some(weights.iter().sum::<f32>() / weights.len() as f32)
    }
}

/// The answers on a sentence, whole and shortened, as far as it was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Both {
    sentence: usize,
    answers: [Option<Answers>; 2],
}

impl Both {
    /// Puts answers beside those of the other form; those of another sentence go.
    pub fn put(&mut self, sentence: usize, answers: Answers) {
        let mut forms = self.of(sentence);
        let form = answers.form;
        forms[form] = Some(answers);
        *self = Both {
            sentence,
            answers: forms,
        };
    }

    /// The answers on a sentence, by form.
    pub fn of(&self, sentence: usize) -> [Option<Answers>; 2] {
        match self.sentence == sentence {
            true => self.answers.clone(),
            false => [None, None],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::sentences::SENTENCES, *};

    fn tokens(texts: &[&str]) -> Vec<Token> {
        let token = |text: &&str| Token {
            id: 0,
            text: (*text).to_owned(),
            unknown: false,
        };
        texts.iter().map(token).collect()
    }

    fn answers(form: usize) -> Answers {
        let tokens = tokens(&["玛丽", "姑", "母", "她"]);
        // Two heads of one layer; only the pronoun's row counts.
        let mut weights = vec![0.0; 2 * 4 * 4];
        weights[12..16].copy_from_slice(&[0.5, 0.125, 0.25, 0.125]);
        weights[28..32].copy_from_slice(&[0.0, 0.25, 0.25, 0.5]);
        let layer = Array {
            shape: vec![2, 4, 4],
            data: weights,
        };
        let called = |token: &Token| token.text.clone();
        Answers::new((&SENTENCES[0], form), &tokens, called, &[&layer]).unwrap()
    }

    #[test]
    fn a_head_is_asked_at_the_pronoun_and_a_name_has_all_its_tokens() {
        let answers = answers(0);
        assert_eq!(answers.distances, [Some(3), None, Some(2)]);
        let [first, second] = &answers.heads[..] else {
            panic!()
        };
        assert_eq!(first.most, (0, 0.5));
        assert_eq!(first.names, [Some(0.5), None, Some(0.375)]);
        assert_eq!((second.head, second.most), (1, (3, 0.5)));
        assert_eq!(answers.mean(2), Some(0.4375));
        assert_eq!(answers.mean(1), None);
    }

    #[test]
    fn a_text_without_the_pronoun_has_no_answers() {
        let layer = Array {
            shape: vec![1, 1, 1],
            data: vec![1.0],
        };
        let called = |token: &Token| token.text.clone();
        let text = tokens(&["玛丽"]);
        assert!(Answers::new((&SENTENCES[0], 0), &text, called, &[&layer]).is_none());
    }

    #[test]
    fn both_forms_of_one_sentence_are_kept() {
        let mut both = Both::default();
        both.put(0, answers(0));
        both.put(0, answers(1));
        assert_eq!(both.of(0), [Some(answers(0)), Some(answers(1))]);
        assert_eq!(both.of(1), [None, None]);
        both.put(1, answers(1));
        assert_eq!(both.of(1), [None, Some(answers(1))]);
    }
}
