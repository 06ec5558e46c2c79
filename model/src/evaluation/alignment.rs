//! The quality of the word alignments in the heads of cross-attention, on sentence pairs that a person aligned.

use std::collections::BTreeSet;

use attention_trace::alignment::{
    AlignedPair, AlignmentCounts, AlignmentSet, BestHeads, EndToken, Gold, HeadErrors, RowErrors,
    RowOf, Word, links, word_weights, words_at,
};
use attention_trace::{Array, AttentionKind, AttentionLayer, Quantity, Site, Token};
use burn::prelude::*;

use crate::checkpoint::Checkpoint;
use crate::decoding::Sequence;
use crate::error::ModelError;
use crate::inference::Target;

/// The most heads of the best set: more are slow to find and hard to look at.
const MOST_HEADS: usize = 4;

/// A head, by its attention and number.
pub(super) type Head = (AttentionLayer, usize);

/// A pair as the model reads it, the reference's tokens given.
pub(super) struct Looked {
    /// The words of the source, as groups of its tokens.
    pub(super) source: Vec<Word>,
    /// The words of the target, as groups of its tokens after the start.
    pub(super) target: Vec<Word>,
    /// The links that a person drew.
    pub(super) gold: Gold,
    /// The map of each head, `[rows, keys]`, in the order of [`cross_heads`].
    pub(super) maps: Vec<Array>,
}

/// Computes the alignment error rates of every head alone, of the mean of all, and of a set chosen greedily, on pairs
/// of one language; `prefix` is put in front of each source, as a model of several target languages needs it. The model
/// reads the reference (teacher forcing), so that its alignments are of the sentence that the person aligned.
/// `progress` is called after each pair and after each step of the search for the best set.
///
/// # Errors
/// If a pair cannot be read, its words do not make up its tokens, or the device fails.
pub async fn align(
    checkpoint: &Checkpoint,
    (pairs, prefix): (&[AlignedPair], &str),
    end: EndToken,
    device: &Device,
    mut progress: impl FnMut(),
) -> Result<AlignmentSet, ModelError> {
    let heads = cross_heads(checkpoint);
    let mut looked = vec![];
    for pair in pairs {
        looked.push(look(checkpoint, (pair, prefix), &heads, device).await?);
        progress();
    }
    let errors = |chosen: &[usize]| {
        let [writing, reading] = RowOf::ALL.map(|row| error_rate(&looked, chosen, (row, end)));
        RowErrors { writing, reading }
    };
    let alone = heads.iter().enumerate();
    let alone = alone.map(|(index, &(attention, head))| HeadErrors {
        attention,
        head,
        errors: errors(&[index]),
    });
    let alone: Vec<HeadErrors> = alone.collect();
    let all: Vec<usize> = (0..heads.len()).collect();
    Ok(AlignmentSet {
        language: pairs
            .first()
            .map(|pair| pair.language.clone())
            .unwrap_or_default(),
        pairs: pairs.len(),
        all: errors(&all),
        best: best(&heads, &looked, end, progress),
        heads: alone,
    })
}

/// Returns every head of cross-attention, in the order of computation.
pub(super) fn cross_heads(checkpoint: &Checkpoint) -> Vec<Head> {
    let spec = checkpoint.spec();
    let kind = AttentionKind::Cross;
    let layers = (0..spec.layers(kind)).map(|layer| AttentionLayer { kind, layer });
    layers
        .flat_map(|attention| (0..spec.heads(kind)).map(move |head| (attention, head)))
        .collect()
}

/// Returns the text that the model reads for a pair's source.
fn source_text(pair: &AlignedPair, prefix: &str) -> String {
    match prefix {
        "" => pair.source.clone(),
        prefix => format!("{prefix} {}", pair.source),
    }
}

/// The words that a person aligned, as the model's tokens.
pub struct AlignedWords {
    /// Words of the source.
    pub source: Vec<Word>,
    /// Words of the target.
    pub target: Vec<Word>,
    /// The tokens of the target, its end included.
    pub tokens: Vec<Token>,
}

