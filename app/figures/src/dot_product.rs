//! A query and its keys as arrows: each key at its true angle to the query and with its true length, and the weight that
//! these make.

use crate::{
    model_map::Rect,
    staged::{Align, Cells, Piece, Staged, Tone},
};

/// A key beside the query.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The name of the token.
    pub name: String,
    /// The length of the key.
    pub length: f32,
    /// The cosine of its angle to the query.
    pub cosine: f32,
    /// The dot product with the query, not scaled.
    pub score: f32,
    /// The attention weight of the key.
    pub weight: f32,
}

/// A query and its keys.
#[derive(Clone, Debug, PartialEq)]
pub struct DotProducts {
    /// The length of the query.
    pub query_length: f32,
    /// The keys that the query sees.
    pub keys: Vec<Measured>,
}

/// The room around the picture.
const MARGIN: f64 = 14.0;
/// The largest radius of the half plane of arrows.
const MOST_RADIUS: f64 = 240.0;
/// The height of a key's row below it.
const ROW: f64 = 22.0;
/// The room for the names at the left of the rows.
const NAMES: f64 = 84.0;

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|value| value * value).sum::<f32>().sqrt()
}

impl DotProducts {
    /// Measures keys `[m, d]` beside a query `[d]`; `None` if the numbers do not belong together.
    pub fn of(query: &[f32], keys: &[f32], names: &[String], weights: &[f32]) -> Option<Self> {
        let width = query.len();
        if width == 0 || keys.len() < names.len() * width || weights.len() < names.len() {
            return None;
        }
        let query_length = length(query);
        let measured = |((name, key), &weight): ((&String, &[f32]), &f32)| {
            let score: f32 = query.iter().zip(key).map(|(q, k)| q * k).sum();
            let length = length(key);
            let both = (query_length * length).max(f32::MIN_POSITIVE);
            Measured {
                name: name.clone(),
                length,
                cosine: (score / both).clamp(-1.0, 1.0),
                score,
                weight,
            }
        };
        let keys = names.iter().zip(keys.chunks(width)).zip(weights);
        Some(DotProducts {
            query_length,
            keys: keys.map(measured).collect(),
        })
    }

    /// Returns the picture: step 0 has the query, and each later one a key.
    pub fn picture(&self, width: f64) -> Staged {
        let radius = (width / 2.0 - MARGIN - 20.0).clamp(40.0, MOST_RADIUS);
        let longest = self.keys.iter().map(|key| key.length);
        let longest = longest
            .fold(self.query_length, f32::max)
            .max(f32::MIN_POSITIVE);
        let unit = radius / f64::from(longest);
        let origin = [width / 2.0, MARGIN + 14.0 + radius];
        let below = origin[1] + 26.0;
        let height = below + ROW * self.keys.len() as f64 + MARGIN;
        let mut picture = Staged::new(width, height);
        let end = [origin[0] + f64::from(self.query_length) * unit, origin[1]];
        picture.add(
            0,
            line(
                [MARGIN, origin[1]],
                [width - MARGIN, origin[1]],
                0.75,
                Tone::Soft,
            ),
        );
        picture.add(0, arrow(origin, end, 3.0, Tone::Current));
        let at = [end[0], origin[1] + 16.0];
        picture.add(0, words(at, Align::Middle, Tone::Current, "q".to_owned()));
        for (place, key) in self.keys.iter().enumerate() {
            let step = place + 1;
            self.key(&mut picture, step, key, (origin, unit));
            row(&mut picture, step, key, below + ROW * place as f64);
        }
        picture
    }

    /// Draws a key, and at its step the foot of its perpendicular on the query's line.
    fn key(
        &self,
        picture: &mut Staged,
        step: usize,
        key: &Measured,
        (origin, unit): ([f64; 2], f64),
    ) {
        let (cosine, length) = (f64::from(key.cosine), f64::from(key.length) * unit);
        let sine = (1.0 - cosine * cosine).max(0.0).sqrt();
        let tip = [origin[0] + length * cosine, origin[1] - length * sine];
        picture.add(step, arrow(origin, tip, 1.5, Tone::Series(0)));
        let foot = [tip[0], origin[1]];
        picture.add_at(step, line(tip, foot, 1.0, Tone::Soft));
        picture.add_at(step, line(origin, foot, 4.0, Tone::Series(0)));
        let name = words(
            [tip[0], tip[1] - 7.0],
            Align::Middle,
            Tone::Ink,
            key.name.clone(),
        );
        picture.add_at(step, name);
    }
}

