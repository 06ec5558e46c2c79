use proptest::prelude::*;

use super::*;
use crate::WordMark;
use crate::config::{LlamaConfig, MarianConfig};

fn tokens(texts: &[&str]) -> Vec<Token> {
    let token = |(id, text): (usize, &&str)| Token {
        id: id as u32,
        text: (*text).to_owned(),
        unknown: false,
    };
    texts.iter().enumerate().map(token).collect()
}

/// A decoder-only model that has read these tokens, the special ones given by place.
fn read(texts: &[&str], special: &[u32], words: WordMark) -> TraceMeta {
    TraceMeta {
        spec: LlamaConfig::default().spec(),
        source: vec![],
        target: tokens(texts),
        pieces: Pieces {
            special: special.iter().copied().collect(),
            words,
            mask: None,
            picture: None,
        },
    }
}

fn axes(display: Display, meta: &TraceMeta) -> ShownAxes {
    ShownAxes::of(display, meta, AttentionKind::DecoderSelf)
}

fn names(axis: &ShownAxis) -> Vec<&str> {
    axis.tokens()
        .iter()
        .map(|token| token.text.as_str())
        .collect()
}

const WORDS: Display = Display {
    words: true,
    no_special: false,
    no_sink: false,
};
const NO_SPECIAL: Display = Display {
    words: false,
    no_special: true,
    no_sink: false,
};
const NO_SINK: Display = Display {
    words: false,
    no_special: false,
    no_sink: true,
};

fn merged(texts: &[&str], mark: WordMark) -> Vec<String> {
    let meta = read(texts, &[], mark);
    let axes = axes(WORDS, &meta);
    names(&axes.keys).into_iter().map(str::to_owned).collect()
}

#[test]
fn pieces_are_merged_by_the_tokenizers_mark() {
    let spaced = [
        "un", "believ", "able", "▁stor", "ies", ",", "▁don", "'t", "⏎", "x",
    ];
    let expected = ["unbelievable", "▁stories", ",", "▁don't", "⏎", "x"];
    assert_eq!(merged(&spaced, WordMark::Start), expected);
    let parts = ["play", "##ing", "play", "##ers", ".", "end"];
    let mark = WordMark::Continuation("##".to_owned());
    assert_eq!(merged(&parts, mark), ["playing", "players", ".", "end"]);
    let ends = ["low", "er</w>", "new</w>", "est"];
    let mark = WordMark::End("</w>".to_owned());
    assert_eq!(merged(&ends, mark), ["lower</w>", "new</w>", "est"]);
    // A mark alone begins the word of the next piece.
    assert_eq!(
        merged(&["▁", "ing", "▁", "你"], WordMark::Start),
        ["▁ing", "▁", "你"]
    );
}

#[test]
fn chinese_stays_as_it_is_and_the_bytes_of_a_character_are_together() {
    let texts = [
        "▁the",
        "我",
        "是",
        "学生",
        "<0xE4><0xBD>",
        "<0xA0>",
        "a",
        "<0xF0><0x9F>",
        "<0x98><0x80>",
        "b",
    ];
    let expected = ["▁the", "我", "是", "学生", "你", "a", "😀", "b"];
    assert_eq!(merged(&texts, WordMark::Start), expected);
}

#[test]
fn special_and_unknown_tokens_are_no_part_of_a_word() {
    let mut meta = read(
        &["<s>", "ab", "c", "x", "d", "</s>"],
        &[0, 5],
        WordMark::Start,
    );
    meta.target[3].unknown = true;
    let axes = axes(WORDS, &meta);
    assert_eq!(names(&axes.queries), ["<s>", "abc", "x", "d", "</s>"]);
    assert_eq!(axes.queries.run(1), Some(1..3));
    let places: Vec<_> = (0..7).map(|token| axes.queries.place_of(token)).collect();
    assert_eq!(
        places,
        [Some(0), Some(1), Some(1), Some(2), Some(3), Some(4), None]
    );
}