/// Cuts the texts of a pair into tokens and finds its words in them.
///
/// # Errors
/// If a text is empty or too long for the model, or the words do not make up its tokens.
pub fn aligned_words(
    checkpoint: &Checkpoint,
    (pair, prefix): (&AlignedPair, &str),
) -> Result<AlignedWords, ModelError> {
    let source = checkpoint.encode_input(&source_text(pair, prefix))?;
    let Target { mut tokens, .. } = checkpoint.encode_target(&pair.target)?;
    checkpoint.end(&mut tokens);
    let words = |tokens: &[_], words: &[String], text: &str| {
        words_at(tokens, words).ok_or_else(|| {
            ModelError::Tokenizer(format!("the words of “{text}” do not make up its tokens"))
        })
    };
    Ok(AlignedWords {
        source: words(&source, &pair.source_words, &pair.source)?,
        target: words(&tokens, &pair.target_words, &pair.target)?,
        tokens,
    })
}

/// Makes one pass over a pair.
pub(super) async fn look(
    checkpoint: &Checkpoint,
    (pair, prefix): (&AlignedPair, &str),
    heads: &[Head],
    device: &Device,
) -> Result<Looked, ModelError> {
    let text = source_text(pair, prefix);
    let text = text.as_str();
    let AlignedWords {
        source,
        target,
        tokens,
    } = aligned_words(checkpoint, (pair, prefix))?;
    let sequence = Sequence {
        tokens: tokens.iter().map(|token| token.id).collect(),
        log_probability: 0.0,
        score: 0.0,
    };
    let site = |attention: AttentionLayer| attention.at(Quantity::Pattern);
    let sites: BTreeSet<Site> = heads.iter().map(|head| site(head.0)).collect();
    let arrays = checkpoint
        .arrays(text, &[sequence], &sites, &[], device)
        .await?;
    let map = |&(attention, head): &Head| {
        let array = arrays.get(&site(attention))?;
        array.slice(attention_trace::Slice::Head(head))
    };
    Ok(Looked {
        source,
        target,
        gold: pair.gold.clone(),
        maps: heads.iter().filter_map(map).collect(),
    })
}

/// Returns the error rate of the mean of some heads over all pairs.
fn error_rate(looked: &[Looked], chosen: &[usize], how: (RowOf, EndToken)) -> f64 {
    let mut counts = AlignmentCounts::default();
    for pair in looked {
        let maps = chosen.iter().filter_map(|&head| pair.maps.get(head));
        let weights =
            mean(maps).and_then(|map| word_weights(&map, (&pair.target, 0), &pair.source, how));
        let found = weights.map(|weights| links(&weights, how.1));
        counts += pair.gold.count(&found.unwrap_or_default());
    }
    counts.error_rate()
}

/// Returns the mean of maps of the same shape.
fn mean<'a>(maps: impl Iterator<Item = &'a Array>) -> Option<Array> {
    let mut count = 0.0;
    let sum = maps.fold(None, |sum: Option<Array>, map| {
        count += 1.0;
        let Some(mut sum) = sum else {
            return Some(map.clone());
        };
        let values = sum.data.iter_mut().zip(&map.data);
        values.for_each(|(sum, value)| *sum += value);
        Some(sum)
    });
    let mut sum = sum?;
    sum.data.iter_mut().for_each(|value| *value /= count);
    Some(sum)
}

/// Heads added one by one, each the one with which errors fall furthest, as long as they fall.
fn best(heads: &[Head], looked: &[Looked], end: EndToken, mut progress: impl FnMut()) -> BestHeads {
    let mut best: Option<(f64, RowOf, Vec<usize>)> = None;
    for row in RowOf::ALL {
        let mut chosen: Vec<usize> = vec![];
        let mut error = f64::INFINITY;
        while chosen.len() < MOST_HEADS {
            let others = (0..heads.len()).filter(|head| !chosen.contains(head));
            let tried = others.map(|head| {
                let with = [chosen.as_slice(), &[head]].concat();
                (error_rate(looked, &with, (row, end)), with)
            });
            let next = tried.min_by(|one, other| one.0.total_cmp(&other.0));
            progress();
            match next {
                Some((lower, with)) if lower < error => (error, chosen) = (lower, with),
                _ => break,
            }
        }
        if best.as_ref().is_none_or(|(least, ..)| error < *least) {
            best = Some((error, row, chosen));
        }
    }
    let (error, row, chosen) = best.unwrap_or((1.0, RowOf::default(), vec![]));
    BestHeads {
        heads: chosen
            .into_iter()
            .filter_map(|head| heads.get(head).copied())
            .collect(),
        row,
        error,
    }
}
