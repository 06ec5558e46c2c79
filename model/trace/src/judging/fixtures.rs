//! Our counts and scores against those of `sacrebleu` and `rouge-score`.

use serde::Deserialize;

use super::{Bleu, ORDERS, Overlap, Tokenization, Weights, chinese_words, rouge_l, rouge_n};

/// The values that `tests/fixtures/judging.py` wrote for two texts.
#[derive(Deserialize)]
struct Case {
    reference: String,
    candidate: String,
    tokenize: String,
    reference_tokens: Vec<String>,
    candidate_tokens: Vec<String>,
    bleu: ExpectedBleu,
    rouge: ExpectedRouges,
}

#[derive(Deserialize)]
struct ExpectedBleu {
    counts: Vec<usize>,
    totals: Vec<usize>,
    precisions: Vec<f64>,
    brevity: f64,
    score: f64,
    line: String,
}

#[derive(Deserialize)]
struct ExpectedRouges {
    rouge1: ExpectedRouge,
    rouge2: ExpectedRouge,
    #[serde(rename = "rougeL")]
    rouge_l: ExpectedRouge,
}

#[derive(Deserialize)]
struct ExpectedRouge {
    precision: f64,
    recall: f64,
    f_measure: f64,
}

/// The values that it wrote for candidates with several references, and for a corpus.
#[derive(Deserialize)]
struct References {
    several: Vec<SeveralCase>,
    corpus: Corpus,
    corpora: Vec<SmallCorpus>,
}

/// Pairs whose counts are added up.
#[derive(Deserialize)]
struct SmallCorpus {
    references: Vec<String>,
    candidates: Vec<String>,
    tokenize: String,
    score: f64,
}

#[derive(Deserialize)]
struct SeveralCase {
    references: Vec<String>,
    candidate: String,
    tokenize: String,
    bleu: ExpectedBleu,
}

#[derive(Deserialize)]
struct Corpus {
    references: Vec<String>,
    candidates: Vec<String>,
    bleu: ExpectedBleu,
    unsmoothed: f64,
}

fn references() -> References {
    let text = include_str!("../../../../tests/fixtures/references.json");
    serde_json::from_str(text).unwrap()
}

/// The tokens of a text by sacreBLEU's tokenizer of that name.
fn cut(tokenizer: &str, text: &str) -> Vec<String> {
    match tokenizer {
        "char" => Tokenization::Characters.tokens(text),
        "13a" => Tokenization::Words.tokens(text),
        "zh" => chinese_words(text),
        other => panic!("no tokenizer {other}"),
    }
}

fn is_near(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-9
}

fn cases() -> Vec<(Case, Vec<String>, Vec<String>)> {
    let text = include_str!("../../../../tests/fixtures/judging.json");
    let cases: Vec<Case> = serde_json::from_str(text).unwrap();
    let tokens = |case: Case| {
        let reference = cut(&case.tokenize, &case.reference);
        let candidate = cut(&case.tokenize, &case.candidate);
        (case, reference, candidate)
    };
    cases.into_iter().map(tokens).collect()
}

#[test]
fn texts_are_cut_as_sacrebleu_cuts_them() {
    for (case, reference, candidate) in cases() {
        assert_eq!(reference, case.reference_tokens);
        assert_eq!(candidate, case.candidate_tokens);
    }
}

#[test]
fn bleu_is_that_of_sacrebleu() {
    for (case, reference, candidate) in cases() {
        let name = format!("{} | {}", case.reference, case.candidate);
        holds(Bleu::of(&reference, &candidate), &case.bleu, &name);
    }
}