#[test]
fn a_words_weights_are_summed_over_keys_and_averaged_over_queries() {
    let meta = read(&["▁a", "b", "▁c"], &[], WordMark::Start);
    let weights = [1.0, 0.0, 0.0, 0.25, 0.75, 0.0, 0.5, 0.125, 0.375];
    let axes = axes(WORDS, &meta);
    assert_eq!(axes.map(&weights).unwrap(), [1.0, 0.0, 0.625, 0.375]);
    assert_eq!(axes.map(&weights[1..]), None);
    let nothing = LeftOut {
        aside: None,
        hidden: None,
    };
    assert_eq!(axes.left_out(&weights), Some(nothing));
}

#[test]
fn special_tokens_are_hidden_and_other_weights_stay() {
    let meta = read(&["<s>", "a", "<e>"], &[0, 2], WordMark::Start);
    let weights = [1.0, 0.0, 0.0, 0.75, 0.25, 0.0, 0.5, 0.125, 0.375];
    let axes = axes(NO_SPECIAL, &meta);
    assert_eq!(
        (names(&axes.queries), names(&axes.keys)),
        (vec!["a"], vec!["a"])
    );
    assert_eq!(axes.map(&weights).unwrap(), [0.25]);
    assert_eq!(axes.left_out(&weights).unwrap().hidden, Some(0.75));
    assert_eq!(axes.keys.place_of(0), None);
}

#[test]
fn the_first_token_is_set_aside_and_rows_are_scaled() {
    let meta = read(&["a", "b", "c"], &[], WordMark::Start);
    let weights = [1.0, 0.0, 0.0, 0.75, 0.25, 0.0, 0.5, 0.125, 0.375];
    let axes = axes(NO_SINK, &meta);
    assert_eq!(names(&axes.keys), ["b", "c"]);
    assert_eq!(
        axes.map(&weights).unwrap(),
        [0.0, 0.0, 1.0, 0.0, 0.25, 0.75]
    );
    let left_out = axes.left_out(&weights).unwrap();
    assert_eq!((left_out.aside, left_out.hidden), (Some(0.75), None));
}

#[test]
fn of_a_first_word_only_the_first_piece_is_set_aside() {
    let meta = read(&["ab", "c", "▁d"], &[], WordMark::Start);
    let display = Display {
        words: true,
        ..NO_SINK
    };
    let axes = axes(display, &meta);
    assert_eq!(names(&axes.queries), ["abc", "▁d"]);
    assert_eq!(names(&axes.keys), ["c", "▁d"]);
    let weights = [1.0, 0.0, 0.0, 0.5, 0.5, 0.0, 0.5, 0.125, 0.375];
    assert_eq!(axes.map(&weights).unwrap(), [1.0, 0.0, 0.25, 0.75]);
}

#[test]
fn a_choice_that_leaves_nothing_has_no_effect() {
    let meta = read(&["<s>"], &[0], WordMark::Start);
    for display in [NO_SPECIAL, NO_SINK] {
        let axes = axes(display, &meta);
        assert_eq!(axes.map(&[1.0]).unwrap(), [1.0]);
        let nothing = LeftOut {
            aside: None,
            hidden: None,
        };
        assert_eq!(axes.left_out(&[1.0]), Some(nothing));
    }
    // Without the first token, only special ones are left.
    let meta = read(&["a", "</s>"], &[1], WordMark::Start);
    let both = Display {
        no_special: true,
        ..NO_SINK
    };
    assert_eq!(names(&axes(both, &meta).keys), ["a"]);
}

#[test]
fn maps_of_cross_attention_have_an_axis_of_each_side() {
    let meta = TraceMeta {
        spec: MarianConfig::default().spec(),
        source: tokens(&["▁a", "b", "</s>"]),
        target: tokens(&["<pad>", "▁x", "y", "z"]),
        pieces: Pieces::default(),
    };
    let axes = ShownAxes::of(WORDS, &meta, AttentionKind::Cross);
    assert_eq!((axes.queries.len(), axes.keys.len()), (2, 1));
    let maps = Array {
        shape: vec![2, 4, 3],
        data: vec![0.25; 24],
    };
    assert_eq!(axes.maps(&maps).unwrap().shape, [2, 2, 1]);
    let other = Array {
        shape: vec![2, 3, 4],
        data: vec![0.25; 24],
    };
    assert_eq!(axes.maps(&other), None);
}

fn displays() -> impl Strategy<Value = Display> {
    any::<[bool; 3]>().prop_map(|[words, no_special, no_sink]| Display {
        words,
        no_special,
        no_sink,
    })
}

