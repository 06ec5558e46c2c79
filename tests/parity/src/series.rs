//! Series of passes: decoding with and without a cache, texts with averaged keys and values, and texts under edits.

use std::cell::Cell;

use attention_model::inference::RunOptions;
use attention_model::{checkpoint::Checkpoint, error::ModelError};
use attention_trace::{
    AttentionKind, AttentionLayer, Edit, Quantities, Search, Series, SeriesQuestion, Window,
};
use burn::prelude::Device;
use pollster::block_on;

use crate::fixture::tiny;

const TEXTS: [&str; 2] = ["the old dog sits", "he says that the train is late again"];

fn asked(
    checkpoint: &Checkpoint,
    question: &SeriesQuestion,
    passes: usize,
) -> Result<Series, ModelError> {
    let (clock, watched) = (Cell::new(0.0), Cell::new(0));
    let now_ms = || clock.replace(clock.get() + 1.0);
    let watch = async |_: &Series| {
        watched.set(watched.get() + 1);
        watched.get() < passes
    };
    block_on(checkpoint.series(question, &Device::flex(), now_ms, watch))
}

#[test]
fn texts_with_averaged_keys_are_scored_as_with_the_edits() {
    let checkpoint = tiny("llama-gqa");
    let question = SeriesQuestion::Grouped {
        texts: TEXTS.map(str::to_owned).to_vec(),
        groups: vec![2, 1],
    };
    let Series::LogProbabilities { sums, total } = asked(&checkpoint, &question, 99).unwrap()
    else {
        panic!("another answer");
    };
    assert_eq!((sums.len(), total), (2, 4));
    for sum in &sums {
        let edits = |groups| -> Vec<Edit> {
            let attention = |layer| AttentionLayer {
                kind: AttentionKind::DecoderSelf,
                layer,
            };
            let grouped = |layer| Edit::GroupKeyValues {
                attention: attention(layer),
                groups,
            };
            match groups {
                2 => vec![],
                _ => (0..3).map(grouped).collect(),
            }
        };
        let mut expected = 0.0;
        for text in TEXTS {
            let (edits, device) = (edits(sum.groups), Device::flex());
            let forced = block_on(checkpoint.force("", text, &edits, &device)).unwrap();
            expected += forced
                .iter()
                .map(|token| f64::from(token.given.log_probability))
                .sum::<f64>();
        }
        assert!((sum.log_probability - expected).abs() < 1e-6, "{sum:?}");
    }
    assert!(sums[0].log_probability != sums[1].log_probability);
    assert!(matches!(
        asked(&checkpoint, &question, 2),
        Err(ModelError::Cancelled)
    ));
    let wrong = SeriesQuestion::Grouped {
        texts: vec!["a".to_owned()],
        groups: vec![3],
    };
    assert!(matches!(
        asked(&checkpoint, &wrong, 9),
        Err(ModelError::Edit(_))
    ));
}

#[test]
fn each_decoded_token_has_two_times() {
    for name in ["llama-gqa", "gpt2-tiny", "marian-tiny"] {
        let question = SeriesQuestion::Decoding {
            text: TEXTS[0].to_owned(),
            tokens: 5,
        };
        let Series::Times { times, total } = asked(&tiny(name), &question, 99).unwrap() else {
            panic!("another answer");
        };
        assert_eq!((times.len(), total), (5, 5), "{name}");
        // The clock of the test goes on by one at each reading.
        assert!(
            times
                .iter()
                .all(|time| time.cached_ms == 1.0 && time.recomputed_ms == 1.0)
        );
        let read: Vec<usize> = times.iter().map(|time| time.read - times[0].read).collect();
        assert_eq!(read, [0, 1, 2, 3, 4], "{name}");
    }
    let question = SeriesQuestion::Decoding {
        text: "a".to_owned(),
        tokens: 5,
    };
    assert!(matches!(
        asked(&tiny("bert-tiny"), &question, 9),
        Err(ModelError::Unsupported(_))
    ));
}

#[test]
fn texts_under_edits_are_those_of_decoding_with_them() {
    for name in ["llama-gqa", "marian-tiny"] {
        let checkpoint = tiny(name);
        let window = |keys| {
            let layers = 0..checkpoint.spec().layers(AttentionKind::DecoderSelf);
            let in_layer = |layer| Edit::Window {
                attention: AttentionLayer {
                    kind: AttentionKind::DecoderSelf,
                    layer,
                },
                window: Window { keys, first: 0 },
            };
            layers.map(in_layer).collect::<Vec<Edit>>()
        };
        let question = SeriesQuestion::Written {
            text: TEXTS[0].to_owned(),
            edits: vec![vec![], window(1), window(99)],
            tokens: 6,
        };
        let Series::Texts { texts, total } = asked(&checkpoint, &question, 99).unwrap() else {
            panic!("another answer");
        };
        assert_eq!((texts.len(), total), (3, 3), "{name}");
        let options = RunOptions {
            search: Search::Greedy,
            prefix: vec![],
            max_new_tokens: 6,
            quantities: Quantities::NONE,
            edits: window(1),
        };
        let device = Device::flex();
        let decoded = checkpoint.decode(TEXTS[0], &options, &device, async |_| true);
        let tokens = &block_on(decoded).unwrap()[0].tokens;
        assert_eq!(texts[1].tokens, tokens.len(), "{name}");
        assert_eq!(texts[1].text, checkpoint.tokenizer.decode(tokens).unwrap());
        // The window is longer than both texts.
        assert_eq!(texts[2], texts[0], "{name}");
        assert!(texts.iter().all(|text| text.is_done), "{name}");
        let stopped = asked(&checkpoint, &question, 3);
        assert!(matches!(stopped, Err(ModelError::Cancelled)), "{name}");
    }
    let question = SeriesQuestion::Written {
        text: "a".to_owned(),
        edits: vec![vec![]],
        tokens: 1,
    };
    let answer = asked(&tiny("bert-tiny"), &question, 9);
    assert!(matches!(answer, Err(ModelError::Unsupported(_))));
}