/// Draws the weight of a key as a bar, with the numbers that make it.
fn row(picture: &mut Staged, step: usize, key: &Measured, y: f64) {
    let base = y + ROW - 7.0;
    picture.add(
        0,
        words([MARGIN, base], Align::Start, Tone::Ink, key.name.clone()),
    );
    let room = picture.width - NAMES - 2.0 * MARGIN;
    let bar = Piece::Vector {
        at: Rect {
            x: MARGIN + NAMES,
            y: y + ROW - 4.0,
            width: (room * f64::from(key.weight)).max(0.5),
            height: 3.0,
        },
        name: key.name.clone(),
        values: vec![key.weight],
        shown: 1,
        cells: Cells::Weights,
    };
    picture.add(step, bar);
    let angle = key.cosine.acos().to_degrees().round();
    let numbers = format!(
        "{angle}°, |k| {:.1}, q·k {}{:.1}",
        key.length,
        if key.score < 0.0 { "−" } else { "" },
        key.score.abs()
    );
    let at = [MARGIN + NAMES, base - 2.0];
    picture.add(step, words(at, Align::Start, Tone::Soft, numbers));
    let at = [picture.width - MARGIN, base - 2.0];
    picture.add(
        step,
        words(at, Align::End, Tone::Ink, format!("{:.3}", key.weight)),
    );
}

fn line(from: [f64; 2], to: [f64; 2], width: f64, tone: Tone) -> Piece {
    Piece::Line {
        from,
        to,
        width,
        tone,
        pointed: false,
        name: String::new(),
        value: None,
    }
}

fn arrow(from: [f64; 2], to: [f64; 2], width: f64, tone: Tone) -> Piece {
    Piece::Line {
        from,
        to,
        width,
        tone,
        pointed: true,
        name: String::new(),
        value: None,
    }
}

fn words(at: [f64; 2], align: Align, tone: Tone, text: String) -> Piece {
    Piece::Words {
        at,
        align,
        tone,
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> DotProducts {
        let names = ["a", "b", "c"].map(str::to_owned);
        let keys = [4.0, 0.0, 0.0, 2.0, -3.0, 4.0];
        DotProducts::of(&[2.0, 0.0], &keys, &names, &[0.7, 0.2, 0.1]).unwrap()
    }

    #[test]
    fn lengths_and_angle_make_the_dot_product() {
        let found = three();
        assert_eq!(found.query_length, 2.0);
        let cosines: Vec<f32> = found.keys.iter().map(|key| key.cosine).collect();
        assert_eq!(cosines, [1.0, 0.0, -0.6]);
        for key in &found.keys {
            let product = found.query_length * key.length * key.cosine;
            assert!((product - key.score).abs() < 1e-5, "{key:?}");
        }
        assert_eq!(
            DotProducts::of(&[1.0], &[1.0], &["a".into(), "b".into()], &[1.0, 0.0]),
            None
        );
    }

    #[test]
    fn arrows_have_their_angles_and_stay_in_the_picture() {
        for width in [330.0, 800.0] {
            let picture = three().picture(width);
            let arrows = picture.marks.iter().filter_map(|mark| match &mark.mark {
                Piece::Line {
                    from,
                    to,
                    pointed: true,
                    ..
                } => Some((*from, *to)),
                _ => None,
            });
            let arrows: Vec<_> = arrows.collect();
            assert_eq!(arrows.len(), 4);
            for (_, [x, y]) in &arrows {
                assert!(*x >= 0.0 && *x <= width && *y >= 0.0 && *y <= picture.height);
            }
            // The third key points up and to the left, and is the longest.
            let (from, to) = arrows[3];
            let (dx, dy) = (to[0] - from[0], from[1] - to[1]);
            assert!((dx / dx.hypot(dy) + 0.6).abs() < 1e-6);
        }
    }

    #[test]
    fn each_step_brings_one_key_with_its_weight() {
        let picture = three().picture(400.0);
        let weights = |step| {
            let marks = picture.at(step);
            marks
                .filter(|mark| matches!(mark.mark, Piece::Vector { .. }))
                .count()
        };
        assert_eq!([0, 1, 2, 3].map(weights), [0, 1, 2, 3]);
    }
}
