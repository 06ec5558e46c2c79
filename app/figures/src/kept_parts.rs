//! The figure of "Attention Is All You Need" with the parts that other models keep: two stacks from below, each part
//! filled where it is kept and dashed where it is not.

use crate::{
    model_map::Rect,
    staged::{Align, Piece, Staged, Tone},
};

/// A part of the encoder–decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptPart {
    /// Embeddings of the text that is read.
    SourceEmbedding,
    /// Self-attention of the encoder.
    EncoderSelf,
    /// The encoder's feed-forward network.
    EncoderNetwork,
    /// Embeddings of the text that is written.
    TargetEmbedding,
    /// The decoder's masked self-attention.
    MaskedSelf,
    /// Attention to the encoder's output.
    Cross,
    /// The decoder's feed-forward network.
    DecoderNetwork,
    /// Logits and softmax above the decoder.
    Output,
}

impl KeptPart {
    /// Every part: the encoder's from below, then the decoder's.
    pub const ALL: [KeptPart; 8] = [
        KeptPart::SourceEmbedding,
        KeptPart::EncoderSelf,
        KeptPart::EncoderNetwork,
        KeptPart::TargetEmbedding,
        KeptPart::MaskedSelf,
        KeptPart::Cross,
        KeptPart::DecoderNetwork,
        KeptPart::Output,
    ];

    /// Returns the column and the row from below.
    fn place(self) -> (usize, usize) {
        match self {
            KeptPart::SourceEmbedding => (0, 0),
            KeptPart::EncoderSelf => (0, 1),
            KeptPart::EncoderNetwork => (0, 2),
            KeptPart::TargetEmbedding => (1, 0),
            KeptPart::MaskedSelf => (1, 1),
            KeptPart::Cross => (1, 2),
            KeptPart::DecoderNetwork => (1, 3),
            KeptPart::Output => (1, 4),
        }
    }
}

/// The room around the picture, and between its columns.
const MARGIN: f64 = 14.0;
const BETWEEN: f64 = 26.0;
/// The height of a part, and the distance of two parts.
const HEIGHT: f64 = 34.0;
const RISE: f64 = 52.0;
const ROWS: usize = 5;

fn rect(part: KeptPart, width: f64) -> Rect {
    let (column, row) = part.place();
    let across = (width - 2.0 * MARGIN - BETWEEN) / 2.0;
    Rect {
        x: MARGIN + (across + BETWEEN) * column as f64,
        y: MARGIN + RISE * (ROWS - 1 - row) as f64,
        width: across,
        height: HEIGHT,
    }
}

/// Returns the picture for a width: at each step one model, by the parts that it keeps. `names` are those of all parts.
pub fn kept_parts(width: f64, names: &[String; 8], models: &[Vec<KeptPart>]) -> Staged {
    let height = 2.0 * MARGIN + RISE * (ROWS - 1) as f64 + HEIGHT;
    let mut picture = Staged::new(width, height);
    for (step, kept) in models.iter().enumerate() {
        for (part, name) in KeptPart::ALL.into_iter().zip(names) {
            let (at, is_kept) = (rect(part, width), kept.contains(&part));
            let tone = if is_kept { Tone::Series(0) } else { Tone::Soft };
            let frame = Piece::Frame {
                at,
                tone,
                tinted: is_kept,
                dashed: !is_kept,
            };
            picture.add_at(step, frame);
            let (x, y) = at.centre();
            let words = Piece::Words {
                at: [x, y + 4.0],
                align: Align::Middle,
                tone: if is_kept { Tone::Ink } else { Tone::Soft },
                text: name.clone(),
            };
            picture.add_at(step, words);
        }
        for (from, to) in connections(kept, width) {
            let arrow = Piece::Line {
                from,
                to,
                width: 1.5,
                tone: Tone::Ink,
                pointed: true,
                name: String::new(),
                value: None,
            };
            picture.add_at(step, arrow);
        }
    }
    picture
}

/// Returns the arrows between kept parts: upwards in each column, past what is not kept, and from the encoder's top to
/// cross-attention.
fn connections(kept: &[KeptPart], width: f64) -> Vec<([f64; 2], [f64; 2])> {
    let column = |wanted: usize| {
        let parts = KeptPart::ALL.into_iter().filter(|part| kept.contains(part));
        let parts: Vec<Rect> = parts
            .filter(|part| part.place().0 == wanted)
            .map(|part| rect(part, width))
            .collect();
        parts
    };
    let (encoder, decoder) = (column(0), column(1));
    let upwards = |below: &Rect, above: &Rect| {
        // Past a part that is not kept, beside its name.
        let is_next = below.y - above.y <= RISE;
        let x = below.x + below.width * if is_next { 0.5 } else { 0.06 };
        ([x, below.y - 1.0], [x, above.y + above.height + 1.0])
    };
    let mut arrows: Vec<_> = [&encoder, &decoder]
        .into_iter()
        .flat_map(|column| column.windows(2).map(|pair| upwards(&pair[0], &pair[1])))
        .collect();
    if let (Some(top), true) = (encoder.last(), kept.contains(&KeptPart::Cross)) {
        let cross = rect(KeptPart::Cross, width);
        arrows.push((
            [top.x + top.width + 1.0, top.centre().1],
            [cross.x - 1.0, cross.centre().1],
        ));
    }
    arrows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> [String; 8] {
        std::array::from_fn(|place| format!("part {place}"))
    }

    #[test]
    fn what_is_kept_is_filled_and_the_rest_is_dashed() {
        let gpt = vec![
            KeptPart::TargetEmbedding,
            KeptPart::MaskedSelf,
            KeptPart::DecoderNetwork,
            KeptPart::Output,
        ];
        let picture = kept_parts(600.0, &names(), &[KeptPart::ALL.to_vec(), gpt]);
        let count = |step, wanted: bool| {
            let marks = picture.at(step);
            let of = |mark: &&crate::staged::StagedMark| matches!(mark.mark, Piece::Frame { dashed, .. } if dashed == wanted);
            marks.filter(of).count()
        };
        assert_eq!((count(0, false), count(0, true)), (8, 0));
        assert_eq!((count(1, false), count(1, true)), (4, 4));
        let arrows = |step| {
            let marks = picture.at(step);
            marks
                .filter(|mark| matches!(mark.mark, Piece::Line { .. }))
                .count()
        };
        // Two, four, and one across; past cross-attention three.
        assert_eq!((arrows(0), arrows(1)), (7, 3));
    }

    #[test]
    fn parts_stand_apart_inside_the_picture() {
        for width in [320.0, 900.0] {
            let places = KeptPart::ALL.map(|part| rect(part, width));
            for (index, at) in places.iter().enumerate() {
                assert!(at.x >= 0.0 && at.x + at.width <= width);
                for other in &places[index + 1..] {
                    let apart = other.y >= at.y + at.height
                        || at.y >= other.y + other.height
                        || other.x >= at.x + at.width;
                    assert!(apart);
                }
            }
        }
    }
}
