//! Tokens and the passes through one block: a row of dots for each depth, and lines as wide as the attention weights.

use crate::{
    exchange::{Taken, taken},
    staged::{Align, Piece, Staged, Tone},
};

/// One head of a block that is used at every depth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passes {
    /// The names of the tokens of the stack.
    pub tokens: Vec<String>,
    /// The names of the keys if they are others, as in cross-attention; they are the same on each pass.
    pub keys: Option<Vec<String>>,
    /// The number of passes that each token takes before it halts.
    pub depths: Vec<usize>,
    /// The weights on each pass, `[n, m]`.
    pub maps: Vec<Vec<f32>>,
}

/// The room at the left for the number of a pass, and around the picture.
const LEFT: f64 = 30.0;
const MARGIN: f64 = 14.0;
/// The distance between two rows.
const RISE: f64 = 74.0;
/// The height of a line of names.
const NAMES: f64 = 20.0;
const RADIUS: f64 = 5.0;
/// The width of a line whose weight is 1.
const WIDEST: f64 = 7.0;
/// The least distance of tokens whose names are all drawn.
const NAMED: f64 = 26.0;

impl Passes {
    /// Returns true if a token goes through the block on a pass, counted from 1.
    pub fn runs(&self, token: usize, pass: usize) -> bool {
        self.depths.get(token).is_some_and(|&depth| pass <= depth)
    }

    /// Returns the number of tokens that go through the block on a pass.
    pub fn running(&self, pass: usize) -> usize {
        let tokens = 0..self.tokens.len();
        tokens.filter(|&token| self.runs(token, pass)).count()
    }

    /// Returns what running tokens take on a pass.
    fn taken(&self, pass: usize) -> Vec<Taken> {
        let columns = self.keys.as_ref().map_or(self.tokens.len(), Vec::len);
        let map = pass.checked_sub(1).and_then(|pass| self.maps.get(pass));
        let map = map.map_or(&[][..], Vec::as_slice);
        let mut lines = taken(map, columns, 0..self.tokens.len());
        lines.retain(|one| self.runs(one.query, pass));
        lines
    }

    /// Returns the picture: step 0 has the inputs, and each later one a pass.
    pub fn picture(&self, width: f64) -> Staged {
        let passes = self.maps.len();
        let below = if self.keys.is_some() { RISE } else { 0.0 };
        let height = 2.0 * MARGIN + RISE * passes as f64 + below + NAMES;
        let mut picture = Staged::new(width, height);
        let bottom = height - MARGIN - NAMES;
        let x = |place: usize, count: usize| {
            let room = width - LEFT - MARGIN;
            LEFT + room * (place as f64 + 0.5) / count.max(1) as f64
        };
        let row = |pass: usize| bottom - below - RISE * pass as f64;
        let count = self.tokens.len();
        for pass in 1..=passes {
            for line in self.taken(pass) {
                let (from, name) = match &self.keys {
                    Some(keys) => ([x(line.key, keys.len()), bottom], keys.get(line.key)),
                    None => (
                        [x(line.key, count), row(pass - 1)],
                        self.tokens.get(line.key),
                    ),
                };
                let query = self.tokens.get(line.query).map_or("", String::as_str);
                let key = name.map_or("", String::as_str);
                let mark = Piece::Line {
                    from,
                    to: [x(line.query, count), row(pass)],
                    width: f64::from(line.weight) * WIDEST,
                    tone: Tone::Series(0),
                    pointed: false,
                    name: format!("{query} ← {key}"),
                    value: Some(line.weight),
                };
                match self.keys {
                    // Lines from the same keys would lie on each other.
                    Some(_) => picture.add_at(pass, mark),
                    None => picture.add(pass, mark),
                }
            }
        }
        for pass in 0..=passes {
            if pass > 0 {
                let at = [MARGIN - 4.0, row(pass) + 4.0];
                picture.add(pass, words(at, Align::Start, Tone::Soft, pass.to_string()));
            }
            for token in 0..count {
                let runs = pass == 0 || self.runs(token, pass);
                let at = [x(token, count), row(pass)];
                if !runs {
                    picture.add(pass, kept([at[0], row(pass - 1)], at));
                }
                let dot = Piece::Dot {
                    at,
                    radius: RADIUS,
                    tone: if runs { Tone::Current } else { Tone::Soft },
                    hollow: !runs,
                };
                picture.add(pass, dot);
            }
        }
        names(
            &mut picture,
            &self.tokens,
            |place| x(place, count),
            row(0) + NAMES - 2.0,
        );
        if let Some(keys) = &self.keys {
            names(
                &mut picture,
                keys,
                |place| x(place, keys.len()),
                bottom + NAMES - 2.0,
            );
        }
        picture
    }
}

/// A state that is kept as it is.
fn kept(from: [f64; 2], to: [f64; 2]) -> Piece {
    Piece::Line {
        from,
        to,
        width: 1.0,
        tone: Tone::Soft,
        pointed: false,
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

/// Adds the names of tokens; only every second or third one where they would overlap.
fn names(picture: &mut Staged, names: &[String], x: impl Fn(usize) -> f64, y: f64) {
    let pitch = x(1) - x(0);
    let every = (NAMED / pitch.max(1.0)).ceil().max(1.0) as usize;
    for (place, name) in names.iter().enumerate().step_by(every) {
        picture.add(
            0,
            words([x(place), y], Align::Middle, Tone::Ink, name.clone()),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passes() -> Passes {
        Passes {
            tokens: ["a", "b", "c"].map(str::to_owned).to_vec(),
            keys: None,
            depths: vec![1, 2, 1],
            maps: vec![
                vec![1.0 / 3.0; 9],
                vec![0.0, 0.5, 0.5, 0.2, 0.6, 0.2, 1.0, 0.0, 0.0],
            ],
        }
    }

    fn lines(picture: &Staged, step: usize) -> usize {
        let marks = picture.at(step).filter(|mark| mark.from == step);
        let weights = marks.filter(|mark| matches!(mark.mark, Piece::Line { value: Some(_), .. }));
        weights.count()
    }

    #[test]
    fn tokens_that_have_halted_take_nothing() {
        let passes = passes();
        assert_eq!(
            (passes.running(1), passes.running(2), passes.running(3)),
            (3, 1, 0)
        );
        let picture = passes.picture(360.0);
        assert_eq!([0, 1, 2].map(|step| lines(&picture, step)), [0, 9, 3]);
        let hollow = picture
            .at(2)
            .filter(|mark| matches!(mark.mark, Piece::Dot { hollow: true, .. }));
        assert_eq!(hollow.count(), 2);
    }

    #[test]
    fn keys_of_another_stack_stand_below() {
        let crossed = Passes {
            keys: Some(vec!["x".to_owned()]),
            maps: vec![vec![1.0; 3]; 2],
            ..passes()
        };
        let picture = crossed.picture(360.0);
        assert!(picture.height > passes().picture(360.0).height);
        assert_eq!([1, 2].map(|step| lines(&picture, step)), [3, 1]);
        let first = picture.at(2).filter(|mark| mark.until == 1);
        assert_eq!(first.count(), 0);
    }
}