fn holds(bleu: Bleu, expected: &ExpectedBleu, name: &str) {
    let counts = bleu.overlaps.map(|overlap| overlap.matched);
    let totals = bleu.overlaps.map(|overlap| overlap.candidate);
    assert_eq!(
        (&counts[..], &totals[..]),
        (&expected.counts[..], &expected.totals[..]),
        "{name}"
    );
    assert!(is_near(bleu.brevity(), expected.brevity), "{name}");
    let smoothed = bleu.smoothed();
    for (found, expected) in smoothed.precisions.iter().zip(&expected.precisions) {
        assert!(is_near(*found, *expected), "{name}: {found}, {expected}");
    }
    assert_eq!(bleu.line(), expected.line, "{name}");
    assert!(
        is_near(smoothed.score, expected.score),
        "{name}: {}",
        smoothed.score
    );
}

#[test]
fn bleu_of_several_references_is_that_of_sacrebleu() {
    let References { several, .. } = references();
    assert!(several.len() > 20);
    for case in several {
        let cut = |text: &String| cut(&case.tokenize, text);
        let references: Vec<_> = case.references.iter().map(cut).collect();
        let bleu = Bleu::of_any(&references, &cut(&case.candidate));
        holds(bleu, &case.bleu, &case.candidate);
    }
}

fn summed(sentences: impl Iterator<Item = Bleu>) -> Bleu {
    let mut corpus = Bleu::default();
    sentences.for_each(|sentence| corpus += sentence);
    corpus
}

#[test]
fn bleu_of_a_corpus_is_that_of_sacrebleu() {
    let References { corpus, .. } = references();
    let cut = |text: &String| Tokenization::Words.tokens(text);
    let pairs = corpus.references.iter().zip(&corpus.candidates);
    let counts = pairs.map(|(reference, candidate)| Bleu::of(&cut(reference), &cut(candidate)));
    let bleu = summed(counts);
    holds(bleu, &corpus.bleu, "corpus");
    let unsmoothed = 100.0 * bleu.weighted(ORDERS, Weights::Even).unwrap();
    assert!(is_near(unsmoothed, corpus.unsmoothed));
}

#[test]
fn bleu_of_a_corpus_without_common_4_grams_is_that_of_sacrebleu() {
    let References { corpora, .. } = references();
    let is_smoothed = |bleu: &Bleu| bleu.overlaps[0].matched > 0 && bleu.overlaps[3].matched == 0;
    let mut smoothed = 0;
    for corpus in corpora {
        let cut = |text: &String| cut(&corpus.tokenize, text);
        let pairs = corpus.references.iter().zip(&corpus.candidates);
        let counts = pairs.map(|(reference, candidate)| Bleu::of(&cut(reference), &cut(candidate)));
        let bleu = summed(counts);
        smoothed += usize::from(is_smoothed(&bleu));
        let score = bleu.smoothed().score;
        assert!(
            is_near(score, corpus.score),
            "{:?}: {score}",
            corpus.candidates
        );
    }
    assert!(smoothed > 10, "{smoothed}");
}

#[test]
fn rouge_is_that_of_rouge_score() {
    for (case, reference, candidate) in cases() {
        let name = format!("{} | {}", case.reference, case.candidate);
        let holds = |found: Overlap, expected: &ExpectedRouge| {
            // The library takes 0 for a share of nothing.
            let shares = [found.precision(), found.recall()].map(|share| share.unwrap_or(0.0));
            assert!(is_near(shares[0], expected.precision), "{name}");
            assert!(is_near(shares[1], expected.recall), "{name}");
            assert!(is_near(found.f_measure(), expected.f_measure), "{name}");
        };
        holds(rouge_n(&[&reference], &candidate, 1), &case.rouge.rouge1);
        holds(rouge_n(&[&reference], &candidate, 2), &case.rouge.rouge2);
        holds(rouge_l(&reference, &candidate), &case.rouge.rouge_l);
    }
}

#[test]
fn the_lectures_pair_is_among_them() {
    let cases = cases();
    assert!(cases.len() > 50);
    assert!(
        cases
            .iter()
            .any(|(case, ..)| case.reference == "ABCDEF" && case.candidate == "ABBCD")
    );
}
