//! The way of one token's vector through a stack, in the two directions in which all vectors of the sentence vary most.

use crate::{
    principal::Principal,
    staged::{Align, Piece, Staged, Tone},
};

/// The vectors of some tokens at the same places of a stack, in two directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Pulled {
    /// The names of the tokens.
    pub names: Vec<String>,
    /// The token whose way is drawn.
    pub chosen: usize,
    /// The vectors in two directions: place by place, and in each the tokens.
    pub directions: Principal,
}

/// The room around the picture.
const MARGIN: f64 = 26.0;
/// The height of the picture as a share of its width, and at most.
const SHAPE: f64 = 0.62;
const MOST_HEIGHT: f64 = 460.0;
/// The most tokens whose names are drawn.
const NAMED: usize = 16;

impl Pulled {
    /// Projects the vectors, place by place and in each token by token; `None` if they have no two directions.
    pub fn of(names: Vec<String>, chosen: usize, points: &[&[f32]]) -> Option<Self> {
        let count = names.len();
        let fits = count > chosen && points.len().is_multiple_of(count);
        Some(Pulled {
            directions: Principal::of(points).filter(|_| fits)?,
            names,
            chosen,
        })
    }

    /// Returns the number of places.
    pub fn steps(&self) -> usize {
        self.directions.at.len() / self.names.len().max(1)
    }

    /// Returns the picture: a step for each place.
    pub fn picture(&self, width: f64) -> Staged {
        let height = (width * SHAPE).min(MOST_HEIGHT);
        let mut picture = Staged::new(width, height);
        let place = self.placing(width, height);
        let origin = place([0.0, 0.0]);
        for (from, to) in [
            ([MARGIN / 2.0, origin[1]], [width - MARGIN / 2.0, origin[1]]),
            (
                [origin[0], MARGIN / 2.0],
                [origin[0], height - MARGIN / 2.0],
            ),
        ] {
            picture.add(0, line(from, to, 0.5, Tone::Soft, false));
        }
        let count = self.names.len();
        for (step, points) in self.directions.at.chunks_exact(count.max(1)).enumerate() {
            for (token, (point, name)) in points.iter().zip(&self.names).enumerate() {
                let at = place(*point);
                let is_chosen = token == self.chosen;
                if !is_chosen {
                    picture.add_at(step, dot(at, 3.0, Tone::Soft, false));
                }
                if is_chosen || count <= NAMED {
                    let tone = if is_chosen { Tone::Current } else { Tone::Soft };
                    picture.add_at(step, words([at[0], at[1] - 8.0], tone, name.clone()));
                }
            }
            let at = place(points[self.chosen]);
            if let Some(before) = step.checked_sub(1) {
                let from = place(self.directions.at[before * count + self.chosen]);
                picture.add(step, line(from, at, 2.0, Tone::Current, true));
            }
            picture.add(step, dot(at, 3.5, Tone::Current, step == 0));
        }
        picture
    }

    /// Returns the function from coordinates to the picture, at one scale along both directions.
    fn placing(&self, width: f64, height: f64) -> impl Fn([f64; 2]) -> [f64; 2] + use<> {
        let ends = [0, 1].map(|axis| {
            let values = self.directions.at.iter().map(|point| point[axis]);
            values.fold(
                [f64::INFINITY, f64::NEG_INFINITY],
                |[least, most], value| [least.min(value), most.max(value)],
            )
        });
        let [across, up] = ends.map(|[least, most]| (most - least).max(f64::MIN_POSITIVE));
        let unit = ((width - 2.0 * MARGIN) / across).min((height - 2.0 * MARGIN) / up);
        let middle = ends.map(|[least, most]| (least + most) / 2.0);
        move |point| {
            [
                width / 2.0 + (point[0] - middle[0]) * unit,
                height / 2.0 - (point[1] - middle[1]) * unit,
            ]
        }
    }
}

fn line(from: [f64; 2], to: [f64; 2], width: f64, tone: Tone, pointed: bool) -> Piece {
    Piece::Line {
        from,
        to,
        width,
        tone,
        pointed,
        name: String::new(),
        value: None,
    }
}

fn dot(at: [f64; 2], radius: f64, tone: Tone, hollow: bool) -> Piece {
    Piece::Dot {
        at,
        radius,
        tone,
        hollow,
    }
}

fn words(at: [f64; 2], tone: Tone, text: String) -> Piece {
    Piece::Words {
        at,
        align: Align::Middle,
        tone,
        text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_tokens() -> Pulled {
        let points: [[f32; 2]; 6] = [
            [0.0, 0.0],
            [4.0, 0.0],
            [1.0, 0.5],
            [4.0, 1.0],
            [3.0, 0.5],
            [5.0, 0.0],
        ];
        let points: Vec<&[f32]> = points.iter().map(<[f32; 2]>::as_slice).collect();
        Pulled::of(["a", "b"].map(str::to_owned).to_vec(), 0, &points).unwrap()
    }

    #[test]
    fn the_way_grows_by_an_arrow_at_each_place() {
        let pulled = two_tokens();
        assert_eq!(pulled.steps(), 3);
        let picture = pulled.picture(500.0);
        let arrows = |step| {
            let marks = picture.at(step);
            marks
                .filter(|mark| matches!(mark.mark, Piece::Line { pointed: true, .. }))
                .count()
        };
        assert_eq!([0, 1, 2].map(arrows), [0, 1, 2]);
        let others = |step| {
            let marks = picture.at(step);
            marks
                .filter(|mark| {
                    matches!(
                        mark.mark,
                        Piece::Dot {
                            tone: Tone::Soft,
                            ..
                        }
                    )
                })
                .count()
        };
        assert_eq!([0, 1, 2].map(others), [1, 1, 1]);
    }

    #[test]
    fn distances_have_one_scale_and_stay_inside() {
        let pulled = two_tokens();
        let picture = pulled.picture(340.0);
        let dots: Vec<[f64; 2]> = picture
            .marks
            .iter()
            .filter_map(|mark| match mark.mark {
                Piece::Dot {
                    at,
                    tone: Tone::Current,
                    ..
                } => Some(at),
                _ => None,
            })
            .collect();
        for [x, y] in &dots {
            assert!(*x > 0.0 && *x < picture.width && *y > 0.0 && *y < picture.height);
        }
        let drawn = |a: usize, b: usize| (dots[a][0] - dots[b][0]).hypot(dots[a][1] - dots[b][1]);
        // From (0, 0) by (1, 0.5) to (3, 0.5), all in the plane.
        let (first, second) = (1.25_f64.sqrt(), 2.0);
        assert!((drawn(0, 1) / drawn(1, 2) - first / second).abs() < 1e-6);
    }

    #[test]
    fn points_that_do_not_belong_to_the_tokens_are_refused() {
        let points: [&[f32]; 3] = [&[0.0, 1.0], &[1.0, 0.0], &[2.0, 2.0]];
        let names = ["a", "b"].map(str::to_owned).to_vec();
        assert_eq!(Pulled::of(names, 0, &points), None);
        assert_eq!(Pulled::of(vec![], 0, &points), None);
    }
}