/// A text of pieces, the numbers of its special tokens, and scores of every query for every key.
fn texts() -> impl Strategy<Value = (TraceMeta, Vec<f32>)> {
    let piece = prop::sample::select(vec![
        "▁a",
        "b",
        "##c",
        "▁",
        ".",
        "我",
        "<s>",
        "<0xE4><0xBD>",
        "<0xA0>",
        "d</w>",
        "⏎",
    ]);
    let mark = prop_oneof![
        Just(WordMark::Start),
        Just(WordMark::Continuation("##".to_owned())),
        Just(WordMark::End("</w>".to_owned())),
    ];
    (prop::collection::vec(piece, 1..9), mark).prop_flat_map(|(pieces, mark)| {
        let count = pieces.len();
        let special = prop::collection::vec(0..count as u32, 0..3);
        let scores = prop::collection::vec(-9.0f32..9.0, count * count);
        (Just(pieces), Just(mark), special, scores)
            .prop_map(|(pieces, mark, special, scores)| (read(&pieces, &special, mark), scores))
    })
}

/// The softmax of scores over the keys up to each query.
fn causal(scores: &[f32], count: usize) -> Vec<f32> {
    let rows = scores.chunks_exact(count).enumerate();
    let rows = rows.flat_map(|(query, row)| {
        let total: f32 = row[..=query].iter().map(|score| score.exp()).sum();
        let weight = move |(key, score): (usize, &f32)| match key <= query {
            true => score.exp() / total,
            false => 0.0,
        };
        row.iter().enumerate().map(weight).collect::<Vec<_>>()
    });
    rows.collect()
}

proptest! {
    #[test]
    fn every_token_is_in_one_place_or_hidden((meta, _) in texts(), display in displays()) {
        let axes = axes(display, &meta);
        for axis in [&axes.queries, &axes.keys] {
            let mut next = 0;
            for place in 0..axis.len() {
                let run = axis.run(place).unwrap();
                prop_assert!(run.start >= next && run.end > run.start);
                for token in run.clone() {
                    prop_assert_eq!(axis.place_of(token), Some(place));
                }
                next = run.end;
            }
            prop_assert_eq!(axis.tokens().len(), axis.len());
        }
    }

    #[test]
    fn rows_of_words_sum_to_one((meta, scores) in texts()) {
        let weights = causal(&scores, meta.target.len());
        let axes = axes(WORDS, &meta);
        let map = axes.map(&weights).unwrap();
        for row in map.chunks_exact(axes.keys.len()) {
            prop_assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{row:?}");
        }
    }

    #[test]
    fn a_row_sums_to_what_is_not_hidden((meta, scores) in texts(), display in displays()) {
        let weights = causal(&scores, meta.target.len());
        let axes = axes(display, &meta);
        let map = axes.map(&weights).unwrap();
        let rows = map.chunks_exact(axes.keys.len());
        let sums: Vec<f32> = rows.map(|row| row.iter().sum()).collect();
        let hidden = axes.left_out(&weights).unwrap().hidden.unwrap_or_default();
        prop_assert!(sums.iter().all(|sum| (-1e-6..1.0 + 1e-5).contains(sum)));
        // A row is shown empty where the first token has all of it.
        let is_empty = |place: usize| {
            let run = axes.queries.run(place).unwrap();
            let count = meta.target.len();
            run.clone().all(|query| weights[query * count] >= 1.0 - 1e-6)
        };
        let full: Vec<f32> = (0..sums.len())
            .filter(|&place| !(axes.is_aside && is_empty(place)))
            .map(|place| sums[place])
            .collect();
        if !full.is_empty() {
            let mean = full.iter().sum::<f32>() / full.len() as f32;
            prop_assert!((mean + hidden - 1.0).abs() < 1e-4, "{mean} {hidden}");
        }
    }

    #[test]
    fn without_a_choice_a_map_is_itself((meta, scores) in texts()) {
        let weights = causal(&scores, meta.target.len());
        let axes = axes(Display::default(), &meta);
        prop_assert_eq!(axes.map(&weights).unwrap(), weights);
        prop_assert_eq!(axes.queries.tokens(), meta.target.as_slice());
    }
}
